"""Rows of an export, field by field as the specification lists them (A57, section 3)."""

from __future__ import annotations

from typing import Any

import pytest

from plumbline.records import Record, Rewrite
from plumbline.release.rows import record_row


def record(**changes: Any) -> Record:
    data: dict[str, Any] = {
        "id": "linear_1",
        "source": "tests",
        "domain": "support",
        "topology": "linear",
        "system_prompt": "Answer in our format.",
        "queries": {"easy": "close T-1", "medium": "T-1 can go", "hard": "done with T-1"},
        "tools": [
            {"name": "find_ticket", "original_name": "find.ticket", "description": "Find it."},
            {"name": "close_ticket"},
        ],
        "expected_calls": [
            {"id": "s1", "name": "find_ticket", "arguments": {"text": "T-1"}, "returns": {"id": 7}},
            {"id": "s2", "name": "close_ticket", "arguments": {"id": 7, "note": "x"}, "optional": ["note"]},
        ],
    }
    return Record.model_validate(data | changes)


@pytest.mark.parametrize(
    ("hard", "word", "expected"),
    [
        ("done with T-1", None, ("done with T-1", "OK")),
        ("done with T-1", "ok", ("done with T-1", "OK")),
        ("done with T-1", "unknown", ("done with T-1", "UNKNOWN")),
        ("close T-1", "failed", (None, "FAILED")),
        (None, "failed", (None, "FAILED")),
        (None, None, (None, "FAILED")),
    ],
)
def test_a_query_is_exported_if_it_is_used_with_the_status_that_it_has(
    hard: str | None, word: str | None, expected: tuple[str | None, str]
) -> None:
    queries = {"easy": "close T-1", "medium": "T-1 can go", "hard": hard}
    row = record_row(record(queries=queries, rewrite={} if word is None else {"hard": word}), None)
    assert (row["query_hard"], row["rewrite_hard_status"]) == expected
    assert (row["query_medium"], row["rewrite_medium_status"]) == ("T-1 can go", "OK")


def test_a_rewrite_of_the_run_is_exported_with_its_status() -> None:
    bare = record(queries={"easy": "close T-1"})
    status = {"medium": "values_lost", "hard": "ok"}
    row = record_row(bare, Rewrite(record_id="linear_1", model="m", hard="T-1: done", status=status))
    assert (row["query_hard"], row["rewrite_hard_status"]) == ("T-1: done", "OK")
    assert (row["query_medium"], row["rewrite_medium_status"]) == (None, "FAILED")
