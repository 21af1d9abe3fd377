"""The sample on which people check the parser of stated values (D16)."""

from __future__ import annotations

import csv
import io
import json
import random
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from plumbline.arguments.inputs import ReferenceLines
from plumbline.arguments.occurrences import places_of
from plumbline.records import DataError
from plumbline.records.arguments import ArgumentItem, ValueReference

GROUPS = {"correct, parsed": 20, "wrong, parsed": 10, "correct, not parsed": 20}
"""Items of a round by group; the last one is read in the first rounds alone."""

QUESTIONS = {
    "correct, parsed": "Is the parsed value what the reference concludes? yes or no",
    "wrong, parsed": "Is the parsed value what the reference concludes? yes or no",
    "correct, not parsed": "Does the reference conclude with a value, and with which? no, or the value",
}

COLUMNS = ("item_id", "round", "group", "function", "parameter", "reference", "parsed", "question", "answer")


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
    try:
        text = sheet.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        raise DataError(f"cannot be read ({error}); save it as CSV in UTF-8.", sheet) from None
    rows = csv.DictReader(io.StringIO(text, newline=""))
    if "item_id" not in (rows.fieldnames or ()):
        raise DataError("has no column item_id; give a sheet that audit-references wrote.", sheet, 1)
    return {row["item_id"].removeprefix("'") for row in rows if row["item_id"]}


def _group(item: ArgumentItem, line: ValueReference) -> str | None:
    if line.parsed and item.label in ("correct", "wrong"):
        return f"{item.label}, parsed"
    if item.label == "correct" and places_of(item.value, line.text or ""):
        return "correct, not parsed"
    return None


def _harmless(cell: str) -> str:
    return f"'{cell}" if cell.startswith(("=", "+", "-", "@", "\t", "\r")) else cell
