"""Alignment by metric (A28) and by topology (A29), verdicts of generators and tiers pooled (C-A2)."""

from __future__ import annotations

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from plumbline.records import METRICS, TOPOLOGIES
from plumbline.tables.alignment import NAMES, highest
from plumbline.tables.drawing import grouped_bars, heat_map
from plumbline.tables.grid import REASONS, Grid, reasons
from plumbline.tables.inputs import MATCHES, Inputs
from plumbline.tables.notes import counted
from plumbline.tables.pooling import CellMeans, pool_notes, pooled_grid
from plumbline.tables.result import Column, TableResult


def metric_table(inputs: Inputs) -> TableResult:
    """Mean match by judge, condition and metric (A28).

    Returns
    -------
    TableResult
        Columns `condition`, `judge`, the four metrics and their `mean` in percent, `n`, `reason`. Bold: best
        of a column within a condition. Notes give the spread over judges. Both leave out judges that stay
        outside means.
    """
    rows = _rows(inputs)
    frame = pd.DataFrame([cell[:2] for cell in rows.cells], columns=["condition", "judge"])
    for metric, column in zip([*METRICS, "mean"], [*MATCHES, "match"], strict=True):
        frame[metric] = _rows(inputs, column).means
    frame["n"] = rows.counts
    frame["reason"] = reasons(frame["n"] == 0)
    columns = {name: NAMES[name] for name in ("condition", "judge")}
    columns |= {metric: Column(metric.replace("_", " "), "%", 1) for metric in METRICS}
    columns["mean"] = Column("Mean", "%", 1, "Mean of the four metrics.")
    columns["n"] = Column("N", digits=0, help="Plans with an ok verdict, all tiers.")
    notes = (
        *_spread(frame[frame["judge"].isin(inputs.panel)]),
        *pool_notes(inputs, inputs.config.tables.per_metric),
    )
    return TableResult(
        frame, columns, notes, highest(frame, [*METRICS, "mean"], frame["condition"], inputs.panel)
    )


def metric_figure(inputs: Inputs) -> Figure:
    """Mean match of each metric, one bar per judge with its interval, one panel per condition (A28)."""
    parts = []
    for metric, column in zip(METRICS, MATCHES, strict=True):
        cells = _rows(inputs, column)
        for (condition, judge), found in zip(cells.cells, cells.intervals(), strict=True):
            parts.append((condition, metric, judge, found.mean, found.low, found.high))
    frame = pd.DataFrame(parts, columns=["panel", "group", "series", "value", "lo", "hi"])
    frame[["value", "lo", "hi"]] = frame[["value", "lo", "hi"]].astype(float)
    return grouped_bars(frame, ylabel="match (%)", title="Alignment by metric")


def topology_table(inputs: Inputs) -> TableResult:
    """Alignment by judge, condition and topology (A29).

    Returns
    -------
    TableResult
        Columns `condition`, `judge`, the six topologies in percent, `easiest`, `hardest` and `ranking` (all
        that have a value, easiest first; equal at one decimal is a tie), `<topology>.n`. Other topologies
        stay out and are counted in a note (C-A52).
    """
    cells = _by_topology(inputs)
    shape = (len(inputs.conditions) * len(inputs.judges), len(TOPOLOGIES))
    rows = [(condition, judge) for condition in inputs.conditions for judge in inputs.judges]
    frame = pd.DataFrame(rows, columns=["condition", "judge"])
    columns = {name: NAMES[name] for name in ("condition", "judge")}
    present = set(inputs.records["topology"])
    for place, topology in enumerate(TOPOLOGIES):
        values = cells.means.reshape(shape)[:, place]
        why = REASONS["empty"] if topology in present else "no record of this topology"
        frame[topology] = values
        columns[topology] = Column(topology.replace("_", " "), "%", 1)
        if np.isnan(values).any():
            frame[f"{topology}_reason"] = reasons(np.isnan(values), why)
    ranked = [_ranked(line) for line in frame[list(TOPOLOGIES)].to_numpy(float)]
    frame["easiest"] = [tied[0] if tied else None for tied in ranked]
    frame["hardest"] = [tied[-1] if len(tied) > 1 else None for tied in ranked]
    frame["ranking"] = [" > ".join(tied) or None for tied in ranked]
    frame["hardest_reason"] = reasons(frame["hardest"].isna(), "fewer than two topologies can be told apart")
    frame["easiest_reason"] = frame["ranking_reason"] = reasons(frame["easiest"].isna())
    columns["easiest"] = Column("Easiest", help="Highest alignment; several names are equal at one decimal.")
    columns["hardest"] = Column("Hardest", help="Lowest alignment.")
    columns["ranking"] = Column("Ranking", help="From the easiest topology to the hardest.")
    for place, topology in enumerate(TOPOLOGIES):
        frame[f"{topology}.n"] = cells.counts.reshape(shape)[:, place]
        columns[f"{topology}.n"] = Column(f"N {topology.replace('_', ' ')}", digits=0)
    notes = (*_others(inputs), *pool_notes(inputs, inputs.config.tables.per_topology))
    return TableResult(frame, columns, notes)


def _ranked(values: np.ndarray) -> list[str]:
    """Give the topologies from the highest value to the lowest, those equal at one decimal together."""
    shown = values.round(1)
    return [
        ", ".join(name for name, its in zip(TOPOLOGIES, shown, strict=True) if its == value)
        for value in sorted(set(shown[~np.isnan(shown)]), reverse=True)
    ]


def topology_figure(inputs: Inputs) -> Figure:
    """Alignment by judge and topology as a heat map, for the shown condition (A29)."""
    means = _by_topology(inputs).means.reshape(len(inputs.conditions), len(inputs.judges), len(TOPOLOGIES))
    matrix = pd.DataFrame(means[0], index=inputs.judges, columns=list(TOPOLOGIES))
    title = f"Alignment by topology, {inputs.conditions[0]}"
    return heat_map(matrix, title=title, label="alignment (%)")


def _rows(inputs: Inputs, value: str = "match") -> Grid | CellMeans:
    keys = {"condition": inputs.conditions, "judge": inputs.judges}
    return pooled_grid(inputs, inputs.matched, keys, inputs.config.tables.per_metric, value)


def _by_topology(inputs: Inputs) -> Grid | CellMeans:
    keys = {"condition": inputs.conditions, "judge": inputs.judges, "topology": list(TOPOLOGIES)}
    return pooled_grid(inputs, inputs.matched, keys, inputs.config.tables.per_topology)


def _spread(frame: pd.DataFrame) -> list[str]:
    """Say how far the judges lie apart on each metric."""
    notes = []
    for condition, rows in frame.groupby("condition", sort=False):
        known = rows[list(METRICS)].dropna()
        if len(known) > 1:
            apart = known.max() - known.min()
            words = ", ".join(f"{metric.replace('_', ' ')} {apart[metric]:.1f}" for metric in METRICS)
            notes.append(f"{condition}, from the lowest judge to the highest, in pp: {words}.")
    return notes


def _others(inputs: Inputs) -> list[str]:
    other = inputs.records[~inputs.records["topology"].isin(TOPOLOGIES)]["topology"]
    if other.empty:
        return []
    return [
        f"Left out, since their calls have none of the six shapes: {len(other):,} records ({counted(other)})."
    ]
