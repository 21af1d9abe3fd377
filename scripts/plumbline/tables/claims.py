"""What the paper claims and what a run gets: reproduced, differs, or not run."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Literal, get_args

import pandas as pd

from plumbline.config.settings import RunConfig
from plumbline.records import TIERS
from plumbline.tables.experiment import COMPARED, Experiment, Pool, Same, Seats, chosen_pool
from plumbline.tables.paper_readings import other_readings

SMALLEST = 0.1
"""Least tolerance of a percentage or a difference, which is a fifth of it where that of its unit is more."""

Outcome = Literal["reproduced", "differs", "not run"]
Setting = Literal["same setting", "other setting"]

DERIVED = "derived"
"""Source of a number that the paper does not print, but that follows from its figures."""

TOLERANCES = {
    "pct": 0.5,
    "pp": 0.3,
    "kappa": 0.03,
    "rho": 0.1,
    "p": 0.1,
    "score": 0.01,
    "ratio": 0.1,
    "mean": 0.05,
    "rank": 0.0,
    "bool": 0.0,
    "count": 0.0,
}
"""How far a number may be from the paper's and still count as reproduced, by unit."""


SET = "a setting of the run, no result"


class NotRunError(Exception):
    """The run has no number for a claim; the message says why."""


@dataclass(frozen=True)
class Figure:
    """A published number: a value, or bounds of which one may be open.

    Parameters
    ----------
    value, low, high
        As printed; None if not given.
    unit
        As `resources/published/README.md` lists them.
    digits
        Decimals that were printed.
    source
        Where it is printed.
    """

    value: float | None
    low: float | None
    high: float | None
    unit: str
    digits: int
    source: str

    @property
    def rounding(self) -> float:
        """Half a unit of the last printed digit; 0 for a count."""
        return 0.0 if self.unit in ("count", "rank", "bool") else 0.5 * 10.0**-self.digits

    @classmethod
    def read(cls, row: Mapping[str, str], column: str = "value", unit: str = "") -> Figure:
        """Take the number from a row of a published file, whose fields are text."""
        texts = [row.get(name, "") for name in (column, "lo", "hi")]
        value, low, high = (float(text) if text else None for text in texts)
        if "upper_bound" in row.get("quantity", ""):
            value, high = None, value
        digits = max((len(text.partition(".")[2]) for text in texts if text), default=0)
        found = unit or row.get("unit", "") or ("pp" if column.endswith("_pp") else "pct")
        source = row.get("source", "")
        if "paper_delta" in source:
            # the paper prints the difference alone
            source = "paper" if column.startswith("delta") else DERIVED
        return cls(value, low, high, found, digits, source)


@dataclass(frozen=True)
class Found:
    """A number of a run: one value or the range of several, with an interval if there is one value.

    Parameters
    ----------
    least, most
        The value twice, or the ends of a range over judges, generators or cells.
    low, high
        Interval of a single value.
    same
        Whether it is the same experiment as the paper's, where that is known; else the claim says.
    against
        What is against the claim whatever the number is, for instance that it is another judge's.
    """

    least: float
    most: float
    low: float | None = None
    high: float | None = None
    same: Same | None = None
    against: str | None = None


def one(value: float, low: float | None = None, high: float | None = None) -> Found:
    """Give a single value with its interval; a missing one is no number."""
    if pd.isna(value):
        raise NotRunError("no ok verdict")
    bounds = (None, None) if pd.isna(low) or pd.isna(high) else (low, high)
    return Found(float(value), float(value), *bounds)


def several(values: Iterable[float]) -> Found:
    """Give the range of several values."""
    known = [float(value) for value in values if not pd.isna(value)]
    if not known:
        raise NotRunError("no ok verdict")
    return Found(min(known), max(known))


