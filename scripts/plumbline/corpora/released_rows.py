"""Rows of the released AgentJudgeBench files, whatever name and wrapping their fields have (C-A42)."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from plumbline.corpora.schemas import parameters_schema
from plumbline.records import DataError, Tool
from plumbline.records.files import numbered_lines, strict_json
from plumbline.records.model import EXTRA_TOPOLOGIES, TOPOLOGIES

Row = dict[str, Any]

OWN_FIELD = "plumbline"
"""What only an export of ours has: of a record what the released layout has no field for. An object with
`source`, `family`, and lists with one entry a call of the trace, `optional` keys and `needs`."""

KNOWN_FIELDS = frozenset(
    {
        "id",
        "dag_type",
        "system_prompt",
        "user_message",
        "query",
        "query_medium",
        "query_hard",
        "rewrite_medium_status",
        "rewrite_hard_status",
        "available_tools",
        "tools",
        "expected_responses",
        "expected_response",
        "expected_tool_calls",
        "difficulty",
        "thoughts",
        "metadata",
        "domain",
        OWN_FIELD,
    }
)
"""Fields of the records; rows of plans and verdicts have others and are not records."""

PLAN_FIELDS = frozenset(
    {
        "generated_tool_calls",
        "judge_response",
        "judge_response_no_gt",
        "programmatic_judge_response",
        "corrupted_expected_responses",
    }
)
"""A row with one of these is a plan or a verdict."""

_STRUCTURED = ("available_tools", "tools", "expected_responses", "expected_tool_calls", "metadata", OWN_FIELD)
_LABELS = {
    **{name: name for name in (*TOPOLOGIES, *EXTRA_TOPOLOGIES)},
    "fanout": "fan_out",
    "fanin": "fan_in",
    "optional": "optional_enrichment",
    "enrichment": "optional_enrichment",
    "loop": "loop_like",
    "looplike": "loop_like",
}


class RowError(Exception):
    """A row that cannot become a record, with the reason."""


OWN_FOLDER = "every_verdict"
"""Folder of an export of ours whose rows the released layout does not have."""


def data_files(folder: Path) -> list[Path]:
    """List the JSON files of a folder in the released layout, also in folders below.

    Of an export of ours, the manifest and the verdicts in our own layout are passed over.
    """
    found = (path for path in folder.rglob("*") if path.suffix in (".json", ".jsonl"))
    own = (path for path in found if path.name != "manifest.json")
    return sorted(path for path in own if OWN_FOLDER not in path.relative_to(folder).parts)


def rows_of(path: Path) -> Iterator[tuple[int, Row]]:
    """Give the objects of a file, one a line or in one array, each with its line or position from 1.

    Raises
    ------
    DataError
        If a line is no JSON object.
    """
    if path.suffix == ".json":
        try:
            whole = strict_json(path.read_text(encoding="utf-8"))
        except (ValueError, OSError):
            whole = None  # JSON lines in a file named .json, or a fault that reading by line will name
        if isinstance(whole, list):
            for position, row in enumerate(whole, start=1):
                yield position, _object(row, path, position)
            return
    for number, line in numbered_lines(path):
        try:
            row = strict_json(line)
        except ValueError as error:
            raise DataError(f"is not one JSON object ({error}).", path, number) from None
        yield number, _object(row, path, number)


def opened(row: Row) -> Row:
    """Give a row with every structured field as a value, also where it came as a JSON string.

    Raises
    ------
    RowError
        If such a string is no JSON.
    """
    return {key: decoded(value, key) if key in _STRUCTURED else value for key, value in row.items()}


def decoded(value: Any, what: str) -> Any:
    """Decode a JSON string; anything else stays as it is.

    Raises
    ------
    RowError
        If the string is no JSON.
    """
    if not isinstance(value, str):
        return value
    if not value.strip():
        return None
    try:
        return strict_json(value)
    except ValueError as error:
        raise RowError(f"{what} is no JSON ({error})") from None


def label_of(row: Mapping[str, Any]) -> str | None:
    """Give the row's topology label in our spelling, also from an id such as ``fan_in_4f...``, or None."""
    word = row.get("dag_type")
    if not isinstance(word, str):
        match = re.fullmatch(r"(.+)_[0-9a-f]{32}", str(row.get("id", "")))
        word = match[1] if match else ""
    return _LABELS.get(re.sub(r"[^a-z]+", "_", word.casefold()).strip("_"))


