"""What a table builder returns: a frame and how its columns are read."""

from __future__ import annotations

from dataclasses import dataclass, field

import pandas as pd

REASON = "reason"
"""A column of this name, or `X_reason` beside a column `X`, says why a value is missing."""


@dataclass(frozen=True)
class Column:
    """How one column is shown.

    Parameters
    ----------
    label
        Heading, in plain words.
    unit
        Shown beside the heading, for instance ``%`` or ``pp``.
    digits
        Decimals of a number; None shows the value as it is.
    help
        One sentence for the tooltip of the heading.
    """

    label: str
    unit: str = ""
    digits: int | None = None
    help: str = ""


@dataclass(frozen=True)
class TableResult:
    """A table as it is built, before it becomes CSV or HTML.

    Parameters
    ----------
    frame
        One row per line of the table, plain columns. The columns `reason` and `X_reason` hold why values are
        missing (null where they are not); the page shows them as tooltips, the CSV as columns.
    columns
        By name of a frame's column; a column that is not named here is shown under its own name.
    notes
        Sentences that stand below the table.
    bold
        Cells that are emphasised: position of the row from 0, name of the column.
    """

    frame: pd.DataFrame
    columns: dict[str, Column]
    notes: tuple[str, ...] = ()
    bold: frozenset[tuple[int, str]] = field(default_factory=frozenset)
