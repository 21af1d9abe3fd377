"""Whether a text holds a value: numbers by value, strings in any case, dates and times as people write."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import date
from decimal import Decimal, InvalidOperation
from typing import Any

_MONTHS = {
    name: number
    for number, names in enumerate(
        [
            ("jan", "january"),
            ("feb", "february"),
            ("mar", "march"),
            ("apr", "april"),
            ("may",),
            ("jun", "june"),
            ("jul", "july"),
            ("aug", "august"),
            ("sep", "sept", "september"),
            ("oct", "october"),
            ("nov", "november"),
            ("dec", "december"),
        ],
        start=1,
    )
    for name in names
}
MONTH = "|".join(sorted(_MONTHS, key=len, reverse=True))
"""The names of the months as alternatives of a pattern."""
_UNITS = {
    word: number
    for number, word in enumerate(
        re.findall(
            r"\w+",
            "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen "
            "sixteen seventeen eighteen nineteen",
        )
    )
}
_TENS = {
    word: 10 * number
    for number, word in enumerate(
        re.findall(r"\w+", "twenty thirty forty fifty sixty seventy eighty ninety"), start=2
    )
}
_SCALES = {"hundred": 100, "thousand": 1000, "million": 1_000_000, "billion": 1_000_000_000}
_SUFFIXES = {"k": 1000, "m": 1_000_000, "bn": 1_000_000_000, **_SCALES}
_OTHER_WORDS = {"once": "1", "twice": "2", "dozen": "12", "single": "1", "half": "0.5", "pair": "2"}

_NUMBER = re.compile(
    r"(?<![\w.])(?P<sign>[-\u2212+])?(?P<digits>\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?)"
    r"\s?(?P<suffix>%|percent\b|k\b|m\b|bn\b|hundred\b|thousand\b|million\b|billion\b)?",
    re.IGNORECASE,
)
_ISO_DATE = re.compile(r"(?<!\d)(\d{4})[-/.](\d{1,2})[-/.](\d{1,2})(?!\d)")
_OTHER_DATE = re.compile(r"(?<!\d)(\d{1,2})[-/.](\d{1,2})[-/.](\d{4}|\d{2})(?!\d)")
_MONTH_FIRST = re.compile(
    rf"\b({MONTH})\.?\s+(?:the\s+)?(\d{{1,2}})(?:st|nd|rd|th)?\b(?!:)(?:,?\s+(?:of\s+)?(\d{{4}})\b)?", re.I
)
_DAY_FIRST = re.compile(
    rf"\b(\d{{1,2}})(?:st|nd|rd|th)?\s+(?:of\s+)?({MONTH})\b\.?(?:,?\s+(?:of\s+)?(\d{{4}})\b)?", re.I
)
_TIME = re.compile(r"(?<![\d:])(\d{1,2})(?:[:.](\d{2}))?(?::\d{2})?\s*(a\.?m\b|p\.?m\b|o'?clock\b)?", re.I)
_NUMBER_VALUE = re.compile(r"-?\d+(\.\d+)?")
_NUMBER_STARTS = frozenset("-0123456789")  # most strings are no number: the first character tells it quickly
_ISO_VALUE = re.compile(
    r"(\d{4}-\d{2}-\d{2})(?:[T ](\d{2}:\d{2})(?::\d{2}(?:\.\d+)?)?(?:Z|[+-]\d{2}:?\d{2})?)?"
)
_TIME_VALUE = re.compile(r"([01]?\d|2[0-3]):([0-5]\d)(?::00)?")


def leaves(value: Any) -> Iterator[Any]:
    """Give the scalars of a JSON value, depth first."""
    if isinstance(value, dict):
        for member in value.values():
            yield from leaves(member)
    elif isinstance(value, list):
        for member in value:
            yield from leaves(member)
    else:
        yield value


def as_number(value: Any) -> Decimal | None:
    """Read a JSON number, or a string that is one, exactly; anything else is None."""
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        return None
    text = value.strip() if isinstance(value, str) else repr(value)
    if isinstance(value, str) and not (text[:1] in _NUMBER_STARTS and _NUMBER_VALUE.fullmatch(text)):
        return None
    try:
        number = Decimal(text)
    except InvalidOperation:
        return None
    return number.normalize() if number.is_finite() else None


def token_of(value: Any) -> Any:
    """Give what a scalar is compared by: a number's value, a string without blanks around it."""
    number = as_number(value)
    if number is not None:
        return number
    return value.strip() if isinstance(value, str) else value


def tokens_of(value: Any) -> set[Any]:
    """Give what the scalars of a JSON value are compared by."""
    return {token_of(leaf) for leaf in leaves(value)}


