"""Verdicts that the expected calls make too lenient: how many, and which (A48, C-A20)."""

from __future__ import annotations

import numpy as np
import pandas as pd

from plumbline.records import METRICS
from plumbline.tables.alignment import NAMES
from plumbline.tables.collect import PLAN_KEY
from plumbline.tables.inputs import REFERENCES, VERDICTS, Inputs
from plumbline.tables.lift import condition_pairs
from plumbline.tables.notes import verdict_notes
from plumbline.tables.result import Column, TableResult
from plumbline.tables.texts import justifications

TOLERANCE = 1e-9
"""Scores that differ by no more are equal: thirds are not exact in floats."""

RULES = {
    "draft": "An instance: the score with the expected calls is above the program's, and the one without "
    "them at most 0.1 above it.",
    "script": "An instance: the program's score is below 1, the score with the expected calls is 1, and the "
    "one without them is lower.",
}


def counts_table(inputs: Inputs) -> TableResult:
    """Count the instances of over-anchoring by judge, on the hardest tier (A48, C-A20).

    Returns
    -------
    TableResult
        One row per judge: `judge`, the four metrics (instances), `instances`, `plans` (with at least one),
        `records` (likewise, generators put together), `lowered` (scores of the program below 1, where an
        instance is possible), `share` (percent of these), `compared` (plans with an ok verdict on both sides)
        and `reason`.
    """
    pair, notes = _pair(inputs)
    rows = []
    for judge in inputs.judges:
        both = _both_sides(inputs, pair, judge)
        found = _instances(inputs, both)
        per_metric = dict(zip(METRICS, found.sum(axis=0).tolist(), strict=True))
        hit = both[found.any(axis=1)]
        lowered = int((both[REFERENCES].to_numpy(dtype=float) < 1 - TOLERANCE).sum())
        share = 100 * found.sum() / lowered if lowered else np.nan
        count = {"instances": int(found.sum()), "plans": len(hit), "records": hit["record_id"].nunique()}
        why = (
            "the program lowers no score" if len(both) else "no plan has an ok verdict under both conditions"
        )
        beside = {
            "lowered": lowered,
            "share": share,
            "compared": len(both),
            "reason": None if lowered else why,
        }
        rows.append({"judge": judge} | per_metric | count | beside)
    frame = pd.DataFrame(rows)
    columns = {"judge": NAMES["judge"]}
    columns |= {metric: Column(metric.replace("_", " "), digits=0, help="Instances.") for metric in METRICS}
    columns |= {
        "instances": Column("Instances", digits=0, help="Single scores."),
        "plans": Column("Plans", digits=0, help="Plans with at least one instance."),
        "records": Column("Records", digits=0, help="Records with such a plan of any generator."),
        "lowered": Column("Possible", digits=0, help="Scores that the program lowers."),
        "share": Column("Share", "%", 1, "Instances of those possible."),
        "compared": Column("N", digits=0, help="Plans with an ok verdict under both conditions."),
    }
    return TableResult(frame, columns, (*notes, *verdict_notes(inputs, alignment=False)))


def list_table(inputs: Inputs) -> TableResult:
    """List the instances of one judge with what it said (A48).

    Returns
    -------
    TableResult
        One row per instance: `record_id`, `generator`, `topology`, `metric`, `programmatic`,
        `score_with`, `score_without`, `said_with`, `said_without` (the judge's justifications), and reasons.
        Largest excess over the program first.
    """
    pair, notes = _pair(inputs)
    judge = listed_judge(inputs)
    found = instances(inputs, judge)
    if pair is not None and judge is not None and len(found):
        for side, condition in zip(("with", "without"), pair, strict=True):
            said, missing = justifications(inputs, judge, inputs.tiers[-1], condition, found)
            found[f"said_{side}"] = said
            found[f"said_{side}_reason"] = missing
    names = ["record_id", "generator", "topology", "metric", "programmatic", "score_with", "score_without"]
    texts = ["said_with", "said_with_reason", "said_without", "said_without_reason"]
    frame = found.reindex(columns=[*names, *texts])
    columns = {
        "record_id": Column("Record"),
        "generator": NAMES["generator"],
        "topology": Column("Topology"),
        "metric": Column("Metric"),
        "programmatic": Column("Program", digits=2),
        "score_with": Column("With", digits=2, help="The judge's score with the expected calls shown."),
        "score_without": Column("Without", digits=2, help="The judge's score without them."),
        "said_with": Column("Said with", help="The judge's justification."),
        "said_without": Column("Said without", help="The judge's justification."),
    }
    listed = [f"Instances of {judge}: {len(found):,}."] if judge else []
    return TableResult(frame, columns, (*listed, *notes, *verdict_notes(inputs, alignment=False)))


