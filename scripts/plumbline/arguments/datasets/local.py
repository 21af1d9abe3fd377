"""A user's own states and proposed calls, in plumbline's format (docs/formats.md)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from plumbline.arguments.datasets.account import Account
from plumbline.records.arguments import ProposedCall, State
from plumbline.records.errors import DataError
from plumbline.records.files import numbered_lines, read_json_lines


def read_local_states(name: str, path: Path, account: Account) -> list[State]:
    """Read states.

    Parameters
    ----------
    name
        The data set's name in the run; it replaces the one in the file.
    path
        JSON Lines, one state a line.
    account
        Counts the states, and the calls of their history that have no return, which are kept.

    Raises
    ------
    DataError
        If a line is no state, an id occurs twice, a gold call is of no function that the state offers, or the
        file is empty; names the file and the line.
    """
    states = read_json_lines(path, State)
    seen: dict[str, int] = {}
    for line, state in zip(_lines(path), states, strict=True):
        if state.state_id in seen:
            raise DataError(
                f"the id was given on line {seen[state.state_id]} before; give each state its own.",
                path,
                line,
                state.state_id,
            )
        seen[state.state_id] = line
        offered = {tool.name for tool in state.functions}
        for call in state.gold:
            if call.name not in offered:
                raise DataError(
                    f"the gold call is of `{call.name}`, which `functions` does not hold.",
                    path,
                    line,
                    state.state_id,
                )
        if state.accepted is not None and len(state.accepted) != len(state.gold):
            raise DataError(
                "`accepted` and `gold` have different numbers of entries; give one a gold call.",
                path,
                line,
                state.state_id,
            )
    if not states:
        raise DataError("holds no state; write one JSON object a line.", path)
    account.count("states", len(states))
    dangling = sum(call.returns is None for state in states for turn in state.turns for call in turn.calls)
    if dangling:
        account.count("calls without a return in their history (kept)", dangling)
    return [state.model_copy(update={"dataset": name}) for state in states]


def read_local_calls(name: str, path: Path, states: Sequence[State], account: Account) -> list[ProposedCall]:
    """Read proposed calls.

    Parameters
    ----------
    name
        The data set's name in the run; it replaces the one in the file.
    path
        JSON Lines, one proposed call a line.
    states
        The states that were drawn; calls of the others are counted and left out.
    account
        Counts the calls.

    Raises
    ------
    DataError
        If a line is no call, an id occurs twice, a call is of no function of its state, a label is of no
        argument, or a twin is no correct call of the same state; names the file and the line.
    """
    calls = read_json_lines(path, ProposedCall)
    by_id = {call.call_id: call for call in calls}
    known = {state.state_id: state for state in states}
    seen: set[str] = set()
    kept = []
    for line, call in zip(_lines(path), calls, strict=True):
        if call.call_id in seen:
            raise DataError("the id is given twice; give each call its own.", path, line, call.call_id)
        seen.add(call.call_id)
        if call.state_id not in known:
            account.drop("calls of a state that is not drawn, or not in the file", call.call_id)
            continue
        problem = _problem(call, known[call.state_id], by_id)
        if problem:
            raise DataError(problem, path, line, call.call_id)
        labels = {key: call.labels.get(key, _default_label(call)) for key in call.arguments}
        kept.append(call.model_copy(update={"dataset": name, "labels": labels}))
    if not kept:
        raise DataError("holds no call of a state of this data set.", path)
    account.count("calls", len(kept))
    return kept


def _default_label(call: ProposedCall) -> str:
    return "correct" if call.label == "correct" else "unlabelled"


def _problem(call: ProposedCall, state: State, by_id: Mapping[str, ProposedCall]) -> str | None:
    if call.function not in {tool.name for tool in state.functions}:
        return f"calls `{call.function}`, which the state {state.state_id} does not offer."
    if call.query_id != state.query_id:
        return f"`query_id` is {call.query_id}, that of its state is {state.query_id}."
    strange = sorted(call.labels.keys() - call.arguments.keys())
    if strange:
        return f"`labels` names {', '.join(strange)}, which the call does not pass."
    if call.label == "correct" and "wrong" in call.labels.values():
        return "the call is labelled correct, but an argument of it wrong."
    twin = by_id.get(call.twin) if call.twin is not None else None
    if call.twin is not None and (twin is None or twin.state_id != call.state_id or twin.label != "correct"):
        return f"`twin` is {call.twin}, which is no correct call of the same state."
    return None


def _lines(path: Path) -> list[int]:
    return [number for number, _ in numbered_lines(path)]
