"""What a change of condition does to the same plans: paired differences, and the noise they stand against."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from plumbline.config.cells import cells_of
from plumbline.tables.grid import REASONS, Grid, grid, weighted_grid
from plumbline.tables.inputs import MATCHES, Inputs
from plumbline.tables.result import Column

Floats = NDArray[np.float64]

NO_PAIR = "no plan has an ok verdict under all conditions compared"
ONE_REPLICATE = "one replicate"
WHY = {"empty": NO_PAIR, "single_unit": REASONS["single_unit"]}
"""Words for the reasons of `plumbline.statistics`, where conditions are compared."""

NOISE_COLUMNS = {
    "noise_sd": Column(
        "Noise", "pp", 2, "Standard deviation of the cell's mean from one replicate to the next."
    ),
    "noise_range": Column("Noise range", "pp", 2, "Highest minus lowest replicate of the same cell."),
}


@dataclass(frozen=True)
class Line:
    """One line of a table: a cell's generator, judge and tier, and the conditions that are compared in it."""

    generator: str
    judge: str
    tier: str
    arms: tuple[str, ...]


class Effects:
    """A block's matches by record and cell, so that conditions can be compared plan by plan.

    Parameters
    ----------
    inputs
        The block.
    """

    def __init__(self, inputs: Inputs) -> None:
        self.inputs = inputs
        self._keys = {
            "generator": inputs.generators,
            "judge": inputs.judges,
            "tier": inputs.tiers,
            "condition": inputs.conditions,
        }
        self._shape = tuple(len(names) for names in self._keys.values())

    @cached_property
    def asked(self) -> dict[tuple[str, str, str], list[str]]:
        """Conditions of each cell by (generator, judge, tier), in the order of the tables."""
        inputs = self.inputs
        every = {(c.generator, c.judge, c.tier, c.condition) for c in cells_of(inputs.config, inputs.block)}
        found = {}
        for generator in inputs.generators:
            for judge in inputs.judges:
                for tier in inputs.tiers:
                    arms = [c for c in inputs.conditions if (generator, judge, tier, c) in every]
                    if arms:
                        found[generator, judge, tier] = arms
        return found

    @cached_property
    def values(self) -> Floats:
        """Match of each plan, (records, generators, judges, tiers, conditions), in points; NaN if none."""
        cells = grid(self.inputs, self.inputs.matched, self._keys)
        return _values(cells).reshape(len(cells.totals), *self._shape)

    def levels(self, generator: list[int], judge: list[int], tier: list[int]) -> Floats:
        """Alignment of cells by their places under each condition, (cells, conditions); NaN without any."""
        values = self.values[:, generator, judge, tier]
        shape = values.shape[1:]
        return _mean_of_plans(self.inputs, values.reshape(len(values), -1)).means.reshape(shape)

    @cached_property
    def replicate_means(self) -> Floats:
        """Mean of each replicate of each cell, (generators, judges, tiers, conditions, replicates).

        Only plans whose verdict is ok in every replicate count, so that replicates differ by nothing but the
        draw. NaN where a condition has fewer replicates, or a cell no such plan.
        """
        inputs = self.inputs
        asked = [inputs.config.conditions[name].replicates for name in inputs.conditions]
        result = np.full((*self._shape, max(asked)), np.nan)
        if max(asked) == 1:
            return result
        rows = inputs.replicate_matches
        rows = rows.assign(match=rows[MATCHES].mean(axis=1), replicate=rows["replicate"].astype(str))
        for place, count in enumerate(asked):
            keys = self._keys | {
                "condition": [inputs.conditions[place]],
                "replicate": [str(number) for number in range(count)],
            }
            cells = grid(inputs, rows, keys)
            known = _values(cells).reshape(len(cells.totals), -1, count)
            whole = np.broadcast_to(~np.isnan(known).any(axis=-1, keepdims=True), known.shape)
            shape = cells.totals.shape
            totals = np.where(whole, known, 0.0).reshape(shape)
            means = weighted_grid(inputs, cells.cells, totals, whole.reshape(shape).astype(float)).means
            result[:, :, :, place, :count] = means.reshape(*self._shape[:3], count)
        return result

    def pair(self, lines: Sequence[Line]) -> Paired:
        """Compare the arms of each line on the plans that have an ok verdict under all of them.

        Parameters
        ----------
        lines
            All with the same number of arms.
        """
        place = {key: {name: at for at, name in enumerate(names)} for key, names in self._keys.items()}
        rows = np.array(
            [[place["generator"][x.generator], place["judge"][x.judge], place["tier"][x.tier]] for x in lines]
        )
        generator, judge, tier = rows.reshape(-1, 3).T[:, :, None]
        arms = np.array([[place["condition"][name] for name in line.arms] for line in lines], dtype=int)
        arms = arms.reshape(len(lines), -1)
        return Paired(
            self.inputs,
            list(lines),
            self.values[:, generator, judge, tier, arms],
            self.replicate_means[generator, judge, tier, arms],
        )


