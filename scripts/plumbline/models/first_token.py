"""Where an answer's first token stands in a reply, and which tokens count there."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from plumbline.models.requests import Reply

YES, NO = "Yes", "No"
"""The answers that judges of argument values give."""

MISSING = -9999.0
"""What vLLM sends in place of a log-probability that it does not have."""

_BLANKS = ("", " ", "\n", "\t")
_BETWEEN = re.compile("[▁ĠĊ]")
"""How vocabularies write a blank or a line break."""

_THOUGHT = re.compile(
    r"</(?:think|thinking|reasoning)>|<\|channel\|>\s*final\s*(?:<\|constrain\|>\s*\w+\s*)?<\|message\|>",
    re.IGNORECASE,
)
_THINKS = re.compile(r"<(?:think|thinking|reasoning)>|<\|channel\|>", re.IGNORECASE)

FORCED = 1000.0
"""Bias that makes a server draw a token; the log-probability that it reports is the model's own."""


def spellings(word: str, casefold: bool) -> list[str]:
    """Give the ways in which a token may spell an answer: with a blank on one side, in any case if asked.

    Notes
    -----
    Choice C-D7: what counts are vocabulary items that are the word once white space is stripped.
    """
    words = [word, word.lower(), word.upper()] if casefold else [word]
    spelt = [before + one for one in words for before in _BLANKS]
    spelt += [one + after for one in words for after in _BLANKS[1:]]
    return list(dict.fromkeys(spelt))


def spelt_token(pieces: Iterable[tuple[int, Any]], word: str) -> tuple[int, str] | None:
    """Give the token that ends a tokenised spelling, if it alone is the word.

    Parameters
    ----------
    pieces
        Number and text of each token, as the server's tokenizer gives them.
    word
        The spelling, stripped.

    Returns
    -------
    tuple
        Its number, and its text with vocabulary marks read as blanks; None if the word is several tokens.
    """
    read = [(number, _BETWEEN.sub(" ", text) if isinstance(text, str) else "") for number, text in pieces]
    words = [(number, text) for number, text in read if text.strip()]
    return words[0] if len(words) == 1 and words[0][1].strip() == word else None


def answer_position(reply: Reply) -> int | None:
    """Find the answer's first token among those whose log-probabilities a reply holds.

    Returns
    -------
    int or None
        0 for an answer without thinking; after thinking the first token that is not blank behind its end.
        None if the reply holds no log-probabilities, or the answer cannot be told from the thinking.

    Notes
    -----
    Item D13, choice C-D7. The end of the thinking is looked for in the tokens themselves; a server that keeps
    the thinking apart and reports the answer's tokens alone is known by its text.
    """
    tokens = [str(entry.get("token") or "") for entry in reply.logprobs or ()]
    if not tokens:
        return None
    whole = "".join(tokens)
    ends = [found.end() for found in _THOUGHT.finditer(whole)]
    if ends:
        return _first_word(tokens, ends[-1])
    if reply.reasoning is None and not _THINKS.search(whole):
        return 0
    if reply.text is not None and reply.text.strip() and whole.strip() == reply.text.strip():
        return _first_word(tokens, 0)
    return None


def cut_to_answer(reply: Reply) -> Reply:
    """Drop the log-probabilities of the thinking, which are many times larger than all else in the journal.

    The reply keeps one token's, or none if the answer cannot be told from the thinking; `[]` says so.
    """
    if reply.logprobs is None:
        return reply
    position = answer_position(reply)
    return replace(reply, logprobs=[] if position is None else [reply.logprobs[position]])


def _first_word(tokens: list[str], start: int) -> int | None:
    """Find the first token that begins at or behind a place in the text and is not blank."""
    place = 0
    for number, token in enumerate(tokens):
        if place >= start and token.strip():
            return number
        place += len(token)
    return None
