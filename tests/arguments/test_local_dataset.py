"""A user's own states and proposed calls: what is kept, which labels follow, what is refused."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from plumbline.arguments.datasets import Account, build_calls, build_states
from plumbline.arguments.datasets.local import read_local_calls, read_local_states
from plumbline.config.argument_datasets import LocalDataset
from plumbline.records import DataError, write_json_lines
from plumbline.records.arguments import ProposedCall, State


def local_state(number: int, **kept: Any) -> dict[str, Any]:
    return {
        "state_id": f"s{number}",
        "query_id": f"q{number}",
        "dataset": "mine",
        "turns": [{"role": "user", "text": "Book Oslo."}],
        "functions": [{"name": "book"}],
        "gold": [{"name": "book", "arguments": {"city": "Oslo", "note": None}}],
        **kept,
    }


def local_call(number: int, name: str = "right", **kept: Any) -> dict[str, Any]:
    return {
        "call_id": f"s{number}.{name}",
        "state_id": f"s{number}",
        "query_id": f"q{number}",
        "dataset": "mine",
        "function": "book",
        "arguments": {"city": "Oslo", "note": None},
        "label": "correct",
        "made_by": "gold",
        **kept,
    }


def files(tmp_path: Path, states: list[Any], calls: list[Any]) -> LocalDataset:
    write_json_lines(states, tmp_path / "states.jsonl")
    write_json_lines(calls, tmp_path / "calls.jsonl")
    return LocalDataset(
        kind="local", states=str(tmp_path / "states.jsonl"), calls=str(tmp_path / "calls.jsonl")
    )


def test_a_users_own_data_keep_null_values_and_get_the_labels_that_follow(tmp_path: Path) -> None:
    wrong = local_call(
        1,
        "w",
        label="wrong",
        arguments={"city": "Rome", "note": None},
        labels={"city": "wrong"},
        twin="s1.right",
        made_by="me",
    )
    settings = files(tmp_path, [local_state(1), local_state(2)], [local_call(1), wrong, local_call(2)])
    states = build_states("own", settings, files={}, seed=0)
    calls = build_calls(settings, states, [], 0)
    assert {state.dataset for state in states} == {call.dataset for call in calls} == {"own"}
    assert calls[0].labels == {"city": "correct", "note": "correct"}
    assert calls[1].labels == {"city": "wrong", "note": "unlabelled"}
    assert calls[1].arguments["note"] is None


def test_a_sample_of_queries_takes_its_calls_along(tmp_path: Path) -> None:
    settings = files(tmp_path, [local_state(n) for n in range(9)], [local_call(n) for n in range(9)])
    settings = settings.model_copy(update={"count": 4})
    account = Account()
    states = build_states("own", settings, files={}, seed=3)
    calls = build_calls(settings, states, [], 3, account=account)
    assert [call.state_id for call in calls] == [state.state_id for state in states]
    assert len(calls) == 4
    assert account.dropped["calls of a state that is not drawn, or not in the file"] == 5


def test_a_call_without_a_return_is_kept_and_counted(tmp_path: Path) -> None:
    dangling = [{"role": "assistant", "calls": [{"name": "book", "arguments": {}}]}]
    files(tmp_path, [local_state(1, turns=dangling)], [])
    account = Account()
    (state,) = read_local_states("own", tmp_path / "states.jsonl", account)
    assert state.turns[0].calls[0].returns is None
    assert account.counts["calls without a return in their history (kept)"] == 1


@pytest.mark.parametrize(
    ("states", "told"),
    [
        ([], "holds no state"),
        ([local_state(1), local_state(1)], r"line 2 \(record s1\).*on line 1 before"),
        ([local_state(1, gold=[{"name": "fly"}])], "line 1.*`fly`, which `functions` does not hold"),
        ([local_state(1), local_state(2, turns=[{"role": "tool"}])], "line 2.*turns"),
        ([local_state(1, accepted=[])], "different numbers of entries"),
        (
            [local_state(1, turns=[{"role": "user", "returns": "lost"}])],
            "line 1.*is not a key of this format",
        ),
    ],
)
def test_a_file_of_states_that_contradicts_itself_is_refused(
    tmp_path: Path, states: list[Any], told: str
) -> None:
    files(tmp_path, states, [])
    with pytest.raises(DataError, match=told):
        read_local_states("own", tmp_path / "states.jsonl", Account())


@pytest.mark.parametrize(
    ("call", "told"),
    [
        (local_call(1, function="fly"), "calls `fly`"),
        (local_call(1, query_id="q2"), "`query_id` is q2, that of its state is q1"),
        (local_call(1, labels={"town": "correct"}), "`labels` names town"),
        (local_call(1, labels={"city": "wrong"}), "labelled correct, but an argument of it wrong"),
        (local_call(1, twin="s9.right"), "`twin` is s9.right"),
        (local_call(1, arguments=["Oslo"]), "arguments"),
        (local_call(7), "holds no call of a state"),
    ],
)
def test_a_file_of_calls_that_contradicts_the_states_is_refused(tmp_path: Path, call: Any, told: str) -> None:
    files(tmp_path, [local_state(1)], [call])
    states = [State.model_validate(local_state(1))]
    with pytest.raises(DataError, match=told):
        read_local_calls("own", tmp_path / "calls.jsonl", states, Account())


def test_a_proposed_call_survives_its_file(tmp_path: Path) -> None:
    call = ProposedCall.model_validate(
        local_call(1, arguments={"a": None, "b": [None, {"c": None}], "d": {}})
    )
    write_json_lines([call], tmp_path / "calls.jsonl")
    (line,) = (tmp_path / "calls.jsonl").read_text().splitlines()
    assert ProposedCall.model_validate_json(line) == call
