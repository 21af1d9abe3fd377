"""Matches after one format normalisation: two spellings of a date, a unit, a plural (D2, C-D3)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from decimal import Decimal
from functools import lru_cache

from plumbline.arguments.equality import standardised
from plumbline.arguments.paths.moments import Clock, Day, clocks_in, days_in, moment_of, years_in
from plumbline.arguments.paths.numbers import loose_numbers, number_of, number_words
from plumbline.arguments.paths.texts import Span, Text


def find_formatted(text: Text, value: str, formats: Sequence[str], spoken: bool) -> Span | None:
    """Give the first match of a value in a text after one of the normalisations.

    Parameters
    ----------
    text
        A text of the history.
    value
        The value as text, normalised as `text` is.
    formats
        Names of `Paths.formats`, tried in their order.
    spoken
        Whether people wrote the text: only there are words read as numbers.
    """
    for name in formats:
        span = _FINDERS[name](text, value, spoken)
        if span is not None:
            return span
    return None


def _dates(text: Text, value: str, spoken: bool) -> Span | None:
    moment = moment_of(value)
    if moment is None or not moment.days:
        return None
    days, years = _days(text.text)
    span = next((span for day, span in days if any(day.meets(own, years) for own in moment.days)), None)
    if span is None or moment.clock is None:
        return span
    # the time may stand anywhere in the text that has the date
    return span if moment.clock in _clocks(text.text) else None


def _times(text: Text, value: str, spoken: bool) -> Span | None:
    moment = moment_of(value)
    if moment is None or moment.days or moment.clock is None:
        return None
    return _clocks(text.text).get(moment.clock)


def _numbers(text: Text, value: str, spoken: bool) -> Span | None:
    number = number_of(value)
    if number is None:
        return None
    for found, unit, span in _loose(text.text):
        if found == number and unit is None:
            return span
    words = number_words(text.text) if spoken else ()
    return next((span for found, span in words if found == number), None)


def _units(text: Text, value: str, spoken: bool) -> Span | None:
    """Compare numbers without their signs and units; if both have a unit it must be the same."""
    own = [(number, unit) for number, unit, span in loose_numbers(value) if span == (0, len(value))]
    for found, unit, span in _loose(text.text) if own else ():
        if any(found == number and (unit is None or kept is None or unit == kept) for number, kept in own):
            return span
    return None


def _plural(text: Text, value: str, spoken: bool) -> Span | None:
    spans = (text.find(form) for form in _other_numbers(value))
    return next((span for span in spans if span is not None), None)


def _separators(text: Text, value: str, spoken: bool) -> Span | None:
    if not any(letter.isalpha() for letter in value):
        return None
    return text.spaced.find(" ".join(value.replace("_", " ").replace("-", " ").split()))


def _bfcl(text: Text, value: str, spoken: bool) -> Span | None:
    squeezed = standardised(value)
    if len(squeezed) < 3 or not any(letter.isalpha() for letter in squeezed):
        return None
    return text.squeezed.find(squeezed)


def _other_numbers(value: str) -> Iterator[str]:
    """Give the plural and the singular of a word, or of the last word of a phrase."""
    if len(value) < 3 or not value[-1].isalpha():
        return
    if value.endswith("ies"):
        yield value[:-3] + "y"
    if value.endswith("es"):
        yield value[:-2]
    if value.endswith("s") and not value.endswith("ss"):
        yield value[:-1]
    if value.endswith("y"):
        yield value[:-1] + "ies"
    yield value + "s"
    yield value + "es"


@lru_cache(maxsize=64)
def _days(text: str) -> tuple[list[tuple[Day, Span]], frozenset[int]]:
    return list(days_in(text)), years_in(text)


@lru_cache(maxsize=64)
def _clocks(text: str) -> dict[Clock, Span]:
    found: dict[Clock, Span] = {}
    for clock, span in clocks_in(text):
        found.setdefault(clock, span)
    return found


@lru_cache(maxsize=64)
def _loose(text: str) -> list[tuple[Decimal, str | None, Span]]:
    return [entry for entry in loose_numbers(text) if entry[1] is not None or " " in text[slice(*entry[2])]]


_FINDERS: dict[str, Callable[[Text, str, bool], Span | None]] = {
    "dates": _dates,
    "times": _times,
    "numbers": _numbers,
    "units": _units,
    "plural": _plural,
    "separators": _separators,
    "bfcl": _bfcl,
}
