"""Alignment of judges with the programmatic reference (A18, A19, A21, A22)."""

from __future__ import annotations

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from plumbline.records import TOPOLOGIES
from plumbline.tables.drawing import line_by_tier
from plumbline.tables.grid import REASONS, Grid, grid, reasons
from plumbline.tables.inputs import Inputs
from plumbline.tables.notes import interval_notes, verdict_notes
from plumbline.tables.result import Column, TableResult

NAMES = {
    "generator": Column("Generator", help="Who wrote the plans."),
    "judge": Column("Judge"),
    "tier": Column("Tier", help="Difficulty of the query."),
    "condition": Column("Condition", help="How the judge was asked."),
}


def alignment_table(inputs: Inputs) -> TableResult:
    """Alignment by generator and judge (rows), tier and condition (columns) (A19).

    Returns
    -------
    TableResult
        Columns `generator`, `judge`, then `<tier>.<condition>` in percent for every tier and condition, then
        `<tier>.<condition>.n`. Bold: the highest of a column within a generator, among the judges that stay
        inside means; ties, equal at one decimal, are all bold.
    """
    cells = _cells(inputs)
    across = [f"{tier}.{condition}" for tier in inputs.tiers for condition in inputs.conditions]
    shape = (len(inputs.generators) * len(inputs.judges), len(across))
    means = cells.means.reshape(shape)
    rows = [(generator, judge) for generator in inputs.generators for judge in inputs.judges]
    frame = pd.DataFrame(rows, columns=["generator", "judge"])
    columns = {"generator": NAMES["generator"], "judge": NAMES["judge"]}
    for place, name in enumerate(across):
        frame[name] = means[:, place]
        columns[name] = Column(name.replace(".", ", "), "%", 1, "100 is full agreement with the program.")
        if np.isnan(means[:, place]).any():
            frame[f"{name}_reason"] = reasons(np.isnan(means[:, place]))
    for place, name in enumerate(across):
        frame[f"{name}.n"] = cells.counts.reshape(shape)[:, place]
        columns[f"{name}.n"] = Column(
            f"N {name.replace('.', ', ')}", digits=0, help="Plans with an ok verdict."
        )
    return TableResult(
        frame, columns, tuple(verdict_notes(inputs)), highest(frame, across, frame["generator"], inputs.panel)
    )


def interval_table(inputs: Inputs) -> TableResult:
    """Every cell with its interval, one row each (A21, C-A28).

    Returns
    -------
    TableResult
        Columns `generator`, `judge`, `tier`, `condition`, `mean`, `lo`, `hi`, `half_width`, `n`, `asked`,
        `balanced` (every topology of the paper weighing the same) and `reason`.
    """
    cells = _cells(inputs)
    keys = ["generator", "judge", "tier", "condition"]
    frame = pd.DataFrame(cells.cells, columns=keys)
    found = cells.intervals()
    frame["mean"] = [interval.mean for interval in found]
    frame["lo"] = [interval.low for interval in found]
    frame["hi"] = [interval.high for interval in found]
    frame["half_width"] = [interval.half_width for interval in found]
    numeric = ["mean", "lo", "hi", "half_width"]
    frame[numeric] = frame[numeric].astype(float)
    frame["n"] = cells.counts
    status = inputs.block_verdicts
    asked = status[status["status"] != "not_asked"].drop_duplicates(["record_id", *keys])
    frame["asked"] = (
        frame.join(asked.groupby(keys).size().rename("asked"), on=keys)["asked"].fillna(0).astype(int)
    )
    frame["balanced"] = _balanced(inputs)
    frame["balanced_reason"] = reasons(frame["balanced"].isna(), "no ok verdict on the paper's topologies")
    frame["reason"] = [REASONS.get(interval.reason or "") for interval in found]
    columns = NAMES | {
        "mean": Column("Alignment", "%", 2),
        "lo": Column("From", "%", 2, "Lower bound of the interval."),
        "hi": Column("To", "%", 2, "Upper bound of the interval."),
        "half_width": Column("Half width", "pp", 2),
        "n": Column("N", digits=0, help="Plans with an ok verdict."),
        "asked": Column("Asked", digits=0, help="Plans that the judge was asked about."),
        "balanced": Column("Topology-balanced", "%", 2, "Mean over topologies, each weighing the same."),
    }
    return TableResult(frame, columns, (*verdict_notes(inputs), *interval_notes(inputs)))


def degradation_figure(inputs: Inputs) -> Figure:
    """Mean alignment by tier, one line per condition; generators and judges weigh the same (A22, C-A5).

    Judges outside the panel are left out.
    """
    cells = _cells(inputs)
    pooled = inputs.pooled_generators(inputs.config.degradation)
    rows = []
    for condition in inputs.conditions:
        for tier in inputs.tiers:
            chosen = np.array(
                [
                    cell[2:] == (tier, condition) and cell[0] in pooled and cell[1] in inputs.panel
                    for cell in cells.cells
                ],
                dtype=float,
            )
            found = cells.combined(chosen / max(chosen.sum(), 1))
            rows.append((condition, tier, found.mean, found.low, found.high))
    frame = pd.DataFrame(rows, columns=["series", "tier", "mean", "lo", "hi"])
    frame[["mean", "lo", "hi"]] = frame[["mean", "lo", "hi"]].astype(float)
    return line_by_tier(frame, ylabel="alignment (%)", title="Alignment by difficulty")


def highest(
    frame: pd.DataFrame, columns: list[str], groups: pd.Series, judges: list[str] | None = None
) -> frozenset[tuple[int, str]]:
    """Find the highest values of each column within each group of rows; equal at one decimal is a tie.

    Rows of other judges than these are left out; None takes all rows.
    """
    best = set()
    among = pd.Series(True, index=frame.index) if judges is None else frame["judge"].isin(judges)
    for name in columns:
        shown = frame[name].round(1).where(among)
        top = shown.groupby(groups, sort=False).transform("max")
        best |= {(int(row), name) for row in np.flatnonzero(shown == top)}
    return frozenset(best)


def _cells(inputs: Inputs) -> Grid:
    keys = {
        "generator": inputs.generators,
        "judge": inputs.judges,
        "tier": inputs.tiers,
        "condition": inputs.conditions,
    }
    return grid(inputs, inputs.matched, keys)


def _balanced(inputs: Inputs) -> list[float]:
    """Mean over the topologies that a cell has, each weighing the same; NaN if it has none of the paper's."""
    keys = ["generator", "judge", "tier", "condition"]
    rows = inputs.matched[inputs.matched["topology"].isin(TOPOLOGIES)]
    means = rows.groupby([*keys, "topology"])["match"].mean().groupby(keys).mean()
    return [means.get(cell, np.nan) for cell in _cells(inputs).cells]
