"""Reading a file of records that may be wrong in many places: everything is told at once."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pydantic import ValidationError, model_validator

from plumbline.corpora.problems import Problem
from plumbline.corpora.topology import topology_of
from plumbline.records import ExpectedCall, Record
from plumbline.records.files import strict_json
from plumbline.records.model import Topology


class LooseRecord(Record):
    """A record whose calls may need what they cannot have, and whose topology may be left to its edges."""

    topology: Topology = "other"

    @model_validator(mode="after")
    def _ids_are_known(self) -> LooseRecord:
        return self


@dataclass(frozen=True)
class NumberedRecord:
    """A record and its line; `is_ordered` says whether its calls need earlier calls only."""

    line: int
    record: Record
    is_ordered: bool


@dataclass
class LooseFile:
    """What a file holds: records, and what is wrong with its lines and with the order of their calls."""

    records: list[NumberedRecord] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)
    lines: int = 0


def read_loosely(path: Path | str) -> LooseFile:
    """Read a file of records and collect every problem of its lines.

    Parameters
    ----------
    path
        JSON Lines in plumbline's format (docs/formats.md).

    Returns
    -------
    LooseFile
        `records` holds each line that is a record, also one whose calls need what they cannot have (codes
        `duplicate_call`, `dangling_output`, `cycle`, `late_source`); other lines are problems alone.

    Notes
    -----
    No error is raised: a file that cannot be read is a problem as well.
    """
    found = LooseFile()
    try:
        stream = Path(path).open("rb")  # noqa: SIM115 -- the `with` below closes it
    except OSError as error:
        found.problems.append(Problem(None, "unreadable", f"cannot be read ({error.strerror})."))
        return found
    with stream:
        for number, raw in enumerate(stream, start=1):
            if raw.strip():
                found.lines += 1
                _read_line(raw, number, found)
    if not found.lines:
        found.problems.append(Problem(None, "no_record", "holds no record; write one JSON object a line."))
    return found


def _read_line(raw: bytes, number: int, found: LooseFile) -> None:
    try:
        line = raw.decode("utf-8-sig" if number == 1 else "utf-8")
    except UnicodeDecodeError as error:
        message = f"byte {error.start + 1} of the line is not UTF-8; save the file as UTF-8."
        found.problems.append(Problem(None, "not_utf8", message, number))
        return
    try:
        data = strict_json(line)
    except ValueError as error:
        message = f"is not one JSON value ({error}); write one object a line."
        found.problems.append(Problem(None, "not_json", message, number))
        return
    name = data.get("id") if isinstance(data, dict) else None
    identifier = name if isinstance(name, str) and name else None
    if not isinstance(data, dict):
        message = f"is {_kind(data)}; write one object with the keys of a record a line."
        found.problems.append(Problem(None, "wrong_shape", message, number))
        return
    try:
        record: Record = LooseRecord.model_validate(data)
    except ValidationError as error:
        found.problems += [Problem(identifier, "wrong_shape", text, number) for text in _told(error)]
        return
    disorder = [Problem(record.id, code, text, number) for code, text in order_problems(record)]
    if not disorder and "topology" not in record.model_fields_set:
        record = record.model_copy(update={"topology": topology_of(record.expected_calls)})
    found.problems += disorder
    found.records.append(NumberedRecord(number, record, not disorder))


def order_problems(record: Record) -> Iterator[tuple[str, str]]:
    """Give (code, message) of everything in which the calls' order contradicts what they need (A4)."""
    calls = record.expected_calls
    place: dict[str, int] = {}
    for position, call in enumerate(calls):
        if call.id in place:
            yield "duplicate_call", f"expected call {call.id} occurs twice; give each call its own id."
        place.setdefault(call.id, position)
    circles = _circles(calls)
    for circle in circles:
        path = " -> ".join([*circle, circle[0]])
        yield "cycle", f"expected calls need each other in a circle ({path}); drop an edge of it."
    circling = {name for circle in circles for name in circle}
    for position, call in enumerate(calls):
        for source in call.needs:
            if source not in place:
                yield (
                    "dangling_output",
                    f"expected call {call.id} needs {source}, which is no call of the record. "
                    f"Its calls: {', '.join(place)}.",
                )
            elif place[source] >= position and not {source, call.id} <= circling:
                yield (
                    "late_source",
                    f"expected call {call.id} needs {source}, which runs later; put {source} first.",
                )


def _circles(calls: tuple[ExpectedCall, ...]) -> list[list[str]]:
    """Give the circles of the needs, each once, as the ids along it."""
    needs = {call.id: call.needs for call in calls}
    done: set[str] = set()
    circles: list[list[str]] = []
    for start in needs:
        path: list[str] = []
        stack = [(start, iter(needs[start]))] if start not in done else []
        if stack:
            path.append(start)
        while stack:
            node, sources = stack[-1]
            source = next(sources, None)
            if source is None:
                stack.pop()
                path.pop()
                done.add(node)
            elif source in path:
                circles.append(path[path.index(source) :])
            elif source in needs and source not in done:
                stack.append((source, iter(needs[source])))
                path.append(source)
    return circles


def _told(error: ValidationError) -> Iterator[str]:
    """Say what pydantic found, one line a key."""
    for entry in error.errors():
        key = "".join(f"[{k}]" if isinstance(k, int) else f".{k}" for k in entry["loc"]).lstrip(".")
        message = entry["msg"].removeprefix("Value error, ")
        if entry["type"] == "extra_forbidden":
            message = "is not a key of this format; remove it or correct its spelling"
        elif entry["type"] == "missing":
            message = "is missing; docs/formats.md lists the keys of a record"
        elif entry["type"] in _WANTED:
            message = f"must be {_WANTED[entry['type']]}, not {_kind(entry['input'])}"
        yield f"`{key}` {message[:1].lower()}{message[1:]}." if key else f"{message}."


_WANTED = {
    "tuple_type": "a list",
    "list_type": "a list",
    "dict_type": "an object",
    "model_type": "an object",
    "string_type": "text",
}


def _kind(value: Any) -> str:
    return {list: "a list", dict: "an object", str: "text", bool: "true or false", type(None): "null"}.get(
        type(value), json.dumps(value)[:20]
    )
