"""Judges that think before they answer, with a reference and against judges with one (D33, D35)."""

from __future__ import annotations

from itertools import product
from typing import Any

from plumbline.config.argument_references import ArgumentInput
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
from plumbline.tables.argument_roles import first_of, role
from plumbline.tables.argument_separation import AREA, SIZES, sizes
from plumbline.tables.result import Column, TableResult

THINKING = {"direct_thinking_plain": "deref", "direct_thinking_full": "deref_full"}
"""Inputs of a judge that thinks without a reference, with the input that it is compared with."""


def thinking_table(inputs: ArgumentInputs) -> TableResult:
    """Show AUROC with and without a reference, thinking on and off (Table 4, D33).

    Returns
    -------
    TableResult
        `judge`, `dataset`, `context`, `reference`, `thinking`, AUROC × 100 with its interval, sizes. Only
        judges and contexts that the block has with thinking on and off.
    """
    rows = []
    for judge, dataset, name in inputs.listed(inputs.inputs):
        asked = inputs.arguments.inputs[name]
        if not _has_other(inputs, judge, dataset, asked):
            continue
        values = inputs.cell(judge, dataset, name)
        about = {"judge": judge, "dataset": dataset, "context": asked.context}
        about |= {"reference": asked.reference or "none", "thinking": "on" if _thinks(asked) else "off"}
        rows.append(about | area(inputs, dataset, values).row("auroc") | sizes(values))
    columns = {
        "judge": CELL["judge"],
        "dataset": CELL["dataset"],
        "context": Column("Context", help="What Plain shows, or the full history."),
        "reference": Column("Reference"),
        "thinking": Column("Thinking"),
        **AREA,
        **SIZES,
    }
    told = () if rows else ("No rows: the block has no input with thinking on beside the same with it off.",)
    return table_of(rows, columns, (*told, *notes(inputs, inputs.inputs)))


def _thinks(asked: ArgumentInput) -> bool:
    return asked.decoding.thinking is True


def _has_other(inputs: ArgumentInputs, judge: str, dataset: str, asked: ArgumentInput) -> bool:
    """Whether the block has the same text both with thinking and without."""
    same = [
        name
        for name in inputs.inputs
        if inputs.has(judge, dataset, name)
        and (each := inputs.arguments.inputs[name]).context == asked.context
        and each.reference == asked.reference
        and each.add == asked.add
    ]
    return len({_thinks(inputs.arguments.inputs[name]) for name in same}) == 2


def against_thinking_table(inputs: ArgumentInputs) -> TableResult:
    """Compare every judge that reads a reference with a judge that thinks without one (Table 15, D35).

    Returns
    -------
    TableResult
        `judge`, `dataset`, `input`, `thinking_judge`, `against`, AUROC × 100 of both, the difference in
        points with its interval, `n_correct`, `n_wrong`. A judge thinking with Plain is compared with DeRef,
        one with the full history with DeRef and, if it is the same judge, with what
        `direct_compare_full_with` names (C-D13).
    """
    rows = []
    for thinker, dataset, name in inputs.listed(inputs.inputs):
        thought = role(inputs.arguments, name)
        if thought not in THINKING:
            continue
        for judge, wanted in product(inputs.judges, ("deref", "deref_full")):
            other = first_of(inputs, wanted)
            same = judge == thinker and thought == "direct_thinking_full"
            expected = inputs.arguments.direct_compare_full_with if same else "deref"
            if wanted != expected or other is None or not inputs.has(judge, dataset, other):
                continue
            about = {"judge": judge, "dataset": dataset, "input": inputs.arm(other)}
            about |= {"thinking_judge": thinker, "against": inputs.arm(name)}
            rows.append(about | _difference(inputs, dataset, (judge, other), (thinker, name)))
    columns = {
        **CELL,
        "thinking_judge": Column("Thinking judge"),
        "against": Column("Its input"),
        "auroc": Column("AUROC", "× 100", 2),
        "auroc_thinking": Column("AUROC, thinking", "× 100", 2),
        **shown(
            "difference", "Difference", "pp", "Above 0: the reference is worth more than thinking.", True
        ),
        **{key: SIZES[key] for key in ("n_correct", "n_wrong")},
    }
    told = () if rows else ("No rows: the block has no judge that thinks without a reference.",)
    return table_of(rows, columns, (*told, *notes(inputs, inputs.inputs)))


def _difference(
    inputs: ArgumentInputs, dataset: str, ours: tuple[str, str], theirs: tuple[str, str]
) -> dict[str, Any]:
    a, b = paired(*(inputs.cell(judge, dataset, name) for judge, name in (ours, theirs)))
    areas: list[Estimate] = [area(inputs, dataset, side) for side in (a, b)]
    change = areas[0].minus(areas[1], NO_CLASS if a.size else NOT_PAIRED)
    counts = {f"n_{label}": a.of(label).size for label in ("correct", "wrong")}
    levels = level("auroc", areas[0]) | level("auroc_thinking", areas[1])
    return levels | change.row("difference", test=True) | counts
