"""Examples to look at: the items that meet the conditions of the paper's figures, and a seeded draw (D50)."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Mapping
from decimal import Decimal, InvalidOperation
from typing import Any

import pandas as pd

from plumbline.statistics.scored import threshold
from plumbline.tables.argument_estimates import table_of
from plumbline.tables.argument_inputs import ArgumentInputs, Values
from plumbline.tables.argument_roles import first_of
from plumbline.tables.argument_swap import swaps
from plumbline.tables.argument_tests import stated_items
from plumbline.tables.result import Column, TableResult

CASES = {
    "out_of_view": "a right value of the history that Plain does not show: every judge rejects it under "
    "Plain and accepts it with a reference (Figure 1)",
    "default": "a right default that its reference states: every judge rejects it under Plain and with the "
    "schema's facts, and accepts it with the reference (Figure 5)",
    "swap": "a right and a wrong value of one argument: every judge tells them right with the reference, and "
    "both wrong once its value is swapped for the wrong one (Figure 6)",
}

Scores = Mapping[str, pd.Series]
"""Score by item, for each judge."""


def example_table(inputs: ArgumentInputs) -> TableResult:
    """List the items of each condition, and mark the one that is drawn.

    Returns
    -------
    TableResult
        `case`, `drawn`, `dataset`, `function`, `parameter`, `value`, `item_id`, `state_id`, `partner` (the
        wrong value of a swap), `power_of_ten` (whether the two differ by a power of ten alone). The draw
        leaves those out; it is seeded by `bootstrap.seed`.
    """
    rows: list[dict[str, Any]] = []
    seed = inputs.arguments.bootstrap.seed
    selectors: dict[str, Callable[[ArgumentInputs, str], Iterator[dict[str, Any]]]] = {
        "out_of_view": _out_of_view,
        "default": _defaults,
        "swap": _swapped,
    }
    told = []
    for case, select in selectors.items():
        found = [row for dataset in inputs.datasets for row in select(inputs, dataset)]
        open_to_draw = [place for place, row in enumerate(found) if not row["power_of_ten"]]
        drawn = random.Random(seed).choice(open_to_draw) if open_to_draw else None  # noqa: S311
        rows += [{"case": case, "drawn": place == drawn} | row for place, row in enumerate(found)]
        told.append(f"{case}: {CASES[case]}. {len(found):,} found, drawn from {len(open_to_draw):,}.")
    columns = {
        "case": Column("Condition"),
        "drawn": Column("Drawn", help="The one that the seed picks."),
        "dataset": Column("Data set"),
        "function": Column("Function"),
        "parameter": Column("Parameter"),
        "value": Column("Value", help="As JSON."),
        "partner": Column("Wrong value", help="Of a swap: the wrong value, as JSON."),
        "power_of_ten": Column("Power of ten", help="Whether the two values differ by a power of ten alone."),
        "item_id": Column("Item"),
        "state_id": Column("State", help="Look it up on the data set's page of items."),
    }
    table = table_of(rows, columns, told)
    frame = table.frame.reindex(columns=list(columns))
    frame["partner_reason"] = "one value alone" if len(frame) else None
    return TableResult(frame, table.columns, table.notes)


def _out_of_view(inputs: ArgumentInputs, dataset: str) -> Iterator[dict[str, Any]]:
    plain, shown = first_of(inputs, "plain"), first_of(inputs, "deref")
    if plain is None or shown is None:
        return
    before, after = (_accepted_at_tau(inputs, dataset, name) for name in (plain, shown))
    yield from _meeting(inputs, dataset, "history_only", [before], after)


def _defaults(inputs: ArgumentInputs, dataset: str) -> Iterator[dict[str, Any]]:
    names = [first_of(inputs, wanted) for wanted in ("plain", "schema_facts", "deref")]
    known = [name for name in names if name is not None]
    if len(known) < 3:
        return
    plain, facts, shown = (_accepted_at_tau(inputs, dataset, name) for name in known)
    stated = stated_items(inputs, dataset)
    for row in _meeting(inputs, dataset, "default", [plain, facts], shown):
        if row["item_id"] in stated:
            yield row


def _accepted_at_tau(inputs: ArgumentInputs, dataset: str, name: str) -> dict[str, tuple[set[str], set[str]]]:
    """For each judge the items below its threshold, and those at or above it."""
    found = {}
    for judge in inputs.panel:
        if not inputs.has(judge, dataset, name):
            continue
        values = inputs.cell(judge, dataset, name).known
        tau = _tau(inputs, dataset, values)
        ids, scores = values["item_id"], values["score"]
        found[judge] = set(ids[scores < tau]), set(ids[scores >= tau])
    return found


def _tau(inputs: ArgumentInputs, dataset: str, values: Values) -> float:
    weights = inputs.draw(dataset, "multinomial").weights[:, :1]
    return float(threshold(values.of("correct").scored, weights, inputs.arguments.gap.rate).tau[0])


Sides = Mapping[str, tuple[set[str], set[str]]]


def _meeting(
    inputs: ArgumentInputs, dataset: str, path: str, rejected: list[Sides], accepted: Sides
) -> Iterator[dict[str, Any]]:
    """Right values of a path that all judges reject under some inputs and accept under another."""
    judges = set(accepted).intersection(*rejected)
    if not judges:
        return
    sets = [side[judge][0] for side in rejected for judge in judges]
    chosen = set.intersection(*sets, *(accepted[judge][1] for judge in judges))
    items = _items(inputs, dataset)
    items = items[
        items["item_id"].isin(chosen) & (items["label"] == "correct") & (items["plain_path"] == path)
    ]
    for row in items.to_dict("records"):
        yield _row(row, None)


def _swapped(inputs: ArgumentInputs, dataset: str) -> Iterator[dict[str, Any]]:
    """Pairs whose judgments all judges reverse at 0.5 once the value is swapped."""
    for name, other in swaps(inputs):
        judges = [judge for judge in inputs.panel if inputs.has(judge, dataset, name, other)]
        if not judges:
            continue
        before, after = (
            pd.DataFrame({judge: _scores(inputs, judge, dataset, each) for judge in judges})
            for each in (other, name)
        )
        before, after = before.dropna(), after.dropna()
        high = set(before.index[(before >= 0.5).all(axis=1)]) & set(after.index[(after < 0.5).all(axis=1)])
        low = set(before.index[(before < 0.5).all(axis=1)]) & set(after.index[(after >= 0.5).all(axis=1)])
        items = _items(inputs, dataset)
        right = items[items["item_id"].isin(high) & (items["label"] == "correct")]
        wrong = items[items["item_id"].isin(low) & (items["label"] == "wrong")]
        # the two values of a swap read one text; in a step with parallel calls a slot has several swaps
        texts = _swapped_texts(inputs, dataset, name)
        slot = ["state_id", "function", "parameter", "text"]
        right, wrong = (side.assign(text=side["item_id"].map(texts)) for side in (right, wrong))
        pairs = right.merge(wrong[[*slot, "value"]], on=slot, suffixes=("", "_wrong"))
        for row in pairs.to_dict("records"):
            yield _row(row, str(row["value_wrong"]))


def _swapped_texts(inputs: ArgumentInputs, dataset: str, name: str) -> pd.Series:
    made = inputs.references
    wanted = (made["dataset"] == dataset) & (made["reference"] == inputs.arguments.inputs[name].reference)
    return made[wanted & made["item_id"].notna()].drop_duplicates("item_id").set_index("item_id")["text"]


def _scores(inputs: ArgumentInputs, judge: str, dataset: str, name: str) -> pd.Series:
    rows = inputs.cell(judge, dataset, name).rows
    return rows.set_index("item_id")["score"]


def _items(inputs: ArgumentInputs, dataset: str) -> pd.DataFrame:
    rows = inputs.rows[(inputs.rows["dataset"] == dataset) & (inputs.rows["unit"] == "value")]
    return rows.drop_duplicates("item_id").sort_values("item_id", kind="stable")


def _row(row: Mapping[Any, Any], partner: str | None) -> dict[str, Any]:
    about = {name: row[name] for name in ("dataset", "function", "parameter", "value", "item_id", "state_id")}
    return about | {"partner": partner, "power_of_ten": partner is not None and _tens(row["value"], partner)}


def _tens(first: str, second: str) -> bool:
    """Whether one number is the other one times a power of ten."""
    try:
        one, other = (Decimal(text.strip('"').replace(",", "")) for text in (first, second))
        return bool(one and other) and (one / other).normalize().as_tuple()[:2] == (0, (1,))
    except (InvalidOperation, ValueError):  # no number, or no finite one
        return False
