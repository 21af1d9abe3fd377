"""Putting the figures of the DeRef paper beside ours (`deref_claims.csv`)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

import pandas as pd

from plumbline.config.arguments import Arguments
from plumbline.tables.argument_inputs import ArgumentInputs
from plumbline.tables.argument_origin import simulated_judges
from plumbline.tables.argument_published import BESIDE, FILE, MEAN, Beside, claims_of
from plumbline.tables.argument_roles import paper_dataset, reference_role, role
from plumbline.tables.result import REASON, Column, TableResult

NO_FIGURE = "the paper has no figure here"
NO_VALUE = "this run has no value here"
SAME = "same_experiment"

Same = Literal["yes", "simulation", "other items", "no figure"]

HELP = (
    "yes: the paper's judge, and as many right and wrong values of the data set as it has. other items: the "
    "paper's judge on other items, so a difference says little. simulation: answers were drawn from an error "
    "model. no figure: the paper prints none for this row."
)

ITEMS: dict[str, tuple[int, int | None]] = {
    "fcrb": (1719, 769),
    "cfb": (1639, 999),
    "fintrace": (7428, 2796),
    "fcrb_relocate_visible": (257, 428),
    "fcrb_relocate_buried": (257, 428),
    "fintrace_hc": (122, None),
    "fintrace_reveal": (167, None),
    "fintrace_placebo": (167, None),
}
"""Right and wrong values of the paper's data sets (D4 to D6, D22, D25, D28); None where it does not say."""


@dataclass(frozen=True)
class Printed:
    """A number of the paper: a value, or the bounds of a range over judges or data sets.

    Parameters
    ----------
    text
        As it is shown.
    low, high
        The value twice, or the ends of the range; None where open.
    digits
        Decimals that were printed.
    absolute
        Whether it is the size of a difference alone.
    """

    text: str
    low: float | None
    high: float | None
    digits: int
    absolute: bool = False

    @classmethod
    def read(cls, row: Mapping[str, str], sign: int = 1, absolute: bool = False) -> Printed:
        """Take it from a row of the published file; `sign` turns a reduction into a change."""
        value, low, high = (float(row[name]) * sign if row[name] else None for name in ("value", "lo", "hi"))
        if sign < 0:
            low, high = high, low
        digits = max(len(row[name].partition(".")[2]) for name in ("value", "lo", "hi"))
        if value is not None:
            return cls(f"{value:.{digits}f}", value, value, digits, absolute)
        ends = ["" if end is None else f"{end:.{digits}f}" for end in (low, high)]
        text = (
            f"{ends[0]} to {ends[1]}"
            if all(ends)
            else f"at most {ends[1]}"
            if ends[1]
            else f"at least {ends[0]}"
        )
        return cls(f"{text} in size" if absolute else text, low, high, digits, absolute)

    def distance(self, ours: float) -> float:
        """Ours minus the paper's value, or minus the nearest end of its range; 0 inside."""
        ours = abs(ours) if self.absolute else ours
        if self.low is not None and ours < self.low:
            return ours - self.low
        return ours - self.high if self.high is not None and ours > self.high else 0.0


def with_deref(result: TableResult, table: str, inputs: ArgumentInputs) -> TableResult:
    """Add what the paper prints, and the difference, to a table of ours.

    Parameters
    ----------
    result
        The table as its builder gave it.
    table
        Its name.
    inputs
        What it was built from.

    Returns
    -------
    TableResult
        After a column `X` that the paper has numbers for `X.paper`, as printed, and `X.difference` (ours
        minus the value, or minus the nearest end of the range), and `same_experiment` at the end; as it was,
        with a note, where no row is of the paper.
    """
    entries = [entry for entry in BESIDE if entry.table == table]
    if not entries or result.frame.empty:
        return result
    rows = result.frame.to_dict("records")
    found: dict[str, dict[int, Printed]] = {}
    for entry in entries:
        for place, row in enumerate(rows):
            printed = _printed(entry, row, inputs)
            if printed is not None:
                found.setdefault(entry.column, {}).setdefault(place, printed)
    if not found:
        note = f"The paper's figures ({FILE}.csv) are of other judges, data sets or inputs than these rows."
        return TableResult(result.frame, result.columns, (*result.notes, note), result.bold)
    frame, columns = result.frame.copy(), dict(result.columns)
    for column, printed_rows in found.items():
        _insert(frame, columns, column, printed_rows)
    places = {place for printed_rows in found.values() for place in printed_rows}
    words = [same_as_paper(inputs, row) if place in places else "no figure" for place, row in enumerate(rows)]
    frame[SAME], columns[SAME] = words, Column("Same experiment", help=HELP)
    told = ", ".join(f"{word} {count}" for word, count in Counter(words).most_common())
    note = f"The paper's figures are those of {FILE}.csv in resources/published. Same experiment: {told}."
    return TableResult(frame, columns, (*result.notes, note), result.bold)


