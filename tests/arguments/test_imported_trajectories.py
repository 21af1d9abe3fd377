"""Trajectories of other models join the gold states where they first pass other values (D5, C-D30)."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from plumbline.arguments.datasets.account import Account
from plumbline.arguments.datasets.trajectories import read_trajectories, with_trajectories
from plumbline.records import DataError, Tool, ToolCall
from plumbline.records.arguments import HistoryCall, State, Turn

GOLD = [
    ("search", {"city": "Oslo"}),
    ("book", {"id": 5, "day": "Monday"}),
    ("book", {"id": 6, "day": "Friday"}),
]
REQUEST = "Find a room in Oslo\nand book it."


def gold_states(calls: Sequence[tuple[str, Any]] = GOLD) -> list[State]:
    turns = [Turn(role="user", text=REQUEST)]
    states = []
    tools = (Tool(name="search"), Tool(name="book", original_name="book (room)"))
    for place, (name, arguments) in enumerate(calls):
        gold = (ToolCall(name=name, arguments=arguments),)
        states.append(
            State(
                state_id=f"s{place}",
                query_id="task",
                dataset="cfb",
                turns=tuple(turns),
                functions=tools,
                gold=gold,
            )
        )
        call = HistoryCall(name=name, arguments=arguments, returns="ok")
        turns.append(Turn(role="assistant", calls=(call,)))
    return states


def trajectory(
    *steps: list[tuple[str, Any]], request: str = "Find a room in  Oslo and book it."
) -> dict[str, Any]:
    talk: list[dict[str, Any]] = [{"role": "user", "content": request}]
    for step in steps:
        calls = [{"name": name, "arguments": arguments} for name, arguments in step]
        talk.append({"role": "assistant", "function_call": calls})
        talk.append({"role": "observation", "content": ["ok"] * len(step)})
    return {
        "id": "Hotels-1",
        "gen_convs": [*talk, {"role": "assistant", "content": "Done."}],
        "message": "Success.",
    }


def joined(
    tmp_path: Path, *rows: dict[str, Any], gold: Sequence[tuple[str, Any]] = GOLD
) -> tuple[dict[str, list[tuple[str, str, Any]]], Account]:
    (tmp_path / "gpt_x.jsonl").write_text("\n".join(json.dumps(row) for row in rows), encoding="utf-8")
    account = Account()
    states = with_trajectories(gold_states(gold), read_trajectories(tmp_path, account), account)
    found = {
        state.state_id: [
            (written.made_by, call.name, call.arguments)
            for written in state.written
            for call in written.calls
        ]
        for state in states
        if state.written
    }
    return found, account


SEARCH = ("search", {"city": "Oslo"})


def test_other_values_join_the_state_of_the_first_difference(tmp_path):
    row = trajectory([SEARCH], [("book (room)", {"id": 7, "day": "Monday"})], [("book (room)", {"id": 8})])
    found, account = joined(tmp_path, row)
    assert found == {"s1": [("import:gpt_x", "book", {"id": 7, "day": "Monday"})]}
    assert account.counts["trajectories with a wrong call"] == 1


def test_calls_are_compared_in_canonical_json(tmp_path):
    same = [("book (room)", {"day": "Monday", "id": 5.0})]
    found, account = joined(
        tmp_path, trajectory([SEARCH], same, [("book (room)", {"id": 6, "day": "Friday"})])
    )
    assert found == {}
    assert account.dropped == {"trajectories without a wrong call": 1}
    # a text is no number (C-D30)
    found, _ = joined(tmp_path, trajectory([SEARCH], [("book (room)", {"id": "5", "day": "Monday"})]))
    assert found == {"s1": [("import:gpt_x", "book", {"id": "5", "day": "Monday"})]}


def test_parallel_calls_are_compared_in_any_order(tmp_path):
    step = [("book (room)", {"id": 6, "day": "Friday"}), ("book (room)", {"id": 9, "day": "Monday"})]
    found, _ = joined(tmp_path, trajectory([SEARCH], step))
    assert found == {"s1": [("import:gpt_x", "book", {"id": 9, "day": "Monday"})]}


def test_another_function_at_the_first_difference_is_no_wrong_value(tmp_path):
    found, account = joined(
        tmp_path, trajectory([("weather", {"city": "Oslo"})], [("book (room)", {"id": 7})])
    )
    assert found == {}
    assert account.dropped["calls of another function at the first difference"] == 1
    assert account.dropped["trajectories whose first difference is no other value"] == 1


def test_parallel_calls_that_cannot_be_matched_in_order_are_dropped_and_counted(tmp_path):
    gold = [SEARCH, ("book", {"id": 5}), ("search", {"city": "Rome"})]
    step = [("book (room)", {"id": 1}), ("search", {"city": "Bonn"}), ("book (room)", {"id": 2})]
    found, account = joined(tmp_path, trajectory(step), gold=gold)
    assert found == {}
    # two bookings beside one of gold, one search beside two
    assert account.dropped["parallel calls of one function that cannot be matched in order"] == 3


def test_a_task_that_the_data_set_lacks_is_counted(tmp_path):
    found, account = joined(tmp_path, trajectory([SEARCH], request="Something else."))
    assert found == {}
    assert account.dropped == {"trajectories of a task that the data set does not have": 1}


def test_a_call_that_cannot_be_read_ends_its_trajectory(tmp_path):
    row = trajectory([SEARCH])
    row["gen_convs"][3:] = [
        {"role": "assistant", "function_call": [{"name": "book (room)", "arguments": "{"}]}
    ]
    _, account = joined(tmp_path, row)
    assert account.dropped["trajectories that end at a call that cannot be read"] == 1


def test_arguments_may_be_json_text(tmp_path):
    row = trajectory([SEARCH], [("book (room)", json.dumps({"id": 7, "day": "Monday"}))])
    assert joined(tmp_path, row)[0]["s1"][0][2] == {"id": 7, "day": "Monday"}


def test_a_file_without_conversations_is_named_with_its_line(tmp_path):
    (tmp_path / "m.jsonl").write_text('{"gen_convs": []}\n{"id": 1}\n', encoding="utf-8")
    with pytest.raises(DataError, match="m.jsonl: line 2 has no list `gen_convs`"):
        read_trajectories(tmp_path, Account())
    (tmp_path / "none").mkdir()
    with pytest.raises(DataError, match="holds no .jsonl or .json file"):
        read_trajectories(tmp_path / "none", Account())
