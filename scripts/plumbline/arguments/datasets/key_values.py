"""Values that a key takes in a history: in the arguments of calls, and in returns as written (D28)."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import Any

from plumbline.records.arguments import State

_SCALAR = r"""("(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?(?![\w.]))"""
_NAME_KEYS = ("name", "companyname", "longname", "shortname", "instrument_name", "company", "title")
_SYMBOL_KEYS = ("symbol", "ticker", "stock")
_ENTRY = re.compile(rf"""["'](?:\d+\. )?(\w+)["']\s*:\s*{_SCALAR}""")
_SHARE_CLASS = re.compile(
    r"\b(?:class [a-c]|cl [a-c]|series [a-c]|common stock|ordinary shares?|adr|inc|corp(?:oration)?|co|ltd|"
    r"plc|company|holdings?|the)\b\.?",
    re.IGNORECASE,
)


def earlier_values(state: State, key: str) -> Iterator[Any]:
    """Give the scalars that a key takes before the step under judgment, most recent first.

    Parameters
    ----------
    state
        With its full history.
    key
        Name of a parameter; the keys of calls and returns must be spelt alike.

    Yields
    ------
    str, int or float
        Of each step first what its returns hold, in reading order, then what its calls pass. A return is
        searched as text, so one that was cut, or that is the `repr` of a Python value, is read as far as it
        goes; strings in single quotes count as strings.
    """
    pattern = re.compile(rf"""["']{re.escape(key)}["']\s*:\s*{_SCALAR}""")
    for turn in reversed(state.turns):
        for call in reversed(turn.calls):
            for match in pattern.finditer(call.returns or ""):
                value = _scalar(match[1])
                if value is not None:
                    yield value
            value = call.arguments.get(key)
            if isinstance(value, str | int | float) and not isinstance(value, bool):
                yield value


class Companies:
    """Which tickers belong to one company, by the names that returns give (C-D21).

    Parameters
    ----------
    states
        All states of a data set; their returns are read as text.
    """

    def __init__(self, states: Iterable[State]) -> None:
        self._names: dict[str, set[str]] = {}
        seen: set[int] = set()
        for state in states:
            for turn in state.turns:
                for call in turn.calls:
                    if call.returns and hash(call.returns) not in seen:
                        seen.add(hash(call.returns))
                        self._read(call.returns)

    def are_one(self, one: Any, other: Any) -> bool:
        """Say whether two tickers are of one company.

        They are if a return gives both the same company name, without share class and legal form, or if
        they differ in a share class or exchange alone (``BRK.A``, ``BRK-B``).
        """
        if not isinstance(one, str) or not isinstance(other, str):
            return False
        one, other = one.strip().upper(), other.strip().upper()
        if one == other or _root(one) == _root(other):
            return True
        return bool(self._names.get(one, set()) & self._names.get(other, set()))

    def _read(self, text: str) -> None:
        """Note the name that stands beside a symbol in the same object, within its braces."""
        for braces in re.finditer(r"\{[^{}]{0,2000}", text):
            symbol, names = None, set()
            for match in _ENTRY.finditer(braces[0]):
                key, value = match[1].lower(), _scalar(match[2])
                if key in _SYMBOL_KEYS and symbol is None and isinstance(value, str):
                    symbol = value.strip().upper()
                elif key in _NAME_KEYS and isinstance(value, str):
                    names.add(_company(value))
            if symbol and names - {""}:
                self._names.setdefault(symbol, set()).update(names - {""})


@lru_cache(maxsize=65536)
def _root(ticker: str) -> str:
    """Cut off an exchange (``.PA``) or a share class (``-B``); a pair such as ``BTC-USD`` stays whole."""
    return re.sub(r"\..*$|-[A-Z]$", "", ticker)


def _company(name: str) -> str:
    return " ".join(re.findall(r"[a-z0-9]+", _SHARE_CLASS.sub(" ", name.lower())))


def _scalar(text: str) -> Any:
    """Read a JSON scalar, or a string in single quotes; None if it is neither."""
    if text.startswith("'"):
        text = json.dumps(re.sub(r"\\(.)", r"\1", text[1:-1]), ensure_ascii=False)
    try:
        return json.loads(text)
    except ValueError:
        return None
