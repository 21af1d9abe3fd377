"""ComplexFuncBench: multi-step records with full returns (`nestful-wrapper` wheel, Apache-2.0)."""

from __future__ import annotations

import hashlib
import random
import re
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from plumbline.corpora.aliases import alias_names
from plumbline.corpora.checks import call_problems
from plumbline.corpora.provenance import TracedCall, needs_of
from plumbline.corpora.reading import Reading
from plumbline.corpora.topology import CONVERTED_LOOP_REPEATS, topology_of
from plumbline.corpora.values import as_number
from plumbline.records import ExpectedCall, Queries, Record, Tool
from plumbline.records.wheels import WHEELS, open_wheel, read_member_list

_FOLDER = "data_v1/complexfuncbench/complexfuncbench-"
_REFERENCE = re.compile(r"\$(var\d+)((?:\.[^.$]+)*)\$")

Row = dict[str, Any]


class UnresolvedError(Exception):
    """A reference that leads to no value."""


def read_complexfuncbench(
    path: Path | str, *, min_tools: int = 8, max_tools: int = 19, seed: int = 0
) -> Reading:
    """Convert all tasks of ComplexFuncBench.

    Parameters
    ----------
    path
        The `nestful-wrapper` wheel.
    min_tools, max_tools
        Bounds of the number of tools that a record offers (the paper's are 8 and 19); the number and the
        distractors, drawn from the catalogue of 40, depend on the seed and the record alone.
    seed
        Seed of the run.

    Returns
    -------
    Reading
        Records with every reference resolved to its value, dependencies recomputed (`provenance.needs_of`)
        and the full returns (1.5 kB at the median, 134 kB at most, 101 MB in all). Skipped are tasks whose
        calls contradict the tools' own schemas.

    Raises
    ------
    UserError, DataError
        If the wheel is another one, lacks a member or holds no JSON.
    """
    with open_wheel(WHEELS["complexfuncbench"], path) as archive:
        return convert_complexfuncbench(archive, min_tools=min_tools, max_tools=max_tools, seed=seed)


def convert_complexfuncbench(
    archive: zipfile.ZipFile, *, min_tools: int, max_tools: int, seed: int
) -> Reading:
    """Convert the tasks of an open wheel, see `read_complexfuncbench`."""
    catalogue = _catalogue(read_member_list(archive, f"{_FOLDER}spec.json"))
    reading = Reading()
    for index, row in enumerate(read_member_list(archive, f"{_FOLDER}data.json")):
        identifier = f"cfb_{index:04d}"
        try:
            calls = _resolved_calls(row, catalogue)
        except UnresolvedError as error:
            reading.skipped.append((identifier, str(error)))
            continue
        draw = random.Random(f"{seed}|{identifier}")  # noqa: S311, a reproducible draw, no secret
        tools = _offered(catalogue, {call.name for call in calls}, min_tools, max_tools, draw)
        problems = [
            text for call in calls for _, text in call_problems(call, {tool.name: tool for tool in tools})
        ]
        if problems:
            reading.skipped.append((identifier, "; ".join(problems)))
            continue
        reading.records.append(_record(identifier, row, calls, tools, catalogue))
    return reading


def _record(
    identifier: str,
    row: Row,
    calls: Sequence[ExpectedCall],
    tools: Sequence[Tool],
    catalogue: Mapping[str, tuple[str, Tool]],
) -> Record:
    names = [source["name"] for source in row["output"]]
    return Record(
        id=identifier,
        source="complexfuncbench",
        domain=_domain({catalogue[name][0] for name in names}),
        topology=topology_of(calls, loop_repeats=CONVERTED_LOOP_REPEATS),
        family="cfb-" + hashlib.sha256("\n".join(names).encode()).hexdigest()[:8],
        queries=Queries(easy=row["input"].strip()),
        tools=tuple(tools),
        expected_calls=tuple(calls),
    )


