"""When two values, or two calls, are the same (C-D30)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from plumbline.corpora.values import token_of
from plumbline.records.files import digest_of

_DROPPED = str.maketrans({**dict.fromkeys(" ,./-_*^", None), "'": '"'})


def standardised(text: str) -> str:
    """Write a string as BFCL's checker compares it (D4).

    Without blanks and ``, . / - _ * ^``, in lower case, single quotes doubled.
    """
    return text.translate(_DROPPED).lower()


def value_key(value: Any) -> str:
    """Digest of a JSON value in canonical form; numbers count by value, also those that are written as text.

    ``2``, ``2.0`` and ``"2"`` have one key: which of them a model writes is a matter of type, not of value.
    """
    return digest_of(_by_value(value))


def call_key(name: str, arguments: Mapping[str, Any]) -> str:
    """Digest of a call: its name and its arguments by value, whatever their order."""
    return digest_of([name, _by_value(arguments)])


def same_argument(value: Any, other: Any) -> bool:
    """Say whether two values are the same by value."""
    return value_key(value) == value_key(other)


def _by_value(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {key: _by_value(member) for key, member in value.items()}
    if isinstance(value, list):
        return [_by_value(member) for member in value]
    token = token_of(value)
    return token if token is None or isinstance(token, bool | str) else f"number {token}"
