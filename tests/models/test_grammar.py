import pytest

from plumbline.models.grammar import compact_grammar


def root(schema):
    return compact_grammar(schema).splitlines()[0].removeprefix("root ::= ")


@pytest.mark.parametrize(
    ("schema", "expected"),
    [
        ({"enum": [0, 0.5, 'a"b']}, r'("0" | "0.5" | "\"a\\\"b\"")'),
        ({"const": None}, '("null")'),
        ({"type": "string", "maxLength": 9}, r'"\"" char{0,9} "\""'),
        ({"type": "string", "minLength": 2}, r'"\"" char{2,} "\""'),
        ({"type": ["integer", "null"]}, "(integer | null)"),
        ({"anyOf": [{"type": "number"}, {"type": "boolean"}]}, "(number | boolean)"),
        ({"type": "array", "items": {"type": "integer"}}, '"[" ((integer) ("," (integer)){0,})? "]"'),
        (
            {"type": "array", "items": {"type": "integer"}, "minItems": 1, "maxItems": 3},
            '"[" (integer) ("," (integer)){0,2} "]"',
        ),
        (
            {"type": "object", "properties": {"a": {"type": "null"}, "b": {}}, "required": ["b", "a"]},
            r'"{" "\"a\":" null "," "\"b\":" value "}"',
        ),
        ({"type": "object"}, "object"),
    ],
    ids=str,
)
def test_a_schema_becomes_the_grammar_of_its_compact_documents(schema, expected):
    assert root(schema) == expected


@pytest.mark.parametrize(
    "schema",
    [
        {"type": "string", "pattern": "a+"},
        {"type": "integer", "minimum": 3},
        {"$ref": "#/$defs/x"},
        {"type": "object", "properties": {"a": {}, "b": {}}, "required": ["a"]},
        {"type": "object", "properties": {"a": {"type": "string", "format": "date"}}, "required": ["a"]},
    ],
    ids=str,
)
def test_a_schema_that_says_more_than_the_grammar_can_is_left_to_the_engine(schema):
    assert compact_grammar(schema) is None
