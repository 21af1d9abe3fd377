"""How far any number of raters agree, some of whom may not have rated everything."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from plumbline.statistics.value import Value


def pairwise_agreement(marks: ArrayLike) -> Value:
    """Share of equal marks among all pairs of raters who marked the same item.

    Parameters
    ----------
    marks
        One number per rater and item, (raters, items); NaN where a rater gave none.

    Returns
    -------
    Value
        In [0, 1]; undefined (`empty`) if no item has two marks.
    """
    counts = _counts(marks)
    pairs = (counts.sum(axis=0) * (counts.sum(axis=0) - 1)).sum()
    return Value(float((counts * (counts - 1)).sum() / pairs)) if pairs else Value(None, "empty")


def krippendorff_alpha(marks: ArrayLike) -> Value:
    """Krippendorff's alpha for nominal marks: 1 less observed over expected disagreement.

    Parameters
    ----------
    marks
        One number per rater and item, (raters, items); NaN where a rater gave none.

    Returns
    -------
    Value
        At most 1, and 0 at chance; undefined if no item has two marks (`empty`) or all marks that can be
        compared are the same (`single_class`), where no disagreement can be expected.

    Notes
    -----
    Items with fewer than two marks do not count; an item with m marks weighs as m, each of its pairs
    1 / (m - 1) (Krippendorff, Computing Krippendorff's Alpha-Reliability, 2011, section D).
    """
    counts = _counts(marks)
    sizes = counts.sum(axis=0)
    counts, sizes = counts[:, sizes > 1], sizes[sizes > 1]
    total = sizes.sum()
    if not total:
        return Value(None, "empty")
    labels = counts.sum(axis=1)
    expected = total**2 - (labels**2).sum()
    if expected == 0:
        return Value(None, "single_class")
    observed = ((sizes**2 - (counts**2).sum(axis=0)) / (sizes - 1)).sum()
    return Value(float(1 - (total - 1) * observed / expected))


def _counts(marks: ArrayLike) -> NDArray[np.int64]:
    """Count the raters who gave each label to each item, (labels, items)."""
    given = np.asarray(marks, dtype=float)
    labels = np.unique(given[~np.isnan(given)])
    return np.asarray([(given == label).sum(axis=0) for label in labels], dtype=np.int64).reshape(
        len(labels), given.shape[1]
    )
