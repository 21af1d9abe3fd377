"""How well judges tell right values from wrong ones, and what another input changes (D20, D21, D29, D43)."""

from __future__ import annotations

from typing import Any

import numpy as np

from plumbline.records.arguments import PATHS
from plumbline.statistics.deletion import deletion_count, worst_deletion
from plumbline.statistics.scored import accepted, accepted_at, threshold
from plumbline.tables.argument_estimates import (
    MEMBERS,
    NO_CLASS,
    NO_SCORE,
    NOT_PAIRED,
    Estimate,
    area,
    area_gain,
    mean_row,
    notes,
    shown,
    table_of,
)
from plumbline.tables.argument_gaps import CELL, PATH
from plumbline.tables.argument_inputs import ArgumentInputs, Floats, Values, paired
from plumbline.tables.argument_published import MEAN
from plumbline.tables.result import Column, TableResult

AREA = shown("auroc", "AUROC", "× 100", "Chance that a right value scores above a wrong one; 50 is guessing.")
SIZES = {
    "n_correct": Column("Right values", help="Right values that have a score."),
    "n_wrong": Column("Wrong values", help="Wrong values that have a score."),
    "coverage": Column("Scored", "%", 1, "Share of the labelled values of the data set that have a score."),
}
AGAINST = Column("Against", help="The input that it is compared with.")
GAIN = shown("gain", "Gain", "pp", "AUROC of the input minus that of the one it is compared with.", True)


def sizes(values: Values) -> dict[str, Any]:
    """Count the scored values of a cell by label, and give their share of the labelled ones."""
    labelled = values.where(values["label"] != "unlabelled")
    rows = len(labelled)
    return {
        "n_correct": values.of("correct").size,
        "n_wrong": values.of("wrong").size,
        "coverage": 100 * labelled.size / rows if rows else None,
        "coverage_reason": None if rows else "the data set has no labelled value",
    }


def auroc_table(inputs: ArgumentInputs) -> TableResult:
    """AUROC of every judge, data set and input, with the mean of the judges (Table 2, D21, D29, D30).

    Returns
    -------
    TableResult
        `judge`, `dataset`, `input`, `auroc` × 100 with its interval, `judges` (how many the row is of),
        `n_correct`, `n_wrong`, `coverage`.
    """
    rows = []
    found: dict[tuple[str, str], dict[str, Estimate]] = {}
    for judge, dataset, name in inputs.listed(inputs.inputs):
        values = inputs.cell(judge, dataset, name)
        estimate = found.setdefault((dataset, name), {})[judge] = area(inputs, dataset, values)
        about = {"judge": judge, "dataset": dataset, "input": inputs.arm(name)}
        rows.append(about | estimate.row("auroc") | {"judges": 1} | sizes(values))
    for (dataset, name), by_judge in found.items():
        mean = mean_row(inputs, by_judge, "auroc", name)
        if mean is not None:
            about = {"judge": MEAN, "dataset": dataset, "input": inputs.arm(name)}
            rows.append(about | mean | _no_sizes())
    return table_of(rows, {**CELL, **AREA, "judges": MEMBERS, **SIZES}, notes(inputs, inputs.inputs))


def effect_table(inputs: ArgumentInputs) -> TableResult:
    """Show what an input gains over the one it is compared with (Tables 3, 14, 16; D29 to D31, D34, D37).

    Returns
    -------
    TableResult
        `judge`, `dataset`, `input`, `against`, the difference of the AUROCs in points with its interval,
        `judges` (how many the row is of), `n_correct`, `n_wrong`. It rests on the values that are
        scored under both.
    """
    rows = []
    found: dict[tuple[str, str, str], dict[str, Estimate]] = {}
    for name, other, dataset, judge in inputs.compared():
        first, second = (inputs.cell(judge, dataset, each) for each in (name, other))
        gain = area_gain(inputs, dataset, first, second)
        found.setdefault((dataset, name, other), {})[judge] = gain
        about = {"judge": judge, "dataset": dataset, "input": inputs.arm(name), "against": inputs.arm(other)}
        counts = _counts(paired(first, second)[0])
        rows.append(about | gain.row("gain", test=True) | {"judges": 1} | counts)
    for (dataset, name, other), by_judge in found.items():
        mean = mean_row(inputs, by_judge, "gain", name, other, test=True)
        if mean is not None:
            about = {"judge": MEAN, "dataset": dataset, "input": inputs.arm(name)}
            rows.append(about | {"against": inputs.arm(other)} | mean | _no_counts())
    columns = {
        **CELL,
        "against": AGAINST,
        **GAIN,
        "judges": MEMBERS,
        **{name: SIZES[name] for name in ("n_correct", "n_wrong")},
    }
    return table_of(rows, columns, notes(inputs, inputs.inputs))


def path_table(inputs: ArgumentInputs) -> TableResult:
    """AUROC among the values of one path (D21): both classes of that path.

    Returns
    -------
    TableResult
        `judge`, `dataset`, `input`, `path`, `auroc` × 100 with its interval, `n_correct`, `n_wrong`; paths
        without a value are left out.
    """
    rows = []
    for judge, dataset, name in inputs.listed(inputs.inputs):
        values = inputs.cell(judge, dataset, name)
        for path in [path for path in PATHS if (values["path"] == path).any()]:
            part = values.where(values["path"] == path)
            about = {"judge": judge, "dataset": dataset, "input": inputs.arm(name), "path": path}
            rows.append(about | area(inputs, dataset, part).row("auroc") | _counts(part))
    columns = {**CELL, "path": PATH, **AREA, **{name: SIZES[name] for name in ("n_correct", "n_wrong")}}
    return table_of(rows, columns, notes(inputs, inputs.inputs))


