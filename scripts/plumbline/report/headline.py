"""The few numbers of a run that its front page shows, taken from the tables and computed nowhere else."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import pandas as pd

from plumbline.config.settings import RunConfig
from plumbline.records.model import TIERS
from plumbline.report.templating import is_missing, number


@dataclass(frozen=True)
class Counts:
    """How many of those asked for could be read."""

    read: int
    asked: int

    @property
    def told(self) -> str:
        """Both numbers, as in a sentence."""
        return f"{self.read:,} of {self.asked:,}"

    @property
    def share(self) -> str:
        """Percentage, or a dash if nothing was asked for."""
        return f"{number(100 * self.read / self.asked, 1)} %" if self.asked else "–"


@dataclass(frozen=True)
class Lift:
    """Lift of a judge in percentage points with its interval; None with a reason where it is missing."""

    mean: float | None
    lo: float | None
    hi: float | None
    reason: str = ""

    @property
    def sign(self) -> int | None:
        """1 or -1 if the interval leaves out 0, 0 if it holds it, None without an interval."""
        if self.lo is None or self.hi is None:
            return None
        return 1 if self.lo > 0 else -1 if self.hi < 0 else 0


@dataclass(frozen=True)
class Headline:
    """One judge's line: mean alignment in percent by condition, lift, verdicts read."""

    judge: str
    means: dict[str, float | None]
    lift: Lift | None
    coverage: Counts | None


def headlines(config: RunConfig, tables: Mapping[str, pd.DataFrame]) -> list[Headline]:
    """Take one line per judge from the tables `alignment`, `gt_lift` and `coverage`.

    Parameters
    ----------
    config
        The run; only for the names of its conditions.
    tables
        By name, as their CSV files hold them.

    Returns
    -------
    list of Headline
        In the order of the table of alignment; empty without that table.

    Notes
    -----
    A mean here is the plain mean over the cells (generator and tier) that have a value, as in A18 and A26.
    """
    alignment = tables.get("alignment")
    if alignment is None:
        return []
    cells = _cells(alignment, config)
    return [
        Headline(
            judge,
            {name: _mean(alignment.loc[alignment["judge"] == judge, cells[name]]) for name in cells},
            _lift(tables.get("gt_lift"), judge),
            _coverage(tables.get("coverage"), judge),
        )
        for judge in dict.fromkeys(map(str, alignment["judge"]))
    ]


def plan_counts(tables: Mapping[str, pd.DataFrame]) -> Counts | None:
    """Give how many plans could be read, from the last total of the table `plan_status`."""
    table = tables.get("plan_status")
    if table is None:
        return None
    total = table[(table["generator"] == "total") & (table["tier"] == "total")]
    return Counts(int(total["ok"].sum()), int(total["possible"].sum()))


def _cells(alignment: pd.DataFrame, config: RunConfig) -> dict[str, list[str]]:
    """Give the columns of alignment by condition; their names are `<tier>.<condition>`."""
    return {
        condition: columns
        for condition in config.conditions
        if (columns := [f"{tier}.{condition}" for tier in TIERS if f"{tier}.{condition}" in alignment])
    }


def _mean(values: pd.DataFrame) -> float | None:
    known = values.to_numpy(dtype=float, na_value=np.nan)
    known = known[np.isfinite(known)]
    return float(known.mean()) if len(known) else None


def _lift(table: pd.DataFrame | None, judge: str) -> Lift | None:
    """Give the judge's lift; of several pairs of conditions the first."""
    rows = table[table["judge"] == judge] if table is not None else None
    if rows is None or rows.empty:
        return None
    row = rows.iloc[0]
    mean, lo, hi = (None if is_missing(row[name]) else float(row[name]) for name in ("lift", "lo", "hi"))
    return Lift(mean, lo, hi, "" if is_missing(row["reason"]) else str(row["reason"]))


def _coverage(table: pd.DataFrame | None, judge: str) -> Counts | None:
    if table is None:
        return None
    rows = table[table["judge"] == judge]
    return Counts(int(rows["ok"].sum()), int(rows["asked"].sum()))
