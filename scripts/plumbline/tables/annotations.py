"""The sheet of human annotations: what people say of the programmatic scores (A44).

Nothing in a sheet stops a table: lines with a problem are left out and every problem is told.
"""

from __future__ import annotations

import csv
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from pathlib import Path

import pandas as pd

from plumbline.records import METRICS
from plumbline.records.model import EXTRA_TOPOLOGIES, TOPOLOGIES

PROGRAM = [f"prog_{metric}" for metric in METRICS]
AGREES = [f"agree_{metric}" for metric in METRICS]
COLUMNS = ["id", "topology", *PROGRAM, *AGREES]
SHAPES = (*TOPOLOGIES, *EXTRA_TOPOLOGIES)

SHOWN = 20
"""Problems that are told one by one; the rest are counted."""


@dataclass(frozen=True)
class Annotations:
    """What could be read of a sheet.

    Parameters
    ----------
    frame
        One row per line without a problem: `record_id`, `topology`, `prog_<metric>` (0 to 1) and
        `agree_<metric>` (True or False).
    lines
        Lines with content below the heading.
    problems
        One sentence each, with file, line and column, and with what would be right.
    """

    frame: pd.DataFrame
    lines: int
    problems: tuple[str, ...]

    @property
    def notes(self) -> list[str]:
        """Say what was read and what is wrong with the sheet."""
        told = [f"Rests on {len(self.frame):,} of {self.lines:,} annotated records of the sheet."]
        if self.problems:
            noun = "problem" if len(self.problems) == 1 else "problems"
            told.append(f"{len(self.problems):,} {noun} in the sheet; lines with a problem are left out:")
            told += self.problems[:SHOWN]
            if len(self.problems) > SHOWN:
                told.append(f"... and {len(self.problems) - SHOWN:,} more.")
        return told


def read_annotations(path: Path | str, known: Collection[str]) -> Annotations:
    """Read a sheet of annotations, CSV in UTF-8.

    Parameters
    ----------
    path
        The file.
    known
        Ids of the run's records.

    Returns
    -------
    Annotations
        Problems of the whole file (missing, not UTF-8, empty, without a column) leave no line; those of a
        line leave out that line.
    """
    nothing = pd.DataFrame(columns=["record_id", *COLUMNS[1:]])
    try:
        with Path(path).open(encoding="utf-8-sig", newline="") as stream:
            lines = list(_numbered(stream))
    except OSError as error:
        return Annotations(nothing, 0, (f"{path}: cannot be read ({error.strerror}).",))
    except UnicodeDecodeError:
        return Annotations(nothing, 0, (f"{path}: is not UTF-8; save it as CSV in UTF-8.",))
    except csv.Error as error:
        return Annotations(nothing, 0, (f"{path}: is not CSV ({error}); save it as CSV in UTF-8.",))
    heading = [name.strip() for name in lines[0][1]] if lines else []
    wrong = _heading_problems(str(path), heading)
    if wrong or len(lines) < 2:
        empty = f"{path}: has no annotated record; each goes on a line of its own below the heading."
        return Annotations(nothing, max(len(lines) - 1, 0), (*wrong,) or (empty,))
    rows, problems = [], []
    first_seen: dict[str, int] = {}
    for number, fields in lines[1:]:
        row = dict(zip(heading, (field.strip() for field in fields), strict=False))
        found = [f"{path}, line {number}{what}" for what in _line_problems(heading, fields, row, known)]
        before = first_seen.setdefault(row.get("id", ""), number)
        if before != number and not found:
            twice = f"`{row['id']}` stands on line {before} already; annotate it once."
            found = [f"{path}, line {number}, column `id`: {twice}"]
        problems += found
        if not found:
            rows.append(row)
    frame = pd.DataFrame(rows, columns=COLUMNS).rename(columns={"id": "record_id"})
    frame[PROGRAM] = frame[PROGRAM].astype(float)
    frame[AGREES] = frame[AGREES] == "1"
    return Annotations(frame, len(lines) - 1, tuple(problems))


def _numbered(stream: Iterator[str]) -> Iterator[tuple[int, list[str]]]:
    """Give the rows that are not blank, each with the number of its first line; a field may hold breaks."""
    reader, start = csv.reader(stream, strict=True), 1
    for fields in reader:
        if any(field.strip() for field in fields):
            yield start, fields
        start = reader.line_num + 1


def _heading_problems(path: str, heading: list[str]) -> list[str]:
    if not heading:
        return [f"{path}: is empty; its first line names the columns: {', '.join(COLUMNS)}, notes."]
    if len(heading) == 1 and any(mark in heading[0] for mark in ";\t"):
        return [f"{path}, line 1: columns are not separated by commas; save it as CSV with commas."]
    missing = [name for name in COLUMNS if name not in heading]
    twice = sorted({name for name in heading if name in COLUMNS and heading.count(name) > 1})
    return [
        *(f"{path}, line 1: column `{name}` is missing; {_wanted(name)}." for name in missing),
        *(f"{path}, line 1: column `{name}` occurs twice; keep one." for name in twice),
    ]


def _wanted(name: str) -> str:
    if name == "id":
        return "it holds the record's id"
    if name == "topology":
        return f"it holds one of {', '.join(SHAPES)}"
    if name in PROGRAM:
        return "it holds the programmatic score that was annotated, from 0 to 1"
    return "it holds 1 (agree) or 0 (disagree)"


def _line_problems(
    heading: list[str], fields: list[str], row: dict[str, str], known: Collection[str]
) -> Iterator[str]:
    """Say what is wrong with a line, beginning after its number."""
    if len(fields) != len(heading):
        yield (
            f": has {len(fields)} fields, the heading {len(heading)}; put text that holds a comma in quotes."
        )
        return
    if not row["id"]:
        yield ", column `id`: is blank; it holds the record's id."
    elif row["id"] not in known:
        yield f", column `id`: `{row['id']}` is no record of this run."
    for name in COLUMNS[1:]:
        if not _is_right(name, row[name]):
            value = f"`{row[name]}` is not right" if row[name] else "is blank"
            yield f", column `{name}`: {value}; {_wanted(name)}."


def _is_right(name: str, value: str) -> bool:
    if name == "topology":
        return value in SHAPES
    if name in AGREES:
        return value in ("0", "1")
    try:
        return 0 <= float(value) <= 1
    except ValueError:
        return False
