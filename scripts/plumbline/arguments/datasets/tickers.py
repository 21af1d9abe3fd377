"""What is a ticker, alone or in a list (D6)."""

from __future__ import annotations

import re
from typing import Any

_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")
_NAMED = re.compile(r"(?:stock|ticker)?(?:symbol|ticker|stock)s?")
_OTHER = frozenset({"exchange", "market", "sector", "type"})
_TICKER = re.compile(r"\^?[A-Z0-9]{1,6}(?:[.\-=:/][A-Z0-9]{1,6})?")
_BETWEEN = re.compile(r"(\s*,\s*)")


def is_ticker(parameter: str, value: Any) -> bool:
    """Say whether a value is a ticker, or tickers with commas between them.

    Parameters
    ----------
    parameter
        One of the words of its name must be symbol, ticker or stock, as in `stock_ticker` and `stockSymbol`,
        and none may say that it is about something else, as in `stock_exchange`.
    value
        A text in capitals, such as ``AAPL`` or ``AAPL,MSFT``.
    """
    words = [word.lower() for word in _WORD.findall(parameter)]
    named = any(map(_NAMED.fullmatch, words)) and not _OTHER.intersection(words)
    if not named or not isinstance(value, str):
        return False
    return all(_TICKER.fullmatch(part) and re.search("[A-Z]", part) for part in split_tickers(value)[::2])


def split_tickers(value: str) -> list[str]:
    """Part a text at its commas: tickers at the even places, what stands between them at the odd ones."""
    return _BETWEEN.split(value)


def tickers_of(parameter: str, value: Any) -> list[str]:
    """Give the tickers of a value, of each member if it is a list; none if it holds none."""
    members = value if isinstance(value, list) else [value]
    return [
        ticker for member in members if is_ticker(parameter, member) for ticker in split_tickers(member)[::2]
    ]
