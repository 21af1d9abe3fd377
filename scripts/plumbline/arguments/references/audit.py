"""The sample on which people check the parser of stated values (D16)."""

from __future__ import annotations

import csv
import io
import json
import random
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from plumbline.arguments.inputs import ReferenceLines
from plumbline.arguments.occurrences import stands_in
from plumbline.records import DataError
from plumbline.records.arguments import ArgumentItem, ValueReference

GROUPS = {"correct, parsed": 20, "wrong, parsed": 10, "correct, not parsed": 20}
"""Items of a round by group; `MISSED` is read in the first rounds alone."""

MISSED = "correct, not parsed"
MISSED_ROUNDS = 2
"""Rounds in which values are looked for that the parser may have missed (D16)."""

QUESTIONS = {
    "correct, parsed": "Is the parsed value what the reference concludes? yes or no",
    "wrong, parsed": "Is the parsed value what the reference concludes? yes or no",
    "correct, not parsed": "Does the reference conclude with a value, and with which? no, or the value",
}

COLUMNS = ("item_id", "round", "group", "function", "parameter", "reference", "parsed", "question", "answer")


def counts_of(number: int, missed: bool | None = None) -> dict[str, int]:
    """Give the items of a round by group.

    Parameters
    ----------
    number
        Of the round, from 1.
    missed
        Whether it has items without a parsed value; by default in the first two rounds (D16).
    """
    wanted = number <= MISSED_ROUNDS if missed is None else missed
    return {group: count for group, count in GROUPS.items() if wanted or group != MISSED}


@dataclass(frozen=True)
class AuditRow:
    """An item of the sample and the reference that its judge reads."""

    item: ArgumentItem
    line: ValueReference
    group: str


def audit_sample(
    items: Sequence[ArgumentItem],
    references: Sequence[ValueReference],
    *,
    seed: int,
    number: int,
    counts: Mapping[str, int] = GROUPS,
    seen: Collection[str] = (),
) -> list[AuditRow]:
    """Draw the items of one round.

    Parameters
    ----------
    items
        All items of a data set.
    references
        Lines of a reference of kind `derive_value`.
    seed, number
        Seed of the audit (the paper's is 20260930) and number of the round, from 1.
    counts
        Items by group: correct and wrong items whose reference has a parsed value, and correct items without
        one though the reference's text holds their value.
    seen
        Ids of the items of earlier rounds: none is drawn again.

    Returns
    -------
    list of AuditRow
        In the order of the groups; fewer where a group has not enough.
    """
    lines = ReferenceLines("audited", references)
    pools: dict[str, list[AuditRow]] = {group: [] for group in counts}
    for item in sorted(items, key=lambda one: one.item_id):
        line = lines.find(item.state_id, item.function, item.parameter, item.call_id)
        if item.item_id in seen or not isinstance(line, ValueReference):
            continue
        group = _group(item, line)
        if group in pools:
            pools[group].append(AuditRow(item, line, group))
    rows = []
    for group, pool in pools.items():
        draw = random.Random(f"{seed}|{number}|{group}")  # noqa: S311, a reproducible draw, no secret
        rows += draw.sample(pool, min(counts[group], len(pool)))
    return rows


def audit_sheet(rows: Sequence[AuditRow], number: int) -> str:
    """Write a round as CSV with an empty column for the answers.

    A text that a spreadsheet would take for a formula has an apostrophe before it.
    """
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(COLUMNS)
    for row in rows:
        parsed = json.dumps(row.line.parsed_value, ensure_ascii=False) if row.line.parsed else ""
        about = (row.item.item_id, number, row.group, row.item.function, row.item.parameter)
        cells = (*about, row.line.text or "", parsed, QUESTIONS.get(row.group, ""), "")
        writer.writerow([_harmless(cell) if isinstance(cell, str) else cell for cell in cells])
    return text.getvalue()


def audited_ids(sheet: Path) -> set[str]:
    """Read the ids of the items of an earlier round's sheet.

    Raises
    ------
    DataError
        If the file is no such sheet.
    """
    return {row["item_id"].removeprefix("'") for _, row in _lines(sheet, "item_id") if row["item_id"]}


