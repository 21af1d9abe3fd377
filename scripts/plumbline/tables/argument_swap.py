"""Whether a judge follows a wrong reference: its right value is swapped for a wrong one (D42, Figure 3)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pandas as pd
from matplotlib.figure import Figure

from plumbline.tables.argument_estimates import (
    NO_CLASS,
    NOT_PAIRED,
    Estimate,
    area,
    level,
    notes,
    shown,
    table_of,
)
from plumbline.tables.argument_gaps import CELL
from plumbline.tables.argument_inputs import ArgumentInputs, paired
from plumbline.tables.argument_roles import first_of
from plumbline.tables.argument_separation import AGAINST, share_at_half
from plumbline.tables.drawing import grouped_bars, nothing
from plumbline.tables.result import Column, TableResult

QUANTITIES = {
    "correct_accepted": "right values accepted",
    "wrong_accepted": "wrong values accepted",
    "correct_kept": "right values accepted, of those accepted under Plain",
    "wrong_kept": "wrong values accepted, of those rejected under Plain",
    "correct_plain": "right values accepted, before: under Plain",
    "wrong_plain": "wrong values accepted, before: under Plain",
    "auroc": "AUROC",
}
"""Quantities of the table. `..._plain` starts from Plain, without a reference; the others from the reference
as it is."""


def swaps(inputs: ArgumentInputs) -> list[tuple[str, str]]:
    """Give each input that shows a swapped reference, with the input that shows the same one unswapped."""
    found = []
    for name in inputs.inputs:
        asked = inputs.arguments.inputs[name]
        reference = inputs.arguments.references[asked.reference] if asked.reference else None
        if reference is not None and reference.kind == "swap":
            like = asked.model_copy(update={"reference": reference.of, "arm": None})
            for other in inputs.inputs:
                if inputs.arguments.inputs[other].model_copy(update={"arm": None}) == like:
                    found.append((name, other))
                    break
    return found


def swap_table(inputs: ArgumentInputs) -> TableResult:
    """Show what a judge accepts at 0.5 with the reference as it is, and with its value swapped (D42).

    Returns
    -------
    TableResult
        `judge`, `dataset`, `input`, `against`, `quantity`, `before`, `after`, the change in points with its
        interval, `n`. It rests on the values that are scored under both; the two quantities `..._kept` on
        those of them that Plain gets right, the two `..._plain` on those that are scored under Plain as well,
        with Plain as `before`.
    """
    rows = []
    for name, other in swaps(inputs):
        for judge, dataset, _ in inputs.listed([name]):
            if inputs.has(judge, dataset, other):
                about = {"judge": judge, "dataset": dataset}
                about |= {"input": inputs.arm(name), "against": inputs.arm(other)}
                rows += [about | row for row in _rows(inputs, judge, dataset, name, other)]
    columns = {
        **CELL,
        "against": AGAINST,
        "quantity": Column("Quantity", help="Accepted: a score of at least 0.5."),
        "before": Column("Before", "%", 2, "With the reference as it is, or under Plain where it says so."),
        "after": Column("After", "%", 2, "With the wrong value in the reference."),
        **shown("change", "Change", "pp", "After minus before.", True),
        "n": Column("Values"),
    }
    told = (
        () if swaps(inputs) else ("No rows: the block needs an input with a swapped reference and its like.",)
    )
    return table_of(rows, columns, (*told, *notes(inputs, inputs.inputs)))


def _rows(
    inputs: ArgumentInputs, judge: str, dataset: str, name: str, other: str
) -> Iterator[dict[str, Any]]:
    after, before = paired(inputs.cell(judge, dataset, name), inputs.cell(judge, dataset, other))
    plain = first_of(inputs, "plain")
    known = inputs.cell(judge, dataset, plain or "").known  # no rows without such an input
    accepted = known["score"] >= 0.5
    right = set(known["item_id"][accepted == (known["label"] == "correct")])
    scored_before = set(before["item_id"])
    swapped_items = known.where([item in scored_before for item in known["item_id"]])
    for quantity in QUANTITIES:
        sides = [before, after]
        if quantity == "auroc":
            estimates = [area(inputs, dataset, side) for side in sides]
            count, reason = after.of("correct").size + after.of("wrong").size, NO_CLASS
        else:
            label, which = quantity.split("_")
            if which == "plain":
                sides = list(paired(after, swapped_items))[::-1]
            sides = [side.of(label) for side in sides]
            if which == "kept":
                sides = [side.where([name in right for name in side["item_id"]]) for side in sides]
            estimates = [share_at_half(inputs, dataset, side) for side in sides]
            count, reason = sides[0].size, NOT_PAIRED
        yield {"quantity": quantity, **_change(estimates, reason), "n": count}


def _change(estimates: list[Estimate], reason: str) -> dict[str, Any]:
    before, after = estimates
    change = after.minus(before, reason)
    return level("before", before) | level("after", after) | change.row("change", test=True)


def swap_figure(inputs: ArgumentInputs) -> Figure:
    """Draw what is accepted at 0.5 before and after the swap, right and wrong values apart (Figure 3)."""
    table = swap_table(inputs).frame
    rows = [
        {"panel": f"{row['dataset']}: {words}", "group": row["judge"], "series": series, "value": row[side]}
        for quantity, words in (("correct_accepted", "right values"), ("wrong_accepted", "wrong values"))
        for row in table[table["quantity"] == quantity].to_dict("records")
        for side, series in (("before", "reference as it is"), ("after", "value swapped"))
    ]
    title = "What judges accept, before and after the swap"
    if not rows:
        return nothing(title)
    return grouped_bars(
        pd.DataFrame(rows), ylabel="accepted at 0.5 (%)", title=title, digits=0, bounds=(0, 100)
    )
