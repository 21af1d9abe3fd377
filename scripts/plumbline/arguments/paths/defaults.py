"""Values that a parameter's schema names as its default, or as saying "do not care" (D2, C-D4)."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

from plumbline.arguments.equality import same_argument
from plumbline.arguments.paths.literal import find_value
from plumbline.arguments.paths.texts import Text, normalised, text_of
from plumbline.config.arguments import Paths
from plumbline.records.arguments import Found

_SENTENCE_END = re.compile(r"(?<=[.!?;])\s+|\n+")


def find_default(value: Any, schema: Any, settings: Paths) -> Found | None:
    """Say where a schema names a value as one that stands for no choice.

    Parameters
    ----------
    value
        A scalar, or a whole list or object.
    schema
        Of the parameter, or of the part of it that holds the value; anything but an object says nothing.
    settings
        The phrases that make a sentence of the description name such a value.

    Returns
    -------
    Found or None
        For the schema's `default` the text of that; for a sentence its place in the description.
    """
    if not isinstance(schema, Mapping):
        return None
    if "default" in schema and _same(value, schema["default"]):
        return Found(part="schema", text=_shown(schema["default"]))
    description = schema.get("description")
    if not isinstance(description, str) or isinstance(value, list | dict):
        return None
    for start, sentence in _declaring(description, tuple(settings.default_phrases)):
        span = find_value(text_of(sentence, settings.normalise != "none"), value, settings)
        if span is not None:
            return Found(
                part="schema", start=start + span[0], end=start + span[1], text=sentence[slice(*span)]
            )
    return None


def _same(value: Any, default: Any) -> bool:
    if isinstance(value, str) and isinstance(default, str):
        return normalised(value).split() == normalised(default).split()
    return same_argument(value, default)


def _shown(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


@lru_cache(maxsize=1024)
def _declaring(description: str, phrases: Sequence[str]) -> tuple[tuple[int, str], ...]:
    """Give the sentences of a description with one of the phrases, each with its place."""
    found = []
    start = 0
    for end in [*(match.end() for match in _SENTENCE_END.finditer(description)), len(description)]:
        sentence = Text(description[start:end])
        if any(sentence.find(normalised(phrase)) for phrase in phrases):
            found.append((start, description[start:end]))
        start = end
    return tuple(found)
