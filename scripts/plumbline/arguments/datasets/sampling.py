"""Seeded samples of queries: all states of a query come or stay out together."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable


def drawn_queries(queries: Iterable[str], count: int | None, seed: int, dataset: str) -> set[str]:
    """Draw queries of a data set.

    Parameters
    ----------
    queries
        Ids of all queries, in any order, possibly more than once.
    count
        How many; None takes all.
    seed, dataset
        Seed of the run and name of the data set. A larger sample holds the smaller one.
    """
    known = set(queries)
    order = sorted(known, key=lambda query: _draw(seed, dataset, query))
    return set(order[:count])


def _draw(seed: int, dataset: str, query: str) -> str:
    return hashlib.sha256(f"{seed}\x1f{dataset}\x1f{query}".encode("utf-8", "surrogatepass")).hexdigest()
