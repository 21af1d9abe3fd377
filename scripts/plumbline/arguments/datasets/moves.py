"""Which value of a state is relocated, to which entry, among which distractors (D22, C-D17)."""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import Any

from plumbline.arguments.datasets.account import Account
from plumbline.arguments.datasets.base import BaseData
from plumbline.arguments.datasets.move import Move, request_problem, template_request
from plumbline.arguments.datasets.saved_items import FIRST_STARTS_BY, FUNCTION, SavedItems
from plumbline.arguments.datasets.stated import (
    json_type,
    places,
    request_text,
    same_type,
    squeezed,
    states_value,
    turn_texts,
    written,
)
from plumbline.config.argument_datasets import RelocateDataset
from plumbline.records.arguments import ArgumentItem, State

LONGEST = 60
"""Characters of the longest value that is moved or drawn as a distractor."""

# fmt: off
_NAMES = (
    "Juniper", "Heron", "Saffron", "Marlin", "Cobalt", "Willow", "Falcon", "Amber", "Thistle", "Otter",
    "Granite", "Lantern", "Meadow", "Orchid", "Pebble", "Quartz", "Raven", "Sparrow", "Tulip", "Velvet",
    "Walnut", "Zephyr", "Acorn", "Badger", "Clover", "Driftwood", "Ember", "Fern", "Harbor", "Ivory",
    "Jasmine", "Kestrel", "Lichen", "Magnolia", "Nutmeg", "Opal", "Poppy", "Quill", "Rowan", "Sorrel",
)
# fmt: on


def plan_moves(dataset: RelocateDataset, base: BaseData, account: Account) -> list[Move]:
    """Choose one value of each state, its distractors and its entry's name.

    Parameters
    ----------
    dataset
        Number of entries and seed; the placement plays no part, so both versions move the same values.
    base
        The data set whose values are moved.
    account
        Counts states without a value that can be moved, with the reason of the last one tried.

    Returns
    -------
    list of Move
        In the order of the states.

    Notes
    -----
    Values are tried in random order, those with a C first. Values that would equal the correct one in
    letters and digits are never drawn as distractors, nor values that the checker accepts, that the request
    states, or that hold the correct value.
    """
    pool = _Pool(base)
    moves = []
    for state in base.states:
        if any(tool.name == FUNCTION for tool in state.functions):
            account.drop(f"the state offers a function called {FUNCTION}", state.state_id)
            continue
        rng = random.Random(f"{dataset.seed}|{state.state_id}")  # noqa: S311, a reproducible draw, no secret
        found: Move | str = "the request states no correct value"
        for item in _candidates(base, state, rng):
            found = _move(dataset, base, state, item, pool, rng)
            if isinstance(found, Move):
                break
        if isinstance(found, Move):
            moves.append(found)
        else:
            account.drop(found, state.state_id)
    return moves


class _Pool:
    """Correct values of a data set, by parameter and by function."""

    def __init__(self, base: BaseData) -> None:
        self.by_parameter: dict[str, list[ArgumentItem]] = defaultdict(list)
        self.by_function: dict[str, list[ArgumentItem]] = defaultdict(list)
        self.all: list[ArgumentItem] = []
        for item in base.items:
            if item.label == "correct" and _is_plain(item.value):
                self.by_parameter[item.parameter].append(item)
                self.by_function[item.function].append(item)
                self.all.append(item)

    def drawn(self, item: ArgumentItem, rng: random.Random) -> Iterator[Any]:
        """Give values of other queries: of the same parameter, then of the same function, then any."""
        for table in (self.by_parameter[item.parameter], self.by_function[item.function], self.all):
            values = [
                other.value
                for other in table
                if other.query_id != item.query_id and same_type(other.value, item.value)
            ]
            rng.shuffle(values)
            yield from values


def _candidates(base: BaseData, state: State, rng: random.Random) -> list[ArgumentItem]:
    """Give the correct items that the request states, shuffled, those with a C first."""
    items = [
        item
        for item in base.items_of.get(state.state_id, ())
        if item.label == "correct"
        and item.path == "visible"
        and item.found is not None
        and item.found.part == "user"
        and item.found.turn is not None
        and state.turns[item.found.turn].role == "user"
    ]
    rng.shuffle(items)
    return sorted(items, key=lambda item: _control(base, state, item, ()) is None)


