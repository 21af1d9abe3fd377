"""Matches of a scalar as it stands: texts, numbers by value, booleans and null as words (D2, C-D1, C-D5)."""

from __future__ import annotations

import json
from functools import lru_cache
from typing import Any

from plumbline.arguments.paths.numbers import find_number, number_of
from plumbline.arguments.paths.texts import Span, Text
from plumbline.config.arguments import Paths

SHORT = 3
"""Values of at most so many characters match only as whole tokens (C-D5)."""


def find_value(text: Text, value: Any, settings: Paths) -> Span | None:
    """Give the first place where a text has a scalar, in characters of the original text.

    Parameters
    ----------
    text
        A text of the history, normalised as the settings say.
    value
        A scalar. A number, also one that is written as text, matches by value; true, false and null match as
        words; an empty text matches nowhere.
    settings
        How texts are compared.
    """
    number = number_of(value)
    if number is not None:
        span = find_number(text.text, number)
    elif value is None or isinstance(value, bool):
        span = text.find(json.dumps(value))
    else:
        whole = settings.boundaries or len(written(value)) <= SHORT
        found = (text.find(needle, whole) for needle in _needles(str(value), settings.normalise != "none"))
        span = next((span for span in found if span is not None), None)
    return None if span is None else text.original(span)


def written(value: Any) -> str:
    """Write a scalar as its length is counted: texts as they stand, anything else as JSON."""
    return value if isinstance(value, str) else json.dumps(value)


def comparable(value: str, normalise: bool) -> str:
    """Normalise a value as `Text` does with the texts it is looked for in."""
    return Text(value.strip(), normalise).text if normalise else value


@lru_cache(maxsize=4096)
def _needles(value: str, normalise: bool) -> tuple[str, ...]:
    """Give the forms of a text: as it stands, and as JSON writes it inside calls and returns."""
    if not value.strip():
        return ()
    forms = [value, json.dumps(value, ensure_ascii=False)[1:-1], json.dumps(value)[1:-1]]
    return tuple(dict.fromkeys(comparable(form, normalise) for form in forms))
