"""Wrong calls that a rule makes: the gold call with one argument changed (D6, C-D21, C-D28)."""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from plumbline.arguments.datasets.key_values import Companies
from plumbline.arguments.datasets.periods import Periods
from plumbline.arguments.datasets.shifts import is_moment, partner, shifted_number, shifted_years
from plumbline.arguments.datasets.tickers import is_ticker, split_tickers, tickers_of
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
    states
        Where the values come from; their returns tell which tickers are of one company.
    periods
        Spellings of annual and quarter.
    """

    by_slot: dict[tuple[str, str], list[tuple[str, Any]]] = field(default_factory=lambda: defaultdict(list))
    by_parameter: dict[str, list[tuple[str, Any]]] = field(default_factory=lambda: defaultdict(list))
    tickers: list[tuple[str, str]] = field(default_factory=list)
    states: Sequence[State] = ()
    periods: Periods = field(default_factory=Periods.of)

    @classmethod
    def of(cls, states: Sequence[State], periods: Periods | None = None) -> ValuePool:
        """Collect the values of all gold calls, each once a query."""
        pool = cls(states=states, periods=periods or Periods.of())
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
        self.tickers += [(query, ticker) for ticker in tickers_of(parameter, value)]

    @cached_property
    def companies(self) -> Companies:
        """Which tickers are of one company (C-D21); read from the returns when it is first asked for."""
        return Companies(self.states)


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
    """Exchange a ticker, or one of several, for one of another query and of another company."""
    own = tickers_of(slot.parameter, slot.value)
    if not own:
        return None
    others = [
        ticker
        for query, ticker in slot.pool.tickers
        if query != slot.state.query_id and not any(slot.pool.companies.are_one(ticker, one) for one in own)
    ]
    if not others:
        return None
    ticker = slot.rng.choice(others)
    if not isinstance(slot.value, list):
        return {slot.parameter: _with_ticker(slot.value, ticker, slot.rng)}
    members = slot.value
    place = slot.rng.choice([at for at, one in enumerate(members) if is_ticker(slot.parameter, one)])
    changed = _with_ticker(members[place], ticker, slot.rng)
    return {slot.parameter: [*members[:place], changed, *members[place + 1 :]]}


def _with_ticker(text: str, ticker: str, rng: random.Random) -> str:
    """Put a ticker in the place of one of those of a text."""
    pieces = split_tickers(text)
    if len(pieces) == 1:
        return ticker
    pieces[rng.choice(range(0, len(pieces), 2))] = ticker
    return "".join(pieces)


def _swap_period(slot: _Slot) -> dict[str, Any] | None:
    periods = slot.pool.periods
    if not periods.is_one(slot.value):
        return None
    return {slot.parameter: periods.other(slot.value, slot.schema.get("enum"), slot.rng)}


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
