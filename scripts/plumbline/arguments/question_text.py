"""The lines of a question about a value or a call: function, parameter, value; and fenced passages."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from typing import Any

from plumbline.arguments.shown import marked_block
from plumbline.config.arguments import Arguments
from plumbline.models.defusing import defused
from plumbline.records import Tool
from plumbline.records.arguments import State

# ends of lines that JSON leaves as they are
_LINE_ENDS = {ord(end): f"\\u{ord(end):04x}" for end in "\u0085\u2028\u2029"}


def function_named(state: State, name: str) -> Tool:
    """Give a function that a state offers; one that it does not offer has no description."""
    return next((tool for tool in state.functions if tool.name == name), Tool(name=name))


def schema_of(function: Tool, parameter: str) -> dict[str, Any]:
    """Give the schema of a parameter; empty where the function declares none."""
    properties = function.parameters.get("properties")
    schema = properties.get(parameter) if isinstance(properties, dict) else None
    return schema if isinstance(schema, dict) else {}


def shown_schema(arguments: Arguments, dataset: str) -> Sequence[str]:
    """Say what of type, enum and default the parameter lines of a data set tell (section 3)."""
    lines = arguments.parameter_line
    return lines.get(arguments.known_as(dataset, lines), ["type", "enum", "default"])


def function_line(function: Tool) -> str:
    """Write a function on one line: name and description."""
    return one_line(f"{function.name}: {function.description}" if function.description else function.name)


def parameter_line(function: Tool, parameter: str, shows: Sequence[str]) -> str:
    """Write a parameter on one line: name, description, and what of its schema the data set shows.

    Parameters
    ----------
    function
        With its parameters as JSON Schema; a parameter that it does not declare has its name alone.
    parameter
        The name.
    shows
        Some of ``type``, ``enum``, ``default``.
    """
    schema = schema_of(function, parameter)
    parts = [f"{parameter} ({_type_text(schema['type'])})" if _has(schema, "type", shows) else parameter]
    if schema.get("description"):
        parts.append(f": {schema['description']}")
    if _has(schema, "enum", shows):
        parts.append(f" One of: {value_line(schema['enum'])}.")
    if _has(schema, "default", shows):
        parts.append(f" Default: {value_line(schema['default'])}.")
    return one_line("".join(parts))


def value_line(value: Any) -> str:
    """Write a value as JSON on one line; a string keeps its quotes, so it cannot pass for anything else."""
    return defused(json.dumps(value, ensure_ascii=False).translate(_LINE_ENDS))


def call_line(name: str, arguments: Any) -> str:
    """Write a call as JSON on one line."""
    return value_line({"name": name, "arguments": arguments})


def one_line(text: str) -> str:
    """Join the words of a text with single blanks, control tokens of chat templates defused."""
    return defused(" ".join(text.split()))


def fenced_passages(passages: Iterable[tuple[str, str]]) -> str:
    """Fence texts that others wrote, each below its title, see `shown.marked_block`."""
    return marked_block([(title, defused(text)) for title, text in passages])


def _type_text(named: Any) -> str:
    return named if isinstance(named, str) else value_line(named)


def _has(schema: dict[str, Any], key: str, shows: Sequence[str]) -> bool:
    return key in shows and key in schema
