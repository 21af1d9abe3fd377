"""ComplexFuncBench in its original layout: steps with parallel calls, and each task's own functions (D5)."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from plumbline.arguments.datasets.account import Account
from plumbline.arguments.datasets.json_files import read_objects
from plumbline.corpora.aliases import alias_names
from plumbline.records.arguments import HistoryCall, State, Turn
from plumbline.records.errors import DataError
from plumbline.records.model import Tool, ToolCall

Entry = Mapping[str, Any]


@dataclass(frozen=True)
class _Place:
    """Where in the file something stands, for messages."""

    path: Path
    entry: str
    key: str = ""

    def at(self, key: str | int) -> _Place:
        """Go one key, or one place of a list, further in."""
        inner = f"[{key}]" if isinstance(key, int) else f".{key}" if self.key else str(key)
        return _Place(self.path, self.entry, self.key + inner)

    def refuse(self, what: str) -> DataError:
        return DataError(f"{self.entry}, `{self.key}` {what}", self.path)


@dataclass(frozen=True)
class Task:
    """A task of the benchmark.

    Attributes
    ----------
    identifier
        As the file names it.
    turns
        The whole gold trajectory: request, steps with their returns, answer.
    functions
        What the task offers, under names that model APIs accept.
    """

    identifier: str
    turns: tuple[Turn, ...]
    functions: tuple[Tool, ...]


def read_tasks(path: Path, account: Account) -> list[Task]:
    """Read the tasks of a file.

    Parameters
    ----------
    path
        JSON Lines (or a JSON list) of ``{id, conversations, functions}``: `conversations` holds the user's
        message, then in turn ``{role: assistant, function_call: [{name, arguments}]}`` and ``{role:
        observation, content: [one return for each call]}``, last the assistant's answer; `functions` are
        ``[{name, description, parameters}]``.
    account
        Counts tasks that are left out: those that call what they do not offer.

    Raises
    ------
    DataError
        If an entry has another layout; names the file, the line and the key.
    """
    tasks: dict[str, Task] = {}
    for entry, row in read_objects(path):
        place = _Place(path, entry)
        identifier = _needed(row, "id", str | int, "the task's id", place)
        functions = _functions(_needed(row, "functions", list, "a list of functions", place), place)
        conversation = _needed(row, "conversations", list, "a list of messages", place)
        turns = _turns(conversation, place.at("conversations"))
        if str(identifier) in tasks:
            raise place.at("id").refuse(
                f"{identifier} is the id of an earlier task; each task needs its own."
            )
        called = [call.name for turn in turns for call in turn.calls]
        aliases = alias_names([*functions, *called])
        missing = sorted({name for name in called if name not in functions})
        if missing:
            account.drop("tasks that call functions they do not offer", f"{identifier}: {', '.join(missing)}")
            continue
        offered = (
            tool.model_copy(update={"name": aliases[name], "original_name": _changed(name, aliases)})
            for name, tool in functions.items()
        )
        renamed = tuple(_renamed(turn, aliases) for turn in turns)
        tasks[str(identifier)] = Task(str(identifier), renamed, tuple(offered))
    return list(tasks.values())


def task_states(name: str, task: Task) -> Iterator[State]:
    """Give a state for each step of a task: all its parallel calls are gold, the history is what came before.

    Parameters
    ----------
    name
        The data set's name.
    task
        As `read_tasks` gives it.
    """
    for place, turn in enumerate(task.turns):
        if turn.is_step:
            yield State(
                state_id=f"{name}.{task.identifier}.t{place}",
                query_id=task.identifier,
                dataset=name,
                turns=task.turns[:place],
                functions=task.functions,
                gold=tuple(ToolCall(name=call.name, arguments=call.arguments) for call in turn.calls),
            )


def _turns(messages: Sequence[Any], place: _Place) -> tuple[Turn, ...]:
    turns: list[Turn] = []
    waiting = False
    for number, message in enumerate(messages):
        here = place.at(number)
        if not isinstance(message, Mapping):
            raise here.refuse("is no object; write {role, content}.")
        role = message.get("role")
        if waiting != (role == "observation"):
            told = (
                "the returns of the calls before it" if waiting else "a message; no call waits for a return"
            )
            raise here.at("role").refuse(f"is {json.dumps(role)}, but here stands {told}.")
        if role == "observation":
            turns[-1] = _answered(turns[-1], message.get("content"), here.at("content"))
        elif role in ("user", "system", "assistant"):
            turns.append(_turn(role, message, here))
        else:
            raise here.at("role").refuse("must be user, assistant or observation.")
        waiting = role == "assistant" and turns[-1].is_step
    if waiting:
        raise place.refuse("end with calls that nothing returns to; add their observation.")
    if not any(turn.role == "user" for turn in turns):
        raise place.refuse("hold no message of the user.")
    return tuple(turns)


def _turn(role: Any, message: Entry, place: _Place) -> Turn:
    content = message.get("content")
    if content is not None and not isinstance(content, str):
        raise place.at("content").refuse("must be text.")
    calls = message.get("function_call") if role == "assistant" else None
    if calls is None:
        return Turn(role=role, text=content)
    if not isinstance(calls, list) or not calls:
        raise place.at("function_call").refuse("must be a list of calls {name, arguments}.")
    made = tuple(_call(call, place.at("function_call").at(at)) for at, call in enumerate(calls))
    return Turn(role="assistant", text=content or None, calls=made)


def _call(call: Any, place: _Place) -> HistoryCall:
    if not isinstance(call, Mapping):
        raise place.refuse("is no call {name, arguments}.")
    name = _needed(call, "name", str, "the function's name", place)
    return HistoryCall(name=name, arguments=_needed(call, "arguments", dict, "an object", place))


def _answered(turn: Turn, returns: Any, place: _Place) -> Turn:
    if not isinstance(returns, list):
        raise place.refuse("must be a list with one return for each call.")
    if len(returns) != len(turn.calls):
        raise place.refuse(
            f"holds {len(returns)} returns for {len(turn.calls)} calls; each call has its own."
        )
    calls = (
        call.model_copy(update={"returns": return_text(value)})
        for call, value in zip(turn.calls, returns, strict=True)
    )
    return turn.model_copy(update={"calls": tuple(calls)})


def _functions(entries: Sequence[Any], place: _Place) -> dict[str, Tool]:
    tools: dict[str, Tool] = {}
    for number, entry in enumerate(entries):
        here = place.at("functions").at(number)
        if not isinstance(entry, Mapping):
            raise here.refuse("is no function {name, description, parameters}.")
        name = _needed(entry, "name", str, "the function's name", here)
        parameters = entry.get("parameters") or {"type": "object", "properties": {}}
        if not isinstance(parameters, dict):
            raise here.at("parameters").refuse("must be a JSON Schema.")
        tools[name] = Tool(
            name=name, description=str(entry.get("description") or "").strip(), parameters=parameters
        )
    return tools


def _needed(entry: Entry, key: str, kind: Any, what: str, place: _Place) -> Any:
    value = entry.get(key)
    if not isinstance(value, kind) or isinstance(value, bool) or value == "":
        raise place.at(key).refuse(f"must be {what}.")
    return value


def _renamed(turn: Turn, aliases: Mapping[str, str]) -> Turn:
    calls = tuple(call.model_copy(update={"name": aliases[call.name]}) for call in turn.calls)
    return turn.model_copy(update={"calls": calls})


def _changed(name: str, aliases: Mapping[str, str]) -> str | None:
    return None if aliases[name] == name else name


def return_text(returns: Any) -> str | None:
    """Write what came back as a history holds it: a text as it stands, anything else as JSON."""
    if returns is None or isinstance(returns, str):
        return returns
    return json.dumps(returns, ensure_ascii=False)
