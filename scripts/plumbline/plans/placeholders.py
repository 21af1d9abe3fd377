"""Placeholder arguments that a tool's schema accepts."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from jsonschema import Draft202012Validator

from plumbline.records.model import Tool

FORMATS = {
    "date": "2026-01-15",
    "date-time": "2026-01-15T09:00:00Z",
    "time": "09:00:00Z",
    "email": "someone@example.com",
    "uri": "https://example.com",
    "url": "https://example.com",
    "uuid": "00000000-0000-4000-8000-000000000000",
    "ipv4": "192.0.2.1",
}
"""A text for each format of JSON Schema that tools use."""

BOUNDS = ("minimum", "exclusiveMinimum", "maximum", "exclusiveMaximum")

DEPTH = 8
"""Schemas may refer to themselves; deeper parts stay empty."""


def placeholder_arguments(tool: Tool, kept: Mapping[str, Any] | None = None) -> dict[str, Any] | None:
    """Make arguments that a tool's schema accepts: its required parameters, and no others.

    Parameters
    ----------
    kept
        Arguments of another call; those that the tool declares and accepts are taken over.

    Returns
    -------
    dict or None
        None if no such arguments were found (a `pattern` that the placeholder does not match, for instance).
    """
    schema = tool.parameters
    properties = schema.get("properties") or {}
    required = schema.get("required") or []
    arguments = {}
    for key, inner in properties.items():
        if kept is not None and key in kept and accepts(inner, kept[key], schema):
            arguments[key] = kept[key]
        elif key in required:
            arguments[key] = placeholder(inner, schema)
    return arguments if accepts(schema, arguments, schema) else None


def accepts(schema: Any, value: Any, root: Mapping[str, Any]) -> bool:
    """Whether a value fits a schema, which must be a sound one (A4); `root` holds its definitions."""
    whole = schema
    if isinstance(schema, Mapping) and "$defs" in root and schema is not root:
        whole = {"$defs": root["$defs"], **schema}
    return bool(Draft202012Validator(whole).is_valid(value))


def placeholder(schema: Any, root: Mapping[str, Any], depth: int = 0) -> Any:
    """Make a plain value for a schema: its default, first choice, first example, or one of its type."""
    if not isinstance(schema, Mapping) or depth > DEPTH:
        return "example"
    reference = schema.get("$ref")
    if isinstance(reference, str) and reference.startswith("#/$defs/"):
        return placeholder(root.get("$defs", {}).get(reference.removeprefix("#/$defs/")), root, depth + 1)
    for key in ("const", "default"):
        if schema.get(key) is not None:
            return schema[key]
    for key in ("enum", "examples"):
        if isinstance(schema.get(key), list) and schema[key]:
            return schema[key][0]
    for key in ("anyOf", "oneOf", "allOf"):
        if schema.get(key):
            return placeholder(schema[key][0], root, depth + 1)
    kind = schema.get("type", "object" if "properties" in schema else "string")
    if isinstance(kind, list):
        kind = next((name for name in kind if name != "null"), "null")
    if kind == "object":
        properties = schema.get("properties") or {}
        return {
            key: placeholder(properties.get(key), root, depth + 1) for key in schema.get("required") or []
        }
    if kind == "array":
        count = schema.get("minItems", 1)
        return [placeholder(schema.get("items"), root, depth + 1) for _ in range(count)]
    if kind in ("integer", "number"):
        return _number(schema, whole=kind == "integer")
    if kind == "boolean":
        return True
    return None if kind == "null" else _text(schema)


def _text(schema: Mapping[str, Any]) -> str:
    text = FORMATS.get(str(schema.get("format")), "example")
    longest = schema.get("maxLength", len(text))
    return text.ljust(schema.get("minLength", 0), "x")[: max(longest, schema.get("minLength", 0))]


def _number(schema: Mapping[str, Any], whole: bool) -> int | float:
    """Give 1 if it is legal, else a legal value at one of the bounds or between them."""
    step = schema.get("multipleOf", 1)
    bounds = [schema[key] for key in BOUNDS if key in schema]
    tried = [1, step, *(round(bound / step + shift) * step for bound in bounds for shift in (0, 1, -1))]
    tried += [*bounds, sum(bounds) / max(len(bounds), 1)]
    rules = Draft202012Validator({key: schema[key] for key in (*BOUNDS, "multipleOf") if key in schema})
    legal = (value for value in tried if rules.is_valid(value) and not (whole and value % 1))
    value = next(legal, 1)
    return int(value) if whole else value