def acceptance_table(inputs: ArgumentInputs) -> TableResult:
    """Share of right and of wrong values that a judge accepts at 0.5 and at its own threshold (D21).

    Returns
    -------
    TableResult
        `judge`, `dataset`, `input`, `label`, `at_half` in percent with its interval (score of at least 0.5,
        C-D24), `at_tau`, `n`.
    """
    rows = []
    for judge, dataset, name in inputs.listed(inputs.inputs):
        values = inputs.cell(judge, dataset, name)
        for label in ("correct", "wrong"):
            part = values.of(label)
            half = share_at_half(inputs, dataset, part)
            at_tau = _share_at_tau(inputs, dataset, values, part)
            about = {"judge": judge, "dataset": dataset, "input": inputs.arm(name), "label": label}
            rows.append(about | half.row("at_half") | at_tau.row("at_tau") | {"n": part.size})
    rate = 100 * inputs.arguments.gap.rate
    columns = {
        **CELL,
        "label": Column("Values"),
        **shown("at_half", "Accepted at 0.5", "%", "Values with a score of at least 0.5."),
        **shown("at_tau", f"Accepted at {rate:g} %", "%", f"Where {rate:g} % of right values are accepted."),
        "n": Column("Scored"),
    }
    return table_of(rows, columns, notes(inputs, inputs.inputs))


def share_at_half(inputs: ArgumentInputs, dataset: str, values: Values) -> Estimate:
    """Give the percentage of some values that have a score of at least 0.5 (C-D24)."""
    scored = values.scored
    found = inputs.resampled(dataset, lambda weights: 100 * accepted_at(scored, weights))
    return Estimate(found, values.queries, inputs.arguments.bootstrap.level, NO_SCORE)


def _share_at_tau(inputs: ArgumentInputs, dataset: str, values: Values, part: Values) -> Estimate:
    correct, scored, rate = values.of("correct").scored, part.scored, inputs.arguments.gap.rate

    def statistic(weights: Floats) -> Floats:
        return 100 * accepted(scored, weights, threshold(correct, weights, rate))

    found = inputs.resampled(dataset, statistic)
    return Estimate(found, part.queries, inputs.arguments.bootstrap.level, NO_SCORE)


def deletion_table(inputs: ArgumentInputs) -> TableResult:
    """Gain in AUROC after the wrong values that speak most for it are removed (Table 5, D43, C-D22).

    Returns
    -------
    TableResult
        `judge`, `dataset`, `input`, `against`, `share` and `removed` (wrong values), `gain_before`, and the
        gain that is left in points with its interval. Data sets that `deletion_shares` does not name are
        left out.
    """
    rows = []
    named = {name: inputs.arguments.deletion_shares.get(name) for name in inputs.datasets}
    for name, other, dataset, judge in inputs.compared():
        share = named[dataset]
        if share is None:
            continue
        a, b = paired(inputs.cell(judge, dataset, name), inputs.cell(judge, dataset, other))
        about = {"judge": judge, "dataset": dataset, "input": inputs.arm(name), "against": inputs.arm(other)}
        rows.append(about | _after_deletion(inputs, dataset, a, b, share))
    columns = {
        **CELL,
        "against": AGAINST,
        "share": Column("Removed share", "%", 1),
        "removed": Column("Removed", help="Wrong values that were removed."),
        "gain_before": Column("Gain before", "pp", 2),
        **shown("gain", "Gain left", "pp", "No other removal of as many leaves less.", True),
        "n_wrong": SIZES["n_wrong"],
    }
    return table_of(rows, columns, notes(inputs, inputs.inputs))


def _after_deletion(
    inputs: ArgumentInputs, dataset: str, a: Values, b: Values, share: float
) -> dict[str, Any]:
    wrong = a["label"] == "wrong"
    right = a["label"] == "correct"
    scores = [side["score"] for side in (a, b)]
    removed = deletion_count(share, int(wrong.sum()))
    kept = np.ones(len(a), dtype=bool)
    if right.any():
        correct, judged = ((scores[0][part], scores[1][part]) for part in (right, wrong))
        kept[wrong] = worst_deletion(correct, judged, removed)
    before = area_gain(inputs, dataset, a, b).interval.mean
    reason = NO_CLASS if len(a) else NOT_PAIRED
    return {
        "share": 100 * share,
        "removed": removed,
        "gain_before": before,
        "gain_before_reason": reason if before is None else None,
        **area_gain(inputs, dataset, a.where(kept), b.where(kept)).row("gain", test=True),
        "n_wrong": int(wrong.sum()),
    }


def _counts(values: Values) -> dict[str, Any]:
    return {f"n_{label}": values.of(label).size for label in ("correct", "wrong")}


def _no_counts() -> dict[str, Any]:
    names = ("n_correct", "n_wrong")
    return dict.fromkeys(names) | dict.fromkeys((f"{name}_reason" for name in names), "a mean of judges")


def _no_sizes() -> dict[str, Any]:
    return {**_no_counts(), "coverage": None, "coverage_reason": "a mean of judges"}
