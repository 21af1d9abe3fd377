"""Pieces of a history, and how prompts write them."""

from __future__ import annotations

import hashlib
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from plumbline.models.defusing import defused
from plumbline.records.arguments import State, Turn

Part = Literal["user", "assistant", "call", "return"]

_JOINERS = frozenset("\u200c\u200d\ufe0e\ufe0f")


@dataclass(frozen=True, slots=True)
class Shown:
    """A piece of the history that is shown.

    Attributes
    ----------
    part
        What it is a piece of; a system message counts as ``user``, its turn has the role.
    turn, call
        Place in `State.turns`, and of a call or return in `Turn.calls`.
    text
        The characters that are shown; of a call its name and its arguments as JSON.
    start
        Where they begin in the text that they are taken from.
    whole
        Length of that text, in characters.
    revealed
        Whether the step is shown although the window lost it (D25).
    """

    part: Part
    turn: int
    call: int | None
    text: str
    start: int
    whole: int
    revealed: bool = False


@dataclass(frozen=True)
class Context:
    """The pieces of a history that are shown, oldest first.

    Attributes
    ----------
    state
        Whose history it is.
    parts
        The pieces; of a text whose middle is left out there are two.
    """

    state: State
    parts: tuple[Shown, ...]

    def text(self) -> str:
        """Write the pieces as prompts show them.

        Returns
        -------
        str
            Each piece below a line that says what it is. These lines carry a marker that is drawn from the
            pieces and occurs in none of them, so that no piece can pass for another, nor leave the
            history. What is left out is said. Control tokens of chat templates are defused.
        """
        bodies = list(_bodies(self)) or [("history", "[nothing was said or called before]")]
        return marked_block(bodies)


def boundary(text: str, position: int) -> int:
    """Move a cut back to where it parts no character: no accent from its letter, no pair of surrogates.

    Parameters
    ----------
    text
        Any text.
    position
        In 0 to ``len(text)``.
    """
    while 0 < position < len(text) and is_inside(text, position):
        position -= 1
    return position


def is_inside(text: str, position: int) -> bool:
    """Whether a place of a text lies inside one character as people see it."""
    before, after = text[position - 1], text[position]
    return (
        ("\ud800" <= before <= "\udbff" and "\udc00" <= after <= "\udfff")
        or unicodedata.combining(after) > 0
        or after in _JOINERS
        or before == "\u200d"
        or "\U0001f3fb" <= after <= "\U0001f3ff"
    )


def marked_block(bodies: Sequence[tuple[str, str]]) -> str:
    """Write texts below lines that carry their title and a marker that occurs in none of the texts.

    Parameters
    ----------
    bodies
        (title, text) of each.

    Returns
    -------
    str
        The lines, the texts, and a last line that ends the block.
    """
    marker = _marker("\n".join(body for _, body in bodies))
    lines = [f"=== {marker} {title}\n{body}" for title, body in bodies]
    return "\n".join([*lines, f"=== {marker} end"])


def _marker(text: str) -> str:
    """Draw a marker from a text that does not occur in it."""
    digest = hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
    size = 6
    while digest[:size] in text:
        size += 6
    return digest[:size]


def _bodies(context: Context) -> Iterator[tuple[str, str]]:
    """Give title and body of each text that is shown, and of what is left out."""
    turns = context.state.turns
    numbers = {
        place: number
        for number, place in enumerate(
            ((index, at) for index, turn in enumerate(turns) for at in range(len(turn.calls))), start=1
        )
    }
    seen = {(part.turn, part.call) for part in context.parts if part.part == "call"}
    returned = {(part.turn, part.call) for part in context.parts if part.part == "return"}
    missing = [place for place in numbers if place not in seen]
    told: set[tuple[int, int]] = set()
    parts = list(context.parts)
    for at, part in enumerate(parts):
        if at and _is_rest(parts[at - 1], part):
            continue
        place = (part.turn, part.call if part.call is not None else -1)
        lost = [other for other in missing if other < place and other not in told]
        if lost:
            told.update(lost)
            yield _left_out(len(lost))
        rest = parts[at + 1] if at + 1 < len(parts) and _is_rest(part, parts[at + 1]) else None
        number = numbers.get(place, 0)
        yield _title(part, turns, number), _body(part, rest)
        if part.part == "call" and place not in returned:
            gone = turns[place[0]].calls[place[1]].returns is not None
            yield f"return {number}", "[left out]" if gone else "[nothing]"
    left = [other for other in missing if other not in told]
    if left:
        yield _left_out(len(left))


def _left_out(calls: int) -> tuple[str, str]:
    return "left out", f"[{calls} {'call' if calls == 1 else 'calls'}, with what came back]"


def _is_rest(part: Shown, following: Shown) -> bool:
    """Whether a piece is the rest of the text that the piece before it began."""
    return following.start > 0 and (part.part, part.turn, part.call) == (
        following.part,
        following.turn,
        following.call,
    )


def _title(part: Shown, turns: Sequence[Turn], number: int) -> str:
    title: str = turns[part.turn].role if part.part == "user" else part.part
    if part.part in ("call", "return"):
        title = f"{part.part} {number}"
    return f"{title}, from an earlier step" if part.revealed else title


def _body(part: Shown, rest: Shown | None) -> str:
    body = _cut_mark(part.start, "", " ") + part.text
    last = part
    if rest is not None:
        body += _cut_mark(rest.start - part.start - len(part.text), " ", " ") + rest.text
        last = rest
    return defused(body + _cut_mark(last.whole - last.start - len(last.text), " ", ""))


def _cut_mark(characters: int, before: str, after: str) -> str:
    return f"{before}[... {characters} characters left out ...]{after}" if characters else ""
