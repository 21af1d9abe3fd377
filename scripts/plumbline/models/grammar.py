"""JSON Schema as a grammar that allows no blanks between tokens.

OpenVINO GenAI keeps to a JSON Schema but lets the model put blanks and line breaks anywhere, and a small
model spends three quarters of its answer on them. Under a grammar the same answer is compact.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

_BASE = r"""
char ::= [^"\\\u0000-\u001f] | "\\" ["\\/bfnrt] | "\\u" [0-9a-fA-F]{4}
string ::= "\"" char* "\""
integer ::= "-"? ("0" | [1-9] [0-9]{0,14})
number ::= integer ("." [0-9]{1,15})? ([eE] [-+]? [0-9]{1,2})?
boolean ::= "true" | "false"
null ::= "null"
value ::= object | array | string | number | boolean | null
object ::= "{" (string ":" value ("," string ":" value)*)? "}"
array ::= "[" (value ("," value)*)? "]"
"""
_SCALARS = ("integer", "number", "boolean", "null")
_NOTES = {"title", "description", "default", "examples", "$schema"}
_KEYS = {
    "string": {"minLength", "maxLength"},
    "object": {"properties", "required", "additionalProperties"},
    "array": {"items", "minItems", "maxItems"},
}


class _NotCoveredError(Exception):
    """The schema says something that the grammar cannot."""


def compact_grammar(schema: Mapping[str, Any]) -> str | None:
    """Turn a schema into an EBNF grammar of its compact documents.

    Parameters
    ----------
    schema
        JSON Schema. Covered are enum, const, anyOf, a list of types, the scalar types, bounds on the
        length of strings and arrays, and objects whose properties are all required or that name none.

    Returns
    -------
    str or None
        EBNF with the rule `root`, as xgrammar reads it; properties come in the schema's order. None if
        the schema uses anything else.
    """
    try:
        return f"root ::= {_expression(schema)}{_BASE}"
    except _NotCoveredError:
        return None


def _expression(schema: Any) -> str:
    if schema is True or (isinstance(schema, Mapping) and not set(schema) - _NOTES):
        return "value"
    if not isinstance(schema, Mapping):
        raise _NotCoveredError
    if "const" in schema or "enum" in schema:
        choices = [schema["const"]] if "const" in schema else schema["enum"]
        return _either(_quoted(_compact(choice)) for choice in choices)
    if "anyOf" in schema:
        return _either(_expression(option) for option in schema["anyOf"])
    kind = schema.get("type")
    if isinstance(kind, list):
        return _either(_expression({**schema, "type": single}) for single in kind)
    if set(schema) - _NOTES - {"type"} - _KEYS.get(str(kind), set()):
        raise _NotCoveredError
    if kind in _SCALARS:
        return str(kind)
    if kind == "string":
        return r'"\"" ' + _times("char", schema, "minLength", "maxLength") + r' "\""'
    if kind == "array":
        return _array(schema)
    if kind == "object":
        return _object(schema)
    raise _NotCoveredError


def _object(schema: Mapping[str, Any]) -> str:
    properties = schema.get("properties", {})
    if not properties:
        if isinstance(schema.get("additionalProperties"), Mapping) or schema.get("required"):
            raise _NotCoveredError
        return '"{}"' if schema.get("additionalProperties") is False else "object"
    if set(schema.get("required", ())) != set(properties):
        raise _NotCoveredError
    members = [f"{_quoted(_compact(name) + ':')} {_expression(part)}" for name, part in properties.items()]
    return '"{" ' + ' "," '.join(members) + ' "}"'


def _array(schema: Mapping[str, Any]) -> str:
    item = f"({_expression(schema.get('items', True))})"
    least, most = schema.get("minItems", 0), schema.get("maxItems")
    if most == 0:
        return '"[]"'
    bounds = {"least": max(least - 1, 0), **({} if most is None else {"most": most - 1})}
    items = f"{item} " + _times(f'("," {item})', bounds, "least", "most")
    return f'"[" {items} "]"' if least else f'"[" ({items})? "]"'


def _times(what: str, bounds: Mapping[str, Any], least: str, most: str) -> str:
    low, high = bounds.get(least, 0), bounds.get(most, "")
    return f"{what}{{{low},{high}}}"


def _either(options: Any) -> str:
    return "(" + " | ".join(options) + ")"


def _compact(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def _quoted(text: str) -> str:
    """Write text as a literal of the grammar."""
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n") + '"'
