"""What extra argument keys cost: plans and judges under other readings of equation 2 (A47, C-A53)."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd

from plumbline.statistics.ranks import ranks_from_top
from plumbline.tables.alignment import NAMES
from plumbline.tables.collect import PLAN_KEY
from plumbline.tables.inputs import Inputs
from plumbline.tables.judge_means import (
    ALL,
    averaging_note,
    judge_means,
    named,
    of_condition,
    of_conditions,
    panel_values,
    rank_agreement,
    showing_expected,
)
from plumbline.tables.notes import plan_notes, verdict_notes
from plumbline.tables.result import Column, TableResult

STRICT = "reference_parameter_structure"
READINGS = {"lenient": "parameter_structure_lenient", "schema_aware": "parameter_structure_schema_aware"}
UNKNOWN = "the score files hold no other reading; make them again"
NO_SHOWN = "The block has no condition that shows the expected calls."

HELP = {
    "lenient": "Extra keys cost nothing, whether the schema knows them or not.",
    "schema_aware": "Extra keys that the tool's schema declares cost nothing.",
}


def calls_table(inputs: Inputs) -> TableResult:
    """Count calls whose only fault is extra keys, and what parameter structure would be without (A47).

    Returns
    -------
    TableResult
        One row per generator and a `total`: `generator`, `plans`, `calls`, `extra_key_calls`, `share`
        (percent of the calls), `strict`, `lenient`, `schema_aware` (mean parameter structure in percent),
        `lenient_change`, `schema_aware_change` (pp), and reasons.
    """
    plans = inputs.usable_plans
    plans = plans[plans["generator"].isin(inputs.pooled_generators(inputs.config.tables.extra_keys))]
    names = [name for name in inputs.generators if name in set(plans["generator"])]
    rows = [_plans_row(name, plans[plans["generator"] == name]) for name in names]
    rows.append(_plans_row("total", plans))
    frame = pd.DataFrame(rows)
    frame["reason"] = frame.pop("missing")
    columns = {"generator": NAMES["generator"], "plans": Column("Plans", digits=0)}
    columns["calls"] = Column("Calls", digits=0)
    columns["extra_key_calls"] = Column(
        "Extra keys only", digits=0, help="Calls with all expected keys, and others besides."
    )
    columns["share"] = Column("Share", "%", 2, "Of the calls.")
    columns["strict"] = Column("As scored", "%", 2, "Mean parameter structure as the run scores it.")
    for name, words in HELP.items():
        label = name.replace("_", "-")
        columns[name] = Column(label.capitalize(), "%", 2, words)
        columns[f"{name}_change"] = Column(f"Change, {label}", "pp", 2)
    return TableResult(frame, columns, tuple(plan_notes(inputs)))


def alignment_table(inputs: Inputs) -> TableResult:
    """Alignment of each judge with other readings of extra keys, its verdicts as they are (A47, C-A53).

    Returns
    -------
    TableResult
        One row per condition that shows the expected calls and judge, and one of all judges: `condition`,
        `judge`, `alignment`, `lenient`, `schema_aware` (percent), `lenient_change`, `schema_aware_change`
        (pp), `rank`, `lenient_rank`, `schema_aware_rank`, `n`, and reasons. Notes compare the rankings.
    """
    shown = showing_expected(inputs)
    option = inputs.config.tables.extra_keys
    chosen = replace(of_conditions(inputs, shown), condition=None)
    found = judge_means(inputs, chosen.matched, option, ["match"])
    found = found.rename(columns={"match": "alignment"})
    for name, column in READINGS.items():
        other = _rescored(chosen, column)
        values = np.nan if other is None else judge_means(inputs, other.matched, option, ["match"])["match"]
        found[name] = values
    rows = [
        line for condition in shown for line in _judge_rows(inputs, condition, of_condition(found, condition))
    ]
    frame = pd.DataFrame(rows, columns=["condition", "judge", *_MEASURES])
    numeric = [name for name in _MEASURES if not name.endswith("reason")]
    frame[numeric] = frame[numeric].astype(float)
    notes = [*_rankings(frame), averaging_note(inputs, option)] if shown else [NO_SHOWN]
    return TableResult(frame, _alignment_columns(), (*notes, *verdict_notes(inputs)))


_CHANGES = [f"{name}_change" for name in READINGS]
_RANKS = ["rank", *(f"{name}_rank" for name in READINGS)]
_RANK_REASONS = [f"{name}_reason" for name in _RANKS]
_MEASURES = ["alignment", *READINGS, *_CHANGES, *_RANKS, *_RANK_REASONS, "n", "reason"]


def _plans_row(name: str, plans: pd.DataFrame) -> dict[str, object]:
    calls, extra = int(plans["calls"].sum()), plans["extra_key_calls"]
    known = len(plans) > 0 and bool(extra.notna().all())
    strict = 100 * plans[STRICT].mean() if len(plans) else np.nan
    row: dict[str, object] = {"generator": name, "plans": len(plans), "calls": calls}
    row["extra_key_calls"] = float(extra.sum()) if known else np.nan
    row["share"] = 100 * extra.sum() / calls if known and calls else np.nan
    row["share_reason"] = "no plan calls anything" if known and not calls else None
    row["strict"] = strict
    for reading, column in READINGS.items():
        row[reading] = 100 * plans[column].mean() if known else np.nan
        row[f"{reading}_change"] = 100 * plans[column].mean() - strict if known else np.nan
    row["missing"] = None if known else UNKNOWN if len(plans) else "no ok plan"
    return row


def _rescored(inputs: Inputs, column: str) -> Inputs | None:
    """Give the verdicts beside another reading of parameter structure; None where a plan lacks it."""
    plans = inputs.usable_plans[[*PLAN_KEY, column]]
    beside = inputs.verdicts[PLAN_KEY].merge(plans, on=PLAN_KEY, how="left")[column].to_numpy(dtype=float)
    if np.isnan(beside[(inputs.verdicts["status"] == "ok").to_numpy()]).any():
        return None
    return replace(inputs, verdicts=inputs.verdicts.assign(**{STRICT: beside}))


def _judge_rows(inputs: Inputs, condition: str, found: pd.DataFrame) -> list[dict[str, object]]:
    """Give the rows of the judges, then that of all of them."""
    found = found.reindex(inputs.judges)
    panel = pd.DataFrame({name: panel_values(inputs, found[name]) for name in ("alignment", *READINGS)})
    ranks = {
        rank: pd.Series(ranks_from_top(panel[name]), index=panel.index)
        for rank, name in zip(_RANKS, panel.columns, strict=True)
    }
    rows = []
    for judge, line in found.iterrows():
        row: dict[str, object] = {"condition": condition, "judge": judge, **named(line), **_changes(line)}
        row |= {rank: values.get(judge, np.nan) for rank, values in ranks.items()}
        if judge not in panel.index:
            row |= dict.fromkeys(_RANK_REASONS, "stands outside the panel")
        row["reason"] = (
            "no ok verdict" if np.isnan(line["alignment"]) else UNKNOWN if line.isna().any() else None
        )
        rows.append(row)
    means = panel.mean()
    total: dict[str, object] = {"condition": condition, "judge": ALL, **named(means), **_changes(means)}
    total |= dict.fromkeys(_RANK_REASONS, "a mean has no rank")
    total |= {"n": found["n"].sum(), "reason": UNKNOWN if means.isna().any() else None}
    return [*rows, total]


def _rankings(frame: pd.DataFrame) -> list[str]:
    """Say whether the judges keep their places."""
    notes = []
    for condition, rows in frame[frame["rank"].notna()].groupby("condition", sort=False):
        for name in READINGS:
            found = rank_agreement(rows["alignment"], rows[name])
            if found.value is not None:
                same = (rows["rank"] == rows[f"{name}_rank"]).all()
                verb = "is the same" if same else f"changes (Spearman {found.value:.2f})"
                label = name.replace("_", "-")
                notes.append(f"{condition}, {label} reading: the ranking of the judges {verb}.")
    return notes


def _changes(line: pd.Series) -> dict[str, float]:
    return {f"{name}_change": line[name] - line["alignment"] for name in READINGS}


def _alignment_columns() -> dict[str, Column]:
    columns = {name: NAMES[name] for name in ("condition", "judge")}
    columns["alignment"] = Column("Alignment", "%", 2, "With the scores of the run.")
    for name, words in HELP.items():
        label = name.replace("_", "-")
        columns[name] = Column(label.capitalize(), "%", 2, words)
        columns[f"{name}_change"] = Column(f"Change, {label}", "pp", 2)
    columns["rank"] = Column("Rank")
    for name in READINGS:
        columns[f"{name}_rank"] = Column(f"Rank, {name.replace('_', '-')}")
    columns["n"] = Column("N", digits=0, help="Plans with an ok verdict.")
    return columns
