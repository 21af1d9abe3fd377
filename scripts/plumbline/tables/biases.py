"""Where judges err: towards their own model's plans (A53), and on which metrics (A54)."""

from __future__ import annotations

import numpy as np
import pandas as pd

from plumbline.config.settings import RunConfig
from plumbline.records import METRICS
from plumbline.statistics import Interval
from plumbline.tables.alignment import NAMES
from plumbline.tables.collect import PLAN_KEY
from plumbline.tables.grid import REASONS, grid
from plumbline.tables.inputs import REFERENCES, VERDICTS, Inputs
from plumbline.tables.judge_means import showing_expected
from plumbline.tables.notes import interval_notes, verdict_notes
from plumbline.tables.result import Column, TableResult

BIASES = [f"bias_{metric}" for metric in METRICS]
EQUAL_WITHIN = 1e-9
"""Scores that differ by no more are equal: thirds are not exact in floats."""


def self_bias_table(inputs: Inputs) -> TableResult:
    """How far verdicts lie above the program, on the judge's own plans and on others (A53, C-A39).

    Returns
    -------
    TableResult
        For each condition, each judge whose own model is also a generator, and each metric, one row per
        generator and one for the difference: `condition`, `judge`, `metric`, `generator`, `role` (`own`,
        `other`, `own minus others`), `bias` (mean of verdict minus programmatic score, from -1 to 1), `lo`,
        `hi`, `n`, `reason`. The difference takes the mean over the other generators.
    """
    own = {judge: own_generators(inputs.config, inputs.generators, judge) for judge in inputs.judges}
    own = {judge: names for judge, names in own.items() if names}
    biases = _biases(inputs, list(own))
    rows = [
        line
        for condition in _conditions(inputs)
        for judge, names in own.items()
        for metric in METRICS
        for line in _bias_rows(inputs, biases, (condition, judge, metric), names)
    ]
    keys = ["condition", "judge", "metric", "generator", "role"]
    frame = pd.DataFrame(rows, columns=[*keys, "bias", "lo", "hi", "n", "reason"])
    frame[["bias", "lo", "hi"]] = frame[["bias", "lo", "hi"]].astype(float)
    columns = {name: NAMES[name] for name in ("condition", "judge", "generator")}
    columns["metric"] = Column("Metric")
    columns["role"] = Column("Role", help="Whether the generator is the judge's own model.")
    columns["bias"] = Column(
        "Bias", digits=3, help="Mean of verdict minus programmatic score; above 0 is lenient."
    )
    columns |= {"lo": Column("From", digits=3), "hi": Column("To", digits=3)}
    columns["n"] = Column("N", digits=0, help="Plans with an ok verdict.")
    notes = [] if own else ["No judge of the block has its own model among the generators."]
    return TableResult(frame, columns, (*notes, *verdict_notes(inputs), *interval_notes(inputs)))


def mismatch_table(inputs: Inputs) -> TableResult:
    """How the verdicts that differ from the program are shared out over the metrics (A54, C-A38).

    Returns
    -------
    TableResult
        One row per condition and judge: `condition`, `judge`, the four metrics (percent, together 100),
        `mismatches` (scores that differ), `scores`, `rate` (percent of the scores that differ), and reasons.
        With `mismatch.unit: error` the summed absolute difference is shared out instead.
    """
    option = inputs.config.tables.mismatch_share
    rows = inputs.ok_verdicts
    rows = rows[rows["generator"].isin(inputs.pooled_generators(option))]
    error = np.abs(rows[VERDICTS].to_numpy(dtype=float) - rows[REFERENCES].to_numpy(dtype=float))
    differs = np.where(np.isnan(error), 0, error > EQUAL_WITHIN)
    counted = np.nan_to_num(error) if inputs.config.mismatch.unit == "error" else differs
    keys = ["condition", "judge"]
    table = rows[keys].assign(**dict(zip(METRICS, counted.T, strict=True)))
    table = table.assign(mismatches=differs.sum(axis=1), scores=(~np.isnan(error)).sum(axis=1))
    index = pd.MultiIndex.from_product([inputs.conditions, inputs.judges], names=keys)
    frame = table.groupby(keys).sum().reindex(index, fill_value=0).reset_index()
    totals = frame[list(METRICS)].sum(axis=1)
    frame[list(METRICS)] = (100 * frame[list(METRICS)].div(totals, axis=0)).where(totals > 0, np.nan)
    frame["rate"] = (100 * frame["mismatches"] / frame["scores"]).where(frame["scores"] > 0)
    frame["reason"] = np.select(
        [frame["scores"] == 0, frame["mismatches"] == 0], [REASONS["empty"], "no score differs"], ""
    )
    frame["reason"] = frame["reason"].where(frame["reason"] != "", None)
    columns = {name: NAMES[name] for name in keys}
    columns |= {
        metric: Column(metric.replace("_", " "), "%", 1, "Share of the mismatches.") for metric in METRICS
    }
    columns["mismatches"] = Column("Mismatches", digits=0, help="Scores that differ from the program's.")
    columns["scores"] = Column("Scores", digits=0, help="Four for each ok verdict.")
    columns["rate"] = Column("Rate", "%", 1, "Mismatches of the scores.")
    return TableResult(frame, columns, (_unit_note(inputs), *verdict_notes(inputs, alignment=False)))


