"""JSON as language models write it: RFC 8259 and a closed list of deviations, nothing guessed.

Accepted besides strict JSON: a trailing comma; single quotes; `True`, `False`, `None`; `//` and `/* */`
comments; raw control characters in strings; a backslash that starts no legal escape; zero-width white
space between tokens. `NaN`, `Infinity` and numbers too large for a float become `NonFinite`, a key with
two different values a `Conflict`. Nothing is evaluated, nothing recurses.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from typing import Any, NoReturn

from plumbline.answers.json_values import NonFinite, put

PASSES = 8
"""How often, on average, a character may be read before a text counts as built to exhaust the reader."""

WORDS: dict[str, Any] = {
    "true": True,
    "false": False,
    "null": None,
    "True": True,
    "False": False,
    "None": None,
    "NaN": NonFinite("NaN"),
    "Infinity": NonFinite("Infinity"),
    "-Infinity": NonFinite("-Infinity"),
}

BLANK = r"[ \t\n\r\ufeff\u200b\u2060]"
"""One character of white space between tokens, as a regular expression."""

_BLANKS = re.compile(BLANK + "*+")
_LINE = re.compile(r"[^\n\r]*+")
_STRING = {
    '"': re.compile(r'"([^"\\]*+(?:\\.[^"\\]*+)*+)"', re.DOTALL),
    "'": re.compile(r"'([^'\\]*+(?:\\.[^'\\]*+)*+)'", re.DOTALL),
}
_ESCAPE = re.compile(
    r"\\(?:u([dD][89abAB][0-9a-fA-F]{2})\\u([dD][c-fC-F][0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|(.))", re.DOTALL
)
_ESCAPED = {"b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "/": "/", "\\": "\\", '"': '"'}
_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]*+)(\.[0-9]++)?([eE][+-]?[0-9]++)?")
_NUMBER_CUT = re.compile(r"-?(?:(?:0|[1-9][0-9]*+)(?:\.|(?:\.[0-9]++)?[eE][+-]?))?\Z")
_WORD = re.compile(r"-?[A-Za-z]*+")
# the largest float has 309 digits
_MOST_DIGITS = 309


class DecodingError(ValueError):
    """A text holds no JSON value at the place asked for.

    Parameters
    ----------
    reason
        A clause that says what was met.
    position
        Index of the character at which decoding failed.
    """

    def __init__(self, reason: str, position: int) -> None:
        super().__init__(f"{reason} at character {position + 1}")
        self.reason = reason
        self.position = position


class TruncatedError(DecodingError):
    """The text ends inside the value."""


class MalformedError(DecodingError):
    """What stands there is not JSON, however the text went on."""


class ExhaustedError(DecodingError):
    """The text makes the reader go over it again and again; nothing more is read from it."""


@dataclass(slots=True)
class _Open:
    """An object or array whose end has not been met."""

    start: int
    value: Any
    closer: str
    key: str = ""


class Decoder:
    """Decodes values from one text, at any position, in time linear in the text.

    Parameters
    ----------
    text
        What is read. Positions are indices into it.

    Notes
    -----
    Openings inside a value that failed are remembered, because a value that starts there fails at the
    same place; so a scan that tries every opening of a deeply nested wreck stays linear.
    """

    def __init__(self, text: str) -> None:
        self.text = text
        self._failed: dict[int, tuple[type[DecodingError], str, int]] = {}
        self._last: tuple[int, Any, int] | None = None
        self._endless_comment = len(text)
        self._to_spend = PASSES * len(text) + 1000

    def decode(self, start: int = 0) -> tuple[Any, int]:
        """Decode the value that begins exactly at `start`.

        Returns
        -------
        tuple
            The value and the position behind it. Objects are dicts in order of first occurrence, arrays
            lists; `Conflict` and `NonFinite` can stand anywhere inside.

        Raises
        ------
        TruncatedError
            If the text ends inside the value (or before it).
        MalformedError
            If what stands there is not JSON.
        ExhaustedError
            If the text has cost too much already.
        """
        if start in self._failed:
            self._fail_again(start)
        if self._last and self._last[0] == start:
            return self._last[1:]
        if self._to_spend < 0:
            raise ExhaustedError("the text cannot be read with a fair effort", start)
        stack: list[_Open] = []
        try:
            value, end = self._value(start, stack)
        except DecodingError as error:
            # not the error itself: its traceback would keep every frame alive
            failure = (type(error), error.reason, error.position)
            self._failed.update((opening.start, failure) for opening in stack)
            self._to_spend -= error.position - start
            raise
        self._to_spend -= end - start
        self._last = (start, value, end)
        return value, end

    def skip(self, position: int) -> int:
        """Give the position of the first character at or behind `position` that is no blank or comment."""
        text = self.text
        position = _run_end(_BLANKS, text, position)
        while text.startswith("/", position):
            if text.startswith("//", position):
                position = _run_end(_LINE, text, position)
            elif text.startswith("/*", position):
                end = text.find("*/", position + 2) if position < self._endless_comment else -1
                if end < 0:
                    self._endless_comment = min(position, self._endless_comment)
                    raise TruncatedError("the text ends inside a comment", len(text))
                position = end + 2
            elif position == len(text) - 1:
                raise TruncatedError("the text ends inside a comment", len(text))
            else:
                return position
            position = _run_end(_BLANKS, text, position)
        return position

    def _value(self, position: int, stack: list[_Open]) -> tuple[Any, int]:
        text = self.text
        while True:
            if text.startswith(("{", "["), position):
                if position in self._failed:
                    # what lies ahead was paid for when it failed first
                    self._to_spend += self._failed[position][2] - position
                    self._fail_again(position)
                is_object = text[position] == "{"
                stack.append(_Open(position, {} if is_object else [], "}" if is_object else "]"))
                position = self.skip(position + 1)
            else:
                value, position = self._scalar(position)
                if not stack:
                    return value, position
                position = self._add(stack[-1], value, position)
            while text.startswith(stack[-1].closer, position):
                closed = stack.pop().value
                if not stack:
                    return closed, position + 1
                position = self._add(stack[-1], closed, position + 1)
            if stack[-1].closer == "}":
                position = self._key(stack[-1], position)

    def _add(self, opening: _Open, value: Any, position: int) -> int:
        """Put a value into its container; give the position of the next item or of the closing bracket."""
        if opening.closer == "}":
            put(opening.value, opening.key, value)
        else:
            opening.value.append(value)
        position = self.skip(position)
        if self.text.startswith(",", position):
            return self.skip(position + 1)
        if self.text.startswith(opening.closer, position):
            return position
        return self._fail(f"neither a comma nor `{opening.closer}` follows a value", position)

    def _key(self, opening: _Open, position: int) -> int:
        """Read a key and its colon; give the position of the value."""
        if self.text[position : position + 1] not in _STRING:
            self._fail("no key in quotes stands where one is due", position)
        opening.key, position = self._string(position)
        position = self.skip(position)
        if not self.text.startswith(":", position):
            self._fail("no colon follows a key", position)
        return self.skip(position + 1)

    def _scalar(self, position: int) -> tuple[Any, int]:
        if self.text[position : position + 1] in _STRING:
            return self._string(position)
        if _NUMBER_CUT.match(self.text, position):
            raise TruncatedError("the text ends inside a value", len(self.text))
        number = _NUMBER.match(self.text, position)
        if number:
            return number_value(number), number.end()
        end = _run_end(_WORD, self.text, position)
        word = self.text[position:end]
        if word in WORDS:
            return WORDS[word], end
        if end == len(self.text) and any(known.startswith(word) for known in WORDS):
            raise TruncatedError("the text ends inside a value", len(self.text))
        return self._fail("no JSON value stands where one is due", position)

    def _string(self, position: int) -> tuple[str, int]:
        quote = self.text[position]
        found = _STRING[quote].match(self.text, position)
        if not found:
            raise TruncatedError("the text ends inside a string", len(self.text))
        content = found.group(1)
        if "\\" in content:
            content = _ESCAPE.sub(_unescape_single if quote == "'" else _unescape, content)
        return content, found.end()

    def _fail(self, reason: str, position: int) -> NoReturn:
        if position >= len(self.text):
            raise TruncatedError("the text ends inside a value", position)
        raise MalformedError(reason, position)

    def _fail_again(self, position: int) -> NoReturn:
        kind, reason, where = self._failed[position]
        raise kind(reason, where)


def decode(text: str) -> Any:
    """Decode a text that holds one value and nothing else but white space and comments.

    Raises
    ------
    DecodingError
        `TruncatedError` if the text ends inside the value, else `MalformedError`.
    """
    decoder = Decoder(text)
    value, end = decoder.decode(decoder.skip(0))
    end = decoder.skip(end)
    if end < len(text):
        raise MalformedError("something follows the value", end)
    return value


def number_of(text: str) -> int | float | NonFinite | None:
    """Read a text that is as a whole a strict JSON number; None if it is anything else."""
    found = _NUMBER.fullmatch(text)
    return number_value(found) if found else None


def number_value(number: re.Match[str]) -> int | float | NonFinite:
    """Convert a number: integers keep all digits; one too large for a float is not finite."""
    literal = number.group()
    whole = number.group(1) is None and number.group(2) is None
    if whole and len(literal) < _MOST_DIGITS:
        return int(literal)
    value = float(literal)
    if math.isinf(value):
        return NonFinite("-Infinity" if value < 0 else "Infinity")
    return int(literal) if whole else value


def _run_end(pattern: re.Pattern[str], text: str, position: int) -> int:
    """Give the end of the run of characters at `position` that the pattern matches, possibly none."""
    found = pattern.match(text, position)
    return found.end() if found else position


def _unescape(escape: re.Match[str]) -> str:
    high, low, single, other = escape.groups()
    if high:
        return chr(0x10000 + ((int(high, 16) - 0xD800) << 10) + int(low, 16) - 0xDC00)
    if single:
        code = int(single, 16)
        return "\ufffd" if 0xD800 <= code <= 0xDFFF else chr(code)
    return _ESCAPED.get(other, escape.group())


def _unescape_single(escape: re.Match[str]) -> str:
    return "'" if escape.group() == "\\'" else _unescape(escape)
