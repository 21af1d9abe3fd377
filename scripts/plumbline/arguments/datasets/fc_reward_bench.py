"""The released FC-RewardBench file: BFCL requests with a right and a wrong call of a real model (D4)."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa

from plumbline.arguments.datasets.account import Account
from plumbline.arguments.datasets.bfcl_check import Accepted, check_call
from plumbline.arguments.datasets.fcrb import message_turns, read_bfcl_states
from plumbline.arguments.datasets.json_files import read_objects, whole_characters
from plumbline.corpora.aliases import alias_names
from plumbline.corpora.schemas import parameters_schema
from plumbline.plans.call_objects import UnreadableCallError, read_call
from plumbline.records.arguments import State, WrittenCalls
from plumbline.records.errors import DataError
from plumbline.records.files import strict_json
from plumbline.records.model import Tool, ToolCall

Row = Mapping[str, Any]

_COLUMNS = ("tools", "conversation", "chosen_output", "rejected_output", "error_type")


class _UnreadableError(ValueError):
    """A cell of the file that holds no such thing."""


def read_fc_reward_bench(name: str, path: Path, wheel: Path | None, account: Account) -> list[State]:
    """Read the rows whose rejected call passes a wrong value.

    Parameters
    ----------
    name
        The data set's name in the run.
    path
        Parquet, Arrow (file or stream) or JSON Lines, with the columns `tools`, `conversation`,
        `chosen_output`, `rejected_output`, `error_type`, and, if they are there, `test_id` and `model_name`.
        Cells may hold JSON or its text; calls may be ``{name: {argument: value}}`` or ``{name, arguments}``.
    wheel
        The pinned `bfcl-eval` wheel; where it holds the request's gold and this accepts the chosen call,
        it says which values are accepted. Else those of the chosen call alone are, as BFCL compares
        them, and of parameters that this does not pass nothing is known.
    account
        Counts the rows by error type, and what was left out and why.

    Returns
    -------
    list of State
        One a row, its gold the chosen call, the rejected call among `written`, which is wrong because the
        row's `error_type` says so; `query_id` is `test_id`.

    Raises
    ------
    DataError
        If the file cannot be read, lacks a column, or no row is left.

    Notes
    -----
    Item D4: unparseable rows go, then those whose error is not a value, then those whose only message is a
    system prompt. The inner layout is written from the published field list; the file itself was not seen.
    """
    gold = {} if wheel is None else _accepted_values(wheel)
    states = []
    for place, row in _rows(path):
        missing = [column for column in _COLUMNS if column not in row]
        if missing:
            raise DataError(f"{place} lacks {', '.join(missing)}.", path)
        kind = str(row["error_type"])
        account.count(f"rows with the error {kind}")
        if not _is_value_error(kind):
            what = "unparseable rows" if _is_unparseable(kind) else "rows whose error is not a value"
            account.drop(what, place)
            continue
        try:
            state = _state(name, place, row, gold, account)
        except (_UnreadableError, UnreadableCallError) as error:
            account.drop("unparseable rows", f"{place}: {error}")
            continue
        if not any(turn.role == "user" for turn in state.turns):
            account.drop("requests whose only message is a system prompt", place)
            continue
        states.append(state)
    if not states:
        raise DataError("holds no row with a value error. " + "; ".join(account.lines()), path)
    account.count("states", len(states))
    return states


def accepted_of(call: ToolCall) -> dict[str, list[Any]]:
    """Give accepted values as BFCL writes them that accept the values of a call and no others."""
    return {key: [_accepted(value)] for key, value in call.arguments.items()}


def _accepted(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: [member] for key, member in value.items()}
    if isinstance(value, list):
        return [_accepted(member) if isinstance(member, dict) else member for member in value]
    return value


def _is_unparseable(kind: str) -> bool:
    return any(word in kind.casefold() for word in ("pars", "format", "decod"))


def _is_value_error(kind: str) -> bool:
    return "value" in kind.casefold() and "type" not in kind.casefold()


def _state(
    name: str, place: str, row: Row, gold: Mapping[str, tuple[str, Accepted]], account: Account
) -> State:
    tools = _tools(_cell(row, "tools"))
    chosen, rejected = (_call(_cell(row, column), column) for column in ("chosen_output", "rejected_output"))
    if chosen.name not in tools:
        raise _UnreadableError(f"the chosen call is of {chosen.name}, which is not offered")
    function = tools[chosen.name]
    test = str(row.get("test_id") or place)
    accepted = _accepted_by_gold(test, function, chosen, gold)
    of_gold_alone = True if accepted is None else None
    if accepted is None:
        account.count("rows compared with the chosen call alone")
        accepted = accepted_of(chosen)
    aliases = {source: tool.name for source, tool in tools.items()}
    conversation = _cell(row, "conversation")
    if not isinstance(conversation, list):
        raise _UnreadableError("`conversation` is no list of messages")
    writer = str(row.get("model_name") or "unknown")
    return State(
        state_id=f"{name}.{place.replace(' ', '_')}",
        query_id=test,
        dataset=name,
        turns=message_turns([message for message in conversation if isinstance(message, Mapping)]),
        functions=tuple(tools.values()),
        gold=(_renamed(chosen, aliases),),
        accepted=(dict(accepted),),
        of_gold_alone=of_gold_alone,
        written=(
            WrittenCalls(made_by=f"import:{writer}", calls=(_renamed(rejected, aliases),), positions=(0,)),
        ),
    )


def _accepted_by_gold(
    test: str, function: Tool, chosen: ToolCall, gold: Mapping[str, tuple[str, Accepted]]
) -> Accepted | None:
    """Give what BFCL's gold accepts, if it is the gold of this very request: ids changed between versions."""
    for identifier in (test, test.replace("simple_", "simple_python_", 1)):
        named, accepted = gold.get(identifier, ("", {}))
        if named == function.name and check_call(function, chosen.arguments, accepted) is None:
            return accepted
    return None


