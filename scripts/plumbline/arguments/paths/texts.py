"""A text as values are looked for in it: normalised, with the way back to the original characters."""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property, lru_cache

Span = tuple[int, int]
"""Start and end of a match, in characters."""

LONGEST = 500
"""Longest value, in characters, that is looked for in other spellings."""

# white space other than one blank; letters beyond ASCII, with the one before, which an accent may join
_UNEVEN = re.compile(r"(?P<blank>[^\S ]\s*| \s+)|(?P<wide>[!-~]?[^\x00-\x7f\s]+)")
_SEPARATORS = re.compile(r"[^\s_\-]+")
_KEPT_BY_BFCL = re.compile(r"[^ ,./\-_*^]+")

# scripts that put no blank between words: there, a run of letters has no end that one could see
_BLANKLESS = "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u2e80-\ud7ff\uf900-\ufaff"
_WITHOUT_BLANKS = re.compile(f"[{_BLANKLESS}]")
_CLOCK = re.compile(r"\d:\d")
_RUN = re.compile(rf"[^\W_{_BLANKLESS}]+")


@dataclass(slots=True)
class _Segment:
    """A part of the normalised text and where it comes from."""

    start: int
    origin: int
    origin_end: int
    even: bool


class Text:
    """A text that can be searched.

    Parameters
    ----------
    text
        The original characters.
    normalise
        Whether it is compared after NFKC, case-folding and collapsing white space (C-D1).
    """

    def __init__(self, text: str, normalise: bool = True) -> None:
        self.source = text
        self._segments: list[_Segment] = []
        self.text = self._normalised(text) if normalise else text
        self._starts = [segment.start for segment in self._segments]

    def original(self, span: Span) -> Span:
        """Give the characters of the original text that a span of `text` comes from."""
        if not self._segments or span[0] >= span[1]:
            return span
        first = self._segments[bisect_right(self._starts, span[0]) - 1]
        last = self._segments[bisect_right(self._starts, span[1] - 1) - 1]
        start = first.origin + (span[0] - first.start if first.even else 0)
        end = last.origin + span[1] - last.start if last.even else last.origin_end
        return start, end

    def find(self, needle: str, whole: bool = True) -> Span | None:
        """Give the first place of a text; if `whole`, one that `is_whole`."""
        if not needle:
            return None
        start = self.text.find(needle)
        while start >= 0:
            span = start, start + len(needle)
            if not whole or is_whole(self.text, span):
                return span
            # a whole match that begins with a letter begins a run: none begins inside this one
            run = _RUN.match(self.text, start)
            start = self.text.find(needle, run.end() if run else start + 1)
        return None

    @cached_property
    def spaced(self) -> Derived:
        """The text with underscores and hyphens as blanks."""
        return Derived(self.text, _SEPARATORS, " ")

    @cached_property
    def squeezed(self) -> Derived:
        """The text without what BFCL's string rule drops."""
        return Derived(self.text.replace("'", '"'), _KEPT_BY_BFCL, "")

    def _normalised(self, text: str) -> str:
        pieces: list[str] = []
        length = done = 0

        def add(piece: str, origin: int, origin_end: int, even: bool) -> None:
            nonlocal length
            if piece:
                last = self._segments[-1] if self._segments else None
                if last is not None and last.even and even:
                    last.origin_end = origin_end
                else:
                    self._segments.append(_Segment(length, origin, origin_end, even))
                pieces.append(piece)
                length += len(piece)

        for match in _UNEVEN.finditer(text):
            add(text[done : match.start()].lower(), done, match.start(), True)
            if match["blank"]:
                add(" ", match.start(), match.end(), False)
            elif _is_plain(match[0]):
                add(match[0], match.start(), match.end(), True)
            else:
                for start, end in _clusters(text, match.start(), match.end()):
                    piece = normalised(text[start:end])
                    add(piece, start, end, len(piece) == 1 == end - start)
            done = match.end()
        add(text[done:].lower(), done, len(text), True)
        return "".join(pieces)


class Derived:
    """A text made of the pieces of another one, with the way back to it.

    Parameters
    ----------
    text
        The text that the pieces come from.
    pieces
        What is kept of it.
    glue
        What stands between them.
    """

    def __init__(self, text: str, pieces: re.Pattern[str], glue: str) -> None:
        self._base = text
        found = [(match.start(), match[0]) for match in pieces.finditer(text)]
        self._origins = [start for start, _ in found]
        self._starts = []
        length = 0
        for _, piece in found:
            self._starts.append(length)
            length += len(piece) + len(glue)
        self.text = glue.join(piece for _, piece in found)

    def find(self, needle: str) -> Span | None:
        """Give the first whole place of a text of at most `LONGEST` characters.

        Returns
        -------
        Span or None
            In characters of the text that the pieces come from.
        """
        if not needle or len(needle) > LONGEST:
            return None
        for start, end in _places(self.text, needle):
            span = self._back(start), self._back(end - 1) + 1
            if is_whole(self._base, span):
                return span
        return None

    def _back(self, position: int) -> int:
        piece = bisect_right(self._starts, position) - 1
        return self._origins[piece] + position - self._starts[piece]


@lru_cache(maxsize=64)
def text_of(text: str, normalise: bool) -> Text:
    """Give a text for searching; states of one query share most of theirs, which are prepared once."""
    return Text(text, normalise)


def normalised(text: str) -> str:
    """Write a text as it is compared, white space aside."""
    return unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", text).casefold())


def is_whole(text: str, span: Span) -> bool:
    """Say whether a span sits inside no longer run of letters and digits (C-D1) and ends no longer time.

    ``09:00`` is not whole in ``22:09:00``.
    """
    start, end = span
    return not (
        (start > 1 and _CLOCK.match(text, start - 2, end))
        or (start > 0 and _joins(text[start - 1], text[start]))
        or (end < len(text) and _joins(text[end - 1], text[end]))
    )


def _joins(one: str, other: str) -> bool:
    return (
        one.isalnum()
        and other.isalnum()
        and not _WITHOUT_BLANKS.match(one)
        and not _WITHOUT_BLANKS.match(other)
    )


def _is_plain(text: str) -> bool:
    """Say whether normalisation leaves a text as it is."""
    return unicodedata.is_normalized("NFKC", text) and text.casefold() == text


def _places(text: str, needle: str) -> Iterator[Span]:
    start = text.find(needle)
    while start >= 0:
        yield start, start + len(needle)
        start = text.find(needle, start + 1)


def _clusters(text: str, start: int, end: int) -> Iterator[Span]:
    """Part a text into letters, each with the accents that follow it."""
    first = start
    for position in range(start + 1, end):
        if not unicodedata.combining(text[position]):
            yield first, position
            first = position
    yield first, end
