"""Records that the tests of this folder share."""

from __future__ import annotations

from plumbline.records import Record

QUERIES = {"easy": "Close ticket T-1.", "medium": "Please close T-1.", "hard": "t-1 is done"}


def a_record(name: str = "r1", topology: str = "linear", value: str | None = None) -> Record:
    """A record whose expected calls name it."""
    value = value or f"T-{name}"
    return Record.model_validate(
        {
            "id": name,
            "source": "tests",
            "domain": "support",
            "topology": topology,
            "queries": QUERIES,
            "tools": [{"name": "close_ticket", "description": "Close it."}, {"name": "find_ticket"}],
            "expected_calls": [{"id": "s1", "name": "close_ticket", "arguments": {"ticket_id": value}}],
            "expected_messages": [{"role": "assistant", "content": f"raw {value}"}],
        }
    )
