"""The audit of wrong labels: a blind sample for annotators, their sheets, and how far they agree (D7)."""

from __future__ import annotations

import csv
import io
import json
import random
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from plumbline.arguments.contexts import Shown, full_context
from plumbline.records.arguments import ArgumentItem, State
from plumbline.records.errors import DataError, UserError
from plumbline.records.files import digest_of
from plumbline.statistics.agreement import cohen_kappa, exact_agreement
from plumbline.statistics.value import Value

VERDICTS = ("wrong", "possibly_correct", "unclear")
"""What an annotator says of a value that is labelled wrong."""

COLUMNS = ("id", "function", "parameter", "value", "request", "verdict", "note")
"""Columns of the sheet; annotators fill in the last two."""

_MARKS = {"wrong": 0.0, "unclear": 0.5, "possibly_correct": 1.0}


@dataclass(frozen=True)
class AuditRow:
    """One value that annotators look at. Who proposed it, and what gold passes, is not in it.

    Attributes
    ----------
    id
        Digest of the item's id, which tells nothing.
    function, description
        Name and description of the function that is called.
    parameter, schema
        Name and JSON Schema of the parameter.
    value
        The value, JSON text.
    request
        Everything the user said.
    history
        Everything before the call, whole and oldest first.
    """

    id: str
    function: str
    description: str
    parameter: str
    schema: Mapping[str, Any]
    value: str
    request: str
    history: tuple[Shown, ...]


@dataclass(frozen=True)
class Audit:
    """What two annotators say of the sample.

    Attributes
    ----------
    count
        Values that both judged.
    agreement, kappa
        Share of equal verdicts before any discussion, in [0, 1], and Cohen's kappa.
    shares
        Of each verdict among all values, in [0, 1]: where the two agree, else as discussed.
    undecided
        Ids on which they differ and that no discussion settled; they are in no share's numerator.
    notes
        What else a reader must know, one line each.
    """

    count: int
    agreement: Value
    kappa: Value
    shares: Mapping[str, float]
    undecided: tuple[str, ...]
    notes: tuple[str, ...] = ()


def audit_id(item_id: str) -> str:
    """Give the id under which annotators see an item."""
    return digest_of(["label audit", item_id])[:10]


def draw_audit(
    items: Sequence[ArgumentItem], states: Sequence[State], count: int, seed: int
) -> list[AuditRow]:
    """Draw wrong values for the audit of one data set.

    Parameters
    ----------
    items, states
        Of the data set.
    count
        How many; all if there are fewer.
    seed
        Of the draw and of the order, which tells nothing.

    Returns
    -------
    list of AuditRow

    Raises
    ------
    UserError
        If no item is labelled wrong.
    """
    wrong = sorted((item for item in items if item.label == "wrong"), key=lambda item: item.item_id)
    if not wrong:
        raise UserError("the data set has no wrong value to audit; give it rules, proposers or trajectories.")
    rng = random.Random(f"{seed}|label audit|{wrong[0].dataset}")  # noqa: S311, a reproducible draw, no secret
    by_id = {state.state_id: state for state in states}
    return [_row(item, by_id[item.state_id]) for item in rng.sample(wrong, min(count, len(wrong)))]


def sheet_text(rows: Sequence[AuditRow]) -> str:
    """Write the sheet as CSV; the annotator fills in `verdict` and, if there is something to say, `note`."""
    stream = io.StringIO()
    writer = csv.writer(stream, lineterminator="\n")
    writer.writerow(COLUMNS)
    for row in rows:
        cells = (row.id, row.function, row.parameter, row.value, row.request)
        writer.writerow([*(_plain(cell) for cell in cells), "", ""])
    return stream.getvalue()


