"""What seeing the expected calls changes: the lift of each judge (A24, equation 5b)."""

from __future__ import annotations

import numpy as np
import pandas as pd

from plumbline.statistics import Interval
from plumbline.tables.alignment import NAMES
from plumbline.tables.grid import REASONS, Grid, grid
from plumbline.tables.inputs import Inputs, paired
from plumbline.tables.notes import interval_notes, verdict_notes
from plumbline.tables.result import Column, TableResult

COLUMNS = NAMES | {
    "generators": Column("Generators", help="Averaged over those with open weights, or over all."),
    "condition_with": Column("With", help="The condition that shows the expected calls."),
    "condition_without": Column("Without", help="The condition that does not."),
    "aligned_with": Column("Alignment with", "%", 2, "Mean over generator and tier cells."),
    "aligned_without": Column("Alignment without", "%", 2, "Mean over generator and tier cells."),
    "lift": Column("Lift", "pp", 2, "With minus without, on plans with an ok verdict under both."),
    "lo": Column("From", "pp", 2, "Lower bound of the lift's interval."),
    "hi": Column("To", "pp", 2, "Upper bound of the lift's interval."),
    "cells": Column("Cells", digits=0, help="Generator and tier cells that have a paired plan."),
    "possible": Column("Possible cells", digits=0),
    "n": Column("N", digits=0, help="Plans with an ok verdict under both conditions."),
}


def lift_table(inputs: Inputs) -> TableResult:
    """Lift per judge with its interval, over the open-weight generators and over all (A24, C-A1).

    Returns
    -------
    TableResult
        One row per choice of generators (`open_weight`, `all`; one of them if they are the same), pair of
        conditions and judge: `judge`, `generators`, `condition_with`, `condition_without`, `aligned_with`,
        `aligned_without`, `lift`, `lo`, `hi`, `cells`, `possible`, `n`, `reason`. All are cell means over
        plans that have an ok verdict under both conditions.
    """
    pairs, notes = condition_pairs(inputs)
    cells = {pair: _cells(inputs, pair) for pair in pairs}
    rows = [
        _row(cells[pair], judge, label, generators, pair)
        for label, generators in inputs.generator_choices(inputs.config.lift)
        for pair in pairs
        for judge in inputs.judges
    ]
    names = ["judge", *(name for name in COLUMNS if name not in NAMES), "reason"]
    frame = pd.DataFrame(rows, columns=names)
    numeric = ["aligned_with", "aligned_without", "lift", "lo", "hi"]
    frame[numeric] = frame[numeric].astype(float)
    notes += [*_overlap(frame), *verdict_notes(inputs), *interval_notes(inputs)]
    columns = {name: COLUMNS[name] for name in names if name in COLUMNS}
    return TableResult(frame, columns, tuple(notes))


def condition_pairs(inputs: Inputs) -> tuple[list[tuple[str, str]], list[str]]:
    """Pair the conditions that show the expected calls with those that show no reference.

    Returns
    -------
    pairs, notes
        Pairs in the order of the block, first with first, second with second; and what was left out.
    """
    shows = {name: inputs.config.conditions[name].reference for name in inputs.conditions}
    shown = [name for name, reference in shows.items() if reference == "expected"]
    hidden = [name for name, reference in shows.items() if reference == "none"]
    pairs = list(zip(shown, hidden, strict=False))
    notes = []
    if not pairs:
        notes.append("The block has no pair of conditions with and without the expected calls.")
    elif len(shown) > 1 or len(hidden) > 1:
        words = "; ".join(f"{first} with {second}" for first, second in pairs)
        notes.append(f"Conditions are paired in the order of the block: {words}.")
    alone = [*shown[len(pairs) :], *hidden[len(pairs) :]]
    if alone:
        notes.append(f"Without a partner and left out: {', '.join(alone)}.")
    return pairs, notes


def _cells(inputs: Inputs, pair: tuple[str, str]) -> Grid:
    """Cells of both conditions, over plans with an ok verdict under both."""
    keys = {"condition": list(pair), "judge": inputs.judges}
    keys |= {"generator": inputs.generators, "tier": inputs.tiers}
    return grid(inputs, paired(inputs.matched, list(pair)), keys)


def _row(
    cells: Grid, judge: str, label: str, generators: list[str], pair: tuple[str, str]
) -> tuple[object, ...]:
    chosen = np.array([cell[1] == judge and cell[2] in generators for cell in cells.cells])
    shown = np.array([cell[0] == pair[0] for cell in cells.cells])
    half = int((chosen & shown).sum())
    sides = np.where(shown, 1.0, -1.0) * chosen / half
    lift = cells.combined(sides)
    present = chosen & shown & (cells.counts > 0)
    count = int(cells.counts[present].sum())
    levels = (_level(cells, np.clip(sides, 0, None)), _level(cells, np.clip(-sides, 0, None)))
    reason = "no plan has an ok verdict under both conditions" if lift.reason == "empty" else lift.reason
    words = REASONS.get(reason or "", reason)
    return judge, label, *pair, *levels, *_numbers(lift), int(present.sum()), half, count, words


def _level(cells: Grid, combination: np.ndarray) -> float | None:
    means, weights = cells.means, combination * (cells.counts > 0)
    return float(np.nansum(means * weights) / weights.sum()) if weights.any() else None


def _numbers(interval: Interval) -> tuple[float | None, float | None, float | None]:
    return interval.mean, interval.low, interval.high


def _overlap(frame: pd.DataFrame) -> list[str]:
    """Say whether judges that gain and judges that lose are told apart by their intervals."""
    notes = []
    first = frame[frame["generators"] == frame["generators"].iloc[0]] if len(frame) else frame
    for (shown, hidden), rows in first.groupby(["condition_with", "condition_without"], sort=False):
        gain, lose = rows[rows["lift"] > 0], rows[rows["lift"] < 0]
        if gain["lo"].notna().any() and lose["hi"].notna().any():
            verb = "overlap" if gain["lo"].min() <= lose["hi"].max() else "do not overlap"
            notes.append(
                f"{shown} against {hidden}: the intervals of judges that gain and of judges that lose {verb}."
            )
    return notes