def listed_judge(inputs: Inputs) -> str | None:
    """Give the judge whose instances are listed: the configured one, or the one that has most."""
    chosen = inputs.config.over_anchor.judge
    if chosen is not None:
        return chosen if chosen in inputs.judges else None
    pair, _ = _pair(inputs)
    counts = {judge: _instances(inputs, _both_sides(inputs, pair, judge)).sum() for judge in inputs.judges}
    return max(counts, key=lambda judge: counts[judge], default=None)


def instances(inputs: Inputs, judge: str | None) -> pd.DataFrame:
    """Give one row per instance of a judge, largest excess over the program first.

    Returns
    -------
    pandas.DataFrame
        `record_id`, `tier`, `generator`, `topology`, `replicate_with`, `replicate_without`, `metric`,
        `programmatic`, `score_with`, `score_without`.
    """
    both = _both_sides(inputs, _pair(inputs)[0], judge)
    rows, places = np.nonzero(_instances(inputs, both))
    found = both.iloc[rows][[*PLAN_KEY, "topology", "replicate_with", "replicate_without"]].reset_index(
        drop=True
    )
    found["metric"] = np.array(METRICS, dtype=object)[places]
    for name, columns in (
        ("programmatic", REFERENCES),
        ("score_with", [f"{name}_with" for name in VERDICTS]),
        ("score_without", [f"{name}_without" for name in VERDICTS]),
    ):
        found[name] = both[columns].to_numpy(dtype=float)[rows, places]
    excess = (found["programmatic"] - found["score_with"]).round(9)
    fall = (found["score_without"] - found["score_with"]).round(9)
    order = found.assign(excess=excess, fall=fall)
    order = order.sort_values(["excess", "fall", "record_id", "generator", "metric"], kind="stable")
    return found.loc[order.index].reset_index(drop=True)


def _pair(inputs: Inputs) -> tuple[tuple[str, str] | None, list[str]]:
    """Give the two conditions that are compared, and what there is to say of it."""
    pairs, notes = condition_pairs(inputs)
    rule = RULES[inputs.config.over_anchor.rule]
    if not pairs:
        return None, notes
    shown, hidden = pairs[0]
    return pairs[0], [f"Tier {inputs.tiers[-1]}, {shown} against {hidden}. {rule}"]


def _both_sides(inputs: Inputs, pair: tuple[str, str] | None, judge: str | None) -> pd.DataFrame:
    """Verdicts of a judge under both conditions, one row per plan of the hardest tier that has both.

    Of replicates the first ok one counts.
    """
    rows = inputs.ok_verdicts
    wanted = (rows["judge"] == judge) & (rows["tier"] == inputs.tiers[-1])
    rows = rows[wanted].sort_values("replicate", kind="stable")
    shown, hidden = (rows[rows["condition"] == name].drop_duplicates(PLAN_KEY) for name in (pair or ("", "")))
    kept = [*PLAN_KEY, "topology", *REFERENCES, *VERDICTS, "replicate"]
    return shown[kept].merge(
        hidden[[*PLAN_KEY, *VERDICTS, "replicate"]], on=PLAN_KEY, suffixes=("_with", "_without")
    )


def _instances(inputs: Inputs, both: pd.DataFrame) -> np.ndarray:
    """Whether each score, (plans, metrics), is an instance."""
    program = both[REFERENCES].to_numpy(dtype=float)
    shown = both[[f"{name}_with" for name in VERDICTS]].to_numpy(dtype=float)
    hidden = both[[f"{name}_without" for name in VERDICTS]].to_numpy(dtype=float)
    if inputs.config.over_anchor.rule == "draft":
        return np.asarray((shown > program + TOLERANCE) & (hidden <= program + 0.1 + TOLERANCE))
    lowered = program < 1 - TOLERANCE
    return np.asarray(lowered & (shown >= 1 - TOLERANCE) & (hidden < shown - TOLERANCE))
