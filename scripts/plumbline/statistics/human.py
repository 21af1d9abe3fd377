"""Scores as people would have given them (spec 1.3)."""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray


def human_corrected(
    reference: ArrayLike, agrees: ArrayLike, flip_at_half: Literal["zero", "one"] = "zero"
) -> NDArray[np.float64]:
    """Turn programmatic scores over where an annotator disagrees with them (A45).

    Parameters
    ----------
    reference
        Scores in [0, 1], any shape.
    agrees
        True or 1 where the annotator agrees, of equal shape.
    flip_at_half
        What a score of exactly 0.5 becomes where the annotator disagrees (C-A19).

    Returns
    -------
    ndarray of float
        The score itself where the annotator agrees; else 0 for a high score and 1 for a low one.
    """
    scores = np.asarray(reference, dtype=float)
    high = scores >= 0.5 if flip_at_half == "zero" else scores > 0.5
    corrected: NDArray[np.float64] = np.where(
        np.asarray(agrees, dtype=bool), scores, np.where(high, 0.0, 1.0)
    )
    return corrected
