"""Turning a conversation of chat messages (OpenAI's layout) into the turns of a history."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from plumbline.arguments.datasets.account import Account
from plumbline.records.arguments import HistoryCall, Turn
from plumbline.records.files import strict_json

UNREADABLE = "unreadable_arguments"
"""Key under which a history keeps the text of arguments that are no JSON object."""


@dataclass
class _Call:
    name: str
    arguments: dict[str, Any]
    identifier: str | None
    returns: str | None = None
    answered: bool = False


@dataclass
class _Turn:
    role: Literal["system", "user", "assistant"]
    text: str | None
    calls: list[_Call] = field(default_factory=list)
    message: int = 0


@dataclass(frozen=True)
class Conversation:
    """The turns of a conversation, and the message that each of them was.

    Attributes
    ----------
    turns
        Oldest first; a `tool` message is the return of a call and no turn of its own.
    messages
        For each turn the index of its message.
    """

    turns: tuple[Turn, ...]
    messages: tuple[int, ...]

    def turn_of(self, message: int) -> int | None:
        """Give the turn that a message was, None if it was none."""
        return self.messages.index(message) if message in self.messages else None


def conversation(messages: Sequence[Any], where: str, account: Account) -> Conversation:
    """Read chat messages.

    Parameters
    ----------
    messages
        `system`, `user`, `assistant` (with `tool_calls`) and `tool` messages, oldest first.
    where
        Names the conversation in the account.
    account
        Counts what could not be read: messages without a known role, calls without a name, arguments that are
        no JSON object (kept as text in the history), returns without a call, calls without a return (kept).

    Returns
    -------
    Conversation
        A return belongs to the most recent unanswered call with its id (ids may recur), or, if it has none,
        to the first unanswered call of the last step.
    """
    read: list[_Turn] = []
    for number, message in enumerate(messages):
        place = f"{where}, message {number}"
        if not isinstance(message, Mapping):
            account.drop("a message is no object", place)
            continue
        role = message.get("role")
        if role in ("system", "user"):
            read.append(_Turn(role, _text(message.get("content")), message=number))
        elif role == "assistant":
            calls = _calls(message.get("tool_calls"), place, account)
            read.append(_Turn("assistant", _text(message.get("content")) or None, calls, number))
        elif role == "tool":
            _answer(read, message, place, account)
        else:
            account.drop("a message has no known role", place)
    for turn in read:
        for call in turn.calls:
            if not call.answered:
                account.count("calls without a return (kept)")
    return Conversation(tuple(_turn(turn) for turn in read), tuple(turn.message for turn in read))


def _turn(turn: _Turn) -> Turn:
    calls = tuple(
        HistoryCall(name=call.name, arguments=call.arguments, returns=call.returns) for call in turn.calls
    )
    return Turn(role=turn.role, text=turn.text, calls=calls)


def _calls(data: Any, place: str, account: Account) -> list[_Call]:
    calls = []
    for entry in data if isinstance(data, list) else []:
        function = entry.get("function") if isinstance(entry, Mapping) else None
        name = function.get("name") if isinstance(function, Mapping) else None
        if function is None or not isinstance(name, str) or not name:
            account.drop("a call has no name", place)
            continue
        identifier = entry.get("id")
        arguments = _arguments(function.get("arguments"), place, account)
        calls.append(_Call(name, arguments, identifier if isinstance(identifier, str) else None))
    return calls


def _arguments(data: Any, place: str, account: Account) -> dict[str, Any]:
    """Read arguments, a JSON string or an object."""
    if isinstance(data, str):
        try:
            data = strict_json(data) if data.strip() else {}
        except ValueError:
            account.count("calls whose arguments are no JSON (kept in the history as text)")
            return {UNREADABLE: data}
    if data is None:
        return {}
    if isinstance(data, dict):
        return data
    account.drop("arguments are no object (kept in the history as text)", place)
    return {UNREADABLE: json.dumps(data, ensure_ascii=False)}


def _answer(read: Sequence[_Turn], message: Mapping[str, Any], place: str, account: Account) -> None:
    """Give a return to its call."""
    identifier = message.get("tool_call_id")
    if isinstance(identifier, str) and identifier:
        waiting = [
            call
            for turn in reversed(read)
            for call in turn.calls
            if not call.answered and call.identifier == identifier
        ]
    else:
        steps = [turn for turn in read if turn.calls]
        waiting = [call for call in steps[-1].calls if not call.answered] if steps else []
    if not waiting:
        account.drop("a return answers no call", place)
        return
    waiting[0].answered = True
    waiting[0].returns = _text(message.get("content"))


def _text(content: Any) -> str:
    """Give the text of a message: a string, parts with a text, or any other JSON value as it is written."""
    if content is None:
        return ""
    if isinstance(content, str):
        return content
    if isinstance(content, list) and all(isinstance(part, Mapping) and "text" in part for part in content):
        return "\n".join(str(part["text"]) for part in content)
    return json.dumps(content, ensure_ascii=False)