@dataclass(frozen=True)
class Results:
    """What a run has to compare: its settings, its plans, and its tables as their CSV files hold them.

    Parameters
    ----------
    config, plans
        The run and its scored plans.
    frames
        Tables by name, those of each block that has them in the order of the blocks.
    experiment
        What the run shares with the paper's.
    blocks
        What the block of each of the frames shares with it, by table; tables that it lacks are of no block.
    """

    config: RunConfig
    plans: pd.DataFrame
    frames: Mapping[str, list[pd.DataFrame]]
    experiment: Experiment
    blocks: Mapping[str, list[Experiment]] = field(default_factory=dict)

    @classmethod
    def of(cls, config: RunConfig, plans: pd.DataFrame, frames: Mapping[str, list[pd.DataFrame]]) -> Results:
        """Put together what a run has; tables that its blocks list are theirs, in the order of the blocks."""
        listed = {
            table: [name for name, block in config.blocks.items() if table in block.tables]
            for table in frames
        }
        shared = {
            name: Experiment.of(config, plans, name) for names in listed.values() for name in set(names)
        }
        blocks = {
            table: [shared[name] for name in names]
            for table, names in listed.items()
            if len(names) == len(frames[table])
        }
        return cls(config, plans, frames, Experiment.of(config, plans), blocks)

    def scopes(self, table: str) -> Iterator[Results]:
        """Give the results with one table of this name, block by block; all of them if it is of no block."""
        experiments = self.blocks.get(table)
        if not experiments:
            yield self
            return
        for frame, experiment in zip(self.frames[table], experiments, strict=True):
            yield replace(self, frames={**self.frames, table: [frame]}, experiment=experiment, blocks={})

    def all(self, name: str) -> list[pd.DataFrame]:
        """Give every block's table of this name."""
        if not self.frames.get(name):
            raise NotRunError(f"the table {name} is not in the run")
        return self.frames[name]

    def first(self, name: str) -> pd.DataFrame:
        """Give the table of this name of the first block that has it."""
        return self.all(name)[0]

    def rows(self, name: str, **values: str) -> pd.DataFrame:
        """Give the rows of a table that have these values; of the first block that has any."""
        for frame in self.all(name):
            missing = [column for column in values if column not in frame]
            if missing:
                continue
            chosen = frame
            for column, value in values.items():
                chosen = chosen[chosen[column].astype(str) == value]
            if len(chosen):
                return chosen
        told = ", ".join(f"{column} {value}" for column, value in values.items())
        raise NotRunError(f"the table {name} has no row of {told}")

    def value(self, name: str, column: str, **values: str) -> float:
        """Give one number of a table."""
        rows = self.rows(name, **values)
        if column not in rows:
            raise NotRunError(f"the table {name} has no column {column}")
        value = rows.iloc[0][column]
        if pd.isna(value):
            reason = rows.iloc[0].get(f"{column}_reason", rows.iloc[0].get("reason"))
            raise NotRunError(str(reason) if not pd.isna(reason) else "no ok verdict")
        return float(value)


@dataclass(frozen=True)
class Claim:
    """A number of the paper, and how a run gets its own.

    Parameters
    ----------
    item
        Item of the specification.
    words
        What is claimed.
    figure
        The number that the paper prints.
    number
        Gives ours; raises `NotRunError` if the run has none.
    table
        The table that it is taken from, for the reader.
    tolerance
        Instead of that of the unit.
    judges, generators, tiers, pooled, counts, panel, seats
        What the number is about, as in `Experiment.same`.
    pools
        Setting that says which generators our table pools, as a dotted path; empty if it pools as the paper.
    conflict
        Where the paper contradicts itself about the number.
    setting
        Whether the number is set, not measured.
    """

    item: str
    words: str
    figure: Figure
    number: Callable[[Results], Found]
    table: str = ""
    tolerance: float | None = None
    judges: tuple[str, ...] = ()
    generators: tuple[str, ...] = ()
    tiers: tuple[str, ...] = TIERS
    pooled: Pool | None = None
    counts: Literal["plans", "records"] = "plans"
    pools: str = ""
    panel: tuple[str, ...] = ()
    seats: Seats = "panel"
    conflict: str = ""
    setting: bool = False


@dataclass(frozen=True)
class Answer:
    """What became of a claim."""

    claim: Claim
    outcome: Outcome | Setting
    found: Found | None
    same: Same | None
    why: str

    @property
    def difference(self) -> float | None:
        """Ours minus the paper's, where both are one value and are compared."""
        found, value = self.found, self.claim.figure.value
        if (
            self.outcome == "not run"
            or found is None
            or found.against is not None
            or value is None
            or found.least != found.most
        ):
            return None
        return found.least - value


