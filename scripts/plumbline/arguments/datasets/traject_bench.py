"""TRAJECT-Bench's finance part: real financial returns under a licence, a stand-in for FinTrace."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from plumbline.arguments.datasets.account import Account
from plumbline.arguments.datasets.json_files import read_json, read_objects
from plumbline.corpora.aliases import alias_names
from plumbline.records.arguments import HistoryCall, State, Turn
from plumbline.records.errors import DataError
from plumbline.records.model import Tool, ToolCall

_TYPES = {"STRING": "string", "NUMBER": "number", "BOOLEAN": "boolean"}

Entry = dict[str, Any]


def read_traject_bench(name: str, folder: Path, account: Account) -> list[State]:
    """Read the states of TRAJECT-Bench's finance part.

    Parameters
    ----------
    name
        The data set's name in the run.
    folder
        Holds `tools.json`, and `sequential.jsonl` or `parallel_hard.jsonl` or both.
    account
        Receives what was kept, left out and why.

    Returns
    -------
    list of State
        A step for each call of a sequential record; one step with all calls of a parallel one. The unit of
        resampling is the family of a sequential record, whose variants share a sequence of tools.

    Raises
    ------
    DataError
        If a file is missing or an entry lacks its request or its calls; names the file and the line.

    Notes
    -----
    Names of tools are aliased as in corpora (`Tool.original_name`). Returns are text as they stand: most are
    the `repr` of a Python value that was cut, and nothing evaluates them. Failed calls, which the source
    recorded without arguments, are left out of gold and history. A default is what the service's page shows
    as an example.
    """
    tools = _tools(folder / "tools.json")
    states: list[State] = []
    files = [folder / "sequential.jsonl", folder / "parallel_hard.jsonl"]
    if not any(file.exists() for file in files):
        raise DataError("has neither sequential.jsonl nor parallel_hard.jsonl.", folder)
    for file in files:
        for place, entry in read_objects(file) if file.exists() else ():
            states += _states(name, entry, f"{file.name}, {place}", file, tools, account)
    account.count("states", len(states))
    account.notes.append("a stand-in for FinTrace: TRAJECT-Bench's finance part, not the paper's data")
    return states


def _states(
    name: str, entry: Entry, where: str, file: Path, tools: Mapping[str, Tool], account: Account
) -> Iterator[State]:
    listed, request = entry.get("tool list"), entry.get("query")
    if not isinstance(listed, list) or not isinstance(request, str):
        raise DataError(f"{where} needs the keys `query` (text) and `tool list` (a list).", file)
    sequential = file.name == "sequential.jsonl"
    number = entry.get("_index", where.rsplit(" ", 1)[-1])
    kept = [(row, tools[row["tool name"]]) for row in _kept(listed, where, tools, account)]
    calls = [(tool, _arguments(row, where, file), row.get("executed_output")) for row, tool in kept]
    steps = [[call] for call in calls] if sequential else [calls]
    turns = [Turn(role="user", text=request)]
    for position, step in enumerate(step for step in steps if step):
        account.count("gold calls", len(step))
        yield State(
            state_id=f"{name}.{'sequential' if sequential else 'parallel'}_{number}.s{position}",
            query_id=f"family_{entry.get('_family', number)}" if sequential else f"parallel_{number}",
            dataset=name,
            turns=tuple(turns),
            functions=tuple({tool.name: tool for tool, _, _ in calls}.values()),
            gold=tuple(ToolCall(name=tool.name, arguments=arguments) for tool, arguments, _ in step),
        )
        answered = [_history_call(tool, arguments, output) for tool, arguments, output in step]
        turns.append(Turn(role="assistant", calls=tuple(answered)))


def _kept(
    listed: Sequence[Any], where: str, tools: Mapping[str, Tool], account: Account
) -> Iterator[Mapping[str, Any]]:
    for number, row in enumerate(listed, start=1):
        place = f"{where}, call {number}"
        if not isinstance(row, Mapping) or not isinstance(row.get("tool name"), str):
            account.drop("a call has no tool name", place)
        elif row.get("execution_status", "success") != "success":
            account.drop("failed calls (recorded without arguments)", place)
        elif row["tool name"] not in tools:
            account.drop("calls of tools that are not described", f"{place}, {row['tool name']}")
        else:
            yield row


def _history_call(tool: Tool, arguments: Entry, output: Any) -> HistoryCall:
    returns = output if output is None or isinstance(output, str) else json.dumps(output, ensure_ascii=False)
    return HistoryCall(name=tool.name, arguments=arguments, returns=returns)


def _arguments(row: Mapping[str, Any], where: str, file: Path) -> Entry:
    arguments = {}
    for key in ("required parameters", "optional parameters"):
        for pair in row.get(key) or []:
            if not isinstance(pair, Mapping) or not isinstance(pair.get("name"), str):
                raise DataError(
                    f"{where}: `{key}` of {row['tool name']} must be a list of {{name, value}}.", file
                )
            arguments[pair["name"]] = pair.get("value")
    return arguments


def _tools(path: Path) -> dict[str, Tool]:
    """Read the tools, by the name that the source uses."""
    data = read_json(path)
    rows = data if isinstance(data, list) else []
    named = {row["tool name"]: row for row in rows if isinstance(row, Mapping) and row.get("tool name")}
    if not named:
        raise DataError("must be a list of tools with the key `tool name`.", path)
    aliases = alias_names(named)
    return {known: _tool(row, aliases[known], path) for known, row in named.items()}


def _tool(row: Mapping[str, Any], alias: str, path: Path) -> Tool:
    properties: dict[str, Entry] = {}
    required = []
    for key in ("required_parameters", "optional_parameters"):
        for parameter in row.get(key) or []:
            if not isinstance(parameter, Mapping) or not isinstance(parameter.get("name"), str):
                raise DataError(f"{row['tool name']}: `{key}` must be a list of objects with a name.", path)
            properties[parameter["name"]] = _schema(parameter)
            if key == "required_parameters":
                required.append(parameter["name"])
    return Tool(
        name=alias,
        description=str(row.get("tool description") or ""),
        parameters={"type": "object", "properties": properties, "required": required},
        original_name=None if alias == row["tool name"] else row["tool name"],
    )


def _schema(parameter: Mapping[str, Any]) -> Entry:
    """Give a parameter's schema; an unknown type and an empty default are left out."""
    schema: Entry = {}
    kind = _TYPES.get(str(parameter.get("type", "")).upper())
    if kind:
        schema["type"] = kind
    schema["description"] = str(parameter.get("description") or "").strip()
    if parameter.get("default") not in (None, ""):
        schema["default"] = parameter["default"]
    return schema
