"""Resampling of queries: one seeded draw for all statistics of a data set (spec D20, C-D23)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from plumbline.statistics.resampling import Interval, summarise

Floats = NDArray[np.float64]
Stream = Literal["draws", "multinomial"]

CHUNK = 1 << 17
"""Weights that are worked on at a time: what a statistic touches then stays in the processor's cache."""


class QueryDraw:
    """How often each query is drawn in each resample.

    Parameters
    ----------
    queries
        Number of queries; they are told apart by their place.
    resamples, seed
        How often is drawn, and the seed of NumPy's PCG64.
    stream
        `draws` takes queries with replacement (argument AUROC), `multinomial` draws their counts (call AUROC
        and gap): the same law, another random stream (C-D23).
    """

    def __init__(
        self, queries: int, *, resamples: int = 1000, seed: int = 20260930, stream: Stream = "draws"
    ) -> None:
        self.queries = queries
        self.resamples = resamples
        random = np.random.default_rng(seed)
        # the first column is the data as they are
        self._weights = np.ones((queries, resamples + 1), dtype=np.float32)
        if queries and stream == "draws":
            picks = random.integers(0, queries, size=(resamples, queries))
            picks += np.arange(resamples)[:, None] * queries
            counts = np.bincount(picks.ravel(), minlength=resamples * queries)
            self._weights[:, 1:] = counts.reshape(resamples, queries).T
        elif queries:
            even = np.full(queries, 1 / queries)
            self._weights[:, 1:] = random.multinomial(queries, even, size=resamples).T

    @property
    def weights(self) -> Floats:
        """The whole draw, (queries, 1 + resamples); the first column weighs every query once."""
        return self._weights.astype(float)

    def apply(self, statistic: Callable[[Floats], Floats]) -> Floats:
        """Compute a statistic for the data as they are and for every resample.

        Parameters
        ----------
        statistic
            From weights, (queries, n), to values, (..., n).

        Returns
        -------
        ndarray of float
            (..., 1 + resamples); the first value is that of the data as they are.
        """
        columns = self._weights.shape[1]
        width = max(CHUNK // max(self.queries, 1), 16)
        parts = [
            statistic(self._weights[:, start : start + width].astype(float))
            for start in range(0, columns, width)
        ]
        return np.concatenate(parts, axis=-1)


def interval(values: Floats, units: int, level: float = 0.95) -> Interval:
    """Interval of a statistic from what `QueryDraw.apply` gave for it.

    Parameters
    ----------
    values
        (1 + resamples,): the statistic of the data, then of each resample; NaN where undefined.
    units
        Queries that the statistic rests on; fewer than two give no bounds.
    level
        Coverage.

    Returns
    -------
    Interval
        2.5th to 97.5th percentile if `level` is 0.95; reasons `empty` and `single_unit` as elsewhere.
    """
    value = float(values[0])
    known = not np.isnan(value) and not np.isnan(values[1:]).all()
    return summarise(value if known else None, values[1:], units if known else 0, level)


def significant(found: Interval) -> bool | None:
    """Whether an interval excludes 0; None if there is none (D20)."""
    if found.low is None or found.high is None:
        return None
    return found.low > 0 or found.high < 0
