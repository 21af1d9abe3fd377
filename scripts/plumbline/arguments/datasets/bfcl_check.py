"""BFCL's value check: whether an argument, or a whole call, is among those that its gold accepts (D4).

Written from the documented rules of the benchmark; a test compares it with the official checker.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from plumbline.arguments.equality import standardised
from plumbline.records.model import Tool

OMITTED = ""
"""Among the accepted values of a parameter: it may be left out."""

_KINDS: dict[str, type] = {
    "string": str,
    "integer": int,
    "number": float,
    "boolean": bool,
    "array": list,
    "object": dict,
}

Accepted = Mapping[str, Sequence[Any]]


@dataclass(frozen=True)
class Rejection:
    """Why the checker rejects something.

    Attributes
    ----------
    kind
        The checker's word, such as ``value_error:string`` or ``missing_required``.
    parameter
        The parameter that it is about.
    """

    kind: str
    parameter: str

    @property
    def is_value(self) -> bool:
        """Whether a value is wrong, as opposed to its type, its name, or its absence."""
        return self.kind.startswith("value_error")


def check_call(function: Tool, arguments: Mapping[str, Any], accepted: Accepted) -> Rejection | None:
    """Check a call of the right function.

    Parameters
    ----------
    function
        Gives the declared types and the required parameters.
    arguments
        What the call passes.
    accepted
        The accepted values of each parameter; ``""`` among them means that it may be left out.

    Returns
    -------
    Rejection or None
        The first reason, in the checker's order: required parameters, each argument as the call has them,
        parameters that may not be left out. None if the call is right.
    """
    for parameter in function.parameters.get("required") or ():
        if parameter not in arguments:
            return Rejection("missing_required", parameter)
    for parameter, value in arguments.items():
        rejection = check_argument(function, parameter, value, accepted)
        if rejection is not None:
            return rejection
    for parameter, values in accepted.items():
        if parameter not in arguments and OMITTED not in values:
            return Rejection("missing_optional", parameter)
    return None


def check_argument(function: Tool, parameter: str, value: Any, accepted: Accepted) -> Rejection | None:
    """Check one argument alone, see `check_call`.

    Notes
    -----
    Types first: an integer passes for a float, nothing else is converted; a value whose type is that of the
    accepted ones, though not the declared one, passes as a variable and is compared as it stands. Strings are
    compared by `standardised`, also as members of lists and of objects; each member of an accepted object is
    a list of accepted values; lists of objects are compared in order.
    """
    schema = (function.parameters.get("properties") or {}).get(parameter)
    if schema is None or parameter not in accepted:
        return Rejection("unexpected_parameter", parameter)
    choices = accepted[parameter]
    declared = _kind(schema)
    members = _kind(schema["items"]) if declared is list and isinstance(schema.get("items"), dict) else None
    if declared is float and type(value) is int:
        value = float(value)
    is_variable, error = _typed(value, choices, declared, members)
    if error is None:
        error = _refused(value, choices, declared, members, is_variable)
    return None if error is None else Rejection(error, parameter)


def _kind(schema: Any) -> type:
    """Give the type that a schema declares; what declares none (`any`) is a string to the checker."""
    word = schema.get("type") if isinstance(schema, dict) else None
    return _KINDS.get(word, str) if isinstance(word, str) else str


def _typed(
    value: Any, choices: Iterable[Any], declared: type, members: type | None
) -> tuple[bool, str | None]:
    """Check the type; say whether the value stands for a variable, and what is wrong."""
    choices = list(choices)
    shown = next((type(choice) for choice in choices if choice != OMITTED), None)
    is_variable = shown is not None and shown is not declared
    if type(value) is declared:
        if members is None or any(_members_typed(value, choice, members) for choice in choices):
            return is_variable, None
        return False, "type_error:nested"
    if shown is not None and type(value) is shown:
        return True, None
    return False, "type_error:simple"


def _members_typed(value: Any, choice: Any, members: type) -> bool:
    if not isinstance(choice, list):
        return True
    return all(_typed(member, choice, members, None)[1] is None for member in value)


def _refused(
    value: Any, choices: Sequence[Any], declared: type, members: type | None, is_variable: bool
) -> str | None:
    """Say why a value of the right type is none of the accepted ones."""
    if not is_variable:
        if declared is dict:
            return _object_refused(value, choices)
        if declared is list and members is dict:
            return _objects_refused(value, choices)
        if declared is str:
            known = {standardised(choice) for choice in choices if isinstance(choice, str)}
            return None if standardised(value) in known else "value_error:string"
        if declared is list:
            accepted = [[_plain(member) for member in choice] for choice in choices if _is_list(choice)]
            return None if [_plain(member) for member in value] in accepted else "value_error:list/tuple"
    return None if value in choices else "value_error:others"


def _is_list(choice: Any) -> bool:
    # the marker of an omission reads as a list of nothing
    return isinstance(choice, list) or choice == OMITTED


def _plain(value: Any) -> Any:
    return standardised(value) if isinstance(value, str) else value


def _object_refused(value: Any, choices: Iterable[Any]) -> str | None:
    """Compare an object with the accepted ones; the reason is that of the last."""
    reason: str | None = "value_error:dict_value"
    for choice in choices:
        if isinstance(choice, dict):
            reason = _member_refused(value, choice)
            if reason is None:
                return None
    return reason


def _member_refused(value: Any, choice: Mapping[str, Any]) -> str | None:
    if not isinstance(value, dict):
        return "value_error:dict_value"
    reason = None
    for key, member in value.items():
        if key not in choice:
            reason = "value_error:dict_key"
            break
        if _plain(member) not in [_plain(accepted) for accepted in _listed(choice[key])]:
            reason = "value_error:dict_value"
            break
    if any(key not in value and OMITTED not in _listed(accepted) for key, accepted in choice.items()):
        reason = "value_error:dict_key"
    return reason


def _listed(accepted: Any) -> Sequence[Any]:
    return accepted if isinstance(accepted, list) else [accepted]


def _objects_refused(value: Sequence[Any], choices: Sequence[Any]) -> str | None:
    reason: str | None = "value_error:list_dict_count"
    for choice in choices:
        if len(value) != len(choice):
            reason = "value_error:list_dict_count"
            continue
        reasons = (_object_refused(one, [other]) for one, other in zip(value, choice, strict=True))
        reason = next((found for found in reasons if found is not None), None)
        if reason is None:
            return None
    return reason
