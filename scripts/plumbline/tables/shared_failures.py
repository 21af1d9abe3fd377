"""Plans that every judge misjudges, against what independent errors would give."""

from __future__ import annotations

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from plumbline.records import METRICS
from plumbline.statistics.failures import failure_counts, independent_share, observed_share, stratified_share
from plumbline.statistics.resampling import summarise
from plumbline.tables.alignment import NAMES
from plumbline.tables.arrays import VerdictArray, verdict_arrays
from plumbline.tables.grid import REASONS, reasons
from plumbline.tables.inputs import Inputs
from plumbline.tables.notes import interval_notes
from plumbline.tables.pooling import pool_notes
from plumbline.tables.result import Column, TableResult

Floats = NDArray[np.float64]

ANY = "any"
"""Row for plans on which every judge misjudges some metric, not always the same."""

COLUMNS = {
    "condition": NAMES["condition"],
    "metric": Column("Metric", help="`any`: every judge is wrong on some metric of the plan."),
    "judges": Column("Judges", digits=0),
    "n": Column("N", digits=0, help="Plans with an ok verdict of every judge."),
    "mean_error": Column("Wrong, mean judge", "%", 1, "Share of verdicts that misjudge, mean over judges."),
    "shared": Column("Wrong for all", digits=0, help="Plans that every judge misjudges."),
    "records": Column("Records", digits=0, help="Records that these plans belong to."),
    "observed": Column("Observed", "%", 2, "Share of plans that every judge misjudges."),
    "observed_lo": Column("Observed, from", "%", 2, "Lower bound of its interval."),
    "observed_hi": Column("Observed, to", "%", 2, "Upper bound of its interval."),
    "independent": Column("Independent", "%", 2, "Product of the judges' own error rates."),
    "excess": Column("Excess", "pp", 2, "Observed minus independent."),
    "excess_lo": Column("Excess, from", "pp", 2, "Lower bound of its interval."),
    "excess_hi": Column("Excess, to", "pp", 2, "Upper bound of its interval."),
    "stratified": Column(
        "Independent within", "%", 2, "Independent among plans of one tier and one programmatic mark."
    ),
    "excess_within": Column("Excess within", "pp", 2, "Observed minus independent within."),
    "excess_within_lo": Column("Excess within, from", "pp", 2, "Lower bound of its interval."),
    "excess_within_hi": Column("Excess within, to", "pp", 2, "Upper bound of its interval."),
    "too_high": Column(
        "Too high", "%", 1, "Of these plans, those on which every judge is above the program."
    ),
}


def failure_table(inputs: Inputs) -> TableResult:
    """Share of plans that all judges misjudge, and what their error rates alone would give.

    Returns
    -------
    TableResult
        One row per condition and metric, and one for `any` metric: `condition`, `metric`, `judges`, `n`,
        `mean_error`, `shared`, `records`, `observed`, `independent`, `excess`, `stratified`,
        `excess_within`, `too_high` (percent, percentage points) with `<name>_lo` and `<name>_hi` for
        observed and both excesses, `reason`.
    """
    settings = inputs.config.tables.correlated_failures
    arrays = verdict_arrays(inputs, inputs.panel, settings) if inputs.panel else {}
    rows = [
        {"condition": condition, **row}
        for condition, each in arrays.items()
        for row in _rows(inputs, each, settings.tolerance)
    ]
    frame = pd.DataFrame(rows, columns=[*COLUMNS, "reason"])
    numbers = [name for name, column in COLUMNS.items() if column.unit]
    frame[numbers] = frame[numbers].astype(float)
    frame["too_high_reason"] = reasons((frame["n"] > 0) & (frame["shared"] == 0), "no such plan")
    notes = (
        f"A verdict misjudges a metric if it is further than {settings.tolerance:g} from the program.",
        *pool_notes(inputs, settings, alignment=False),
        *interval_notes(inputs),
    )
    return TableResult(frame, COLUMNS, notes)


