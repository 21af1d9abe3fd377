"""Typed function signatures as a model writes them: read as data, never run (A2, stage 2)."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

PARAMETER_TYPES = {
    "str": "string",
    "int": "integer",
    "float": "number",
    "bool": "boolean",
    "list": "array",
    "dict": "object",
}
"""Types of parameters, with their JSON Schema type."""

RETURN_TYPES = {"str": "string", "bool": "boolean", "list": "array", "dict": "object", "None": "null"}
"""Types of returns that A2 allows."""


class SignatureError(ValueError):
    """A signature that cannot be taken; the message says what would be right."""


@dataclass(frozen=True)
class Signature:
    """A function: its parameters with type and whether they are required, and the type it returns."""

    name: str
    parameters: Mapping[str, tuple[str, bool]]
    returns: str
    text: str

    @property
    def required(self) -> list[str]:
        """Names of the parameters without a default."""
        return [name for name, (_, required) in self.parameters.items() if required]


def read_signature(text: Any) -> Signature:
    """Read one signature.

    Parameters
    ----------
    text
        ``def name(key: type, other: type = default) -> type``, with or without a colon and a body.

    Raises
    ------
    SignatureError
        If it is no such signature, or a type is not among those allowed.
    """
    if not isinstance(text, str) or not text.strip():
        raise SignatureError("a signature is missing; write `def name(key: type) -> type`")
    head = text.strip().rstrip(":")
    try:
        (node,) = ast.parse(f"{head}:\n    ...").body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        raise SignatureError(f"{head[:80]!r} is no Python function signature") from None
    if not isinstance(node, ast.FunctionDef):
        raise SignatureError(f"{head[:80]!r} is no Python function signature")
    given = node.args
    if given.vararg or given.kwarg or given.posonlyargs:
        raise SignatureError(f"`{node.name}` takes *args or **kwargs; name and type every parameter")
    plain = [*given.args, *given.kwonlyargs]
    first_default = len(given.args) - len(given.defaults)
    optional = {argument.arg for argument in given.args[first_default:]}
    optional |= {a.arg for a, default in zip(given.kwonlyargs, given.kw_defaults, strict=True) if default}
    parameters = {}
    for argument in plain:
        kind = _type_name(argument.annotation)
        if kind not in PARAMETER_TYPES:
            raise SignatureError(
                f"`{argument.arg}` of `{node.name}` has no type out of {', '.join(PARAMETER_TYPES)}"
            )
        parameters[argument.arg] = (kind, argument.arg not in optional)
    returns = _type_name(node.returns)
    if returns not in RETURN_TYPES:
        raise SignatureError(f"`{node.name}` returns no type out of {', '.join(RETURN_TYPES)}")
    return Signature(node.name, parameters, returns, head)


def _type_name(node: ast.expr | None) -> str:
    """Give the outer name of a type: `list` of ``list[str]``, `str` of ``str | None``."""
    if isinstance(node, ast.Subscript):
        return _type_name(node.value)
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.BitOr):
        return _type_name(node.left)
    if isinstance(node, ast.Constant):
        return "None" if node.value is None else ""
    return node.id if isinstance(node, ast.Name) else ""
