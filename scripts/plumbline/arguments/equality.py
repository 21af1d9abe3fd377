"""When two calls are the same (C-D30), and when two values say the same (D2)."""

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
    """Digest of a call in canonical JSON, whatever the order of its arguments (C-D30).

    JSON has one kind of number: ``1`` and ``1.0`` are one call. The text ``"1"`` is another, and so is true.
    """
    return digest_of([name, _canonical(arguments)])


def same_json(value: Any, other: Any) -> bool:
    """Say whether two values are the same in canonical JSON, as `call_key` compares calls."""
    return digest_of(_canonical(value)) == digest_of(_canonical(other))


def same_argument(value: Any, other: Any) -> bool:
    """Say whether two values are the same by value."""
    return value_key(value) == value_key(other)


def _canonical(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {key: _canonical(member) for key, member in value.items()}
    if isinstance(value, list):
        return [_canonical(member) for member in value]
    return int(value) if isinstance(value, float) and value.is_integer() else value


def _by_value(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {key: _by_value(member) for key, member in value.items()}
    if isinstance(value, list):
        return [_by_value(member) for member in value]
    token = token_of(value)
    return token if token is None or isinstance(token, bool | str) else f"number {token}"
