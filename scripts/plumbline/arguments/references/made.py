"""References that no model writes: the value alone, and a wrong value swapped in (D32, D42)."""

from __future__ import annotations

import json
import random
import re
from collections.abc import Iterator, Sequence
from typing import Any

from plumbline.arguments.occurrences import places_of
from plumbline.arguments.question_text import value_line
from plumbline.config.argument_references import SwappedValue, ValueOnly
from plumbline.config.arguments import Arguments
from plumbline.records.arguments import ArgumentItem, ValueReference
from plumbline.records.statuses import ValueReferenceReason

SKIPPED: ValueReferenceReason = "not_swapped"
"""Status of an item that the swap leaves out; the detail says why."""


def made_references(
    arguments: Arguments,
    name: str,
    dataset: str,
    *,
    base: Sequence[ValueReference],
    items: Sequence[ArgumentItem],
) -> list[ValueReference]:
    """Make the references of kind `value_only` or `swap` from those they are made of.

    Parameters
    ----------
    arguments
        The section of the run.
    name
        The reference to be made.
    dataset
        The data set.
    base
        Lines of the reference that the settings name in `of`.
    items
        All items of the data set.

    Returns
    -------
    list of ValueReference
        `value_only`: one for each line of `base`. `swap`: one for each correct item that was considered, with
        a status that says why it was skipped, and one for the wrong item whose value was swapped in; nobody
        else reads a swapped reference.
    """
    settings = arguments.references[name]
    if isinstance(settings, ValueOnly):
        return [_value_only(line, name) for line in base]
    if isinstance(settings, SwappedValue):
        return list(_swapped(settings, name, dataset, base, items))
    raise ValueError(f"{name} is written by a model")


def _value_only(line: ValueReference, name: str) -> ValueReference:
    # nobody was asked for it
    made = {"reference": name, "kind": "value_only", "usage": None, "seconds": None}
    if line.status != "ok":
        return line.model_copy(update={**made, "text": None})
    parameter = value_line(line.parameter)
    if line.parsed:
        text = f"The parameter {parameter} is expected to be {value_line(line.parsed_value)}."
    else:
        text = f"What the parameter {parameter} should be is not determined by the context."
    return line.model_copy(update={**made, "text": text})


def _swapped(
    settings: SwappedValue,
    name: str,
    dataset: str,
    base: Sequence[ValueReference],
    items: Sequence[ArgumentItem],
) -> Iterator[ValueReference]:
    """Swap in the first wrong value, by item id, of each correct item whose reference holds its value."""
    slots = {(line.state_id, line.function, line.parameter): line for line in base if line.item_id is None}
    wrong: dict[tuple[str, str, str], list[ArgumentItem]] = {}
    for item in sorted(items, key=lambda one: one.item_id):
        if item.label == "wrong":
            wrong.setdefault(_slot(item), []).append(item)
    taken: set[str] = set()
    left = settings.count
    correct = sorted((item for item in items if item.label == "correct"), key=lambda one: one.item_id)
    random.Random(settings.seed).shuffle(correct)  # noqa: S311, a reproducible draw, no secret
    for item in correct:
        if left == 0:
            break
        line = slots.get(_slot(item))
        rival, text, reason = _swap(item, line, wrong.get(_slot(item), ()), taken)
        yield _line(name, dataset, item, line, text, rival, reason)
        if rival is not None and text is not None:
            taken.add(rival.item_id)
            left = None if left is None else left - 1
            yield _line(name, dataset, rival, line, text, rival, None)


def _slot(item: ArgumentItem) -> tuple[str, str, str]:
    return item.state_id, item.function, item.parameter


def _swap(
    item: ArgumentItem, line: ValueReference | None, rivals: Sequence[ArgumentItem], taken: set[str]
) -> tuple[ArgumentItem | None, str | None, str | None]:
    """Give the wrong item, the new text, and why there is none."""
    if line is None or line.status != "ok" or line.text is None:
        return None, None, f"its reference's status is {line.status if line else 'missing'}"
    rival = next((one for one in rivals if one.item_id not in taken), None)
    if rival is None:
        return None, None, "no wrong value of this argument and state is left"
    if not places_of(item.value, line.text):
        return None, None, "the correct value does not stand in its reference"
    text = replaced(line.text, item.value, rival.value)
    if text is None:
        return None, None, "only a part of the correct value stands in its reference"
    return rival, text, None


def replaced(text: str, old: Any, new: Any) -> str | None:
    """Replace every place of a value in a text by another value, quotes around it kept (C-D16).

    Parameters
    ----------
    text
        A reference.
    old, new
        JSON values. A list or an object is replaced where it stands as a whole, as JSON.

    Returns
    -------
    str or None
        None if the old value stands nowhere as a whole. Nothing but the value changes.
    """
    places = _json_places(old, text) if isinstance(old, list | dict) else places_of(old, text)
    if not places:
        return None
    pieces, end = [], 0
    for start, stop in places:
        if start < end:
            continue
        pieces += [text[end:start], _written(new, text, start, stop)]
        end = stop
    return "".join([*pieces, text[end:]])


def _written(value: Any, text: str, start: int, end: int) -> str:
    """Write a value as it would stand at a place: a string without quotes of its own."""
    if not isinstance(value, str):
        return json.dumps(value, ensure_ascii=False)
    in_double_quotes = text[start - 1 : start] == '"' and text[end : end + 1] == '"'
    return json.dumps(value, ensure_ascii=False)[1:-1] if in_double_quotes else value


def _json_places(value: Any, text: str) -> list[tuple[int, int]]:
    forms = {
        json.dumps(value, ensure_ascii=False),
        json.dumps(value, ensure_ascii=False, separators=(",", ":")),
        repr(value),
    }
    pattern = "|".join(re.escape(form) for form in sorted(forms, key=len, reverse=True))
    return [match.span() for match in re.finditer(pattern, text)]


def _line(
    name: str,
    dataset: str,
    item: ArgumentItem,
    line: ValueReference | None,
    text: str | None,
    rival: ArgumentItem | None,
    reason: str | None,
) -> ValueReference:
    return ValueReference(
        state_id=item.state_id,
        function=item.function,
        parameter=item.parameter,
        item_id=item.item_id,
        call_id=item.call_id,
        dataset=dataset,
        reference=name,
        kind="swap",
        model=line.model if line else None,
        seed=line.seed if line else None,
        status="ok" if text is not None else SKIPPED,
        text=text,
        parsed=text is not None and rival is not None,
        parsed_value=rival.value if text is not None and rival is not None else None,
        detail=reason,
    )
