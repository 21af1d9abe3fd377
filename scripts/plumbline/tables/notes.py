"""Sentences below a table: what it rests on and what is missing."""

from __future__ import annotations

import pandas as pd

from plumbline.tables.inputs import Inputs


def counted(statuses: pd.Series) -> str:
    """List how often each value occurs, most frequent first: `malformed 12, off_scale 3`."""
    counts = statuses.value_counts().sort_index().sort_values(ascending=False, kind="stable")
    return ", ".join(f"{status} {number:,}" for status, number in counts.items())


def share(part: int, whole: int) -> str:
    """Write a share with its counts."""
    return f"{part:,} of {whole:,}" + (f" ({100 * part / whole:.1f} %)" if whole else "")


def verdict_notes(inputs: Inputs) -> list[str]:
    """Say how many verdicts a table rests on, and why the rest are missing."""
    status = inputs.block_verdicts["status"]
    asked = status[status != "not_asked"]
    lost = asked[asked != "ok"]
    notes = [f"Rests on {share(len(asked) - len(lost), len(asked))} verdicts asked for."]
    if len(lost):
        notes.append(f"Lost verdicts: {counted(lost)}.")
    if len(asked) < len(status):
        notes.append(f"Not asked, because the plan was lost: {len(status) - len(asked):,}.")
    if inputs.config.alignment.pairing == "both":
        notes.append("A plan counts only where the judge's verdict is ok under every condition of the block.")
    if inputs.config.verdicts.missing_metric == "zero":
        notes.append("A metric that an otherwise readable verdict lacks counts as a match of 0.")
    return notes


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
    sizes = inputs.records["topology"].value_counts()
    if settings.strata == "topology" and (sizes == 1).sum() > 1:
        notes.append("Topologies that have one record are drawn from together; alone they could not vary.")
    return notes
