"""Values whose input lost history, and whether results rest on them (D11, D12)."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from plumbline.statistics.scored import auroc
from plumbline.tables.argument_estimates import NO_CLASS, NOT_PAIRED, notes, table_of
from plumbline.tables.argument_gaps import CELL
from plumbline.tables.argument_inputs import ArgumentInputs, Values, paired
from plumbline.tables.result import Column, TableResult

Flags = NDArray[np.bool_]

NOT_FULL = "the input shows no full history"
MADE = "the reference is made from another one, whose input it follows"
NO_OTHER = "the block compares the input with no other"

COLUMNS = {
    **CELL,
    "against": Column("Against", help="The input that it is compared with."),
    "items": Column("Values", help="Right and wrong values."),
    "shortened": Column(
        "Shortened",
        help="Values whose input shows less than Plain or, with the full history, less than all of it; with "
        "a reference made from another one, less than the input with the other one.",
    ),
    "states": Column("States", help="States of the shortened values."),
    "over_limit": Column("Over the limit", help="Values whose full history exceeds the limit of all judges."),
    "own_limit": Column(
        "Own limit", help="Values whose full history the judge's own limit shortens further."
    ),
    "own_limit_most": Column(
        "Most by it", help="Most returns, and then steps, that it takes from one value."
    ),
    "auroc": Column("AUROC", "× 100", 2, "Of all values that are scored."),
    "auroc_without": Column("AUROC without", "× 100", 2, "Without the shortened values."),
    "auroc_shift": Column("AUROC, shift", "pp", 2, "Without the shortened values minus with them."),
    "gain": Column("Gain", "pp", 2, "AUROC of the input minus that of the one it is compared with."),
    "gain_without": Column("Gain without", "pp", 2, "Without the values that either input shortens."),
    "gain_shift": Column("Gain, shift", "pp", 2, "Without those values minus with them."),
    "sign_changes": Column("Sign changes", help="Whether the gain without them has another sign."),
}


def shortened_table(inputs: ArgumentInputs) -> TableResult:
    """Count the values whose input lost history, and leave them out of AUROC and gain (D11, D12).

    Returns
    -------
    TableResult
        A row for each judge, data set and input, and each input `against` that the block compares it with.
        Of the right and wrong values (`items`) the `shortened` ones, in `states`: those of a full history
        that lost anything, and those of another input that lost more than Plain. `over_limit` exceed
        `ladder.full_limit`; `own_limit` are shortened further by the judge's `context_limit`, by
        `own_limit_most` rungs at the most. `auroc` and `gain`, each `without` the shortened values, and the
        `shift`; `sign_changes` of the gain. A gain leaves out what either of its inputs shortens.
    """
    rows = []
    pairs = inputs.pairs()
    for judge, dataset, name in inputs.listed(inputs.inputs):
        if judge not in inputs.panel:
            continue
        values = inputs.cell(judge, dataset, name)
        about = {"judge": judge, "dataset": dataset, "input": inputs.arm(name)}
        sizes = _sizes(inputs, name, values) | _areas(inputs, dataset, name, values)
        others = [other for each, other in pairs if each == name and inputs.has(judge, dataset, other)]
        for other in others:
            against = {"against": inputs.arm(other)}
            pair = {one: inputs.cell(judge, dataset, one) for one in (name, other)}
            rows.append(about | against | sizes | _gains(inputs, dataset, pair))
        if not others:
            rows.append(about | {"against": None, "against_reason": NO_OTHER} | sizes | _no_gain(NO_OTHER))
    shifts = [abs(row["gain_shift"]) for row in rows if row["gain_shift"] is not None]
    told = []
    if shifts:
        changes = sum(row["sign_changes"] is True for row in rows)
        told = [f"Largest shift of a gain: {max(shifts):.2f} pp; gains that change their sign: {changes}."]
    return table_of(rows, COLUMNS, (*told, *notes(inputs, inputs.inputs, intervals=False)))


def _is_full(inputs: ArgumentInputs, name: str) -> bool:
    return inputs.arguments.inputs[name].context == "full"


def _cut(inputs: ArgumentInputs, name: str, values: Values) -> Flags:
    """Say of each value whether its input shows less than it stands for."""
    column = "rung" if _is_full(inputs, name) else "further"
    return values.rows[column].to_numpy(int) > 0


def _sizes(inputs: ArgumentInputs, name: str, values: Values) -> dict[str, Any]:
    values = values.where(values["label"] != "unlabelled")
    rows = values.rows
    cut = _cut(inputs, name, values)
    found = {"items": len(rows), "shortened": int(cut.sum()), "states": int(rows["state_id"][cut].nunique())}
    if not _is_full(inputs, name):
        return found | _no_limit(NOT_FULL)
    if getattr(inputs.arguments.references.get(inputs.arguments.inputs[name].reference or ""), "of", None):
        return found | _no_limit(MADE)
    shared = (rows["rung"] - rows["further"]).to_numpy(int)
    own = rows["further"].to_numpy(int)
    return found | {
        "over_limit": int((shared > 0).sum()),
        "own_limit": int((own > 0).sum()),
        "own_limit_most": int(own.max(initial=0)),
    }


def _no_limit(reason: str) -> dict[str, Any]:
    names = ("over_limit", "own_limit", "own_limit_most")
    return dict.fromkeys(names) | {f"{name}_reason": reason for name in names}


def _area(inputs: ArgumentInputs, dataset: str, values: Values) -> float | None:
    weights = np.ones((len(inputs.clusters(dataset)), 1))
    found = float(auroc(values.of("correct").scored, values.of("wrong").scored, weights)[0])
    return None if np.isnan(found) else found


def _areas(inputs: ArgumentInputs, dataset: str, name: str, values: Values) -> dict[str, Any]:
    kept = values.where(~_cut(inputs, name, values))
    return _shifted("auroc", _area(inputs, dataset, values), _area(inputs, dataset, kept), NO_CLASS)


def _gains(inputs: ArgumentInputs, dataset: str, pair: dict[str, Values]) -> dict[str, Any]:
    (name, first), (other, second) = pair.items()
    a, b = paired(first, second)
    kept = ~(_cut(inputs, name, a) | _cut(inputs, other, b))
    before, after = (
        _difference(_area(inputs, dataset, one), _area(inputs, dataset, two))
        for one, two in ((a, b), (a.where(kept), b.where(kept)))
    )
    reason = NO_CLASS if len(a) else NOT_PAIRED
    known = before is not None and after is not None
    return _shifted("gain", before, after, reason) | {
        "sign_changes": before * after < 0 if before is not None and after is not None else None,
        "sign_changes_reason": None if known else reason,
    }


def _difference(first: float | None, second: float | None) -> float | None:
    return None if first is None or second is None else first - second


def _shifted(name: str, before: float | None, after: float | None, reason: str) -> dict[str, Any]:
    numbers = {name: before, f"{name}_without": after, f"{name}_shift": _difference(after, before)}
    return numbers | {f"{key}_reason": reason if value is None else None for key, value in numbers.items()}


def _no_gain(reason: str) -> dict[str, Any]:
    names = ("gain", "gain_without", "gain_shift", "sign_changes")
    return dict.fromkeys(names) | {f"{name}_reason": reason for name in names}
