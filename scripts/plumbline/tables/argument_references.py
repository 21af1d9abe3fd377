"""What references say: whether they state a value, which one, and what is lost without their words."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from plumbline.arguments.equality import value_key
from plumbline.arguments.occurrences import stands_in
from plumbline.records.files import strict_json
from plumbline.tables.argument_estimates import area_gain, notes, shown, table_of
from plumbline.tables.argument_gaps import CELL
from plumbline.tables.argument_inputs import ArgumentInputs, Values, paired
from plumbline.tables.argument_roles import inputs_of
from plumbline.tables.argument_separation import AGAINST, SIZES
from plumbline.tables.notes import counted
from plumbline.tables.result import Column, TableResult

SLOT = ["state_id", "function", "parameter"]


def value_only_table(inputs: ArgumentInputs) -> TableResult:
    """Show what is lost if the reference is only its value, with and without a stated value (Table 8, D32).

    Returns
    -------
    TableResult
        `judge`, `dataset`, `input`, `against`, `slots` (all, with a value, without), the loss of AUROC in
        points with its interval, `n_correct`, `n_wrong`.
    """
    rows = []
    chosen = set(inputs_of(inputs, "value_only", "full_value_only"))
    for name, other, dataset, judge in inputs.compared():
        if name not in chosen:
            continue
        a, b = paired(inputs.cell(judge, dataset, name), inputs.cell(judge, dataset, other))
        parsed = _has_value(inputs, dataset, other, a)
        about = {"judge": judge, "dataset": dataset, "input": inputs.arm(name), "against": inputs.arm(other)}
        for slots, keep in (("all", parsed | ~parsed), ("with a value", parsed), ("without", ~parsed)):
            x, y = a.where(keep), b.where(keep)
            loss = area_gain(inputs, dataset, y, x).row("loss", test=True)
            counts = {f"n_{label}": x.of(label).size for label in ("correct", "wrong")}
            rows.append(about | {"slots": slots} | loss | counts)
    columns = {
        **CELL,
        "against": AGAINST,
        "slots": Column("Slots", help="Whether a value was found in the text of the reference."),
        **shown("loss", "Loss", "pp", "AUROC with the whole reference minus that with its value.", True),
        **{name: SIZES[name] for name in ("n_correct", "n_wrong")},
    }
    told = () if rows else ("No rows: the block has no input that shows just the value.",)
    return table_of(rows, columns, (*told, *notes(inputs, inputs.inputs)))


def _has_value(inputs: ArgumentInputs, dataset: str, name: str, values: Values) -> NDArray[np.bool_]:
    """Say of each item whether the reference that an input shows for it states a value."""
    made = inputs.references
    shown_name = inputs.arguments.inputs[name].reference
    made = made[(made["dataset"] == dataset) & (made["reference"] == shown_name) & made["parsed"]]
    slots = pd.MultiIndex.from_frame(made[SLOT].astype(object))
    found: NDArray[np.bool_] = pd.MultiIndex.from_frame(values.rows[SLOT].astype(object)).isin(slots)
    return found


def named_table(inputs: ArgumentInputs) -> TableResult:
    """Show how often each reference states the right value, or the wrong one under test (D16, D32, D36).

    Returns
    -------
    TableResult
        `dataset`, `reference`, `model` (who wrote it), `made` (references that are ok) of `asked`,
        `per_candidate` (candidates of a reference), `parsed` in percent, and in percent of the labelled
        values with an ok reference: `names_correct` (right values), `names_wrong` (wrong ones),
        `holds_correct` (right values whose reference states none, but holds every leaf of them as a whole).
    """
    references = inputs.references
    # what could not be made of another reference has no author of its own
    of_all = references.groupby(["dataset", "reference"], sort=False)["model"].transform("first")
    references = references.assign(model=references["model"].where(references["model"].notna(), of_all))
    by_author = references.groupby(["dataset", "reference", "model"], sort=False, dropna=False)
    rows = [_named(inputs, str(dataset), str(name), made) for (dataset, name, _), made in by_author]
    columns = {
        "dataset": Column("Data set"),
        "reference": Column("Reference"),
        "model": Column("Written by", help="The model that wrote it, or what it is made from."),
        "asked": Column("Asked for"),
        "made": Column("Made", help="References that are ok."),
        "lost": Column("Lost", help="Why the others are missing."),
        "per_candidate": Column("Candidates", digits=2, help="Values that share a reference, on average."),
        "parsed": Column("State a value", "%", 1, "References in whose text a value was found."),
        "names_correct": Column("State the right value", "%", 2, "Of the right values."),
        "names_wrong": Column("State the wrong value", "%", 2, "Of the wrong values: the one under test."),
        "holds_correct": Column(
            "Hold the right value", "%", 2, "Right values whose reference states none, but has their text."
        ),
    }
    return table_of(rows, columns, notes(inputs, inputs.inputs, intervals=False))


def _named(inputs: ArgumentInputs, dataset: str, name: str, made: pd.DataFrame) -> dict[str, Any]:
    ok = made[made["status"] == "ok"]
    key = reader_key(ok)
    texts = ok[[*key, "kind", "parsed", "parsed_value", "text"]].drop_duplicates(key)
    joined = readers(inputs, dataset, ok).merge(texts, on=key)
    joined = joined[joined["label"] != "unlabelled"]
    correct, wrong = (joined[joined["label"] == label] for label in ("correct", "wrong"))
    without = correct[~correct["parsed"].astype(bool)]
    shares = {
        "parsed": _percent(ok["parsed"]),
        "names_correct": _percent(_same(correct)),
        "names_wrong": _percent(_same(wrong)),
        "holds_correct": _percent(_holds(without)),
    }
    return {
        "dataset": dataset,
        "reference": name,
        **_writer(made),
        "asked": len(made),
        "made": len(ok),
        "lost": counted(made.loc[made["status"] != "ok", "status"]) or "none",
        "per_candidate": len(joined) / len(texts) if len(texts) else None,
        **shares,
        **{f"{key}_reason": "no such value" if share is None else None for key, share in shares.items()},
    }


def _writer(made: pd.DataFrame) -> dict[str, str | None]:
    model = made["model"].iloc[0]
    known = isinstance(model, str)
    return {"model": model if known else None, "model_reason": None if known else "no model writes it"}


def reader_key(made: pd.DataFrame) -> list[str]:
    """Name the columns by which items find their reference: its item, its call, or its slot."""
    own = next((key for key in ("item_id", "call_id") if made[key].notna().any()), None)
    return SLOT if own is None else [own]


def readers(inputs: ArgumentInputs, dataset: str, made: pd.DataFrame) -> pd.DataFrame:
    """Give the values that read any of some references.

    Parameters
    ----------
    inputs, dataset
        The block, and the data set of the references.
    made
        Lines of one reference.

    Returns
    -------
    pandas.DataFrame
        One row an item: `item_id`, `call_id`, `label`, `value`, and the columns of its slot.
    """
    items = inputs.rows[(inputs.rows["dataset"] == dataset) & (inputs.rows["unit"] == "value")]
    items = items.drop_duplicates("item_id")[["item_id", "call_id", "label", "value", *SLOT]]
    key = reader_key(made)
    return items.merge(made[key].drop_duplicates(), on=key)


def _same(rows: pd.DataFrame) -> pd.Series:
    """Say of each value whether its reference states it; a revised call states the value of each argument."""
    parsed = zip(rows["kind"], rows["parsed_value"].where(rows["parsed"].astype(bool)), strict=True)
    keys = {value: value_key(strict_json(value)) for value in set(rows["value"])}
    found = [
        keys[value] == _stated_key(text, parameter if kind == "revise_call" else None)
        for (kind, text), value, parameter in zip(parsed, rows["value"], rows["parameter"], strict=True)
    ]
    return pd.Series(found, index=rows.index, dtype=bool)


def _stated_key(text: object, parameter: str | None) -> str | None:
    """Give the key of a stated value, or of one argument of a stated call; None if it states none."""
    if not isinstance(text, str):
        return None
    stated = strict_json(text)
    if parameter is None:
        return value_key(stated)
    return value_key(stated[parameter]) if isinstance(stated, dict) and parameter in stated else None


def _holds(rows: pd.DataFrame) -> pd.Series:
    """Say of each value whether it stands in the text of its reference, every leaf of it as a whole (D32)."""
    found = [
        stands_in(strict_json(value), str(text))
        for value, text in zip(rows["value"], rows["text"], strict=True)
    ]
    return pd.Series(found, index=rows.index, dtype=bool)


def _percent(flags: pd.Series) -> float | None:
    return float(100 * flags.astype(float).mean()) if len(flags) else None
