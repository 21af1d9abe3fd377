"""Quoted passages as evidence for a value: read, checked against the history, shown as snippets (D39)."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator

from plumbline.answers import Decoder, DecodingError, decode
from plumbline.arguments.occurrences import passage_texts, passages_around
from plumbline.arguments.shown import Context
from plumbline.config.argument_references import MOST_QUOTES, Evidence
from plumbline.config.arguments import Snippets

_TRIED = 5
"""Brackets at which an array is looked for."""

_QUOTES = re.compile(
    r'"((?:\\.|[^"\\])+)"|\u201c([^\u201d]+)\u201d|`([^`]+)`|^\s*>\s*(.+)$|\u2018([^\u2019]+)\u2019',
    re.MULTILINE,
)


def quotes_in(answer: str) -> list[str]:
    """Read the passages that an answer quotes.

    Parameters
    ----------
    answer
        What is left once the thinking is cut: a JSON array of strings, also in a code fence or behind other
        words; else whatever stands between quotation marks.

    Returns
    -------
    list of str
        At most `MOST_QUOTES`, in order; none if nothing is quoted.
    """
    found = _array(answer)
    if found is None:
        found = [next(filter(None, match.groups()), "") for match in _QUOTES.finditer(answer)]
    return [quote for quote in found if quote.strip()][:MOST_QUOTES]


def evidence_text(
    answer: str, history: Context, settings: Evidence, snippets: Snippets, around: int | None
) -> str | None:
    """Give the passages of the history around the quotes of an answer.

    Parameters
    ----------
    answer
        See `quotes_in`.
    history
        What the quotes must stand in.
    settings
        What counts as standing there (C-D26).
    snippets
        How far a passage reaches by the rule of D38.
    around
        Characters that a passage reaches on each side instead, without a cap; None keeps to the rule.

    Returns
    -------
    str or None
        The passages, most recent first, or None if no quote is found in the history.
    """
    places = [place for quote in quotes_in(answer) for place in quoted_places(quote, history, settings)]
    if not places:
        return None
    if around is None:
        passages = passages_around(places, history.parts, snippets)
    else:
        wide = Snippets(around=around, longest=snippets.longest, count=snippets.count)
        passages = passages_around(places, history.parts, wide, cap=False)[::-1]
    return "\n\n".join(text for _, text in passage_texts(passages, history))


def quoted_places(quote: str, history: Context, settings: Evidence) -> Iterator[tuple[int, int, int]]:
    """Find where the history holds a quote.

    Yields
    ------
    tuple
        (part, start, end): each place of the whole quote, with any white space; if there is none, the
        first place of its longest piece, if that has at least `min_characters` characters and
        `min_share` of the quote.
    """
    words = quote.split()
    if not words:
        return
    whole = re.compile(r"\s+".join(map(re.escape, words)))
    exact = [
        (index, *match.span())
        for index, part in enumerate(history.parts)
        for match in whole.finditer(part.text)
    ]
    yield from exact
    if not exact:
        piece = _longest_piece(quote.strip(), history, settings)
        if piece is not None:
            yield piece


def _longest_piece(quote: str, history: Context, settings: Evidence) -> tuple[int, int, int] | None:
    """Find the longest piece of a quote that the history holds; None if it is too short to count."""
    needed = max(settings.min_characters, math.ceil(settings.min_share * len(quote)))
    best: tuple[int, int, int] | None = None
    for index, part in enumerate(history.parts):
        for start in range(len(quote) - needed + 1):
            size = needed if best is None else best[2] - best[1] + 1
            if start + size > len(quote):
                break
            place = part.text.find(quote[start : start + size])
            while place >= 0:
                best = (index, place, place + size)
                size += 1
                place = part.text.find(quote[start : start + size]) if start + size <= len(quote) else -1
    return best


def _array(answer: str) -> list[str] | None:
    """Read the JSON array of an answer; None if it holds none."""
    for start in [match.start() for match in re.finditer(r"\[", answer)][:_TRIED]:
        try:
            value, _ = Decoder(answer).decode(start)
        except (DecodingError, RecursionError):
            continue
        if isinstance(value, list) and all(isinstance(one, str) for one in value):
            return value
    try:
        value = decode(answer.strip())
    except (DecodingError, RecursionError):
        return None
    return [value] if isinstance(value, str) else None
