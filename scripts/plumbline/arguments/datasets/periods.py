"""Reporting periods: annual and quarter in their spellings (D6, C-D21)."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from plumbline.config.argument_datasets import PeriodSpellings

_LIKE = {
    "annual": ("quarter",),
    "annually": ("quarterly",),
    "yearly": ("quarterly",),
    "year": ("quarter",),
    "fy": ("q1", "q2", "q3", "q4"),
    "quarter": ("annual",),
    "quarterly": ("annual",),
    "q1": ("fy",),
    "q2": ("fy",),
    "q3": ("fy",),
    "q4": ("fy",),
}
"""The other period in a like spelling."""


@dataclass(frozen=True)
class Periods:
    """The spellings of the two periods, in any case.

    Parameters
    ----------
    annual, quarter
        Spellings of each; two of one list are the same period.
    """

    annual: tuple[str, ...]
    quarter: tuple[str, ...]

    @classmethod
    def of(cls, spellings: PeriodSpellings | None = None) -> Periods:
        """Take the spellings that the settings of a data set name; None for those of C-D21."""
        chosen = spellings or PeriodSpellings()
        return cls(_folded(chosen.annual), _folded(chosen.quarter))

    def is_one(self, value: Any) -> bool:
        """Say whether a value is a spelling of annual or of quarter."""
        return _is_in(value, (*self.annual, *self.quarter))

    def are_same(self, one: Any, other: Any) -> bool:
        """Say whether two values are spellings of the same period: annual and FY, quarter and Q2."""
        return any(_is_in(one, words) and _is_in(other, words) for words in (self.annual, self.quarter))

    def other(self, value: str, choices: Any, rng: random.Random) -> str:
        """Give the other period in a like spelling, or as the parameter's enumeration writes it.

        Parameters
        ----------
        value
            One that `is_one` knows.
        choices
            The parameter's `enum`, if it has one.
        rng
            Decides between several spellings.
        """
        word = value.strip().casefold()
        others = self.quarter if word in self.annual else self.annual
        listed = [one for one in choices if _is_in(one, others)] if isinstance(choices, list) else []
        if listed:
            return str(rng.choice(listed))
        like = [one for one in _LIKE.get(word, ()) if one in others]
        new = rng.choice(like or others)
        if value.isupper():
            return new.upper()
        return new.capitalize() if value[:1].isupper() else new


def _folded(words: Sequence[str]) -> tuple[str, ...]:
    return tuple(word.strip().casefold() for word in words)


def _is_in(value: Any, spellings: Sequence[str]) -> bool:
    return isinstance(value, str) and value.strip().casefold() in spellings