def own_generators(config: RunConfig, generators: list[str], judge: str) -> list[str]:
    """Give the generators whose plans the judge's own model wrote.

    Two entries of `models` are one model if they have the same name and revision. A simulated or released
    model stands for many, so there a judge and a generator are one model if they bear the same name.
    """

    def identity(name: str, slug: str) -> tuple[str, str | None]:
        model = config.models[slug]
        if model.engine in ("simulated", "released"):
            return name, None
        return model.model or slug, model.revision

    mine = identity(judge, config.judges[judge].model)
    writers = {name: config.generators[name].model for name in generators}
    return [name for name, slug in writers.items() if slug is not None and identity(name, slug) == mine]


def _conditions(inputs: Inputs) -> list[str]:
    """Conditions that are shown, first those with the expected calls."""
    chosen = inputs.config.self_bias.condition
    shown = showing_expected(inputs)
    ordered = [*shown, *(name for name in inputs.conditions if name not in shown)]
    return [name for name in ordered if chosen in ("all", name)]


def _biases(inputs: Inputs, judges: list[str]) -> pd.DataFrame:
    """Verdict minus programmatic score of some judges, one row per plan, judge and condition."""
    rows = inputs.ok_verdicts
    rows = rows[rows["judge"].isin(judges)]
    found = rows[VERDICTS].to_numpy(dtype=float) - rows[REFERENCES].to_numpy(dtype=float)
    key = [*PLAN_KEY, "judge", "condition"]
    table = rows[key].assign(**dict(zip(BIASES, found.T, strict=True)))
    if rows["replicate"].nunique() > 1:
        table = table.groupby(key, sort=False, as_index=False)[BIASES].mean()
    return table


def _bias_rows(
    inputs: Inputs, biases: pd.DataFrame, row: tuple[str, str, str], own: list[str]
) -> list[tuple[object, ...]]:
    condition, judge, metric = row
    chosen = biases[(biases["condition"] == condition) & (biases["judge"] == judge)]
    cells = grid(inputs, chosen, {"generator": inputs.generators}, value=f"bias_{metric}")
    lines: list[tuple[object, ...]] = []
    for generator, found, count in zip(inputs.generators, cells.intervals(), cells.counts, strict=True):
        role = "own" if generator in own else "other"
        lines.append((*row, generator, role, *_told(found), int(count), _why(found)))
    mine = np.array([name in own for name in inputs.generators])
    if mine.all():
        apart, count = Interval(None, None, None, "the block has no other generator"), 0
    else:
        apart = cells.combined(np.where(mine, 1 / mine.sum(), -1 / (~mine).sum()))
        count = int(cells.counts.sum())
    return [*lines, (*row, "all", "own minus others", *_told(apart), count, _why(apart))]


def _told(found: Interval) -> tuple[float | None, float | None, float | None]:
    return found.mean, found.low, found.high


def _why(found: Interval) -> str | None:
    return REASONS.get(found.reason or "", found.reason)


def _unit_note(inputs: Inputs) -> str:
    units = {
        "count": "Shared out: the number of scores that differ from the program's.",
        "error": "Shared out: the summed absolute difference from the program's scores.",
    }
    names = inputs.pooled_generators(inputs.config.tables.mismatch_share)
    return f"{units[inputs.config.mismatch.unit]} Plans of the generators {', '.join(names)} are pooled."
