"""What argument tables rest on: paths of the values, statuses, and noise between repeats."""

from __future__ import annotations

from typing import Any

import pandas as pd

from plumbline.records.arguments import PATHS
from plumbline.statistics.scored import Scored, mean_score
from plumbline.tables.argument_estimates import (
    HIDDEN,
    NO_SCORE,
    Estimate,
    notes,
    shown,
    table_of,
)
from plumbline.tables.argument_gaps import CELL, PATH
from plumbline.tables.argument_inputs import ArgumentInputs
from plumbline.tables.notes import counted
from plumbline.tables.result import Column, TableResult

LABELS = ("correct", "wrong", "unlabelled")


def rate_table(inputs: ArgumentInputs) -> TableResult:
    """Show where values come from and how many of each path are right (D8).

    Returns
    -------
    TableResult
        `dataset`, `path` (each, `out_of_view`, `all`), `correct`, `wrong`, `unlabelled`, `alone`
        (unlabelled values without a twin, which are scored themselves, D44), `rate` (percent of the labelled
        values that are right), `cut_off` (percent of the right values in a return that is shown, but cut
        before them), `short` (values of at most three characters), `queries`.
    """
    rows = []
    table = inputs.judgments[inputs.judgments["unit"] == "value"]
    for dataset in inputs.datasets:
        items = table[table["dataset"] == dataset].drop_duplicates("item_id")
        for path in (*PATHS, HIDDEN, "all"):
            members = {HIDDEN: PATHS[1:], "all": PATHS}.get(path, (path,))
            part = items[items["plain_path"].isin(members)]
            counts = {label: int((part["label"] == label).sum()) for label in LABELS}
            labelled = counts["correct"] + counts["wrong"]
            rows.append(
                {
                    "dataset": dataset,
                    "path": path,
                    **counts,
                    "alone": scored_alone(part),
                    "rate": 100 * counts["correct"] / labelled if labelled else None,
                    "rate_reason": None if labelled else "no labelled value",
                    **_cut_off(part, path),
                    "short": int(part["short"].sum()),
                    "queries": int(part["query_id"].nunique()),
                }
            )
    columns = {
        "dataset": CELL["dataset"],
        "path": PATH,
        "correct": Column("Right"),
        "wrong": Column("Wrong"),
        "unlabelled": Column("Unlabelled"),
        "alone": Column(
            "Scored alone",
            help="Unlabelled values that the right call does not have: a call's score takes their own.",
        ),
        "rate": Column("Right", "%", 1, "Share of the labelled values of the path that are right."),
        "cut_off": Column(
            "Cut off",
            "%",
            1,
            "Share of the right values that a return holds which is shown, but cut before them.",
        ),
        "short": Column("Short", help="Values of at most three characters, which match as whole tokens."),
        "queries": Column("Queries"),
    }
    shown = "for every input" if inputs.arguments.paths.context == "plain" else "here alone"
    return table_of(rows, columns, (f"Paths are those of the Plain input, {shown} (C-D6).",))


def scored_alone(items: pd.DataFrame) -> int:
    """Count the unlabelled values without a twin: in a call's score they have their own score (D44)."""
    return int(((items["label"] == "unlabelled") & items["twin_item"].isna()).sum())


def _cut_off(part: pd.DataFrame, path: str) -> dict[str, float | str | None]:
    """Share, in percent, of the right values of `history_only` whose source is shown, but cut before them."""
    right = part[part["label"] == "correct"]
    if path != "history_only":
        return {"cut_off": None, "cut_off_reason": "only values of the path history_only can be"}
    if not len(right):
        return {"cut_off": None, "cut_off_reason": "no right value of this path"}
    return {"cut_off": 100 * float(right["cut"].mean()), "cut_off_reason": None}


