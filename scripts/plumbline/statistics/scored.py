"""Scores of labelled items: how well they separate, and whom a threshold accepts (spec D17 to D21).

Every statistic is computed for many weightings of the units (queries) at once: `weights` has one row for each
unit and one column for each weighting, for instance the counts of a resample. Scores are sorted once.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

Floats = NDArray[np.float64]
Places = NDArray[np.intp]

SLACK = 1e-9
"""Relative distance within which a mass counts as exactly the wanted one: 0.7 * 10 is not 7 in floats."""


@dataclass(frozen=True)
class Scored:
    """Items of one kind, sorted by score.

    Parameters
    ----------
    scores
        Ascending, (items,), finite.
    units
        Row of the weights that each item takes its weight from, (items,).
    """

    scores: Floats
    units: Places

    @classmethod
    def of(cls, scores: ArrayLike, units: ArrayLike) -> Scored:
        """Sort items; one whose score is NaN is left out."""
        values, places = np.asarray(scores, dtype=float), np.asarray(units, dtype=np.intp)
        known = ~np.isnan(values)
        order = np.argsort(values[known], kind="stable")
        return cls(values[known][order], places[known][order])

    @property
    def size(self) -> int:
        """Number of items."""
        return int(self.scores.size)

    def masses(self, weights: Floats) -> Floats:
        """Total weight of the first 0, 1, ... items, (items + 1, weightings)."""
        result = np.empty((self.size + 1, weights.shape[1]))
        result[0] = 0.0
        np.cumsum(weights[self.units], axis=0, out=result[1:])
        return result


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
    below = masses[np.searchsorted(correct.scores, wrong.scores, side="left")]
    below += masses[np.searchsorted(correct.scores, wrong.scores, side="right")]
    against = weights[wrong.units]
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
    above = correct.size - np.searchsorted(correct.scores, values, side="right")
    least = correct.size - np.searchsorted(correct.scores, values, side="left")
    return _share((above + least) / 2, np.full(values.shape, float(correct.size)))


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
    levels, first = np.unique(correct.scores, return_index=True)
    masses = correct.masses(weights)
    total = masses[-1]
    from_level = total - np.vstack([masses[first], total])
    wanted = rate * total
    reached = from_level[:-1] >= wanted - SLACK * total
    level = np.maximum(reached.sum(axis=0) - 1, 0)
    every = np.arange(columns)
    above = from_level[level + 1, every]
    q = _share(wanted - above, from_level[level, every] - above)
    return Threshold(np.where(total > 0, levels[level], np.nan), np.minimum(q, 1.0))


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
    above = masses[-1] - masses[np.searchsorted(items.scores, tau, side="right"), every]
    least = masses[-1] - masses[np.searchsorted(items.scores, tau, side="left"), every]
    share = _share(above + np.nan_to_num(limit.q) * (least - above), masses[-1])
    return np.where(known, share, np.nan)


def accepted_at(items: Scored, weights: Floats, score: float = 0.5) -> Floats:
    """Share of some items' weight with at least this score (D21, C-D24); NaN where they have no weight."""
    masses = items.masses(weights)
    place = int(np.searchsorted(items.scores, score, side="left"))
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
    of_items = weights[items.units]
    return _share(items.scores @ of_items, of_items.sum(axis=0))


def _share(part: Floats, whole: Floats) -> Floats:
    result: Floats = np.full(np.broadcast_shapes(part.shape, whole.shape), np.nan)
    np.divide(part, whole, out=result, where=whole > 0)
    return result
