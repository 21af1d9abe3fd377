"""tau-bench's recorded trajectories: real wrong calls by a real model, with its own history."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from plumbline.arguments.datasets.account import Account
from plumbline.arguments.datasets.json_files import read_json, read_objects
from plumbline.arguments.datasets.messages import UNREADABLE, Conversation, conversation
from plumbline.records.arguments import HistoryCall, State, Turn, WrittenCalls
from plumbline.records.errors import DataError
from plumbline.records.model import Tool, ToolCall

WRITER = "import:trajectory"
"""Who wrote the wrong calls: the agent of the recorded trajectory."""

Entry = dict[str, Any]


def read_taubench(
    name: str, folder: Path, *, account: Account, policy: bool = True, leave_out_changed: bool = False
) -> list[State]:
    """Read the states before the labelled write calls of tau-bench trajectories.

    Parameters
    ----------
    name
        The data set's name in the run.
    folder
        Holds `trajectories.jsonl`, `tools.json` and, if it is wanted, `policy.md`.
    policy
        Whether the policy is the system turn of the history.
    leave_out_changed
        Whether tasks whose gold calls were revised later are left out; they are counted either way.
    account
        Receives what was kept, left out and why; calls of no gold tool are counted there.

    Returns
    -------
    list of State
        One for each call labelled `exact` (its gold is the call itself) or `same_tool` (its gold is the
        nearest gold action, and the recorded call is what someone wrote). The history is the agent's own:
        earlier wrong calls and refusals stay in it, and a retry is a state of its own. The unit of
        resampling is the task, whose trials share a request.

    Raises
    ------
    DataError
        If a file is missing, or a label contradicts the trajectory it belongs to; names file and line.

    Notes
    -----
    Only the arguments that differ from gold are wrong values. The others equal the gold value, which is
    labelled correct once, in the gold call: counted again in the wrong call they would weigh twice, so they
    stay unlabelled there (D44 gives them the score of their twin).
    """
    tools = _tools(folder / "tools.json")
    system = _policy(folder / "policy.md") if policy else None
    path = folder / "trajectories.jsonl"
    states: list[State] = []
    for place, entry in read_objects(path):
        where = f"{place} ({entry.get('id', 'no id')})"
        if entry.get("gold_changed_in_tau2"):
            if leave_out_changed:
                account.drop("trajectories of tasks whose gold was revised later", where)
                continue
            account.count("trajectories of tasks whose gold was revised later (kept)")
        states += _states(name, entry, where, path, tools, system, account)
    if not states:
        raise DataError("has no call labelled `exact` or `same_tool`.", path)
    account.count("states", len(states))
    return states


def _states(
    name: str,
    entry: Entry,
    where: str,
    path: Path,
    tools: Mapping[str, Tool],
    policy: Turn | None,
    account: Account,
) -> Iterator[State]:
    messages, labels = entry.get("traj"), entry.get("labels")
    task, trial = entry.get("task_id"), entry.get("trial", 0)
    if not isinstance(messages, list) or not isinstance(labels, list) or task is None:
        raise DataError(f"{where} needs the keys `task_id`, `traj` (a list) and `labels` (a list).", path)
    talk = conversation(messages, where, account)
    before = () if policy is None else (policy,)
    for label in labels:
        if label.get("label") not in ("exact", "same_tool"):
            account.drop("labelled calls whose tool is not in the gold list", where)
            continue
        turn, call = _labelled(talk, label, where, path)
        if call.name not in tools:
            account.drop("calls of tools that are not described", f"{where}, {call.name}")
            continue
        if UNREADABLE in call.arguments:
            account.drop("calls whose arguments cannot be read", where)
            continue
        made = ToolCall(name=call.name, arguments=call.arguments)
        gold = made if label["label"] == "exact" else _gold(entry, label, made, where, path)
        account.count(f"calls labelled {label['label']}")
        yield State(
            state_id=f"{name}.task_{task}.trial_{trial}.m{label['message']}",
            query_id=f"task_{task}",
            dataset=name,
            turns=before + talk.turns[:turn],
            functions=tuple(tools.values()),
            gold=(gold,),
            written=() if made == gold else (WrittenCalls(made_by=WRITER, calls=(made,)),),
        )


def _labelled(talk: Conversation, label: Entry, where: str, path: Path) -> tuple[int, HistoryCall]:
    """Find the call that a label speaks of: the index of its turn, and the call."""
    turn = talk.turn_of(label.get("message", -1))
    calls = talk.turns[turn].calls if turn is not None else ()
    place = label.get("call", 0)
    if turn is None or place >= len(calls) or calls[place].name != label.get("name"):
        raise DataError(
            f"{where}: a label names call {place} ({label.get('name')}) of message {label.get('message')}, "
            "which the trajectory does not have.",
            path,
        )
    return turn, calls[place]


def _gold(entry: Entry, label: Entry, made: ToolCall, where: str, path: Path) -> ToolCall:
    """Give the gold action that a label points to, and check the arguments that are said to differ."""
    actions = (entry.get("task") or {}).get("actions") or []
    index = label.get("gold")
    if not isinstance(index, int) or index >= len(actions) or actions[index].get("name") != made.name:
        raise DataError(f"{where}: `gold` of a label is no action of that name in `task.actions`.", path)
    arguments = dict(actions[index].get("kwargs") or {})
    differs = {
        key
        for key in arguments.keys() | made.arguments.keys()
        if key not in arguments or key not in made.arguments or arguments[key] != made.arguments[key]
    }
    if differs != set(label.get("differs") or ()):
        raise DataError(
            f"{where}: a label says that {', '.join(label.get('differs') or ()) or 'nothing'} differs from "
            f"gold, the calls say {', '.join(sorted(differs)) or 'nothing'}.",
            path,
        )
    return ToolCall(name=made.name, arguments=arguments)


def _policy(path: Path) -> Turn:
    try:
        return Turn(role="system", text=path.read_text(encoding="utf-8-sig").strip())
    except (OSError, UnicodeDecodeError) as error:
        raise DataError(f"cannot be read ({error}); or set `policy: false`.", path) from None


def _tools(path: Path) -> dict[str, Tool]:
    data = read_json(path)
    tools = {}
    for number, row in enumerate(data if isinstance(data, list) else [], start=1):
        function = row.get("function", row) if isinstance(row, dict) else None
        if not isinstance(function, dict) or not isinstance(function.get("name"), str):
            raise DataError(f"entry {number} has no `name`; write a tool as chat APIs take it.", path)
        tools[function["name"]] = Tool(
            name=function["name"],
            description=str(function.get("description") or ""),
            parameters=function.get("parameters") or {"type": "object", "properties": {}},
        )
    return tools
