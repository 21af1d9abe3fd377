"""BFCL v4: single-turn records with one expected call among several tools (`bfcl-eval` wheel, Apache-2.0)."""

from __future__ import annotations

import zipfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import jsonschema

from plumbline.corpora.aliases import alias_names
from plumbline.corpora.reading import Reading
from plumbline.corpora.schemas import parameters_schema
from plumbline.records import ExpectedCall, Queries, Record, Tool
from plumbline.records.wheels import WHEELS, open_wheel, read_member_lines

_MARKER = ""
"""Among the accepted values of an argument: it may be left out."""

Row = dict[str, Any]


class GoldError(Exception):
    """The accepted calls of a row contradict its tools or are not one call."""


def read_bfcl(path: Path | str, categories: Sequence[str]) -> Reading:
    """Convert every record of some categories of BFCL.

    Parameters
    ----------
    path
        The `bfcl-eval` wheel.
    categories
        `multiple`, `live_multiple`: those whose gold is one call among several tools.

    Returns
    -------
    Reading
        Records of topology `single`; rows whose gold contradicts their own tools are skipped with the reason.

    Raises
    ------
    UserError, DataError
        If the wheel is another one, lacks a member or holds a line that is no JSON.
    """
    with open_wheel(WHEELS["bfcl"], path) as archive:
        return convert_bfcl(archive, categories)


def convert_bfcl(archive: zipfile.ZipFile, categories: Sequence[str]) -> Reading:
    """Convert the categories of an open wheel, see `read_bfcl`."""
    reading = Reading()
    for category in categories:
        questions = read_member_lines(archive, f"bfcl_eval/data/BFCL_v4_{category}.json")
        answers = read_member_lines(archive, f"bfcl_eval/data/possible_answer/BFCL_v4_{category}.json")
        gold = {row["id"]: row["ground_truth"] for row in answers}
        for row in questions:
            try:
                reading.records.append(bfcl_record(row, gold.get(row["id"]), category))
            except GoldError as error:
                reading.skipped.append((row["id"], str(error)))
    return reading


def bfcl_record(row: Row, gold: Any, category: str) -> Record:
    """Convert one row and its gold.

    The domain is the category; rows of `live_multiple` that share their tools form a family.

    Raises
    ------
    GoldError
        If the gold is not exactly one call of an offered tool with its required and only declared arguments.
    """
    if not isinstance(gold, list) or len(gold) != 1 or len(gold[0]) != 1:
        raise GoldError("the gold is not exactly one call")
    ((name, accepted),) = gold[0].items()
    aliases = alias_names(tool["name"] for tool in row["function"])
    tools = {tool["name"]: _tool(tool, aliases[tool["name"]]) for tool in row["function"]}
    if name not in tools:
        raise GoldError(f"the gold calls {name}, which is not offered")
    messages = [message for turn in row["question"] for message in turn]
    return Record(
        id=row["id"],
        source="bfcl",
        domain=category,
        topology="single",
        family=_family(row["id"], category),
        system_prompt=None,
        queries=Queries(easy=_text(messages)),
        tools=tuple(tools.values()),
        expected_calls=(_call(tools[name], accepted),),
    )


def _text(messages: Sequence[Row]) -> str:
    """Join what the user is told to say; a system message of the source goes first, as part of the request.

    Our system prompt states the call format, which those of the source do not.
    """
    return "\n\n".join(message["content"].strip() for message in messages)


def _family(identifier: str, category: str) -> str | None:
    """`live_multiple_5-3-0` is the variant 0 of the tool set 3."""
    parts = identifier.split("-")
    return f"{category}-{parts[1]}" if len(parts) == 3 else None


def _tool(source: Row, alias: str) -> Tool:
    name = source["name"]
    return Tool(
        name=alias,
        description=source.get("description", ""),
        parameters=parameters_schema(source.get("parameters")),
        original_name=None if alias == name else name,
    )


def _call(tool: Tool, accepted: Row) -> ExpectedCall:
    properties = tool.parameters["properties"]
    undeclared = sorted(set(accepted) - set(properties))
    if undeclared:
        raise GoldError(f"the gold passes {', '.join(undeclared)}, which {tool.name} does not declare")
    missing = sorted(set(tool.parameters.get("required", ())) - set(accepted))
    if missing:
        raise GoldError(f"the gold lacks {', '.join(missing)}, which {tool.name} requires")
    required = set(tool.parameters.get("required", ()))
    arguments: Row = {}
    optional: list[str] = []
    for key, values in accepted.items():
        may_go = _MARKER in values
        fitting = list(_fitting(values, properties[key]))
        if fitting:
            arguments[key] = fitting[0]
        elif key in required or not may_go:
            raise GoldError(f"no accepted value of {key} fits the type that {tool.name} declares")
        if may_go:
            optional.append(key)
    return ExpectedCall(id="s1", name=tool.name, arguments=arguments, optional=tuple(optional))


def _fitting(values: Sequence[Any], schema: Row) -> Iterator[Any]:
    """Give the accepted values, the marker aside, that fit the schema."""
    validator = jsonschema.Draft202012Validator(schema)
    for value in values:
        if value != _MARKER:
            plain = _unwrapped(value)
            if validator.is_valid(plain):
                yield plain


def _unwrapped(value: Any) -> Any:
    """Replace each list of accepted values inside an accepted object by its first one.

    What may be left out is dropped. Lists outside objects are values themselves; objects inside them are
    unwrapped.
    """
    if isinstance(value, list):
        return [_unwrapped(member) for member in value]
    if not isinstance(value, dict):
        return value
    plain: Row = {}
    for key, accepted in value.items():
        choices = accepted if isinstance(accepted, list) else [accepted]
        real = [choice for choice in choices if choice != _MARKER]
        if real:
            plain[key] = _unwrapped(real[0])
    return plain