def _resolved_calls(row: Row, catalogue: Mapping[str, tuple[str, Tool]]) -> list[ExpectedCall]:
    """Resolve the references of a task and recompute which call needs which."""
    query = row["input"].strip()
    returns: dict[str, Any] = {}
    traced: list[TracedCall] = []
    for number, source in enumerate(row["output"], start=1):
        if source["name"] not in catalogue:
            raise UnresolvedError(f"calls {source['name']}, which is not in the catalogue")
        properties = catalogue[source["name"]][1].parameters["properties"]
        arguments: Row = {}
        marked: dict[str, str] = {}
        for key, value in source["arguments"].items():
            match = _REFERENCE.fullmatch(value) if isinstance(value, str) else None
            if match:
                value = _fitted(_resolve(match, returns), properties.get(key, {}).get("type"))
                marked[key] = match[1].replace("var", "s")
            arguments[key] = value
        chosen = frozenset(key for key in arguments if "enum" in properties.get(key, {}))
        returns[source["label"]] = source["response"]
        traced.append(TracedCall(f"s{number}", arguments, source["response"], marked, chosen))
    names = [catalogue[source["name"]][1].name for source in row["output"]]
    return [
        ExpectedCall(id=call.id, name=name, arguments=dict(call.arguments), needs=needs, returns=call.returns)
        for call, name, needs in zip(traced, names, needs_of(query, traced), strict=True)
    ]


def _resolve(match: re.Match[str], returns: Mapping[str, Any]) -> Any:
    """Follow a reference; where it meets a list it takes the first element that has the rest of the path."""
    if match[1] not in returns:
        raise UnresolvedError(f"{match[0]} refers to no earlier call")
    for value in _reached(returns[match[1]], match[2].split(".")[1:]):
        return value
    raise UnresolvedError(f"{match[0]} leads to no value")


def _reached(value: Any, path: Sequence[str]) -> Iterator[Any]:
    if isinstance(value, list):
        for member in value:
            yield from _reached(member, path)
    elif not path:
        if value is not None:
            yield value
    elif isinstance(value, dict) and path[0] in value:
        yield from _reached(value[path[0]], path[1:])


def _fitted(value: Any, kind: str | None) -> Any:
    """Write a resolved value in the type of its parameter: returns give 32.87 where a text is asked for."""
    if kind == "string" and isinstance(value, int | float) and not isinstance(value, bool):
        return str(value)
    number = as_number(value)
    if kind == "number" and isinstance(value, str) and number is not None:
        return int(number) if number == number.to_integral_value() else float(number)
    return value


def _catalogue(rows: Sequence[Row]) -> dict[str, tuple[str, Tool]]:
    """Give, by the source's name, the part of the service that a tool belongs to, and the tool."""
    aliases = alias_names(row["name"] for row in rows)
    return {row["name"]: (row["endpoint"].split("/")[3], _tool(row, aliases[row["name"]])) for row in rows}


def _tool(row: Row, alias: str) -> Tool:
    properties: Row = {}
    for name, source in row["query_parameters"].items():
        properties[name] = {"type": source["type"], "description": source["description"].strip()}
        if source["enum"]:
            properties[name]["enum"] = source["enum"]
    required = [name for name, source in row["query_parameters"].items() if source["required"]]
    return Tool(
        name=alias,
        description=row["description"].strip(),
        parameters={"type": "object", "properties": properties, "required": required},
        original_name=None if alias == row["name"] else row["name"],
    )


def _offered(
    catalogue: Mapping[str, tuple[str, Tool]], expected: set[str], low: int, high: int, draw: random.Random
) -> list[Tool]:
    """Give the expected tools plus distractors, in an order that gives nothing away."""
    tools = sorted((tool for _, tool in catalogue.values()), key=lambda tool: tool.name)
    wanted = max(draw.randint(low, max(low, high)), len(expected))
    others = [tool for tool in tools if tool.name not in expected]
    offered = [tool for tool in tools if tool.name in expected]
    offered += draw.sample(others, min(wanted - len(offered), len(others)))
    draw.shuffle(offered)
    return offered


def _domain(parts: set[str]) -> str:
    """`cars`, `hotels`, `flights`, `attraction`, `taxi` where the calls keep to one of them, else `cross`."""
    own = parts - {"meta"} or parts
    return own.pop() if len(own) == 1 else "cross"
