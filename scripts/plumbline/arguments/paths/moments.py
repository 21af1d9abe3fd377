"""Dates, months and times in texts, as people and machines write them (C-D3)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from plumbline.arguments.paths.texts import Span

_NAMES = (
    "jan january",
    "feb february",
    "mar march",
    "apr april",
    "may",
    "jun june",
    "jul july",
    "aug august",
    "sep sept september",
    "oct october",
    "nov november",
    "dec december",
)
_MONTHS = {name: number for number, names in enumerate(_NAMES, start=1) for name in names.split()}
_MONTH = "|".join(sorted(_MONTHS, key=len, reverse=True))
_DAY = r"(\d{1,2})(?:st|nd|rd|th)?"
_APART = r"(?<![^\W_])"

_YEAR_FIRST = re.compile(r"(?<!\d)(\d{4})[-/.](\d{1,2})[-/.](\d{1,2})(?!\d)")
_COMPACT = re.compile(r"(?<!\d)((?:19|20)\d{2})(0[1-9]|1[0-2])(0[1-9]|[12]\d|3[01])(?!\d)")
_YEAR_LAST = re.compile(r"(?<!\d)(\d{1,2})[-/.](\d{1,2})[-/.](\d{4}|\d{2})(?!\d)")
_MONTH_DAY = re.compile(
    rf"{_APART}({_MONTH})\.?\s+(?:the\s+)?{_DAY}(?![\d:]|[^\W_])(?:,?\s+(?:of\s+)?(\d{{4}})(?!\d))?"
)
_DAY_MONTH = re.compile(
    rf"(?<![\d.:/\-]){_DAY}\s+(?:of\s+)?({_MONTH})(?![^\W_])(?:\.?,?\s+(?:of\s+)?(\d{{4}})(?!\d))?"
)
_DAY_DASH_MONTH = re.compile(rf"(?<!\d)(\d{{1,2}})-({_MONTH})-(\d{{4}}|\d{{2}})(?!\d)")
_MONTH_YEAR = re.compile(rf"{_APART}({_MONTH})\.?,?\s+(?:of\s+)?(\d{{4}})(?!\d)")
_YEAR_MONTH = re.compile(r"(?<![\d\-/])(\d{4})[-/](0[1-9]|1[0-2])(?![\d\-/])")
_TIME = re.compile(
    r"(?<![\d:.])(\d{1,2})(?:[:.](\d{2}))?(?::(\d{2})(?:\.\d+)?)?"
    r"\s?(a\.?m\.?|p\.?m\.?|o['\u2019]?clock)?(?:\s(in the (?:morning|afternoon|evening)|at night))?"
    r"(?![^\W_])(?![:.]\d)"
)
_YEAR = re.compile(r"(?<![^\W_])(?<!\d[.,])((?:19|20)\d{2})(?![^\W_])(?![.,]\d)")
_CLOCK_WORD = re.compile(rf"{_APART}(noon|midday|midnight)(?![^\W_])")


@dataclass(frozen=True, slots=True)
class Day:
    """A day, or with `day` None a month; `year` is None if the text does not say it."""

    year: int | None
    month: int
    day: int | None

    def meets(self, other: Day, years: frozenset[int]) -> bool:
        """Whether both can be the same day.

        Where a text does not say the year of a day, the years that it does say come into question, or any one
        if it says none (`years` is empty).
        """
        if (self.month, self.day) != (other.month, other.day):
            return False
        if self.year is not None and other.year is not None:
            return self.year == other.year
        year = self.year if self.year is not None else other.year
        return year is None or not years or year in years


Clock = tuple[int, int]
"""Hour from 0 to 23, and minute."""


def days_in(text: str) -> Iterator[tuple[Day, Span]]:
    """Give everything in a text in lower case that reads like a day or a month.

    Of day and month in figures, either may stand first: both readings are given.
    """
    for match in (*_YEAR_FIRST.finditer(text), *_COMPACT.finditer(text)):
        yield from _day(int(match[1]), int(match[2]), int(match[3]), match.span())
    for match in _YEAR_LAST.finditer(text):
        year = int(match[3]) + (2000 if len(match[3]) == 2 else 0)
        yield from _day(year, int(match[1]), int(match[2]), match.span())
        if match[1] != match[2]:
            yield from _day(year, int(match[2]), int(match[1]), match.span())
    for match in _MONTH_DAY.finditer(text):
        yield from _day(_year(match[3]), _MONTHS[match[1]], int(match[2]), match.span())
    for match in (*_DAY_MONTH.finditer(text), *_DAY_DASH_MONTH.finditer(text)):
        yield from _day(_year(match[3]), _MONTHS[match[2]], int(match[1]), match.span())
    for match in _MONTH_YEAR.finditer(text):
        yield Day(int(match[2]), _MONTHS[match[1]], None), match.span()
    for match in _YEAR_MONTH.finditer(text):
        yield Day(int(match[1]), int(match[2]), None), match.span()


def years_in(text: str) -> frozenset[int]:
    """Give the years that a text says, alone or in dates."""
    return frozenset(map(int, _YEAR.findall(text)))


def clocks_in(text: str) -> Iterator[tuple[Clock, Span]]:
    """Give everything in a text in lower case that reads like a time of the day."""
    for match in _TIME.finditer(text):
        hour, minute, half = int(match[1]), int(match[2] or 0), (match[4] or "").replace(".", "")
        part = match[5] or ""
        if not (match[2] or half or part) or hour > 24 or minute > 59:
            continue
        if hour < 12 and (half == "pm" or part.endswith(("afternoon", "evening", "night"))):
            hour += 12
        elif half == "am" and hour == 12:
            hour = 0
        yield (hour % 24, minute), match.span()
    for match in _CLOCK_WORD.finditer(text):
        yield (0 if match[1] == "midnight" else 12, 0), match.span()


@dataclass(frozen=True)
class Moment:
    """What a value says if it is a date, a time, or both: the readings of the date, and the time."""

    days: tuple[Day, ...]
    clock: Clock | None


_BETWEEN = re.compile(r"(?:t|,|\s|at)*")


@lru_cache(maxsize=1024)
def moment_of(value: str) -> Moment | None:
    """Read a value, in lower case, that is nothing but a date, a time, or a date and a time.

    Midnight beside a date says no time.
    """
    text = value.strip()
    clock = _whole_clock(text)
    if clock is not None:
        return Moment((), clock)
    found = [(day, span) for day, span in days_in(text) if span[0] == 0]
    if not found:
        return None
    end = max(span[1] for _, span in found)
    days = tuple(day for day, span in found if span[1] == end)
    rest = text[end:]
    if not rest:
        return Moment(days, None)
    between = _BETWEEN.match(rest)
    rest = rest[between.end() if between else 0 :]
    clock = _whole_clock(rest) or _whole_clock(re.sub(r"(?:z|[+\-]\d{2}:?\d{2})$", "", rest))
    if clock is None:
        return None
    return Moment(days, clock if clock != (0, 0) else None)


def _whole_clock(text: str) -> Clock | None:
    return next((clock for clock, span in clocks_in(text) if span == (0, len(text))), None)


def _year(text: str | None) -> int | None:
    if text is None:
        return None
    return int(text) + (2000 if len(text) == 2 else 0)


def _day(year: int | None, month: int, day: int, span: Span) -> Iterator[tuple[Day, Span]]:
    if 1 <= month <= 12 and 1 <= day <= 31:
        yield Day(year, month, day), span
