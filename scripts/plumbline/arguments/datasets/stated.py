"""Whether a text states a value in any spelling, and where: for building controlled sets, not for paths."""

from __future__ import annotations

import json
import re
from functools import lru_cache
from typing import Any

from plumbline.corpora.values import Text, leaves
from plumbline.records.arguments import State, Turn


def written(value: Any) -> str:
    """Give the text of a value: a string as it stands, anything else as JSON."""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def places(text: str, wanted: str) -> list[tuple[int, int]]:
    """Give start and end of each occurrence, in any case, not inside a longer run of letters and digits."""
    if not wanted:
        return []
    pattern = rf"(?<![^\W_]){re.escape(wanted)}(?![^\W_])"
    return [match.span() for match in re.finditer(pattern, text, re.IGNORECASE)]


def states_value(text: str, value: Any) -> bool:
    """Say whether a text states a scalar, or a leaf of a list or object, in any common spelling.

    Null and booleans are stated by no text.
    """
    for leaf in leaves(value):
        if leaf is None or isinstance(leaf, bool):
            continue
        if places(text, written(leaf)):
            return True
        if squeezed(leaf) and _folded(text).holds(leaf):
            return True
    return False


@lru_cache(maxsize=512)
def _folded(text: str) -> Text:
    return Text(text)


def squeezed(value: Any) -> str:
    """Give a value in lower case with nothing left but letters and digits (D22)."""
    return "".join(letter for letter in written(value).lower() if letter.isalnum())


def same_type(one: Any, other: Any) -> bool:
    """Say whether two values have the same JSON type; integers are numbers."""
    return json_type(one) == json_type(other)


def json_type(value: Any) -> str:
    """Name the JSON type of a value."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "boolean"
    if isinstance(value, int | float):
        return "number"
    if isinstance(value, str):
        return "string"
    return "array" if isinstance(value, list) else "object"


def turn_texts(turn: Turn) -> list[str]:
    """Give all texts of a turn: what is said, the calls, the returns."""
    texts = [turn.text] if turn.text else []
    for call in turn.calls:
        texts.append(json.dumps(call.arguments, ensure_ascii=False))
        if call.returns:
            texts.append(call.returns)
    return texts


def request_text(state: State) -> str:
    """Give everything the user said, one message below the other."""
    return "\n".join(turn.text or "" for turn in state.turns if turn.role == "user")
