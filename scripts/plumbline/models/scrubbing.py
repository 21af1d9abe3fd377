"""Keys never stand in a message or a log."""

from __future__ import annotations

import re

HIDDEN = "[hidden]"
"""What stands in the place of a key."""

_LIKE_A_KEY = re.compile(
    r"\b(?:sk|pk|rk|key|hf|gsk|xai|nvapi|AIza)[-_][-_.*A-Za-z0-9]{6,}|\bAIza[-_A-Za-z0-9]{10,}"
)
_AFTER_A_WORD = re.compile(
    r"(?i)(\bapi[ _-]?key(?: provided)?\b['\"]?\s*[:=]\s*['\"]?|\bbearer\s+)[^\s'\",;]+"
)


def scrub(text: str, secret: str | None = None) -> str:
    """Hide the key, and whatever looks like one, in text that will be shown.

    Parameters
    ----------
    text
        A message of a server, or lines of its log.
    secret
        The key in use, if there is one.
    """
    if secret:
        text = text.replace(secret, HIDDEN)
    text = _AFTER_A_WORD.sub(lambda match: match[1] + HIDDEN, text)
    return _LIKE_A_KEY.sub(HIDDEN, text)
