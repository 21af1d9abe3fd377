"""tau-bench's labelled calls become states whose labels are those of the recording."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from plumbline.arguments.datasets.account import Account
from plumbline.arguments.datasets.calls import build_calls
from plumbline.arguments.datasets.states import build_states
from plumbline.arguments.datasets.taubench import read_taubench
from plumbline.config.argument_datasets import TaubenchDataset
from plumbline.records import DataError
from plumbline.records.arguments import ProposedCall, State

ROOT = Path(__file__).parents[2]
EXCERPT = ROOT / "resources" / "taubench_airline"
SAMPLE = ROOT.parent / "shared" / "data" / "taubench_airline"

FOLDERS = [
    EXCERPT,
    pytest.param(
        SAMPLE,
        marks=pytest.mark.skipif(not SAMPLE.exists(), reason="the licensed sample is not beside the project"),
    ),
]


def recorded(folder: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (folder / "trajectories.jsonl").read_text("utf-8").splitlines()]


def built(folder: Path) -> tuple[list[State], list[ProposedCall], Account]:
    account = Account()
    dataset = TaubenchDataset(kind="taubench", path=str(folder), policy=True)
    states = build_states("tau", dataset, files={}, seed=1, account=account)
    return states, build_calls(dataset, states, (), 1, account=account), account


@pytest.mark.parametrize("folder", FOLDERS)
def test_each_labelled_call_of_a_gold_tool_is_a_state(folder):
    states, calls, account = built(folder)
    labels = [label["label"] for row in recorded(folder) for label in row["labels"]]
    assert len(states) == labels.count("exact") + labels.count("same_tool")
    assert sum(call.label == "wrong" for call in calls) == labels.count("same_tool")
    left_out = account.dropped["labelled calls whose tool is not in the gold list"]
    assert left_out == labels.count("not_in_gold")
    assert {state.query_id for state in states} <= {f"task_{row['task_id']}" for row in recorded(folder)}


@pytest.mark.parametrize("folder", FOLDERS)
def test_the_wrong_values_are_those_that_the_recording_says_differ(folder):
    states, calls, _ = built(folder)
    differs = {
        f"tau.task_{row['task_id']}.trial_{row['trial']}.m{label['message']}": set(label["differs"])
        for row in recorded(folder)
        for label in row["labels"]
        if label["label"] == "same_tool"
    }
    wrong = {call.state_id: call for call in calls if call.label == "wrong"}
    assert wrong.keys() == differs.keys()
    for state_id, call in wrong.items():
        found = {key for key, label in call.labels.items() if label == "wrong"}
        assert found == differs[state_id] & call.arguments.keys()
        assert {label for key, label in call.labels.items() if key not in found} <= {"unlabelled"}


@pytest.mark.parametrize("folder", FOLDERS)
def test_the_history_ends_before_the_call_and_keeps_earlier_wrong_calls(folder):
    states, _, _ = built(folder)
    rows = {f"tau.task_{row['task_id']}.trial_{row['trial']}": row for row in recorded(folder)}
    for state in states:
        prefix, message = state.state_id.rsplit(".m", 1)
        before = rows[prefix]["traj"][: int(message)]
        assert sum(len(turn.calls) for turn in state.turns) == sum(
            len(m.get("tool_calls") or ()) for m in before
        )
        told = [m["content"] for m in before if m["role"] == "tool"]
        assert [call.returns for turn in state.turns for call in turn.calls] == told
        assert state.turns[0].role == "system"


def test_without_the_policy_the_history_starts_with_the_user():
    states = read_taubench("tau", EXCERPT, account=Account(), policy=False)
    assert {state.turns[0].role for state in states} == {"user"}


def test_the_excerpt_is_small_and_has_its_licence():
    assert sum(file.stat().st_size for file in EXCERPT.iterdir()) < 200_000
    assert "Permission is hereby granted" in (EXCERPT / "LICENSE").read_text("utf-8")


def write(folder: Path, **changes: Any) -> Path:
    arguments = {"flight": "HAT1", "bags": 2}
    made = {"id": "c", "type": "function", "function": {"name": "book", "arguments": json.dumps(arguments)}}
    row: dict[str, Any] = {
        "id": "airline-00-0",
        "task_id": 0,
        "trial": 3,
        "gold_changed_in_tau2": True,
        "task": {"actions": [{"name": "book", "kwargs": {"flight": "HAT1", "bags": 1, "meal": "no"}}]},
        "traj": [
            {"role": "user", "content": "Book HAT1."},
            {"role": "assistant", "content": None, "tool_calls": [made]},
            {"role": "tool", "tool_call_id": "c", "content": "Error: no"},
        ],
        "labels": [
            {
                "message": 1,
                "call": 0,
                "name": "book",
                "label": "same_tool",
                "gold": 0,
                "differs": ["bags", "meal"],
            }
        ],
    }
    tool = {"type": "function", "function": {"name": "book", "parameters": {"type": "object"}}}
    (folder / "tools.json").write_text(json.dumps([tool]), encoding="utf-8")
    (folder / "policy.md").write_text("Be kind.", encoding="utf-8")
    (folder / "trajectories.jsonl").write_text(json.dumps({**row, **changes}), encoding="utf-8")
    return folder


def test_a_parameter_that_the_wrong_call_leaves_out_has_no_wrong_value(tmp_path):
    _, calls, account = built(write(tmp_path))
    correct, wrong = calls
    assert correct.arguments == {"flight": "HAT1", "bags": 1, "meal": "no"}
    assert wrong.labels == {"flight": "unlabelled", "bags": "wrong"}
    assert wrong.twin == correct.call_id
    assert account.counts["trajectories of tasks whose gold was revised later (kept)"] == 1


def test_tasks_whose_gold_was_revised_can_be_left_out(tmp_path):
    account = Account()
    with pytest.raises(DataError, match="no call labelled"):
        read_taubench("tau", write(tmp_path), account=account, leave_out_changed=True)
    assert account.dropped == {"trajectories of tasks whose gold was revised later": 1}


LABEL = {
    "message": 1,
    "call": 0,
    "name": "book",
    "label": "same_tool",
    "gold": 0,
    "differs": ["bags", "meal"],
}


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        (
            {"labels": [{**LABEL, "message": 9}]},
            "call 0 .book. of message 9, which the trajectory does not have",
        ),
        (
            {"labels": [{**LABEL, "call": 1}]},
            "call 1 .book. of message 1, which the trajectory does not have",
        ),
        ({"labels": [{**LABEL, "name": "fly"}]}, "which the trajectory does not have"),
        ({"labels": [{**LABEL, "gold": 3}]}, "is no action of that name"),
        (
            {"labels": [{**LABEL, "differs": ["flight"]}]},
            "says that flight differs.*the calls say bags, meal",
        ),
        ({"traj": None}, "line 1 .airline-00-0. needs the keys"),
    ],
)
def test_a_label_that_contradicts_its_trajectory_is_an_error_with_its_place(tmp_path, changes, message):
    with pytest.raises(DataError, match=message):
        read_taubench("tau", write(tmp_path, **changes), account=Account())
