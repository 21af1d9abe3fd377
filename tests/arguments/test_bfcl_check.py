"""BFCL's value check: its documented rules one by one, and the official checker over thousands of calls."""

from __future__ import annotations

import random
from collections import Counter
from typing import Any

import pytest
from official_bfcl import bfcl_wheel, official_check

from plumbline.arguments.datasets.bfcl_check import check_argument, check_call
from plumbline.arguments.datasets.fcrb import CATEGORIES
from plumbline.corpora.bfcl import GoldError, bfcl_record
from plumbline.records.model import Tool
from plumbline.records.wheels import WHEELS, open_wheel, read_member_lines

BOOK = Tool(
    name="book",
    parameters={
        "type": "object",
        "properties": {
            "city": {"type": "string"},
            "nights": {"type": "integer"},
            "price": {"type": "number"},
            "breakfast": {"type": "boolean"},
            "tags": {"type": "array", "items": {"type": "string"}},
            "guest": {"type": "object"},
            "rooms": {"type": "array", "items": {"type": "object"}},
            "note": {},
        },
        "required": ["city"],
    },
)
ACCEPTED: dict[str, list[Any]] = {
    "city": ["New York, NY", "NYC"],
    "nights": [2],
    "price": [99.5, 100.0],
    "breakfast": [True, ""],
    "tags": [["sea view", "quiet"]],
    "guest": [{"name": ["Ann"], "age": [30, ""]}],
    "rooms": [[{"beds": [1]}, {"beds": [2]}]],
    "note": ["", "late arrival"],
}


@pytest.mark.parametrize(
    ("parameter", "value", "kind"),
    [
        ("city", "new york ny", None),  # blanks and , . / - _ * ^ go, case does not count
        ("city", "N.Y.C.", None),
        ("city", "New York", "value_error:string"),
        ("city", 5, "type_error:simple"),
        ("nights", 2, None),
        ("nights", 3, "value_error:others"),
        ("nights", 2.0, "type_error:simple"),  # a float is no integer
        ("price", 100, None),  # an integer is a float
        ("price", 101, "value_error:others"),
        ("breakfast", False, "value_error:others"),
        ("breakfast", 1, "type_error:simple"),
        ("tags", ["Sea-View", "QUIET"], None),
        ("tags", ["quiet", "sea view"], "value_error:list/tuple"),
        ("tags", [1, 2], "type_error:nested"),
        ("guest", {"name": "ann"}, None),  # "" in a member's list: it may be left out
        ("guest", {"name": "Bob"}, "value_error:dict_value"),
        ("guest", {"age": 30}, "value_error:dict_key"),
        ("guest", {"name": "Ann", "sex": "f"}, "value_error:dict_key"),
        ("rooms", [{"beds": 1}, {"beds": 2}], None),
        ("rooms", [{"beds": 2}, {"beds": 1}], "value_error:dict_value"),
        ("rooms", [{"beds": 1}], "value_error:list_dict_count"),
        ("note", "Late arrival", None),
        ("floor", 3, "unexpected_parameter"),
        ("city", None, "type_error:simple"),
    ],
)
def test_an_argument_is_judged_as_the_documented_rules_say(
    parameter: str, value: Any, kind: str | None
) -> None:
    rejection = check_argument(BOOK, parameter, value, ACCEPTED)
    assert (rejection.kind if rejection else None) == kind


def test_a_call_lacks_what_is_required_or_not_marked_as_optional() -> None:
    right = {"city": "NYC", "nights": 2, "price": 100, "tags": ["sea view", "quiet"],
             "guest": {"name": "Ann"}, "rooms": [{"beds": 1}, {"beds": 2}]}  # fmt: skip
    assert check_call(BOOK, right, ACCEPTED) is None
    without_city = {key: value for key, value in right.items() if key != "city"}
    without_nights = {key: value for key, value in right.items() if key != "nights"}
    assert check_call(BOOK, without_city, ACCEPTED).kind == "missing_required"  # type: ignore[union-attr]
    assert check_call(BOOK, without_nights, ACCEPTED).kind == "missing_optional"  # type: ignore[union-attr]


def _other_values(value: Any, draw: random.Random) -> list[Any]:
    """Values that a model might write instead."""
    others: list[Any] = ["", None, 0, str(value), [value]]
    match value:
        case bool():
            others += [not value, int(value)]
        case int() | float():
            others += [value + 1, float(value), -value, int(value)]
        case str():
            others += [
                value.upper(),
                value.replace(" ", ""),
                value + "x",
                f"'{value}'",
                value.replace(",", " "),
            ]
        case list():
            others += [value[::-1], value[:-1], [*value, "x"], [str(member).title() for member in value]]
            others += [[other for member in value for other in _other_values(member, draw)[:1]]]
        case dict():
            others += [{**value, "extra": 1}, dict(list(value.items())[1:])]
            others += [{key: draw.choice(_other_values(member, draw)) for key, member in value.items()}]
    return others


def _calls(arguments: dict[str, Any], declared: list[str], draw: random.Random) -> list[dict[str, Any]]:
    calls = [arguments, {}, {**arguments, "undeclared_key": 1}]
    calls += [{key: value for key, value in arguments.items() if key != left} for left in arguments]
    for key, value in arguments.items():
        calls += [{**arguments, key: other} for other in _other_values(value, draw)]
    calls += [{**arguments, key: "x"} for key in declared if key not in arguments]
    return calls


_OURS = {
    "missing_required": "simple_function_checker:missing_required",
    "missing_optional": "simple_function_checker:missing_optional",
    "unexpected_parameter": "simple_function_checker:unexpected_param",
}


def test_the_check_agrees_with_the_official_checker(tmp_path_factory, project_root) -> None:  # type: ignore[no-untyped-def]
    wheel = bfcl_wheel(tmp_path_factory.getbasetemp(), project_root)
    draw = random.Random(5)
    differences: Counter[tuple[str, str, str]] = Counter()
    compared = crashed = 0
    with open_wheel(WHEELS["bfcl"], wheel) as archive, official_check(wheel) as official:
        for category in CATEGORIES:
            folder = "bfcl_eval/data"
            answers = read_member_lines(archive, f"{folder}/possible_answer/BFCL_v4_{category}.json")
            gold = {row["id"]: row["ground_truth"] for row in answers}
            for row in read_member_lines(archive, f"{folder}/BFCL_v4_{category}.json")[::3]:
                try:
                    record = bfcl_record(row, gold[row["id"]], category)
                except GoldError:
                    continue
                (expected,) = record.expected_calls
                tool = next(tool for tool in record.tools if tool.name == expected.name)
                source = tool.original_name or tool.name
                described = next(function for function in row["function"] if function["name"] == source)
                accepted = gold[row["id"]][0][source]
                declared = list(tool.parameters["properties"])
                for arguments in _calls(expected.arguments, declared, draw):
                    try:
                        report = official(described, {source: arguments}, {source: accepted})
                    except (KeyError, AttributeError, TypeError):
                        crashed += 1  # it looks for item types and keys that are not there
                        continue
                    compared += 1
                    ours = check_call(tool, arguments, accepted)
                    theirs = None if report["valid"] else report["error_type"]
                    kind = None if ours is None else _OURS.get(ours.kind, ours.kind)
                    if kind != theirs:
                        differences[row["id"], str(kind), str(theirs)] += 1
    assert compared > 10_000
    assert crashed < compared / 50
    assert not differences
