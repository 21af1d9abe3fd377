"""The faults: what each kind changes in a record's expected calls, and where it is possible.

A fault changes what its name says and nothing else, and the programmatic scores see it (A9 to A12).
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from typing import Any

from plumbline.plans.placeholders import placeholder_arguments
from plumbline.records.model import ExpectedCall, Record, Tool, ToolCall

Draw = Callable[[str], int]
"""Gives a large number for a word that says what is being chosen; the same word gives the same number."""

SURPLUS = {
    "include_details": True,
    "output_format": "json",
    "priority": "normal",
    "notes": "none",
    "dry_run": False,
    "locale": "en",
}
"""Arguments that a model might invent."""

RENAMINGS: tuple[Callable[[str], str], ...] = (
    lambda key: key.split("_")[0] + "".join(part.title() for part in key.split("_")[1:]),
    lambda key: f"{key}_value",
    lambda key: f"input_{key}",
    lambda key: f"{key}_param",
)
"""Ways in which a model might misspell a key."""


def possible_faults(record: Record, kinds: Sequence[str]) -> list[str]:
    """List the kinds that are possible for a record, in the order given.

    Notes
    -----
    `drop_call` needs two calls (with one it would be `empty_plan`), `swap_calls` two calls of different
    tools, `extra_call` and `replace_tool` an unexpected tool for which valid arguments can be made;
    `drop_argument` and `rename_argument` a required argument; these two and `add_argument` a tool whose
    expected calls all have the same keys, so that every reading of equation 2 sees the fault.
    """
    return [kind for kind in dict.fromkeys(kinds) if _POSSIBLE[kind](record)]


def with_fault(record: Record, kind: str, draw: Draw) -> list[ToolCall]:
    """Give a record's expected calls with one fault.

    Parameters
    ----------
    kind
        One that `possible_faults` lists for the record.
    draw
        Decides which call, tool, argument or name it is.
    """
    calls = [ToolCall(name=call.name, arguments=dict(call.arguments)) for call in record.expected_calls]
    return _CHANGE[kind](record, calls, draw)


def _drop_call(record: Record, calls: list[ToolCall], draw: Draw) -> list[ToolCall]:
    del calls[draw("call") % len(calls)]
    return calls


def _extra_call(record: Record, calls: list[ToolCall], draw: Draw) -> list[ToolCall]:
    # at the end, where it shifts no other call
    tool, arguments = _stranger(record, draw)
    return [*calls, ToolCall(name=tool.name, arguments=arguments)]


def _swap_calls(record: Record, calls: list[ToolCall], draw: Draw) -> list[ToolCall]:
    pairs = _swappable(record)
    expected = record.expected_calls
    # an order that the data allow as well would be no fault
    dependent = [(i, j) for i, j in pairs if expected[i].id in expected[j].needs]
    i, j = _pick(dependent or pairs, draw("pair"))
    calls[i], calls[j] = calls[j], calls[i]
    return calls


def _replace_tool(record: Record, calls: list[ToolCall], draw: Draw) -> list[ToolCall]:
    # what the new tool does not accept goes: the fault is the tool, not its arguments
    place = draw("call") % len(calls)
    tool, arguments = _stranger(record, draw, calls[place].arguments)
    calls[place] = ToolCall(name=tool.name, arguments=arguments)
    return calls


def _drop_argument(record: Record, calls: list[ToolCall], draw: Draw) -> list[ToolCall]:
    place, key = _pick(_required(record), draw("argument"))
    del calls[place].arguments[key]
    return calls


def _add_argument(record: Record, calls: list[ToolCall], draw: Draw) -> list[ToolCall]:
    place = _pick(_unambiguous(record), draw("call"))
    taken = _taken(record, calls[place])
    key = _pick([name for name in SURPLUS if name not in taken] or [_unused("extra", taken)], draw("key"))
    calls[place].arguments[key] = SURPLUS.get(key, True)
    return calls


def _rename_argument(record: Record, calls: list[ToolCall], draw: Draw) -> list[ToolCall]:
    place, key = _pick(_required(record), draw("argument"))
    taken = _taken(record, calls[place])
    names = [name for rename in RENAMINGS if (name := rename(key)) not in taken]
    new = _pick(names or [_unused(key, taken)], draw("name"))
    arguments = {new if name == key else name: value for name, value in calls[place].arguments.items()}
    calls[place] = ToolCall(name=calls[place].name, arguments=arguments)
    return calls


def _stranger(record: Record, draw: Draw, kept: dict[str, Any] | None = None) -> tuple[Tool, dict[str, Any]]:
    """Give an unexpected tool of the inventory and valid arguments for it."""
    tools = _unexpected(record)
    start = draw("tool") % len(tools)
    for tool in tools[start:] + tools[:start]:
        arguments = placeholder_arguments(tool, kept)
        if arguments is None and kept:
            arguments = placeholder_arguments(tool)
        if arguments is not None:
            return tool, arguments
    raise ValueError(f"record {record.id} has no unexpected tool with valid arguments")


def _unexpected(record: Record) -> list[Tool]:
    expected = {call.name for call in record.expected_calls}
    return [tool for tool in record.tools if tool.name not in expected]


def _has_stranger(record: Record) -> bool:
    return any(placeholder_arguments(tool) is not None for tool in _unexpected(record))


def _swappable(record: Record) -> list[tuple[int, int]]:
    calls = record.expected_calls
    pairs = itertools.combinations(range(len(calls)), 2)
    return [(i, j) for i, j in pairs if calls[i].name != calls[j].name]


def _unambiguous(record: Record) -> list[int]:
    """Give the positions of calls whose tool is always expected with the same keys."""
    keys: dict[str, set[frozenset[str]]] = {}
    for call in record.expected_calls:
        keys.setdefault(call.name, set()).add(_scored_keys(call))
    return [i for i, call in enumerate(record.expected_calls) if len(keys[call.name]) == 1]


def _scored_keys(call: ExpectedCall) -> frozenset[str]:
    return frozenset(call.arguments.keys() - call.optional)


def _required(record: Record) -> list[tuple[int, str]]:
    """Give the arguments whose absence is a fault: expected, required by the schema, not optional."""
    required = {tool.name: tool.parameters.get("required") or [] for tool in record.tools}
    return [
        (place, key)
        for place in _unambiguous(record)
        for key in record.expected_calls[place].arguments
        if key in _scored_keys(record.expected_calls[place])
        and key in required.get(record.expected_calls[place].name, [])
    ]


def _taken(record: Record, call: ToolCall) -> set[str]:
    """Give the argument names that would be no new ones: passed, declared or optional."""
    declared = (tool.parameters.get("properties") or {} for tool in record.tools if tool.name == call.name)
    optional = (expected.optional for expected in record.expected_calls if expected.name == call.name)
    return {*call.arguments, *itertools.chain(*declared), *itertools.chain(*optional)}


def _unused(key: str, taken: set[str]) -> str:
    return next(name for n in itertools.count(2) if (name := f"{key}_{n}") not in taken)


def _pick(options: Sequence[Any], number: int) -> Any:
    return options[number % len(options)]


_POSSIBLE: dict[str, Callable[[Record], bool]] = {
    "none": lambda record: True,
    "drop_call": lambda record: len(record.expected_calls) > 1,
    "extra_call": _has_stranger,
    "swap_calls": lambda record: bool(_swappable(record)),
    "replace_tool": lambda record: bool(record.expected_calls) and _has_stranger(record),
    "drop_argument": lambda record: bool(_required(record)),
    "add_argument": lambda record: bool(_unambiguous(record)),
    "rename_argument": lambda record: bool(_required(record)),
    "empty_plan": lambda record: bool(record.expected_calls),
}

_CHANGE: dict[str, Callable[[Record, list[ToolCall], Draw], list[ToolCall]]] = {
    "none": lambda record, calls, draw: calls,
    "drop_call": _drop_call,
    "extra_call": _extra_call,
    "swap_calls": _swap_calls,
    "replace_tool": _replace_tool,
    "drop_argument": _drop_argument,
    "add_argument": _add_argument,
    "rename_argument": _rename_argument,
    "empty_plan": lambda record, calls, draw: [],
}
