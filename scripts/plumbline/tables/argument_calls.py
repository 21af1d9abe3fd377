"""Judging whole calls by their arguments: call scores, and which argument scores lowest (D44 to D47)."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from plumbline.records.arguments import OUT_OF_VIEW
from plumbline.statistics.call_scores import call_scores, lowest_out_of_view
from plumbline.statistics.scored import Scored, mean_score
from plumbline.tables.argument_counts import scored_alone
from plumbline.tables.argument_estimates import (
    MEMBERS,
    NO_CLASS,
    NOT_PAIRED,
    Estimate,
    area_between,
    mean_row,
    notes,
    shown,
    table_of,
)
from plumbline.tables.argument_gaps import CELL
from plumbline.tables.argument_inputs import ArgumentInputs, Values, paired
from plumbline.tables.argument_published import MEAN
from plumbline.tables.argument_roles import first_of
from plumbline.tables.argument_separation import AGAINST
from plumbline.tables.result import Column, TableResult

WHOLE = "whole_call_plain"
"""Role of the input whose score of the whole call counts under every input (D44)."""

NO_WHOLE = "the block has no input that asks about whole calls and shows what Plain shows"
CALLS = {
    "n_correct": Column("Right calls", help="Right calls that have a score."),
    "n_wrong": Column("Wrong calls", help="Wrong calls that have a score."),
}
RULES = {
    "min_all": "the least of the whole call's score and of its arguments' scores",
    "min_arguments": "the least of its arguments' scores",
    "product": "the product of the whole call's score and of its arguments' scores",
    "mean_with_min": "the mean of the whole call's score and the least of its arguments' scores",
}


def scored_calls(inputs: ArgumentInputs, judge: str, dataset: str, name: str) -> Values | None:
    """Give the calls of a cell with their call score (D44, C-D9); None if no input asks about whole calls.

    Notes
    -----
    An unlabelled value of a wrong call takes the score of the same value in the right call at that state,
    which the judge reads in the same words; without such a twin it has its own.
    """
    whole = first_of(inputs, WHOLE)
    if whole is None:
        return None
    calls = inputs.cell(judge, dataset, whole).rows
    items = inputs.cell(judge, dataset, name).rows
    scores = items["score"].to_numpy(float)
    twins = items["twin_item"].map(pd.Series(scores, index=items["item_id"])).to_numpy(float)
    borrowed = ((items["label"] == "unlabelled") & items["twin_item"].notna()).to_numpy()
    scores = np.where(borrowed, twins, scores)
    place = pd.Index(calls["item_id"]).get_indexer(pd.Index(items["call_id"]))
    known = place >= 0
    found = call_scores(
        calls["score"].to_numpy(float), scores[known], place[known], inputs.arguments.call_score
    )
    return Values.of_rows(calls.assign(score=found))


def _area(inputs: ArgumentInputs, dataset: str, calls: Values) -> Estimate:
    return area_between(inputs, dataset, calls.of("correct"), calls.of("wrong"), "multinomial")


def level_table(inputs: ArgumentInputs) -> TableResult:
    """Call AUROC of every judge, data set and input, with the mean of the judges (D21, D44).

    Returns
    -------
    TableResult
        `judge`, `dataset`, `input`, call AUROC × 100 with its interval, `judges` (how many the row is of),
        `n_correct`, `n_wrong`: calls with a score.
    """
    rows = []
    found: dict[tuple[str, str], dict[str, Estimate]] = {}
    for judge, dataset, name in inputs.listed(inputs.inputs):
        calls = scored_calls(inputs, judge, dataset, name)
        if calls is None or not inputs.has(judge, dataset, str(first_of(inputs, WHOLE))):
            continue
        estimate = found.setdefault((dataset, name), {})[judge] = _area(inputs, dataset, calls)
        about = {"judge": judge, "dataset": dataset, "input": inputs.arm(name)}
        rows.append(about | estimate.row("auroc") | {"judges": 1} | _counts(calls))
    for (dataset, name), by_judge in found.items():
        mean = mean_row(inputs, by_judge, "auroc", name)
        if mean is not None:
            about = {"judge": MEAN, "dataset": dataset, "input": inputs.arm(name)}
            rows.append(about | mean | _missing("n_correct", "n_wrong"))
    words = "Chance that a right call scores above a wrong one; 50 is guessing."
    columns = {**CELL, **shown("auroc", "Call AUROC", "× 100", words), "judges": MEMBERS, **CALLS}
    return table_of(rows, columns, _notes(inputs))


def call_table(inputs: ArgumentInputs) -> TableResult:
    """Call AUROC under an input and the one it is compared with (Table 9, D45).

    Returns
    -------
    TableResult
        `judge`, `dataset`, `input`, `against`, call AUROC × 100 under both, their difference with its
        interval, `judges` (how many the row is of), `n_correct`, `n_wrong`; it rests on the calls that have a
        score under both.
    """
    rows = []
    gains: dict[tuple[str, str, str], dict[str, Estimate]] = {}
    for name, other, dataset, judge in inputs.compared():
        first, second = (scored_calls(inputs, judge, dataset, each) for each in (name, other))
        if first is None or second is None:
            continue
        a, b = paired(first, second)
        reason = NO_CLASS if a.size else NOT_PAIRED
        areas = _area(inputs, dataset, a), _area(inputs, dataset, b)
        gain = gains.setdefault((dataset, name, other), {})[judge] = areas[0].minus(areas[1], reason)
        about = {"judge": judge, "dataset": dataset, "input": inputs.arm(name), "against": inputs.arm(other)}
        levels = {"auroc": areas[0].interval.mean, "auroc_other": areas[1].interval.mean}
        missing = {f"{key}_reason": reason if value is None else None for key, value in levels.items()}
        row = about | levels | missing | gain.row("gain", test=True)
        rows.append(row | {"judges": 1} | _counts(a))
    for (dataset, name, other), by_judge in gains.items():
        mean = mean_row(inputs, by_judge, "gain", name, other, test=True)
        if mean is not None:
            about = {"judge": MEAN, "dataset": dataset, "input": inputs.arm(name)}
            no_levels = _missing("auroc", "auroc_other", "n_correct", "n_wrong")
            rows.append(about | {"against": inputs.arm(other)} | mean | no_levels)
    columns = {
        **CELL,
        "against": AGAINST,
        "auroc": Column("Call AUROC", "× 100", 2),
        "auroc_other": Column("Call AUROC, against", "× 100", 2),
        **shown("gain", "Gain", "pp", "Above 0: calls are told apart better.", True),
        "judges": MEMBERS,
        **CALLS,
    }
    return table_of(rows, columns, _notes(inputs))


def minimum_table(inputs: ArgumentInputs) -> TableResult:
    """Call score against the score of the whole call alone, block's first input (D46).

    Returns
    -------
    TableResult
        `judge`, `dataset`, `input`, call AUROC × 100 of both, their difference with its interval,
        `n_correct`, `n_wrong`.
    """
    rows = []
    whole = first_of(inputs, WHOLE)
    for judge, dataset, name in inputs.listed(inputs.inputs[:1]):
        combined = scored_calls(inputs, judge, dataset, name)
        if whole is None or combined is None or not inputs.has(judge, dataset, whole):
            continue
        a, b = paired(combined, inputs.cell(judge, dataset, whole))
        reason = NO_CLASS if a.size else NOT_PAIRED
        areas = _area(inputs, dataset, a), _area(inputs, dataset, b)
        levels = {"auroc": areas[0].interval.mean, "auroc_whole": areas[1].interval.mean}
        missing = {f"{key}_reason": reason if value is None else None for key, value in levels.items()}
        about = {"judge": judge, "dataset": dataset, "input": inputs.arm(name)}
        gain = areas[0].minus(areas[1], reason).row("gain", test=True)
        rows.append(about | levels | missing | gain | _counts(a))
    columns = {
        **CELL,
        "auroc": Column("Call AUROC", "× 100", 2),
        "auroc_whole": Column("Whole call alone", "× 100", 2),
        **shown("gain", "Gain", "pp", "Above 0: looking at every argument tells calls apart better.", True),
        **CALLS,
    }
    return table_of(rows, columns, _notes(inputs))


def lowest_table(inputs: ArgumentInputs) -> TableResult:
    """How often a right call's lowest-scored argument is out of view, against chance (Table 10, D47).

    Returns
    -------
    TableResult
        `judge`, `dataset`, `input`, `share` and `chance` in percent, their difference with its interval, and
        `calls`: right calls with every argument scored, at least one in view and one not.
    """
    rows = []
    for judge, dataset, name in inputs.listed(inputs.inputs):
        found = _lowest(inputs, judge, dataset, name)
        share, chance = (each.interval.mean for each in found[:2])
        missing = {
            f"{key}_reason": NO_CALL if value is None else None
            for key, value in (("share", share), ("chance", chance))
        }
        about = {"judge": judge, "dataset": dataset, "input": inputs.arm(name)}
        excess = found[0].minus(found[1], NO_CALL).row("excess", test=True)
        rows.append(about | {"share": share, "chance": chance} | missing | excess | {"calls": found[2]})
    columns = {
        **CELL,
        "share": Column("Lowest out of view", "%", 2, "Ties are shared equally."),
        "chance": Column("By chance", "%", 2, "Mean share of a call's arguments that are out of view."),
        **shown("excess", "More than chance", "pp", "Above 0: doubts fall on values out of view.", True),
        "calls": Column("Right calls"),
    }
    return table_of(rows, columns, notes(inputs, inputs.inputs))


NO_CALL = "no right call has all arguments scored, one in view and one not"


def _lowest(inputs: ArgumentInputs, judge: str, dataset: str, name: str) -> tuple[Estimate, Estimate, int]:
    """Share, chance and number of calls; a right call is one whose every argument is labelled correct."""
    items = inputs.cell(judge, dataset, name).rows
    right = items.groupby("call_id")["label"].transform(lambda labels: (labels == "correct").all())
    items = items[right.astype(bool)] if len(items) else items
    place, names = pd.factorize(items["call_id"])
    hidden = items["path"].isin(OUT_OF_VIEW).to_numpy()
    found = lowest_out_of_view(items["score"].to_numpy(float), hidden, place, len(names))
    codes = items.drop_duplicates("call_id")["unit_code"].to_numpy(dtype=np.intp)
    known = ~np.isnan(found.share)
    queries = len(set(codes[known].tolist()))
    level = inputs.arguments.bootstrap.level

    def estimate(values: Any) -> Estimate:
        scored = Scored.of(100 * values, codes)
        drawn = inputs.resampled(dataset, lambda weights: mean_score(scored, weights))
        return Estimate(drawn, queries, level, NO_CALL)

    return estimate(found.share), estimate(found.chance), int(known.sum())


def _counts(calls: Values) -> dict[str, Any]:
    return {f"n_{label}": calls.of(label).size for label in ("correct", "wrong")}


def _missing(*names: str) -> dict[str, Any]:
    return dict.fromkeys(names) | dict.fromkeys((f"{name}_reason" for name in names), "a mean of judges")


def _alone(inputs: ArgumentInputs) -> str:
    """Say how many values of wrong calls have their own score in a call's (D44)."""
    items = inputs.rows[inputs.rows["unit"] == "value"].drop_duplicates(["dataset", "item_id"])
    counts = {name: scored_alone(items[items["dataset"] == name]) for name in inputs.datasets}
    listed = ", ".join(f"{count:,} of {name}" for name, count in counts.items())
    return (
        "Unlabelled values of a wrong call have the score of the same value in the right call; the others "
        f"have no twin, and are scored themselves: {listed}."
    )


def _notes(inputs: ArgumentInputs) -> tuple[str, ...]:
    rule = f"The score of a call is {RULES[inputs.arguments.call_score]} (call_score)."
    told = (_alone(inputs), *notes(inputs))
    return (rule, *told) if first_of(inputs, WHOLE) is not None else (rule, f"No rows: {NO_WHOLE}.", *told)
