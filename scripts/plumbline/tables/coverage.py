"""What was asked, what came back, and why the rest is missing (A16, A20)."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import product
from typing import Any

import pandas as pd

from plumbline.config.cells import cells_of
from plumbline.records.statuses import NO_ANSWER, PLAN, VERDICT
from plumbline.tables.alignment import NAMES
from plumbline.tables.inputs import Inputs
from plumbline.tables.notes import counted, plan_losses, plan_notes, verdict_notes
from plumbline.tables.result import Column, TableResult

TOTAL = "total"
"""Stands for judge or condition in the lines that sum over them."""

NONE_REPEATED = "nothing was asked again"
UNTOLD = "how often it was asked is not known"


def coverage_table(inputs: Inputs) -> TableResult:
    """Verdicts of every cell by status (A16).

    Returns
    -------
    TableResult
        One row per cell of the block: `judge`, `generator`, `tier`, `condition`, `possible` (rows), `asked`,
        `ok`, `coverage` (ok / asked, percent), and one column for each other status that occurs.
    """
    keys = ["judge", "generator", "tier", "condition"]
    listed = {(c.judge, c.generator, c.tier, c.condition) for c in cells_of(inputs.config, inputs.block)}
    every = product(inputs.judges, inputs.generators, inputs.tiers, inputs.conditions)
    cells = [cell for cell in every if cell in listed]
    frame = pd.DataFrame(cells, columns=keys)
    counts = inputs.block_verdicts.groupby([*keys, "status"]).size().unstack("status", fill_value=0)
    counts = counts.reindex(pd.MultiIndex.from_frame(frame[keys]), fill_value=0).reset_index(drop=True)
    others = _add_statuses(frame, counts)
    columns = {name: NAMES[name] for name in keys} | _ASKED
    columns |= {status: _status_column(status, VERDICT) for status in others}
    return TableResult(frame, columns, tuple(verdict_notes(inputs)))


_ASKED = {
    "possible": Column("Possible", digits=0, help="Plans times replicates."),
    "asked": Column("Asked", digits=0, help="Possible ones whose plan could be judged."),
    "ok": Column("Ok", digits=0, help="Answers that hold four readable scores."),
    "coverage": Column("Coverage", "%", 1, "Ok of those asked."),
}


def _add_statuses(frame: pd.DataFrame, counts: pd.DataFrame) -> list[str]:
    """Add the columns of `_ASKED` and one for each other status; give the names of the latter."""
    frame["possible"] = counts.sum(axis=1)
    frame["asked"] = frame["possible"] - counts.get("not_asked", 0)
    frame["ok"] = counts.get("ok", 0)
    frame["coverage"] = (100 * frame["ok"] / frame["asked"]).where(frame["asked"] > 0)
    frame["coverage_reason"] = frame["coverage"].isna().map({True: "nothing was asked", False: None})
    others = [status for status in sorted(counts.columns) if status != "ok"]
    frame[others] = counts[others]
    return others


def status_table(inputs: Inputs) -> TableResult:
    """Verdicts of every judge and condition by status, and what asking again recovered (A16).

    Returns
    -------
    TableResult
        One row per judge and condition, then one per judge with condition `total` where it has several, and
        one with both: `judge`, `condition`, `possible`, `asked`, `ok`, `coverage` (percent), one column for
        each other status that occurs, `repeated` (asked more than once), `recovered` (of these, ok) and
        `recovery` (percent).
    """
    rows = inputs.block_verdicts
    sums: list[dict[str, Any]] = []
    parts: list[tuple[str, str, pd.DataFrame]] = []
    for judge in inputs.judges:
        of_judge = rows[rows["judge"] == judge]
        known = [name for name in inputs.conditions if (of_judge["condition"] == name).any()]
        parts += [(judge, name, of_judge[of_judge["condition"] == name]) for name in known]
        parts += [(judge, TOTAL, of_judge)] if len(known) > 1 else []
    for judge, condition, part in [*parts, (TOTAL, TOTAL, rows)]:
        repeated = part[part["attempts"].fillna(1) > 1]
        recovered = int((repeated["status"] == "ok").sum())
        told = part["attempts"].notna().any()
        sums.append(
            {
                "judge": judge,
                "condition": condition,
                "repeated": len(repeated) if told else None,
                "recovered": recovered if told else None,
                "recovery": 100 * recovered / len(repeated) if len(repeated) else None,
                "recovery_reason": None if len(repeated) else NONE_REPEATED if told else UNTOLD,
                "repeated_reason": None if told else UNTOLD,
                "recovered_reason": None if told else UNTOLD,
            }
        )
    repeats = pd.DataFrame(sums).astype(dict.fromkeys(("repeated", "recovered", "recovery"), float))
    statuses = sorted(rows["status"].unique())
    counts = pd.DataFrame(
        [[int((part["status"] == status).sum()) for status in statuses] for *_, part in parts]
        + [[int((rows["status"] == status).sum()) for status in statuses]],
        columns=statuses,
    )
    frame = repeats[["judge", "condition"]].copy()
    others = _add_statuses(frame, counts)
    frame = pd.concat([frame, repeats.drop(columns=["judge", "condition"])], axis=1)
    columns = {name: NAMES[name] for name in ("judge", "condition")} | _ASKED
    columns |= {status: _status_column(status, VERDICT) for status in others}
    columns |= {
        "repeated": Column("Asked again", digits=0, help="Unreadable at first; only above temperature 0."),
        "recovered": Column("Recovered", digits=0, help="Of those asked again, ok in the end."),
        "recovery": Column("Recovery", "%", 1, "Recovered of those asked again; the paper has below 5 %."),
    }
    return TableResult(frame, columns, tuple(verdict_notes(inputs, alignment=False)))


def plan_table(inputs: Inputs) -> TableResult:
    """Plans by generator and tier, with losses by cause (A20).

    Returns
    -------
    TableResult
        Columns `generator`, `tier`, `possible`, `ok`, `rate` (percent), `no_calls` (ok plans without a call),
        and one column for each cause of loss that occurs. Rows `total` sum over tiers and over generators.
    """
    plans = inputs.block_plans.assign(
        ok=inputs.block_plans.index.isin(inputs.usable_plans.index), cause=plan_losses(inputs)
    )
    plans = plans.assign(no_calls=plans["ok"] & plans["calls"].eq(0).fillna(False))
    causes = sorted(plans["cause"].dropna().unique())
    rows = []
    for generator in [*inputs.generators, "total"]:
        of_generator = plans if generator == "total" else plans[plans["generator"] == generator]
        for tier in [*inputs.tiers, "total"]:
            chosen = of_generator if tier == "total" else of_generator[of_generator["tier"] == tier]
            lost = [int((chosen["cause"] == cause).sum()) for cause in causes]
            rows.append(
                (generator, tier, len(chosen), int(chosen["ok"].sum()), int(chosen["no_calls"].sum()), *lost)
            )
    names = ["generator", "tier", "possible", "ok", "no_calls", *causes]
    frame = pd.DataFrame(rows, columns=names)
    rate = (100 * frame["ok"] / frame["possible"]).where(frame["possible"] > 0)
    frame.insert(4, "rate", rate)
    frame.insert(5, "rate_reason", rate.isna().map({True: "no plan was asked for", False: None}))
    columns = {name: NAMES[name] for name in ("generator", "tier")}
    columns |= {
        "possible": Column("Possible", digits=0, help="Records."),
        "ok": Column("Ok", digits=0, help="Plans that count."),
        "rate": Column("Rate", "%", 1, "Ok of those possible."),
        "no_calls": Column("Without calls", digits=0, help="Ok plans that call nothing; they are judged."),
    }
    columns |= {cause: _status_column(cause, PLAN) for cause in causes}
    return TableResult(frame, columns, (*plan_notes(inputs), *_query_notes(inputs)))


def _status_column(status: str, meanings: Mapping[Any, str]) -> Column:
    """Give the column that counts a status, with what the status means as its tooltip."""
    words = {**NO_ANSWER, **meanings}.get(status, "")
    return Column(status.replace("_", " "), digits=0, help=words[:1].upper() + words[1:] + "." * bool(words))


def _query_notes(inputs: Inputs) -> list[str]:
    """Say where the queries of each rewritten tier come from."""
    notes = []
    for tier in inputs.tiers:
        queries = inputs.block_plans[inputs.block_plans["tier"] == tier].drop_duplicates("record_id")
        if tier != "easy" and len(queries):
            notes.append(f"Queries of tier {tier}: {counted(queries['query_status'])}.")
    return notes
