"""How far two raters, or two rankings, agree (spec 1.3)."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.stats import rankdata

from plumbline.statistics.value import Value

LABELS = (0.0, 0.5, 1.0)
"""Marks of the rubric, in the order of confusion tables."""


def discretise(values: ArrayLike, low: float = 0.1, high: float = 0.9) -> NDArray[np.float64]:
    """Put scores on the marks: at most `low` is 0, at least `high` is 1, others 0.5; NaN stays (C-A16)."""
    scores = np.asarray(values, dtype=float)
    labels: NDArray[np.float64] = np.select(
        [np.isnan(scores), scores <= low, scores >= high], [np.nan, 0, 1], 0.5
    )
    return labels


def confusion(a: ArrayLike, b: ArrayLike) -> NDArray[np.int64]:
    """Count pairs of marks: rows `a`, columns `b`, order 0, 0.5, 1 (item A32).

    Raises
    ------
    ValueError
        If the two differ in length or hold anything but the three marks.
    """
    first, second = np.asarray(a, dtype=float), np.asarray(b, dtype=float)
    if first.shape != second.shape:
        raise ValueError(f"both raters need a mark for each item, got {first.shape} and {second.shape}")
    if not (np.isin(first, LABELS).all() and np.isin(second, LABELS).all()):
        raise ValueError("marks must be 0, 0.5 or 1; discretise other scores first")
    cells = (first * 2).astype(np.int64) * 3 + (second * 2).astype(np.int64)
    return np.bincount(cells.ravel(), minlength=9).reshape(3, 3).astype(np.int64)


def exact_agreement(a: ArrayLike, b: ArrayLike) -> Value:
    """Share of equal marks, in [0, 1] (item A30)."""
    table = confusion(a, b)
    total = int(table.sum())
    return Value(float(np.trace(table) / total)) if total else Value(None, "empty")


def cohen_kappa(a: ArrayLike, b: ArrayLike) -> Value:
    """Cohen's kappa of two raters, unweighted, three labels (item A30).

    Returns
    -------
    Value
        Undefined (`single_class`) only if both raters gave one and the same mark throughout, where chance
        agreement is 1 (C-A16).
    """
    table = confusion(a, b)
    total = int(table.sum())
    if total == 0:
        return Value(None, "empty")
    # integers, so that "chance agreement is 1" is exact
    chance = int(table.sum(axis=1) @ table.sum(axis=0))
    if chance == total * total:
        return Value(None, "single_class")
    return Value(float((np.trace(table) * total - chance) / (total * total - chance)))


def spearman(x: ArrayLike, y: ArrayLike) -> Value:
    """Rank correlation with mean ranks for ties (item A31, C-A17)."""
    first, second = np.asarray(x, dtype=float), np.asarray(y, dtype=float)
    if first.size == 0:
        return Value(None, "empty")
    if np.ptp(first) == 0 or np.ptp(second) == 0:
        return Value(None, "constant")
    return Value(float(np.corrcoef(rankdata(first), rankdata(second))[0, 1]))
