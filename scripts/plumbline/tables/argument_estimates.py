"""Numbers of argument judging with their intervals, and the sentences below their tables."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from plumbline.records.arguments import OUT_OF_VIEW, PATHS
from plumbline.statistics.queries import Stream, interval, significant
from plumbline.statistics.resampling import Interval
from plumbline.statistics.scored import auroc, gap, mean_score, threshold
from plumbline.tables.argument_inputs import ArgumentInputs, Values, paired
from plumbline.tables.notes import counted, share
from plumbline.tables.result import Column, TableResult

Floats = NDArray[np.float64]

HIDDEN = "out_of_view"
"""Name of the union of the four paths that are out of view (D3)."""

GROUPS: dict[str, tuple[str, ...]] = {HIDDEN: OUT_OF_VIEW} | {path: (path,) for path in PATHS}
"""Sets of paths that tables show."""

NO_CLASS = "no correct or no wrong value has a score"
NO_PATH = "no correct value of this path, or none in view, has a score"
NO_SCORE = "no value has a score"
NOT_PAIRED = "no value is scored on both sides"
ONE_QUERY = "one query alone gives no interval"


@dataclass(frozen=True)
class Estimate:
    """A number and its value in every resample.

    Parameters
    ----------
    values
        (1 + resamples,); the first is that of the data; NaN where undefined.
    queries
        Queries that it rests on.
    level
        Coverage of the interval.
    reason
        Why it is missing, if it is.
    """

    values: Floats
    queries: int
    level: float
    reason: str

    @property
    def interval(self) -> Interval:
        """Percentile interval (D20)."""
        return interval(self.values, self.queries, self.level)

    def row(self, name: str, test: bool = False) -> dict[str, Any]:
        """Give it as columns of a table: `NAME`, `NAME_lo`, `NAME_hi`, the reason, `NAME_significant`."""
        found = self.interval
        missing = self.reason if found.mean is None else ONE_QUERY if found.low is None else None
        columns = {
            name: found.mean,
            f"{name}_lo": found.low,
            f"{name}_hi": found.high,
            f"{name}_reason": missing if found.mean is None else None,
            f"{name}_lo_reason": missing,
            f"{name}_hi_reason": missing,
        }
        if test:
            columns |= {f"{name}_significant": significant(found), f"{name}_significant_reason": missing}
        return columns

    def minus(self, other: Estimate, reason: str = NOT_PAIRED) -> Estimate:
        """Subtract another number, in the same resamples."""
        return Estimate(self.values - other.values, min(self.queries, other.queries), self.level, reason)


MEMBERS = Column("Judges", help="Judges that the row is of; that a mean is of (averaged of the block).")


def mean_of(inputs: ArgumentInputs, by_judge: Mapping[str, Estimate], *names: str) -> Estimate | None:
    """Average the numbers of the judges that the block names, in each resample (D29).

    Parameters
    ----------
    inputs
        The block; `averaged` and `averaged_by_input` name whose mean it is.
    by_judge
        Number of each judge, in one cell of the others.
    *names
        The input, or the inputs that are compared.

    Returns
    -------
    Estimate or None
        None if fewer than two judges are named, or none of them is here. If one of them has no number there
        is no mean of fewer: the number is missing, and its reason names who has none.
    """
    wanted = inputs.averaged(*names)
    here = [by_judge[judge] for judge in wanted if judge in by_judge]
    if len(wanted) < 2 or not here:
        return None
    missing = [each for each in wanted if each not in by_judge or np.isnan(by_judge[each].values[0])]
    queries, level = max(each.queries for each in here), here[0].level
    if missing:
        reason = f"a mean of {len(wanted)} judges, without a number of {', '.join(missing)}"
        return Estimate(np.full_like(here[0].values, np.nan), queries, level, reason)
    values: Floats = np.mean([each.values for each in here], axis=0)
    return Estimate(values, queries, level, NO_SCORE)


def mean_row(
    inputs: ArgumentInputs, by_judge: Mapping[str, Estimate], column: str, *names: str, test: bool = False
) -> dict[str, Any] | None:
    """Give the mean of judges as columns of a table, with the number of `judges` that it is of."""
    mean = mean_of(inputs, by_judge, *names)
    if mean is None:
        return None
    found = None if mean.interval.mean is None else len(inputs.averaged(*names))
    return mean.row(column, test) | {
        "judges": found,
        "judges_reason": mean.reason if found is None else None,
    }


def shown(name: str, label: str, unit: str, help_text: str, test: bool = False) -> dict[str, Column]:
    """Describe the columns of `Estimate.row`."""
    columns = {
        name: Column(label, unit, 2, help_text),
        f"{name}_lo": Column(f"{label}, from", unit, 2, "Lower bound of the interval."),
        f"{name}_hi": Column(f"{label}, to", unit, 2, "Upper bound of the interval."),
    }
    if test:
        columns[f"{name}_significant"] = Column("Significant", help="Whether the interval leaves out 0.")
    return columns


def area(inputs: ArgumentInputs, dataset: str, values: Values) -> Estimate:
    """Argument AUROC of some items (D21)."""
    return area_between(inputs, dataset, values.of("correct"), values.of("wrong"))


def area_between(
    inputs: ArgumentInputs, dataset: str, correct: Values, wrong: Values, stream: Stream = "draws"
) -> Estimate:
    """AUROC of these correct against these wrong items; calls have a random stream of their own (C-D23)."""
    c, w = correct.scored, wrong.scored
    found = inputs.resampled(dataset, lambda weights: auroc(c, w, weights), stream)
    queries = len({*correct.known["unit_code"], *wrong.known["unit_code"]})
    return Estimate(found, queries, inputs.arguments.bootstrap.level, NO_CLASS)


def area_gain(inputs: ArgumentInputs, dataset: str, first: Values, second: Values) -> Estimate:
    """AUROC of one cell minus that of another, on the items that both have a score for (D29)."""
    a, b = paired(first, second)
    return area(inputs, dataset, a).minus(area(inputs, dataset, b), NO_CLASS if a.size else NOT_PAIRED)


def gaps(
    inputs: ArgumentInputs, dataset: str, values: Values, rate: float | None = None
) -> dict[str, Estimate]:
    """Give the derivation gap of each set of paths (D18), with the threshold set anew each time (D17)."""
    rate = inputs.arguments.gap.rate if rate is None else rate
    correct, visible = values.of("correct"), values.of("correct", "visible")
    sides = {name: values.of("correct", *paths) for name, paths in GROUPS.items() if name != "visible"}
    every, seen, others = correct.scored, visible.scored, [side.scored for side in sides.values()]

    def statistic(weights: Floats) -> Floats:
        limit = threshold(every, weights, rate)
        return np.stack([gap(seen, other, weights, limit) for other in others])

    # equal shares that were summed in another order are no difference, and no interval beside 0
    found = np.round(inputs.resampled(dataset, statistic), 9) + 0.0
    level = inputs.arguments.bootstrap.level
    return {
        name: Estimate(row, min(visible.queries, side.queries), level, NO_PATH)
        for (name, side), row in zip(sides.items(), found, strict=True)
    }


def path_counts(values: Values) -> dict[str, int]:
    """Count the scored correct values of each path."""
    return {name: values.of("correct", *paths).size for name, paths in GROUPS.items()}


MAIN_PATHS = {"fcrb": "default", "cfb": "history_only", "fintrace": "no_source"}
"""The path out of view that the paper names for each of its data sets (D18)."""


def main_path(inputs: ArgumentInputs, dataset: str) -> str | None:
    """Give the main path of a data set (D18): the paper's for one of its data sets.

    Of any other it is the path out of view with most correct values; None without any.
    """
    settings = inputs.arguments.datasets.get(dataset)
    if settings is not None and settings.kind in MAIN_PATHS:
        return MAIN_PATHS[settings.kind]
    table = inputs.rows
    items = table[(table["dataset"] == dataset) & (table["unit"] == "value") & (table["label"] == "correct")]
    counts = items.drop_duplicates("item_id")["plain_path"].value_counts()
    best = max(OUT_OF_VIEW, key=lambda path: int(counts.get(path, 0)))
    return best if counts.get(best, 0) else None


def notes(
    inputs: ArgumentInputs, names: Iterable[str] | None = None, intervals: bool = True
) -> tuple[str, ...]:
    """Say what a table rests on: judgments read, why the rest are missing, how intervals were made.

    Parameters
    ----------
    names
        Inputs that the table shows; all of the block if None.
    intervals
        Whether the table has intervals.
    """
    rows = inputs.rows
    if names is not None:
        rows = rows[rows["input"].isin(list(names))]
    asked = rows[rows["status"] != "not_asked"]
    lost = asked[asked["status"] != "ok"]
    told = [f"Rests on {share(len(asked) - len(lost), len(asked))} judgments asked for."]
    if len(lost):
        told.append(f"Lost judgments: {counted(lost['status'])}.")
    left = len(rows) - len(asked)
    if left:
        samples = [one for one in rows["input"].unique() if inputs.arguments.inputs[one].sample is not None]
        drawn = "it was not drawn (sample), or " if samples else ""
        why = f"{drawn}what the input shows could not be made or is for others"
        told.append(f"Not asked, because {why}: {left:,}.")
    if inputs.arguments.paths.short_values == "exclude":
        told.append("Values of at most three characters are left out (paths.short_values: exclude).")
    if intervals:
        settings = inputs.arguments.bootstrap
        drawn = {"query": "queries", "state": "states"}[settings.cluster]
        sizes = ", ".join(f"{len(inputs.clusters(name)):,} of {name}" for name in inputs.datasets)
        told.append(
            f"Intervals: {100 * settings.level:g} %, {settings.resamples:,} resamples of the {drawn} "
            f"({sizes}), seed {settings.seed}; the threshold is set anew in each, and both sides of a "
            "difference are drawn together."
        )
    return tuple(told)


def table_of(
    rows: list[dict[str, Any]], columns: Mapping[str, Column], told: Iterable[str] = ()
) -> TableResult:
    """Put rows into a table; one without rows still has its columns."""
    frame = pd.DataFrame(rows, columns=None if rows else list(columns))
    return TableResult(frame, dict(columns), tuple(told))


def mean_estimate(inputs: ArgumentInputs, dataset: str, values: Values) -> Estimate:
    """Mean score of some items, × 100 (D25, D27)."""
    scored = values.scored
    found = inputs.resampled(dataset, lambda weights: 100 * mean_score(scored, weights))
    return Estimate(found, values.queries, inputs.arguments.bootstrap.level, NO_SCORE)


def level(name: str, estimate: Estimate) -> dict[str, Any]:
    """Give a number without its interval as columns of a table."""
    value = estimate.interval.mean
    return {name: value, f"{name}_reason": estimate.reason if value is None else None}
