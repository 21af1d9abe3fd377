"""Scores of whole calls made of argument scores, and which argument scores lowest (spec D44 to D47)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

Floats = NDArray[np.float64]
CallRule = Literal["min_all", "min_arguments", "product", "mean_with_min"]


def call_scores(
    whole: ArrayLike, arguments: ArrayLike, calls: ArrayLike, rule: CallRule = "min_all"
) -> Floats:
    """Combine the scores of a call's arguments with that of the whole call (D44, C-D9).

    Parameters
    ----------
    whole
        Score of each call as a whole, (calls,); NaN if it has none.
    arguments, calls
        Score of each argument and the place of its call, (arguments,).
    rule
        `min_all`: the least of all; `min_arguments`: the least argument; `product`: of all;
        `mean_with_min`: mean of the whole call's score and the least argument.

    Returns
    -------
    ndarray of float
        (calls,). A call without arguments has the score of the whole call. NaN where a score that the rule
        needs is missing.
    """
    score, parts = np.asarray(whole, dtype=float), np.asarray(arguments, dtype=float)
    place = np.asarray(calls, dtype=np.intp)
    empty = np.bincount(place, minlength=score.size) == 0
    if rule == "product":
        product = np.ones(score.size)
        np.multiply.at(product, place, parts)
        return np.where(empty, score, score * product)
    least = np.full(score.size, np.inf)
    _lower(least, place, parts)
    if rule == "min_arguments":
        return np.where(empty, score, least)
    combined = np.minimum(score, least) if rule == "min_all" else (score + least) / 2
    return np.where(empty, score, combined)


@dataclass(frozen=True)
class Lowest:
    """Per call: share of its lowest scores that are out of view, and share of its arguments that are."""

    share: Floats
    chance: Floats


def lowest_out_of_view(scores: ArrayLike, out_of_view: ArrayLike, calls: ArrayLike, count: int) -> Lowest:
    """Say for each call whether its lowest-scored argument is out of view, ties shared equally (D47).

    Parameters
    ----------
    scores, out_of_view, calls
        Score of each argument, whether its value is out of view, and the place of its call, (arguments,).
    count
        Number of calls.

    Returns
    -------
    Lowest
        Both (calls,), in [0, 1]; NaN for a call that lacks a score, an argument in view, or one out of view.
    """
    values, outside = np.asarray(scores, dtype=float), np.asarray(out_of_view, dtype=bool)
    place = np.asarray(calls, dtype=np.intp)
    least = np.full(count, np.inf)
    _lower(least, place, values)
    lowest = values == least[place]
    size = np.bincount(place, minlength=count)
    hidden = np.bincount(place, weights=outside, minlength=count)
    lowest_count = np.bincount(place, weights=lowest, minlength=count)
    lowest_hidden = np.bincount(place, weights=lowest & outside, minlength=count)
    usable = (hidden > 0) & (hidden < size) & ~np.isnan(least)
    share, chance = np.full(count, np.nan), np.full(count, np.nan)
    share[usable] = lowest_hidden[usable] / lowest_count[usable]
    chance[usable] = hidden[usable] / size[usable]
    return Lowest(share, chance)


def _lower(least: Floats, place: NDArray[np.intp], values: Floats) -> None:
    """Lower the least score of each call to those of its arguments; a missing one makes it NaN."""
    with np.errstate(invalid="ignore"):
        np.minimum.at(least, place, values)
