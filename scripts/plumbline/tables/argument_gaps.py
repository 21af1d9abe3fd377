"""Derivation gaps: how much less often judges accept right values that are not in view (D17 to D19, D24)."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
from matplotlib.figure import Figure

from plumbline.statistics.scored import accepted, threshold
from plumbline.tables.argument_estimates import (
    GROUPS,
    HIDDEN,
    NO_CLASS,
    NO_PATH,
    NOT_PAIRED,
    Estimate,
    area,
    gaps,
    main_path,
    notes,
    path_counts,
    shown,
    table_of,
)
from plumbline.tables.argument_inputs import ArgumentInputs, Values, paired
from plumbline.tables.drawing import grouped_bars, nothing
from plumbline.tables.result import Column, TableResult

CELL = {
    "judge": Column("Judge"),
    "dataset": Column("Data set"),
    "input": Column("Input", help="What the judge reads."),
}
PATH = Column(
    "Path", help="Where the value comes from. out_of_view: the four paths other than visible together."
)
GAP = shown(
    "gap", "Gap", "pp", "How much less often right values of the path are accepted than visible ones.", True
)
COUNTS = {
    "n_visible": Column("In view", help="Right values in view that have a score."),
    "n": Column("Of the path", help="Right values of the path that have a score."),
}


def gap_table(inputs: ArgumentInputs) -> TableResult:
    """Gap of every judge, data set, input and path (Table 1, D17, D18).

    Returns
    -------
    TableResult
        `judge`, `dataset`, `input`, `path`, `main` (the paper's main path of its data sets; of others
        the path out of view with most right values), the gap in points with its interval, `accepted` (percent
        at the threshold), `tau`, `q`, `n_visible`, `n`.
    """
    rows = []
    for judge, dataset, name in inputs.listed(inputs.inputs):
        values = inputs.cell(judge, dataset, name)
        rows += _gap_rows(
            inputs, dataset, values, {"judge": judge, "dataset": dataset, "input": inputs.arm(name)}
        )
    columns = {
        **CELL,
        "path": PATH,
        "main": Column(
            "Main path", help="The paper's main path of a data set; of others the one with most right values."
        ),
        **GAP,
        "accepted": Column("Accepted", "%", 1, "Right values of the path at or above the threshold."),
        "tau": Column(
            "Threshold", digits=4, help="Score at which the stated share of right values is accepted."
        ),
        "q": Column("Tie share", digits=3, help="Share that is accepted of the values at the threshold."),
        **COUNTS,
    }
    rate = f"The threshold accepts {100 * inputs.arguments.gap.rate:g} % of a cell's right values."
    return table_of(rows, columns, (rate, *notes(inputs, inputs.inputs)))


def _gap_rows(
    inputs: ArgumentInputs, dataset: str, values: Values, about: dict[str, Any]
) -> list[dict[str, Any]]:
    counts, weights = path_counts(values), np.ones((len(inputs.clusters(dataset)), 1))
    limit = threshold(values.of("correct").scored, weights, inputs.arguments.gap.rate)
    main, rows = main_path(inputs, dataset), []
    for name, estimate in gaps(inputs, dataset, values).items():
        share = float(100 * accepted(values.of("correct", *GROUPS[name]).scored, weights, limit)[0])
        row = about | {"path": name, "main": name == main} | estimate.row("gap", test=True)
        row |= {"accepted": share, "accepted_reason": None if counts[name] else NO_PATH}
        row |= {"tau": limit.tau[0], "q": limit.q[0], "n_visible": counts["visible"], "n": counts[name]}
        rows.append(
            row | dict.fromkeys(("tau_reason", "q_reason"), NO_PATH if np.isnan(limit.tau[0]) else None)
        )
    return rows


def rate_table(inputs: ArgumentInputs) -> TableResult:
    """Gap out of view and on the main path at several acceptance rates (Table 7, D19, C-D34).

    Returns
    -------
    TableResult
        `judge`, `dataset`, `input`, `path`, `rate` in percent, the gap with its interval, `n_visible`, `n`.
        The input is the block's first.
    """
    rows = []
    for judge, dataset, name in inputs.listed(inputs.inputs[:1]):
        values = inputs.cell(judge, dataset, name)
        counts = path_counts(values)
        about = {"judge": judge, "dataset": dataset, "input": inputs.arm(name)}
        by_rate = {rate: gaps(inputs, dataset, values, rate) for rate in inputs.arguments.gap.rates}
        for path, (rate, found) in product((HIDDEN, main_path(inputs, dataset)), by_rate.items()):
            if path is not None:
                row = about | {"path": path, "rate": 100 * rate} | found[path].row("gap", test=True)
                rows.append(row | {"n_visible": counts["visible"], "n": counts[path]})
    rate_column = Column("Rate", "%", 0, "Share of all right values that the threshold accepts.")
    columns = {**CELL, "path": PATH, "rate": rate_column, **GAP, **COUNTS}
    return table_of(rows, columns, notes(inputs, inputs.inputs[:1]))


def change_table(inputs: ArgumentInputs) -> TableResult:
    """Change of gap and of AUROC on each path, an input against the one it is compared with (D24).

    Returns
    -------
    TableResult
        `judge`, `dataset`, `input`, `against`, `path`; gap and AUROC under both, the difference of each with
        its interval; numbers of right and wrong values. Both sides rest on the values scored under both.
    """
    rows = []
    for name, other, dataset, judge in inputs.compared():
        a, b = paired(inputs.cell(judge, dataset, name), inputs.cell(judge, dataset, other))
        if not a.size:
            continue
        about = {"judge": judge, "dataset": dataset, "input": inputs.arm(name), "against": inputs.arm(other)}
        rows += [about | row for row in _changes(inputs, dataset, a, b)]
    columns = {
        **CELL,
        "against": Column("Against", help="The input that it is compared with."),
        "path": PATH,
        "gap": Column("Gap", "pp", 2),
        "gap_other": Column("Gap, against", "pp", 2),
        **shown("gap_change", "Change of gap", "pp", "Below 0: the gap narrows.", True),
        "auroc": Column("AUROC", "× 100", 2),
        "auroc_other": Column("AUROC, against", "× 100", 2),
        **shown("auroc_change", "Change of AUROC", "pp", "Above 0: the input separates better.", True),
        "n_correct": Column("Right values"),
        "n_wrong": Column("Wrong values"),
    }
    return table_of(rows, columns, notes(inputs, inputs.inputs))


def _changes(inputs: ArgumentInputs, dataset: str, a: Values, b: Values) -> list[dict[str, Any]]:
    a, b = a.on_plain_paths(), b.on_plain_paths()
    first, second = gaps(inputs, dataset, a), gaps(inputs, dataset, b)
    rows = []
    for path, members in GROUPS.items():
        x, y = (side.where(np.isin(side["path"], members)) for side in (a, b))
        areas = area(inputs, dataset, x), area(inputs, dataset, y)
        row: dict[str, Any] = {"path": path}
        if path in first:
            row |= _levels("gap", first[path], second[path])
            row |= first[path].minus(second[path], NO_PATH).row("gap_change", test=True)
        else:
            missing = ("gap", "gap_other", "gap_change", "gap_change_lo", "gap_change_hi")
            row |= dict.fromkeys(missing) | {"gap_change_significant": None}
            reason = "visible values are what the others are compared with"
            row |= dict.fromkeys((f"{name}_reason" for name in (*missing, "gap_change_significant")), reason)
        row |= _levels("auroc", *areas)
        row |= areas[0].minus(areas[1], NO_CLASS if x.size else NOT_PAIRED).row("auroc_change", test=True)
        rows.append(row | {"n_correct": x.of("correct").size, "n_wrong": x.of("wrong").size})
    return rows


def _levels(name: str, first: Estimate, second: Estimate) -> dict[str, Any]:
    found = {name: first.interval.mean, f"{name}_other": second.interval.mean}
    reasons = {f"{key}_reason": first.reason if value is None else None for key, value in found.items()}
    return {**found, **reasons}


MOST_BARS = 6
"""Inputs that a figure has room for."""


def gap_figure(inputs: ArgumentInputs) -> Figure:
    """Draw the gap out of view of every judge and the first inputs, a panel for each data set (D18)."""
    title = "The derivation gap out of view"
    frame = gap_table(inputs).frame
    if not len(frame):
        return nothing(title)
    drawn = [inputs.arm(name) for name in inputs.inputs[:MOST_BARS]]
    frame = frame[(frame["path"] == HIDDEN) & frame["input"].isin(drawn)]
    names = {"dataset": "panel", "judge": "group", "input": "series"}
    bars = frame.rename(columns=names | {"gap": "value", "gap_lo": "lo", "gap_hi": "hi"})
    return grouped_bars(bars, ylabel="gap (points)", title=title, digits=0)
