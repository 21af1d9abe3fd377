"""The page of a data set's items: for each value its path and the place in the history it was matched at."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from plumbline.arguments.base_rates import base_rates
from plumbline.arguments.contexts import call_text, shown_context
from plumbline.arguments.shown import boundary
from plumbline.config.arguments import Arguments
from plumbline.records.arguments import PATHS, ArgumentItem, Found, State, StateContext
from plumbline.report.templating import is_missing, number, render

AROUND = 240
"""Characters of a source that are shown on each side of a match."""

HEAD = 320
"""Characters that are shown of a call or return without a match; of what people said, four times as many."""

LONGEST = 2000
"""Characters that are shown of a value or a match."""

Place = tuple[str, int, int | None]
"""Part, turn and call of a text of the history."""


def items_page(
    states: Sequence[State],
    items: Sequence[ArgumentItem],
    contexts: Sequence[StateContext],
    arguments: Arguments,
    run_name: str,
    dataset: str,
) -> str:
    """Write all items of a data set as one self-contained page.

    Parameters
    ----------
    states, items, contexts
        Of the data set.
    arguments
        Settings of the run: what Plain shows.
    run_name, dataset
        Shown above the title.

    Returns
    -------
    str
        HTML. The items are data inside the page, which its script shows as text, a few at a time: by path,
        label and words, each with its history and the matched source. Nothing of them is markup, and the
        page's policy forbids any connection.

    Notes
    -----
    Items D2 and D8.
    """
    texts: dict[str, int] = {}
    rungs = {context.state_id: context for context in contexts}
    used = {item.state_id for item in items}
    histories = {
        state.state_id: _history(state, arguments, rungs.get(state.state_id), texts)
        for state in states
        if state.state_id in used
    }
    by_id = {state.state_id: state for state in states}
    data = {
        "states": histories,
        "items": [_item(item, by_id[item.state_id], texts) for item in items],
        "texts": list(texts),
    }
    return render(
        "items.html",
        run=run_name,
        dataset=dataset,
        paths=PATHS,
        rates=[_rate(row) for row in base_rates(items).to_dict(orient="records")],
        count=len(items),
        data=data,
    )


def _rate(row: Mapping[Any, Any]) -> dict[str, Any]:
    share = row["share_correct"]
    return {str(key): value for key, value in row.items()} | {
        "share": "–" if is_missing(share) else number(share, 1)
    }


def _history(
    state: State, arguments: Arguments, fitted: StateContext | None, texts: dict[str, int]
) -> list[dict[str, Any]]:
    """Give the texts of a state's history, their beginnings only, and how much of each Plain shows."""
    shown: dict[Place, int] = {}
    for part in shown_context(state, arguments, fitted).parts:
        place: Place = (part.part, part.turn, part.call)
        shown[place] = shown.get(place, 0) + len(part.text)
    parts = []
    for place, title, text in _texts(state):
        most = 4 * HEAD if place[2] is None else HEAD
        head = text[: boundary(text, min(most, len(text)))]
        parts.append(
            {
                "place": place,
                "title": title,
                "head": _known(head, texts),
                "length": len(text),
                "shown": shown.get(place, 0),
            }
        )
    return parts


def _texts(state: State) -> Iterator[tuple[Place, str, str]]:
    number = 0
    for index, turn in enumerate(state.turns):
        if turn.text:
            part = "assistant" if turn.role == "assistant" else "user"
            yield (part, index, None), turn.role, turn.text
        for place, call in enumerate(turn.calls):
            number += 1
            yield ("call", index, place), f"call {number}", call_text(call.name, call.arguments)
            if call.returns is not None:
                yield ("return", index, place), f"return {number}", call.returns


def _item(item: ArgumentItem, state: State, texts: dict[str, int]) -> dict[str, Any]:
    value = item.value if isinstance(item.value, str) else json.dumps(item.value, ensure_ascii=False)
    return {
        "id": item.item_id,
        "state": item.state_id,
        "function": _known(item.function, texts),
        "parameter": _known(item.parameter, texts),
        "value": value[:LONGEST],
        "kind": "text" if isinstance(item.value, str) else "JSON",
        "label": item.label,
        "path": item.path,
        "by": _known(item.made_by, texts),
        "short": item.short,
        "cut": item.cut,
        "found": None if item.found is None else _source(item, item.found, state),
    }


def _source(item: ArgumentItem, found: Found, state: State) -> dict[str, Any]:
    """Give a match with what stands around it in the text it was found in."""
    text = _text_of(item, found, state)
    start = max(0, found.start - AROUND)
    end = min(len(text), found.end + AROUND)
    return {
        "place": None if found.turn is None else (found.part, found.turn, found.call),
        "start": found.start,
        "before": text[boundary(text, start) : found.start],
        "match": text[found.start : found.end][:LONGEST] or found.text,
        "after": text[found.end : boundary(text, end)],
        "left": start,
        "rest": len(text) - end,
    }


def _text_of(item: ArgumentItem, found: Found, state: State) -> str:
    """Give the text that a match is in: a text of the history, or the parameter's description."""
    if found.turn is not None:
        wanted = (found.part, found.turn, found.call)
        return next(text for place, _, text in _texts(state) if place == wanted)
    function = next((tool for tool in state.functions if tool.name == item.function), None)
    properties = function.parameters.get("properties") if function is not None else None
    schema = properties.get(item.parameter) if isinstance(properties, Mapping) else None
    description = schema.get("description") if isinstance(schema, Mapping) else None
    text = description if isinstance(description, str) else ""
    # the default itself, or the description of a part of the parameter, is not in that text
    return text if text[found.start : found.end] == found.text and found.end > found.start else ""


def _known(text: str, texts: dict[str, int]) -> int:
    """Give the number of a text in the page's list; states of one query share most of theirs."""
    return texts.setdefault(text, len(texts))
