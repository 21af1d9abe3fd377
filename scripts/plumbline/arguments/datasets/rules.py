"""Wrong calls that a rule makes: the gold call with one argument changed (D6, C-D21, C-D28)."""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from plumbline.arguments.datasets.periods import is_period, other_period
from plumbline.arguments.datasets.shifts import is_moment, partner, shifted_number, shifted_years
from plumbline.arguments.datasets.tickers import is_ticker
from plumbline.config.argument_datasets import Rule
from plumbline.records.arguments import State
from plumbline.records.files import digest_of
from plumbline.records.model import Tool, ToolCall

YEARS = (1, 2, 3)
"""Years by which a date is shifted, in a random direction (D6)."""


@dataclass
class ValuePool:
    """Values that the gold calls of a data set pass, by parameter: what a wrong value is drawn from.

    Attributes
    ----------
    by_slot
        (query, value) of each value by (function, parameter).
    by_parameter
        The same by the parameter's name alone.
    tickers
        (query, ticker) of each ticker.
    """

    by_slot: dict[tuple[str, str], list[tuple[str, Any]]] = field(default_factory=lambda: defaultdict(list))
    by_parameter: dict[str, list[tuple[str, Any]]] = field(default_factory=lambda: defaultdict(list))
    tickers: list[tuple[str, str]] = field(default_factory=list)

    @classmethod
    def of(cls, states: Iterable[State]) -> ValuePool:
        """Collect the values of all gold calls, each once a query."""
        pool = cls()
        seen: set[str] = set()
        for state in states:
            for call in state.gold:
                for parameter, value in call.arguments.items():
                    key = digest_of([state.query_id, call.name, parameter, value])
                    if key not in seen:
                        seen.add(key)
                        pool._add(state.query_id, call.name, parameter, value)
        return pool

    def _add(self, query: str, function: str, parameter: str, value: Any) -> None:
        self.by_slot[function, parameter].append((query, value))
        self.by_parameter[parameter].append((query, value))
        for member in value if isinstance(value, list) else [value]:
            if is_ticker(parameter, member):
                self.tickers.append((query, member))


@dataclass(frozen=True)
class _Slot:
    """An argument that a rule may change, and what the rule may look at."""

    parameter: str
    value: Any
    call: ToolCall
    schema: Mapping[str, Any]
    state: State
    pool: ValuePool
    rng: random.Random


def make_wrong(
    call: ToolCall,
    function: Tool,
    state: State,
    rules: Sequence[Rule],
    rng: random.Random,
    pool: ValuePool,
    accepted: Callable[[dict[str, Any]], bool] | None = None,
) -> tuple[dict[str, Any], str, tuple[str, ...]] | None:
    """Change one argument of a gold call by a rule.

    Parameters
    ----------
    call, function, state
        The gold call, its function, and the state at which it is made.
    rules
        Rules that may be used.
    rng
        Decides which argument, which of the rules that apply to it, and the new value.
    pool
        Values of the data set.
    accepted
        Says whether changed arguments are right as well; such a change is not taken.

    Returns
    -------
    tuple or None
        The arguments, the rule, and the parameters that changed (both of a from/to pair of dates). None if
        no rule applies.

    Notes
    -----
    The argument is drawn uniformly among those that a rule can change, then the rule (C-D28). A value that
    another gold call of the state has for the parameter is not drawn: it would be right elsewhere.
    """
    properties = function.parameters.get("properties") or {}
    parameters = list(call.arguments)
    rng.shuffle(parameters)
    for parameter in parameters:
        schema = properties.get(parameter)
        slot = _Slot(
            parameter,
            call.arguments[parameter],
            call,
            schema if isinstance(schema, Mapping) else {},
            state,
            pool,
            rng,
        )
        for rule in rng.sample(list(dict.fromkeys(rules)), len(set(rules))):
            changes = _CHANGES[rule](slot)
            if not changes:
                continue
            arguments = {**call.arguments, **changes}
            if digest_of(arguments) == digest_of(call.arguments) or _is_gold(arguments, call, state):
                continue
            if accepted is None or not accepted(arguments):
                return arguments, rule, tuple(key for key in call.arguments if key in changes)
    return None


def _is_gold(arguments: dict[str, Any], call: ToolCall, state: State) -> bool:
    return any(other.name == call.name and other.arguments == arguments for other in state.gold)


def _shift_date(slot: _Slot) -> dict[str, Any] | None:
    if not is_moment(slot.parameter, slot.value):
        return None
    years = slot.rng.choice(YEARS) * slot.rng.choice((1, -1))
    changed = {slot.parameter: shifted_years(slot.value, years)}
    other = partner(slot.parameter, slot.call.arguments)
    if other is not None:
        changed[other] = shifted_years(slot.call.arguments[other], years)
    return changed


def _swap_ticker(slot: _Slot) -> dict[str, Any] | None:
    """Exchange a ticker, or one of a list of tickers, for one of another query."""
    members = slot.value if isinstance(slot.value, list) else [slot.value]
    places = [place for place, member in enumerate(members) if is_ticker(slot.parameter, member)]
    own = {str(member).upper() for member in members}
    others = [
        ticker
        for query, ticker in slot.pool.tickers
        if query != slot.state.query_id and ticker.upper() not in own
    ]
    if not places or not others:
        return None
    ticker = slot.rng.choice(others)
    if not isinstance(slot.value, list):
        return {slot.parameter: ticker}
    place = slot.rng.choice(places)
    return {slot.parameter: [*members[:place], ticker, *members[place + 1 :]]}


def _swap_period(slot: _Slot) -> dict[str, Any] | None:
    if not is_period(slot.value):
        return None
    return {slot.parameter: other_period(slot.value, slot.schema.get("enum"), slot.rng)}


def _shift_number(slot: _Slot) -> dict[str, Any] | None:
    if is_moment(slot.parameter, slot.value):
        return None
    value = shifted_number(slot.value, slot.schema, slot.rng)
    return None if value is None else {slot.parameter: value}


def _swap_value(slot: _Slot) -> dict[str, Any] | None:
    """Exchange a value for another of its enumeration, the other boolean, or another query's."""
    if isinstance(slot.value, bool):
        return {slot.parameter: not slot.value}
    own = digest_of(slot.value)
    choices = slot.schema.get("enum")
    if isinstance(choices, list) and slot.value in choices:
        drawn = [choice for choice in choices if digest_of(choice) != own]
        return {slot.parameter: slot.rng.choice(drawn)} if drawn else None
    tables = (
        slot.pool.by_slot.get((slot.call.name, slot.parameter)),
        slot.pool.by_parameter.get(slot.parameter),
    )
    for table in tables:
        others = [
            value
            for query, value in table or ()
            if query != slot.state.query_id and type(value) is type(slot.value) and digest_of(value) != own
        ]
        if others:
            return {slot.parameter: slot.rng.choice(others)}
    return None


_CHANGES: dict[str, Callable[[_Slot], dict[str, Any] | None]] = {
    "shift_date": _shift_date,
    "swap_ticker": _swap_ticker,
    "swap_period": _swap_period,
    "shift_number": _shift_number,
    "swap_value": _swap_value,
}
