"""How often the interval of a simulated cell holds the alignment that the cell was made to have."""

from __future__ import annotations

import pandas as pd
from scipy.stats import binom

from plumbline.config.cells import Cell
from plumbline.judging.simulation import target_of
from plumbline.tables.alignment import NAMES
from plumbline.tables.grid import REASONS, grid
from plumbline.tables.inputs import Inputs
from plumbline.tables.notes import interval_notes, verdict_notes
from plumbline.tables.result import Column, TableResult

_KEYS = ["generator", "judge", "tier", "condition"]


def rehearsal_table(inputs: Inputs) -> TableResult:
    """Target and interval of every cell of a judge that is simulated after a file of targets.

    Returns
    -------
    TableResult
        One row a cell with a target: `generator`, `judge`, `tier`, `condition`, `target`, `mean`, `lo`, `hi`,
        `difference` (mean less target, points), `inside` (null with a `reason` where there is no interval),
        `n`. The first note counts the cells inside, and says how many of as many independent intervals
        would be.
    """
    frame = pd.DataFrame(_rows(inputs), columns=[*_KEYS, "target", "mean", "lo", "hi", "n", "reason"])
    frame[["target", "mean", "lo", "hi"]] = frame[["target", "mean", "lo", "hi"]].astype(float)
    known = frame["lo"].notna()
    inside = (frame["lo"] <= frame["target"]) & (frame["target"] <= frame["hi"])
    frame.insert(8, "difference", frame["mean"] - frame["target"])
    frame.insert(9, "inside", inside.astype(object).where(known, None))
    columns = {name: NAMES[name] for name in _KEYS} | {
        "target": Column("Target", "%", 1, "Alignment that the simulated judge was made to have on average."),
        "mean": Column("Alignment", "%", 2, "Alignment of the verdicts that were drawn."),
        "lo": Column("From", "%", 2, "Lower bound of the interval."),
        "hi": Column("To", "%", 2, "Upper bound of the interval."),
        "difference": Column("Difference", "pp", 2, "Alignment less target."),
        "inside": Column("Inside", help="Whether the interval holds the target."),
        "n": Column("N", digits=0, help="Plans with an ok verdict."),
    }
    notes = (_count(inputs, frame), *verdict_notes(inputs), *interval_notes(inputs))
    return TableResult(frame, columns, notes)


def _rows(inputs: Inputs) -> list[tuple[object, ...]]:
    config = inputs.config
    simulations = {
        judge: config.models[config.judges[judge].model].simulation
        for judge in inputs.judges
        if config.models[config.judges[judge].model].engine == "simulated"
    }
    if not any(simulation.targets for simulation in simulations.values()):
        return []
    names = (inputs.generators, list(simulations), inputs.tiers, inputs.conditions)
    cells = grid(inputs, inputs.matched, dict(zip(_KEYS, names, strict=True)))
    rows: list[tuple[object, ...]] = []
    for key, found, count in zip(cells.cells, cells.intervals(), cells.counts, strict=True):
        generator, judge, tier, condition = key
        target = target_of(Cell(judge, generator, tier, condition), simulations[judge])  # type: ignore[arg-type]
        if target is not None:
            reason = REASONS.get(found.reason or "")
            rows.append((*key, target, found.mean, found.low, found.high, int(count), reason))
    return rows


def _count(inputs: Inputs, frame: pd.DataFrame) -> str:
    """Say how many intervals hold their target, and what chance would allow."""
    known = int(frame["inside"].notna().sum())
    if not known:
        return "No judge of this block is simulated after targets, so there is nothing to check."
    level = inputs.config.bootstrap.level
    inside = int(frame["inside"].eq(True).sum())
    low, high = (int(bound) for bound in binom.interval(0.99, known, level))
    return (
        f"{inside} of {known} targets lie in their interval ({100 * inside / known:.1f} %). About "
        f"{level * known:.0f} are to be expected, and {low} to {high} in 99 of 100 rehearsals. This is a "
        "check of the statistics on simulated verdicts; it says nothing about any judge."
    )
