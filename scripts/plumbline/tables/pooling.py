"""Means over the plans of several generators and tiers, by record or by cell (C-A2)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from plumbline.config.pooling import Pool, PooledMean
from plumbline.statistics import Interval
from plumbline.tables.grid import Grid, grid
from plumbline.tables.inputs import Inputs
from plumbline.tables.notes import verdict_notes

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class CellMeans:
    """Means over cells of tier and generator, each weighing the same; to be read like a `Grid`.

    Parameters
    ----------
    cells
        What the means are by.
    parts
        Grid of these cells by tier and generator.
    """

    cells: list[tuple[str, ...]]
    parts: Grid

    @property
    def counts(self) -> NDArray[np.int64]:
        """Values that each mean rests on, (cells,)."""
        counts = self.parts.counts.reshape(len(self.cells), -1).sum(axis=1)
        return np.asarray(counts, dtype=np.int64)

    @property
    def means(self) -> Floats:
        """Mean over the parts that have values, (cells,); NaN if none has."""
        means = self.parts.means.reshape(len(self.cells), -1)
        known = (~np.isnan(means)).sum(axis=1)
        result: Floats = np.full(len(means), np.nan)
        np.divide(np.nan_to_num(means).sum(axis=1), known, out=result, where=known > 0)
        return result

    def intervals(self) -> list[Interval]:
        """Interval of each mean, by resampling records."""
        size = len(self.parts.cells) // len(self.cells)
        # weights 0 everywhere but in the cell's own parts
        return [self.parts.combined(row) for row in np.kron(np.eye(len(self.cells)), np.full(size, 1 / size))]


def pooled_grid(
    inputs: Inputs, rows: pd.DataFrame, keys: dict[str, list[str]], pool: PooledMean, value: str = "match"
) -> Grid | CellMeans:
    """Average a value over the plans that a table pools.

    Parameters
    ----------
    rows
        Columns `record_id`, `tier`, `generator`, the keys and the value.
    keys
        Columns that make up a cell of the table, each with its names.
    pool
        Whose plans are pooled, and whether each plan weighs the same, or each cell of tier and generator.
    """
    generators = inputs.pooled_generators(pool)
    if pool.average == "records":
        return grid(inputs, rows[rows["generator"].isin(generators)], keys, value=value)
    parts = grid(inputs, rows, {**keys, "tier": inputs.tiers, "generator": generators}, value=value)
    each = len(inputs.tiers) * len(generators)
    return CellMeans([cell[: len(keys)] for cell in parts.cells[::each]], parts)


def pool_notes(inputs: Inputs, pool: Pool, *, alignment: bool = True) -> list[str]:
    """Say whose plans are pooled, what weighs the same, and how many verdicts this rests on.

    Parameters
    ----------
    alignment
        As for `verdict_notes`.
    """
    taken = inputs.pooled_generators(pool)
    left = [name for name in inputs.generators if name not in taken]
    note = f"Plans of {', '.join(taken)} pooled"
    if left:
        note += f"; left out: {', '.join(left)}"
    elif inputs.config.open_weight and not set(taken) & set(inputs.config.open_weight):
        note += "; `open_weight` names none of this block's generators"
    notes = [f"{note}."]
    if isinstance(pool, PooledMean) and pool.average == "cells":
        notes.append("Means over cells of tier and generator, each weighing the same.")
    return [*notes, *verdict_notes(inputs, alignment=alignment, generators=taken)]
