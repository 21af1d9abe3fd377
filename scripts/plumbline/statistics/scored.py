"""Scores of labelled items: how well they separate, and whom a threshold accepts (spec D17 to D21).

Every statistic is computed for many weightings of the units (queries) at once: `weights` has one row for each
unit and one column for each weighting, for instance the counts of a resample. Scores are sorted once.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import coo_array, csr_array

Floats = NDArray[np.float64]

SLACK = 1e-9
"""Relative distance within which a mass counts as exactly the wanted one: 0.7 * 10 is not 7 in floats."""


@dataclass(frozen=True)
class Scored:
    """Items of one kind, put together by score.

    Parameters
    ----------
    levels
        Each score that occurs, ascending, (levels,), finite.
    counts
        Items with that score by the row of the weights that they take their weight from, (levels, units).
    size
        Number of items.
    """

    levels: Floats
    counts: csr_array
    size: int

    @classmethod
    def of(cls, scores: ArrayLike, units: ArrayLike) -> Scored:
        """Put items together; one whose score is NaN is left out.

        Parameters
        ----------
        scores, units
            Score of each item and its row of the weights, (items,).
        """
        values, places = np.asarray(scores, dtype=float), np.asarray(units, dtype=np.intp)
        known = ~np.isnan(values)
        levels, level = np.unique(values[known], return_inverse=True)
        size = int(known.sum())
        shape = (levels.size, int(places[known].max()) + 1 if size else 0)
        # equal places are added up
        return cls(levels, csr_array(coo_array((np.ones(size), (level, places[known])), shape)), size)

    def at_levels(self, weights: Floats) -> Floats:
        """Weight of the items at each level, (levels, weightings)."""
        found: Floats = self.counts @ weights[: self.counts.shape[1]]
        return found

    def masses(self, weights: Floats) -> Floats:
        """Weight of the items below the first, second, ... level and of all, (levels + 1, weightings)."""
        return _running_sums(self.at_levels(weights))


@dataclass(frozen=True)
class Threshold:
    """The tie-aware threshold of each weighting: `tau`, (weightings,), and the tie fraction `q` in (0, 1]."""

    tau: Floats
    q: Floats


def auroc(correct: Scored, wrong: Scored, weights: Floats) -> Floats:
    """Chance in percent that a correct item scores above a wrong one, ties counted half (D21).

    Parameters
    ----------
    correct, wrong
        Items of the two classes.
    weights
        (units, weightings), at least 0.

    Returns
    -------
    ndarray of float
        (weightings,), in [0, 100]; NaN where a class has no weight.
    """
    # what a wrong item meets: the correct ones below it lose, those above win, equal ones count half
    masses = correct.masses(weights)
    total = masses[-1]
    below = masses[np.searchsorted(correct.levels, wrong.levels, side="left")]
    below += masses[np.searchsorted(correct.levels, wrong.levels, side="right")]
    against = wrong.at_levels(weights)
    lost = np.einsum("ij,ij->j", against, below) / 2
    return _share(total * against.sum(axis=0) - lost, total * against.sum(axis=0)) * 100


def win_shares(correct: Scored, scores: ArrayLike) -> Floats:
    """Share of the correct items that score above each given score, equal ones counted half (D43).

    Returns
    -------
    ndarray of float
        Shape of `scores`, in [0, 1]; NaN without correct items. Its mean over wrong items is the AUROC.
    """
    values = np.asarray(scores, dtype=float)
    masses = np.concatenate([[0.0], np.cumsum(correct.counts.sum(axis=1))])
    below = masses[np.searchsorted(correct.levels, values, side="left")]
    below = below + masses[np.searchsorted(correct.levels, values, side="right")]
    return _share(correct.size - below / 2, np.full(values.shape, float(correct.size)))


def threshold(correct: Scored, weights: Floats, rate: float = 0.8) -> Threshold:
    """Find the threshold that accepts exactly a share of the correct weight (D17).

    Parameters
    ----------
    correct
        Correct items.
    weights
        (units, weightings), at least 0.
    rate
        Share to accept, in (0, 1).

    Returns
    -------
    Threshold
        `tau` is the largest score with at least that share at or above it, `q` the fraction of the weight at
        `tau` that is accepted; both NaN where the correct items have no weight.
    """
    columns = weights.shape[1]
    if correct.size == 0:
        return Threshold(np.full(columns, np.nan), np.full(columns, np.nan))
    masses = correct.masses(weights)
    total = masses[-1]
    from_level = total - masses
    wanted = rate * total
    reached = from_level[:-1] >= wanted - SLACK * total
    level = np.maximum(reached.sum(axis=0) - 1, 0)
    every = np.arange(columns)
    above = from_level[level + 1, every]
    q = _share(wanted - above, from_level[level, every] - above)
    return Threshold(np.where(total > 0, correct.levels[level], np.nan), np.minimum(q, 1.0))


def accepted(items: Scored, weights: Floats, limit: Threshold) -> Floats:
    """Share of some items' weight that a threshold accepts: all above it, the fraction `q` at it (D17).

    Parameters
    ----------
    items
        Any items, correct or wrong.
    weights
        (units, weightings), at least 0.
    limit
        One threshold for each weighting.

    Returns
    -------
    ndarray of float
        (weightings,), in [0, 1]; NaN where the items have no weight or there is no threshold.
    """
    masses = items.masses(weights)
    every = np.arange(weights.shape[1])
    known = ~np.isnan(limit.tau)
    tau = np.where(known, limit.tau, 0.0)
    above = masses[-1] - masses[np.searchsorted(items.levels, tau, side="right"), every]
    least = masses[-1] - masses[np.searchsorted(items.levels, tau, side="left"), every]
    share = _share(above + np.nan_to_num(limit.q) * (least - above), masses[-1])
    return np.where(known, share, np.nan)


def accepted_at(items: Scored, weights: Floats, score: float = 0.5) -> Floats:
    """Share of some items' weight with at least this score (D21, C-D24); NaN where they have no weight."""
    masses = items.masses(weights)
    place = int(np.searchsorted(items.levels, score, side="left"))
    return _share(masses[-1] - masses[place], masses[-1])


