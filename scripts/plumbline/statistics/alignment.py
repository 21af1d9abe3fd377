"""How near verdicts are to the programmatic scores (spec 1.2)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from plumbline.statistics.value import Value

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Alignment:
    """Alignment of a cell in points, the items it rests on, and their share of those asked about."""

    points: Value
    n: int
    coverage: float | None


@dataclass(frozen=True)
class Jury:
    """Mean scores of a jury, one row per item that every judge scored, and their alignment in points."""

    means: Floats
    points: Value
    n: int


def matches(reference: ArrayLike, verdict: ArrayLike) -> Floats:
    """Match of each score: ``1 - |reference - verdict|``.

    Parameters
    ----------
    reference, verdict
        Scores in [0, 1], of equal shape. NaN where there is none; its match is NaN.

    Returns
    -------
    ndarray of float
        In [0, 1], of the same shape.
    """
    difference = np.asarray(reference, dtype=float) - np.asarray(verdict, dtype=float)
    result: Floats = 1.0 - np.abs(difference)
    return result


def alignment(reference: ArrayLike, verdict: ArrayLike) -> Alignment:
    """Alignment of one cell (equation 5a, item A18).

    Parameters
    ----------
    reference, verdict
        Scores, (items, metrics). An item counts if its verdict has every metric; one that failed is a row
        of NaN and only lowers the coverage.

    Returns
    -------
    Alignment
        100 times the mean over items of the mean over metrics; undefined (`empty`) if no item counts.
    """
    match = np.atleast_2d(matches(reference, verdict)).mean(axis=1)
    ok = ~np.isnan(match)
    n = int(ok.sum())
    coverage = n / match.size if match.size else None
    points = Value(float(100.0 * match[ok].mean())) if n else Value(None, "empty")
    return Alignment(points, n, coverage)


def jury(reference: ArrayLike, verdicts: ArrayLike) -> Jury:
    """Alignment of the mean of several judges (item A34).

    Parameters
    ----------
    reference
        (items, metrics).
    verdicts
        (judges, items, metrics); NaN where a judge has none. An item that lacks a judge is left out,
        never averaged over the others (C-A18).
    """
    scores = np.asarray(verdicts, dtype=float)
    complete = ~np.isnan(scores).any(axis=(0, 2))
    means: Floats = scores[:, complete].mean(axis=0)
    agreed = alignment(np.asarray(reference, dtype=float)[complete], means)
    return Jury(means, agreed.points, agreed.n)


def binary_collapse(verdict: ArrayLike, reference: ArrayLike) -> tuple[Floats, Floats]:
    """Move verdicts of 0.5 to the side of the reference, and the reference to its side (item A52, C-A44).

    Returns
    -------
    verdicts, references : ndarray of float
        Verdicts with 0.5 replaced by 0 where the reference is below 0.5, else by 1; references as 0 or 1.
    """
    scores, truth = np.asarray(verdict, dtype=float), np.asarray(reference, dtype=float)
    side: Floats = np.where(truth < 0.5, 0.0, 1.0)
    collapsed: Floats = np.where(scores == 0.5, side, scores)
    return collapsed, side
