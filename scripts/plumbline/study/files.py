"""The lines of an annotator's file, whether it is CSV or JSON: the same cells, each with its line."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from plumbline.records import METRICS
from plumbline.study.sheet import unguarded

PROGRAM = [f"prog_{metric}" for metric in METRICS]
AGREES = [f"agree_{metric}" for metric in METRICS]
REASONS = [f"reason_{metric}" for metric in METRICS]
COLUMNS = ["id", "topology", *PROGRAM, *AGREES]
"""Columns that a file must have; `notes`, `reason_METRIC`, `annotator` and `shown` may follow."""

PARTS = ("prog", "agree", "reason")


class Unreadable(Exception):  # noqa: N818 -- not an error of ours: it becomes a note of the tables
    """A file of which no line can be used; problems begin after the file's name."""

    def __init__(self, *problems: str) -> None:
        super().__init__(*problems)
        self.problems = problems


@dataclass(frozen=True)
class Line:
    """One line of a file: its number from 1, its cells by column, and what keeps it from being read."""

    number: int
    cells: dict[str, str]
    problems: tuple[str, ...] = ()


def read_lines(path: Path) -> list[Line]:
    """Read the lines below the heading of a CSV file, or the entries of a JSON file.

    Raises
    ------
    Unreadable
        If the file is missing, not UTF-8, empty, neither CSV nor JSON, or lacks a column.
    """
    try:
        text = path.read_bytes().decode("utf-8-sig")  # line breaks inside a field stay as they are
    except OSError as error:
        raise Unreadable(f": cannot be read ({error.strerror}).") from None
    except UnicodeDecodeError:
        raise Unreadable(": is not UTF-8; save it as CSV in UTF-8.") from None
    lines = list(_entries(text) if text.lstrip().startswith(("{", "[")) else _csv_lines(text))
    if not lines:
        raise Unreadable(": has no annotated record; each goes on a line of its own below the heading.")
    return lines


def _csv_lines(text: str) -> Iterator[Line]:
    try:
        rows = list(_numbered(text))
    except csv.Error as error:
        raise Unreadable(f": is not CSV ({error}); save it as CSV in UTF-8.") from None
    heading = [name.strip() for name in rows[0][1]] if rows else []
    _check_heading(heading)
    for number, fields in rows[1:]:
        cells = {name: unguarded(field.strip()) for name, field in zip(heading, fields, strict=False)}
        wrong = (
            f": has {len(fields)} fields, the heading {len(heading)}; put text that holds a comma in quotes."
        )
        yield Line(number, cells, () if len(fields) == len(heading) else (wrong,))


def _numbered(text: str) -> Iterator[tuple[int, list[str]]]:
    """Give the rows that are not blank, each with the number of its first line; a field may hold breaks."""
    reader, start = csv.reader(io.StringIO(text, newline=""), strict=True), 1
    for fields in reader:
        if any(field.strip() for field in fields):
            yield start, fields
        start = reader.line_num + 1


def _check_heading(heading: list[str]) -> None:
    if not heading:
        raise Unreadable(f": is empty; its first line names the columns: {', '.join(COLUMNS)}, notes.")
    if len(heading) == 1 and any(mark in heading[0] for mark in ";\t"):
        raise Unreadable(", line 1: columns are not separated by commas; save it as CSV with commas.")
    missing = [name for name in COLUMNS if name not in heading]
    twice = sorted({name for name in heading if name in COLUMNS and heading.count(name) > 1})
    wrong = [
        f", line 1: column `{name}` is missing; a sheet of `snakemake study` has it." for name in missing
    ]
    wrong += [f", line 1: column `{name}` occurs twice; keep one." for name in twice]
    if wrong:
        raise Unreadable(*wrong)


def _entries(text: str) -> Iterator[Line]:
    """Give the entries of `annotations`, each as the cells of a line in CSV, with the line it begins on."""
    try:
        whole = json.loads(text)
    except json.JSONDecodeError as error:
        raise Unreadable(f", line {error.lineno}: is not JSON ({error.msg}); export it again.") from None
    except RecursionError:
        raise Unreadable(": is nested too deeply; export it again.") from None
    entries = whole.get("annotations") if isinstance(whole, dict) else None
    if not isinstance(entries, list):
        raise Unreadable(": has no list `annotations`; give the file as the sheet exported it.")
    annotator = _text(whole.get("annotator"))
    for number, entry in zip(_line_numbers(text, len(entries)), entries, strict=True):
        if not isinstance(entry, dict):
            yield Line(number, {}, (": is no object with `id`, `prog` and `agree`; export the file again.",))
            continue
        cells = {name: _text(entry.get(name)) for name in ("id", "topology", "notes", "shown")}
        for part in PARTS:
            values = entry.get(part)
            cells |= {
                f"{part}_{metric}": _text(values.get(metric)) if isinstance(values, dict) else ""
                for metric in METRICS
            }
        yield Line(number, cells | {"annotator": annotator})


def _line_numbers(text: str, count: int) -> Iterator[int]:
    """Give the line on which each entry of the list begins."""
    start = re.search(r'"annotations"\s*:\s*\[', text)
    decoder, place = json.JSONDecoder(), start.end() if start else 0
    for _ in range(count):
        place += len(text[place:]) - len(text[place:].lstrip(" \t\r\n,"))
        yield text.count("\n", 0, place) + 1
        place = decoder.raw_decode(text, place)[1]


def _text(value: Any) -> str:
    if value is None:
        return ""
    return value.strip() if isinstance(value, str) else json.dumps(value)
