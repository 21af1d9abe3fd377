"""Which JSON values are calls, which are plans, and which are calls that cannot be read."""

from __future__ import annotations

from typing import Any

from plumbline.answers import Conflict, DecodingError, decode, flaw, same_value, shown
from plumbline.records import ToolCall

ARGUMENT_KEYS = ("arguments", "parameters", "args", "input")
"""Under one of these a call holds its arguments."""

PLAN_KEYS = ("tool_calls", "calls", "function_calls", "plan")
"""Under these an object without a name holds an array of calls."""

_BESIDE_A_NAME = {"name", "id", "type", "label"}


class UnreadableCallError(ValueError):
    """Something is a call but cannot be read, so the answer is no plan; the message is a sentence."""


def read_call(value: Any) -> ToolCall | None:
    """Read a decoded value as a call.

    Parameters
    ----------
    value
        Any decoded value.

    Returns
    -------
    ToolCall or None
        None if the value is no call: not an object, a tool definition, an object that says nothing of
        a tool. Its name is trimmed, its arguments are as written.

    Raises
    ------
    UnreadableCallError
        If it is a call, but its name, its arguments or a value in it cannot be read.

    Notes
    -----
    Item A8.
    """
    if not isinstance(value, dict):
        return None
    function = value.get("function")
    if isinstance(function, Conflict):
        raise UnreadableCallError("A call holds two different functions.")
    body = function if isinstance(function, dict) else value
    if _is_definition(body):
        return None
    call = _read_body(body)
    if call is None:
        return None
    if body is not value and any(key in value for key in ARGUMENT_KEYS):
        raise UnreadableCallError(f"The call of {shown(call.name)} holds arguments outside its function.")
    checked(value, call.name)
    return call


def read_calls(values: list[Any]) -> list[ToolCall] | None:
    """Read an array as calls; None if no element of it is one. An empty array is a plan of zero calls.

    Raises
    ------
    UnreadableCallError
        If some elements are calls and others are not, or one cannot be read.
    """
    calls = [read_call(value) for value in values]
    read = [call for call in calls if call is not None]
    if len(read) < len(calls):
        if not read:
            return None
        number = calls.index(None) + 1
        raise UnreadableCallError(
            f"Element {number} of an array of calls is {shown(values[number - 1])}, which is no call."
        )
    return read


def read_plans(value: Any) -> list[list[ToolCall]]:
    """Give the plans that a decoded value is or holds: an array of calls, or objects' arrays of calls."""
    if isinstance(value, list):
        plan = read_calls(value)
        return [] if plan is None else [plan]
    if not isinstance(value, dict) or "name" in value or "function" in value:
        return []
    held = [value[key] for key in PLAN_KEYS if key in value]
    if any(isinstance(inner, Conflict) for inner in held):
        raise UnreadableCallError("An object holds two different plans under one key.")
    plans = [read_calls(inner) for inner in held if isinstance(inner, list)]
    return [plan for plan in plans if plan is not None]


def same_plan(one: list[ToolCall], other: list[ToolCall]) -> bool:
    """Compare two plans as JSON: the same names and equal arguments in the same order."""
    return same_value([[call.name, call.arguments] for call in one], [[c.name, c.arguments] for c in other])


def checked(value: Any, name: str) -> None:
    """Make sure that nothing in a call keeps it from being plain JSON.

    Raises
    ------
    UnreadableCallError
        On a key with two values, a number that is not finite, or nesting that no file can hold.
    """
    found = flaw(value)
    if found:
        raise UnreadableCallError(f"In the call of {shown(name)}, {found}.")


def read_arguments(value: Any, name: str) -> dict[str, Any]:
    """Read what stands under a call's arguments: an object, one encoded as a string, or nothing.

    Raises
    ------
    UnreadableCallError
        If there is anything else; unreadable arguments never become an empty object.
    """
    if value is None or (isinstance(value, str) and not value.strip()):
        return {}
    # models encode arguments once, and once more inside a larger string
    for _ in range(2):
        if not isinstance(value, str):
            break
        try:
            value = decode(value)
        except DecodingError as error:
            raise UnreadableCallError(
                f"The arguments of {shown(name)} are a string that is no JSON: {error}."
            ) from None
    if not isinstance(value, dict):
        raise UnreadableCallError(f"The arguments of {shown(name)} are {shown(value)}, not an object.")
    checked(value, name)
    return value


def _read_body(body: dict[str, Any]) -> ToolCall | None:
    """Read the object that holds name and arguments; None if it is no call."""
    held = [key for key in ARGUMENT_KEYS if key in body]
    name = body.get("name")
    named = isinstance(name, str) and bool(name.strip())
    if not held:
        if isinstance(name, Conflict) and body.keys() <= _BESIDE_A_NAME:
            raise UnreadableCallError("A call has two different names.")
        is_call = named and body.keys() <= _BESIDE_A_NAME
        return ToolCall(name=str(name).strip()) if is_call else None
    if not named:
        if "name" in body or "function" in body:
            raise UnreadableCallError(f"A call has arguments, but its name is {shown(name)}.")
        return None
    name = str(name).strip()
    if len(held) > 1:
        raise UnreadableCallError(f"The call of {shown(name)} holds both `{held[0]}` and `{held[1]}`.")
    return ToolCall(name=name, arguments=read_arguments(body[held[0]], name))


def _is_definition(body: dict[str, Any]) -> bool:
    """Tell whether an object describes a tool: a generator that repeats its tools calls none."""
    parameters = body.get("parameters")
    return "description" in body and isinstance(parameters, dict) and "properties" in parameters
