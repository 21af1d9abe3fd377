"""Where a value stands in texts, and the passages around it (D38)."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from plumbline.arguments.shown import Context, Shown, boundary
from plumbline.config.arguments import Snippets
from plumbline.corpora.values import as_number, leaves

_NOT_INSIDE = r"(?<![^\W_])", r"(?![^\W_])"


@dataclass(frozen=True, slots=True)
class Passage:
    """A passage of the history: its place in `Context.parts`, and its first and last character there."""

    part: int
    start: int
    end: int


def places_of(value: Any, text: str) -> list[tuple[int, int]]:
    """Find all places of a value in a text.

    Parameters
    ----------
    value
        A number is found by its value (``5000``, ``5,000``, ``5000.0``), a string in any case and with any
        white space, also as JSON escapes it, a boolean as the word; null and blanks nowhere. Of a list or an
        object each leaf is looked for. No match sits inside a longer run of letters and digits.
    text
        Any text.

    Returns
    -------
    list of tuple
        (start, end) in characters, in order, without overlaps between two matches of one leaf.
    """
    found = {
        match.span()
        for leaf in leaves(value)
        if (pattern := _pattern(_key(leaf))) is not None
        for match in pattern.finditer(text)
    }
    return sorted(found)


def stands_in(value: Any, text: str) -> bool:
    """Say whether a value stands in a text, see `places_of`; of a list or an object each of its leaves."""
    members = list(leaves(value))
    return bool(members) and all(places_of(leaf, text) for leaf in members)


def passages_around(
    places: Iterable[tuple[int, int, int]], parts: Sequence[Shown], settings: Snippets, *, cap: bool = True
) -> list[Passage]:
    """Make passages of places: a window around each, those that touch or overlap merged (D38).

    Parameters
    ----------
    places
        (index of the part, start, end) of each.
    parts
        The parts.
    settings
        Characters on each side, the longest passage, the most passages.
    cap
        Whether merged passages are cut, and only the most recent ones kept. The window around one place is
        as long as its value asks for.

    Returns
    -------
    list of Passage
        Most recent first; without `cap` in their order.
    """
    merged: list[Passage] = []
    joined: set[Passage] = set()
    for part, start, end in sorted(set(places)):
        text = parts[part].text
        first = boundary(text, max(0, start - settings.around))
        last = boundary(text, min(len(text), end + settings.around))
        last = max(last, end)
        if merged and merged[-1].part == part and first <= merged[-1].end:
            joined.discard(merged[-1])
            merged[-1] = Passage(part, merged[-1].start, max(last, merged[-1].end))
            joined.add(merged[-1])
        else:
            merged.append(Passage(part, first, last))
    if not cap:
        return merged
    cut = [_capped(one, parts, settings.longest) if one in joined else one for one in merged]
    return cut[::-1][: settings.count]


def value_passages(value: Any, history: Context, settings: Snippets) -> list[Passage]:
    """Give the passages of a history around a value, most recent first (D38)."""
    places = (
        (index, start, end)
        for index, part in enumerate(history.parts)
        for start, end in places_of(value, part.text)
    )
    return passages_around(places, history.parts, settings)


def passage_texts(passages: Iterable[Passage], history: Context) -> Iterator[tuple[str, str]]:
    """Give title and text of passages, as `question_text.fenced_passages` takes them."""
    for passage in passages:
        part = history.parts[passage.part]
        before = "... " if passage.start > 0 else ""
        after = " ..." if passage.end < len(part.text) else ""
        role = history.state.turns[part.turn].role if part.part == "user" else part.part
        yield (
            f"passage of a {role}" if role != "assistant" else "passage of the assistant",
            (f"{before}{part.text[passage.start : passage.end]}{after}"),
        )


def _capped(passage: Passage, parts: Sequence[Shown], longest: int) -> Passage:
    end = min(passage.end, passage.start + longest)
    return Passage(passage.part, passage.start, boundary(parts[passage.part].text, end))


def _key(leaf: Any) -> str:
    return json.dumps(leaf, ensure_ascii=False)


@lru_cache(maxsize=4096)
def _pattern(key: str) -> re.Pattern[str] | None:
    leaf = json.loads(key)
    if leaf is None:
        return None
    if isinstance(leaf, bool):
        return re.compile(rf"\b{str(leaf)}\b", re.IGNORECASE)
    number = as_number(leaf)
    forms = [] if number is None else [_number_form(f"{number:f}")]
    if isinstance(leaf, str) and leaf.strip():
        forms.append(_text_form(leaf.strip()))
    return re.compile("|".join(forms), re.IGNORECASE) if forms else None


def _text_form(text: str) -> str:
    forms = [r"\s+".join(map(re.escape, text.split()))]
    for ascii_only in (False, True):
        escaped = json.dumps(text, ensure_ascii=ascii_only)[1:-1]
        if escaped != text:
            forms.append(re.escape(escaped))
    before = _NOT_INSIDE[0] if text[0].isalnum() else ""
    after = _NOT_INSIDE[1] if text[-1].isalnum() else ""
    return f"{before}(?:{'|'.join(forms)}){after}"


def _number_form(digits: str) -> str:
    sign, whole = ("-", digits[1:]) if digits.startswith("-") else ("", digits)
    whole, _, fraction = whole.partition(".")
    grouped = f"{int(whole):,}"
    forms = f"(?:{whole}|{grouped})" if grouped != whole else whole
    tail = rf"\.{fraction}0*" if fraction else r"(?:\.0+)?"
    before = r"(?<![\w.])-" if sign else r"(?<![\w.,-])(?<!\d,)"
    return rf"{before}{forms}{tail}(?![^\W_])(?![.,]\d)"
