"""One value that moves from the request into a saved entry, and how the request is rewritten (D22, C-D17)."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from plumbline.arguments.datasets.saved_items import SavedItems
from plumbline.arguments.datasets.stated import places, states_value, written
from plumbline.corpora.values import leaves
from plumbline.records.arguments import ArgumentItem, State
from plumbline.records.model import ToolCall

_ARTICLE = re.compile(r"\b(?:an?|the)\s+$", re.IGNORECASE)
_QUOTES = {'"': '"', "'": "'", "`": "`", "“": "”", "‘": "’"}


@dataclass(frozen=True)
class Move:
    """One value of one state, and where it goes.

    Attributes
    ----------
    state
        The state as it was.
    item
        The correct item whose value the request states.
    call
        The gold call.
    turn
        Index of the message that states the value; no other text of the state does.
    stated
        The value as that message spells it.
    items
        The entries, padded.
    control
        The value C; None if no wrong value of the slot is absent from all texts.
    """

    state: State
    item: ArgumentItem
    call: ToolCall
    turn: int
    stated: str
    items: SavedItems
    control: Any = None

    @property
    def name(self) -> str:
        """The entry's name, which the request mentions instead of the value."""
        return self.items.names[0]

    @property
    def message(self) -> str:
        """The message as it was."""
        return self.state.turns[self.turn].text or ""

    def with_request(self, text: str) -> State:
        """Give the state with another text of the message."""
        turns = list(self.state.turns)
        turns[self.turn] = turns[self.turn].model_copy(update={"text": text})
        return self.state.model_copy(update={"turns": tuple(turns)})


def template_request(move: Move) -> str:
    """Rewrite the message by template: its value is named by the entry that holds it.

    Quotation marks around the value, and a currency sign or an article before it, go with it. Where the
    parameter's words stand before the value, they are not said twice.
    """
    words = _words(move.item.parameter)
    text = move.message
    for start, end in reversed(places(text, move.stated)):
        if text[start - 1 : start] in _QUOTES and text[end : end + 1] == _QUOTES[text[start - 1]]:
            start, end = start - 1, end + 1
        elif start and text[start - 1] in "$€£¥":
            start -= 1
        article = _ARTICLE.search(text[:start])
        before = text[: article.start() if article else start]
        said = re.search(rf"(?<!\w)(the +)?{re.escape(words)} +$", before, re.IGNORECASE)
        if said and said[1]:
            before = before[: said.start()]
        noun = "one" if said and not said[1] else words
        text = f'{before}the {noun} of my saved item "{move.name}"{text[end:]}'
    return text


def request_problem(move: Move, text: str) -> tuple[str, str] | None:
    """Say what is wrong with a rewritten request, as a status and in words; None if nothing is.

    Statuses: `empty`; `value_kept`, it still states the value; `entry_missing`, it does not name the entry;
    `values_lost`, it lacks another value of the gold call that the request stated before.
    """
    if not text.strip():
        return "empty", "the request is blank"
    if states_value(text, move.item.value):
        return "value_kept", f"the request still states {written(move.item.value)}"
    if not places(text, move.name):
        return "entry_missing", f"the request does not name the entry {move.name}"
    kept = [value for key, value in move.call.arguments.items() if key != move.item.parameter]
    for leaf in leaves(kept):
        if states_value(move.message, leaf) and not states_value(text, leaf):
            return "values_lost", f"the request no longer states {written(leaf)}"
    return None


def _words(parameter: str) -> str:
    """Write a parameter's name as words: `hotelName` and `hotel_name` are hotel name."""
    parted = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", " ", parameter)
    return " ".join(re.split(r"[\W_]+", parted)).strip().lower() or parameter
