"""What the DeRef paper states and what a run gets: reproduced, differs, or not run."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

import pandas as pd

from plumbline.config.arguments import Arguments
from plumbline.config.settings import RunConfig
from plumbline.tables.argument_beside import fits
from plumbline.tables.argument_published import BESIDE, FILE, MEAN, Beside
from plumbline.tables.argument_roles import paper_dataset, reference_role
from plumbline.tables.claims import Answer, Claim, Figure, Found, NotRunError, by_interval, tolerated, within
from plumbline.tables.experiment import Same
from plumbline.tables.published import published_rows

Frames = Mapping[str, list[pd.DataFrame]]
Row = Mapping[Any, Any]

UNITS = {"auroc_pp": "pp", "score_pp": "pp", "auroc": "pct", "mean": "ratio"}
"""Units of the paper's file by those that tolerances are given for."""

NOT_MEASURED = "nothing in the tables of a run measures it"
OTHER = "other items"


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
    how = "our interval holds it" if held else f"tolerance {tolerance:.3g}"
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
    if quantity in COUNTS:
        return COUNTS[quantity][0]
    return next((entry.table for entry in BESIDE if entry.quantity == quantity), "")


def _number(theirs: Mapping[str, str], arguments: Arguments, frames: Frames) -> tuple[Found, Same]:
    quantity = theirs["quantity"]
    if quantity in SETTINGS:
        value = SETTINGS[quantity](arguments)
        return Found(value, value), "yes"
    if quantity in COUNTS:
        table, count = COUNTS[quantity]
        rows = [row for frame in _tables(table, frames) for row in _records(frame)]
        value = count(rows, theirs, arguments)
        of_sets = [row for row in rows if _of_set(row, theirs, arguments)]
        return Found(value, value), _same(of_sets)
    known = _beside(theirs, arguments, frames)
    return _found(known), _same([row for _, row in known])


def _beside(theirs: Mapping[str, str], arguments: Arguments, frames: Frames) -> list[tuple[Beside, Row]]:
    """Rows of our tables that a claim is about, with a value."""
    entries = [entry for entry in BESIDE if entry.quantity == theirs["quantity"]]
    if not entries:
        raise NotRunError(NOT_MEASURED)
    rows = [
        (entry, row)
        for entry in entries
        for frame in frames.get(entry.table, [])
        for row in _records(frame)
        if fits(entry, theirs, row, arguments)
    ]
    known = [(entry, row) for entry, row in rows if not pd.isna(row[entry.column])]
    if not known:
        missing = [entry.table for entry in entries if not frames.get(entry.table)]
        why = f"the table {missing[0]} is not in the run" if len(missing) == len(entries) else NO_ROW
        raise NotRunError("no value could be computed" if rows else why)
    return known


def _records(frame: pd.DataFrame) -> list[Row]:
    return list(frame.to_dict("records"))


def _of_set(row: Row, theirs: Mapping[str, str], arguments: Arguments) -> bool:
    return paper_dataset(arguments, str(row["dataset"])) in theirs["dataset"].split()


NO_ROW = "no such judge, data set or input in the run"


def _found(known: list[tuple[Beside, Row]]) -> Found:
    values = [entry.sign * float(row[entry.column]) for entry, row in known]
    if len(known) == 1:
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


def _tables(name: str, frames: Frames) -> list[pd.DataFrame]:
    if not frames.get(name):
        raise NotRunError(f"the table {name} is not in the run")
    return frames[name]


Count = Callable[[list[Row], Mapping[str, str], Arguments], float]


def _chosen(rows: list[Row], theirs: Mapping[str, str], arguments: Arguments, **values: str) -> Iterator[Row]:
    """Rows of the claim's data sets with these values; the mean of judges only if it is asked for."""
    for row in rows:
        meant = (row.get("judge") == MEAN) == (values.get("judge") == MEAN)
        fitting = all(str(row.get(name)) == value for name, value in values.items())
        if meant and fitting and _of_set(row, theirs, arguments):
            yield row


def _count_of(column: str, sign: int, **values: str) -> Count:
    """Count the paper's judges whose significant change has a sign."""

    def count(rows: list[Row], theirs: Mapping[str, str], arguments: Arguments) -> float:
        judges = {row["slug"] for row in published_rows("models", role="argument_judge")}
        chosen = [row for row in _chosen(rows, theirs, arguments, **values) if row["judge"] in judges]
        if not chosen:
            raise NotRunError(NO_ROW)
        hits = [
            row for row in chosen if str(row[f"{column}_significant"]) == "True" and sign * row[column] > 0
        ]
        return float(len(hits))

    return count


def _labelled(label: str) -> Count:
    def count(rows: list[Row], theirs: Mapping[str, str], arguments: Arguments) -> float:
        found = [float(row[label]) for row in _chosen(rows, theirs, arguments, path="all")]
        if not found:
            raise NotRunError(NO_ROW)
        return found[0]

    return count


def _names_wrong(rows: list[Row], theirs: Mapping[str, str], arguments: Arguments) -> float:
    for row in _chosen(rows, theirs, arguments):
        name, value = str(row["reference"]), row["names_wrong"]
        meant = name in arguments.references and reference_role(arguments, name) == theirs["input"]
        if meant and not pd.isna(value):
            return float(value)
    raise NotRunError(NO_ROW)


COUNTS: dict[str, tuple[str, Count]] = {
    "correct_arguments": ("path_rates", _labelled("correct")),
    "wrong_arguments": ("path_rates", _labelled("wrong")),
    "significant_out_of_view_gaps": (
        "derivation_gaps",
        _count_of("gap", 1, path="out_of_view", input="plain"),
    ),
    "pairs_lowest_out_of_view_more_than_chance": ("lowest_argument", _count_of("excess", 1, input="plain")),
    "pairs_lowest_out_of_view_less_than_chance": ("lowest_argument", _count_of("excess", -1, input="plain")),
    "wrong_value_under_test_named_as_expected": ("named_values", _names_wrong),
}
"""Claims that count rows of a table, or read one by its reference."""

SETTINGS: dict[str, Callable[[Arguments], float]] = {
    "resamples": lambda arguments: arguments.bootstrap.resamples,
    "accepted_share_of_correct_at_tau": lambda arguments: 100 * arguments.gap.rate,
    "shown_characters_per_return": lambda arguments: arguments.window.cut,
    "clm_token_limit": lambda arguments: arguments.ladder.limit,
    "minimum_request_tokens": lambda arguments: arguments.ladder.request_left,
    "qwen_token_limit": lambda arguments: arguments.ladder.full_limit,
}
"""Claims that the run's settings answer."""
