"""Every fault of a record is found, named by its code, and told how to be mended."""

from __future__ import annotations

import copy
import random
import time

import jsonschema
import pytest

from plumbline.corpora.checks import check_provenance, check_records, schema_problem
from plumbline.corpora.problems import STRUCTURE_CODES
from plumbline.records import Record


def _changed(data, change):
    data = copy.deepcopy(data)
    change(data)
    return Record.model_validate(data)


def _set(path, value):
    def change(data):
        for key in path[:-1]:
            data = data[key]
        data[path[-1]] = value

    return change


FAULTS = {
    "empty_query": _set(["queries", "hard"], "  "),
    "duplicate_tool": lambda data: data["tools"].append(data["tools"][0]),
    "tool_name": lambda data: data["tools"].append({"name": "find.order"}),
    "tool_schema": _set(["tools", 0, "parameters", "properties", "number"], {"type": "text"}),
    "unknown_tool": _set(["expected_calls", 0, "name"], "find_orders"),
    "undeclared_argument": _set(["expected_calls", 0, "arguments", "colour"], "red"),
    "missing_argument": lambda data: data["expected_calls"][1]["arguments"].pop("amount"),
    "wrong_argument": _set(["expected_calls", 1, "arguments", "amount"], "five"),
    "unknown_optional": _set(["expected_calls", 1, "optional"], ["colour"]),
    "return_schema": _set(["tools", 0, "returns"], {"type": "text"}),
    "wrong_return": _set(["tools", 0, "returns"], {"type": "array"}),
    "no_return": lambda data: data["expected_calls"][0].pop("returns"),
    "topology_label": _set(["topology"], "diamond"),
}


def test_a_sound_record_has_no_problem(order):
    assert check_records([order()]) == []
    assert check_provenance([order()]) == []


@pytest.mark.parametrize("code", FAULTS)
def test_each_fault_is_found_alone(order_data, code):
    problems = check_records([_changed(order_data, FAULTS[code])])
    assert [problem.code for problem in problems] == [code]
    assert problems[0].record_id == "r1"


def test_a_double_id_is_found(order):
    assert [problem.code for problem in check_records([order(), order()])] == ["duplicate_id"]


@pytest.mark.parametrize(
    ("code", "change"),
    [
        ("empty_edge", _set(["expected_calls", 0, "returns"], {"order_id": "ORD-1"})),
        ("unsourced_value", _set(["expected_calls", 1, "needs"], [])),
        ("unsourced_value", _set(["queries", "hard"], "refund it for SO-77")),
        ("unsourced_value", _set(["expected_calls", 1, "arguments", "note"], "late parcel")),
    ],
)
def test_values_without_a_source_and_edges_without_a_value_are_found(order_data, code, change):
    assert code in [problem.code for problem in check_provenance([_changed(order_data, change)])]


def test_every_code_is_tested():
    ordered = {"duplicate_call", "dangling_output", "cycle", "late_source"}  # tests/corpora/test_gates.py
    assert set(STRUCTURE_CODES) == {*FAULTS, "duplicate_id", "empty_edge"} | ordered


def test_all_problems_of_a_record_are_told_together(order_data):
    def change(data):
        for code in ("empty_query", "wrong_argument", "topology_label"):
            FAULTS[code](data)

    found = [problem.code for problem in check_records([_changed(order_data, change)])]
    assert found == ["empty_query", "wrong_argument", "topology_label"]


def test_a_message_names_the_call_the_key_and_the_remedy(order_data):
    (problem,) = check_records([_changed(order_data, FAULTS["wrong_argument"])])
    for part in (
        "r1",
        "s2",
        "`amount`",
        '"five"',
        "`refund`",
        "number",
        "Change the value or the tool's schema",
    ):
        assert part in str(problem)


def test_a_required_key_that_may_be_left_out_is_not_missing(order_data):
    def change(data):
        FAULTS["missing_argument"](data)
        data["expected_calls"][1]["optional"] = ["amount"]

    assert check_records([_changed(order_data, change)]) == []


WORDS = ["type", "properties", "items", "required", "enum", "minimum", "description", "default", "format",
         "additionalProperties", "pattern", "anyOf"]  # fmt: skip
VALUES = ["object", "string", "array", "text", 3, 2.5, True, None, [], ["a"], ["a", "a"], [1], {}, "["]


def _random_schema(rng, depth=0):
    if rng.random() < 0.2:
        return rng.choice(VALUES)
    schema = {}
    for word in rng.sample(WORDS, rng.randint(0, 4)):
        if word == "properties" and depth < 2:
            schema[word] = {"a": _random_schema(rng, depth + 1)}
        elif word == "items" and depth < 2:
            schema[word] = _random_schema(rng, depth + 1)
        else:
            schema[word] = rng.choice(VALUES)
    return schema


def test_the_quick_look_at_a_schema_agrees_with_the_full_check():
    rng = random.Random(8)
    sound = 0
    for _ in range(1500):
        schema = {"type": "object", "properties": {"p": _random_schema(rng)}}
        try:
            jsonschema.Draft202012Validator.check_schema(schema)
            valid = True
        except jsonschema.SchemaError:
            valid = False
        assert (schema_problem(schema) is None) == valid, schema
        sound += valid
    assert 200 < sound < 1300


def test_a_corpus_of_the_papers_size_is_checked_in_under_ten_seconds(order_data):
    records = []
    for number in range(3808):
        data = copy.deepcopy(order_data)
        data["id"] = f"r{number}"
        for extra in range(11):
            tool = copy.deepcopy(data["tools"][1])
            tool["name"] = f"tool_{number}_{extra}"
            tool["parameters"]["properties"][f"p{number}"] = {"type": "string", "enum": ["a", "b"]}
            data["tools"].append(tool)
        records.append(Record.model_validate(data))
    start = time.process_time()
    assert check_records(records) == []
    assert time.process_time() - start < 10


def _refers(reference):
    def change(data):
        parameters = data["tools"][0]["parameters"]
        parameters["$defs"] = {
            "number": {"type": "string", "pattern": "^SO-"},
            "loop": {"$ref": "#/$defs/loop"},
        }
        parameters["properties"]["number"] = {"$ref": reference}

    return change


def test_a_reference_is_looked_for_in_the_tool_s_parameters(order_data):
    assert check_records([_changed(order_data, _refers("#/$defs/number"))]) == []
    wrong = copy.deepcopy(order_data)
    wrong["expected_calls"][0]["arguments"]["number"] = "77"
    (problem,) = check_records([_changed(wrong, _refers("#/$defs/number"))])
    assert "does not match '^SO-'" in problem.message


@pytest.mark.parametrize("reference", ["#/$defs/nowhere", "https://host.example/schema.json", "#/$defs/loop"])
def test_a_reference_that_leads_nowhere_is_a_problem_and_is_not_fetched(order_data, reference, monkeypatch):
    def fetch(*request, **options):
        raise AssertionError("a record made us fetch something")

    monkeypatch.setattr("urllib.request.urlopen", fetch)
    (problem,) = check_records([_changed(order_data, _refers(reference))])
    assert problem.code == "wrong_argument"
    assert "the schema refers to" in problem.message
