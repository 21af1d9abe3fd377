"""A plan beside the expected calls, call by call and argument by argument, as a person reads them."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

from plumbline.records.model import ExpectedCall, ToolCall

Mark = Literal["same", "differs", "extra", "missing"]


@dataclass(frozen=True)
class ComparedArgument:
    """One argument of two calls; a value is JSON text, or None where the call does not pass it.

    `extra`: only the plan has it; `missing`: only the expected call has it; `optional`: it may be left out.
    """

    key: str
    generated: str | None
    expected: str | None
    mark: Mark
    optional: bool = False


@dataclass(frozen=True)
class ComparedCall:
    """A call of the plan beside an expected one, or either alone; places count from 1."""

    name: str
    generated: int | None
    expected: int | None
    arguments: tuple[ComparedArgument, ...]

    @property
    def mark(self) -> Mark:
        """Whether the call stands in both, at the same place or another, or in one of them alone."""
        if self.expected is None:
            return "extra"
        if self.generated is None:
            return "missing"
        return "same" if self.generated == self.expected else "differs"


def compared(calls: Sequence[ToolCall], expected: Sequence[ExpectedCall]) -> list[ComparedCall]:
    """Put each call beside the expected call of the same tool.

    Calls are paired in order as far as possible (longest common subsequence of tool names, among equally long
    ones the one with most equal arguments), then calls of one tool that stand elsewhere in the order.

    Returns
    -------
    list of ComparedCall
        Every call once, in the order of the plan, expected calls without a partner where they were due.
    """
    partner = _in_order(calls, expected)
    free = [place for place in range(len(expected)) if place not in partner.values()]
    for place, call in enumerate(calls):
        others = [other for other in free if expected[other].name == call.name]
        if place not in partner and others:
            partner[place] = others[0]
            free.remove(others[0])
    rows = []
    for place, call in enumerate(calls):
        other = partner.get(place)
        if other is not None:
            rows += [_row(None, None, due, expected[due]) for due in free if due < other]
            free = [due for due in free if due > other]
        rows.append(_row(place, call, other, None if other is None else expected[other]))
    return rows + [_row(None, None, due, expected[due]) for due in free]


def _in_order(calls: Sequence[ToolCall], expected: Sequence[ExpectedCall]) -> dict[int, int]:
    """Pair places of equal tools so that no two pairs cross."""
    best: dict[tuple[int, int], tuple[int, int]] = {}
    for i in range(len(calls), -1, -1):
        for j in range(len(expected), -1, -1):
            options = [best.get((i + 1, j), (0, 0)), best.get((i, j + 1), (0, 0))]
            if i < len(calls) and j < len(expected) and calls[i].name == expected[j].name:
                length, equal = best[i + 1, j + 1]
                options.append((length + 1, equal + _equal_arguments(calls[i], expected[j])))
            best[i, j] = max(options)
    pairs, i, j = {}, 0, 0
    while i < len(calls) and j < len(expected):
        if calls[i].name == expected[j].name:
            length, equal = best[i + 1, j + 1]
            if best[i, j] == (length + 1, equal + _equal_arguments(calls[i], expected[j])):
                pairs[i] = j
                i, j = i + 1, j + 1
                continue
        i, j = (i + 1, j) if best[i, j] == best[i + 1, j] else (i, j + 1)
    return pairs


def _equal_arguments(call: ToolCall, expected: ExpectedCall) -> int:
    return sum(
        key in call.arguments and _same(call.arguments[key], value)
        for key, value in expected.arguments.items()
    )


def _same(ours: Any, theirs: Any) -> bool:
    """Whether two values are the same JSON: 1 is not true, and the order of keys does not matter."""
    return json.dumps(ours, sort_keys=True) == json.dumps(theirs, sort_keys=True)


def _row(
    place: int | None, call: ToolCall | None, due: int | None, expected: ExpectedCall | None
) -> ComparedCall:
    named = call or expected
    assert named is not None
    ours = {} if call is None else call.arguments
    theirs = {} if expected is None else expected.arguments
    optional = () if expected is None else expected.optional
    keys = [*theirs, *(key for key in ours if key not in theirs)]
    return ComparedCall(
        named.name,
        None if place is None else place + 1,
        None if due is None else due + 1,
        tuple(_argument(key, ours, theirs, key in optional) for key in keys),
    )


def _argument(key: str, ours: dict[str, Any], theirs: dict[str, Any], optional: bool) -> ComparedArgument:
    generated = as_text(ours[key]) if key in ours else None
    expected = as_text(theirs[key]) if key in theirs else None
    mark: Mark
    if key in ours and key in theirs:
        mark = "same" if _same(ours[key], theirs[key]) else "differs"
    else:
        mark = "extra" if key in ours else "missing"
    return ComparedArgument(key, generated, expected, mark, optional)


def as_text(value: Any) -> str:
    """Write a value as JSON that a person can read."""
    return json.dumps(
        value, ensure_ascii=False, indent=2 if isinstance(value, (dict, list)) and value else None
    )
