"""Telling an answer that declines from one that is merely unreadable."""

from __future__ import annotations

import re

_SENTENCE_END = re.compile(r"(?<=[.!?\u2026\u3002\uff01\uff1f])\s+|[\n\r]+")
_DECLINES = re.compile(r"\b(?:can't|cannot|won't|unable to|not able to|must decline|sorry)\b")
_TASK = re.compile(
    r"\b(?:help|assist|evaluate|score|judge|rate|review|provide|comply|answer|do (?:this|that))\b"
)
_APOSTROPHES = str.maketrans(dict.fromkeys("\u2019\u2018\u02bc\u0060\u00b4", "'"))


def declines(answer: str) -> bool:
    """Tell whether an answer says that the model will not or cannot do the task.

    Parameters
    ----------
    answer
        What is left of a reply after its reasoning is cut.

    Returns
    -------
    bool
        True if one sentence holds both words that decline (`cannot`, `sorry`, ...) and a word for the
        task (`evaluate`, `help`, ...). "I cannot find any fault" declines nothing.
    """
    return any(
        _DECLINES.search(sentence) and _TASK.search(sentence)
        for sentence in _SENTENCE_END.split(answer.translate(_APOSTROPHES).lower())
    )
