"""How good the generators' plans are by the program alone (A23)."""

from __future__ import annotations

import pandas as pd

from plumbline.tables.grid import grid, reasons
from plumbline.tables.inputs import REFERENCES, Inputs
from plumbline.tables.notes import plan_notes
from plumbline.tables.result import Column, TableResult


def accuracy_table(inputs: Inputs) -> TableResult:
    """Mean of the four programmatic scores by generator and tier (A23).

    Returns
    -------
    TableResult
        Columns `generator`, `<tier>` in percent for each tier, `<tier>.n`; ordered by the hardest tier, best
        first.
    """
    plans = inputs.usable_plans
    plans = plans.assign(accuracy=100 * plans[REFERENCES].mean(axis=1, skipna=False))
    cells = grid(inputs, plans, {"generator": inputs.generators, "tier": inputs.tiers}, value="accuracy")
    shape = (len(inputs.generators), len(inputs.tiers))
    frame = pd.DataFrame({"generator": inputs.generators})
    frame[inputs.tiers] = cells.means.reshape(shape)
    frame[[f"{tier}.n" for tier in inputs.tiers]] = cells.counts.reshape(shape)
    for tier in inputs.tiers:
        if frame[tier].isna().any():
            frame[f"{tier}_reason"] = reasons(frame[tier].isna(), "no ok plan")
    frame = frame.sort_values(inputs.tiers[-1], ascending=False, kind="stable", ignore_index=True)
    columns = {"generator": Column("Generator")}
    columns |= {tier: Column(tier, "%", 1, "Mean of the four scores over plans.") for tier in inputs.tiers}
    columns |= {f"{tier}.n": Column(f"N {tier}", digits=0, help="Scored plans.") for tier in inputs.tiers}
    return TableResult(frame, columns, tuple(plan_notes(inputs)))