@dataclass(frozen=True)
class Paired:
    """Matches of the same plans under several conditions.

    Parameters
    ----------
    inputs, lines
        The block, and what each line compares.
    values
        (records, lines, arms), in points; NaN where a plan has no ok verdict.
    replicate_means
        (lines, arms, replicates): see `Effects.replicate_means`.
    """

    inputs: Inputs
    lines: list[Line]
    values: Floats
    replicate_means: Floats

    @cached_property
    def complete(self) -> NDArray[np.bool_]:
        """Plans with an ok verdict under every arm, (records, lines)."""
        return np.asarray(~np.isnan(self.values).any(axis=2), dtype=np.bool_)

    @property
    def counts(self) -> NDArray[np.int64]:
        """Plans that a line rests on, (lines,)."""
        return self._first.counts

    @cached_property
    def _first(self) -> Grid:
        return self.contrast([1.0] + [0.0] * (self.values.shape[2] - 1))

    @cached_property
    def levels(self) -> Floats:
        """Alignment under each arm on the plans that all arms share, (lines, arms); NaN without any."""
        arms = np.eye(self.values.shape[2])
        return np.stack([self._first.means, *(self.contrast(arm).means for arm in arms[1:])], axis=1)

    def contrast(self, weights: Sequence[float] | Floats) -> Grid:
        """Weighted sum of a plan's matches under the arms, for instance (1, -1) for first minus second."""
        used = np.flatnonzero(np.asarray(weights))
        # arms of weight 0 decide which plans count as well, but a missing value of theirs may not spread
        sums = self.values[:, :, used] @ np.asarray(weights, dtype=float)[used]
        found = _mean_of_plans(self.inputs, np.where(self.complete, sums, np.nan))
        return replace(found, cells=[(x.generator, x.judge, x.tier, *x.arms) for x in self.lines])

    def reasons(self) -> list[str | None]:
        """Why values of a line are missing: nothing to compare, or one record that can give no interval."""
        words = {0: WHY["empty"], 1: WHY["single_unit"]}
        return [words.get(int(count)) for count in self.counts]


def _values(cells: Grid) -> Floats:
    """Value of each record in each cell of a grid, (records, cells); NaN where it has none."""
    result: Floats = np.full(cells.totals.shape, np.nan)
    np.divide(cells.totals, cells.weights, out=result, where=cells.weights > 0)
    return result


def _mean_of_plans(inputs: Inputs, values: Floats) -> Grid:
    """Mean over the plans of each column that have a value; values are (records, columns)."""
    known = ~np.isnan(values)
    names: list[tuple[str, ...]] = [(str(place),) for place in range(values.shape[1])]
    return weighted_grid(inputs, names, np.where(known, values, 0.0), known.astype(float))


def noise_floor(replicate_means: ArrayLike) -> tuple[Floats, Floats]:
    """How far replicates of the same cell lie apart (A55).

    Parameters
    ----------
    replicate_means
        (lines, arms, replicates), NaN where there is none.

    Returns
    -------
    deviations, ranges : ndarray of float
        (lines,): standard deviation between replicates (n - 1), pooled over the arms as the root of the mean
        square; and the widest range of an arm. NaN where no arm has two replicates.
    """
    means = np.asarray(replicate_means, dtype=float)
    known = ~np.isnan(means)
    count = known.sum(axis=-1)
    several = count > 1
    filled = np.where(known, means, 0.0)
    centre = filled.sum(axis=-1) / np.maximum(count, 1)
    squares = (np.where(known, means - centre[..., None], 0.0) ** 2).sum(axis=-1)
    variance = np.where(several, squares / np.maximum(count - 1, 1), 0.0)
    highest = np.where(known, means, -np.inf).max(axis=-1, initial=-np.inf)
    lowest = np.where(known, means, np.inf).min(axis=-1, initial=np.inf)
    widest = np.where(several, highest - lowest, -np.inf).max(axis=-1, initial=-np.inf)
    arms = several.sum(axis=-1)
    deviations = np.where(arms > 0, np.sqrt(variance.sum(axis=-1) / np.maximum(arms, 1)), np.nan)
    return deviations, np.where(arms > 0, widest, np.nan)


def add_noise(frame: pd.DataFrame, replicate_means: Floats) -> None:
    """Put the noise floor of each line, and why it is missing, into a frame (see `noise_floor`)."""
    missing = ONE_REPLICATE if replicate_means.shape[-1] < 2 else "no plan is ok in two replicates"
    for name, values in zip(NOISE_COLUMNS, noise_floor(replicate_means), strict=True):
        frame[name] = values
        frame[f"{name}_reason"] = [missing if empty else None for empty in np.isnan(values)]


def add_intervals(frame: pd.DataFrame, cells: Grid, names: tuple[str, str, str]) -> None:
    """Put a grid's means and bounds into three columns of a frame."""
    found = cells.intervals()
    bounds = ([i.mean for i in found], [i.low for i in found], [i.high for i in found])
    for name, values in zip(names, bounds, strict=True):
        frame[name] = np.array(values, dtype=float)


def noise_notes(inputs: Inputs) -> list[str]:
    """Say what the noise columns show, or how to get them."""
    asked = max(inputs.config.conditions[name].replicates for name in inputs.conditions)
    if asked == 1:
        return ["Noise: every cell was asked once. Set `replicates` of its conditions to see it."]
    return [
        f"Noise: cells were asked up to {asked} times; an effect that is no larger than the noise is none. "
        "Alignments are means over a plan's replicates."
    ]
