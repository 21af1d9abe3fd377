"""The page of one table: one file, sortable, no request leaves it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from plumbline.report.templating import is_missing, is_number, number, render
from plumbline.tables.result import REASON, Column, TableResult

if TYPE_CHECKING:
    from plumbline.tables.registry import TableSpec


@dataclass(frozen=True)
class Head:
    """The heading of one column of the page."""

    name: str
    label: str
    unit: str
    help: str
    digits: int | None
    numeric: bool

    @property
    def before(self) -> str:
        """Words of the label that may stand on lines of their own."""
        return self.label.removesuffix(self.last)

    @property
    def last(self) -> str:
        """Last word of the label: unit and sorting mark stay beside it."""
        return self.label.split(" ")[-1]


@dataclass(frozen=True)
class Cell:
    """One cell of the page; `value` sorts and is None if missing, `text` is read."""

    value: str | None
    text: str
    numeric: bool
    bold: bool = False
    reason: str = ""


def table_page(
    result: TableResult,
    spec: TableSpec,
    run_name: str,
    block: str | None = None,
    condition: str | None = None,
) -> str:
    """Write a table as one self-contained HTML page.

    Parameters
    ----------
    result
        The table. Its reason columns become tooltips of the cells that are missing.
    spec
        Title and item of the table.
    run_name, block, condition
        Where it comes from, shown above the title.

    Returns
    -------
    str
        HTML. All text is escaped; the page's policy forbids any connection.
    """
    above = ["plumbline", f"run {run_name}"]
    above += [f"block {block}"] if block else []
    above += [spec.item] if spec.item else []
    return render("table.html", **table_words(result, spec.title, run_name, above, condition))


def table_words(
    result: TableResult, title: str, run_name: str, above: list[str], condition: str | None = None
) -> dict[str, Any]:
    """Give what the template of a table is filled with; `above` stands above the title."""
    heads = _heads(result)
    return {
        "title": title,
        "run": run_name,
        "above": above,
        "condition": condition,
        "heads": heads,
        "rows": _rows(result, heads),
        "notes": result.notes,
    }


def _is_reason(name: str, columns: set[str]) -> bool:
    return name == REASON or (name.endswith(f"_{REASON}") and name.removesuffix(f"_{REASON}") in columns)


def _heads(result: TableResult) -> list[Head]:
    names = set(map(str, result.frame.columns))
    heads = []
    for place, name in enumerate(map(str, result.frame.columns)):
        if _is_reason(name, names):
            continue
        column = result.columns.get(name, Column(label=name))
        values = [value for value in result.frame.iloc[:, place] if not is_missing(value)]
        numeric = all(map(is_number, values)) if values else column.digits is not None
        heads.append(Head(name, column.label, column.unit, column.help, column.digits, numeric))
    return heads


def _rows(result: TableResult, heads: list[Head]) -> list[list[Cell]]:
    frame = result.frame
    return [
        [_cell(row, head, (place, head.name) in result.bold) for head in heads]
        for place, row in enumerate(frame.to_dict(orient="records"))
    ]


def _cell(row: dict[Any, Any], head: Head, bold: bool) -> Cell:
    value = row[head.name]
    if is_missing(value):
        reasons = (row.get(f"{head.name}_{REASON}"), row.get(REASON))
        reason = next((str(reason) for reason in reasons if not is_missing(reason)), "")
        return Cell(None, "–", head.numeric, reason=reason)
    if isinstance(value, (bool, np.bool_)):
        return Cell(str(value), "yes" if value else "no", False, bold)
    if is_number(value) and np.isfinite(value):
        return Cell(str(value), number(value, head.digits), head.numeric, bold)
    return Cell(str(value), str(value), head.numeric, bold)