def tools_of(row: Mapping[str, Any]) -> list[Tool]:
    """Give the tools under the names of the source.

    Raises
    ------
    RowError
        If the inventory is no list of function descriptions.
    """
    sources = row.get("available_tools") or row.get("tools") or []
    if not isinstance(sources, list):
        raise RowError("available_tools is no list")
    tools: dict[str, Tool] = {}
    for entry in sources:
        entry = decoded(entry, "a tool")
        source = entry.get("function", entry) if isinstance(entry, dict) else None
        source = decoded(source, "a tool")
        if not isinstance(source, dict) or not isinstance(source.get("name"), str):
            raise RowError("a tool has no name")
        tools[source["name"]] = Tool(
            name=source["name"],
            description=source.get("description") or "",
            parameters=parameters_schema(decoded(source.get("parameters"), "parameters")),
        )
    return list(tools.values())


def calls_of(row: Mapping[str, Any]) -> tuple[list[Row], list[Row] | None]:
    """Give the expected trace and the raw messages.

    Returns
    -------
    calls
        ``{id, name, arguments, returns}``, the calls of all assistant messages in order; of
        `expected_tool_calls` where there are no messages. Ids are those of the source if they are unique,
        else `s1`, `s2`, ...
    messages
        The messages as they came, or None.

    Raises
    ------
    RowError
        If a call has no name, or its arguments are no object.
    """
    messages = row.get("expected_responses")
    if isinstance(messages, dict):
        messages = [messages]
    if isinstance(messages, list) and messages:
        messages = [decoded(message, "a message") for message in messages]
        if not all(isinstance(message, dict) for message in messages):
            raise RowError("a message of expected_responses is no object")
        calls = _trace(messages)
    else:
        messages = None
        calls = [_call(entry) for entry in _listed(row.get("expected_tool_calls"), "expected_tool_calls")]
    names = [call["id"] for call in calls]
    if len(set(names)) != len(names) or not all(isinstance(name, str) and name for name in names):
        for number, call in enumerate(calls, start=1):
            call["id"] = f"s{number}"
    return calls, messages


def own_of(row: Mapping[str, Any], calls: int) -> Row:
    """Give what an export of ours says of a record beyond the released layout; empty for other rows.

    Raises
    ------
    RowError
        If it does not fit the calls of the trace.
    """
    own = row.get(OWN_FIELD)
    if own is None:
        return {}
    lists = [own.get(name) for name in ("optional", "needs")] if isinstance(own, dict) else []
    if not isinstance(own, dict) or not all(
        isinstance(entries, list) and len(entries) == calls for entries in lists
    ):
        raise RowError(f"{OWN_FIELD} is no object with `optional` and `needs` of each expected call")
    return own


def _trace(messages: Sequence[Row]) -> list[Row]:
    calls: list[Row] = []
    latest: dict[Any, Row] = {}
    for message in messages:
        for entry in _listed(decoded(message.get("tool_calls"), "tool_calls"), "tool_calls"):
            call = _call(entry)
            calls.append(call)
            latest[call["id"]] = call
        if message.get("role") == "tool":
            for name, value in _outputs(message):
                if isinstance(name, str | int) and name in latest:
                    latest[name]["returns"] = value
    return calls


def _listed(value: Any, what: str) -> list[Any]:
    if not isinstance(value, list | None):
        raise RowError(f"{what} is no list")
    return value or []


def _call(entry: Any) -> Row:
    entry = decoded(entry, "a call")
    source = decoded(entry.get("function", entry), "a call") if isinstance(entry, dict) else None
    if not isinstance(source, dict) or not isinstance(source.get("name"), str):
        raise RowError("an expected call has no name")
    arguments = decoded(source.get("arguments"), "arguments")
    if not isinstance(arguments, dict | None):
        raise RowError(f"the arguments of the expected call {source['name']} are no object")
    name = entry.get("id") or source.get("id")
    return {
        "id": name if isinstance(name, str | int) else None,
        "name": source["name"],
        "arguments": arguments or {},
        "returns": None,
    }


def _outputs(message: Row) -> Iterator[tuple[Any, Any]]:
    """Give (id, value) of what a tool message returns; a content of another shape is the value itself."""
    try:
        content = decoded(message.get("content"), "content")
    except RowError:
        content = message["content"]
    entries = content if isinstance(content, list) else [content]
    found = [
        (entry["output"]["function"], entry["output"].get("output"))
        for entry in entries
        if isinstance(entry, dict) and isinstance(entry.get("output"), dict) and "function" in entry["output"]
    ]
    yield from found or [(message.get("tool_call_id"), content)]


def _object(row: Any, path: Path, number: int) -> Row:
    if not isinstance(row, dict):
        raise DataError("holds no JSON object.", path, number)
    return row
