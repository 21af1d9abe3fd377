"""What is left of a gain in AUROC after the wrong items that speak most for it are removed (spec D43)."""

from __future__ import annotations

from decimal import ROUND_HALF_UP, Decimal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from plumbline.statistics.scored import Scored, win_shares

Floats = NDArray[np.float64]


def deletion_count(share: float, wrong: int) -> int:
    """Items that are removed: a share of the wrong ones, halves rounded up (C-D22)."""
    return int((Decimal(str(share)) * wrong).quantize(Decimal(1), rounding=ROUND_HALF_UP))


def worst_deletion(
    correct: tuple[ArrayLike, ArrayLike], wrong: tuple[ArrayLike, ArrayLike], count: int
) -> NDArray[np.bool_]:
    """Mark the wrong items whose removal lowers a gain in AUROC most.

    Parameters
    ----------
    correct, wrong
        For each class the scores of the same items under the better input and under the one it is compared
        with, two arrays of equal length.
    count
        Items to remove.

    Returns
    -------
    ndarray of bool
        True for the wrong items that stay, (wrong,). An AUROC is a mean over wrong items, so taking those
        with the largest differences is exactly optimal; of equal ones the earlier go.
    """
    better, other = (
        win_shares(Scored.of(scores, np.zeros(np.size(scores), dtype=np.intp)), judged)
        for scores, judged in zip(correct, wrong, strict=True)
    )
    kept = np.ones(np.size(wrong[0]), dtype=bool)
    kept[np.argsort(-(better - other), kind="stable")[:count]] = False
    return kept
