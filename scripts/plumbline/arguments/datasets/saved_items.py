"""The return of `find_saved_items`: eight entries, one of which holds the value, visible or buried (D22)."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from plumbline.arguments.datasets.stated import places, squeezed, states_value
from plumbline.records.model import Tool

FUNCTION = "find_saved_items"
"""The earlier call whose return holds the value; no function of a data set may have this name."""

FILLER = "Kept from a past visit. "
"""The note that is appended, equally to all entries, until the buried entry is past the cut."""

FIRST_STARTS_BY = 33
"""Character of the return by which the value of the first distractor begins."""

Placement = Literal["visible", "buried"]
PLACEMENTS: tuple[Placement, ...] = ("visible", "buried")


class PlacementError(RuntimeError):
    """A relocated value is not where it has to be: an error of plumbline's, not of the data."""


@dataclass(frozen=True)
class SavedItems:
    """Entries of the return, without an order.

    Attributes
    ----------
    parameter
        The key of the value in each entry.
    names
        What each entry is called; no other entry shares it. The first is the correct entry's.
    values
        The correct value, then the distractors; the first distractor is H.
    fillers
        How often the note is appended.
    """

    parameter: str
    names: tuple[str, ...]
    values: tuple[Any, ...]
    fillers: int = 0

    @property
    def attribute(self) -> str:
        """Key of an entry's name."""
        return "label" if self.parameter == "name" else "name"

    def entries(self) -> list[dict[str, Any]]:
        """Give the entries: the correct one, then the distractors."""
        entries = []
        for name, value in zip(self.names, self.values, strict=True):
            entry = {self.parameter: value, self.attribute: name}
            if self.fillers:
                entry["remark" if self.parameter == "note" else "note"] = (FILLER * self.fillers).strip()
            entries.append(entry)
        return entries

    def ordered(self, placement: Placement) -> list[dict[str, Any]]:
        """Give the entries in order: H first, the correct one second (visible) or last (buried)."""
        correct, first, *rest = self.entries()
        return [first, correct, *rest] if placement == "visible" else [first, *rest, correct]

    def text(self, placement: Placement) -> str:
        """Write the return."""
        return "[" + ", ".join(_dumped(entry) for entry in self.ordered(placement)) + "]"

    def start(self, placement: Placement, index: int) -> int:
        """Give the character at which an entry of the ordered return begins."""
        before = self.ordered(placement)[:index]
        return 1 + sum(len(_dumped(entry)) + 2 for entry in before)

    def value_start(self, placement: Placement, index: int) -> int:
        """Give the character at which the value of an entry begins, after its quotation mark."""
        value = self.ordered(placement)[index][self.parameter]
        quotation = 1 if isinstance(value, str) else 0
        return (
            self.start(placement, index) + len(json.dumps(self.parameter, ensure_ascii=False)) + 3 + quotation
        )

    def padded(self, cut: int) -> SavedItems:
        """Give the entries with the fewest notes that bring the buried correct entry past the cut."""
        items = self
        while items.start("buried", len(items.names) - 1) < cut:
            items = SavedItems(items.parameter, items.names, items.values, items.fillers + 1)
        return items


def saved_items_tool() -> Tool:
    """Describe the function as states offer it."""
    return Tool(
        name=FUNCTION,
        description="List the items that the user saved earlier, with what is known of each.",
        parameters={"type": "object", "properties": {}, "required": []},
    )


def assert_placement(
    items: SavedItems,
    placement: Placement,
    request: str,
    other_texts: Sequence[str],
    control: Any,
    cut: int,
) -> None:
    """Check everything that D22 promises of a relocated state.

    Parameters
    ----------
    items
        The entries.
    placement
        Of the version that is checked; that both versions hold the same entries is checked with either.
    request
        The request as it is now written.
    other_texts
        All other texts of the state but the return.
    control
        The value C, None if there is none.
    cut
        Characters of a return that Plain shows.

    Raises
    ------
    PlacementError
        Says which promise is broken.
    """
    text, value, last = items.text(placement), items.values[0], len(items.names) - 1
    where = 1 if placement == "visible" else last
    first, start = items.value_start(placement, 0), items.value_start(placement, where)
    seen = [request, *other_texts, text[:cut]]
    entries = {order: [_dumped(entry) for entry in items.ordered(order)] for order in PLACEMENTS}
    promises: Mapping[str, bool] = {
        "the return is the JSON of the entries": json.loads(text) == items.ordered(placement),
        "both versions hold the same entries": sorted(entries["visible"]) == sorted(entries["buried"]),
        "the correct entry is second or last": items.ordered(placement)[where] == items.entries()[0],
        "the value stands where it was computed to": text.startswith(_bare(value), start),
        "the first distractor begins in time": first <= FIRST_STARTS_BY,
        "the first distractor is in view": text.startswith(_bare(items.values[1]), first)
        and first + len(_bare(items.values[1])) <= cut,
        "the visible value is in view": placement == "buried" or start + len(_bare(value)) <= cut,
        "the buried entry is out of view": placement == "visible" or items.start("buried", last) >= cut,
        "no text in view states the buried value": placement == "visible"
        or not any(states_value(part, value) for part in seen),
        "the request no longer states the value": not states_value(request, value),
        "the request names the entry": bool(places(request, items.names[0])),
        "the request names no other entry": not any(places(request, name) for name in items.names[1:]),
        "no entry shares the name": len({squeezed(name) for name in items.names}) == len(items.names),
        "no distractor equals the value": squeezed(value)
        not in {squeezed(other) for other in items.values[1:]},
        "the request does not state H": not states_value(request, items.values[1]),
        "C is in no text": control is None
        or not any(states_value(part, control) for part in (request, *other_texts, text)),
    }
    broken = [promise for promise, kept in promises.items() if not kept]
    if broken:
        raise PlacementError(f"{items.parameter} = {value!r}, {placement}: not true that {'; '.join(broken)}")


def _dumped(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


def _bare(value: Any) -> str:
    """Write a value as JSON without its quotation marks."""
    return _dumped(value)[1:-1] if isinstance(value, str) else _dumped(value)
