"""Pseudocode that links tool calls by the values they hand on: parsed as data, never run (A2, stage 3)."""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from plumbline.corpora.synthesis.signatures import Signature
from plumbline.records import ExpectedCall

FORM = "write one call a line: `name = tool(key=value, ...)`, a value being a literal, a name or name['key']"


@dataclass(frozen=True)
class Call:
    """One call: its literal arguments, and for those that are handed on the id of the call before."""

    id: str
    tool: str
    literals: Mapping[str, Any]
    handed: Mapping[str, str]

    @property
    def needs(self) -> tuple[str, ...]:
        """Ids of the calls that supply a value, each once."""
        return tuple(dict.fromkeys(self.handed.values()))


def read_pseudocode(code: Any, tools: Mapping[str, Signature]) -> tuple[list[Call], list[tuple[str, str]]]:
    """Read pseudocode and check it against the signatures.

    Parameters
    ----------
    code
        Lines of the form that `FORM` names.
    tools
        The inventory by name.

    Returns
    -------
    calls
        In the order in which they stand; empty if the code cannot be read.
    problems
        (code, message) of everything that is wrong.
    """
    if not isinstance(code, str) or not code.strip():
        return [], [("code_form", f"there is no code; {FORM}")]
    try:
        tree = ast.parse(code)
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        line = getattr(error, "lineno", None)
        return [], [("code_form", f"line {line or 1} is no Python; {FORM}")]
    calls: list[Call] = []
    variables: dict[str, str] = {}
    problems: list[tuple[str, str]] = []
    for node in tree.body:
        target = _target(node)
        called = node.value if isinstance(node, ast.Assign | ast.Expr) else None
        if target is None or not isinstance(called, ast.Call) or not isinstance(called.func, ast.Name):
            problems.append(("code_form", f"line {node.lineno} is no call; {FORM}"))
            continue
        call, found = _read_call(called, f"s{len(calls) + 1}", variables, tools)
        problems += found
        calls.append(call)
        if target:
            variables[target] = call.id
    return calls, problems


def as_expected(calls: Sequence[Call]) -> list[ExpectedCall]:
    """Give calls as a record's, so that their shape can be told; values that are handed on are left out."""
    return [
        ExpectedCall(id=call.id, name=call.tool, arguments=dict(call.literals), needs=call.needs)
        for call in calls
    ]


def _target(node: ast.stmt) -> str | None:
    """Give the name that a line assigns to, `""` for a bare call, None for anything else."""
    if isinstance(node, ast.Expr):
        return ""
    if isinstance(node, ast.Assign) and len(node.targets) == 1 and isinstance(node.targets[0], ast.Name):
        return node.targets[0].id
    return None


def _read_call(
    node: ast.Call, identifier: str, variables: Mapping[str, str], tools: Mapping[str, Signature]
) -> tuple[Call, list[tuple[str, str]]]:
    assert isinstance(node.func, ast.Name)
    tool = node.func.id
    literals: dict[str, Any] = {}
    handed: dict[str, str] = {}
    problems: list[tuple[str, str]] = []
    if node.args:
        problems.append(("code_form", f"line {node.lineno} passes a value without its name; write key=value"))
    for keyword in node.keywords:
        if keyword.arg is None:
            problems.append(("code_form", f"line {node.lineno} passes **; name every argument"))
            continue
        name = _referred(keyword.value)
        if name is not None and name not in variables:
            problems.append(
                (
                    "dangling_output",
                    f"line {node.lineno} passes `{name}`, which no earlier line assigns; assign it first",
                )
            )
        elif name is not None:
            handed[keyword.arg] = variables[name]
        else:
            try:
                literals[keyword.arg] = ast.literal_eval(keyword.value)
            except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError):
                problems.append(("code_form", f"line {node.lineno} computes `{keyword.arg}`; {FORM}"))
    problems += _signature_problems(tool, [*literals, *handed], node.lineno, tools)
    return Call(identifier, tool, literals, handed), problems


def _signature_problems(
    tool: str, keys: Sequence[str], line: int, tools: Mapping[str, Signature]
) -> list[tuple[str, str]]:
    if tool not in tools:
        return [("unknown_tool", f"line {line} calls `{tool}`, which is no tool; tools: {', '.join(tools)}")]
    signature = tools[tool]
    problems = [
        ("undeclared_argument", f"line {line} passes `{key}`, which `{tool}` does not take")
        for key in keys
        if key not in signature.parameters
    ]
    problems += [
        ("missing_argument", f"line {line} lacks `{key}`, which `{tool}` requires")
        for key in signature.required
        if key not in keys
    ]
    return problems


def _referred(node: ast.expr) -> str | None:
    """Give the variable that an argument is taken from: `r`, `r["key"]`, `r[0]["key"]`, `r.key`."""
    while isinstance(node, ast.Subscript | ast.Attribute):
        node = node.value
    return node.id if isinstance(node, ast.Name) else None