class Text:
    """A text that can be asked which values it holds.

    Parameters
    ----------
    text
        A query or any other prose.
    """

    def __init__(self, text: str) -> None:
        self._folded = f" {_folded(text)} "
        self._numbers = set(_numbers_in(text))
        self._dates = set(_dates_in(text))
        self._times = set(_times_in(text))

    def holds(self, value: Any) -> bool:
        """Say whether the text holds a scalar.

        Parameters
        ----------
        value
            A number (found by value: ``1,200``, ``1.2k``, ``twelve hundred``, ``15%`` for 15 and for 0.15), a
            string (in any case, hyphens and underscores as blanks, as whole words; a year-month-day date in
            any common spelling, with or without its year; ``HH:MM`` also as ``8 am``, ``noon``), or null or a
            boolean, which no text can be asked for: True.
        """
        if value is None or isinstance(value, bool):
            return True
        number = as_number(value)
        if number is not None and number in self._numbers:
            return True
        if not isinstance(value, str):
            return False
        wanted = _folded(value)
        return not wanted or f" {wanted} " in self._folded or self._holds_moment(value.strip())

    def _holds_moment(self, value: str) -> bool:
        moment = _ISO_VALUE.fullmatch(value)
        if moment:
            day = date_of(moment[1])
            if day is None or not {(day.year, day.month, day.day), (None, day.month, day.day)} & self._dates:
                return False
            return moment[2] is None or moment[2] == "00:00" or self._holds_moment(moment[2])
        clock = _TIME_VALUE.fullmatch(value)
        return clock is not None and (int(clock[1]), int(clock[2])) in self._times


def date_of(text: str) -> date | None:
    """Read ``YYYY-MM-DD``; a date that no calendar has is None."""
    try:
        return date.fromisoformat(text)
    except ValueError:
        return None


def _folded(text: str) -> str:
    """Lower-case words with single blanks between them; what is neither letter nor digit parts words."""
    return " ".join(re.findall(r"[^\W_]+(?:['\u2019][^\W_]+)*", text.casefold()))


def _numbers_in(text: str) -> Iterator[Decimal]:
    for match in _NUMBER.finditer(text):
        number = Decimal(match["digits"].replace(",", ""))
        suffix = (match["suffix"] or "").casefold()
        signs = (1, -1) if match["sign"] in ("-", "\u2212") else (1,)
        for sign in signs:
            yield (sign * number).normalize()
            if suffix in ("%", "percent"):
                yield (sign * number / 100).normalize()
            elif suffix:
                yield (sign * number * _SUFFIXES[suffix]).normalize()
    yield from _number_words_in(text)


def _number_words_in(text: str) -> Iterator[Decimal]:
    """Read ``seven``, ``twenty-five``, ``two hundred and fifty thousand``, ``a dozen``."""
    total = current = 0
    open_number = False
    for word in [*re.findall(r"[a-z]+|\S", text.casefold()), ""]:
        if word in _UNITS or word in _TENS:
            current += _UNITS.get(word, _TENS.get(word, 0))
            open_number = True
        elif word in _SCALES and open_number:
            if word == "hundred":
                current *= 100
            else:
                total, current = total + current * _SCALES[word], 0
        elif word in _SCALES:
            current, open_number = _SCALES[word], True
        elif not (open_number and word in ("and", "-")):
            if open_number:
                yield Decimal(total + current).normalize()
            total, current, open_number = 0, 0, False
        if word in _OTHER_WORDS:
            yield Decimal(_OTHER_WORDS[word]).normalize()


def _dates_in(text: str) -> Iterator[tuple[int | None, int, int]]:
    """Give (year or None, month, day) of everything that reads like a date."""
    for year, month, day in _ISO_DATE.findall(text):
        yield int(year), int(month), int(day)
    for first, second, year in _OTHER_DATE.findall(text):
        full = int(year) + (2000 if len(year) == 2 else 0)
        # day first or month first: which one is not to be known, so both are held
        yield full, int(first), int(second)
        yield full, int(second), int(first)
    for month, day, year in _MONTH_FIRST.findall(text):
        yield int(year) if year else None, _MONTHS[month.casefold()], int(day)
    for day, month, year in _DAY_FIRST.findall(text):
        yield int(year) if year else None, _MONTHS[month.casefold()], int(day)


def _times_in(text: str) -> Iterator[tuple[int, int]]:
    for hour_text, minute_text, half in _TIME.findall(text):
        hour, minute = int(hour_text), int(minute_text or 0)
        if not (minute_text or half) or hour > 24 or minute > 59:
            continue
        half = half.casefold().replace(".", "")
        if half == "pm" and hour < 12:
            hour += 12
        elif half == "am" and hour == 12:
            hour = 0
        yield hour % 24, minute
    folded = text.casefold()
    if re.search(r"\b(noon|midday)\b", folded):
        yield 12, 0
    if "midnight" in folded:
        yield 0, 0
