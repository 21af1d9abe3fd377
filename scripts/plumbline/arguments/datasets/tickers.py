"""What is a ticker (D6)."""

from __future__ import annotations

import re
from typing import Any

_NAME = re.compile(r"(?<![a-z])(symbols?|tickers?|stocks?)(?![a-z])", re.IGNORECASE)
_TICKER = re.compile(r"\^?[A-Z0-9]{1,6}(?:[.\-=:/][A-Z0-9]{1,6})?")


def is_ticker(parameter: str, value: Any) -> bool:
    """Say whether a value is a ticker: a parameter called symbol, ticker or stock passes it in capitals."""
    if not isinstance(value, str) or not _NAME.search(parameter.replace("_", " ")):
        return False
    return bool(_TICKER.fullmatch(value)) and any(letter.isalpha() for letter in value)
