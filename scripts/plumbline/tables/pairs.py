"""Every pair of judges of a block: what the tables and figures of agreement share (A30 to A33)."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from plumbline.statistics import Interval, discretise
from plumbline.statistics.pairwise import agreements, half_shares, kappas, pair_tables
from plumbline.statistics.resampling import summarise
from plumbline.tables.arrays import verdict_arrays
from plumbline.tables.inputs import Inputs
from plumbline.tables.notes import interval_notes
from plumbline.tables.pooling import pool_notes

Floats = NDArray[np.float64]
Measure = Literal["agreement", "kappa"]

WORDS = {
    "empty": "no plan has an ok verdict of both",
    "single_class": "both gave one and the same mark throughout",
    "single_unit": "one record alone gives no interval",
}


@dataclass(frozen=True)
class Pairs:
    """All pairs of judges under one condition.

    Parameters
    ----------
    inputs
        The block.
    judges
        Those of the configuration's order, the outside ones last.
    counts
        Confusion tables by record, (records, pairs, 3, 3); rows the first judge.
    """

    inputs: Inputs
    judges: list[str]
    counts: Floats

    @cached_property
    def names(self) -> list[tuple[str, str]]:
        """Both judges of each pair."""
        return list(combinations(self.judges, 2))

    @cached_property
    def tables(self) -> Floats:
        """Confusion table of each pair, (pairs, 3, 3)."""
        return np.asarray(self.counts.sum(axis=0))

    @cached_property
    def inside(self) -> NDArray[np.bool_]:
        """Whether neither judge of a pair is an outside one, (pairs,)."""
        outside = self.inputs.config.agreement.outside
        return np.array([not set(pair) & set(outside) for pair in self.names], dtype=bool)

    @cached_property
    def verdicts(self) -> NDArray[np.int64]:
        """Scores that both judges of a pair gave, (pairs,)."""
        return np.asarray(self.tables.sum(axis=(1, 2)), dtype=np.int64)

    @cached_property
    def half(self) -> Floats:
        """Share of the disagreements that touch 0.5, in percent, (pairs,); NaN where there is none."""
        return 100 * half_shares(self.tables)

    def values(self, measure: Measure) -> Floats:
        """Agreement in percent, or kappa, of each pair; NaN where undefined."""
        return self._measured(self.tables, measure)

    def drawn(self, measure: Measure) -> Floats:
        """Resample the records: that value of each pair in each resample, (resamples, pairs)."""
        return self._measured(self._resampled, measure)

    def intervals(self, measure: Measure) -> list[Interval]:
        """Interval of each pair's measure."""
        drawn = self.drawn(measure)
        units = (self.counts.sum(axis=(2, 3)) > 0).sum(axis=0)
        return [
            self._interval(value, drawn[:, place], int(units[place]), int(self.verdicts[place]))
            for place, value in enumerate(self.values(measure))
        ]

    def mean(self, measure: Measure) -> Interval:
        """Interval of the mean over the inside pairs, undefined ones left out."""
        values, drawn = self.values(measure)[self.inside], self.drawn(measure)[:, self.inside]
        known = ~np.isnan(values)
        units = int((self.counts[:, self.inside][:, known].sum(axis=(2, 3)) > 0).any(axis=1).sum())
        mean = float(values[known].mean()) if known.any() else np.nan
        return self._interval(mean, _row_means(drawn[:, known]), units, int(self.verdicts[self.inside].sum()))

    def extremes(self) -> list[tuple[str, int]]:
        """Highest and lowest inside pair by kappa as (word, position); one of them if there is one pair."""
        kappa = np.where(self.inside, self.values("kappa"), np.nan)
        if np.isnan(kappa).all():
            return []
        found = [("highest", int(np.nanargmax(kappa))), ("lowest", int(np.nanargmin(kappa)))]
        return found[:1] if found[0][1] == found[1][1] else found

    @cached_property
    def _resampled(self) -> Floats:
        sums = self.inputs.resampling.sums(self.counts.reshape(len(self.counts), -1))
        return sums.reshape(len(sums), len(self.names), 3, 3)

    def _measured(self, tables: Floats, measure: Measure) -> Floats:
        if measure == "agreement":
            return 100 * agreements(tables)
        found = kappas(tables)
        if self.inputs.config.agreement.undefined == "zero":
            found[np.isnan(found) & (tables.sum(axis=(-2, -1)) > 0)] = 0
        return found

    def _interval(self, value: float, drawn: Floats, units: int, verdicts: int) -> Interval:
        if np.isnan(value):
            return Interval(None, None, None, "single_class" if verdicts else "empty")
        if np.isnan(drawn).all():
            return Interval(float(value), None, None, "single_unit")
        settings = self.inputs.config.bootstrap
        return summarise(float(value), drawn, units, settings.level, settings.percentile)


def pairs_of(inputs: Inputs) -> dict[str, Pairs]:
    """Compare all judges of a block, scores of the four metrics pooled, under each shown condition."""
    outside = inputs.config.agreement.outside
    judges = sorted(inputs.judges, key=lambda judge: judge in outside)
    low, high = inputs.config.agreement.thresholds
    found = {}
    for condition, each in verdict_arrays(inputs, judges, inputs.config.tables.agreement).items():
        marks = np.moveaxis(discretise(each.verdicts, low, high), 4, 5)
        counts = pair_tables(marks.reshape(len(marks), int(np.prod(marks.shape[1:5])), len(judges)))
        found[condition] = Pairs(inputs, judges, counts)
    return found


def pair_notes(inputs: Inputs, intervals: bool = True) -> list[str]:
    """Say what a table of pairs rests on."""
    low, high = inputs.config.agreement.thresholds
    notes = [
        f"A score up to {low:g} counts as 0, from {high:g} on as 1, between them as 0.5.",
        *pool_notes(inputs, inputs.config.tables.agreement, alignment=False),
    ]
    outside = [judge for judge in inputs.judges if judge in inputs.config.agreement.outside]
    if outside:
        notes.append(f"Outside the means and extremes: {', '.join(outside)}.")
    if len(inputs.judges) < 2:
        notes.append("The block has one judge, so there is no pair.")
    return [*notes, *interval_notes(inputs)] if intervals else notes


def _row_means(values: Floats) -> Floats:
    known = ~np.isnan(values)
    result: Floats = np.full(len(values), np.nan)
    np.divide(np.nan_to_num(values).sum(axis=1), known.sum(axis=1), out=result, where=known.any(axis=1))
    return result