def same_as_paper(inputs: ArgumentInputs, row: Mapping[Any, Any]) -> Same:
    """Say whether a row is the paper's experiment, as far as judge and numbers of values tell."""
    simulated = set(simulated_judges(inputs))
    if row.get("judge") in simulated or (row.get("judge") == MEAN and simulated):
        return "simulation"
    name = str(row["dataset"])
    right, wrong = inputs.sizes.get(name, (0, 0))
    theirs = ITEMS.get(_named(inputs.arguments, name))
    same = theirs is not None and theirs[0] == right and theirs[1] in (None, wrong)
    return "yes" if same else "other items"


def _named(arguments: Arguments, dataset: str) -> str:
    """Name a data set as `ITEMS` does: the paper has one name for FinTrace and the sets made to reveal."""
    kind = arguments.datasets[dataset].kind
    base = paper_dataset(arguments, dataset)
    return f"{base}_{kind}" if kind in ("reveal", "placebo") else base


def _printed(entry: Beside, row: Mapping[Any, Any], inputs: ArgumentInputs) -> Printed | None:
    for theirs in claims_of(entry.quantity):
        if fits(entry, theirs, row, inputs.arguments):
            return Printed.read(theirs, entry.sign, entry.absolute)
    return None


def fits(entry: Beside, theirs: Mapping[str, str], row: Mapping[Any, Any], arguments: Arguments) -> bool:
    """Say whether a row of our table is what a row of the published file is about.

    Parameters
    ----------
    entry
        Which columns belong together.
    theirs
        A row of `deref_claims.csv`.
    row
        A row of our table, as it is built or as its CSV file has it.
    arguments
        The run's settings.
    """
    if any(str(row.get(name)) != value for name, value in entry.where.items()):
        return False
    roles = {name: role_of_arm(arguments, row.get(name)) for name in ("input", "against")}
    if entry.input not in (None, roles["input"]) or entry.against not in (None, roles["against"]):
        return False
    shown = str(row.get("reference"))
    if entry.reference is not None and (
        shown not in arguments.references or reference_role(arguments, shown) != entry.reference
    ):
        return False
    path = str(row["path"]) if "path" in row and "path" not in entry.where else entry.path
    judge = str(row.get("judge", ""))
    named = {key: theirs[key].split() for key in ("judge", "dataset", "input")}
    wanted = entry.printed or roles["input"]
    return (
        any(theirs[name] for name in ("value", "lo", "hi"))
        and theirs["claim_id"] != entry.not_item
        and entry.only in ("", theirs["claim_id"])
        and theirs["path"] == path
        and (
            entry.judge == judge
            if entry.judge
            else not judge or judge in named["judge"] or _all(named["judge"])
        )
        and paper_dataset(arguments, str(row["dataset"])) in named["dataset"]
        and (not named["input"] or wanted is None or wanted in named["input"])
    )


def _all(judges: list[str]) -> bool:
    return judges == ["all"]


def role_of_arm(arguments: Arguments, arm: Any) -> str | None:
    """Give the role of the input that tables call by this name."""
    for name, chosen in arguments.inputs.items():
        if (chosen.arm or name) == arm:
            return role(arguments, name)
    return None


def _insert(
    frame: pd.DataFrame, columns: dict[str, Column], column: str, printed: dict[int, Printed]
) -> None:
    texts = [printed[row].text if row in printed else None for row in range(len(frame))]
    ours = frame[column].astype(float).tolist()
    apart = [
        printed[row].distance(value) if row in printed and not pd.isna(value) else None
        for row, value in enumerate(ours)
    ]
    place = list(frame.columns).index(column) + 1
    frame.insert(place, f"{column}.paper", texts)
    frame.insert(place + 1, f"{column}.difference", pd.Series(apart, dtype=float, index=frame.index))
    missing = [None if text is not None else NO_FIGURE for text in texts]
    frame[f"{column}.paper_{REASON}"] = missing
    frame[f"{column}.difference_{REASON}"] = [
        why or (NO_VALUE if pd.isna(value) else None) for why, value in zip(missing, ours, strict=True)
    ]
    head = columns.get(column, Column(column))
    columns[f"{column}.paper"] = Column(f"{head.label}, paper", head.unit, None, "As the paper prints it.")
    columns[f"{column}.difference"] = Column(
        f"{head.label}, difference", head.unit, 2, "Ours minus the paper's, 0 inside a range that it prints."
    )
