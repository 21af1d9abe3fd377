"""What our JSON decoder adds to plain values: keys given twice and numbers that are not finite."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

MAX_DEPTH = 100
"""Deepest nesting of a value that is passed on; the reader of our files stops at 200."""

_SURROGATE = re.compile("[\ud800-\udfff]")


@dataclass(frozen=True)
class NonFinite:
    """A number that JSON has no place for: NaN, Infinity, -Infinity, or one too large for a float."""

    word: str


@dataclass(frozen=True)
class Conflict:
    """What an object holds under a key that occurs more than once with different values.

    `values` begins with the first of them and goes on with each that differs from it.
    """

    values: list[Any]


def alternatives(value: Any) -> list[Any]:
    """Give the values that a member may have: those of a conflict, else the one."""
    return value.values if isinstance(value, Conflict) else [value]


def put(members: dict[str, Any], key: str, value: Any) -> None:
    """Add a member; a key that is there already stays as it is or becomes a conflict."""
    if key not in members:
        members[key] = value
        return
    known = members[key]
    if not same_value(alternatives(known)[0], value):
        if isinstance(known, Conflict):
            known.values.append(value)
        else:
            members[key] = Conflict([known, value])


def same_value(left: Any, right: Any) -> bool:
    """Compare two decoded values as JSON: 1 equals 1.0, true is not 1, keys have no order.

    Works without recursion, so nesting has no limit.
    """
    pairs = [(left, right)]
    while pairs:
        one, other = pairs.pop()
        if _is_number(one) and _is_number(other):
            if one != other:
                return False
        elif type(one) is not type(other):
            return False
        elif isinstance(one, dict):
            if one.keys() != other.keys():
                return False
            pairs.extend((one[key], other[key]) for key in one)
        elif isinstance(one, list | Conflict):
            ones, others = _items(one), _items(other)
            if len(ones) != len(others):
                return False
            pairs.extend(zip(ones, others, strict=True))
        elif one != other:
            return False
    return True


def walk(value: Any) -> Iterator[tuple[Any, int]]:
    """Give a value and everything inside it, each with its depth; the value itself has depth 0."""
    waiting = [(value, 0)]
    while waiting:
        node, depth = waiting.pop()
        yield node, depth
        if isinstance(node, dict):
            waiting.extend((inner, depth + 1) for inner in node.values())
        elif isinstance(node, list | Conflict):
            waiting.extend((inner, depth + 1) for inner in _items(node))


def flaw(value: Any) -> str | None:
    """Say what keeps a value from being plain JSON, or None.

    Parameters
    ----------
    value
        As the decoder gives it.

    Returns
    -------
    str or None
        A clause that names the first conflict, non-finite number or too deep nesting met.
    """
    for node, depth in walk(value):
        if isinstance(node, Conflict):
            options = " and ".join(shown(option) for option in node.values[:2])
            return f"a key is given twice with different values, {options}"
        if isinstance(node, NonFinite):
            return f"{node.word} is no JSON number"
        if depth > MAX_DEPTH:
            return f"it is nested more than {MAX_DEPTH} deep"
    return None


def plain(value: Any) -> Any:
    """Turn a decoded value into one that can be written as JSON, to be shown, not to be used.

    Non-finite numbers become their words, conflicts the list of their values; a value that is nested
    too deep becomes a phrase that says so.
    """
    if any(depth > MAX_DEPTH for _, depth in walk(value)):
        return f"{shown(value)} nested more than {MAX_DEPTH} deep"
    return _plain(value)


def _plain(value: Any) -> Any:
    if isinstance(value, NonFinite):
        return value.word
    if isinstance(value, dict):
        return {key: _plain(inner) for key, inner in value.items()}
    if isinstance(value, list | Conflict):
        return [_plain(inner) for inner in _items(value)]
    return value


def shown(value: Any, width: int = 60) -> str:
    """Name a decoded value in a sentence: short, on one line."""
    if isinstance(value, dict):
        return "an object"
    if isinstance(value, list):
        return "a list"
    if isinstance(value, Conflict):
        return "two different values"
    if isinstance(value, NonFinite):
        return value.word
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    text = f'"{value}"' if isinstance(value, str) else str(value)
    text = " ".join(text.split())
    return text if len(text) <= width else text[: width - 3] + "..."


def without_surrogates(text: str) -> str:
    """Replace lone surrogates, which no file can hold, by U+FFFD; surrogate pairs become one character."""
    if not _SURROGATE.search(text):
        return text
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _items(value: list[Any] | Conflict) -> list[Any]:
    return value.values if isinstance(value, Conflict) else value
