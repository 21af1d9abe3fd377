"""The verdicts of a block as arrays, so that judges stand side by side on the same plan."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from plumbline.config.pooling import Pool, PooledMean
from plumbline.statistics import matches
from plumbline.tables.collect import VERDICT_KEY
from plumbline.tables.grid import Grid, weighted_grid
from plumbline.tables.inputs import REFERENCES, VERDICTS, Inputs
from plumbline.tables.pooling import CellMeans

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class VerdictArray:
    """Verdicts of some judges under one condition.

    Parameters
    ----------
    judges, generators, tiers
        Names along the axes; records are those of `Inputs.records`.
    references
        Programmatic scores, (records, tiers, generators, metrics); NaN where a plan was lost.
    verdicts
        (records, tiers, generators, replicates, judges, metrics); NaN where there is none.
    ok
        Whether there is an ok verdict, (records, tiers, generators, replicates, judges). A verdict may be ok
        and lack a metric, if `verdicts.missing_metric` says so.
    """

    judges: list[str]
    generators: list[str]
    tiers: list[str]
    references: Floats
    verdicts: Floats
    ok: NDArray[np.bool_]

    def matches(self) -> Floats:
        """Match of each verdict in points, mean of its metrics; shape of `ok`, NaN where it is false."""
        found = matches(self.references[:, :, :, None, None], self.verdicts) * 100
        # a missing metric of an ok verdict matches in nothing (C-A7)
        return np.where(self.ok, np.nan_to_num(found).mean(axis=-1), np.nan)


def verdict_arrays(inputs: Inputs, judges: list[str], pool: Pool) -> dict[str, VerdictArray]:
    """Put the ok verdicts of a block into arrays, one array for each shown condition.

    Parameters
    ----------
    inputs
        The block.
    judges
        Who is taken, in this order.
    pool
        Which generators' plans are taken.
    """
    generators = inputs.pooled_generators(pool)
    rows = inputs.ok_verdicts[[*VERDICT_KEY, *VERDICTS]].assign(ok=1.0)
    plans = {
        "record_id": pd.Index(inputs.records["record_id"]),
        "tier": pd.Index(inputs.tiers),
        "generator": pd.Index(generators),
    }
    axes = {
        "condition": pd.Index(inputs.conditions),
        **plans,
        "replicate": pd.RangeIndex(rows["replicate"].max() + 1 if len(rows) else 1),
        "judge": pd.Index(judges),
    }
    references = _array(inputs.usable_plans, plans, REFERENCES)
    values = _array(rows, axes, [*VERDICTS, "ok"])
    return {
        condition: VerdictArray(
            judges, generators, inputs.tiers, references, each[..., :-1], each[..., -1] == 1
        )
        for condition, each in zip(inputs.conditions, values, strict=True)
    }


def pooled_series(inputs: Inputs, values: Floats, pool: PooledMean) -> Grid | CellMeans:
    """Average several values of plans, all in one draw of the records.

    Parameters
    ----------
    values
        (records, series, tiers, generators); NaN is left out.
    pool
        Whether each plan weighs the same, or each cell of tier and generator.

    Returns
    -------
    Grid or CellMeans
        One cell for each series.
    """
    records, series = values.shape[:2]
    totals, sizes = np.nan_to_num(values), (~np.isnan(values)).astype(float)
    names: list[tuple[str, ...]] = [(str(place),) for place in range(series)]
    if pool.average == "records":
        return weighted_grid(inputs, names, totals.sum(axis=(2, 3)), sizes.sum(axis=(2, 3)))
    parts = [(*name, str(part)) for name in names for part in range(values[0, 0].size)]
    cells = weighted_grid(inputs, parts, totals.reshape(records, -1), sizes.reshape(records, -1))
    return CellMeans(names, cells)


def _array(rows: pd.DataFrame, axes: Mapping[str, pd.Index], values: list[str]) -> Floats:
    """Spread columns over the axes and the values; NaN where there is no row."""
    codes = [names.get_indexer(pd.Index(rows[column])) for column, names in axes.items()]
    known = np.all([code >= 0 for code in codes], axis=0)
    shape = [len(names) for names in axes.values()]
    result: Floats = np.full((*shape, len(values)), np.nan)
    result[tuple(code[known] for code in codes)] = rows[values].to_numpy(float)[known]
    return result
