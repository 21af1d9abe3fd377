"""Correct and wrong calls of a data set, and the label of each of their arguments (D4 to D6)."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from plumbline.arguments.datasets.account import Account
from plumbline.arguments.datasets.bfcl_check import check_argument, check_call
from plumbline.arguments.datasets.periods import Periods
from plumbline.arguments.datasets.rules import ValuePool, make_wrong
from plumbline.arguments.equality import call_key, same_json
from plumbline.config.argument_datasets import LaterGold, Rule
from plumbline.records.arguments import Label, Proposal, ProposedCall, State, WrittenCalls
from plumbline.records.model import Tool, ToolCall

Wrong = tuple[int, dict[str, Any], str]
"""Position among the gold calls, arguments, and who wrote them."""


@dataclass
class _Data:
    """What the calls of all states of a data set are judged by."""

    states: Sequence[State]
    account: Account
    later_gold: LaterGold
    later: dict[str, list[set[str]]] = field(default_factory=dict)
    places: dict[str, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for state in self.states:
            keys = self.later.setdefault(state.query_id, [])
            self.places[state.state_id] = len(keys)
            keys.append({call_key(call.name, call.arguments) for call in state.gold})

    def is_later_gold(self, state: State, call: ToolCall, by_proposer: bool) -> bool:
        """Whether a call is left out because it is the gold call of a later state of the same query."""
        if self.later_gold == "none" or (self.later_gold == "proposers" and not by_proposer):
            return False
        following = self.later[state.query_id][self.places[state.state_id] + 1 :]
        key = call_key(call.name, call.arguments)
        return any(key in keys for keys in following)


def proposed_calls(
    states: Sequence[State],
    proposals: Sequence[Proposal],
    rules: Sequence[Rule],
    seed: int,
    account: Account,
    *,
    paired: bool,
    later_gold: LaterGold = "none",
    periods: Periods | None = None,
) -> list[ProposedCall]:
    """Put together the correct and the wrong calls of each state.

    Parameters
    ----------
    states
        All states; those of one query stand in the order of its steps.
    proposals
        What proposers answered, in any order.
    rules, seed
        Rules that make one wrong call from each gold call, and their seed (D6).
    account
        Receives what was kept, left out and why.
    paired
        Whether a correct call is kept only beside a wrong one of its state (D4 to D6).
    later_gold
        Whose calls are left out if they equal a gold call of a later state of the query; D5 leaves out none.
    periods
        Spellings of annual and quarter, for the rules; None for those of C-D21.

    Returns
    -------
    list of ProposedCall
        State by state: the gold calls, then wrong calls that came with the states, of proposers, of rules.

    Notes
    -----
    Items D4 to D6, C-D30. A call that someone wrote is wrong if it calls the function of a gold call with
    other values. What equals a gold call of the step is set aside first; the rest is matched by position,
    then by function name in order, and is left out if a function's numbers of calls differ. With accepted
    values (BFCL) a call counts only if their check finds a wrong value, or the source says so. Equal wrong
    calls at a state count once. An argument of a wrong call is wrong if it differs from the gold one (BFCL:
    if the check rejects it alone), else unlabelled. Calls and arguments are compared in canonical JSON: ``1``
    is ``1.0``, not ``"1"``. Every unlabelled value without a check is then the gold one to the letter, as D44
    needs it.
    """
    data = _Data(states, account, later_gold)
    by_state: dict[str, list[Proposal]] = {}
    for proposal in proposals:
        by_state.setdefault(proposal.state_id, []).append(proposal)
    pool = ValuePool.of(states, periods) if rules else ValuePool()
    calls: list[ProposedCall] = []
    for state in states:
        wrong = list(_written(state, data))
        wrong += _proposed(state, by_state.get(state.state_id, ()), data)
        wrong += _by_rules(state, rules, seed, pool, account)
        calls += _calls_of(state, _distinct(state, wrong, account), account, paired)
    for label in ("correct", "wrong"):
        account.count(f"{label} calls", sum(call.label == label for call in calls))
    return calls


def gold_id(state: State, position: int) -> str:
    """Name a gold call; the id of a wrong one has its writer in place of ``gold``."""
    return f"{state.state_id}|gold|{position}"


def _calls_of(state: State, wrong: Sequence[Wrong], account: Account, paired: bool) -> Iterator[ProposedCall]:
    if paired and not wrong:
        account.drop("correct calls of states without a wrong call", state.state_id)
        return
    positions = {position for position, _, _ in wrong}
    common = {"state_id": state.state_id, "query_id": state.query_id, "dataset": state.dataset}
    for position, gold in enumerate(state.gold):
        if paired and position not in positions:
            continue
        yield ProposedCall(
            **common,
            call_id=gold_id(state, position),
            function=gold.name,
            arguments=gold.arguments,
            label="correct",
            made_by="gold",
            position=position,
            labels=dict.fromkeys(gold.arguments, "correct"),
        )
    names: Counter[str] = Counter()
    for position, arguments, made_by in wrong:
        labels = argument_labels(state, position, arguments)
        call_id = f"{state.state_id}|{made_by}|{position}"
        names[call_id] += 1
        yield ProposedCall(
            **common,
            call_id=call_id if names[call_id] == 1 else f"{call_id}.{names[call_id]}",
            function=state.gold[position].name,
            arguments=arguments,
            label="wrong",
            made_by=made_by,
            position=position,
            changed=_changed(state.gold[position].arguments, arguments),
            labels=labels,
            twin=gold_id(state, position),
        )


def argument_labels(state: State, position: int, arguments: Mapping[str, Any]) -> dict[str, Label]:
    """Label the arguments of a wrong call: wrong, or unlabelled if nothing speaks against them (D4, D5)."""
    labels: dict[str, Label] = {}
    gold = state.gold[position]
    for parameter, value in arguments.items():
        if state.accepted is not None:
            function = _function(state, gold.name)
            declared = function.parameters.get("properties") or {}
            if state.of_gold_alone and parameter in declared and parameter not in gold.arguments:
                rejected = False  # nobody knows what is accepted there
            else:
                rejected = check_argument(function, parameter, value, state.accepted[position]) is not None
        else:
            rejected = parameter not in gold.arguments or not same_json(value, gold.arguments[parameter])
        labels[parameter] = "wrong" if rejected else "unlabelled"
    return labels


def _changed(gold: Mapping[str, Any], arguments: Mapping[str, Any]) -> tuple[str, ...]:
    """Name what differs: other values, parameters that only one of them passes."""
    return tuple(
        key
        for key in [*arguments, *(key for key in gold if key not in arguments)]
        if key not in gold or key not in arguments or not same_json(gold[key], arguments[key])
    )


def _written(state: State, data: _Data) -> Iterator[Wrong]:
    for written in state.written:
        if written.positions is None:
            matched = _matched(state, written.calls, written.made_by, data, False)
        else:
            matched = _settled(state, written, written.positions, data)
        for position, call in matched:
            yield position, call.arguments, written.made_by


def _settled(
    state: State, written: WrittenCalls, positions: Sequence[int], data: _Data
) -> Iterator[tuple[int, ToolCall]]:
    """Give the calls of which the source says in whose place they stand; count those that are not wrong."""
    where = f"{state.state_id}, {written.made_by}"
    for position, call in zip(positions, written.calls, strict=True):
        gold = state.gold[position]
        problem = None
        if gold.name != call.name:
            problem = "calls of another function than the gold one"
        elif same_json(gold.arguments, call.arguments):
            problem = "calls of others that are gold"
        elif data.is_later_gold(state, call, False):
            problem = "calls that are gold at a later step"
        elif state.accepted is None:
            problem = _not_wrong(state, position, call)
        elif "wrong" not in argument_labels(state, position, call.arguments).values():
            data.account.count("wrong calls in which the check finds no wrong value (kept)")
        if problem:
            data.account.drop(problem, where)
        else:
            yield position, call


def _proposed(state: State, proposals: Iterable[Proposal], data: _Data) -> Iterator[Wrong]:
    for proposal in proposals:
        if proposal.calls is None:
            data.account.drop(f"proposals with the status {proposal.status}", f"{state.state_id}")
            continue
        for position, call in _matched(state, proposal.calls, proposal.proposer, data, True):
            yield position, call.arguments, proposal.proposer


def _matched(
    state: State, calls: Sequence[ToolCall], made_by: str, data: _Data, by_proposer: bool
) -> Iterator[tuple[int, ToolCall]]:
    """Give the calls that are wrong, each with the position of its gold call; count all others."""
    where = f"{state.state_id}, {made_by}"
    open_gold = dict(enumerate(state.gold))
    left: dict[int, ToolCall] = {}
    for place, call in enumerate(calls):
        key = call_key(call.name, call.arguments)
        same = next(
            (at for at, gold in open_gold.items() if call_key(gold.name, gold.arguments) == key), None
        )
        if same is not None:
            del open_gold[same]
            data.account.count("calls of others that are gold")
        elif data.is_later_gold(state, call, by_proposer):
            data.account.drop("calls that are gold at a later step", where)
        else:
            left[place] = call
    for place, call in _paired(left, open_gold, where, data.account):
        problem = _not_wrong(state, place, call)
        if problem:
            data.account.drop(problem, where)
        else:
            yield place, call


def _paired(
    left: dict[int, ToolCall], open_gold: dict[int, ToolCall], where: str, account: Account
) -> Iterator[tuple[int, ToolCall]]:
    """Match calls with the gold calls of their functions: by position, the others in order (C-D30)."""
    made = Counter(call.name for call in left.values())
    wanted = Counter(gold.name for gold in open_gold.values())
    matched: list[tuple[int, ToolCall]] = []
    waiting: list[ToolCall] = []
    for place, call in left.items():
        if not wanted[call.name]:
            account.drop("calls of another function than the gold one", where)
        elif made[call.name] != wanted[call.name] and max(made[call.name], wanted[call.name]) > 1:
            account.drop("parallel calls of one function that cannot be matched in order", where)
        elif place in open_gold and open_gold[place].name == call.name:
            del open_gold[place]
            matched.append((place, call))
        else:
            waiting.append(call)
    for call in waiting:
        position = next(at for at, gold in open_gold.items() if gold.name == call.name)
        del open_gold[position]
        matched.append((position, call))
    yield from matched


def _not_wrong(state: State, position: int, call: ToolCall) -> str | None:
    """Say why a call of the gold function is no wrong call with a wrong value."""
    if state.accepted is not None:
        rejection = check_call(_function(state, call.name), call.arguments, state.accepted[position])
        if rejection is None:
            return "calls that BFCL's check accepts"
        if not rejection.is_value:
            return f"calls that BFCL's check rejects for no value ({rejection.kind})"
    if "wrong" not in argument_labels(state, position, call.arguments).values():
        return "calls that leave out an argument and have no wrong value"
    return None


def _by_rules(
    state: State, rules: Sequence[Rule], seed: int, pool: ValuePool, account: Account
) -> Iterator[Wrong]:
    for position, gold in enumerate(state.gold if rules else ()):
        function = _function(state, gold.name)
        rng = random.Random(f"{seed}|{state.state_id}|{position}")  # noqa: S311, a reproducible draw, no secret
        accepted = state.accepted[position] if state.accepted is not None else None

        def is_right(arguments: dict[str, Any], function: Tool = function, accepted: Any = accepted) -> bool:
            return accepted is not None and check_call(function, arguments, accepted) is None

        made = make_wrong(gold, function, state, rules, rng, pool, is_right)
        if made is None:
            account.drop("gold calls that no rule can make wrong", f"{state.state_id}, {gold.name}")
            continue
        arguments, rule, _ = made
        account.count(f"wrong calls by the rule {rule}")
        yield position, arguments, f"rule:{rule}"


def _distinct(state: State, wrong: Iterable[Wrong], account: Account) -> list[Wrong]:
    """Keep the first of equal wrong calls."""
    kept: dict[str, Wrong] = {}
    for position, arguments, made_by in wrong:
        key = call_key(state.gold[position].name, arguments)
        if key in kept:
            account.count("equal wrong calls at a state, counted once")
        else:
            kept[key] = (position, arguments, made_by)
    return list(kept.values())


def _function(state: State, name: str) -> Tool:
    return next((tool for tool in state.functions if tool.name == name), Tool(name=name))