def gap(visible: Scored, path: Scored, weights: Floats, limit: Threshold) -> Floats:
    """Points by which correct items of a path are accepted less often than those in view (D18).

    Returns
    -------
    ndarray of float
        (weightings,), in [-100, 100]; NaN where either has no weight.
    """
    apart: Floats = 100 * (accepted(visible, weights, limit) - accepted(path, weights, limit))
    return apart


def mean_score(items: Scored, weights: Floats) -> Floats:
    """Mean score of some items, (weightings,); NaN where they have no weight (D25, D27, D28)."""
    at_levels = items.at_levels(weights)
    return _share(items.levels @ at_levels, at_levels.sum(axis=0))


def _share(part: Floats, whole: Floats) -> Floats:
    result: Floats = np.full(np.broadcast_shapes(part.shape, whole.shape), np.nan)
    np.divide(part, whole, out=result, where=whole > 0)
    return result


def _running_sums(rows: Floats) -> Floats:
    """Sum the first 0, 1, ... rows, (rows + 1, columns).

    As `numpy.cumsum` over the first axis, which takes one number at a time and is several times slower: rows
    are laid out in blocks, and the i-th rows of all blocks are added at once.
    """
    count, columns = rows.shape
    size = max(int(np.sqrt(count)), 1)
    blocks = -(-count // size)
    sums = np.zeros((blocks * size + 1, columns))
    sums[1 : count + 1] = rows
    laid = sums[1:].reshape(blocks, size, columns)
    for place in range(1, size):
        laid[:, place] += laid[:, place - 1]
    laid[1:] += np.cumsum(laid[:-1, -1], axis=0)[:, None]
    return sums[: count + 1]