def _accepted_values(wheel: Path) -> dict[str, tuple[str, Accepted]]:
    states = read_bfcl_states("bfcl", wheel, Account())
    return {state.query_id: (state.gold[0].name, state.accepted[0]) for state in states if state.accepted}


def _cell(row: Row, column: str) -> Any:
    """Give what a cell holds; text that is JSON is decoded."""
    value = _plain(row[column])
    if not isinstance(value, str):
        return value
    try:
        return whole_characters(strict_json(value))
    except ValueError:
        raise _UnreadableError(f"`{column}` is text that is no JSON") from None


def _plain(value: Any) -> Any:
    """Turn what Parquet gives (arrays, and structs with keys of other rows) into JSON values."""
    if hasattr(value, "tolist"):
        value = value.tolist()
    if isinstance(value, list):
        return [_plain(member) for member in value]
    if isinstance(value, dict):
        return {key: _plain(member) for key, member in value.items() if member is not None}
    return value


def _tools(value: Any) -> dict[str, Tool]:
    """Read function descriptions, plain or as chat APIs take them, by the name of the source."""
    if not isinstance(value, list):
        raise _UnreadableError("`tools` is no list")
    rows = [entry.get("function", entry) for entry in value if isinstance(entry, Mapping)]
    if not rows or not all(isinstance(entry, Mapping) and entry.get("name") for entry in rows):
        raise _UnreadableError("a function of `tools` has no name")
    aliases = alias_names(entry["name"] for entry in rows)
    return {
        entry["name"]: Tool(
            name=aliases[entry["name"]],
            description=str(entry.get("description") or ""),
            parameters=parameters_schema(entry.get("parameters")),
            original_name=None if aliases[entry["name"]] == entry["name"] else entry["name"],
        )
        for entry in rows
    }


def _call(value: Any, column: str) -> ToolCall:
    """Read one call, alone or in a list."""
    entries = value if isinstance(value, list) else [value]
    if len(entries) != 1:
        raise _UnreadableError(f"`{column}` holds {len(entries)} calls, a value error has one")
    (entry,) = entries
    call = read_call(entry)
    if call is not None:
        return call
    if isinstance(entry, Mapping) and len(entry) == 1:
        ((name, arguments),) = entry.items()
        if isinstance(arguments, dict):
            return ToolCall(name=name, arguments=arguments)
    raise _UnreadableError(f"`{column}` is no call: {json.dumps(entry, ensure_ascii=False)[:80]}")


def _renamed(call: ToolCall, aliases: Mapping[str, str]) -> ToolCall:
    return call.model_copy(update={"name": aliases.get(call.name, call.name)})


def _rows(path: Path) -> Iterator[tuple[str, Row]]:
    """Give the rows, each with its place from 1."""
    if path.suffix not in (".parquet", ".arrow"):
        yield from read_objects(path)
        return
    try:
        table = _arrow(path) if path.suffix == ".arrow" else pd.read_parquet(path)
    except (OSError, ValueError) as error:
        raise DataError(f"cannot be read as {path.suffix[1:]} ({error}).", path) from None
    for number, row in enumerate(table.to_dict(orient="records"), start=1):
        yield f"row {number}", {str(key): value for key, value in row.items()}


def _arrow(path: Path) -> pd.DataFrame:
    with pa.memory_map(str(path)) as source:
        try:
            table = pa.ipc.open_file(source).read_all()
        except pa.ArrowInvalid:
            source.seek(0)
            table = pa.ipc.open_stream(source).read_all()
    frame: pd.DataFrame = table.to_pandas()
    return frame
