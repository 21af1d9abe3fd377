"""The value that a reference states (D16, C-D11)."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from os.path import commonprefix
from typing import Any

from plumbline.arguments.references.typed import json_type, typed_value
from plumbline.config.arguments import Parser

_QUOTED = (
    r"```(?:\w+\n)?(?P<block>.+?)```"
    r"|`(?P<code>[^`\n]+)`"
    r'|"(?P<double>(?:\\.|[^"\\\n])*)"'
    r"|\u201c(?P<curly>[^\u201d\n]*)\u201d"
    r"|(?<!\w)\u2018(?P<single_curly>[^\u2019\n]*)\u2019(?!\w)"
    r"|(?<!\w)'(?P<single>[^\n]{0,300}?)'(?!\w)"
)
_VALUE = re.compile(_QUOTED, re.DOTALL)
_BARE = re.compile(
    r"(?P<json>\[[^\[\]]*\]|\{[^{}]*\})"
    r"|(?P<word>-?[$\u20ac\u00a3]?\d[\w.,:/%+-]*|(?:true|false|null|none|yes|no)\b|[A-Z]{2,}[\w.-]*)",
)
_FILLER = re.compile(
    r"[\s:=,*_]*(?:(?:set|equal|exactly|to|the|a|an|be|is|as|of|value|string|integer|number|float|boolean|list"
    r"|array|object|literal|default|iso|date)\b[\s:=,*_]*)*",
    re.IGNORECASE,
)
_SENTENCE_END = re.compile(r"[.!?;](?=\s|$)|\n")
_NEGATION = re.compile(r"\b(?:not|never|neither|cannot|can't|isn't)\b|n't\b", re.IGNORECASE)

_ECHO = 20
"""Characters that a text has in common with a sentence of the description if it repeats it."""


@dataclass(frozen=True, slots=True)
class Stated:
    """A value that a text states.

    Attributes
    ----------
    value
        Typed by the parameter's schema.
    start, end
        Place of the value in the text, without its quotes.
    """

    value: Any
    start: int
    end: int


def stated_value(text: str, parameter: str, schema: Mapping[str, Any], settings: Parser) -> Stated | None:
    """Read the value that a reference concludes with.

    Parameters
    ----------
    text
        The reference.
    parameter, schema
        What the value is for.
    settings
        The cues of a conclusion, and the words for one that is not reached.

    Returns
    -------
    Stated or None
        The value right after the last cue that has one; words after it that say that nothing is settled
        leave none. Without a cue, the only quoted value, unless such words stand anywhere. A text that
        quotes several values without a cue states none.
    """
    text = _without_name_in_cue(_without_echo(text, schema.get("description")), parameter)
    last = _conclusion(text, parameter, schema, settings)
    undecided = [match.start() for match in _words(tuple(settings.undetermined)).finditer(text)]
    if last is not None:
        return None if undecided and undecided[-1] > last.end else last
    if undecided:
        return None
    quoted = list(_quoted(text, parameter, schema))
    distinct = {repr((json_type(found.value), found.value)) for found in quoted}
    return quoted[0] if len(distinct) == 1 else None


def _without_echo(text: str, description: Any) -> str:
    """Blank what repeats the parameter's description: its words and examples are no conclusion."""
    if not isinstance(description, str):
        return text
    for sentence in re.split(r"(?<=[.!?])\s+|\n", description):
        place = text.find(sentence[:_ECHO]) if len(sentence) >= _ECHO else -1
        while place >= 0:
            end = place + len(commonprefix([sentence, text[place : place + len(sentence)]]))
            text = text[:place] + " " * (end - place) + text[end:]
            place = text.find(sentence[:_ECHO], end)
    return text


def _without_name_in_cue(text: str, parameter: str) -> str:
    """Blank the parameter's name in "the value of NAME is", so that it reads "the value is"."""
    named = re.compile(rf"(?<=\bvalue)\s+of\s+([\"'`]?){re.escape(parameter)}\1(?=\s+(?:is|should|must)\b)")
    return named.sub(lambda found: " " * len(found[0]), text)


