"""Parameter descriptions of the sources, turned into JSON Schema."""

from __future__ import annotations

from typing import Any

TYPES = {
    "string": "string",
    "String": "string",
    "char": "string",
    "str": "string",
    "integer": "integer",
    "int": "integer",
    "Integer": "integer",
    "long": "integer",
    "short": "integer",
    "byte": "integer",
    "bigint": "integer",
    "Bigint": "integer",
    "number": "number",
    "float": "number",
    "double": "number",
    "boolean": "boolean",
    "Boolean": "boolean",
    "bool": "boolean",
    "array": "array",
    "Array": "array",
    "ArrayList": "array",
    "list": "array",
    "List": "array",
    "tuple": "array",
    "set": "array",
    "object": "object",
    "dict": "object",
    "HashMap": "object",
    "Hashtable": "object",
    "null": "null",
    "None": "null",
}
"""Type words of BFCL and AgentJudgeBench -> JSON Schema; another word (`any`, ...) constrains nothing."""

_KEPT = (
    "description",
    "title",
    "enum",
    "default",
    "format",
    "pattern",
    "minimum",
    "maximum",
    "exclusiveMinimum",
    "exclusiveMaximum",
    "multipleOf",
    "minLength",
    "maxLength",
    "minItems",
    "maxItems",
    "uniqueItems",
)
_COMBINED = ("anyOf", "oneOf", "allOf")


def json_schema(source: Any) -> dict[str, Any]:
    """Turn a parameter description into JSON Schema.

    Parameters
    ----------
    source
        A description such as ``{"type": "dict", "properties": {...}, "required": [...]}``.

    Returns
    -------
    dict
        The same with JSON Schema's type words. Keys that JSON Schema does not know are dropped; so are, from
        `required`, names that are no property. A default of null is a default: it says what leaving the
        parameter out means (D2, D26).
    """
    if not isinstance(source, dict):
        return {}
    schema: dict[str, Any] = {}
    kind = _types(source.get("type"))
    if kind:
        schema["type"] = kind
    schema.update(
        {
            key: source[key]
            for key in _KEPT
            if source.get(key) is not None or (key == "default" and key in source)
        }
    )
    if not isinstance(schema.get("enum", []), list) or schema.get("enum") == []:
        del schema["enum"]
    properties = source.get("properties")
    if isinstance(properties, dict):
        schema["properties"] = {key: json_schema(value) for key, value in properties.items()}
        required = source.get("required")
        if isinstance(required, list):
            schema["required"] = [key for key in dict.fromkeys(required) if key in properties]
    if isinstance(source.get("items"), dict):
        schema["items"] = json_schema(source["items"])
    additional = source.get("additionalProperties")
    if isinstance(additional, bool):
        schema["additionalProperties"] = additional
    elif isinstance(additional, dict):
        schema["additionalProperties"] = json_schema(additional)
    for key in _COMBINED:
        if isinstance(source.get(key), list) and source[key]:
            schema[key] = [json_schema(member) for member in source[key]]
    return schema


def parameters_schema(source: Any) -> dict[str, Any]:
    """Turn the parameters of a tool into the JSON Schema of an object, which they always are."""
    schema = json_schema(source)
    schema["type"] = "object"
    schema.setdefault("properties", {})
    return schema


def _types(word: Any) -> str | list[str] | None:
    if isinstance(word, str):
        return TYPES.get(word)
    if isinstance(word, list):
        known = list(dict.fromkeys(TYPES[entry] for entry in word if entry in TYPES))
        return known if len(known) == len(set(word)) else None
    return None
