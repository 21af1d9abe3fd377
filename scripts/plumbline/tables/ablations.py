"""The one table of every ablation: its conditions side by side, and what each changes (A55)."""

from __future__ import annotations

import numpy as np
import pandas as pd

from plumbline.config.comparisons import Comparison, comparisons
from plumbline.tables.alignment import NAMES
from plumbline.tables.effects import (
    NO_PAIR,
    NOISE_COLUMNS,
    Effects,
    Floats,
    Line,
    add_intervals,
    add_noise,
    noise_notes,
)
from plumbline.tables.grid import REASONS
from plumbline.tables.inputs import Inputs
from plumbline.tables.notes import interval_notes, verdict_notes
from plumbline.tables.result import Column, TableResult

NOT_ASKED = "not asked in this block"


def effects_table(inputs: Inputs) -> TableResult:
    """Alignment under each condition of the block, and its paired difference from its baseline.

    Returns
    -------
    TableResult
        One row per generator, judge and tier. For each condition C its alignment in `C`; for each condition
        that is compared with a baseline B the difference `C.minus_B` in points, `.lo`, `.hi` and `.n` (plans
        with an ok verdict under both); for each baseline `spread_B`, highest minus lowest alignment of it and
        all that are compared with it; `noise_sd` and `noise_range` (see `noise_floor`).
    """
    effects = Effects(inputs)
    cells = list(effects.asked)
    frame = pd.DataFrame(cells, columns=["generator", "judge", "tier"])
    columns = {name: NAMES[name] for name in ("generator", "judge", "tier")}
    levels = effects.levels(*_places(effects))
    for place, condition in enumerate(inputs.conditions):
        frame[condition] = levels[:, place]
        asked = [condition in effects.asked[cell] for cell in cells]
        _explain(frame, condition, [REASONS["empty"] if flag else NOT_ASKED for flag in asked])
        columns[condition] = Column(condition, "%", 1, "Alignment on all plans with an ok verdict.")
    compared = comparisons(inputs.config, inputs.block)
    for comparison in compared:
        columns |= _difference(frame, effects, comparison)
    columns |= _spreads(frame, levels, inputs.conditions, compared)
    generator, judge, tier = _places(effects)
    add_noise(frame, effects.replicate_means[generator, judge, tier])
    columns |= NOISE_COLUMNS
    notes = [] if compared else ["The block has one condition on each side: nothing is compared."]
    notes += [*noise_notes(inputs), *verdict_notes(inputs), *interval_notes(inputs)]
    return TableResult(frame, columns, tuple(notes))


def _places(effects: Effects) -> tuple[list[int], list[int], list[int]]:
    """Place of each row's generator, judge and tier on the axes of `Effects.values`."""
    inputs = effects.inputs
    return (
        [inputs.generators.index(generator) for generator, _, _ in effects.asked],
        [inputs.judges.index(judge) for _, judge, _ in effects.asked],
        [inputs.tiers.index(tier) for _, _, tier in effects.asked],
    )


def _difference(frame: pd.DataFrame, effects: Effects, comparison: Comparison) -> dict[str, Column]:
    """Add the columns of one comparison to the rows whose cells have both conditions."""
    arms = (comparison.condition, comparison.baseline)
    having = [set(arms) <= set(asked) for asked in effects.asked.values()]
    lines = [Line(*cell, arms) for cell, both in zip(effects.asked, having, strict=True) if both]
    name = f"{arms[0]}.minus_{arms[1]}"
    if not lines:
        return {}
    paired = effects.pair(lines)
    found = pd.DataFrame(index=frame.index[having])
    add_intervals(found, paired.contrast((1, -1)), (name, f"{name}.lo", f"{name}.hi"))
    found[f"{name}.n"] = paired.counts
    told = iter(paired.reasons())
    words = [next(told) if both else NOT_ASKED for both in having]
    for column in found:
        frame[column] = found[column]
        _explain(frame, str(column), words)
    frame[f"{name}.n"] = frame[f"{name}.n"].astype("Int64")
    label = f"{arms[0]} − {arms[1]}"
    return {
        name: Column(label, "pp", 2, "Mean difference on plans with an ok verdict under both."),
        f"{name}.lo": Column("From", "pp", 2, f"Lower bound of {label}."),
        f"{name}.hi": Column("To", "pp", 2, f"Upper bound of {label}."),
        f"{name}.n": Column("N", digits=0, help="Plans with an ok verdict under both."),
    }


def _explain(frame: pd.DataFrame, column: str, words: list[str | None] | list[str]) -> None:
    """Add the column that says why values of another are missing, if any is."""
    missing = frame[column].isna()
    if missing.any():
        frame[f"{column}_reason"] = [
            word if gone else None for word, gone in zip(words, missing, strict=True)
        ]


def _spreads(
    frame: pd.DataFrame, levels: Floats, conditions: list[str], compared: list[Comparison]
) -> dict[str, Column]:
    """Add highest minus lowest alignment of each baseline and the conditions compared with it."""
    columns = {}
    for baseline in dict.fromkeys(comparison.baseline for comparison in compared):
        arms = [baseline, *(c.condition for c in compared if c.baseline == baseline)]
        chosen = levels[:, [conditions.index(arm) for arm in arms]]
        several = (~np.isnan(chosen)).sum(axis=1) > 1
        highest = np.where(np.isnan(chosen), -np.inf, chosen).max(axis=1)
        lowest = np.where(np.isnan(chosen), np.inf, chosen).min(axis=1)
        name = f"spread_{baseline}"
        frame[name] = np.where(several, highest - lowest, np.nan)
        _explain(frame, name, [NO_PAIR] * len(frame))
        words = f"Highest minus lowest alignment of {', '.join(arms)}."
        columns[name] = Column(f"Spread around {baseline}", "pp", 2, words)
    return columns