def coverage_table(inputs: ArgumentInputs) -> TableResult:
    """Show how many judgments each cell rests on, and why the rest are missing (D13).

    Returns
    -------
    TableResult
        `judge`, `dataset`, `input`, `unit`, `items`, `asked`, `ok`, `share` in percent, `lost` and
        `not_asked`, and how wide scores could be that only have bounds.
    """
    rows = []
    groups = dict(list(inputs.rows.groupby(["judge", "dataset", "input"], sort=False)))
    for judge, dataset, name in inputs.listed(inputs.every_input):
        found = groups.get((judge, dataset, name))
        if found is not None:
            about = {"judge": judge, "dataset": dataset, "input": inputs.arm(name)}
            rows.append(about | {"unit": inputs.arguments.inputs[name].unit} | _statuses(found))
    columns = {
        **CELL,
        "unit": Column("Judged", help="Single values, or whole calls."),
        "items": Column("Items"),
        "asked": Column("Asked"),
        "ok": Column("Scored"),
        "share": Column("Scored", "%", 1, "Of those asked."),
        "lost": Column("Lost", help="Why the others have no score."),
        "not_asked": Column(
            "Not asked",
            help="What the input shows could not be made, or is for others, or was not drawn (sample).",
        ),
        "bounded": Column("Bounds only", help="Lost, but the server's answer bounds the score."),
    }
    return table_of(rows, columns)


def _statuses(found: pd.DataFrame) -> dict[str, Any]:
    asked = found[found["status"] != "not_asked"]
    ok = int((asked["status"] == "ok").sum())
    bounded = asked["score"].isna() & asked["lower"].notna() & asked["upper"].notna()
    return {
        "items": int(found["item_id"].nunique()),
        "asked": len(asked),
        "ok": ok,
        "share": 100 * ok / len(asked) if len(asked) else None,
        "share_reason": None if len(asked) else "nothing was asked",
        "lost": counted(asked.loc[asked["status"] != "ok", "status"]) or "none",
        "not_asked": len(found) - len(asked),
        "bounded": int(bounded.sum()),
    }


def noise_table(inputs: ArgumentInputs) -> TableResult:
    """Show how far repeated askings of an item differ (D13).

    Returns
    -------
    TableResult
        `judge`, `dataset`, `input`, `items` (with two scores or more), `same_side` (percent whose scores all
        lie on one side of 0.5) with its interval, `largest` (difference of two scores of an item), `mean`.
    """
    rows = []
    ok = inputs.rows[inputs.rows["status"] == "ok"]
    groups = dict(list(ok.groupby(["judge", "dataset", "input"], sort=False)))
    for judge, dataset, name in inputs.listed(inputs.every_input):
        if inputs.arguments.inputs[name].replicates > 1:
            found = groups.get((judge, dataset, name), ok.iloc[:0])
            about = {"judge": judge, "dataset": dataset, "input": inputs.arm(name)}
            rows.append(about | _noise(inputs, dataset, found))
    columns = {
        **CELL,
        "items": Column("Items", help="Items with at least two scores."),
        **shown("same_side", "Same side", "%", "Items whose scores all lie on one side of 0.5."),
        "largest": Column("Largest difference", digits=3),
        "mean": Column("Mean difference", digits=4, help="Highest minus lowest score of an item."),
    }
    told = () if rows else ("No rows: no input of the block is asked more than once (replicates).",)
    return table_of(rows, columns, (*told, *notes(inputs)))


def _noise(inputs: ArgumentInputs, dataset: str, found: pd.DataFrame) -> dict[str, Any]:
    by_item = found.groupby("item_id", sort=False)
    several = by_item.agg(
        low=("score", "min"), high=("score", "max"), n=("score", "size"), drawn_as=(inputs.cluster, "first")
    )
    several = several[several["n"] > 1]
    spread = several["high"] - several["low"]
    same = ((several["low"] >= 0.5) | (several["high"] < 0.5)).to_numpy(float)
    codes = inputs.clusters(dataset).get_indexer(pd.Index(several["drawn_as"]))
    scored = Scored.of(100 * same, codes)
    drawn = inputs.resampled(dataset, lambda weights: mean_score(scored, weights))
    level = inputs.arguments.bootstrap.level
    sizes = (
        {"largest": spread.max(), "mean": spread.mean()} if len(several) else {"largest": None, "mean": None}
    )
    return {
        "items": len(several),
        **Estimate(drawn, several["drawn_as"].nunique(), level, NO_SCORE).row("same_side"),
        **sizes,
        **{f"{key}_reason": None if len(several) else NO_SCORE for key in sizes},
    }
