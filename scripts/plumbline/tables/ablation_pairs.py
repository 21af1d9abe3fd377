"""Ablations with two arms: thinking (A39), format of the prompt (A40, A41), the default score (A36)."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from plumbline.config.cells import resolved_decoding
from plumbline.config.comparisons import arm_of, comparisons, side_of
from plumbline.tables.alignment import NAMES
from plumbline.tables.drawing import grouped_bars
from plumbline.tables.effects import (
    NOISE_COLUMNS,
    WHY,
    Effects,
    Line,
    Paired,
    add_intervals,
    add_noise,
    noise_notes,
)
from plumbline.tables.inputs import Inputs
from plumbline.tables.notes import interval_notes, verdict_notes
from plumbline.tables.result import Column, TableResult

MEAN = "mean"
"""Stands for generator and tier in the lines that average over them."""

DEFAULTS = ("default_one", "default_half", "half_minus_one")
KEYS = ["judge", "generator", "tier", "condition", "arm"]
KEY_COLUMNS = NAMES | {
    "condition": Column("Condition", help="With or without the expected calls."),
    "arm": Column("Arm", help="What the configuration calls the second of the two."),
}
N = Column("N", digits=0, help="Plans with an ok verdict under all conditions compared.")


def thinking_table(inputs: Inputs) -> TableResult:
    """Compare thinking on with thinking off, on the same plans (A39).

    Returns
    -------
    TableResult
        One row per judge, generator, tier, side and arm without thinking: `thinking_on`, `thinking_off`
        (percent), `on_minus_off`, `lo`, `hi` (points), `n`, `noise_sd`, `noise_range`, `reason`. Rows with
        generator and tier `mean` average the differences over the cells. Notes name the largest
        difference of each arm.
    """

    def off_and_on(judge: str, condition: str, baseline: str) -> bool:
        thinking = [
            resolved_decoding(inputs.config, judge, name).thinking is not False
            for name in (condition, baseline)
        ]
        return thinking == [False, True]

    names = ("thinking_on", "thinking_off", "on_minus_off")
    labels = ("Thinking on", "Thinking off", "On − off")
    return _two_arms(inputs, off_and_on, names, labels, "no condition with thinking and the same without")


def format_table(inputs: Inputs) -> TableResult:
    """Compare the rubric prompt with a free-form one, on the same plans (A40, A41).

    Returns
    -------
    TableResult
        One row per judge, generator, tier, side and arm: `structured` (the baseline), `free_form`,
        `structured_minus_free`, and the other columns of `thinking_table`.
    """
    names = ("structured", "free_form", "structured_minus_free")
    labels = ("Structured", "Free form", "Structured − free form")
    belongs = _other_prompt(inputs)
    return _two_arms(inputs, belongs, names, labels, "no two conditions on one side with different prompts")


def format_figure(inputs: Inputs) -> Figure:
    """Draw alignment under both prompts as bars: a group a tier, a panel a pairing and side (Figure 5, A40).

    Returns
    -------
    matplotlib.figure.Figure
        Each pair of bars rests on the plans with an ok verdict under both prompts, as in `format_table`.
    """
    effects = Effects(inputs)
    lines = _lines(effects, _other_prompt(inputs))
    rows = []
    if lines:
        paired = effects.pair(lines)
        for place in range(2):
            levels = paired.contrast((1 - place, place)).intervals()
            for line, found in zip(lines, levels, strict=True):
                side = side_of(inputs.config, line.arms[1])
                series = arm_of(inputs.config, line.arms[1]) if place else "structured"
                panel = f"{line.judge} on {line.generator}, {side}"
                rows.append((panel, line.tier, series, found.mean, found.low, found.high))
    frame = pd.DataFrame(rows, columns=["panel", "group", "series", "value", "lo", "hi"])
    frame[["value", "lo", "hi"]] = frame[["value", "lo", "hi"]].astype(float)
    known = frame.sort_values("group", key=lambda tiers: tiers.map(inputs.tiers.index), kind="stable")
    # panels keep the order of the block, whose first judge may not have the easiest tier
    panels = {panel: place for place, panel in enumerate(dict.fromkeys(frame["panel"]))}
    known = known.sort_values("panel", key=lambda names: names.map(panels), kind="stable")
    return grouped_bars(known, title="Structured and free-form prompt")


def default_table(inputs: Inputs) -> TableResult:
    """Compare a default of 1.0 with one of 0.5: without expected calls, hardest tier, mean over judges (A36).

    Returns
    -------
    TableResult
        One row per generator and arm: `default_one`, `default_half` (percent, each a plain mean over judges),
        `half_minus_one`, `lo`, `hi` (points), `judges`, `n`, `noise_sd`, `noise_range`, `reason`.
    """
    effects = Effects(inputs)
    lines = [
        line
        for line in _lines(effects, _other_prompt(inputs))
        if line.tier == inputs.tiers[-1]
        and line.judge in inputs.panel
        and side_of(inputs.config, line.arms[0]) == "without_gt"
    ]
    columns = {name: KEY_COLUMNS[name] for name in ("generator", "tier", "arm")}
    columns |= _number_columns(DEFAULTS, ("Default 1.0", "Default 0.5", "Half − one"))
    columns["judges"] = Column("Judges", digits=0, help="Judges that the means are taken over.")
    columns |= {"n": N} | NOISE_COLUMNS
    if not lines:
        return _nothing(inputs, columns, "no two conditions without expected calls that differ in prompt")
    groups = list(dict.fromkeys((line.generator, line.tier, line.arms) for line in lines))
    paired = effects.pair(lines)
    rows = [_mean_over_judges(paired, group, inputs) for group in groups]
    frame = pd.DataFrame([row for row, _ in rows])
    numbers = [*DEFAULTS, "lo", "hi"]
    frame[numbers] = frame[numbers].astype(float)
    add_noise(frame, np.array([means for _, means in rows]))
    return TableResult(frame, columns, tuple(_notes(inputs)))


def _nothing(inputs: Inputs, columns: dict[str, Column], absent: str) -> TableResult:
    """Give the table of a block that has nothing to compare."""
    frame = pd.DataFrame(columns=[*columns, "reason"])
    return TableResult(frame, columns, (f"Nothing to compare: {absent}.", *_notes(inputs)))


def _two_arms(
    inputs: Inputs,
    belongs: Callable[[str, str, str], bool],
    names: tuple[str, str, str],
    labels: tuple[str, str, str],
    absent: str,
) -> TableResult:
    """Compare baselines with conditions: baseline, condition, baseline minus condition."""
    effects = Effects(inputs)
    lines = _lines(effects, belongs)
    columns = {name: KEY_COLUMNS[name] for name in KEYS} | _number_columns(names, labels)
    columns |= {"n": N} | NOISE_COLUMNS
    if not lines:
        return _nothing(inputs, columns, absent)
    paired = effects.pair(lines)
    frame = pd.DataFrame([_key(inputs, line) for line in lines], columns=KEYS)
    frame[list(names[:2])] = paired.levels
    contrast = paired.contrast((1, -1))
    add_intervals(frame, contrast, (names[2], "lo", "hi"))
    frame["n"] = paired.counts
    frame["reason"] = paired.reasons()
    add_noise(frame, paired.replicate_means)
    means, replicates = _mean_rows(paired, frame, names)
    add_noise(means, replicates)
    notes = (*_largest(frame, names[2], labels[2]), *_notes(inputs))
    return TableResult(pd.concat([frame, means], ignore_index=True), columns, notes)


def _other_prompt(inputs: Inputs) -> Callable[[str, str, str], bool]:
    """Whether a condition and its baseline differ in their prompt."""
    conditions = inputs.config.conditions
    return lambda judge, condition, baseline: conditions[condition].prompt != conditions[baseline].prompt


def _lines(effects: Effects, belongs: Callable[[str, str, str], bool]) -> list[Line]:
    """Each cell with each comparison that it has: baseline first."""
    inputs = effects.inputs
    return [
        Line(generator, judge, tier, (compared.baseline, compared.condition))
        for compared in comparisons(inputs.config, inputs.block)
        for (generator, judge, tier), asked in sorted(
            effects.asked.items(), key=lambda item: inputs.judges.index(item[0][1])
        )
        if {compared.condition, compared.baseline} <= set(asked)
        and belongs(judge, compared.condition, compared.baseline)
    ]


def _key(inputs: Inputs, line: Line) -> tuple[str, ...]:
    condition = line.arms[-1]
    return (
        line.judge,
        line.generator,
        line.tier,
        side_of(inputs.config, condition),
        arm_of(inputs.config, condition),
    )


def _number_columns(names: Sequence[str], labels: Sequence[str]) -> dict[str, Column]:
    first, second, difference = names
    return {
        first: Column(labels[0], "%", 1),
        second: Column(labels[1], "%", 1),
        difference: Column(labels[2], "pp", 2, "On plans with an ok verdict under both."),
        "lo": Column("From", "pp", 2, "Lower bound of the difference."),
        "hi": Column("To", "pp", 2, "Upper bound of the difference."),
    }


def _mean_rows(
    paired: Paired, frame: pd.DataFrame, names: tuple[str, str, str]
) -> tuple[pd.DataFrame, np.ndarray]:
    """Mean over generators and tiers for each judge, side and arm, all cells drawn together."""
    cells = paired.contrast((1, -1))
    rows, replicates = [], []
    for (judge, condition, arm), group in frame.groupby(["judge", "condition", "arm"], sort=False):
        chosen = np.zeros(len(frame))
        chosen[group.index] = 1 / len(group)
        found = cells.combined(chosen)
        levels = group[list(names[:2])].mean()
        rows.append(
            {
                **dict(zip(KEYS, (judge, MEAN, MEAN, condition, arm), strict=True)),
                **dict(zip(names, (*levels, found.mean), strict=True)),
                "lo": found.low,
                "hi": found.high,
                "n": int(group["n"].sum()),
                "reason": WHY.get(found.reason or ""),
            }
        )
        replicates.append(_mean(paired.replicate_means[group.index]))
    table = pd.DataFrame(rows)
    numbers = [*names, "lo", "hi"]
    table[numbers] = table[numbers].astype(float)
    return table, np.array(replicates)


def _mean(values: np.ndarray) -> np.ndarray:
    """Mean over the first axis without the missing; NaN if all are."""
    known = ~np.isnan(values)
    result = np.full(values.shape[1:], np.nan)
    count = known.sum(axis=0)
    np.divide(np.where(known, values, 0.0).sum(axis=0), count, out=result, where=count > 0)
    return result


def _mean_over_judges(
    paired: Paired, group: tuple[str, str, tuple[str, ...]], inputs: Inputs
) -> tuple[dict[str, object], np.ndarray]:
    """Give the row of one generator and tier, and the means of its replicates."""
    chosen = np.array([(line.generator, line.tier, line.arms) == group for line in paired.lines])
    found = paired.contrast((-1, 1)).combined(chosen / chosen.sum())
    generator, tier, arms = group
    row = {
        "generator": generator,
        "tier": tier,
        "arm": arm_of(inputs.config, arms[1]),
        **dict(zip(DEFAULTS, (*_mean(paired.levels[chosen]), found.mean), strict=True)),
        "lo": found.low,
        "hi": found.high,
        "judges": int((paired.counts[chosen] > 0).sum()),
        "n": int(paired.counts[chosen].sum()),
        "reason": WHY.get(found.reason or ""),
    }
    return row, _mean(paired.replicate_means[chosen])


def _largest(frame: pd.DataFrame, name: str, label: str) -> list[str]:
    """Name the largest difference of each arm, where it is and over how many pairs; arms are never mixed."""
    notes = []
    for arm, known in frame[frame[name].notna()].groupby("arm", sort=False):
        row = known.iloc[int(known[name].abs().to_numpy().argmax())]
        pairs = "1 pair" if len(known) == 1 else f"{len(known)} pairs"
        notes.append(
            f"Largest difference ({label}), {arm}: {row[name]:+.2f} pp, {row['judge']} on "
            f"{row['generator']}, {row['tier']}, {row['condition']}, over {pairs}."
        )
    return notes


def _notes(inputs: Inputs) -> list[str]:
    return [*noise_notes(inputs), *verdict_notes(inputs), *interval_notes(inputs)]
