"""Both quality gates over a set of records, and what they found, for people and for programs (A4, A5)."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from plumbline.config.gates import Gates
from plumbline.corpora.checks import edge_problems, record_problems
from plumbline.corpora.loose import NumberedRecord, read_loosely
from plumbline.corpora.problems import CODES, Problem, gate_of
from plumbline.corpora.query_gate import QueryScores, check_query
from plumbline.records import Record


@dataclass(frozen=True)
class Gated:
    """One record and what the gates say of it."""

    record: Record
    line: int | None
    problems: tuple[Problem, ...]
    scores: QueryScores | None

    @property
    def passes(self) -> bool:
        """Whether neither gate found anything."""
        return not self.problems


@dataclass
class GateReport:
    """What the gates found in a set of records; `problems` are those of lines that are no record."""

    gated: list[Gated] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)

    def every_problem(self) -> list[Problem]:
        """Give all problems, in the order of the lines where they have one."""
        found = [*self.problems, *(problem for gated in self.gated for problem in gated.problems)]
        return sorted(found, key=lambda problem: problem.line or 0)

    def counts(self) -> list[tuple[str, str, int, int]]:
        """Count by code: gate, code, problems, records (or lines) that have one; in the order of `CODES`."""
        problems, records = Counter[str](), dict[str, set[Any]]()
        for problem in self.every_problem():
            problems[problem.code] += 1
            records.setdefault(problem.code, set()).add((problem.line, problem.record_id))
        return [(gate_of(code), code, problems[code], len(records[code])) for code in CODES if problems[code]]


def put_through_gates(records: Iterable[Record], gates: Gates, *, loop_repeats: int = 2) -> GateReport:
    """Put records through both gates.

    Parameters
    ----------
    records
        Their calls need earlier calls only, as `Record` demands.
    gates
        The rules of gate 2.
    loop_repeats
        See `topology_of`.
    """
    return _gate([NumberedRecord(0, record, True) for record in records], gates, loop_repeats)


def check_file(path: Path | str, gates: Gates, *, loop_repeats: int = 2) -> GateReport:
    """Put a file of records through both gates; nothing that is wrong with it raises an error."""
    found = read_loosely(path)
    report = _gate(found.records, gates, loop_repeats)
    report.problems = found.problems
    return report


def told(report: GateReport, where: str, *, shown: int | None = None) -> str:
    """Write a report for people.

    Parameters
    ----------
    report
        What was found.
    where
        The file or source, for the heading.
    shown
        Most problems of each code that are listed; None lists all.
    """
    bad = {(problem.line, problem.record_id) for problem in report.every_problem()}
    total = len({gated.line or index for index, gated in enumerate(report.gated)})
    total += len({problem.line for problem in report.problems if problem.line} - _lines(report.gated))
    lines = [f"{where}: {total} records, {len(bad)} with problems"]
    for gate, code, problems, records in report.counts():
        lines.append(f"  {gate:<10}{code:<22}{problems:>6} in {records:>6} records  {CODES[code]}")
    listed: Counter[str] = Counter()
    for problem in report.every_problem():
        listed[problem.code] += 1
        if shown is None or listed[problem.code] <= shown:
            lines.append(f"{_place(where, problem)}: {problem.message} [{problem.code}]")
    for code, count in listed.items():
        if shown is not None and count > shown:
            lines.append(f"... and {count - shown} more [{code}]")
    return "\n".join(lines)


def as_rows(report: GateReport) -> Iterator[dict[str, Any]]:
    """Give one JSON object a record (or line that is none): its scores and its problems."""
    with_record = _lines(report.gated)
    by_line: dict[int | None, list[Problem]] = {}
    for problem in report.problems:
        if problem.line in with_record:
            by_line.setdefault(problem.line, []).append(problem)
        else:
            yield {"line": problem.line, "record_id": problem.record_id, "problems": [_row(problem)]}
    for gated in report.gated:
        own = by_line.get(gated.line, [])
        scores = gated.scores
        yield {
            "line": gated.line,
            "record_id": gated.record.id,
            "sufficiency": scores.sufficiency if scores else None,
            "grounding": scores.grounding if scores else None,
            "natural": scores.natural if scores else None,
            "problems": [_row(problem) for problem in (*own, *gated.problems)],
        }


def _gate(records: Sequence[NumberedRecord], gates: Gates, loop_repeats: int) -> GateReport:
    report = GateReport()
    seen: dict[str, int] = {}
    for numbered in records:
        record, line = numbered.record, numbered.line or None
        found = list(record_problems(record, loop_repeats, is_ordered=numbered.is_ordered))
        if record.id in seen:
            where = f"the record of line {seen[record.id]}" if line else "another record"
            found.insert(0, ("duplicate_id", f"{where} has this id too; give each record its own."))
        seen.setdefault(record.id, numbered.line)
        scores = None
        if numbered.is_ordered:
            found += edge_problems(record)
            scores, more = check_query(record, gates)
            found += more
        problems = tuple(Problem(record.id, code, message, line) for code, message in found)
        report.gated.append(Gated(record, line, problems, scores))
    return report


def _lines(gated: Iterable[Gated]) -> set[int]:
    return {entry.line for entry in gated if entry.line is not None}


def _place(where: str, problem: Problem) -> str:
    place = where if problem.line is None else f"{where}, line {problem.line}"
    return place if problem.record_id is None else f"{place} (record {problem.record_id})"


def _row(problem: Problem) -> dict[str, Any]:
    return {"gate": gate_of(problem.code), "code": problem.code, "message": problem.message}


def write_rows(report: GateReport) -> str:
    """Write `as_rows` as JSON Lines."""
    return "\n".join(json.dumps(row, ensure_ascii=False) for row in as_rows(report))