def read_sheet(path: Path, known: Sequence[str] | None = None) -> dict[str, str]:
    """Read the verdicts of an annotator's sheet.

    Parameters
    ----------
    path
        CSV in UTF-8 with at least the columns `id` and `verdict`; lines without a verdict are left open.
    known
        Ids of the sample, if they are to be checked.

    Returns
    -------
    dict
        Verdicts by id, one of `VERDICTS`.

    Raises
    ------
    DataError
        If the file is no such sheet; all lines with a problem are named.
    """
    try:
        text = path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise DataError(f"cannot be read ({error}); save it as CSV in UTF-8.", path) from None
    reader = csv.DictReader(io.StringIO(text, newline=""))
    missing = {"id", "verdict"} - set(reader.fieldnames or ())
    if missing:
        raise DataError(f"has no column {' and no column '.join(sorted(missing))}.", path, 1)
    verdicts: dict[str, str] = {}
    problems = []
    for row in reader:
        identifier = (row["id"] or "").strip()
        verdict = (row["verdict"] or "").strip().lower().replace(" ", "_").replace("-", "_")
        place = f"line {reader.line_num}"
        if known is not None and identifier not in known:
            problems.append(f"{place}: the sample has no `{identifier}`")
        elif identifier in verdicts:
            problems.append(f"{place}: `{identifier}` was judged before")
        elif verdict and verdict not in VERDICTS:
            problems.append(f"{place}: `{row['verdict']}` is none of {', '.join(VERDICTS)}")
        elif verdict:
            verdicts[identifier] = verdict
    if problems:
        raise DataError("; ".join(problems) + ".", path)
    return verdicts


def summarise_audit(
    first: Mapping[str, str], second: Mapping[str, str], discussed: Mapping[str, str] | None = None
) -> Audit:
    """Compute the agreement of two annotators and the shares of their verdicts.

    Parameters
    ----------
    first, second
        Verdicts by id.
    discussed
        What they settled on where they differed; it may hold other ids, which are not looked at.

    Returns
    -------
    Audit
        On the values that both judged.

    Raises
    ------
    UserError
        If they have no value in common.
    """
    both = [identifier for identifier in first if identifier in second]
    if not both:
        raise UserError("the two sheets have no judged value in common; give two sheets of one sample.")
    marks = [[_MARKS[sheet[identifier]] for identifier in both] for sheet in (first, second)]
    final = {name: _settled(name, first, second, discussed or {}) for name in both}
    counts = Counter(verdict for verdict in final.values() if verdict is not None)
    alone = len(first) + len(second) - 2 * len(both)
    notes = (f"{alone} values were judged by one annotator alone and are left out",) if alone else ()
    return Audit(
        count=len(both),
        agreement=exact_agreement(*marks),
        kappa=cohen_kappa(*marks),
        shares={verdict: counts[verdict] / len(both) for verdict in VERDICTS},
        undecided=tuple(name for name, verdict in final.items() if verdict is None),
        notes=notes,
    )


def audit_lines(audit: Audit) -> list[str]:
    """Write an audit as text, shares times 100."""
    kappa = "undefined" if audit.kappa.value is None else f"{audit.kappa.value:.3f}"
    lines = [
        f"values judged by both: {audit.count}",
        f"agreement before discussion: {100 * (audit.agreement.value or 0.0):.1f} %, kappa {kappa}",
    ]
    lines += [
        f"{verdict.replace('_', ' ')}: {100 * audit.shares[verdict]:.1f} % ({number} of {audit.count})"
        for verdict in VERDICTS
        for number in [round(audit.shares[verdict] * audit.count)]
    ]
    if audit.undecided:
        lines.append(f"not settled: {len(audit.undecided)} ({', '.join(audit.undecided)})")
    return lines + list(audit.notes)


def _settled(
    name: str, first: Mapping[str, str], second: Mapping[str, str], discussed: Mapping[str, str]
) -> str | None:
    return first[name] if first[name] == second[name] else discussed.get(name)


def _row(item: ArgumentItem, state: State) -> AuditRow:
    tool = next((tool for tool in state.functions if tool.name == item.function), None)
    schema = (tool.parameters.get("properties") or {}).get(item.parameter) if tool else None
    return AuditRow(
        id=audit_id(item.item_id),
        function=item.function,
        description=tool.description if tool else "",
        parameter=item.parameter,
        schema=schema if isinstance(schema, dict) else {},
        value=json.dumps(item.value, ensure_ascii=False),
        request="\n\n".join(turn.text or "" for turn in state.turns if turn.role == "user"),
        history=full_context(state).parts,
    )


def _plain(cell: str) -> str:
    """Keep a spreadsheet from taking a text for a formula."""
    return f"'{cell}" if cell[:1] in ("=", "+", "-", "@", "\t", "\r") and not _is_number(cell) else cell


def _is_number(cell: str) -> bool:
    try:
        float(cell)
    except ValueError:
        return False
    return True
