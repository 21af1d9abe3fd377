"""What annotators say of the programmatic scores: their files, CSV or JSON, checked line by line (A44).

Nothing in a file stops a table: lines with a problem are left out and every problem is told.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import pandas as pd

from plumbline.records.model import EXTRA_TOPOLOGIES, TOPOLOGIES
from plumbline.study.files import AGREES, COLUMNS, PROGRAM, REASONS, Line, Unreadable, read_lines
from plumbline.study.items import StudyItem
from plumbline.study.sheet import printed, shown_digest

SHAPES = (*TOPOLOGIES, *EXTRA_TOPOLOGIES)

SHOWN = 20
"""Problems that are told one by one; the rest are counted."""

PRINTED = 0.005
"""How far a score of a file may be from ours: sheets are printed with two to four decimals."""


@dataclass(frozen=True)
class Annotations:
    """What could be read of one annotator's file.

    Parameters
    ----------
    path, annotator
        The file, and who annotated: as the file says, or the file's name.
    frame
        One row per line without a problem: `record_id`, `topology`, `prog_<metric>` (0 to 1),
        `agree_<metric>` (1 agrees, 0 disagrees, NaN if not annotated) and `reason_<metric>`.
    lines
        Lines with content below the heading.
    problems
        One sentence each, with file, line and column, and with what would be right.
    """

    path: str
    annotator: str
    frame: pd.DataFrame
    lines: int
    problems: tuple[str, ...]

    @property
    def notes(self) -> list[str]:
        """Say what was read and what is wrong with the file."""
        marks = self.frame[AGREES].notna().to_numpy()
        told = [
            f"{self.annotator}: {int(marks.any(axis=1).sum()):,} of {self.lines:,} records annotated, "
            f"{int(marks.sum()):,} scores; {int((~marks).sum()):,} left blank."
        ]
        if self.problems:
            noun = "problem" if len(self.problems) == 1 else "problems"
            told.append(f"{len(self.problems):,} {noun} in {self.path}; lines with a problem are left out:")
            told += self.problems[:SHOWN]
            if len(self.problems) > SHOWN:
                told.append(f"... and {len(self.problems) - SHOWN:,} more.")
        return told


def read_annotations(
    path: Path | str, known: Collection[str], sample: Mapping[str, StudyItem] | None = None
) -> Annotations:
    """Read the file of one annotator.

    Parameters
    ----------
    path
        CSV in UTF-8, or JSON as the sheet exports it.
    known
        Ids of the run's records.
    sample
        What annotators were shown, by id, if the sheet is of the run's own sample: then a line must be of the
        sample, as it is now, and every plan of the sample must have a line.

    Returns
    -------
    Annotations
        Problems of the whole file (missing, not UTF-8, empty, without a column) leave no line; those of a
        line leave out that line.
    """
    stem = Path(path).name.rsplit(".", 1)[0]
    try:
        lines = read_lines(Path(path))
    except Unreadable as error:
        return Annotations(
            str(path), stem, _frame([]), 0, tuple(f"{path}{words}" for words in error.problems)
        )
    checked = _Checked(known, sample)
    rows, problems = [], []
    first_seen: dict[str, Line] = {}
    for line in lines:
        found = line.problems or tuple(checked.problems(line.cells))
        before = first_seen.setdefault(line.cells.get("id", ""), line)
        if before is not line and not found:
            found = (f", column `id`: `{line.cells['id']}` stands on line {before.number} already; "
                     "annotate it once.",)  # fmt: skip
        problems += [f"{path}, line {line.number}{words}" for words in found]
        if not found:
            rows.append(line.cells)
    names = {line.cells["annotator"]: None for line in lines if line.cells.get("annotator")}
    if len(names) > 1:
        problems.append(
            f"{path}: names several annotators ({', '.join(names)}); give each a file of their own."
        )
        rows = []
    missing = [name for name in sample or () if name not in first_seen]
    if missing:
        named = ", ".join(missing[:5]) + (", ..." if len(missing) > 5 else "")
        problems.append(
            f"{path}: lacks {len(missing):,} records of the sample ({named}); keep every line of the sheet, "
            "and leave `agree_` blank where nothing was annotated."
        )
    return Annotations(str(path), next(iter(names), stem), _frame(rows), len(lines), tuple(problems))


def _frame(rows: list[dict[str, str]]) -> pd.DataFrame:
    frame = pd.DataFrame(rows, columns=[*COLUMNS, *REASONS]).rename(columns={"id": "record_id"})
    frame[PROGRAM] = frame[PROGRAM].astype(float)
    frame[AGREES] = frame[AGREES].replace("", None).astype(float)
    frame[REASONS] = frame[REASONS].astype(object).fillna("")
    return frame


def wanted(name: str) -> str:
    """Say what a column holds."""
    if name == "id":
        return "it holds the record's id"
    if name == "topology":
        return f"it holds one of {', '.join(SHAPES)}"
    if name in PROGRAM:
        return "it holds the programmatic score that was annotated, from 0 to 1"
    return "it holds 1 (agree), 0 (disagree), or nothing if the score was not annotated"


@dataclass(frozen=True)
class _Checked:
    """What the lines of a file are checked against."""

    known: Collection[str]
    sample: Mapping[str, StudyItem] | None

    def problems(self, row: dict[str, str]) -> Iterator[str]:
        """Say what is wrong with a line, beginning after its number."""
        name = row["id"]
        if not name:
            yield ", column `id`: is blank; it holds the record's id."
        elif name not in self.known:
            yield f", column `id`: `{name}` is no record of this run."
        elif self.sample is not None and name not in self.sample:
            yield (
                f", column `id`: `{name}` is not in the sample of this run; for a sheet that was made "
                "elsewhere set `human.sheet: own`."
            )
        for column in COLUMNS[1:]:
            if not _is_right(column, row[column]):
                value = f"`{row[column]}` is not right" if row[column] else "is blank"
                yield f", column `{column}`: {value}; {wanted(column)}."
        if self.sample is not None and name in self.sample:
            yield from _changes(row, self.sample[name])


def _changes(row: dict[str, str], item: StudyItem) -> Iterator[str]:
    """Say where a line is not about what the sample holds now."""
    if row.get("shown") and row["shown"] != shown_digest(item):
        yield (
            ", column `shown`: the sample holds another plan, query or tool than was annotated; annotate the "
            "record again on the new sheet."
        )
        return
    if row["topology"] in SHAPES and row["topology"] != item.topology:
        yield f", column `topology`: `{row['topology']}` is not the sample's; this record is {item.topology}."
    for metric, score in item.scores.items():
        value = row[f"prog_{metric}"]
        if _is_right(f"prog_{metric}", value) and abs(float(value) - score) > PRINTED + 1e-9:
            yield (
                f", column `prog_{metric}`: `{value}` is not the sample's score, {printed(score)}; leave "
                "what the sheet holds, and say in `agree_` and `notes` what you think of it."
            )


def _is_right(name: str, value: str) -> bool:
    if name == "topology":
        return value in SHAPES
    if name in AGREES:
        return value in ("0", "1", "")
    try:
        return 0 <= float(value) <= 1
    except ValueError:
        return False
