"""What the DeRef paper states and what a run gets: reproduced, differs, or not run."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pandas as pd

from plumbline.config.arguments import Arguments
from plumbline.config.settings import RunConfig
from plumbline.tables.argument_beside import SAME, fits
from plumbline.tables.argument_claim_counts import (
    COUNTS,
    NAMED,
    NO_ROW,
    apart,
    count_of,
    data_sets,
    named_row,
)
from plumbline.tables.argument_claim_settings import setting_of
from plumbline.tables.argument_published import BESIDE, FILE, Beside
from plumbline.tables.argument_roles import paper_dataset
from plumbline.tables.claims import Answer, Claim, Figure, Found, NotRunError, by_interval, tolerated, within
from plumbline.tables.experiment import Same
from plumbline.tables.published import published_rows

Frames = Mapping[str, list[pd.DataFrame]]
Row = Mapping[Any, Any]

UNITS = {"auroc_pp": "pp", "score_pp": "pp", "auroc": "pct", "mean": "ratio"}
"""Units of the paper's file by those that tolerances are given for."""

NOT_MEASURED = "nothing in the tables of a run measures it"
OTHER = "other items"
SETTING = "a setting of the run, no result"


def argument_answers(config: RunConfig, frames: Frames) -> list[Answer]:
    """Compare every number of `deref_claims.csv` with the tables of a run.

    Parameters
    ----------
    config
        The run.
    frames
        Tables by name, those of each block that has them, as their CSV files hold them.

    Returns
    -------
    list of Answer
        In the order of the file. A number of a run on other items than the paper's is told, but not tested.
    """
    assert config.arguments is not None
    return [_answer(row, config.arguments, frames) for row in published_rows(FILE)]


def _answer(theirs: dict[str, str], arguments: Arguments, frames: Frames) -> Answer:
    unit = UNITS.get(theirs["unit"], theirs["unit"])
    figure = Figure.read(theirs, unit=unit if unit in KNOWN else "count")
    claim = Claim(theirs["claim_id"], _words(theirs), figure, _unused, _table(theirs["quantity"]))
    try:
        found, same = _number(theirs, arguments, frames)
    except NotRunError as error:
        return Answer(claim, "not run", None, None, str(error))
    if same == "other count":
        return Answer(claim, "not run", found, same, OTHER)
    tolerance = tolerated(figure)
    held, close = by_interval(figure, found), within(figure, found, tolerance)
    beyond = f"{'within' if close else 'outside'} the bounds" if figure.value is None else ""
    how = "our interval holds it" if held else beyond or f"tolerance {tolerance:.3g}"
    if setting_of(theirs) is not None:
        return Answer(claim, "same setting" if close else "other setting", found, same, SETTING)
    return Answer(claim, "reproduced" if held or close else "differs", found, same, how)


KNOWN = ("pct", "pp", "ratio", "score", "count", "bool")


def _unused(results: object) -> Found:
    raise NotRunError(NOT_MEASURED)


def _words(theirs: Mapping[str, str]) -> str:
    """Say what is claimed, from the row's own words."""
    about = [theirs[name] for name in ("judge", "dataset", "input", "path") if theirs[name]]
    return (
        f"{theirs['quantity'].replace('_', ' ')}: {'; '.join(about)}"
        if about
        else theirs["quantity"].replace("_", " ")
    )


def _table(quantity: str) -> str:
    if quantity in NAMED:
        return "named_values"
    if quantity in COUNTS:
        return COUNTS[quantity].table
    return next((entry.table for entry in BESIDE if entry.quantity == quantity), "")


def _number(theirs: Mapping[str, str], arguments: Arguments, frames: Frames) -> tuple[Found, Same]:
    quantity = theirs["quantity"]
    setting = setting_of(theirs)
    if setting is not None:
        return setting(arguments, theirs), "yes"
    if quantity in NAMED:
        rows = _rows("named_values", frames)
        row = named_row(rows, theirs, arguments)
        value = float(row[NAMED[quantity]])
        return Found(value, value), _same(_of_sets(_rows("path_rates", frames), theirs, arguments))
    count = count_of(theirs)
    if count is not None:
        found = count.rows(_rows(count.table, frames), theirs, arguments)
        numbers = count.number(found)
        # a table without figures of the paper does not say whose items it rests on
        told = [row for row in found if SAME in row]
        ends = numbers if isinstance(numbers, tuple) else (numbers, numbers)
        return Found(*ends), _same(told or _of_sets(_rows("path_rates", frames), theirs, arguments))
    known = _beside(theirs, arguments, frames)
    return _found(known), _same([row for _, row in known])


def _beside(theirs: Mapping[str, str], arguments: Arguments, frames: Frames) -> list[tuple[Beside, Row]]:
    """Rows of our tables that a claim is about, with a value."""
    entries = [entry for entry in BESIDE if entry.quantity == theirs["quantity"]]
    if not entries:
        raise NotRunError(NOT_MEASURED)
    found: dict[tuple[str, ...], tuple[Beside, Row]] = {}
    for entry in entries:
        for row in (row for frame in frames.get(entry.table, []) for row in _records(frame)):
            if fits(entry, theirs, row, arguments):
                found.setdefault((entry.table, *apart(row)), (entry, row))
    rows = list(found.values())
    known = [(entry, row) for entry, row in rows if not pd.isna(row[entry.column])]
    if not known:
        missing = [entry.table for entry in entries if not frames.get(entry.table)]
        why = f"the table {missing[0]} is not in the run" if len(missing) == len(entries) else NO_ROW
        raise NotRunError("no value could be computed" if rows else why)
    return known


def _records(frame: pd.DataFrame) -> list[Row]:
    return list(frame.to_dict("records"))


def _of_sets(rows: list[Row], theirs: Mapping[str, str], arguments: Arguments) -> list[Row]:
    return [row for row in rows if paper_dataset(arguments, str(row["dataset"])) in data_sets(theirs)]


def _found(known: list[tuple[Beside, Row]]) -> Found:
    values = [entry.ours(float(row[entry.column])) for entry, row in known]
    if len(known) == 1 and not known[0][0].absolute:
        entry, row = known[0]
        ends = [row.get(f"{entry.column}_{end}") for end in ("lo", "hi")]
        if not any(end is None or pd.isna(end) for end in ends):
            low, high = sorted(entry.sign * float(end) for end in ends if end is not None)
            return Found(values[0], values[0], low, high)
    return Found(min(values), max(values))


def _same(rows: list[Row]) -> Same:
    words = {str(row.get("same_experiment")) for row in rows} - {"no figure"}
    if words & {"other items", "nan", "None"} or not words:
        return "other count"
    return "simulation" if "simulation" in words else "yes"


def _rows(name: str, frames: Frames) -> list[Row]:
    if not frames.get(name):
        raise NotRunError(f"the table {name} is not in the run")
    return [row for frame in frames[name] for row in _records(frame)]
