"""FinTrace's golden trajectories (D6) in the layout of its release; `traject_bench` reads its stand-in."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from plumbline.arguments.datasets.account import Account
from plumbline.arguments.datasets.json_files import read_json, read_objects
from plumbline.arguments.datasets.messages import UNREADABLE, conversation
from plumbline.arguments.datasets.traject_bench import read_traject_bench
from plumbline.corpora.aliases import alias_names
from plumbline.records.arguments import HistoryCall, State, Turn
from plumbline.records.errors import DataError
from plumbline.records.files import strict_json
from plumbline.records.model import Tool, ToolCall

_TEMPLATE = re.compile(r"\{\{?\s*[A-Za-z_][\w .]*\}?\}|\$\{|<[A-Za-z]+(?:_[A-Za-z]+)*>|\[[A-Z][A-Z_ ]{2,}\]")


def read_fintrace(name: str, path: Path, functions: Path | None, account: Account) -> list[State]:
    """Read the states of FinTrace, or of its stand-in.

    Parameters
    ----------
    name
        The data set's name in the run.
    path
        The released file (a JSON list or JSON Lines), or the folder of the stand-in.
    functions
        The provider's function descriptions, ``[{type: "function", function: {...}}]`` or plain
        ``[{name, description, parameters}]``; None: functions are described by their name alone, and calls
        of all of them are kept. The stand-in brings its own.
    account
        Receives what was kept, left out and why.

    Returns
    -------
    list of State
        One for each assistant message with calls (D9: calls of one message are one step, C-D20); its gold are
        the message's calls whose function is described. The unit of resampling is the entry's `id`.

    Raises
    ------
    DataError
        If a file cannot be read, is no JSON, or holds no state at all.

    Notes
    -----
    Item D6. Entries whose request has an unfilled template are left out and counted.
    """
    if path.is_dir():
        return read_traject_bench(name, path, account)
    described = None if functions is None else _described(functions)
    entries = list(read_objects(path))
    aliases = alias_names(
        {call.name for _, entry in entries for turn in _turns(entry, "", Account()) for call in turn.calls}
    )
    states: list[State] = []
    for number, (place, entry) in enumerate(entries):
        query = str(entry.get("id") if entry.get("id") is not None else number)
        where = f"{place} (id {query})"
        turns = _turns(entry, where, account)
        if not any(turn.is_step for turn in turns):
            account.drop("a trajectory has no call", where)
            continue
        if any(_TEMPLATE.search(turn.text or "") for turn in turns if turn.role == "user"):
            for call in (call for turn in turns for call in turn.calls):
                account.drop("calls whose request has an unfilled template", f"{where}, {call.name}")
            continue
        states += _states(name, f"{query}.{number}", query, turns, described, aliases, account)
    if not states:
        raise DataError(
            "holds no call that can be judged; " + ("; ".join(account.lines()) or "it is empty"), path
        )
    account.count("states", len(states))
    return states


def _states(
    name: str,
    trajectory: str,
    query: str,
    turns: Sequence[Turn],
    described: Mapping[str, Tool] | None,
    aliases: Mapping[str, str],
    account: Account,
) -> Iterator[State]:
    renamed = tuple(_renamed(turn, aliases) for turn in turns)
    used = list(dict.fromkeys(call.name for turn in turns for call in turn.calls))
    tools = {known: _tool(known, described, aliases) for known in used}
    offered = tuple(tool for tool in tools.values() if tool is not None)
    for place, turn in enumerate(turns):
        gold = []
        for call in turn.calls:
            where = f"{trajectory}, turn {place}, {call.name}"
            if tools[call.name] is None:
                account.drop("calls of functions without provider documentation", where)
            elif UNREADABLE in call.arguments:
                account.drop("calls whose arguments cannot be read", where)
            else:
                gold.append(ToolCall(name=aliases[call.name], arguments=call.arguments))
        if gold:
            account.count("gold calls", len(gold))
            yield State(
                state_id=f"{name}.{trajectory}.t{place}",
                query_id=query,
                dataset=name,
                turns=renamed[:place],
                functions=offered,
                gold=tuple(gold),
            )


def _turns(entry: Mapping[str, Any], where: str, account: Account) -> tuple[Turn, ...]:
    """Give the turns of an entry; the request is `source_query` where the messages have none."""
    messages = entry.get("messages")
    if messages is None:
        messages = entry.get("trajectory")
    if isinstance(messages, str):
        messages = _decoded(messages)
    if isinstance(messages, Mapping):
        messages = messages.get("messages")
    if not isinstance(messages, list):
        account.drop("an entry has neither `messages` nor a `trajectory` of messages", where)
        return ()
    turns = conversation(messages, where, account).turns
    request = entry.get("source_query")
    if not any(turn.role == "user" for turn in turns) and isinstance(request, str):
        systems = sum(turn.role == "system" for turn in turns)
        return (*turns[:systems], Turn(role="user", text=request), *turns[systems:])
    return turns


def _decoded(text: str) -> Any:
    """Read messages that were stored as JSON text; None if they are none."""
    try:
        return strict_json(text)
    except ValueError:
        return None


def _renamed(turn: Turn, aliases: Mapping[str, str]) -> Turn:
    calls = tuple(
        HistoryCall(name=aliases[call.name], arguments=call.arguments, returns=call.returns)
        for call in turn.calls
    )
    return Turn(role=turn.role, text=turn.text, calls=calls)


def _tool(known: str, described: Mapping[str, Tool] | None, aliases: Mapping[str, str]) -> Tool | None:
    original = None if aliases[known] == known else known
    if described is None:
        return Tool(name=aliases[known], original_name=original)
    if known not in described:
        return None
    return described[known].model_copy(update={"name": aliases[known], "original_name": original})


def _described(path: Path) -> dict[str, Tool]:
    data = read_json(path)
    if isinstance(data, Mapping) and isinstance(data.get("functions", data.get("tools")), list):
        data = data.get("functions", data.get("tools"))
    if not isinstance(data, list):
        raise DataError("must be a list of function descriptions.", path)
    tools = {}
    for number, entry in enumerate(data, start=1):
        function = entry.get("function", entry) if isinstance(entry, Mapping) else None
        if not isinstance(function, Mapping) or not isinstance(function.get("name"), str):
            raise DataError(f"entry {number} has no `name`; write {{name, description, parameters}}.", path)
        parameters = function.get("parameters")
        tools[function["name"]] = Tool(
            name=function["name"],
            description=str(function.get("description") or ""),
            parameters=parameters if isinstance(parameters, dict) else {"type": "object", "properties": {}},
        )
    return tools
