"""How alignment falls with difficulty: every pair of generator and judge, and slopes (A22)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from plumbline.statistics import Interval
from plumbline.tables.alignment import NAMES
from plumbline.tables.grid import REASONS, Floats, Grid, grid, reasons
from plumbline.tables.inputs import Inputs
from plumbline.tables.lift import condition_pairs
from plumbline.tables.notes import interval_notes, verdict_notes
from plumbline.tables.result import Column, TableResult

ONE_TIER = "the run has one tier"
NO_PAIR = "no pair of generator and judge has an ok verdict on every tier"
NO_SLOPE = "the slope with the expected calls may be 0: its interval holds 0, or there is none"

SHOWN = 8
"""Exceptions that a note names."""


def checks_table(inputs: Inputs) -> TableResult:
    """Whether alignment falls strictly from each tier to the next, harder one (A22a).

    Returns
    -------
    TableResult
        One row per condition, generator and judge: the keys, `<tier>` in percent, `falls` (yes or no),
        `least_fall` (pp, of neighbouring tiers; 0 or less in an exception), `share` (percent of resamples in
        which it falls strictly), each with a reason where it is missing.
    """
    cells = grid(inputs, inputs.matched, _keys(inputs, inputs.generators))
    shape = (-1, len(inputs.tiers))
    means = cells.means.reshape(shape)
    keys = ["condition", "generator", "judge"]
    frame = pd.DataFrame([cell[:3] for cell in cells.cells[:: len(inputs.tiers)]], columns=keys)
    frame[inputs.tiers] = means
    falls = -np.diff(means, axis=1)
    known = np.asarray(~np.isnan(means).any(axis=1) & (len(inputs.tiers) > 1))
    least = falls.min(axis=1, initial=np.inf)
    frame["falls"] = [bool(value > 0) if flag else None for value, flag in zip(least, known, strict=True)]
    frame["least_fall"] = np.where(known, least, np.nan)
    frame["share"] = np.where(known, _share_falling(cells, shape), np.nan)
    missing = ONE_TIER if len(inputs.tiers) == 1 else "a tier has no ok verdict"
    frame["reason"] = reasons(~known, missing)
    columns = {name: NAMES[name] for name in keys}
    columns |= {tier: Column(tier, "%", 1) for tier in inputs.tiers}
    columns["falls"] = Column("Falls", help="Strictly lower on every harder tier.")
    columns["least_fall"] = Column("Least fall", "pp", 2, "From a tier to the next one; below 0 it rises.")
    columns["share"] = Column("Resamples", "%", 0, "Share of the resamples in which it falls strictly.")
    return TableResult(frame, columns, (*_exceptions(frame), *verdict_notes(inputs), *interval_notes(inputs)))


def slopes_table(inputs: Inputs) -> TableResult:
    """Slope from the easiest to the hardest tier, by judge and by generator (A22b to d, C-A5, C-A35, C-A36).

    Returns
    -------
    TableResult
        One row per condition and judge, generator, or all of them: `condition`, `view` (`judge`,
        `generator`, `all`), `name`, `<tier>` in percent (cell means, the other side weighing the same),
        `slope` (hardest minus easiest tier, pp) with `lo` and `hi`, `drop` (hard minus medium, pp) with
        `drop_lo` and `drop_hi`, `ratio` (of the slopes without and with the expected calls, on the rows
        without them) with `ratio_lo` and `ratio_hi`, and reasons. Judges outside the panel have a row but
        count in no mean.
    """
    generators = inputs.pooled_generators(inputs.config.degradation)
    cells = _Cells(grid(inputs, inputs.matched, _keys(inputs, generators)), inputs, generators)
    partner = {without: shown for shown, without in condition_pairs(inputs)[0]}
    rows = [
        _row(cells, condition, partner.get(condition), view, name)
        for condition in inputs.conditions
        for view, name in _views(inputs, generators)
    ]
    frame = pd.DataFrame(rows, columns=["condition", "view", "name", *inputs.tiers, *_MEASURES])
    frame["reason"] = reasons(frame[inputs.tiers].isna().any(axis=1), NO_PAIR)
    numeric = [*inputs.tiers, *(name for name in _MEASURES if not name.endswith("reason"))]
    frame[numeric] = frame[numeric].astype(float)
    pooled = f"Averaged over the generators {', '.join(generators)}."
    notes = (*_bands(inputs, frame), pooled, *verdict_notes(inputs), *interval_notes(inputs))
    return TableResult(frame, _slope_columns(inputs), notes)


_MEASURES = [
    *("slope", "lo", "hi", "slope_reason", "drop", "drop_lo", "drop_hi", "drop_reason"),
    *("ratio", "ratio_lo", "ratio_hi", "ratio_reason", "ratio_lo_reason", "ratio_hi_reason"),
]


@dataclass(frozen=True)
class _Cells:
    """Cells by condition, generator, judge and tier, and means over some of them."""

    grid: Grid
    inputs: Inputs
    generators: list[str]

    def weights(self, condition: str, view: str, name: str) -> NDArray[np.bool_]:
        """(cells / tiers,): which pairs of generator and judge a row averages over."""
        keys = [cell[:3] for cell in self.grid.cells[:: len(self.inputs.tiers)]]
        return np.array(
            [
                its == condition
                and (judge == name if view == "judge" else judge in self.inputs.panel)
                and (view != "generator" or generator == name)
                for its, generator, judge in keys
            ],
            dtype=bool,
        )

    def by_tier(self, means: Floats, chosen: NDArray[np.bool_]) -> Floats:
        """Mean of the chosen pairs by tier, (n, tiers), over pairs that have a value on every tier."""
        pairs = means.reshape(len(means), -1, len(self.inputs.tiers))[:, chosen]
        complete = np.asarray(~np.isnan(pairs).any(axis=2))
        sums = np.where(complete[:, :, None], pairs, 0.0).sum(axis=1)
        counts = complete.sum(axis=1)[:, None]
        result: Floats = np.full(sums.shape, np.nan)
        np.divide(sums, counts, out=result, where=counts > 0)
        return result

    def interval(self, first: int, last: int, chosen: NDArray[np.bool_]) -> Interval:
        """Interval of one tier's mean minus another's; tiers by place."""

        def difference(means: Floats) -> Floats:
            by_tier = self.by_tier(means, chosen)
            found: Floats = by_tier[:, last] - by_tier[:, first]
            return found

        return self.grid.interval_of(difference, np.repeat(chosen, len(self.inputs.tiers)))

    def ratio(self, chosen: NDArray[np.bool_], shown: NDArray[np.bool_]) -> Interval:
        """Interval of the ratio of two slopes."""

        def quotient(means: Floats) -> Floats:
            slopes = [by_tier[:, -1] - by_tier[:, 0] for by_tier in (self.by_tier(means, s) for s in sides)]
            found: Floats = np.full(len(means), np.nan)
            np.divide(slopes[0], slopes[1], out=found, where=slopes[1] != 0)
            return found

        sides = (chosen, shown)
        return self.grid.interval_of(quotient, np.repeat(chosen | shown, len(self.inputs.tiers)))


def _keys(inputs: Inputs, generators: list[str]) -> dict[str, list[str]]:
    return {
        "condition": inputs.conditions,
        "generator": generators,
        "judge": inputs.judges,
        "tier": inputs.tiers,
    }


def _views(inputs: Inputs, generators: list[str]) -> list[tuple[str, str]]:
    return [
        *(("judge", name) for name in inputs.judges),
        *(("generator", name) for name in generators),
        ("all", "all"),
    ]


def _row(cells: _Cells, condition: str, partner: str | None, view: str, name: str) -> tuple[object, ...]:
    tiers = cells.inputs.tiers
    chosen = cells.weights(condition, view, name)
    slope = drop = Interval(None, None, None, ONE_TIER)
    if len(tiers) > 1:
        slope = cells.interval(0, len(tiers) - 1, chosen)
        drop = Interval(None, None, None, "needs the tiers medium and hard")
    if {"medium", "hard"} <= set(tiers):
        drop = cells.interval(tiers.index("medium"), tiers.index("hard"), chosen)
    levels = cells.by_tier(cells.grid.means[None, :], chosen)[0]
    other = None if partner is None else cells.weights(partner, view, name)
    return condition, view, name, *levels, *_told(slope), *_told(drop), *_ratio(cells, chosen, other)


def _told(interval: Interval, empty: str = NO_PAIR) -> tuple[object, ...]:
    words = empty if interval.reason == "empty" else REASONS.get(interval.reason or "", interval.reason)
    return interval.mean, interval.low, interval.high, words


def _ratio(cells: _Cells, chosen: NDArray[np.bool_], shown: NDArray[np.bool_] | None) -> tuple[object, ...]:
    """Give the ratio of two slopes with its bounds, and the reasons of all three."""
    if shown is None:
        why = "stands beside the condition without the expected calls"
        return None, None, None, why, why, why
    last = len(cells.inputs.tiers) - 1
    if not last:
        return None, None, None, ONE_TIER, ONE_TIER, ONE_TIER
    *numbers, missing = _told(cells.ratio(chosen, shown), "no slope to divide by")
    slope = cells.interval(0, last, shown)
    if numbers[0] is not None and (slope.low is None or slope.high is None or slope.low <= 0 <= slope.high):
        # a divisor that may be 0 gives resampled ratios of any size
        return numbers[0], None, None, None, NO_SLOPE, NO_SLOPE
    return *numbers, missing, missing, missing


def _share_falling(cells: Grid, shape: tuple[int, int]) -> Floats:
    """Percentage of resamples in which each row's tiers fall strictly, of those that have all tiers."""
    drawn = cells.resampled.reshape(-1, *cells.means.reshape(shape).shape)
    complete = ~np.isnan(drawn).any(axis=2)
    falls = (np.diff(drawn, axis=2) < 0).all(axis=2) & complete
    share: Floats = np.full(complete.shape[1], np.nan)
    np.divide(100.0 * falls.sum(axis=0), complete.sum(axis=0), out=share, where=complete.any(axis=0))
    return share


