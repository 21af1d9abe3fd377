"""Ranks of a few things, for instance judges, and how surprising it is that two rankings agree."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.stats import rankdata, spearmanr

from plumbline.statistics.value import Value


def ranks_from_top(values: ArrayLike) -> NDArray[np.float64]:
    """Rank values, 1 for the highest, mean ranks for ties (C-A17); NaN stays NaN."""
    numbers = np.asarray(values, dtype=float)
    ranks: NDArray[np.float64] = np.full(numbers.shape, np.nan)
    known = ~np.isnan(numbers)
    ranks[known] = rankdata(-numbers[known])
    return ranks


def spearman_p_value(x: ArrayLike, y: ArrayLike) -> Value:
    """Two-sided p-value of a rank correlation, by the t distribution (item A52).

    Returns
    -------
    Value
        Undefined (`empty`) with fewer than three pairs, (`constant`) if a side never varies.

    Notes
    -----
    With six judges the t distribution is an approximation; it is the one behind the published value.
    """
    first, second = np.asarray(x, dtype=float), np.asarray(y, dtype=float)
    if first.size < 3:
        return Value(None, "empty")
    if np.ptp(first) == 0 or np.ptp(second) == 0:
        return Value(None, "constant")
    return Value(float(spearmanr(first, second).pvalue))
