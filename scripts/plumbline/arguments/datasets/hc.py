"""FinTrace-HC: a wrong value that the history holds (H) beside one that it does not hold (C) (D28)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from plumbline.arguments.datasets.account import Account
from plumbline.arguments.datasets.base import BaseData
from plumbline.arguments.datasets.key_values import Companies, earlier_values
from plumbline.arguments.datasets.periods import Periods
from plumbline.arguments.datasets.stated import request_text, same_type, states_value
from plumbline.arguments.datasets.tickers import is_ticker, split_tickers
from plumbline.arguments.datasets.wrong_calls import gold_id
from plumbline.arguments.equality import same_argument
from plumbline.config.argument_datasets import FintraceDataset
from plumbline.records.arguments import ArgumentItem, ProposedCall, State, WrittenCalls

H_RULE, C_RULE = "rule:earlier_value", "rule:control"
"""Who made the wrong calls: H takes an earlier value of the key, C is the base's rule-made wrong call."""


def hc_states(name: str, base: BaseData, account: Account) -> list[State]:
    """Build the states of FinTrace-HC, one for each rule-made wrong call that has an H.

    Parameters
    ----------
    name
        The data set's name in the run.
    base
        The data set `of`, finished.
    account
        Counts what was kept and what was left out, and why, in the order of the paper.

    Returns
    -------
    list of State
        `gold` is the one call whose value is judged; `written` are H, and C where all its changed values are
        on the path `no_source`. The history is that of the base's state.

    Notes
    -----
    Item D28, C-D21. From rule-made wrong calls whose original values all stand in the request. H is the most
    recent other value that a changed key took before, of the same JSON type, absent from the request, and no
    spelling of the same period; where several keys changed, the first that has one. Values that gold uses at
    the same or a later step of the trajectory, and tickers of the same company, are left out and counted.
    """
    build = _Build(base, account)
    states = []
    for call in base.calls:
        if call.label != "wrong":
            continue
        if not call.made_by.startswith("rule:"):
            account.drop("wrong calls that no rule made", call.call_id)
            continue
        state = build.state(name, call)
        if state is not None:
            states.append(state)
    account.count("states", len(states))
    return states


def hc_calls(states: Sequence[State]) -> list[ProposedCall]:
    """Give the calls of FinTrace-HC; only changed arguments have a label.

    Parameters
    ----------
    states
        As `hc_states` gives them.
    """
    calls = []
    for state in states:
        gold = state.gold[0]
        twin = gold_id(state, 0)
        common = {"state_id": state.state_id, "query_id": state.query_id, "dataset": state.dataset}
        common |= {"function": gold.name}
        of_h = _changed(gold.arguments, state.written[0].calls[0].arguments)
        calls.append(
            ProposedCall(
                **common,
                call_id=twin,
                arguments=gold.arguments,
                label="correct",
                made_by="gold",
                labels=dict.fromkeys(of_h, "correct"),
            )
        )
        for written in state.written:
            arguments = written.calls[0].arguments
            changed = _changed(gold.arguments, arguments)
            calls.append(
                ProposedCall(
                    **common,
                    call_id=f"{state.state_id}|{written.made_by}|0",
                    arguments=arguments,
                    label="wrong",
                    made_by=written.made_by,
                    changed=changed,
                    labels=dict.fromkeys(changed, "wrong"),
                    twin=twin,
                )
            )
    return calls


class _Build:
    """The base data, indexed."""

    def __init__(self, base: BaseData, account: Account) -> None:
        self.base = base
        self.account = account
        self.companies = Companies(base.states)
        of = base.states[0].dataset if base.states else ""
        origin = base.arguments.datasets.get(of)
        self.periods = Periods.of(origin.synonyms if isinstance(origin, FintraceDataset) else None)
        self.items: dict[tuple[str, str], ArgumentItem] = {
            (item.call_id, item.parameter): item for item in base.items
        }
        self.queries: dict[str, list[State]] = defaultdict(list)
        for state in base.states:
            self.queries[state.query_id].append(state)

    def state(self, name: str, wrong: ProposedCall) -> State | None:
        """Build the state of H and C for a rule-made wrong call; None, and counted, if it has no H (D28)."""
        state = self.base.state_of[wrong.state_id]
        gold = state.gold[wrong.position]
        originals = {key: gold.arguments[key] for key in wrong.changed if key in gold.arguments}
        request = request_text(state)
        if not originals or not all(states_value(request, value) for value in originals.values()):
            self.account.drop("wrong calls whose original values are not all in the request", wrong.call_id)
            return None
        self.account.count("wrong calls whose original values are all in the request")
        found = self._h(state, wrong, originals, request)
        if found is None:
            return None
        key, value = found
        arguments = {**gold.arguments, key: value}
        written = [WrittenCalls(made_by=H_RULE, calls=(gold.model_copy(update={"arguments": arguments}),))]
        self.account.count("values H")
        if self._is_control(wrong):
            control = gold.model_copy(update={"arguments": wrong.arguments})
            written.append(WrittenCalls(made_by=C_RULE, calls=(control,)))
            self.account.count("values C")
        return state.model_copy(
            update={
                "state_id": f"{state.state_id}.hc{wrong.position}",
                "dataset": name,
                "gold": (gold,),
                "accepted": None,
                "written": tuple(written),
            }
        )

    def _h(
        self, state: State, wrong: ProposedCall, originals: Mapping[str, Any], request: str
    ) -> tuple[str, Any] | None:
        """Give the key and the value H; None, counted, if there is none."""
        for key, original in originals.items():
            for value in self._others(state, key, original, request):
                if any(same_argument(value, used) for used in self._used(state, wrong)):
                    self.account.drop("H that gold uses at the same or a later step", wrong.call_id)
                    return None
                if self._are_one_company(key, value, original):
                    self.account.drop("H that is a ticker of the same company", wrong.call_id)
                    return None
                return key, value
        self.account.drop("wrong calls without another value of the key in the history", wrong.call_id)
        return None

    def _others(self, state: State, key: str, original: Any, request: str) -> Iterator[Any]:
        for value in earlier_values(state, key):
            if not same_type(value, original) or same_argument(value, original) or value == "":
                continue
            if not self.periods.are_same(value, original) and not states_value(request, value):
                yield value

    def _are_one_company(self, key: str, value: Any, original: Any) -> bool:
        """Whether two values name the same companies, in one order."""
        if not is_ticker(key, original) or not isinstance(value, str):
            return False
        ones, others = split_tickers(value)[::2], split_tickers(original)[::2]
        return len(ones) == len(others) and all(map(self.companies.are_one, ones, others))

    def _used(self, state: State, wrong: ProposedCall) -> Iterator[Any]:
        """Give the values of the step's other gold calls, and of later steps of the same trajectory."""
        size = len(state.turns)
        for other in self.queries[state.query_id]:
            later = len(other.turns) > size and other.turns[:size] == state.turns
            for position, call in enumerate(other.gold):
                if later or (other.state_id == state.state_id and position != wrong.position):
                    yield from call.arguments.values()

    def _is_control(self, wrong: ProposedCall) -> bool:
        items = [self.items.get((wrong.call_id, key)) for key in wrong.changed]
        return bool(items) and all(item is not None and item.path == "no_source" for item in items)


def _changed(gold: Mapping[str, Any], arguments: Mapping[str, Any]) -> tuple[str, ...]:
    return tuple(key for key in gold if key in arguments and not same_argument(gold[key], arguments[key]))
