"""Means over the cells of a table, with the intervals that all cells draw together."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

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
        (records, cells): sum and number of a record's values in a cell.
    """

    inputs: Inputs
    cells: list[tuple[str, ...]]
    totals: Floats
    weights: Floats

    @property
    def counts(self) -> NDArray[np.int64]:
        """Values in each cell, (cells,)."""
        return np.asarray(self.weights.sum(axis=0), dtype=np.int64)

    @property
    def means(self) -> Floats:
        """Mean of each cell, every value weighing the same, (cells,); NaN in an empty one."""
        return _ratio(self.totals.sum(axis=0), self.weights.sum(axis=0))

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
        settings = self.inputs.config.bootstrap
        used = combination != 0
        resampled = self.inputs.resampling.means(self.totals[:, used], self.weights[:, used])
        value = _weighted(self.means[None, used], combination[used])[0]
        units = int((self.weights[:, used] > 0).any(axis=1).sum())
        mean = None if np.isnan(value) else float(value)
        return summarise(
            mean, _weighted(resampled, combination[used]), units, settings.level, settings.percentile
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
    return Grid(inputs, cells, totals, weights)


def _ratio(totals: Floats, weights: Floats) -> Floats:
    result: Floats = np.full(totals.shape, np.nan)
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
