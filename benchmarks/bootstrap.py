"""Bootstrap intervals of the whole paper grid by `Resampling`, against a NumPy loop in the same run.

The grid is 3,808 records in 180 cells (5 generators, 3 tiers, 6 judges, 2 conditions), with seeded matches
of which about 6 % are missing. The loop takes the mean of one cell in one resample at a time, from the very
records that `Resampling` drew, so both must give the same bounds. It is timed on some cells and scaled to
all; the two take turns and the median of each counts. Neither is charged for the draw. Then the cost by
records and by resamples, draw included. All seconds are processor seconds on one core, so that other work on
the machine counts little.

    python benchmarks/bootstrap.py --json
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
from threadpoolctl import threadpool_limits

from plumbline.records import TOPOLOGIES
from plumbline.statistics import Interval
from plumbline.statistics.resampling import Resampling, interval_bounds

Floats = NDArray[np.float64]
Result = TypeVar("Result")

LEAST_RATIO = 10.0
RECORDS, RESAMPLES, CELLS = 3_808, 2_000, 5 * 3 * 6 * 2
MISSING = 0.06
SIZES = (500, 1_000, 2_000, 4_000)


def make_grid(records: int) -> tuple[NDArray[np.str_], Floats, Floats]:
    """Give the topology of each record, and total and number of its matches in each cell."""
    rng = np.random.default_rng(0)
    topologies = np.resize(np.array(TOPOLOGIES), records)
    # a match is a mean of four marks that each agree, agree in part or do not
    marks = rng.choice([0.0, 100 / 3, 50.0, 100.0], p=[0.1, 0.05, 0.05, 0.8], size=(4, records, CELLS))
    weights = (rng.random((records, CELLS)) >= MISSING).astype(float)
    return topologies, marks.mean(axis=0) * weights, weights


def by_loop(picks: NDArray[np.intp], totals: Floats, weights: Floats) -> list[tuple[float, float]]:
    """Give each cell's bounds from resamples, (resamples, records), that are taken one by one."""
    bounds = []
    for cell in range(totals.shape[1]):
        total, weight = totals[:, cell].copy(), weights[:, cell].copy()
        means = [total[drawn].sum() / weight[drawn].sum() for drawn in picks]
        bounds.append(interval_bounds(means))
    return bounds


def timed(work: Callable[[], Result]) -> tuple[Result, float]:
    """Give a result and the seconds that it took."""
    start = time.process_time()
    result = work()
    return result, time.process_time() - start


def seconds(records: int, resamples: int, rounds: int) -> float:
    """Give the seconds of drawing and of the intervals of all cells, as a table needs them."""
    topologies, totals, weights = make_grid(records)

    def work() -> list[Interval]:
        return Resampling(topologies, resamples=resamples, seed=42).intervals(totals, weights)

    return statistics.median(timed(work)[1] for _ in range(rounds))


def compare(looped: int, rounds: int) -> dict[str, float]:
    """Time both on the paper's grid, the draw left out of both, and compare the bounds."""
    topologies, totals, weights = make_grid(RECORDS)
    resampling, draw_s = timed(lambda: Resampling(topologies, resamples=RESAMPLES, seed=42))
    # what the loop indexes with: each record as often as Resampling drew it
    picks = np.array([np.repeat(np.arange(RECORDS), drawn) for drawn in resampling._counts])
    subset = np.linspace(0, CELLS - 1, looped).astype(int)
    ours, loop = [], []
    resampling.intervals(totals, weights)  # the first call is slower
    for _ in range(rounds):
        intervals, took = timed(lambda: resampling.intervals(totals, weights))
        ours.append(took)
        bounds, took = timed(lambda: by_loop(picks, totals[:, subset], weights[:, subset]))
        loop.append(took * CELLS / looped)
    found = np.array([[intervals[cell].low, intervals[cell].high] for cell in subset], dtype=float)
    np.testing.assert_allclose(found, bounds, rtol=1e-10)
    return {
        "missing_share": round(1 - float(weights.mean()), 4),
        "draw_s": round(draw_s, 4),
        "resampling_s": round(statistics.median(ours), 4),
        "loop_scaled_s": round(statistics.median(loop), 2),
        "ratio": round(statistics.median(loop) / statistics.median(ours), 1),
        "ratio_draw_counted": round(statistics.median(loop) / (statistics.median(ours) + draw_s), 1),
        "largest_difference": float(np.abs(found - np.array(bounds)).max()),
    }


def growth(rounds: int) -> dict[str, dict[str, dict[str, float]]]:
    """Give the seconds of draw and intervals by records and by resamples, and each over the first."""
    runs = {
        "records": [(records, RESAMPLES) for records in SIZES],
        "resamples": [(RECORDS, resamples) for resamples in SIZES],
    }
    grown: dict[str, dict[str, dict[str, float]]] = {}
    for name, pairs in runs.items():
        grown[name] = {}
        took = [seconds(records, resamples, rounds) for records, resamples in pairs]
        for size, each in zip(SIZES, took, strict=True):
            grown[name][str(size)] = {"seconds": round(each, 4), "ratio": round(each / took[0], 2)}
    return grown


@click.command()
@click.option("--cells", "looped", default=6, show_default=True, help="Cells that the loop is timed on.")
@click.option("--rounds", default=3, show_default=True, help="Rounds of each.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def main(looped: int, rounds: int, as_json: bool) -> None:
    """Compare; exits with 1 if the ratio is below 10."""
    with threadpool_limits(1):
        result = compare(looped, rounds)
        grown = growth(rounds)
    if as_json:
        sizes = {"records": RECORDS, "cells": CELLS, "resamples": RESAMPLES, "looped_cells": looped}
        print(json.dumps({**sizes, **result, "growth": grown}))
    else:
        missing = f"{result['missing_share']:.1%} missing"
        print(f"{RECORDS:,} records, {CELLS} cells, {RESAMPLES:,} resamples, {missing}; seconds of one core")
        print(
            f"Resampling {result['resampling_s']} s (its draw {result['draw_s']} s), loop"
            f" {result['loop_scaled_s']} s (timed on {looped} cells, scaled to {CELLS});"
            f" ratio {result['ratio']} (at least {LEAST_RATIO:.0f}),"
            f" {result['ratio_draw_counted']} if the draw counts against Resampling alone"
        )
        print(f"largest difference of the {looped} cells' bounds: {result['largest_difference']:.1e} points")
        for name, fixed in (("records", f"{RESAMPLES:,} resamples"), ("resamples", f"{RECORDS:,} records")):
            print(f"by {name}, draw included, {CELLS} cells, {fixed}:")
            for size, row in grown[name].items():
                print(f"  {int(size):>5,}  {row['seconds']:.3f} s  x {row['ratio']}")
    sys.exit(result["ratio"] < LEAST_RATIO)


if __name__ == "__main__":
    main()
