"""Reporting periods: annual and quarter in their spellings (D6, C-D21)."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Any

ANNUAL = ("annual", "annually", "yearly", "year", "fy")
"""Spellings of annual, in lower case."""

QUARTER = ("quarter", "quarterly", "q1", "q2", "q3", "q4")
"""Spellings of quarter, in lower case."""

_OTHER = {
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


def is_period(value: Any) -> bool:
    """Say whether a value is a spelling of annual or of quarter."""
    return isinstance(value, str) and value.strip().casefold() in _OTHER


def same_period(one: Any, other: Any) -> bool:
    """Say whether two values are spellings of the same period: annual and FY, quarter and Q2."""
    return any(_is_in(one, spellings) and _is_in(other, spellings) for spellings in (ANNUAL, QUARTER))


def other_period(value: str, choices: Any, rng: random.Random) -> str:
    """Give the other period in a like spelling, or as the parameter's enumeration writes it.

    Parameters
    ----------
    value
        One that `is_period` knows.
    choices
        The parameter's `enum`, if it has one.
    rng
        Decides between several spellings.
    """
    word = value.strip().casefold()
    others = QUARTER if word in ANNUAL else ANNUAL
    listed = [choice for choice in choices if _is_in(choice, others)] if isinstance(choices, list) else []
    if listed:
        return str(rng.choice(listed))
    new = rng.choice(_OTHER[word])
    if value.isupper():
        return new.upper()
    return new.capitalize() if value[:1].isupper() else new


def _is_in(value: Any, spellings: Sequence[str]) -> bool:
    return isinstance(value, str) and value.strip().casefold() in spellings
