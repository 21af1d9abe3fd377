"""Means over the cells of a table, with the intervals that all cells draw together."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from itertools import product

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from plumbline.records import TOPOLOGIES
from plumbline.statistics import Interval
from plumbline.statistics.resampling import summarise
from plumbline.tables.inputs import Inputs

Floats = NDArray[np.float64]

REASONS = {
    "empty": "no ok verdict",
    "single_unit": "one record alone gives no interval",
}
"""Words for the reasons of `plumbline.statistics`."""


def reasons(missing: ArrayLike, words: str = REASONS["empty"]) -> list[str | None]:
    """Say why values are missing, None where they are not; for a reason column."""
    return [words if flag else None for flag in np.asarray(missing, dtype=bool)]


@dataclass(frozen=True)
class Grid:
    """Sums and counts of a value by record and cell.

    Parameters
    ----------
    inputs
        Where the records and their draw come from.
    cells
        Every combination of the names of the grid's keys, also those without a value.
    totals, weights
        (records, cells): weighted sum of a record's values in a cell, and the sum of their weights.
    counts
        (cells,): values in each cell.
    """

    inputs: Inputs
    cells: list[tuple[str, ...]]
    totals: Floats
    weights: Floats
    counts: NDArray[np.int64]

    @property
    def means(self) -> Floats:
        """Mean of each cell, (cells,); NaN in an empty one."""
        return _ratio(self.totals.sum(axis=0), self.weights.sum(axis=0))

    @cached_property
    def resampled(self) -> Floats:
        """Mean of each cell in each resample of the records, (resamples, cells)."""
        return self.inputs.resampling.means(self.totals, self.weights)

    def intervals(self) -> list[Interval]:
        """Interval of each cell's mean, by resampling records (A21)."""
        settings = self.inputs.config.bootstrap
        return self.inputs.resampling.intervals(
            self.totals, self.weights, settings.level, settings.percentile
        )

    def combined(self, combination: Floats) -> Interval:
        """Interval of a weighted sum of cell means, for instance a mean of cells or a difference of two.

        Parameters
        ----------
        combination
            (cells,). Cells without values are left out, and the positive and the negative weights of
            the others are scaled up to their former sums.
        """
        return self.interval_of(lambda means: _weighted(means, combination), combination != 0)

    def interval_of(
        self, statistic: Callable[[Floats], Floats], used: NDArray[np.bool_] | None = None
    ) -> Interval:
        """Interval of any statistic of cell means.

        Parameters
        ----------
        statistic
            From cell means, (n, cells), to one value a row, (n,); NaN where it is undefined.
        used
            (cells,): cells that the statistic looks at; all if None.
        """
        settings = self.inputs.config.bootstrap
        value = float(statistic(self.means[None, :])[0])
        weights = self.weights if used is None else self.weights[:, used]
        units = self.inputs.resampling.independent(np.any(weights > 0, axis=1))
        draws = statistic(self.resampled)
        known = not np.isnan(value) and not np.isnan(draws).all()
        return summarise(
            value if known else None, draws, units if known else 0, settings.level, settings.percentile
        )


def grid(inputs: Inputs, rows: pd.DataFrame, keys: dict[str, list[str]], value: str = "match") -> Grid:
    """Sum a value by record and cell.

    Parameters
    ----------
    inputs
        Holds the records.
    rows
        Columns `record_id`, the keys and the value.
    keys
        Columns that make up a cell, each with all its names in the order of the table; rows with another
        name are left out.
    value
        Column that is averaged; nulls are left out.

    Notes
    -----
    Every value of a cell weighs the same or, with `alignment.weighting: topologies`, every topology of the
    paper; records of other topologies are then left out (C-A28).
    """
    cells = list(product(*keys.values()))
    place = np.zeros(len(rows), dtype=np.int64)
    valid = rows[value].notna().to_numpy()
    for column, names in keys.items():
        code = pd.Index(names).get_indexer(pd.Index(rows[column]))
        valid = valid & (code >= 0)
        place = place * len(names) + code
    record = pd.Index(inputs.records["record_id"]).get_indexer(pd.Index(rows["record_id"]))
    flat = (record * len(cells) + place)[valid]
    shape, size = (len(inputs.records), len(cells)), len(inputs.records) * len(cells)
    values = rows[value].to_numpy(float)[valid]
    totals = np.bincount(flat, weights=values, minlength=size).reshape(shape).astype(float)
    weights = np.bincount(flat, minlength=size).reshape(shape).astype(float)
    return weighted_grid(inputs, cells, totals, weights)


def cell_means(inputs: Inputs, rows: pd.DataFrame, keys: list[str], values: list[str]) -> pd.DataFrame:
    """Average columns by cell as `grid` does, without intervals.

    Parameters
    ----------
    rows
        Columns `topology`, the keys and the values; nulls are left out.
    keys, values
        What a cell is, and the columns that are averaged.

    Returns
    -------
    pandas.DataFrame
        The values by cell, of the cells that have a row that counts.
    """
    if inputs.config.alignment.weighting != "topologies":
        return rows.groupby(keys, sort=False)[values].mean()
    by_topology = counting(inputs, rows).groupby([*keys, "topology"], sort=False)[values].mean()
    return by_topology.groupby(level=keys, sort=False).mean()


def counting(inputs: Inputs, rows: pd.DataFrame) -> pd.DataFrame:
    """Keep the rows that weigh anything: where topologies weigh the same those of the paper's (C-A28)."""
    if inputs.config.alignment.weighting != "topologies":
        return rows
    return rows[rows["topology"].isin(TOPOLOGIES)]


def weighted_grid(inputs: Inputs, cells: list[tuple[str, ...]], totals: Floats, sizes: Floats) -> Grid:
    """Make a grid of sums, values weighing the same or topologies weighing the same (C-A28).

    Parameters
    ----------
    totals, sizes
        (records, cells): sum and number of a record's values in a cell.
    """
    if inputs.config.alignment.weighting == "topologies":
        shares = _topology_shares(inputs, sizes)
        counts = np.where(shares > 0, sizes, 0.0).sum(axis=0).astype(np.int64)
        return Grid(inputs, cells, totals * shares, sizes * shares, counts)
    return Grid(inputs, cells, totals, sizes, sizes.sum(axis=0).astype(np.int64))


def _topology_shares(inputs: Inputs, sizes: Floats) -> Floats:
    """Weight of one value of each record in each cell, so that a cell's topologies weigh the same."""
    topology = pd.Index(TOPOLOGIES).get_indexer(pd.Index(inputs.records["topology"]))
    member = (topology[None, :] == np.arange(len(TOPOLOGIES))[:, None]).astype(float)
    in_topology = member @ sizes
    shares: Floats = member.T @ _ratio(np.ones_like(in_topology), in_topology, empty=0.0)
    return shares


def _ratio(totals: Floats, weights: Floats, empty: float = np.nan) -> Floats:
    result: Floats = np.full(totals.shape, empty)
    np.divide(totals, weights, out=result, where=weights > 0)
    return result


def _weighted(means: Floats, combination: Floats) -> Floats:
    """Weighted sum along the last axis over the cells that have a mean; NaN if a sign has none left."""
    result = np.zeros(means.shape[0])
    for part in (np.clip(combination, 0, None), np.clip(combination, None, 0)):
        if part.any():
            present = ~np.isnan(means) @ part
            # the share of the weight that is present, so that a missing cell changes no scale
            result += _ratio(np.nan_to_num(means) @ part, present / part.sum())
    return result
