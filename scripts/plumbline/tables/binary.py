"""Alignment on a scale of two marks (A52, Table 29)."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd

from plumbline.statistics import Value, binary_collapse
from plumbline.statistics.ranks import ranks_from_top, spearman_p_value
from plumbline.tables.alignment import NAMES
from plumbline.tables.grid import REASONS
from plumbline.tables.inputs import REFERENCES, VERDICTS, Inputs
from plumbline.tables.judge_means import (
    ALL,
    RANK_REASONS,
    averaging_note,
    judge_means,
    named,
    of_condition,
    panel_values,
    rank_agreement,
)
from plumbline.tables.notes import verdict_notes
from plumbline.tables.result import Column, TableResult

MEASURES = ["standard", "binary", "difference", "other_reading", "half_rate", "rank", "binary_rank"]
BESIDE = ["spearman", "p_value", "n"]


def binary_table(inputs: Inputs) -> TableResult:
    """Alignment before and after verdicts of 0.5 are moved to a mark (A52, C-A44).

    Returns
    -------
    TableResult
        One row per condition and judge, and one of all judges: `condition`, `judge`, `standard`, `binary`
        (percent), `difference` (pp), `other_reading` (`binary` with the other choice of `binary.reference`),
        `half_rate` (percent of the scores that are 0.5), `rank`, `binary_rank`; in the row of all judges
        `spearman` of the two rankings and its `p_value`; `n`, and reasons.
    """
    option = inputs.config.tables.binary_scale
    readings = {"collapsed": True, "raw": False}
    if inputs.config.binary.reference == "raw":
        readings = {"raw": False, "collapsed": True}
    found = judge_means(inputs, inputs.matched, option, ["match"]).rename(columns={"match": "standard"})
    for name, both in zip(("binary", "other_reading"), readings.values(), strict=True):
        found[name] = judge_means(inputs, _collapsed(inputs, both).matched, option, ["match"])["match"]
    found["half_rate"] = _half_rate(inputs, inputs.pooled_generators(option))
    found["difference"] = found["binary"] - found["standard"]
    rows = [
        line
        for condition in inputs.conditions
        for line in _rows(inputs, condition, of_condition(found, condition))
    ]
    reasons = [f"{name}_reason" for name in ("rank", "binary_rank", "spearman", "p_value")]
    frame = pd.DataFrame(rows, columns=["condition", "judge", *MEASURES, *BESIDE, *reasons, "reason"])
    numeric = [*MEASURES, *BESIDE]
    frame[numeric] = frame[numeric].astype(float)
    notes = (_scale_note(inputs), averaging_note(inputs, option), *verdict_notes(inputs))
    return TableResult(frame, _columns(next(iter(readings))), notes)


def _collapsed(inputs: Inputs, both: bool) -> Inputs:
    """Give the inputs with verdicts of 0.5, and if `both` the programmatic scores, moved to 0 or 1."""
    rows = inputs.verdicts
    reference = rows[REFERENCES].to_numpy(dtype=float)
    verdict, side = binary_collapse(rows[VERDICTS].to_numpy(dtype=float), reference)
    changed = dict(zip(VERDICTS, verdict.T, strict=True))
    if both:
        side = np.where(np.isnan(reference), np.nan, side)
        changed |= dict(zip(REFERENCES, side.T, strict=True))
    return replace(inputs, verdicts=rows.assign(**changed))


def _half_rate(inputs: Inputs, generators: list[str]) -> pd.Series:
    """Percentage of the scores of ok verdicts that are 0.5, by condition and judge."""
    rows = inputs.ok_verdicts
    rows = rows[rows["generator"].isin(generators)]
    scores = rows[VERDICTS].to_numpy(dtype=float)
    counts = rows[["condition", "judge"]].assign(
        half=(scores == 0.5).sum(axis=1), given=(~np.isnan(scores)).sum(axis=1)
    )
    sums = counts.groupby(["condition", "judge"])[["half", "given"]].sum()
    return 100 * sums["half"] / sums["given"]


def _rows(inputs: Inputs, condition: str, found: pd.DataFrame) -> list[dict[str, object]]:
    found = found.reindex(inputs.judges)
    panel = pd.DataFrame({name: panel_values(inputs, found[name]) for name in MEASURES[:5]})
    ranks = pd.DataFrame(
        {"rank": ranks_from_top(panel["standard"]), "binary_rank": ranks_from_top(panel["binary"])},
        index=panel.index,
    )
    rows: list[dict[str, object]] = []
    for judge, line in found.join(ranks).iterrows():
        row: dict[str, object] = {"condition": condition, "judge": judge, **named(line)}
        row |= dict.fromkeys(("spearman_reason", "p_value_reason"), "stands in the row of all judges")
        if judge not in panel.index:
            row |= dict.fromkeys(("rank_reason", "binary_rank_reason"), "stands outside the panel")
        row["reason"] = REASONS["empty"] if np.isnan(line["standard"]) else None
        rows.append(row)
    return [*rows, _all_row(condition, panel, int(found["n"].sum()))]


def _all_row(condition: str, panel: pd.DataFrame, count: int) -> dict[str, object]:
    known = panel.dropna(subset=["standard", "binary"])
    rho = rank_agreement(panel["standard"], panel["binary"])
    p_value = spearman_p_value(known["standard"], known["binary"]) if rho.value is not None else Value(None)
    row: dict[str, object] = {"condition": condition, "judge": ALL, **named(panel.mean())}
    row |= {"spearman": rho.value, "spearman_reason": RANK_REASONS.get(rho.reason or "")}
    row |= {"p_value": p_value.value, "p_value_reason": row["spearman_reason"]}
    if p_value.value is None and rho.value is not None:
        row["p_value_reason"] = "fewer than three judges have a value"
    row |= dict.fromkeys(("rank_reason", "binary_rank_reason"), "a mean has no rank")
    return row | {"n": count, "reason": None if len(known) else REASONS["empty"]}


def _scale_note(inputs: Inputs) -> str:
    moved = {
        "collapsed": "The programmatic score is moved likewise: below 0.5 to 0, else to 1.",
        "raw": "The programmatic score is left as it is.",
    }
    return (
        "A score of 0.5 becomes 0 where the programmatic score is below 0.5, else 1. "
        + moved[inputs.config.binary.reference]
    )


def _columns(reading: str) -> dict[str, Column]:
    other = {"collapsed": "left as it is", "raw": "moved to 0 or 1 as well"}[reading]
    return {
        **{name: NAMES[name] for name in ("condition", "judge")},
        "standard": Column("Standard", "%", 1, "Alignment on three marks."),
        "binary": Column("Binary", "%", 1, "Alignment on two marks."),
        "difference": Column("Difference", "pp", 1, "Binary minus standard."),
        "other_reading": Column("Other reading", "%", 1, f"Binary, the programmatic score {other}."),
        "half_rate": Column("Scores of 0.5", "%", 1),
        "rank": Column("Rank", help="By the standard scale."),
        "binary_rank": Column("Binary rank"),
        "spearman": Column("Spearman", digits=2, help="Of the two rankings."),
        "p_value": Column("p", digits=2, help="Two-sided, t distribution."),
        "n": Column("N", digits=0, help="Plans with an ok verdict."),
    }
