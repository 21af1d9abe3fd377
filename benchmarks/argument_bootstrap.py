"""Bootstrap of one argument cell, AUROC and threshold together, against a scikit-learn loop in the same run.

The cell has 10,000 items of 2,000 queries, seeded scores, and 1,000 resamples; once with scores of three
decimals, so that many tie, and once with all scores distinct. The loop takes the very resamples that
`QueryDraw` drew, one by one: `roc_auc_score` with the items' counts as weights, and the threshold with its
tie fraction from a sorted array. It is timed on some of the resamples and scaled to all; its answers must be
those of `plumbline.statistics`. Ours is charged for the draw. The two take turns and the median of each
counts. All seconds are processor seconds on one core, so that other work on the machine counts little.

    python benchmarks/argument_bootstrap.py --json
"""

from __future__ import annotations

import json
import statistics
import sys
import time
from collections.abc import Callable
from typing import TypeVar

import click
import numpy as np
from numpy.typing import NDArray
from sklearn.metrics import roc_auc_score
from threadpoolctl import threadpool_limits

from plumbline.statistics.queries import QueryDraw
from plumbline.statistics.scored import Scored, auroc, threshold

Floats = NDArray[np.float64]
Result = TypeVar("Result")

LEAST_RATIO, MOST_SECONDS = 30.0, 1.0
ITEMS, QUERIES, RESAMPLES, RATE = 10_000, 2_000, 1_000, 0.8


DECIMALS = {"tied": 3, "distinct": 12}


def make_cell(decimals: int) -> tuple[Floats, NDArray[np.bool_], NDArray[np.intp]]:
    """Give the score of each item, whether it is correct, and its query."""
    rng = np.random.default_rng(0)
    correct = rng.random(ITEMS) < 0.7
    scores = rng.normal(0.4 + 0.2 * correct, 0.2).round(decimals)
    return scores, correct, rng.integers(0, QUERIES, ITEMS)


def ours(scores: Floats, correct: NDArray[np.bool_], queries: NDArray[np.intp]) -> Floats:
    """Give AUROC, tau and q of the data and of every resample, (3, 1 + resamples); the draw included."""
    right = Scored.of(scores[correct], queries[correct])
    wrong = Scored.of(scores[~correct], queries[~correct])

    def statistic(weights: Floats) -> Floats:
        limit = threshold(right, weights, RATE)
        return np.stack([auroc(right, wrong, weights), limit.tau, limit.q])

    return QueryDraw(QUERIES, resamples=RESAMPLES).apply(statistic)


def by_loop(scores: Floats, correct: NDArray[np.bool_], queries: NDArray[np.intp], weights: Floats) -> Floats:
    """Give the same for some resamples, (queries, n), one by one."""
    right = np.flatnonzero(correct)
    right = right[np.argsort(-scores[right])]
    found = []
    for counts in weights.T:
        weight = counts[queries]
        area = 100 * roc_auc_score(correct, scores, sample_weight=weight)
        masses = np.cumsum(weight[right])
        wanted = RATE * masses[-1]
        tau = scores[right[np.searchsorted(masses, wanted - 1e-9 * masses[-1])]]
        above = weight[right[scores[right] > tau]].sum()
        at = weight[right[scores[right] == tau]].sum()
        found.append((area, tau, (wanted - above) / at))
    return np.array(found).T


def timed(work: Callable[[], Result]) -> tuple[Result, float]:
    """Give a result and the seconds that it took."""
    start = time.process_time()
    result = work()
    return result, time.process_time() - start


def compare(decimals: int, looped: int, rounds: int) -> dict[str, float]:
    """Time both and compare what they find."""
    cell = make_cell(decimals)
    weights = QueryDraw(QUERIES, resamples=RESAMPLES).weights[:, : looped + 1]
    ours(*cell), by_loop(*cell, weights[:, :2])  # the first call is slower
    mine, loop = [], []
    for _ in range(rounds):
        found, took = timed(lambda: ours(*cell))
        mine.append(took)
        expected, took = timed(lambda: by_loop(*cell, weights))
        loop.append(took * (RESAMPLES + 1) / (looped + 1))
    np.testing.assert_allclose(found[:, : looped + 1], expected, rtol=1e-10)
    return {
        "ours_s": round(statistics.median(mine), 3),
        "loop_scaled_s": round(statistics.median(loop), 2),
        "ratio": round(statistics.median(loop) / statistics.median(mine), 1),
        "largest_difference": float(np.abs(found[:, : looped + 1] - expected).max()),
    }


@click.command()
@click.option("--resamples", "looped", default=100, show_default=True, help="Resamples the loop is timed on.")
@click.option("--rounds", default=5, show_default=True, help="Rounds of each.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def main(looped: int, rounds: int, as_json: bool) -> None:
    """Compare; exits with 1 if ours takes 1 s or more or is less than 30 times faster."""
    with threadpool_limits(1):
        results = {name: compare(decimals, looped, rounds) for name, decimals in DECIMALS.items()}
    if as_json:
        print(json.dumps({"items": ITEMS, "queries": QUERIES, "resamples": RESAMPLES, **results}))
    else:
        print(f"{ITEMS:,} items, {QUERIES:,} queries, {RESAMPLES:,} resamples; seconds of one core")
        for name, result in results.items():
            print(
                f"{name} scores: {result['ours_s']} s, draw included (less than {MOST_SECONDS:.0f});"
                f" scikit-learn loop {result['loop_scaled_s']} s (timed on {looped} resamples, scaled); ratio"
                f" {result['ratio']} (at least {LEAST_RATIO:.0f}); largest difference"
                f" {result['largest_difference']:.1e}"
            )
    slow = [r for r in results.values() if r["ours_s"] >= MOST_SECONDS or r["ratio"] < LEAST_RATIO]
    sys.exit(bool(slow))


if __name__ == "__main__":
    main()
