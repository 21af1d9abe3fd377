"""Other models' trajectories in the layout of ComplexFuncBench's results: real wrong calls (D5)."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from plumbline.arguments.datasets.account import Account
from plumbline.arguments.datasets.json_files import read_objects
from plumbline.arguments.equality import call_key
from plumbline.records.arguments import State, WrittenCalls
from plumbline.records.errors import DataError
from plumbline.records.files import strict_json
from plumbline.records.model import ToolCall


@dataclass(frozen=True)
class Trajectory:
    """What one model did on one task.

    Attributes
    ----------
    made_by
        ``import:NAME``, the name of the file.
    where
        File and line, for messages.
    request
        The first thing the user said.
    steps
        The calls of each step, under the names of the source.
    """

    made_by: str
    where: str
    request: str
    steps: tuple[tuple[ToolCall, ...], ...]


def read_trajectories(path: Path, account: Account) -> list[Trajectory]:
    """Read trajectories.

    Parameters
    ----------
    path
        A file, or a folder of `*.jsonl` and `*.json` files, one a model; each entry has the calls of a task
        in `gen_convs` (or `conversations`): `user`, `assistant` with `function_call`, `observation`.
    account
        Counts what could not be read.

    Raises
    ------
    DataError
        If there is no file, or an entry has no conversation; names the file and the line.
    """
    found = [file for file in sorted(path.rglob("*")) if file.suffix in (".jsonl", ".json")]
    files = found if path.is_dir() else [path]
    if not files:
        raise DataError("holds no .jsonl or .json file.", path)
    trajectories = []
    for file in files:
        for place, entry in read_objects(file):
            trajectories.append(_trajectory(entry, file, place, account))
    account.count("trajectories of other models", len(trajectories))
    return trajectories


@dataclass(frozen=True)
class _Gold:
    """A gold call that a trajectory has not made yet: index of its state, place there, and the call."""

    state: int
    place: int
    call: ToolCall


def with_trajectories(
    states: Sequence[State],
    trajectories: Sequence[Trajectory],
    account: Account,
    *,
    steps_known: bool = False,
) -> list[State]:
    """Add to each state the calls that trajectories made there: of the gold function, other values (D5).

    Parameters
    ----------
    states
        Gold states of all tasks; those of one query stand in the order of its steps.
    trajectories
        As read; a task is recognised by its request.
    account
        Counts, for each trajectory, what became of it.
    steps_known
        Whether a state holds all calls that gold makes side by side. In the converted copy each state has
        one call, and which of them belong together is lost.

    Returns
    -------
    list of State
        All states, in their order. A wrong call joins the state at whose step the trajectory first differs
        from gold, if it calls a gold function there with other values. Equal calls of two models stay two;
        `build_calls` counts them once.

    Notes
    -----
    The calls of a step are compared, in any order, with the open gold calls of the next step, and, if they
    are more, with those that follow: a model may make at once what gold makes in turn, or in turn what gold
    makes at once. Calls that differ are matched with the gold calls that are left (of the first step that is
    not met, if steps are known), by position, then by function name (C-D30); where several calls of one
    function are left and their numbers differ, they are dropped and counted. Calls are compared in canonical
    JSON.
    """
    tasks: dict[str, list[int]] = defaultdict(list)
    requests: dict[str, str] = {}
    for index, state in enumerate(states):
        requests.setdefault(_squeezed(_request(state)), state.query_id)
        tasks[state.query_id].append(index)
    added: dict[int, list[WrittenCalls]] = defaultdict(list)
    for trajectory in trajectories:
        query = requests.get(_squeezed(trajectory.request))
        if query is None:
            account.drop("trajectories of a task that the data set does not have", trajectory.where)
            continue
        for gold, call in _wrong_calls(trajectory, states, tasks[query], account, steps_known):
            written = WrittenCalls(made_by=trajectory.made_by, calls=(call,), positions=(gold.place,))
            added[gold.state].append(written)
    return [
        state.model_copy(update={"written": (*state.written, *added[index])}) if index in added else state
        for index, state in enumerate(states)
    ]


def _wrong_calls(
    trajectory: Trajectory,
    states: Sequence[State],
    task: Sequence[int],
    account: Account,
    steps_known: bool,
) -> Iterator[tuple[_Gold, ToolCall]]:
    """Give the calls at the first step that differs from gold, each with the gold call it stands for."""
    open_golds = [
        _Gold(index, place, call) for index in task for place, call in enumerate(states[index].gold)
    ]
    names = {tool.original_name or tool.name: tool.name for tool in states[task[0]].functions}
    for step in trajectory.steps:
        calls = [call.model_copy(update={"name": names.get(call.name, call.name)}) for call in step]
        of_step = sum(gold.state == open_golds[0].state for gold in open_golds)
        window = open_golds[: max(len(calls), of_step)]
        left_calls, left_golds = _differing(calls, window)
        if not left_calls:
            left = [gold for _, gold in left_golds]
            open_golds = left + open_golds[len(window) :]
            continue
        if steps_known:
            left_golds = [entry for entry in left_golds if entry[1].state == left_golds[0][1].state]
        pairs = list(_matched(left_calls, left_golds, trajectory.where, account))
        if pairs:
            account.count("trajectories with a wrong call", 1)
        else:
            account.drop("trajectories whose first difference is no other value", trajectory.where)
        yield from pairs
        return
    account.drop("trajectories without a wrong call", trajectory.where)


def _differing(
    calls: Sequence[ToolCall], golds: Sequence[_Gold]
) -> tuple[list[tuple[int, ToolCall]], list[tuple[int, _Gold]]]:
    """Take away what is equal; give what is left, each with its position."""
    open_golds = list(enumerate(golds))
    left = []
    for position, call in enumerate(calls):
        key = call_key(call.name, call.arguments)
        equal = [
            entry for entry in open_golds if call_key(entry[1].call.name, entry[1].call.arguments) == key
        ]
        if equal:
            open_golds.remove(equal[0])
        else:
            left.append((position, call))
    return left, open_golds


def _matched(
    calls: Sequence[tuple[int, ToolCall]],
    golds: Sequence[tuple[int, _Gold]],
    where: str,
    account: Account,
) -> Iterator[tuple[_Gold, ToolCall]]:
    """Match calls with gold calls of the same function: by position, the others in order."""
    waiting = list(golds)
    others = []
    for position, call in calls:
        same = [entry for entry in waiting if entry[0] == position and entry[1].call.name == call.name]
        if same:
            waiting.remove(same[0])
            yield same[0][1], call
        else:
            others.append(call)
    made = Counter(call.name for call in others)
    wanted = Counter(gold.call.name for _, gold in waiting)
    for call in others:
        if not wanted[call.name]:
            account.drop("calls of another function at the first difference", where)
            continue
        if made[call.name] != wanted[call.name]:
            account.drop("parallel calls of one function that cannot be matched in order", where)
            continue
        entry = next(entry for entry in waiting if entry[1].call.name == call.name)
        waiting.remove(entry)
        yield entry[1], call


def _trajectory(entry: Mapping[str, Any], file: Path, place: str, account: Account) -> Trajectory:
    where = f"{file.name}, {place}"
    messages = entry.get("gen_convs", entry.get("conversations"))
    if not isinstance(messages, list):
        raise DataError(f"{place} has no list `gen_convs`; see docs/argument_datasets.md.", file)
    request, steps = None, []
    for message in messages:
        if not isinstance(message, Mapping):
            account.drop("a message is no object", where)
        elif message.get("role") == "user" and request is None:
            request = str(message.get("content") or "")
        elif message.get("role") == "assistant" and message.get("function_call"):
            step = _calls(message["function_call"])
            if step is None:
                account.drop("trajectories that end at a call that cannot be read", where)
                break
            steps.append(step)
    return Trajectory(f"import:{file.stem}", where, request or "", tuple(steps))


def _calls(data: Any) -> tuple[ToolCall, ...] | None:
    """Read the calls of a step; None if one is no call with an object of arguments."""
    calls = []
    for row in data if isinstance(data, list) else [data]:
        arguments = row.get("arguments", {}) if isinstance(row, Mapping) else None
        if isinstance(arguments, str):
            try:
                arguments = strict_json(arguments)
            except ValueError:
                return None
        if not isinstance(arguments, dict) or not isinstance(row.get("name"), str):
            return None
        calls.append(ToolCall(name=row["name"], arguments=arguments))
    return tuple(calls)


def _request(state: State) -> str:
    return next((turn.text or "" for turn in state.turns if turn.role == "user"), "")


def _squeezed(text: str) -> str:
    return " ".join(text.split()).casefold()