def _rows(inputs: Inputs, each: VerdictArray, tolerance: float) -> list[dict[str, object]]:
    """Count the failures of every metric and of any, all in one draw of the records."""
    references = each.references[:, :, :, None, None]
    above = each.verdicts - references
    wrong = np.abs(above) > tolerance + 1e-9
    high = above > tolerance + 1e-9
    wrong = np.concatenate([wrong, wrong.any(axis=-1, keepdims=True)], axis=-1)
    high = np.concatenate([high, high.any(axis=-1, keepdims=True)], axis=-1)
    seated = np.asarray(~np.isnan(above).any(axis=(-2, -1)))
    strata, size = _strata(each)
    strata = np.where(seated[..., None], strata[:, :, :, None], -1)
    counts, told = [], []
    for place, metric in enumerate([*METRICS, ANY]):
        failed = wrong[..., place]
        counts.append(failure_counts(_items(failed), _flat(strata[..., place]), size))
        shared = np.asarray(failed.all(axis=-1) & seated)
        too_high = np.asarray(high[..., place].all(axis=-1))[shared]
        told.append(
            {
                "metric": metric,
                "judges": len(each.judges),
                "shared": int(shared.sum()),
                "records": int(_flat(shared).any(axis=1).sum()),
                "too_high": 100 * too_high.mean() if too_high.size else None,
            }
        )
    return [row | found for row, found in zip(told, _shares(inputs, np.stack(counts, axis=1)), strict=True)]


def _shares(inputs: Inputs, counts: Floats) -> list[dict[str, object]]:
    """Give the shares of each metric with their intervals, from counts (records, metrics, strata, ...)."""
    drawn = inputs.resampling.sums(counts.reshape(len(counts), -1)).reshape(-1, *counts.shape[1:])
    whole = counts.sum(axis=0)
    settings = inputs.config.bootstrap
    units = int((counts[:, 0, :, 0].sum(axis=1) > 0).sum())
    resampled = _statistics(drawn)
    found = []
    for place in range(counts.shape[1]):
        values = {name: each[place] for name, each in _statistics(whole).items()}
        row: dict[str, object] = {"n": int(whole[place, :, 0].sum())}
        row |= {name: None if np.isnan(value) else float(value) for name, value in values.items()}
        for name in ("observed", "excess", "excess_within"):
            mean = None if np.isnan(values[name]) else float(values[name])
            draws = resampled[name][:, place]
            interval = summarise(mean, draws, units, settings.level, settings.percentile)
            row |= {f"{name}_lo": interval.low, f"{name}_hi": interval.high}
            row["reason"] = REASONS.get(interval.reason or "")
        if row["n"] == 0:
            row["reason"] = "no plan has an ok verdict of every judge"
        found.append(row if counts.shape[-1] > 3 else _alone(row))
    return found


def _statistics(counts: Floats) -> dict[str, Floats]:
    observed, independent = 100 * observed_share(counts), 100 * independent_share(counts)
    stratified = 100 * stratified_share(counts)
    total = counts.sum(axis=-2)
    errors: Floats = np.full(observed.shape, np.nan)
    np.divide(100 * total[..., 2:].mean(axis=-1), total[..., 0], out=errors, where=total[..., 0] > 0)
    return {
        "observed": observed,
        "independent": independent,
        "excess": observed - independent,
        "stratified": stratified,
        "excess_within": observed - stratified,
        "mean_error": errors,
    }


def _alone(row: dict[str, object]) -> dict[str, object]:
    """Leave out what one judge alone cannot show."""
    kept = {"n", "mean_error", "observed", "observed_lo", "observed_hi"}
    return {name: value for name, value in row.items() if name in kept} | {
        "reason": row["reason"] or "errors are shared by two judges or more"
    }


def _strata(each: VerdictArray) -> tuple[NDArray[np.intp], int]:
    """Stratum of each plan and metric: its tier and the mark nearest to the programmatic score.

    Returns
    -------
    strata, size
        (records, tiers, generators, metrics + 1), for `any` by the lowest of the four marks; and how many
        strata there are.
    """
    marks = np.floor(2 * np.nan_to_num(each.references) + 0.5).astype(np.intp)
    marks = np.concatenate([marks, marks.min(axis=-1, keepdims=True)], axis=-1)
    tiers = np.arange(len(each.tiers))[None, :, None, None]
    return marks + 3 * tiers, 3 * len(each.tiers)


def _items(values: np.ndarray) -> np.ndarray:
    """Put tiers, generators and replicates on one axis: (records, items, judges)."""
    return values.reshape(len(values), int(np.prod(values.shape[1:4])), values.shape[-1])


def _flat(values: np.ndarray) -> np.ndarray:
    return values.reshape(len(values), int(np.prod(values.shape[1:])))
