"""A jury of judges: the mean of their verdicts, and why it gains so little (A34, A35)."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from plumbline.records import METRICS
from plumbline.statistics import Interval, matches
from plumbline.tables.alignment import NAMES
from plumbline.tables.arrays import VerdictArray, pooled_series, verdict_arrays
from plumbline.tables.grid import REASONS
from plumbline.tables.inputs import Inputs
from plumbline.tables.notes import interval_notes
from plumbline.tables.pooling import pool_notes
from plumbline.tables.result import Column, TableResult

Floats = NDArray[np.float64]

ALL = "all"
"""What a row says that pools the tiers, or the metrics."""

COLUMNS = {
    "condition": NAMES["condition"],
    "tier": NAMES["tier"],
    "jury": Column("Jury", "%", 2, "Alignment of the mean of the members' scores."),
    "jury_lo": Column("Jury, from", "%", 2, "Lower bound of its interval."),
    "jury_hi": Column("Jury, to", "%", 2, "Upper bound of its interval."),
    "n": Column("N jury", digits=0, help="Plans that the jury judged."),
    "best_judge": Column("Best judge", help="Member with the highest alignment, found on these same plans."),
    "best": Column("Best judge, alignment", "%", 2, "Pooled the same way, on all its own verdicts."),
    "best_lo": Column("Best judge, from", "%", 2, "Lower bound of its interval."),
    "best_hi": Column("Best judge, to", "%", 2, "Upper bound of its interval."),
    "best_n": Column("N best judge", digits=0, help="Plans with an ok verdict of that judge."),
    "difference": Column("Jury − best", "pp", 2, "On plans that both judged."),
    "difference_lo": Column("Difference, from", "pp", 2, "Lower bound of its interval."),
    "difference_hi": Column("Difference, to", "pp", 2, "Upper bound of its interval."),
    "members_mean": Column("Mean of members", "%", 2, "Mean of the members' own alignments."),
}

QUANTITIES = {
    "ones": "share of scores that are 1.0",
    "error": "error of the generators",
    "spread": "spread over judges",
}


@dataclass(frozen=True)
class Bench:
    """A jury under one condition.

    Parameters
    ----------
    each
        Verdicts of the members.
    jury
        Alignment of the jury's mean scores in points, (records, tiers, generators); NaN where it gave none.
    members
        Each member's alignment on its own verdicts, (records, tiers, generators, judges).
    gain
        Jury minus member on plans that both judged, (records, tiers, generators, judges).
    """

    each: VerdictArray
    jury: Floats
    members: Floats
    gain: Floats

    @classmethod
    def of(cls, each: VerdictArray, require_all: bool) -> Bench:
        """Average the members' scores on each plan; replicates are juries of their own, then averaged."""
        whole = np.asarray(~np.isnan(each.verdicts).any(axis=-1))
        seated = np.asarray(whole.all(axis=-1) if require_all else whole.any(axis=-1))
        scores = np.where(whole[..., None], each.verdicts, np.nan)
        mean = np.where(seated[..., None], _mean(scores, 4), np.nan)
        aligned = 100 * matches(each.references[:, :, :, None], mean).mean(axis=-1)
        members = each.matches()
        return cls(each, _mean(aligned, 3), _mean(members, 3), _mean(aligned[..., None] - members, 3))


def jury_table(inputs: Inputs) -> TableResult:
    """Alignment of the jury beside its best member, by condition and tier (A34, A35).

    Returns
    -------
    TableResult
        One row per condition and tier, and one for all tiers: `condition`, `tier`, `jury`, `jury_lo`,
        `jury_hi`, `n`, `best_judge`, `best`, `best_lo`, `best_hi`, `best_n`, `difference` (jury minus best on
        plans that both judged) with `difference_lo` and `difference_hi`, `members_mean`, `reason`.
    """
    inputs = _with_jury_resamples(inputs)
    rows = [
        {"condition": condition, **row}
        for condition, bench in _benches(inputs).items()
        for row in _rows(inputs, bench)
    ]
    frame = pd.DataFrame(rows, columns=[*COLUMNS, "reason"])
    numbers = [name for name, column in COLUMNS.items() if column.digits == 2]
    frame[numbers] = frame[numbers].astype(float)
    notes = [*_member_notes(inputs), *pool_notes(inputs, inputs.config.tables.soft_jury)]
    return TableResult(frame, COLUMNS, (*notes, *interval_notes(inputs)))


