"""ComplexFuncBench as released: a state for each step, its parallel calls, the task's functions (D5)."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from plumbline.arguments.contexts import shown_calls
from plumbline.arguments.datasets import Account, build_calls, build_states
from plumbline.config.argument_datasets import CfbDataset, wheel_of
from plumbline.config.arguments import Window
from plumbline.records import DataError
from plumbline.records.arguments import ProposedCall, State

FIXTURE = Path(__file__).parent.parent / "fixtures" / "complexfuncbench_original.jsonl"
ROWS = [json.loads(line) for line in FIXTURE.read_text("utf-8").splitlines()]
REQUEST = ROWS[0]["conversations"][0]["content"]

FIND = "Find_Ferry (Harbour)"
HARWICH = (FIND, {"harbour": "Harwich", "date": "2025-05-02"})
HULL = (FIND, {"harbour": "Hull", "date": "2025-05-03"})
SEATS = [("Seat_Map", {"ferry_id": "F-1107"}), ("Seat_Map", {"ferry_id": "F-2210"})]
CABIN = ("Cabin_Price", {"ferry_id": "F-1107", "nights": 1})
LAST = ("Cabin_Price", {"ferry_id": "F-2210", "nights": 1})

Step = list[tuple[str, dict[str, Any]]]


def read(path: Path = FIXTURE, **settings: Any) -> tuple[list[State], Account]:
    account = Account()
    dataset = CfbDataset(kind="cfb", path=str(path), **settings)
    return build_states("cfb", dataset, files={}, seed=0, account=account), account


def test_each_step_is_a_state_with_its_parallel_calls_and_the_history_before_it() -> None:
    states, account = read()
    first, second, third, other = states
    assert [state.state_id for state in states] == [
        "cfb.Ferries-0.t1",
        "cfb.Ferries-0.t2",
        "cfb.Ferries-0.t3",
        "cfb.Ferries-1.t1",
    ]
    assert [state.query_id for state in states] == ["Ferries-0"] * 3 + ["Ferries-1"]
    # a name that chat APIs refuse has an alias, in the calls, the history and the functions
    assert [(call.name, call.arguments["harbour"]) for call in first.gold] == [
        ("Find_Ferry__Harbour_", "Harwich"),
        ("Find_Ferry__Harbour_", "Hull"),
    ]
    assert first.functions[0].original_name == FIND
    assert [turn.role for turn in first.turns] == ["user"]
    assert [[call.returns for call in turn.calls] for turn in third.turns] == [
        [],
        [
            '{"status": true, "data": [{"id": "F-1107", "name": "Ægir"}]}',
            '{"status": true, "data": [{"id": "F-2210"}]}',
        ],
        ['{"free": 0}', "no seat map", None],
    ]
    assert [len(second.gold), len(third.gold)] == [3, 1]
    assert (account.counts["tasks"], account.counts["states"]) == (2, 4)


def test_each_task_offers_its_own_functions_as_they_are() -> None:
    states, _ = read()
    assert [[tool.name for tool in state.functions] for state in states[2:]] == [
        ["Find_Ferry__Harbour_", "Seat_Map", "Cabin_Price"],
        ["Seat_Map"],
    ]
    assert states[2].functions[2].parameters["properties"]["nights"] == {"type": "number", "default": None}


def test_the_window_counts_steps_and_not_calls() -> None:
    states, _ = read()
    assert shown_calls(states[2], Window(steps=1, steps_by_dataset={}), "cfb") == [(2, (0, 1, 2))]


def test_the_released_file_needs_no_wheel_and_tasks_are_drawn_whole() -> None:
    assert wheel_of(CfbDataset(kind="cfb", path="x.jsonl")) is None
    assert wheel_of(CfbDataset(kind="cfb")) == "complexfuncbench"
    states, _ = read(count=1)
    assert len({state.query_id for state in states}) == 1


def trajectory(*steps: Step, request: str = REQUEST) -> dict[str, Any]:
    talk: list[dict[str, Any]] = [{"role": "user", "content": request}]
    for step in steps:
        calls = [{"name": name, "arguments": arguments} for name, arguments in step]
        talk += [{"role": "assistant", "function_call": calls}]
        talk += [{"role": "observation", "content": ["ok"] * len(step)}]
    return {"id": "Ferries-0", "gen_convs": talk}


def wrong_calls(tmp_path: Path, *steps: Step) -> tuple[list[tuple[str, int, dict[str, Any]]], Account]:
    (tmp_path / "model_x.jsonl").write_text(json.dumps(trajectory(*steps)), encoding="utf-8")
    states, account = read(trajectories=str(tmp_path))
    dataset = CfbDataset(kind="cfb", path=str(FIXTURE), trajectories=str(tmp_path))
    calls: list[ProposedCall] = []
    if any(state.written for state in states):
        calls = build_calls(dataset, states, [], 0, account=account)
    kept = [(one.state_id, one.position, one.arguments) for one in calls if one.label == "wrong"]
    return kept, account


F_9 = {"ferry_id": "F-9999"}
TWO_NIGHTS = {"ferry_id": "F-1107", "nights": 2}


@pytest.mark.parametrize(
    ("steps", "wrong"),
    [
        # by position among the parallel calls of the step, whatever is equal set aside
        ([[HARWICH, (FIND, {"harbour": "Hull", "date": "2025-05-04"})]],
         [("cfb.Ferries-0.t1", 1, {"harbour": "Hull", "date": "2025-05-04"})]),
        ([[HULL, HARWICH], [SEATS[0], ("Seat_Map", F_9), CABIN]], [("cfb.Ferries-0.t2", 1, F_9)]),
        # made in turn, in another order: the second seat map stands for the one that is left
        ([[HULL], [HARWICH], [CABIN], [SEATS[1]], [("Seat_Map", F_9)]], [("cfb.Ferries-0.t2", 0, F_9)]),
        # two wrong calls of one step
        ([[HARWICH, HULL], [("Seat_Map", F_9), SEATS[1], ("Cabin_Price", TWO_NIGHTS)]],
         [("cfb.Ferries-0.t2", 0, F_9), ("cfb.Ferries-0.t2", 2, TWO_NIGHTS)]),
        # gold of a later step is left out of no trajectory (D5)
        ([[HARWICH, HULL], [*SEATS, LAST]], [("cfb.Ferries-0.t2", 2, LAST[1])]),
        # more calls than the step has: what is left over stands for nothing
        ([[HARWICH, HULL], [*SEATS, CABIN, ("Cabin_Price", {"ferry_id": "F-2210", "nights": 3})]],
         [("cfb.Ferries-0.t3", 0, {"ferry_id": "F-2210", "nights": 3})]),
        ([[HARWICH, HULL], [*SEATS, CABIN], [LAST]], []),
        ([[HARWICH, HULL], [(FIND, {"harbour": "Bergen", "date": "2025-05-02"})]], []),
    ],
)  # fmt: skip
def test_the_first_step_that_differs_gives_its_wrong_calls(
    tmp_path: Path, steps: list[Step], wrong: Any
) -> None:
    assert wrong_calls(tmp_path, *steps)[0] == wrong


def test_parallel_calls_of_one_function_without_an_order_are_dropped(tmp_path: Path) -> None:
    # the seat map stands at the place of the cabin, and two seat maps of gold are open
    found, account = wrong_calls(tmp_path, [HARWICH, HULL], [CABIN, ("Cabin_Price", F_9), ("Seat_Map", F_9)])
    assert found == []
    assert account.dropped["parallel calls of one function that cannot be matched in order"] == 1
    assert account.dropped["calls of another function at the first difference"] == 1


def test_a_task_that_calls_what_it_does_not_offer_is_left_out(tmp_path: Path) -> None:
    row = json.loads(json.dumps(ROWS[0]))
    del row["functions"][0]
    path = tmp_path / "cfb.jsonl"
    path.write_text("\n".join(map(json.dumps, [row, ROWS[1]])), encoding="utf-8")
    states, account = read(path)
    assert {state.query_id for state in states} == {"Ferries-1"}
    assert account.dropped == {"tasks that call functions they do not offer": 1}


@pytest.mark.parametrize(
    ("place", "value", "told"),
    [
        (("id",), None, "line 2, `id` must be the task's id"),
        (("id",), "Ferries-0", "line 2, `id` Ferries-0 is the id of an earlier task"),
        (("functions",), {}, "line 2, `functions` must be a list of functions"),
        (("functions", 0), {"description": "x"}, "line 2, `functions[0].name` must be the function's name"),
        (("functions", 0, "parameters"), [1], "line 2, `functions[0].parameters` must be a JSON Schema"),
        (("conversations",), None, "line 2, `conversations` must be a list of messages"),
        (("conversations", 0), "hello", "line 2, `conversations[0]` is no object"),
        (("conversations", 0, "role"), "bot", "line 2, `conversations[0].role` must be user"),
        (("conversations", 0, "role"), "assistant", "line 2, `conversations` hold no message of the user"),
        (("conversations", 1, "function_call"), [], "`conversations[1].function_call` must be a list"),
        (("conversations", 1, "function_call", 0, "arguments"), "{}",
         "line 2, `conversations[1].function_call[0].arguments` must be an object"),
        (("conversations", 2, "content"), [1, 2],
         "line 2, `conversations[2].content` holds 2 returns for 1 calls"),
        (("conversations", 2, "content"), "ok", "line 2, `conversations[2].content` must be a list"),
        (("conversations", 2, "role"), "assistant", '`conversations[2].role` is "assistant", but here'),
        (("conversations", 3, "role"), "observation", "no call waits for a return"),
    ],
)  # fmt: skip
def test_another_layout_is_refused_with_file_line_and_key(
    tmp_path: Path, place: tuple[Any, ...], value: Any, told: str
) -> None:
    row = json.loads(json.dumps(ROWS[1]))
    inner = row
    for key in place[:-1]:
        inner = inner[key]
    inner[place[-1]] = value
    path = tmp_path / "cfb.jsonl"
    path.write_text("\n".join(map(json.dumps, [ROWS[0], row])), encoding="utf-8")
    with pytest.raises(DataError) as caught:
        read(path)
    assert f"{path}: " in str(caught.value)
    assert told in str(caught.value)


def test_calls_that_nothing_returns_to_are_refused(tmp_path: Path) -> None:
    row = json.loads(json.dumps(ROWS[1]))
    del row["conversations"][2:]
    path = tmp_path / "cfb.jsonl"
    path.write_text(json.dumps(row), encoding="utf-8")
    with pytest.raises(DataError, match="line 1, `conversations` end with calls that nothing returns to"):
        read(path)
