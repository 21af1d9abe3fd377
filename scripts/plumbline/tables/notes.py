"""Sentences below a table: what it rests on and what is missing."""

from __future__ import annotations

import pandas as pd

from plumbline.config.cells import resolved_decoding
from plumbline.tables.collect import PLAN_KEY
from plumbline.tables.inputs import Inputs


def counted(statuses: pd.Series) -> str:
    """List how often each value occurs, most frequent first: `malformed 12, off_scale 3`."""
    counts = statuses.value_counts().sort_index().sort_values(ascending=False, kind="stable")
    return ", ".join(f"{status} {number:,}" for status, number in counts.items())


def share(part: int, whole: int) -> str:
    """Write a share with its counts."""
    return f"{part:,} of {whole:,}" + (f" ({100 * part / whole:.1f} %)" if whole else "")


def verdict_notes(
    inputs: Inputs, *, alignment: bool = True, generators: list[str] | None = None
) -> list[str]:
    """Say how many verdicts a table rests on, and why the rest are missing.

    Parameters
    ----------
    alignment
        Whether the table shows alignments, so that how they are averaged is said as well.
    generators
        Those whose plans it rests on; all of the block if None.
    """
    rows = inputs.block_verdicts
    rows = rows if generators is None else rows[rows["generator"].isin(generators)]
    status = rows["status"]
    asked = status[status != "not_asked"]
    lost = asked[asked != "ok"]
    notes = [f"Rests on {share(len(asked) - len(lost), len(asked))} verdicts asked for."]
    if len(lost):
        notes.append(f"Lost verdicts: {counted(lost)}.")
    notes += _not_asked(inputs, rows[status == "not_asked"])
    notes += reasoning_notes(inputs, rows)
    if inputs.config.alignment.pairing == "both":
        notes.append("A plan counts only where the judge's verdict is ok under every condition of the block.")
    if alignment and inputs.config.alignment.weighting == "topologies":
        notes.append(
            "In a cell every topology of the paper weighs the same; plans of other shapes are left out."
        )
    if alignment and inputs.config.verdicts.missing_metric == "zero":
        notes.append("A metric that an otherwise readable verdict lacks counts as a match of 0.")
    return notes


def reasoning_notes(inputs: Inputs, rows: pd.DataFrame) -> list[str]:
    """Say of each judge and condition without thinking how many replies came with reasoning (A39)."""
    notes = []
    for key, group in rows.groupby(["judge", "condition"], sort=False):
        judge, condition = map(str, key)
        known = group["reasoned"].dropna()
        if known.any() and resolved_decoding(inputs.config, judge, condition).thinking is False:
            told = share(int(known.sum()), len(known))
            notes.append(
                f"Thinking is off in condition {condition}, yet {told} replies of {judge} hold reasoning: "
                "they are no measure of a judge that does not think."
            )
    return notes


def _not_asked(inputs: Inputs, rows: pd.DataFrame) -> list[str]:
    """Say why verdicts were not asked for: the plan was lost, or the reference to judge it with."""
    usable = pd.MultiIndex.from_frame(inputs.usable_plans[PLAN_KEY])
    count = int(pd.MultiIndex.from_frame(rows[PLAN_KEY]).isin(usable).sum())
    causes = {"the plan was lost": len(rows) - count, "the reference could not be made": count}
    return [f"Not asked, because {cause}: {number:,}." for cause, number in causes.items() if number]


def plan_notes(inputs: Inputs) -> list[str]:
    """Say how many plans a table rests on, and why the rest are missing."""
    plans, usable = inputs.block_plans, inputs.usable_plans
    lost = plan_losses(inputs)
    notes = [f"Rests on {share(len(usable), len(plans))} plans."]
    if len(lost):
        notes.append(f"Lost plans: {counted(lost)}.")
    return notes


def plan_losses(inputs: Inputs) -> pd.Series:
    """Cause of each lost plan; an excluded plan without calls is `zero_calls` (C-A48)."""
    lost = inputs.block_plans.drop(index=inputs.usable_plans.index)
    return lost["plan_status"].replace("ok", "zero_calls")


def interval_notes(inputs: Inputs) -> list[str]:
    """Say how the intervals of a table were made."""
    settings = inputs.config.bootstrap
    count = len(inputs.records)
    strata = ", within their topology" if settings.strata == "topology" else ""
    noun = "record" if count == 1 else "records"
    notes = [
        f"Intervals: {100 * settings.level:g} %, {settings.resamples:,} resamples of the {count:,} "
        f"{noun}{strata}, seed {settings.seed}; the same draw serves all cells."
    ]
    if inputs.families is not None:
        families = inputs.records["family"].nunique()
        notes.append(f"Records of one template family are drawn together ({families:,} families).")
    sizes = inputs.records["topology"].value_counts()
    if settings.strata == "topology" and (sizes == 1).sum() > 1:
        notes.append("Topologies that have one record are drawn from together; alone they could not vary.")
    return notes