def explanation_table(inputs: Inputs) -> TableResult:
    """Three reasons why judges come out alike without a reference (A35).

    Returns
    -------
    TableResult
        `quantity`, `condition`, `tier`, `metric`, `value` (percent; percentage points for the spread), `n`
        and `reason`. Quantities: share of the members' scores that are 1.0, by condition and tier; error of
        the generators (100 minus the mean of the four programmatic scores), by tier; largest minus smallest
        mean match over members, by condition and metric.
    """
    arrays = _arrays(inputs)
    rows = []
    for condition, each in arrays.items():
        for place, tier in enumerate(each.tiers):
            given = each.verdicts[:, place][~np.isnan(each.verdicts[:, place])]
            rows.append(("ones", condition, tier, ALL, _percent(given == 1), given.size))
    for place, tier in enumerate(inputs.tiers if arrays else []):
        means = next(iter(arrays.values())).references[:, place].mean(axis=-1)
        known = means[~np.isnan(means)]
        rows.append(("error", ALL, tier, ALL, _percent(1 - known), known.size))
    for condition, each in arrays.items():
        spread, n = _spread(inputs, each)
        rows += [
            ("spread", condition, ALL, metric, float(value), n)
            for metric, value in zip(METRICS, spread, strict=True)
        ]
    frame = pd.DataFrame(rows, columns=["quantity", "condition", "tier", "metric", "value", "n"])
    frame["value"] = frame["value"].astype(float)
    frame["reason"] = [_why(*line) for line in zip(frame["quantity"], frame["value"], strict=True)]
    frame["quantity"] = frame["quantity"].map(QUANTITIES)
    columns = {name: NAMES[name] for name in ("condition", "tier")}
    columns |= {"quantity": Column("Quantity"), "metric": Column("Metric")}
    columns["value"] = Column("Value", "% or pp", 1, "The spread is in percentage points.")
    columns["n"] = Column("N", digits=0, help="Scores; plans for the generators; verdicts for the spread.")
    notes = [*_member_notes(inputs), *pool_notes(inputs, inputs.config.tables.soft_jury, alignment=False)]
    return TableResult(frame, columns, tuple(notes))


def members_of(inputs: Inputs) -> list[str]:
    """Judges of the block that sit on the jury."""
    named = inputs.config.jury.members
    return inputs.panel if named == "all" else [judge for judge in inputs.judges if judge in named]


def _with_jury_resamples(inputs: Inputs) -> Inputs:
    config = inputs.config
    drawn = config.bootstrap.model_copy(update={"resamples": config.jury.resamples})
    return replace(inputs, config=config.model_copy(update={"bootstrap": drawn}))


def _arrays(inputs: Inputs) -> dict[str, VerdictArray]:
    members = members_of(inputs)
    return verdict_arrays(inputs, members, inputs.config.tables.soft_jury) if members else {}


def _benches(inputs: Inputs) -> dict[str, Bench]:
    require_all = inputs.config.jury.require_all
    return {condition: Bench.of(each, require_all) for condition, each in _arrays(inputs).items()}