def answer(claim: Claim, results: Results) -> Answer:
    """Look a claim's number up in a run and compare it with the paper's.

    Parameters
    ----------
    claim, results
        The claim and the run.

    Returns
    -------
    Answer
        `not run` if the run has no such number or is another experiment; a number that it has is still told.
        `reproduced` if our interval, widened by the paper's rounding, holds its value or meets its bounds, or
        if ours is within its bounds as printed, or differs from its value by no more than the tolerance. A
        setting is the same or another one. Of several blocks that have it the first counts that is
        nearest to the paper's experiment.
    """
    known: list[tuple[Found, Same]] = []
    missing: list[str] = []
    for scope in results.scopes(claim.table):
        try:
            found = claim.number(scope)
        except NotRunError as error:
            missing.append(str(error))
        else:
            known.append((found, _same(claim, found, scope)))
    if not known:
        why = f"other corpus; {missing[0]}" if results.experiment.other_corpus else missing[0]
        return Answer(claim, "not run", None, None, why)
    found, same = min(known, key=lambda pair: get_args(Same).index(pair[1]))
    if same not in COMPARED or (same == "other count" and claim.counts == "records"):
        return Answer(claim, "not run", found, same, same)
    if found.against is not None:
        return Answer(claim, "differs", found, same, found.against)
    tolerance = tolerated(claim.figure) if claim.tolerance is None else claim.tolerance
    held = by_interval(claim.figure, found)
    close = within(claim.figure, found, tolerance)
    if claim.setting:
        told: Setting = "same setting" if close else "other setting"
        return Answer(claim, told, found, same, SET)
    outcome: Outcome = "reproduced" if held or close else "differs"
    return Answer(claim, outcome, found, same, _told(claim.figure, held, tolerance, found))


def tolerated(figure: Figure) -> float:
    """Give the tolerance of a number: that of its unit, but less for a small percentage or difference."""
    largest = max(abs(value) for value in (figure.value, figure.low, figure.high) if value is not None)
    tolerance = TOLERANCES[figure.unit]
    return min(tolerance, max(SMALLEST, largest / 5)) if figure.unit in ("pct", "pp") else tolerance


def by_interval(figure: Figure, found: Found) -> bool:
    """Whether our interval holds the published value, or meets its bounds."""
    if found.low is None or found.high is None:
        return False
    low, high = found.low - figure.rounding, found.high + figure.rounding
    if figure.value is not None:
        return low <= figure.value <= high
    return (figure.low is None or high >= figure.low) and (figure.high is None or low <= figure.high)


def within(figure: Figure, found: Found, tolerance: float) -> bool:
    """Whether all of ours is near the published value, or within the published bounds as they are printed.

    A bound is itself what the paper tolerates: beyond it only rounding counts.
    """
    reach = (0.0 if figure.value is None else tolerance) + figure.rounding + 1e-9
    low = figure.low if figure.value is None else figure.value
    high = figure.high if figure.value is None else figure.value
    return (low is None or found.least >= low - reach) and (high is None or found.most <= high + reach)


def answers(claims: Iterable[Claim], results: Results) -> list[Answer]:
    """Answer all claims, in their order."""
    return [answer(claim, results) for claim in claims]


def _same(claim: Claim, found: Found, results: Results) -> Same:
    if found.same is not None:
        return found.same
    generators = frozenset(claim.generators)
    if claim.pooled is not None:
        pool = chosen_pool(results.config, claim.pools or claim.pooled)
        generators = results.experiment.pooled(pool)
    return results.experiment.same(
        claim.judges,
        generators,
        claim.tiers,
        claim.pooled,
        claim.counts,
        panel=claim.panel,
        seats=claim.seats,
        readings=other_readings(results.config, claim.table),
    )


def _told(figure: Figure, held: bool, tolerance: float, found: Found) -> str:
    if held:
        return "our interval holds it" if figure.value is not None else "our interval meets it"
    if figure.value is None:
        return "within the bounds" if within(figure, found, 0.0) else "outside the bounds"
    how = "no interval" if found.low is None else "outside our interval"
    return f"{how}; tolerance {tolerance:,.0f}" if tolerance > 10 else f"{how}; tolerance {tolerance:.3g}"
