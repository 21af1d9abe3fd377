"""Numbers in texts, by value: 5 and 5.0, 5,000; and what units, suffixes and words make of them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from decimal import Decimal, InvalidOperation
from functools import lru_cache
from typing import Any

from plumbline.arguments.paths.texts import Span

_PLAIN = re.compile(r"-?(?:0|[1-9]\d*)(?:\.\d+)?")
_MOMENT = re.compile(
    r"\d{1,4}([-/.])\d{1,2}\1\d{1,4}|\d{4}-\d{2}|\d{1,2}:\d{2}(?::\d{2})?(?:\.\d+)?|\d+(?:\.\d+){2,}"
)
_RUN_BEFORE = re.compile(r"[0-9:/.\-]*\Z")
_RUN_AFTER = re.compile(r"[0-9:/.\-]*")

_CURRENCY = {"$": "usd", "€": "eur", "£": "gbp", "¥": "jpy", "₹": "inr"}
_UNITS = {
    word: words.split()[0]
    for words in (
        "usd dollar dollars",
        "eur euro euros",
        "gbp pound pounds",
        "jpy yen",
        "inr rupee rupees",
        "% percent pct",
        "km kms kilometer kilometers kilometre kilometres",
        "m meter meters metre metres",
        "cm centimeter centimeters",
        "mm millimeter millimeters",
        "mi mile miles",
        "ft foot feet",
        "in inch inches",
        "kg kgs kilogram kilograms",
        "g gram grams",
        "lb lbs",
        "l liter liters litre litres",
        "ml milliliter milliliters",
        "h hr hrs hour hours",
        "min mins minute minutes",
        "s sec secs second seconds",
        "d day days",
        "gb",
        "mb",
        "c °c celsius",
        "f °f fahrenheit",
        "x",
        "st nd rd th",
        "k",
        "bn",
        "hundred",
        "thousand",
        "million",
        "billion",
    )
    for word in words.split()
}
_SCALES = {
    "k": 1000,
    "m": 1_000_000,
    "bn": 1_000_000_000,
    "hundred": 100,
    "thousand": 1000,
    "million": 1_000_000,
    "billion": 1_000_000_000,
}
_UNIT = "|".join(sorted(map(re.escape, _UNITS), key=len, reverse=True))
_LOOSE = re.compile(
    r"(?<![^\W_])(?<!\d[.,:])(?P<currency>(?:[$€£¥₹]|(?:usd|eur|gbp)(?=\s?\d))\s?)?"
    r"(?P<sign>[-\u2212])?(?P<digits>\d{1,3}(?:[ \u202f]\d{3})+|\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?)"
    rf"(?:[ \-]?(?P<unit>{_UNIT}))?(?![^\W_])(?![.:]\d)"
)
_UNITS_OF_ONE = re.findall(
    r"\w+",
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen "
    "seventeen eighteen nineteen",
)
_TENS = re.findall(r"\w+", "twenty thirty forty fifty sixty seventy eighty ninety")
_WORDS = {
    **{word: number for number, word in enumerate(_UNITS_OF_ONE)},
    **{word: 10 * number for number, word in enumerate(_TENS, start=2)},
    **{
        f"{ten}{glue}{one}": 10 * number + digit
        for number, ten in enumerate(_TENS, start=2)
        for digit, one in enumerate(_UNITS_OF_ONE[1:10], start=1)
        for glue in (" ", "-")
    },
    "a dozen": 12,
    "once": 1,
    "twice": 2,
}
_WORD = re.compile(rf"\b(?:{'|'.join(sorted(_WORDS, key=len, reverse=True))})\b")


def number_of(value: Any) -> Decimal | None:
    """Read a JSON number, or a text that is one without leading zeros; anything else is None."""
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        return None
    text = value.strip() if isinstance(value, str) else repr(value)
    if isinstance(value, str) and not _PLAIN.fullmatch(text):
        return None
    try:
        number = Decimal(text)
    except InvalidOperation:
        return None
    return number if number.is_finite() else None


def find_number(text: str, number: Decimal) -> Span | None:
    """Give the first place where a text has a number by value: 5000 also as ``5,000`` or ``5000.0``.

    Digits of dates, times and versions are none, nor are those inside longer runs of letters and digits.
    """
    for match in _pattern(number).finditer(text):
        start = match.start()
        negative = start > 0 and text[start - 1] in "-\u2212" and not text[start - 2 : start - 1].isalnum()
        if negative != (number < 0):
            continue
        if negative:
            start -= 1
        if _is_apart(text, start, match.end()):
            return start, match.end()
    return None


def loose_numbers(text: str) -> Iterator[tuple[Decimal, str | None, Span]]:
    """Give the numbers of a text with what they are counted in, None for nothing.

    ``$5``, ``10km``, ``15 %`` (also as 0.15), ``1.2k`` (1200), ``2 million``, ``5 000``.
    """
    for match in _LOOSE.finditer(text):
        number = Decimal(re.sub(r"[ ,\u202f]", "", match["digits"])) * (-1 if match["sign"] else 1)
        word = match["unit"]
        currency = (match["currency"] or "").strip()
        unit = _UNITS[word] if word else _CURRENCY.get(currency, currency or None)
        yield number, unit, match.span()
        if unit == "%":
            yield number / 100, None, match.span()
        if word in _SCALES:
            yield number * _SCALES[word], _CURRENCY.get(currency, currency or None), match.span()


def number_words(text: str) -> Iterator[tuple[Decimal, Span]]:
    """Give the numbers that a text writes as words, up to ninety-nine."""
    for match in _WORD.finditer(text):
        yield Decimal(_WORDS[match[0]]), match.span()


@lru_cache(maxsize=4096)
def _pattern(number: Decimal) -> re.Pattern[str]:
    whole, _, fraction = f"{abs(number):f}".partition(".")
    fraction = fraction.rstrip("0")
    grouped = f"{int(whole):,}"
    figures = whole if grouped == whole else f"(?:{whole}|{grouped})"
    rest = rf"\.{fraction}0*" if fraction else r"(?:\.0+)?"
    if whole == "0" and fraction:
        figures = "0?"
    return re.compile(rf"{figures}{rest}(?![^\W_])(?!\.\d)(?!,\d{{3}}(?!\d))")


def _is_apart(text: str, start: int, end: int) -> bool:
    """Say whether the figures of a span are a number of their own."""
    before = text[start - 1] if start else ""
    if before.isalnum():
        return False
    between_digits = start > 1 and text[start - 2].isdigit()
    if between_digits and (before == "." or (before == "," and re.match(r"\d{3}(?!\d)", text[start:end]))):
        return False
    after = text[end : end + 2]
    if (between_digits and before in "-/:") or (len(after) == 2 and after[0] in "-/:" and after[1].isdigit()):
        left = _RUN_BEFORE.search(text, max(0, start - 16), start)
        right = _RUN_AFTER.match(text, end, end + 16)
        run = f"{left[0] if left else ''}{text[start:end]}{right[0] if right else ''}"
        return not _MOMENT.fullmatch(run.strip("-/:."))
    return True