def _exceptions(frame: pd.DataFrame) -> list[str]:
    notes = []
    for condition, rows in frame.groupby("condition", sort=False):
        known = rows[rows["falls"].notna()]
        if known.empty:
            continue
        rising = known[known["falls"].eq(False)]
        words = ", ".join(f"{row.judge} on {row.generator}" for row in rising.head(SHOWN).itertuples())
        words += f" and {len(rising) - SHOWN} more" if len(rising) > SHOWN else ""
        notes.append(
            f"{condition}: alignment falls strictly in {len(known) - len(rising)} of {len(known)} pairs"
            + (f"; not for {words}." if words else ".")
        )
    return notes


def _bands(inputs: Inputs, frame: pd.DataFrame) -> list[str]:
    """Say between which values judges, and generators, lie on the hardest tier."""
    tier, notes = inputs.tiers[-1], []
    for condition in inputs.conditions:
        words = []
        for view, names in (("judge", inputs.panel), ("generator", inputs.generators)):
            rows = frame[(frame["condition"] == condition) & (frame["view"] == view)]
            values = rows[rows["name"].isin(names)][tier].dropna()
            if len(values) > 1:
                low, high = values.min(), values.max()
                words.append(f"{view}s from {low:.1f} to {high:.1f} % ({high - low:.1f} pp apart)")
        if words:
            notes.append(f"{condition}, {tier}: {', '.join(words)}.")
    return notes


def _slope_columns(inputs: Inputs) -> dict[str, Column]:
    tiers: Sequence[str] = inputs.tiers
    columns = {
        "condition": NAMES["condition"],
        "view": Column("By", help="What a row is the mean of one of."),
    }
    columns["name"] = Column("Name")
    columns |= {tier: Column(tier, "%", 1, "Mean over cells, each weighing the same.") for tier in tiers}
    columns["slope"] = Column("Slope", "pp", 2, f"{tiers[-1]} minus {tiers[0]}.")
    columns |= {"lo": Column("Slope from", "pp", 2), "hi": Column("Slope to", "pp", 2)}
    columns["drop"] = Column("Last step", "pp", 2, "hard minus medium.")
    columns |= {"drop_lo": Column("Last step from", "pp", 2), "drop_hi": Column("Last step to", "pp", 2)}
    columns["ratio"] = Column("Ratio", digits=2, help="Slope without over slope with the expected calls.")
    return columns | {"ratio_lo": Column("Ratio from", digits=2), "ratio_hi": Column("Ratio to", digits=2)}
