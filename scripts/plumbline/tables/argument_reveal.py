"""Whether a judge misses the source of a value: the lost step that holds it is shown, or a like one (D25)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import get_args

import numpy as np

from plumbline.records.revealed_ids import Source, source_of
from plumbline.tables.argument_estimates import NOT_PAIRED, level, mean_estimate, notes, shown, table_of
from plumbline.tables.argument_gaps import CELL
from plumbline.tables.argument_inputs import ArgumentInputs, Values, paired
from plumbline.tables.result import Column, TableResult


def reveal_table(inputs: ArgumentInputs) -> TableResult:
    """Mean score with the lost step shown, minus that with a like step that lacks the value (D25).

    Returns
    -------
    TableResult
        `judge`, `dataset` (the revealed one), `input`, `label`, `held_by` (all, or what holds the value),
        `revealed`, `placebo` (mean scores × 100), their difference with its interval, `n`.
    """
    kinds = {name: inputs.arguments.datasets[name] for name in inputs.datasets}
    placebos = {each.of: name for name, each in kinds.items() if each.kind == "placebo"}
    rows = []
    for judge, dataset, name in inputs.listed(inputs.inputs):
        chosen = kinds[dataset]
        other = placebos.get(chosen.of) if chosen.kind == "reveal" else None
        if other is None or not inputs.has(judge, other, name):
            continue
        a, b = paired(inputs.cell(judge, dataset, name), inputs.cell(judge, other, name))
        about = {"judge": judge, "dataset": dataset, "input": inputs.arm(name)}
        for label in ("correct", "wrong"):
            for held_by, first, second in _by_source(a.of(label), b.of(label)):
                sides = [mean_estimate(inputs, dataset, side) for side in (first, second)]
                row = about | {"label": label, "held_by": held_by}
                row |= level("revealed", sides[0]) | level("placebo", sides[1])
                change = sides[0].minus(sides[1], NOT_PAIRED).row("rise", test=True)
                rows.append(row | change | {"n": first.size})
    columns = {
        **CELL,
        "label": Column("Values"),
        "held_by": Column("Held by", help="What of the step that is shown holds the right value."),
        "revealed": Column("Step shown", "× 100", 2, "Mean score with the lost step shown."),
        "placebo": Column("Placebo", "× 100", 2, "Mean score with a like step that lacks the value."),
        **shown("rise", "Rise", "× 100", "Above 0: seeing the source lifts the score.", True),
        "n": Column("Values scored"),
    }
    told = () if rows else ("No rows: the block needs a data set of the kind reveal and its placebo.",)
    return table_of(rows, columns, (*told, *notes(inputs, inputs.inputs)))


def _by_source(a: Values, b: Values) -> Iterator[tuple[str, Values, Values]]:
    """Give all items of two cells in one order, then those of the states whose value each source holds."""
    yield "all", a, b
    sources = np.array([source_of(state) for state in a.rows["state_id"]], dtype=object)
    for source in get_args(Source):
        chosen = sources == source
        if chosen.any():
            yield source, a.where(chosen), b.where(chosen)
