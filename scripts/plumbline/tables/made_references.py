"""What judges do with a reference that is not the true one: another record's (A25), or their own."""

from __future__ import annotations

import numpy as np
import pandas as pd

from plumbline.config.comparisons import arm_of
from plumbline.tables.alignment import NAMES
from plumbline.tables.effects import NOISE_COLUMNS, Effects, Line, add_intervals, add_noise, noise_notes
from plumbline.tables.inputs import Inputs
from plumbline.tables.notes import interval_notes, verdict_notes
from plumbline.tables.result import Column, TableResult

KEYS = ["generator", "judge", "tier", "arm"]
COLUMNS = {name: NAMES[name] for name in ("generator", "judge", "tier")} | {
    "arm": Column("Arm", help="What the configuration calls the condition with the made reference."),
    "with_gt": Column("True", "%", 1, "The judge sees the record's own expected calls."),
    "without_gt": Column("None", "%", 1, "The judge sees no reference."),
}


def corrupted_table(inputs: Inputs) -> TableResult:
    """Compare another record's expected calls with the true ones and with none (A25).

    Returns
    -------
    TableResult
        One row per generator, judge, tier and arm: `with_gt`, `without_gt`, `corrupted_gt` (percent),
        `corrupted_minus_with`, `corrupted_minus_without` (points), each with `_lo` and `_hi`, `n` (plans with
        an ok verdict under all three), `noise_sd`, `noise_range`, `reason`.
    """
    return _three_arms(inputs, "shuffle", "corrupted", "another record's expected calls")


def derived_table(inputs: Inputs) -> TableResult:
    """Compare calls that a model derived without seeing the plan with the true ones and with none.

    Returns
    -------
    TableResult
        As `corrupted_table`, with `derived` in the place of `corrupted`.
    """
    return _three_arms(inputs, "derive", "derived", "calls that a model derived")


def _three_arms(inputs: Inputs, kind: str, word: str, what: str) -> TableResult:
    effects = Effects(inputs)
    lines = _lines(effects, kind)
    differences = {f"{word}_minus_with": (-1, 0, 1), f"{word}_minus_without": (0, -1, 1)}
    columns = (
        COLUMNS
        | {f"{word}_gt": Column(word.capitalize(), "%", 1, f"The judge sees {what}.")}
        | _difference_columns(word)
    )
    columns |= {"n": Column("N", digits=0, help="Plans with an ok verdict under all three.")} | NOISE_COLUMNS
    notes = [*noise_notes(inputs), *verdict_notes(inputs), *interval_notes(inputs)]
    if not lines:
        absent = f"Nothing to compare: no cell of the block was asked with {what}, the true ones, and none."
        return TableResult(pd.DataFrame(columns=[*columns, "reason"]), columns, (absent, *notes))
    paired = effects.pair(lines)
    frame = pd.DataFrame(
        [(x.generator, x.judge, x.tier, arm_of(inputs.config, x.arms[2])) for x in lines], columns=KEYS
    )
    frame[["with_gt", "without_gt", f"{word}_gt"]] = paired.levels
    for name, weights in differences.items():
        add_intervals(frame, paired.contrast(weights), (name, f"{name}_lo", f"{name}_hi"))
    frame["n"] = paired.counts
    frame["reason"] = paired.reasons()
    add_noise(frame, paired.replicate_means)
    return TableResult(frame, columns, tuple(_nearer(frame, word) + notes))


def _lines(effects: Effects, kind: str) -> list[Line]:
    """Each cell that was asked with the true reference, with none, and with one of this kind."""
    config = effects.inputs.config
    made = {name for name, chosen in config.references.items() if chosen.kind == kind}
    lines = []
    for (generator, judge, tier), asked in effects.asked.items():
        shows = {name: config.conditions[name].reference for name in asked}
        true = next((name for name, shown in shows.items() if shown == "expected"), None)
        none = next((name for name, shown in shows.items() if shown == "none"), None)
        if true is not None and none is not None:
            lines += [
                Line(generator, judge, tier, (true, none, name))
                for name, shown in shows.items()
                if shown in made
            ]
    return lines


def _difference_columns(word: str) -> dict[str, Column]:
    columns = {}
    for other, label in (("with", "true"), ("without", "none")):
        name = f"{word}_minus_{other}"
        title = f"{word.capitalize()} − {label}"
        columns[name] = Column(title, "pp", 2, "On plans with an ok verdict under all three.")
        columns[f"{name}_lo"] = Column("From", "pp", 2, f"Lower bound of {title}.")
        columns[f"{name}_hi"] = Column("To", "pp", 2, f"Upper bound of {title}.")
    return columns


def _nearer(frame: pd.DataFrame, word: str) -> list[str]:
    """Count the cells in which the made reference moves a judge less than taking the true one away."""
    known = frame[frame["n"] > 0]
    if known.empty:
        return []
    near = np.abs(known[f"{word}_minus_with"]) < np.abs(known[f"{word}_minus_without"])
    return [
        f"In {int(near.sum())} of {len(known)} cells the {word} reference gives an alignment nearer to that "
        "with the true reference than to that with none."
    ]
