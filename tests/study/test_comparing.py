"""A plan beside the expected calls."""

from __future__ import annotations

from typing import Any

import pytest

from plumbline.records.model import ExpectedCall, ToolCall
from plumbline.study.comparing import as_text, compared


def pairs(plan: str, expected: str) -> list[tuple[str, int | None, int | None]]:
    calls = [ToolCall(name=name) for name in plan]
    due = [ExpectedCall(id=str(n), name=name) for n, name in enumerate(expected)]
    return [(row.name, row.generated, row.expected) for row in compared(calls, due)]


@pytest.mark.parametrize(
    ("plan", "expected", "rows"),
    [
        ("ab", "ab", [("a", 1, 1), ("b", 2, 2)]),
        ("b", "ab", [("a", None, 1), ("b", 1, 2)]),
        ("axb", "ab", [("a", 1, 1), ("x", 2, None), ("b", 3, 2)]),
        ("", "ab", [("a", None, 1), ("b", None, 2)]),
        ("ab", "", [("a", 1, None), ("b", 2, None)]),
        ("acb", "abc", [("a", 1, 1), ("c", 2, 3), ("b", 3, 2)]),
        ("aa", "a", [("a", 1, 1), ("a", 2, None)]),
    ],
)
def test_calls_stand_beside_the_expected_call_of_their_tool(plan, expected, rows) -> None:
    found = pairs(plan, expected)
    assert sorted(found, key=str) == sorted(rows, key=str)
    assert [row[1] for row in found if row[1]] == list(range(1, len(plan) + 1))


def test_of_equally_long_pairings_the_one_with_equal_arguments_is_taken() -> None:
    calls = [ToolCall(name="f", arguments={"x": 1}), ToolCall(name="f", arguments={"x": 2})]
    row = next(
        row for row in compared(calls, [ExpectedCall(id="1", name="f", arguments={"x": 2})]) if row.expected
    )
    assert row.generated == 2


@pytest.mark.parametrize(
    ("ours", "theirs", "mark"),
    [
        (1, 1, "same"), (1, 2, "differs"), (1, True, "differs"), ("1", 1, "differs"), (None, None, "same"),
        ({"a": 1, "b": 2}, {"b": 2, "a": 1}, "same"), ([1, 2], [2, 1], "differs"),
    ],
)  # fmt: skip
def test_values_are_equal_as_json(ours: Any, theirs: Any, mark: str) -> None:
    row = compared(
        [ToolCall(name="f", arguments={"x": ours})], [ExpectedCall(id="1", name="f", arguments={"x": theirs})]
    )[0]
    assert row.arguments[0].mark == mark


def test_arguments_of_one_side_alone_are_marked() -> None:
    ours = [ToolCall(name="f", arguments={"x": 1, "y": None})]
    theirs = [ExpectedCall(id="1", name="f", arguments={"x": 1, "z": 3}, optional=("z",))]
    found = [
        (a.key, a.generated, a.expected, a.mark, a.optional) for a in compared(ours, theirs)[0].arguments
    ]
    assert found == [
        ("x", "1", "1", "same", False),
        ("z", None, "3", "missing", True),
        ("y", "null", None, "extra", False),
    ]


def test_long_numbers_and_other_scripts_are_shown_as_they_are() -> None:
    assert as_text(12345678901234567890) == "12345678901234567890"
    assert as_text("Zürich") == '"Zürich"'
