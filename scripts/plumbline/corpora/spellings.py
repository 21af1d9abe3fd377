"""How a query may say a value otherwise than a call passes it (A5)."""

from __future__ import annotations

import re
from typing import Any

from plumbline.corpora.values import MONTH, Text

_DATE = re.compile(r"(\d{1,2})[-/.](\d{1,2})[-/.](\d{4})")
_LAST_WORD = re.compile(r"[^\W\d_]{4,}$")
_DAY = r"(\d{1,2})(?:st|nd|rd|th)?"
_TO = r"\s*(?:-|\u2013|to|until|till|through)\s*(?:the\s+)?"
_RANGE = re.compile(rf"\b({MONTH})\.?\s+{_DAY}{_TO}{_DAY}\b(?![:.]\d)(?:,?\s*(\d{{4}})\b)?", re.IGNORECASE)
_ONE_LETTER_WORDS = re.compile(r"[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af]")


class QueryText:
    """A query that can be asked which values it says, more freely than `Text`.

    Besides what `Text` finds: a string in its plural, singular or possessive, a list of values between commas
    piece by piece, a date with its day and month in either order, and the last day of ``May 3 to 8``.

    Parameters
    ----------
    query
        Any prose.
    """

    def __init__(self, query: str) -> None:
        ends = (f"{month} {last} {year}" for month, _, last, year in _RANGE.findall(query))
        self._text = Text("; ".join([query, *ends]))

    def says(self, value: Any) -> bool:
        """Say whether the query says a scalar; null and booleans, also as text, are not looked for."""
        if is_no_text(value) or self._text.holds(value):
            return True
        return isinstance(value, str) and self._says_otherwise(value.strip())

    def _says_otherwise(self, value: str) -> bool:
        if date := _DATE.fullmatch(value):
            first, second, year = date.groups()
            orders = ((first, second), (second, first))
            return any(self._text.holds(f"{year}-{int(a):02}-{int(b):02}") for a, b in orders)
        parts = [part.strip() for part in value.split(",")]
        if len(parts) > 1 and all(parts):
            return all(self._text.holds(part) for part in parts)
        if not _LAST_WORD.search(value):
            return False
        other = value[:-1] if value[-1] in "sS" else f"{value}s"
        return any(self._text.holds(form) for form in (other, f"{value}'s", f"{value}\u2019s"))


def is_no_text(value: Any) -> bool:
    """Say whether a value is one that no text spells out: null, a boolean, or a boolean as text."""
    return value is None or isinstance(value, bool) or str(value).strip().casefold() in ("true", "false")


def word_count(text: str) -> int:
    """Count words; of scripts that write without blanks, each letter counts as one."""
    return len(_ONE_LETTER_WORDS.findall(text)) + len(re.findall(r"\w+", _ONE_LETTER_WORDS.sub(" ", text)))