def _conclusion(text: str, parameter: str, schema: Mapping[str, Any], settings: Parser) -> Stated | None:
    """Give the value of the last cue that has one: right behind it, else quoted later in its sentence."""
    quotes = list(_VALUE.finditer(text))
    starts = [quote.start() for quote in quotes]
    for cue in reversed(list(_words(tuple(settings.cues)).finditer(text))):
        before = bisect_left(starts, cue.start())
        if before and quotes[before - 1].end() > cue.start():
            continue  # a quoted passage may hold the words of a cue
        following = quotes[before] if before < len(quotes) else None
        place = _filler_end(text, cue.end())
        if following is not None and following.start() == place:
            stated = _stated(following, parameter, schema)
        else:
            stated = _bare(text, place, schema)
        if stated is None and following is not None:
            ending = _SENTENCE_END.search(text, cue.end(), following.start())
            stated = None if ending else _stated(following, parameter, schema)
        if stated is not None and not _NEGATION.search(text, cue.end(), stated.start):
            return stated
    return None


def _filler_end(text: str, start: int) -> int:
    found = _FILLER.match(text, start)
    return found.end() if found else start


def _bare(text: str, place: int, schema: Mapping[str, Any]) -> Stated | None:
    """Read a value without quotes: a JSON value, a word with digits, an option of the enum."""
    options = schema.get("enum")
    for option in sorted(map(str, options), key=len, reverse=True) if isinstance(options, list) else ():
        if re.compile(rf"{re.escape(option)}(?!\w)").match(text, place):
            return Stated(_typed(option, schema)[1], place, place + len(option))
    found = _BARE.match(text, place)
    if found is None:
        return None
    stated = found[0] if found["json"] else found[0].rstrip(".,:")
    fits, value = _typed(stated, schema)
    if not fits and json_type(schema.get("default")) != json_type(value):
        return None
    return Stated(value, place, place + len(stated))


def _typed(stated: str, schema: Mapping[str, Any]) -> tuple[bool, Any]:
    return typed_value(stated, schema, quoted=False)


def _quoted(text: str, parameter: str, schema: Mapping[str, Any]) -> Iterator[Stated]:
    for found in _VALUE.finditer(text):
        if re.search(r"\bnot\s*$", text[max(0, found.start() - 8) : found.start()], re.IGNORECASE):
            continue
        stated = _stated(found, parameter, schema)
        if stated is not None and typed_value(found[found.lastgroup or 0], schema)[0]:
            yield stated


def _stated(found: re.Match[str], parameter: str, schema: Mapping[str, Any]) -> Stated | None:
    group = found.lastgroup or "double"
    content = found[group]
    start = found.start(group)
    content, start = _without_name(content, start, parameter)
    if not content.strip(" .\u2026") or content.strip() == parameter:
        return None  # neither the parameter's own name nor an ellipsis is a value
    if group == "double":
        unescaped = re.sub(r'\\(["\\])', r"\1", content)
    else:
        unescaped = content.strip() if group == "block" else content
    if group in ("block", "code"):
        unescaped, inner = _inner_quotes(unescaped)
        return Stated(typed_value(unescaped, schema, quoted=inner)[1], start, start + len(content))
    trailing = len(unescaped) - len(unescaped.rstrip(",;"))
    unescaped = unescaped.rstrip(",;") if unescaped.rstrip(",;") else unescaped
    return Stated(typed_value(unescaped, schema)[1], start, start + len(content) - trailing)


def _inner_quotes(text: str) -> tuple[str, bool]:
    """Give the content of code marks and whether it is a string: quotes inside them are no part of it."""
    stripped = text.strip()
    if len(stripped) >= 2 and stripped[0] == stripped[-1] and stripped[0] in "\"'":
        return stripped[1:-1], True
    return text, True


def _without_name(content: str, start: int, parameter: str) -> tuple[str, int]:
    """Cut ``name=`` and ``"name":`` before a value."""
    named = re.match(rf"\s*\{{?\s*[\"']?{re.escape(parameter)}[\"']?\s*[:=]\s*", content)
    if named is None or named.end() == len(content):
        return content, start
    rest = content[named.end() :]
    if content.lstrip().startswith("{") and rest.rstrip().endswith("}"):
        rest = rest.rstrip()[:-1].rstrip()
    if len(rest) >= 2 and rest[0] == rest[-1] and rest[0] in "\"'":
        return rest[1:-1], start + named.end() + 1
    return rest, start + named.end()


@lru_cache(maxsize=64)
def _words(phrases: Sequence[str]) -> re.Pattern[str]:
    """Compile phrases that stand as whole words, in any case, with any white space; none matches nothing."""
    alternatives = ["\\s+".join(map(re.escape, phrase.split())) for phrase in phrases if phrase.strip()]
    if not alternatives:
        return re.compile(r"(?!)")
    return re.compile(rf"(?<!\w)(?:{'|'.join(alternatives)})(?!\w)", re.IGNORECASE)