def _rows(inputs: Inputs, bench: Bench) -> list[dict[str, object]]:
    """One row for each tier, and one for all; all means in one draw of the records."""
    names = [*inputs.tiers, ALL] if len(inputs.tiers) > 1 else inputs.tiers
    shown = np.array([[name in (tier, ALL) for tier in inputs.tiers] for name in names])
    values = np.concatenate([bench.jury[..., None], bench.members, bench.gain], axis=-1)
    values = np.moveaxis(values, -1, 1)[:, None]
    series = np.where(shown[:, None, :, None], values, np.nan)
    flat = series.reshape(len(series), -1, *series.shape[3:])
    cells = pooled_series(inputs, flat, inputs.config.tables.soft_jury)
    found, counts = cells.intervals(), cells.counts.reshape(len(names), -1)
    each = len(found) // len(names)
    return [
        {"tier": name, **_row(bench.each.judges, found[place * each : (place + 1) * each], counts[place])}
        for place, name in enumerate(names)
    ]


def _row(judges: list[str], found: list[Interval], counts: NDArray[np.int64]) -> dict[str, object]:
    """Put a row together from the jury, each member, and the jury's gain over each."""
    jury, members, gains = found[0], found[1 : len(judges) + 1], found[len(judges) + 1 :]
    row: dict[str, object] = {"n": int(counts[0])} | _numbers("jury", jury)
    known = [(each.mean, -place) for place, each in enumerate(members) if each.mean is not None]
    if not known:
        return row | {"best_n": 0, "reason": REASONS["empty"]}
    best = -max(known)[1]
    row |= {"best_judge": judges[best], "best_n": int(counts[best + 1])}
    row |= _numbers("best", members[best]) | _numbers("difference", gains[best])
    row["members_mean"] = float(np.mean([mean for mean, _ in known]))
    if jury.mean is None:
        row["reason"] = "no plan has an ok verdict of every member"
    elif jury.low is None:
        row["reason"] = REASONS["single_unit"]
    return row


def _numbers(name: str, found: Interval) -> dict[str, object]:
    return {name: found.mean, f"{name}_lo": found.low, f"{name}_hi": found.high}


def _mean(values: Floats, axis: int) -> Floats:
    """Mean of what is known along an axis, NaN where nothing is."""
    known = (~np.isnan(values)).sum(axis=axis)
    result: Floats = np.full(known.shape, np.nan)
    np.divide(np.nan_to_num(values).sum(axis=axis), known, out=result, where=known > 0)
    return result


def _percent(values: np.ndarray) -> float:
    return 100 * float(values.mean()) if values.size else np.nan


def _spread(inputs: Inputs, each: VerdictArray) -> tuple[Floats, int]:
    """Largest minus smallest mean match over judges, (metrics,), and the verdicts that this rests on."""
    found = 100 * matches(each.references[:, :, :, None, None], each.verdicts)
    if inputs.config.verdicts.missing_metric == "zero":
        found = np.where(each.ok[..., None], np.nan_to_num(found), np.nan)
    means = _mean(_mean(found, 3).reshape(-1, len(each.judges), len(METRICS)), 0)
    known = means[~np.isnan(means).any(axis=1)]
    spread = np.ptp(known, axis=0) if len(known) > 1 else np.full(len(METRICS), np.nan)
    return spread, int(each.ok.sum())


def _why(quantity: str, value: float) -> str | None:
    if not np.isnan(value):
        return None
    return {"ones": REASONS["empty"], "error": "no ok plan"}.get(
        quantity, "fewer than two judges with verdicts"
    )


def _member_notes(inputs: Inputs) -> list[str]:
    members, named = members_of(inputs), inputs.config.jury.members
    if not members:
        return ["No judge of this block is a member of the jury (`jury.members`)."]
    notes = [f"Members of the jury: {', '.join(members)}."]
    if len(members) == 1:
        notes.append("A jury of one is that judge.")
    missing = [judge for judge in ([] if named == "all" else named) if judge not in inputs.judges]
    if missing:
        notes.append(f"Members that are not in this block: {', '.join(missing)}.")
    if not inputs.config.jury.require_all:
        notes.append("The jury's score is the mean over the members that have a verdict.")
    return notes
