"""Failures that judges share, against what independent errors would give."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

Floats = NDArray[np.float64]


def failure_counts(wrong: ArrayLike, strata: ArrayLike, size: int) -> Floats:
    """Count items and failures by unit and stratum.

    Parameters
    ----------
    wrong
        (units, items, judges), bool: who fails on an item.
    strata
        (units, items): stratum of each item from 0 to `size` - 1; -1 leaves an item out.

    Returns
    -------
    ndarray of float
        (units, size, 2 + judges): items, items on which all judges fail, failures of each judge.
    """
    failed = np.asarray(wrong, dtype=bool)
    member = np.asarray(strata)[:, None, :] == np.arange(size)[:, None]
    everything = np.ones((*failed.shape[:2], 1), dtype=bool)
    parts = np.concatenate([everything, failed.all(axis=2, keepdims=True), failed], axis=2)
    counted: Floats = np.matmul(member.astype(np.float32), parts.astype(np.float32)).astype(float)
    return counted


def observed_share(counts: ArrayLike) -> Floats:
    """Share of items on which all judges fail, (..., strata, 2 + judges) to (...); NaN without items."""
    total = np.asarray(counts, dtype=float).sum(axis=-2)
    return _ratio(total[..., 1], total[..., 0])


def independent_share(counts: ArrayLike) -> Floats:
    """Share that would fail with all judges if each failed at its own rate, independently of the others."""
    total = np.asarray(counts, dtype=float).sum(axis=-2)
    result: Floats = _ratio(total[..., 2:], total[..., :1]).prod(axis=-1)
    return result


def stratified_share(counts: ArrayLike) -> Floats:
    """Give that share if judges are independent only within a stratum, where each has a rate of its own."""
    parts = np.asarray(counts, dtype=float)
    within = np.nan_to_num(_ratio(parts[..., 2:], parts[..., :1])).prod(axis=-1)
    items = parts[..., 0]
    return _ratio((items * within).sum(axis=-1), items.sum(axis=-1))


def _ratio(part: Floats, whole: Floats) -> Floats:
    result: Floats = np.full(np.broadcast_shapes(part.shape, whole.shape), np.nan)
    np.divide(part, whole, out=result, where=whole > 0)
    return result
