"""BFCL records: one expected call, JSON Schema tools, accepted names, optional keys, gold errors left out."""

from __future__ import annotations

import jsonschema
import pytest

from plumbline.corpora.bfcl import convert_bfcl, read_bfcl
from plumbline.corpora.checks import check_records
from plumbline.corpora.schemas import json_schema

CATEGORIES = ["multiple", "live_multiple"]


@pytest.fixture
def reading(fixture_archive):
    return convert_bfcl(fixture_archive("bfcl"), CATEGORIES)


@pytest.fixture
def records(reading):
    return {record.id: record for record in reading.records}


def test_every_record_has_one_expected_call_and_passes_the_check(reading):
    assert len(reading.records) == 9
    assert {record.topology for record in reading.records} == {"single"}
    assert check_records(reading.records) == []


def test_gold_that_contradicts_its_tools_is_left_out_with_the_reason(reading):
    reasons = dict(reading.skipped)
    assert set(reasons) == {"live_multiple_507-149-4", "live_multiple_964-207-0"}
    assert "origin_airport" in reasons["live_multiple_507-149-4"]
    assert "question" in reasons["live_multiple_964-207-0"]


def test_names_that_apis_refuse_get_an_alias_everywhere(records):
    record = records["multiple_0"]
    assert record.expected_calls[0].name == "triangle_properties_get"
    assert {tool.name: tool.original_name for tool in record.tools} == {
        "triangle_properties_get": "triangle_properties.get",
        "circle_properties_get": "circle_properties.get",
    }


def test_the_marker_makes_a_key_optional_and_the_first_real_value_is_expected(records):
    call = records["multiple_0"].expected_calls[0]
    # gold: side1 [5], side2 [4], side3 [3], the other three ["", true]
    assert call.arguments == {
        "side1": 5, "side2": 4, "side3": 3, "get_area": True, "get_perimeter": True, "get_angles": True
    }  # fmt: skip
    assert call.optional == ("get_area", "get_perimeter", "get_angles")


def test_a_required_key_that_the_gold_lets_go_is_both_expected_and_optional(records):
    call = records["live_multiple_68-29-0"].expected_calls[0]
    assert call.arguments["port"] == 5432
    assert "port" in call.optional


def test_a_null_that_the_schema_does_not_allow_is_not_expected(records):
    call = records["live_multiple_23-5-0"].expected_calls[0]
    # gold: price_max ["", null], brand ["", null]
    assert {"price_max", "brand"} <= set(call.optional)
    assert not {"price_max", "brand"} & set(call.arguments)


def test_lists_of_accepted_values_inside_objects_are_unwrapped(records):
    assert records["multiple_8"].expected_calls[0].arguments["budget"] == {"min": 300000, "max": 400000}
    assert records["multiple_119"].expected_calls[0].arguments["conditions"] == [
        {"field": "age", "operation": ">", "value": "25"},
        {"field": "job", "operation": "=", "value": "engineer"},
    ]


def test_a_call_without_arguments_expects_none(records):
    call = records["live_multiple_120-45-5"].expected_calls[0]
    assert call.name == "version_api_VersionApi_get_version"
    assert call.arguments == {}


def test_a_system_message_of_the_source_is_part_of_the_query(records):
    record = records["live_multiple_1-0-1"]
    assert record.system_prompt is None
    assert record.queries.easy.startswith("You are an agent that is used for ordering food")
    assert len(record.queries.easy.split("\n\n")) >= 2


def test_live_records_of_one_tool_set_are_a_family(records):
    assert records["live_multiple_0-0-0"].family == records["live_multiple_1-0-1"].family == "live_multiple-0"
    assert records["multiple_0"].family is None


@pytest.mark.parametrize(
    ("source", "schema"),
    [
        ({"type": "dict", "properties": {}}, {"type": "object", "properties": {}}),
        ({"type": "float"}, {"type": "number"}),
        ({"type": "tuple", "items": {"type": "float"}}, {"type": "array", "items": {"type": "number"}}),
        ({"type": "any", "description": "x"}, {"description": "x"}),
        ({"type": "HashMap"}, {"type": "object"}),
        ({"type": "ArrayList", "items": {"type": "String"}}, {"type": "array", "items": {"type": "string"}}),
        ({"type": "long"}, {"type": "integer"}),
        ({"type": "char"}, {"type": "string"}),
        ({"type": ""}, {}),
        ({"type": "integer", "optional": True}, {"type": "integer"}),
        # a null default is a default; any other key of null says nothing
        ({"type": "string", "default": None, "enum": None}, {"type": "string", "default": None}),
        (
            {"type": "dict", "properties": {"type": {"type": "dict", "properties": {"x": {"type": "any"}}}}},
            {"type": "object", "properties": {"type": {"type": "object", "properties": {"x": {}}}}},
        ),
        (
            {"type": "dict", "properties": {"a": {"type": "bool"}}, "required": ["a", "b", "a"]},
            {"type": "object", "properties": {"a": {"type": "boolean"}}, "required": ["a"]},
        ),
    ],
)
def test_types_become_json_schema(source, schema):
    assert json_schema(source) == schema
    jsonschema.Draft202012Validator.check_schema(schema)


def test_the_whole_of_bfcl_converts(real_wheel):
    reading = read_bfcl(real_wheel("bfcl"), CATEGORIES)
    # 200 + 1,053 rows in the wheel
    assert len(reading.records) + len(reading.skipped) == 1253
    assert len(reading.records) > 1200
    assert check_records(reading.records) == []
    assert len({record.id for record in reading.records}) == len(reading.records)
