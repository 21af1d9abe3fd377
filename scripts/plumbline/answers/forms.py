"""What both readers ask of a text: its margins, its code fences, its values."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from plumbline.answers.tolerant_json import BLANK, Decoder, DecodingError, ExhaustedError, MalformedError

ZERO_WIDTH = "\ufeff\u200b\u2060"
"""Characters that count as white space at the ends of an answer and between tokens."""

# no white space of Unicode lies above U+3000
_MARGIN = "".join(filter(str.isspace, map(chr, range(0x3001)))) + ZERO_WIDTH
_FENCE_OPENS = re.compile(rf"[\s{ZERO_WIDTH}]*+(?:(?:`{{3,}}|~{{3,}})[ \t]*+[\w.+#-]*+)?")
_FENCE_CLOSES = re.compile(rf"[\s{ZERO_WIDTH}]*+(?:`{{3,}}|~{{3,}})?[\s{ZERO_WIDTH}]*+\Z")
_FENCE_LINE = re.compile(r"(?:`{3,}|~{3,})[ \t]*[\w.+#-]*")
_OPENING = {
    "{": rf"\{{(?={BLANK}*+(?:[\"'/}}]|\Z))",
    "[": rf"\[(?={BLANK}*+(?:[\"'\[{{\]/0-9tfnTFNI-]|\Z))",
}


@dataclass(frozen=True)
class Whole:
    """The one value that a text consists of."""

    value: Any


def trim(text: str) -> str:
    """Cut white space, byte order marks and zero-width characters off both ends."""
    return text.strip(_MARGIN)


def is_blank(text: str) -> bool:
    """Tell whether a text holds nothing but white space and code-fence lines."""
    return all(not line or _FENCE_LINE.fullmatch(line) for line in map(trim, text.splitlines()))


def whole_value(decoder: Decoder, start: int = 0) -> Whole | None:
    """Give the value that a text is from `start` to its end, or None if it is not one JSON value.

    Parameters
    ----------
    decoder
        Holds the text. Margins, comments and a code fence around the value are allowed; one of the two
        fence lines may be missing (a stop sequence or a prefilled answer takes it away).
    start
        Where the value, or what is allowed before it, begins.
    """
    opened = _FENCE_OPENS.match(decoder.text, start)
    try:
        value, end = decoder.decode(decoder.skip(opened.end() if opened else start))
        end = decoder.skip(end)
    except DecodingError:
        return None
    return Whole(value) if _FENCE_CLOSES.match(decoder.text, end) else None


def check_end(decoder: Decoder) -> None:
    """Make sure that a text that begins with an array or a string in double quotes also ends it.

    Raises
    ------
    TruncatedError
        If the text ends inside it: what stood behind the readable part is unknown.
    """
    opened = _FENCE_OPENS.match(decoder.text)
    start = opened.end() if opened else 0
    try:
        start = decoder.skip(start)
        if decoder.text.startswith(("[", '"'), start):
            decoder.decode(start)
    except (MalformedError, ExhaustedError):
        # prose may begin with a bracket
        return


def openings(brackets: str, besides: str = "") -> re.Pattern[str]:
    """Make a pattern of the places where decoding can do anything but fail at once.

    Parameters
    ----------
    brackets
        `{`, `[` or both.
    besides
        A regular expression of further places that the caller wants to hear of.
    """
    parts = [_OPENING[bracket] for bracket in brackets]
    return re.compile("|".join([*parts, besides] if besides else parts))


def scan(decoder: Decoder, places: re.Pattern[str]) -> Iterator[tuple[int, Any]]:
    """Decode from left to right; a decoded value is taken whole, a failure is one character wide.

    Parameters
    ----------
    decoder
        Holds the text.
    places
        Where to try, from `openings`.

    Yields
    ------
    tuple
        The position, and the value or the `MalformedError` that says why there is none.

    Raises
    ------
    TruncatedError, ExhaustedError
        Nothing that follows can be trusted.
    """
    found = places.search(decoder.text)
    while found:
        start, end = found.start(), found.start() + 1
        try:
            value, end = decoder.decode(start)
        except MalformedError as error:
            value = error
        yield start, value
        found = places.search(decoder.text, end)
