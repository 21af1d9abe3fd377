"""The free baseline: a judge without a model that compares a value with the one that a reference states."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from plumbline.arguments.equality import same_argument
from plumbline.arguments.paths.texts import normalised
from plumbline.config.argument_cells import ArgumentCell
from plumbline.records.arguments import ArgumentItem, Judgment, ValueReference


def match_judgments(
    cell: ArgumentCell, items: Iterable[ArgumentItem], references: Iterable[ValueReference], replicates: int
) -> Iterator[Judgment]:
    """Judge values by whether they are what a reference says they should be.

    Parameters
    ----------
    cell
        A cell of a judge with `match`.
    items
        All items of the data set.
    references
        Lines of the reference that is matched.
    replicates
        Times every item is judged: the same each time.

    Yields
    ------
    Judgment
        Score 1 if the value equals the parsed value of its slot, else 0. Texts are compared without regard to
        case, spelling of characters and white space, numbers by value. An item whose reference states
        no value has the status `not_asked`.
    """
    stated = {
        (line.state_id, line.function, line.parameter): line for line in references if line.item_id is None
    }
    for item in items:
        line = stated.get((item.state_id, item.function, item.parameter))
        for replicate in range(replicates):
            yield _judgment(cell, item, line, replicate)


def _judgment(
    cell: ArgumentCell, item: ArgumentItem, line: ValueReference | None, replicate: int
) -> Judgment:
    about = {"dataset": cell.dataset, "judge": cell.judge, "input": cell.input, "replicate": replicate}
    if line is None or line.status != "ok" or not line.parsed:
        why = "there is no reference" if line is None else f"the reference's status is {line.status}"
        if line is not None and line.status == "ok":
            why = "the reference states no value"
        return Judgment(item_id=item.item_id, **about, status="not_asked", detail=why)
    score = 1.0 if is_same(item.value, line.parsed_value) else 0.0
    return Judgment(item_id=item.item_id, **about, status="ok", score=score, lower=score, upper=score)


def is_same(value: Any, stated: Any) -> bool:
    """Say whether a value is the stated one, whatever its case and white space."""
    return same_argument(_plain(value), _plain(stated))


def _plain(value: Any) -> Any:
    if isinstance(value, str):
        return " ".join(normalised(value).split())
    if isinstance(value, list):
        return [_plain(member) for member in value]
    if isinstance(value, dict):
        return {key: _plain(member) for key, member in value.items()}
    return value
