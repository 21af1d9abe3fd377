"""BFCL's single-turn requests as states, and the released FC-RewardBench file (D4)."""

from __future__ import annotations

import zipfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from plumbline.arguments.datasets.account import Account
from plumbline.corpora.bfcl import GoldError, bfcl_record
from plumbline.records.arguments import State, Turn
from plumbline.records.model import ToolCall
from plumbline.records.wheels import WHEELS, open_wheel, read_member_lines

CATEGORIES = ("simple_python", "multiple", "live_simple", "live_multiple")
"""Categories with one gold call in Python types: those whose failures the checker calls value errors."""

_DATA = "bfcl_eval/data"


def read_bfcl_states(name: str, wheel: Path, account: Account) -> list[State]:
    """Read the single-turn requests of BFCL, each with what its gold accepts.

    Parameters
    ----------
    name
        The data set's name in the run.
    wheel
        The pinned `bfcl-eval` wheel.
    account
        Receives what was kept, left out and why.

    Returns
    -------
    list of State
        Without earlier calls; `query_id` is the request (C-D23), `gold` the first accepted call that fits the
        declared types, `accepted` all accepted values by parameter.

    Raises
    ------
    UserError, DataError
        If the wheel is another one, lacks a member or holds a line that is no JSON.

    Notes
    -----
    Item D4. Requests whose only message is a system prompt are left out.
    """
    with open_wheel(WHEELS["bfcl"], wheel) as archive:
        return bfcl_states(name, archive, CATEGORIES, account)


def bfcl_states(
    name: str, archive: zipfile.ZipFile, categories: Sequence[str], account: Account
) -> list[State]:
    """Convert categories of an open wheel, see `read_bfcl_states`."""
    states = []
    for category in categories:
        for row, gold in _rows(archive, category):
            messages = [message for turn in row["question"] for message in turn]
            if not any(message.get("role") == "user" for message in messages):
                account.drop("requests whose only message is a system prompt", row["id"])
                continue
            try:
                states.append(_state(name, row, gold, category, messages))
            except GoldError as error:
                account.drop("requests whose gold contradicts their functions", f"{row['id']}: {error}")
    account.count("states", len(states))
    return states


def message_turns(messages: Sequence[Mapping[str, Any]]) -> tuple[Turn, ...]:
    """Turn the messages of a request without calls into turns; empty ones are left out."""
    roles = {"system": "system", "user": "user", "assistant": "assistant"}
    return tuple(
        Turn.model_validate({"role": roles[message["role"]], "text": str(message["content"]).strip()})
        for message in messages
        if message.get("role") in roles and message.get("content")
    )


def _rows(archive: zipfile.ZipFile, category: str) -> Iterator[tuple[dict[str, Any], Any]]:
    answers = read_member_lines(archive, f"{_DATA}/possible_answer/BFCL_v4_{category}.json")
    gold = {row["id"]: row["ground_truth"] for row in answers}
    for row in read_member_lines(archive, f"{_DATA}/BFCL_v4_{category}.json"):
        yield row, gold.get(row["id"])


def _state(
    name: str, row: dict[str, Any], gold: Any, category: str, messages: Sequence[Mapping[str, Any]]
) -> State:
    record = bfcl_record(row, gold, category)
    (call,) = record.expected_calls
    ((_, accepted),) = gold[0].items()
    return State(
        state_id=f"{name}.{row['id']}",
        query_id=row["id"],
        dataset=name,
        turns=message_turns(messages),
        functions=record.tools,
        gold=(ToolCall(name=call.name, arguments=call.arguments),),
        accepted=(accepted,),
    )