@dataclass(frozen=True)
class AuditAnswers:
    """What a person says of one round.

    Parameters
    ----------
    right, wrong
        Items whose parsed value is what the reference concludes, and items whose parsed value is not.
    none, missed
        Items without a parsed value whose reference concludes with none, and those whose reference does.
    unanswered, unread
        Items without an answer: those with a parsed value, and those without one.
    """

    right: tuple[str, ...] = ()
    wrong: tuple[str, ...] = ()
    none: tuple[str, ...] = ()
    missed: tuple[str, ...] = ()
    unanswered: tuple[str, ...] = ()
    unread: tuple[str, ...] = ()

    @property
    def parsed(self) -> int:
        """How many items of the sheet have a parsed value: fewer than 30 where a data set has not enough."""
        return len(self.right) + len(self.wrong) + len(self.unanswered)

    @property
    def accepted(self) -> bool:
        """Whether the parser is: every item with a parsed value is right, and there is one (D16)."""
        return 0 < len(self.right) == self.parsed


def read_answers(sheet: Path) -> AuditAnswers:
    """Read the answers of a sheet that a person filled in.

    Raises
    ------
    DataError
        If the file is no such sheet, an item stands in it twice, or an answer is neither yes nor no where one
        of them is asked for; all such lines are named.
    """
    found: dict[str, list[str]] = {name: [] for name in AuditAnswers.__dataclass_fields__}
    seen: set[str] = set()
    problems = []
    for line, row in _lines(sheet, "item_id", "group", "answer"):
        item, group = (row[name].strip() for name in ("item_id", "group"))
        answer = row["answer"].strip().casefold()
        if not (item or group or answer):
            continue  # spreadsheets leave such rows below the last one
        if not item:
            problems.append(f"line {line}: there is no item_id")
        elif group not in GROUPS:
            problems.append(f"line {line}: `{group}` is no group of the audit")
        elif item in seen:
            problems.append(f"line {line}: `{item}` was answered before")
        elif group != MISSED and answer not in ("", *_ANSWERS):
            problems.append(f"line {line}: the answer `{row['answer']}` is neither yes nor no")
        else:
            seen.add(item)
            found[_kind(group, answer)].append(item.removeprefix("'"))
    if problems:
        raise DataError("; ".join(problems) + ".", sheet)
    return AuditAnswers(**{name: tuple(items) for name, items in found.items()})


_ANSWERS = {"yes": "right", "y": "right", "no": "wrong", "n": "wrong"}
_NO_VALUE = ("no", "n", "none")


def _kind(group: str, answer: str) -> str:
    if group != MISSED:
        return _ANSWERS[answer] if answer else "unanswered"
    if not answer:
        return "unread"
    return "none" if answer in _NO_VALUE else "missed"


def answer_lines(answers: AuditAnswers) -> list[str]:
    """Write what a round says as text: how many are right, which are not, and what is to be done."""
    told = len(answers.right) + len(answers.wrong)
    lines = [f"parsed value is what the reference concludes: {len(answers.right)} of {told}"]
    lines += [f"not: {item}" for item in answers.wrong]
    read = len(answers.none) + len(answers.missed)
    if read:
        lines.append(
            f"no value was parsed, and the reference concludes with one: {len(answers.missed)} of {read}"
        )
        lines += [f"missed: {item}" for item in answers.missed]
    for what, without in (("", answers.unanswered), (", without a parsed value", answers.unread)):
        if without:
            lines.append(f"without an answer{what}: {len(without)} ({', '.join(without)})")
    whole = sum(count for group, count in GROUPS.items() if group != MISSED)
    if answers.parsed < whole:
        lines.append(f"items with a parsed value in this sheet: {answers.parsed}; a whole round has {whole}")
    if answers.accepted:
        return [*lines, "accepted"]
    if answers.wrong:
        return [*lines, "not accepted: mend the parser's settings and draw another round"]
    needed = f"{answers.parsed} right ones are needed" if answers.parsed else "no value was parsed"
    return [*lines, f"not accepted yet: {needed}"]


def _lines(sheet: Path, *columns: str) -> Iterator[tuple[int, dict[str, str]]]:
    """Give the rows of a sheet with the number of their last line; an empty cell is an empty text."""
    try:
        text = sheet.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        raise DataError(f"cannot be read ({error}); save it as CSV in UTF-8.", sheet) from None
    rows = csv.DictReader(io.StringIO(text, newline=""))
    for name in columns:
        if name not in (rows.fieldnames or ()):
            raise DataError(f"has no column {name}; give a sheet that audit-references wrote.", sheet, 1)
    for row in rows:
        yield rows.line_num, {name: row[name] or "" for name in columns}


def _group(item: ArgumentItem, line: ValueReference) -> str | None:
    if line.parsed and item.label in ("correct", "wrong"):
        return f"{item.label}, parsed"
    if item.label == "correct" and stands_in(item.value, line.text or ""):
        return MISSED
    return None


def _harmless(cell: str) -> str:
    return f"'{cell}" if cell.startswith(("=", "+", "-", "@", "\t", "\r")) else cell
