"""Dates shifted by years and numbers shifted a little (D6, C-D28)."""

from __future__ import annotations

import calendar
import random
import re
from collections.abc import Mapping
from decimal import Decimal
from typing import Any

_DATE = re.compile(r"((?:19|20)\d{2})([-/])(\d{1,2})\2(\d{1,2})(?P<rest>(?:[T ].*)?)", re.DOTALL)
_MONTH_OR_QUARTER = re.compile(r"((?:19|20)\d{2})(-(?:0[1-9]|1[0-2])|[- ]?Q[1-4])", re.IGNORECASE)
_YEAR = re.compile(r"(?:19|20)\d{2}")
_YEAR_NAME = re.compile(
    r"year|date|(?<![a-z])(?:from|to|start|end|since|until|before|after|period)(?![a-z])", re.IGNORECASE
)
_NUMBER = re.compile(r"-?\d+(?:\.\d+)?")
_PAIRS = (
    ("from", "to"),
    ("start", "end"),
    ("begin", "end"),
    ("after", "before"),
    ("since", "until"),
    ("min", "max"),
    ("arrival", "departure"),
    ("checkin", "checkout"),
    ("check_in", "check_out"),
    ("pick_up", "drop_off"),
    ("depart", "return"),
    ("departure", "return"),
)


def is_moment(parameter: str, value: Any) -> bool:
    """Say whether a value is a date, a month, a quarter of a year, or, by its parameter's name, a year."""
    if isinstance(value, bool):
        return False
    if isinstance(value, int) or (isinstance(value, str) and _YEAR.fullmatch(value)):
        return bool(_YEAR.fullmatch(str(value)) and _YEAR_NAME.search(parameter))
    return isinstance(value, str) and bool(_dated(value) or _MONTH_OR_QUARTER.fullmatch(value))


def shifted_years(value: Any, years: int) -> Any:
    """Move a date by whole years; a day that the month lacks there becomes its last one.

    Parameters
    ----------
    value
        One that `is_moment` knows; what follows the day stays as it is.
    years
        Any number but 0.
    """
    if isinstance(value, int):
        return value + years
    match = _DATE.fullmatch(value)
    if match is None:
        return f"{int(value[:4]) + years:04d}{value[4:]}"
    year, month, day = int(match[1]) + years, int(match[3]), int(match[4])
    last = min(day, calendar.monthrange(year, month)[1])
    day_text = match[4] if last == day else str(last)
    return f"{year:04d}{match[2]}{match[3]}{match[2]}{day_text}{match['rest']}"


def partner(parameter: str, arguments: Mapping[str, Any]) -> str | None:
    """Name the other end of a from/to pair that holds a date as well, if the call passes one."""
    for pair in _PAIRS:
        for own, other in (pair, pair[::-1]):
            word = rf"(?:(?<![a-zA-Z])(?i:{own})|(?<=[a-z]){own.capitalize()})(?![a-z])"
            for match in re.finditer(word, parameter):
                name = parameter[: match.start()] + _like(other, match[0]) + parameter[match.end() :]
                if name != parameter and name in arguments and is_moment(name, arguments[name]):
                    return name
    return None


def shifted_number(value: Any, schema: Mapping[str, Any], rng: random.Random) -> Any:
    """Move a number a little; a text that is one stays a text.

    Parameters
    ----------
    value
        Any value.
    schema
        Of the parameter; `minimum`, `maximum` and `enum` are kept to.
    rng
        Decides by how much: 1 to 3 of the last place of a whole number, 10 to 50 % of any other, up or down.

    Returns
    -------
    Any
        Of the same type with as many decimals, not below 0 if the number was not; None if there is none.
    """
    number = _number(value)
    if number is None or "enum" in schema:
        return None
    steps = [sign * step for step in (1, 2, 3) for sign in (1, -1)]
    rng.shuffle(steps)
    for step in steps:
        new = _moved(number, step)
        if new != number and _within(new, number, schema):
            return _as_written(new, value)
    return None


def _moved(number: Decimal, step: int) -> Decimal:
    exponent = number.as_tuple().exponent
    if number == number.to_integral_value() or not isinstance(exponent, int):
        return number + step
    share = Decimal((1, 3, 5)[abs(step) - 1]) / 10 * (1 if step > 0 else -1)
    return (number * (1 + share)).quantize(Decimal(1).scaleb(exponent))


def _within(new: Decimal, old: Decimal, schema: Mapping[str, Any]) -> bool:
    low, high = schema.get("minimum"), schema.get("maximum")
    if old >= 0 > new:
        return False
    return not (_is_bound(low) and new < Decimal(str(low))) and not (
        _is_bound(high) and new > Decimal(str(high))
    )


def _is_bound(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _number(value: Any) -> Decimal | None:
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        return None
    text = value if isinstance(value, str) else str(value)
    if not _NUMBER.fullmatch(text):
        return None
    return Decimal(text)


def _as_written(new: Decimal, value: Any) -> Any:
    if isinstance(value, str):
        return f"{new:f}".zfill(len(value)) if value.startswith("0") and "." not in value else f"{new:f}"
    return int(new) if isinstance(value, int) else float(new)


def _dated(value: str) -> bool:
    match = _DATE.fullmatch(value)
    if match is None:
        return False
    year, month, day = int(match[1]), int(match[3]), int(match[4])
    return 1 <= month <= 12 and 1 <= day <= calendar.monthrange(year, month)[1]


def _like(word: str, model: str) -> str:
    """Write a word in the case of another."""
    if model.isupper():
        return word.upper()
    return word.capitalize() if model[:1].isupper() else word
