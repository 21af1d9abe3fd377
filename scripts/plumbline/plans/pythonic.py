"""Plans written as Python calls, `[find_trains(origin="Oslo")]`: parsed, never evaluated."""

from __future__ import annotations

import ast
import keyword
import re
import textwrap
import warnings
from typing import Any

from plumbline.answers import NonFinite, number_of, put, shown, without_surrogates
from plumbline.plans.call_objects import UnreadableCallError, read_arguments
from plumbline.records import ToolCall

_FENCED = re.compile(r"^[ \t]*(`{3,}|~{3,})[^\n`]*\n(.*?)(?:^[ \t]*\1[ \t]*$|\Z)", re.MULTILINE | re.DOTALL)
_TOKEN = re.compile(
    r"""
    (?P<prefix>[A-Za-z]{0,2})(?P<string>
        \"{3}[^"\\]*+(?:(?:\\.|"(?!""))[^"\\]*+)*+\"{3}
      | '{3}[^'\\]*+(?:(?:\\.|'(?!''))[^'\\]*+)*+'{3}
      | "[^"\\\n]*+(?:\\.[^"\\\n]*+)*+"
      | '[^'\\\n]*+(?:\\.[^'\\\n]*+)*+'
    )
  | \#[^\n]*+
  | (?P<name>[^\W\d]\w*+)(?P<assigned>\s*+=(?!=))?
    """,
    re.VERBOSE | re.DOTALL,
)
_STAND_IN = "plumbline_name_"
_JSON_NAMES = {"true": True, "false": False, "null": None}


def python_calls(answer: str) -> list[ToolCall] | None:
    """Read an answer, or its only fenced block, as a Python list of calls or as call statements.

    Parameters
    ----------
    answer
        Without special tokens at its ends.

    Returns
    -------
    list of ToolCall or None
        None if the answer is not of this form. Tuples become arrays; names are kept letter by letter.

    Raises
    ------
    UnreadableCallError
        If it is of this form and a call has a positional argument other than one dict, or a value that
        is no literal.

    Notes
    -----
    Item A8.
    """
    blocks = [match.group(2) for match in _FENCED.finditer(answer)]
    for text in [answer, *blocks] if len(blocks) == 1 else [answer]:
        calls = _calls_in(textwrap.dedent(text).strip())
        if calls is not None:
            return calls
    return None


def _calls_in(text: str) -> list[ToolCall] | None:
    if "(" not in text:
        return None
    names = _Names()
    try:
        with warnings.catch_warnings():
            # Python warns of an odd backslash in a string
            warnings.simplefilter("ignore")
            statements = ast.parse(names.hide(text)).body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    nodes = _call_nodes(statements)
    return None if nodes is None else [_Reader(names).call(node) for node in nodes]


def _call_nodes(statements: list[ast.stmt]) -> list[ast.Call] | None:
    """Give the calls of a list of calls or of call statements; None if it is neither."""
    values = [statement.value for statement in statements if isinstance(statement, ast.Expr)]
    if not values or len(values) < len(statements):
        return None
    elements: list[ast.expr] = values
    if len(values) == 1 and isinstance(values[0], ast.List | ast.Tuple):
        elements = values[0].elts
    calls = [element for element in elements if isinstance(element, ast.Call)]
    if not calls:
        return None
    if len(calls) < len(elements) or (elements is not values and isinstance(values[0], ast.Tuple)):
        raise UnreadableCallError("Python calls stand among other values, or side by side without a list.")
    return calls


class _Names:
    """Puts plain names in the place of those that Python would refuse or respell."""

    def __init__(self) -> None:
        self._hidden: list[str] = []

    def hide(self, text: str) -> str:
        return _TOKEN.sub(self._replace, text)

    def shown(self, name: str) -> str:
        number = name.removeprefix(_STAND_IN)
        return self._hidden[int(number)] if number != name else name

    def _replace(self, token: re.Match[str]) -> str:
        name = token.group("name")
        if name is None:
            # no f-string is a literal, and parsing a long one takes quadratic time
            is_format = "f" in (token.group("prefix") or "").lower()
            return self._stand_in(token.group()) if is_format else token.group()
        assigned = token.group("assigned") or ""
        # Python turns names outside ASCII into their NFKC form
        odd = not name.isascii() and name.isidentifier()
        if odd or name.startswith(_STAND_IN) or (assigned and keyword.iskeyword(name)):
            return self._stand_in(name) + assigned
        return token.group()

    def _stand_in(self, original: str) -> str:
        self._hidden.append(original)
        return f"{_STAND_IN}{len(self._hidden) - 1}"


class _Reader:
    """Turns the syntax tree of a call into a call."""

    def __init__(self, names: _Names) -> None:
        self._names = names

    def call(self, node: ast.Call) -> ToolCall:
        """Read a call: keyword arguments with literal values, or one positional dict.

        Raises
        ------
        UnreadableCallError
            If it is anything else.
        """
        name = self._dotted(node.func)
        if name is None:
            raise UnreadableCallError("What is called is not a name.")
        arguments: dict[str, Any] = {}
        if len(node.args) == 1 and not node.keywords and isinstance(node.args[0], ast.Dict):
            arguments = self._value(node.args[0], name)
        elif node.args:
            raise UnreadableCallError(f"The call of {shown(name)} has an argument without a name.")
        for argument in node.keywords:
            if argument.arg is None:
                raise UnreadableCallError(f"The call of {shown(name)} unpacks its arguments.")
            put(arguments, self._names.shown(argument.arg), self._value(argument.value, name))
        return ToolCall(name=name, arguments=read_arguments(arguments, name))

    def _dotted(self, node: ast.expr) -> str | None:
        parts: list[str] = []
        while isinstance(node, ast.Attribute):
            parts.append(self._names.shown(node.attr))
            node = node.value
        if not isinstance(node, ast.Name):
            return None
        return ".".join([self._names.shown(node.id), *reversed(parts)])

    def _value(self, node: ast.expr, name: str) -> Any:
        """Give the value of a literal; nesting is at most the 200 brackets that Python parses."""
        if isinstance(node, ast.Constant) and (node.value is None or isinstance(node.value, bool | str)):
            return without_surrogates(node.value) if isinstance(node.value, str) else node.value
        if isinstance(node, ast.List | ast.Tuple):
            return [self._value(element, name) for element in node.elts]
        if isinstance(node, ast.Name) and node.id in _JSON_NAMES:
            return _JSON_NAMES[node.id]
        if isinstance(node, ast.Dict):
            members: dict[str, Any] = {}
            for key, value in zip(node.keys, node.values, strict=True):
                if not (isinstance(key, ast.Constant) and isinstance(key.value, str)):
                    raise UnreadableCallError(f"The call of {shown(name)} has a dict key that is no string.")
                put(members, without_surrogates(key.value), self._value(value, name))
            return members
        number = _number(node)
        if number is None:
            raise UnreadableCallError(f"The call of {shown(name)} has a value that is no literal.")
        return number


def _number(node: ast.expr) -> int | float | NonFinite | None:
    sign = 1
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub | ast.UAdd):
        sign = -1 if isinstance(node.op, ast.USub) else 1
        node = node.operand
    if not isinstance(node, ast.Constant) or isinstance(node.value, bool):
        return None
    if not isinstance(node.value, int | float):
        return None
    # the decimal form of an integer decides whether it is too large, as in JSON
    value = number_of(str(node.value)) if isinstance(node.value, int) else node.value
    if value == float("inf") or isinstance(value, NonFinite):
        return NonFinite("Infinity" if sign > 0 else "-Infinity")
    return None if value is None else sign * value
