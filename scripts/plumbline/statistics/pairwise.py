"""Agreement of every pair of raters at once, from their confusion tables (items A30 to A32)."""

from __future__ import annotations

from itertools import combinations, permutations
from math import factorial

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.stats import rankdata

from plumbline.statistics.agreement import LABELS, spearman
from plumbline.statistics.value import Value

Floats = NDArray[np.float64]

PERMUTATIONS = 10_000
"""Most permutations that are tried; fewer if there are no more."""


def pair_tables(marks: ArrayLike) -> Floats:
    """Confusion tables of all pairs of raters, by unit.

    Parameters
    ----------
    marks
        (units, items, raters): 0, 0.5 or 1, NaN where a rater has none. Units are what is resampled.

    Returns
    -------
    ndarray of float
        Counts, (units, pairs, 3, 3): rows the first rater, columns the second, pairs in the order of
        `itertools.combinations`. An item counts for a pair if both raters marked it.
    """
    given = np.asarray(marks, dtype=float)
    units, _, raters = given.shape
    # 1 at the rater's mark, nothing but 0 where there is none
    shown = (given[..., None] == np.array(LABELS)).reshape(units, -1, 3 * raters).astype(np.float32)
    counts = np.matmul(shown.transpose(0, 2, 1), shown).reshape(units, raters, 3, raters, 3)
    first, second = np.array(list(combinations(range(raters), 2)), dtype=np.intp).reshape(-1, 2).T
    # two index arrays apart from each other put the pairs first
    chosen: Floats = counts[:, first, :, second, :].transpose(1, 0, 2, 3).astype(float)
    return chosen


def agreements(tables: ArrayLike) -> Floats:
    """Share on the diagonal of each table, (..., 3, 3) to (...); NaN where a table is empty."""
    counts = np.asarray(tables, dtype=float)
    return _ratio(np.trace(counts, axis1=-2, axis2=-1), counts.sum(axis=(-2, -1)))


def kappas(tables: ArrayLike) -> Floats:
    """Cohen's kappa of each table, (..., 3, 3) to (...).

    NaN where a table is empty or both raters gave one and the same mark throughout (C-A16).
    """
    counts = np.asarray(tables, dtype=float)
    total = counts.sum(axis=(-2, -1))
    # products of counts stay whole numbers below 2^53, so that "chance agreement is 1" is exact
    chance = (counts.sum(axis=-1) * counts.sum(axis=-2)).sum(axis=-1)
    return _ratio(np.trace(counts, axis1=-2, axis2=-1) * total - chance, total * total - chance)


def half_shares(tables: ArrayLike) -> Floats:
    """Share of each table's disagreements in which one mark is 0.5, NaN where all agree (A32)."""
    counts = np.asarray(tables, dtype=float)
    apart = counts.sum(axis=(-2, -1)) - np.trace(counts, axis1=-2, axis2=-1)
    return _ratio(apart - counts[..., 0, 2] - counts[..., 2, 0], apart)


def distance_correlation(
    ranks: ArrayLike, pairs: ArrayLike, values: ArrayLike, seed: int = 42
) -> tuple[Value, float | None]:
    """Correlate the distance of two raters' ranks with a value of the pair (item A31, C-A17).

    Parameters
    ----------
    ranks
        One for each rater, (raters,).
    pairs
        Positions of two raters, (pairs, 2).
    values
        One for each pair, (pairs,), without NaN.
    seed
        For the draw of permutations, if there are more than `PERMUTATIONS`.

    Returns
    -------
    rho, p
        Spearman's rank correlation with mean ranks for ties, and the two-sided p value of exchanging the
        raters' ranks. Pairs share raters, so pairs themselves must not be exchanged. p is None if rho is
        undefined.
    """
    order, index = np.asarray(ranks, dtype=float), np.asarray(pairs, dtype=np.intp).reshape(-1, 2)
    numbers = np.asarray(values, dtype=float)
    rho = spearman(np.abs(order[index[:, 0]] - order[index[:, 1]]), numbers)
    if rho.value is None:
        return rho, None
    exchanged = order[_permutations(order.size, seed)]
    distances = np.abs(exchanged[:, index[:, 0]] - exchanged[:, index[:, 1]])
    found = _correlations(distances, numbers)
    return rho, float((np.abs(found) >= abs(rho.value) - 1e-12).mean())


def distance_correlations(distances: ArrayLike, values: ArrayLike) -> Floats:
    """Spearman's correlation of distances, (pairs,), with each row of values, (rows, pairs).

    Returns
    -------
    ndarray of float
        (rows,); NaN where a row or the distances are constant, or a row holds NaN.
    """
    rows = np.asarray(values, dtype=float)
    found = _correlations(rows, np.asarray(distances, dtype=float))
    found[np.isnan(rows).any(axis=1)] = np.nan
    return found


def _correlations(rows: Floats, fixed: Floats) -> Floats:
    first, second = rankdata(rows, axis=1), rankdata(fixed)
    first -= first.mean(axis=1, keepdims=True)
    second -= second.mean()
    return _ratio(first @ second, np.sqrt((first**2).sum(axis=1) * (second**2).sum()))


def _permutations(size: int, seed: int) -> NDArray[np.intp]:
    if factorial(size) <= PERMUTATIONS:
        return np.array(list(permutations(range(size))), dtype=np.intp)
    random = np.random.default_rng(seed)
    drawn = random.permuted(np.tile(np.arange(size), (PERMUTATIONS, 1)), axis=1)
    # the order as it is belongs to them, so that p is never 0
    drawn[0] = np.arange(size)
    return drawn


def _ratio(part: Floats, whole: Floats) -> Floats:
    result: Floats = np.full(np.shape(whole), np.nan)
    np.divide(part, whole, out=result, where=np.asarray(whole) > 0)
    return result