def _move(
    dataset: RelocateDataset,
    base: BaseData,
    state: State,
    item: ArgumentItem,
    pool: _Pool,
    rng: random.Random,
) -> Move | str:
    """Plan the move of one value; a text says why it cannot be moved."""
    call = base.call_of[item.call_id]
    same = [gold for gold in state.gold if gold.name == item.function]
    if len(same) != 1:
        return "several gold calls of one function at a step"
    if not _is_plain(item.value) or len(squeezed(item.value)) < 2:
        return "the value is no plain text or number of two to 60 characters"
    if len(item.parameter) + 7 > FIRST_STARTS_BY:
        return "the parameter's name is so long that H would begin late"
    assert item.found is not None and item.found.turn is not None  # noqa: S101, as `_candidates` has it
    turn, stated = item.found.turn, item.found.text or written(item.value)
    others = [text for index, other in enumerate(state.turns) if index != turn for text in turn_texts(other)]
    if any(states_value(text, item.value) for text in others):
        return "another text of the state holds the value, too"
    rest = state.turns[turn].text or ""
    for start, end in reversed(places(rest, stated)):
        rest = rest[:start] + "\n" + rest[end:]
    if states_value(rest, item.value):
        return "the request states the value in a second spelling"
    values = _distractors(state, call.position, item, pool, rng, dataset.entries - 1)
    if len(values) < dataset.entries - 1:
        return "too few distractors"
    names = _names(state, [item.value, *values], rng, dataset.entries)
    if len(names) < dataset.entries:
        return "too few names for the entries"
    items = SavedItems(item.parameter, tuple(names), (item.value, *values)).padded(base.arguments.window.cut)
    control = _control(base, state, item, [items.text("buried")])
    move = Move(state, item, same[0], turn, stated, items, control)
    problem = request_problem(move, template_request(move))
    return move if problem is None else f"the template cannot rewrite the request ({problem[0]})"


def _distractors(
    state: State, position: int, item: ArgumentItem, pool: _Pool, rng: random.Random, wanted: int
) -> list[Any]:
    accepted = state.accepted[position].get(item.parameter) if state.accepted else None
    taken = {squeezed(item.value), *(squeezed(value) for value in accepted or () if _is_plain(value))}
    request = request_text(state)
    drawn: list[Any] = []
    for value in pool.drawn(item, rng):
        if len(drawn) == wanted:
            break
        if not squeezed(value) or squeezed(value) in taken:
            continue
        if states_value(request, value) or states_value(written(value), item.value):
            continue
        taken.add(squeezed(value))
        drawn.append(value)
    return drawn


def _names(state: State, values: Sequence[Any], rng: random.Random, wanted: int) -> list[str]:
    """Draw names that no text of the state and no value holds."""
    texts = [text for turn in state.turns for text in turn_texts(turn)] + [written(value) for value in values]
    free = [name for name in _NAMES if not any(name.lower() in text.lower() for text in texts)]
    rng.shuffle(free)
    return free[:wanted]


def _control(base: BaseData, state: State, item: ArgumentItem, texts: Sequence[str]) -> Any:
    """Give the first wrong value of the slot that no text states; None if there is none."""
    everything = [text for turn in state.turns for text in turn_texts(turn)] + list(texts)
    for other in base.items_of.get(state.state_id, ()):
        if other.label != "wrong" or (other.function, other.parameter) != (item.function, item.parameter):
            continue
        if json_type(other.value) not in ("string", "number") or squeezed(other.value) == squeezed(
            item.value
        ):
            continue
        if squeezed(other.value) and not any(states_value(text, other.value) for text in everything):
            return other.value
    return None


def _is_plain(value: Any) -> bool:
    """Say whether a value is a number or a short text that JSON writes as it stands."""
    if json_type(value) not in ("string", "number"):
        return False
    text = written(value)
    return 0 < len(text) <= LONGEST and text.isprintable() and not set(text) & {'"', "\\"}
