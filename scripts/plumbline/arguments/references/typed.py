"""A stated value as its parameter's schema types it: "5" and 5 are one value where a number is wanted."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from typing import Any

from plumbline.answers import DecodingError, decode, flaw, number_of

_NUMBER_WORDS = {"integer": "number", "float": "number", "int": "number", "double": "number"}
_LISTS = {"list": "array", "tuple": "array", "dict": "object", "bool": "boolean", "str": "string"}
_GROUPED = re.compile(r"-?\d{1,3}(?:,\d{3})+(?:\.\d+)?")


def types_of(schema: Mapping[str, Any]) -> set[str]:
    """Give the JSON types that a schema names, those of BFCL included; empty if it names none.

    A default of null makes null one of them: the checker of BFCL accepts it where gold does.
    """
    named = schema.get("type")
    names = named if isinstance(named, list) else [named]
    types = {_LISTS.get(str(name), _NUMBER_WORDS.get(str(name), str(name))) for name in names if name}
    types -= {"any"}
    return types | {"null"} if types and schema.get("default", ...) is None else types


def typed_value(stated: str, schema: Mapping[str, Any], *, quoted: bool = True) -> tuple[bool, Any]:
    """Read a stated value as its schema types it.

    Parameters
    ----------
    stated
        What stands between the quotes, or a bare word.
    schema
        Schema of the parameter; one without a type leaves a quoted value a string.
    quoted
        Whether the text put quotes around it: a quoted ``5`` is a number only if the schema wants one.

    Returns
    -------
    tuple
        (whether it is a value of the schema's type, the value; the text itself if it is not).
    """
    text = stated.strip()
    types = types_of(schema)
    literal, value = _decoded(text)
    if not types:
        return (True, value if literal and not quoted else stated)
    if literal and json_type(value) in types and not ("string" in types and quoted and value != text):
        return True, _as_type(value, schema)
    if "number" in types and (_GROUPED.fullmatch(text) or _has_unit(text)):
        digits = re.sub(r"[^\d.\-]", "", text)
        number = number_of(digits)
        if isinstance(number, int | float):
            return True, _as_type(number, schema)
    if "boolean" in types and text.casefold() in ("true", "false", "yes", "no"):
        return True, text.casefold() in ("true", "yes")
    if "null" in types and text.casefold() in ("null", "none") and text not in (schema.get("enum") or ()):
        return True, None
    return ("string" in types), stated


def json_type(value: Any) -> str:
    """Name the JSON type of a value; integers are numbers."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "boolean"
    if isinstance(value, int | float):
        return "number"
    names: dict[type[Any], str] = {str: "string", list: "array", dict: "object"}
    return names.get(type(value), "other")


def _as_type(value: Any, schema: Mapping[str, Any]) -> Any:
    """Write a whole number as an integer where the schema asks for one."""
    named = schema.get("type")
    whole = named in ("integer", "int") and isinstance(value, float) and math.isfinite(value)
    return int(value) if whole and value.is_integer() else value


def _decoded(text: str) -> tuple[bool, Any]:
    try:
        value = decode(text)
    except (DecodingError, RecursionError):
        return False, None
    return flaw(value) is None and json_type(value) != "other", value


def _has_unit(text: str) -> bool:
    return re.fullmatch(r"[$\u20ac\u00a3]?\s?-?\d+(?:\.\d+)?\s?%?", text) is not None
