"""The value that a reference states is read as hand-written cases say (D16)."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from plumbline.arguments.references.parser import stated_value
from plumbline.config.arguments import Parser

CASES = [
    json.loads(line)
    for line in (Path(__file__).parent.parent / "fixtures" / "reference_text.jsonl")
    .read_text("utf-8")
    .splitlines()
]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["id"])
def test_a_reference_states_what_the_case_says(case: dict[str, Any]) -> None:
    found = stated_value(case["text"], case["parameter"], case["schema"], Parser())
    assert (found is not None) == case["parsed"], found
    if found is not None:
        assert (found.value, type(found.value)) == (case["value"], type(case["value"]))


@pytest.mark.parametrize("piece", ['"', "'", "` ", "the value should be ", "[", "' a", "```"])
def test_a_degenerate_text_states_nothing_and_does_not_stop_the_reader(piece: str) -> None:
    # 20,000 characters: a reader that compares every place with every other one would take minutes
    text = piece * (20_000 // len(piece))
    assert stated_value(text, "city", {"type": "integer"}, Parser()) is None
