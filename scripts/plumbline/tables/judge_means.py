"""One mean a judge and condition, pooled as a table's option says, and how two such rankings compare."""

from __future__ import annotations

from dataclasses import replace
from typing import TypeAlias, cast

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from plumbline.config.pooling import MeanOfAll, MeanOfCells, PooledMean
from plumbline.statistics import Value, spearman
from plumbline.tables.grid import cell_means, counting
from plumbline.tables.inputs import Inputs

Averaging: TypeAlias = PooledMean | MeanOfAll | MeanOfCells

RANK_REASONS = {
    "empty": "fewer than two judges have a value",
    "constant": "all judges have the same value",
}
"""Words for an undefined rank correlation."""

ALL = "all judges"
"""Name of the row that puts the panel together."""


def judge_means(inputs: Inputs, rows: pd.DataFrame, option: Averaging, values: list[str]) -> pd.DataFrame:
    """Average columns by condition and judge (C-A2).

    Parameters
    ----------
    inputs
        Conditions and judges of the table.
    rows
        Columns `condition`, `judge`, `generator`, `tier`, `topology` and the values, one row a plan or
        verdict.
    option
        Which generators count, and whether records or cells of generator and tier weigh the same. With
        `alignment.weighting: topologies` it is the topologies of the paper in place of records (C-A28).
    values
        Columns that are averaged.

    Returns
    -------
    pandas.DataFrame
        The values and `n` (rows), indexed by `condition` and `judge`, all of the table's in its order; NaN
        and 0 where there is no row.
    """
    keys = ["condition", "judge"]
    chosen = counting(inputs, rows[rows["generator"].isin(inputs.pooled_generators(option))])
    if option.average == "cells":
        cells = cell_means(inputs, chosen, [*keys, "generator", "tier"], values)
        means = cells.groupby(level=keys, sort=False).mean()
    else:
        means = cell_means(inputs, chosen, keys, values)
    index = pd.MultiIndex.from_product([inputs.conditions, inputs.judges], names=keys)
    means = means.reindex(index)
    means["n"] = chosen.groupby(keys, sort=False).size().reindex(index, fill_value=0).astype(int)
    return means


def averaging_note(inputs: Inputs, option: Averaging) -> str:
    """Say what a mean is over."""
    plans = "plan" if inputs.config.alignment.weighting == "records" else "topology"
    weighed = f"every {plans if option.average == 'records' else 'cell'} weighs the same"
    return f"Means over the generators {', '.join(inputs.pooled_generators(option))}; {weighed}."


def of_condition(means: pd.DataFrame, condition: str) -> pd.DataFrame:
    """Give the rows of a condition, indexed by judge."""
    return cast(pd.DataFrame, means.loc[condition])


def panel_values(inputs: Inputs, values: pd.Series) -> pd.Series:
    """Keep the judges of the panel, in its order; `values` is indexed by judge."""
    return values.reindex(inputs.panel)


def named(values: pd.Series) -> dict[str, object]:
    """Give the values of a line by name."""
    return {str(name): value for name, value in values.items()}


def rank_agreement(first: ArrayLike, second: ArrayLike) -> Value:
    """Spearman of two lists of values, over the places where both are known."""
    pair = np.array([first, second], dtype=float)
    pair = pair[:, ~np.isnan(pair).any(axis=0)]
    return spearman(*pair) if pair.shape[1] > 1 else Value(None, "empty")


def of_conditions(inputs: Inputs, conditions: list[str]) -> Inputs:
    """Keep the verdicts of some conditions only, if matches do not rest on the others (C-A6)."""
    if inputs.config.alignment.pairing == "both":
        return inputs
    return replace(inputs, verdicts=inputs.verdicts[inputs.verdicts["condition"].isin(conditions)])


def showing_expected(inputs: Inputs) -> list[str]:
    """Conditions of the table that show the expected calls."""
    return [name for name in inputs.conditions if inputs.config.conditions[name].reference == "expected"]
