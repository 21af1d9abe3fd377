"""How far the temperature of the judge moves its verdicts (A37, A38)."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from plumbline.config.cells import resolved_decoding
from plumbline.config.comparisons import comparisons, side_of
from plumbline.tables.alignment import NAMES
from plumbline.tables.curves import curves
from plumbline.tables.effects import (
    NOISE_COLUMNS,
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

SPREAD = "max - min"
COLUMNS = {name: NAMES[name] for name in ("judge", "generator", "tier")} | {
    "condition": Column("Condition", help="With or without the expected calls."),
    "temperature": Column("Temperature", help="Last line of each group: highest minus lowest alignment."),
    "alignment": Column(
        "Alignment", "%, last line pp", 2, "On plans with an ok verdict at each temperature."
    ),
    "difference": Column("Difference", "pp", 2, "From the baseline, the same plans on both sides."),
    "lo": Column("From", "pp", 2, "Lower bound of the difference."),
    "hi": Column("To", "pp", 2, "Upper bound of the difference."),
    "n": Column("N", digits=0, help="Plans with an ok verdict at each temperature."),
}
ORDER = ["judge", "generator", "condition", "tier", "temperature", "alignment", "difference", "lo", "hi", "n"]
NO_VARIATION = "The block asks no judge at more than one temperature."


def temperature_table(inputs: Inputs) -> TableResult:
    """Alignment at each temperature, and highest minus lowest (A37, A38).

    Returns
    -------
    TableResult
        For each judge, generator, side and tier one row per temperature and a last one with `temperature`
        `max - min`: `judge`, `generator`, `condition` (with_gt or without_gt), `tier`, `temperature`,
        `alignment`, `difference` from the baseline with `lo` and `hi`, `n`, `noise_sd`, `noise_range`,
        `reason`.
    """
    groups = [_rows(inputs, paired) for paired in _groups(inputs)]
    columns = {name: COLUMNS[name] for name in ORDER} | NOISE_COLUMNS
    notes = (*noise_notes(inputs), *verdict_notes(inputs), *interval_notes(inputs))
    if not groups:
        frame = pd.DataFrame(columns=[*columns, "reason"])
        return TableResult(frame, columns, (NO_VARIATION, *notes))
    frame = pd.concat(groups, ignore_index=True)
    widest = frame[(frame["temperature"] == SPREAD) & frame["alignment"].notna()]
    if len(widest):
        row = widest.iloc[int(widest["alignment"].to_numpy(float).argmax())]
        where = f"{row['judge']} on {row['generator']}, {row['tier']}, {row['condition']}"
        notes = (f"Largest spread over temperatures: {row['alignment']:.2f} pp, {where}.", *notes)
    return TableResult(frame, columns, notes)


def temperature_figure(inputs: Inputs) -> Figure:
    """Alignment over temperature: one curve per tier, one panel per pairing and side (A37)."""
    rows = []
    for paired in _groups(inputs):
        line = paired.lines[0]
        side = side_of(inputs.config, line.arms[0])
        weights = np.eye(len(line.arms))
        for arm, temperature in enumerate(_temperatures(inputs, line)):
            intervals = paired.contrast(weights[arm]).intervals()
            for tier, found in zip([x.tier for x in paired.lines], intervals, strict=True):
                panel = f"{line.judge} on {line.generator}, {side}"
                rows.append((panel, tier, temperature, found.mean, found.low, found.high))
    frame = pd.DataFrame(rows, columns=["panel", "series", "x", "mean", "lo", "hi"])
    frame[["x", "mean", "lo", "hi"]] = frame[["x", "mean", "lo", "hi"]].astype(float)
    return curves(frame, xlabel="temperature", ylabel="alignment (%)", title="Alignment over temperature")


def _groups(inputs: Inputs) -> Iterator[Paired]:
    """Give each judge, generator and side that was asked at several temperatures: a line per tier."""
    effects = Effects(inputs)
    found: dict[tuple[str, str, str, tuple[str, ...]], list[Line]] = {}
    for judge in inputs.judges:
        for (generator, of_judge, tier), asked in effects.asked.items():
            if of_judge != judge:
                continue
            for side in ("with_gt", "without_gt"):
                arms = [name for name in asked if side_of(inputs.config, name) == side]
                line = Line(generator, judge, tier, tuple(arms))
                if len(set(_temperatures(inputs, line))) > 1:
                    found.setdefault((judge, generator, side, line.arms), []).append(line)
    for lines in found.values():
        yield effects.pair(lines)


def _temperatures(inputs: Inputs, line: Line) -> list[float]:
    return [resolved_decoding(inputs.config, line.judge, name).temperature for name in line.arms]


def _baseline(inputs: Inputs, line: Line) -> int:
    """Place of the arm that is compared with none of the others; the first if there is no such arm."""
    compared = {
        c.condition
        for c in comparisons(inputs.config, inputs.block)
        if {c.condition, c.baseline} <= {*line.arms}
    }
    return next((place for place, name in enumerate(line.arms) if name not in compared), 0)


def _rows(inputs: Inputs, paired: Paired) -> pd.DataFrame:
    """Give the lines of one judge, generator and side."""
    first = paired.lines[0]
    temperatures, base = _temperatures(inputs, first), _baseline(inputs, first)
    tiers = [line.tier for line in paired.lines]
    parts = []
    for arm in sorted(range(len(first.arms)), key=temperatures.__getitem__):
        part = pd.DataFrame({"tier": tiers, "temperature": str(float(temperatures[arm]))})
        weights = np.zeros(len(first.arms))
        weights[arm] += 1
        part["alignment"] = paired.levels[:, arm]
        if arm == base:
            part[["difference", "lo", "hi"]] = np.nan
            part["difference_reason"] = part["lo_reason"] = part["hi_reason"] = "the baseline"
        else:
            weights[base] -= 1
            add_intervals(part, paired.contrast(weights), ("difference", "lo", "hi"))
        add_noise(part, paired.replicate_means[:, [arm]])
        parts.append(part)
    spread = pd.DataFrame({"tier": tiers, "temperature": SPREAD})
    spread["alignment"] = paired.levels.max(axis=1) - paired.levels.min(axis=1)
    spread[["difference", "lo", "hi"]] = np.nan
    spread["difference_reason"] = spread["lo_reason"] = spread["hi_reason"] = "a spread has no baseline"
    add_noise(spread, paired.replicate_means)
    parts.append(spread)
    for part in parts:
        part["n"], part["reason"] = paired.counts, paired.reasons()
    side = side_of(inputs.config, first.arms[0])
    frame = pd.concat(parts).assign(judge=first.judge, generator=first.generator, condition=side)
    frame["place"] = frame["tier"].map({tier: place for place, tier in enumerate(tiers)})
    frame = frame.sort_values("place", kind="stable")
    extra = [name for name in frame if name not in ORDER and name != "place"]
    return frame[[*ORDER, *extra]]
