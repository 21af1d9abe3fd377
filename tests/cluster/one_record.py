"""A corpus of one record whose prompts are short, for models that are slow here."""

import json
from pathlib import Path

SOURCES = {"mine": {"kind": "local", "path": "mine.jsonl"}}
RECORD = {
    "id": "r1",
    "source": "mine",
    "domain": "travel",
    "queries": {"easy": "Book a room in Oslo for two nights."},
    "tools": [{"name": "book_room", "description": "Books a room.", "parameters": {"type": "object"}}],
    "expected_calls": [{"id": "s1", "name": "book_room"}],
}


def write_record(folder: Path) -> None:
    """Write the file that `SOURCES` names."""
    (folder / "mine.jsonl").write_text(json.dumps(RECORD) + "\n")
