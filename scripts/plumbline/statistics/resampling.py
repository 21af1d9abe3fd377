"""Confidence intervals by resampling units (records, or families of records) with replacement.

All cells of an experiment share one draw: a record recurs across generators, tiers and conditions, so
differences between cells are differences within the same resampled records (spec 1.3).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

Floats = NDArray[np.float64]
Rule = Literal["linear", "released"]

CHUNK = 256
"""Resamples that are in memory as floats at a time."""


@dataclass(frozen=True)
class Interval:
    """A percentile interval; bounds are None with a `reason` where it cannot be had.

    Reasons: `empty` (no value), `single_unit` (one unit cannot vary).
    """

    mean: float | None
    low: float | None
    high: float | None
    reason: str | None = None

    @property
    def half_width(self) -> float | None:
        """Half the distance of the bounds."""
        return None if self.low is None or self.high is None else (self.high - self.low) / 2


def interval_bounds(means: ArrayLike, level: float = 0.95, rule: Rule = "linear") -> tuple[float, float]:
    """Bounds of a percentile interval.

    Parameters
    ----------
    means
        One mean per resample; NaN (a resample without any value) is left out.
    level
        Coverage, for instance 0.95.
    rule
        `linear` interpolates between sorted means; `released` takes those at index floor(q * n), counted
        from 0 (C-A54).

    Raises
    ------
    ValueError
        If no mean is left.
    """
    values = np.asarray(means, dtype=float)
    values = np.sort(values[~np.isnan(values)])
    if values.size == 0:
        raise ValueError("no resample has a value")
    tail = (1 - level) / 2
    if rule == "linear":
        low, high = np.quantile(values, [tail, 1 - tail])
        return float(low), float(high)
    # 0.975 * 40 is 39 in arithmetic but may be 38.999... in floats
    index = [int(np.floor(round(q * values.size, 9))) for q in (tail, 1 - tail)]
    return float(values[index[0]]), float(values[min(index[1], values.size - 1)])


class Resampling:
    """One seeded draw of units, stratified, applied to any number of cells.

    Parameters
    ----------
    strata
        Stratum of each unit, (units,), any sortable labels; None for one stratum. Each resample draws as
        many units from a stratum as it has. A stratum of one unit could not vary, so such strata are
        drawn from together; if there is only one, it joins the smallest other.
    units
        Number of units; needed only without strata.
    resamples, seed
        How often is drawn, and the seed. The draw depends on these, and on the order of units.
    clusters
        Cluster of each unit, (units,), any labels, for instance template families: clusters are drawn
        whole instead of units. A cluster belongs to the stratum of its first unit. Each unit is its own
        if None.
    """

    def __init__(
        self,
        strata: ArrayLike | None = None,
        *,
        units: int = 0,
        resamples: int = 2000,
        seed: int = 42,
        clusters: ArrayLike | None = None,
    ) -> None:
        labels = np.zeros(units, dtype=int) if strata is None else np.asarray(strata)
        self.units = labels.size
        self.resamples = resamples
        members = np.arange(labels.size) if clusters is None else np.asarray(clusters)
        _, first, self._cluster = np.unique(members, return_index=True, return_inverse=True)
        drawn = _draw(_pooled_strata(labels[first]), resamples, np.random.default_rng(seed))
        self._counts = drawn[:, self._cluster]

    def independent(self, present: NDArray[np.bool_]) -> int:
        """Count the clusters (units, without clusters) among the marked units, (units,)."""
        return int(np.unique(self._cluster[present]).size)

    def means(self, totals: ArrayLike, weights: ArrayLike) -> Floats:
        """Means of each cell in each resample.

        Parameters
        ----------
        totals, weights
            Sum of the values, and number of values, that each unit has in each cell, (units, cells).

        Returns
        -------
        ndarray of float
            (resamples, cells); NaN where a resample holds no value of a cell.
        """
        stacked = np.hstack([np.asarray(totals, dtype=float), np.asarray(weights, dtype=float)])
        sums, sizes = np.hsplit(self.sums(stacked), 2)
        result = np.full(sums.shape, np.nan)
        np.divide(sums, sizes, out=result, where=sizes > 0)
        return result

    def sums(self, values: ArrayLike) -> Floats:
        """Sum over the drawn units in each resample.

        Parameters
        ----------
        values
            (units, columns).

        Returns
        -------
        ndarray of float
            (resamples, columns).
        """
        columns = np.asarray(values, dtype=float)
        result = np.empty((self.resamples, columns.shape[1]))
        for start in range(0, self.resamples, CHUNK):
            drawn = self._counts[start : start + CHUNK].astype(float)
            np.matmul(drawn, columns, out=result[start : start + CHUNK])
        return result

    def intervals(
        self, totals: ArrayLike, weights: ArrayLike, level: float = 0.95, rule: Rule = "linear"
    ) -> list[Interval]:
        """Mean and percentile interval of each cell; shapes as in `means`."""
        sums, sizes = np.asarray(totals, dtype=float), np.asarray(weights, dtype=float)
        resampled = self.means(sums, sizes)
        found = []
        for cell in range(sums.shape[1]):
            present = self.independent(sizes[:, cell] > 0)
            mean = sums[:, cell].sum() / sizes[:, cell].sum() if present else None
            found.append(summarise(mean, resampled[:, cell], present, level, rule))
        return found


def summarise(
    mean: float | None, resampled: Floats, units: int, level: float = 0.95, rule: Rule = "linear"
) -> Interval:
    """Interval of a statistic from its value in each resample.

    Parameters
    ----------
    mean
        The statistic itself, None if undefined.
    resampled
        Its value in each resample, (resamples,).
    units
        Units that it rests on; fewer than two give no bounds.
    """
    if mean is None or units == 0:
        return Interval(None, None, None, "empty")
    if units == 1:
        return Interval(float(mean), None, None, "single_unit")
    low, high = interval_bounds(resampled, level, rule)
    return Interval(float(mean), low, high)


def bootstrap_interval(
    values: ArrayLike,
    clusters: ArrayLike | None = None,
    *,
    resamples: int = 2000,
    level: float = 0.95,
    seed: int = 42,
    rule: Rule = "linear",
) -> Interval:
    """Percentile interval of a mean, clusters (for instance template families) resampled with replacement.

    Parameters
    ----------
    values
        (items,), NaN left out.
    clusters
        Cluster of each item, (items,); each item is its own if None.
    """
    numbers = np.asarray(values, dtype=float)
    labels = np.arange(numbers.size) if clusters is None else np.asarray(clusters)
    kept = ~np.isnan(numbers)
    names, codes = np.unique(labels[kept], return_inverse=True)
    totals = np.bincount(codes, weights=numbers[kept], minlength=names.size)
    sizes = np.bincount(codes, minlength=names.size)
    draw = Resampling(units=names.size, resamples=resamples, seed=seed)
    return draw.intervals(totals[:, None], sizes[:, None], level, rule)[0]


def _pooled_strata(labels: NDArray[np.generic]) -> list[NDArray[np.intp]]:
    """Positions of the units of each stratum, strata of one unit put together."""
    names, codes = np.unique(labels, return_inverse=True)
    groups = [np.flatnonzero(codes == code) for code in range(names.size)]
    several = [group for group in groups if group.size > 1]
    alone = [group for group in groups if group.size == 1]
    if len(alone) == 1 and several:
        smallest = min(range(len(several)), key=lambda index: several[index].size)
        several[smallest] = np.sort(np.concatenate([several[smallest], alone[0]]))
    elif alone:
        several.append(np.concatenate(alone))
    return several


def _draw(groups: list[NDArray[np.intp]], resamples: int, random: np.random.Generator) -> NDArray[np.uint16]:
    """How often each unit is drawn, (resamples, units)."""
    units = sum(group.size for group in groups)
    counts = np.zeros((resamples, units), dtype=np.uint16)
    for group in groups:
        for start in range(0, resamples, CHUNK):
            rows = min(CHUNK, resamples - start)
            picks = random.integers(0, group.size, size=(rows, group.size))
            picks += np.arange(rows)[:, None] * group.size
            drawn = np.bincount(picks.ravel(), minlength=rows * group.size).reshape(rows, group.size)
            counts[start : start + rows, group] = drawn
    return counts
