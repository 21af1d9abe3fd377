"""Correct and wrong calls of a state: what is matched with what, what is left out, and each label."""

from __future__ import annotations

from typing import Any

import pytest

from plumbline.arguments.datasets import Account
from plumbline.arguments.datasets.wrong_calls import proposed_calls
from plumbline.config.argument_datasets import LaterGold
from plumbline.records.arguments import Proposal, ProposedCall, State, WrittenCalls
from plumbline.records.model import Tool, ToolCall

TOOLS = tuple(
    Tool(
        name=name,
        parameters={"type": "object", "properties": {key: {"type": "string"} for key in "xyz"}},
    )
    for name in ("f", "g", "h")
)

Calls = list[tuple[str, dict[str, Any]]]


def made(calls: Calls) -> tuple[ToolCall, ...]:
    return tuple(ToolCall(name=name, arguments=arguments) for name, arguments in calls)


def step(number: int, gold: Calls, written: Calls | None = None, **kept: Any) -> State:
    return State(
        state_id=f"t.s{number}",
        query_id="t",
        dataset="d",
        turns=(),
        functions=TOOLS,
        gold=made(gold),
        written=() if written is None else (WrittenCalls(made_by="import:m", calls=made(written)),),
        **kept,
    )


def proposal(state: State, calls: Calls | None, proposer: str = "p", status: str = "ok") -> Proposal:
    return Proposal(
        state_id=state.state_id,
        dataset="d",
        proposer=proposer,
        status=status,
        calls=None if calls is None else made(calls),
    )


def judged(
    states: list[State], *proposals: Proposal, paired: bool = True, later_gold: LaterGold = "none"
) -> tuple[list[ProposedCall], Account]:
    account = Account()
    calls = proposed_calls(states, proposals, (), 0, account, paired=paired, later_gold=later_gold)
    return calls, account


def wrong_of(gold: Calls, proposed: Calls) -> tuple[list[tuple[int, dict[str, Any]]], Account]:
    state = step(1, gold)
    calls, account = judged([state], proposal(state, proposed))
    return [(call.position, call.arguments) for call in calls if call.label == "wrong"], account


def test_a_wrong_call_stands_beside_its_gold_call_with_a_label_for_each_argument() -> None:
    state = step(1, [("f", {"x": "a", "y": "b", "z": "c"})])
    calls, account = judged([state], proposal(state, [("f", {"x": "a", "y": "B", "w": "new"})]))
    gold, wrong = calls
    assert (gold.label, gold.made_by, gold.twin) == ("correct", "gold", None)
    assert gold.labels == {"x": "correct", "y": "correct", "z": "correct"}
    assert (wrong.label, wrong.made_by, wrong.twin) == ("wrong", "p", gold.call_id)
    assert wrong.labels == {"x": "unlabelled", "y": "wrong", "w": "wrong"}
    assert wrong.changed == ("y", "w", "z")
    assert account.counts["correct calls"] == account.counts["wrong calls"] == 1


@pytest.mark.parametrize(
    ("gold", "proposed", "wrong"),
    [
        # the same, whatever the order of keys: JSON has one kind of number, and a text is none
        ([("f", {"x": 2, "y": "b"})], [("f", {"y": "b", "x": 2.0})], []),
        ([("f", {"x": 2})], [("f", {"x": "2"})], [(0, {"x": "2"})]),
        ([("f", {"x": {"y": [1.5]}})], [("f", {"x": {"y": ["1.5"]}})], [(0, {"x": {"y": ["1.5"]}})]),
        ([("f", {"x": 2})], [("f", {"x": 3})], [(0, {"x": 3})]),
        ([("f", {"x": True})], [("f", {"x": 1})], [(0, {"x": 1})]),
        # another function is no other value
        ([("f", {"x": 2})], [("g", {"x": 3})], []),
        # in another order, everything is right
        ([("f", {"x": 1}), ("g", {"x": 2})], [("g", {"x": 2}), ("f", {"x": 1})], []),
        # by position
        ([("f", {"x": 1}), ("f", {"x": 2})], [("f", {"x": 3}), ("f", {"x": 4})],
         [(0, {"x": 3}), (1, {"x": 4})]),
        # what equals gold is set aside first
        ([("f", {"x": 1}), ("f", {"x": 2})], [("f", {"x": 2}), ("f", {"x": 4})], [(0, {"x": 4})]),
        # by function name in order
        ([("f", {"x": 1}), ("g", {"x": 2})], [("g", {"x": 8}), ("f", {"x": 9})],
         [(1, {"x": 8}), (0, {"x": 9})]),
        # numbers of calls of one function that differ
        ([("f", {"x": 1})], [("f", {"x": 2}), ("f", {"x": 3})], []),
        # an argument is left out, no value is wrong
        ([("f", {"x": 1, "y": 2})], [("f", {"x": 1})], []),
        ([("f", {"x": 1})], [], []),
    ],
)  # fmt: skip
def test_calls_are_matched_with_gold(gold: Calls, proposed: Calls, wrong: list[Any]) -> None:
    assert wrong_of(gold, proposed)[0] == wrong


def test_every_call_that_is_left_out_is_counted_with_its_reason() -> None:
    assert wrong_of([("f", {"x": 1})], [("g", {"x": 1})])[1].dropped[
        "calls of another function than the gold one"
    ]
    assert (
        wrong_of([("f", {"x": 1})], [("f", {"x": 2}), ("f", {"x": 3})])[1].dropped[
            "parallel calls of one function that cannot be matched in order"
        ]
        == 2
    )
    _, account = wrong_of([("f", {"x": 1})], [("f", {"x": 1})])
    assert account.counts["calls of others that are gold"] == 1
    assert account.dropped["correct calls of states without a wrong call"] == 1


@pytest.mark.parametrize(
    ("later_gold", "imported", "proposed"),
    [("none", True, True), ("proposers", True, False), ("all", False, False)],
)
def test_calls_that_are_gold_at_a_later_step_stay_or_go_by_who_wrote_them(
    later_gold: LaterGold, imported: bool, proposed: bool
) -> None:
    second = step(2, [("f", {"x": 2})])
    for state, answers, kept in (
        (step(1, [("f", {"x": 1})], written=[("f", {"x": 2})]), [], imported),
        (step(1, [("f", {"x": 1})]), [("f", {"x": 2})], proposed),
    ):
        asked = [proposal(state, answers)] if answers else []
        calls, account = judged([state, second], *asked, later_gold=later_gold)
        assert [call.arguments for call in calls] == ([{"x": 1}, {"x": 2}] if kept else [])
        assert account.dropped["calls that are gold at a later step"] == (0 if kept else 1)


def test_a_call_of_an_earlier_step_made_again_is_wrong() -> None:
    first, second = step(1, [("f", {"x": 1})]), step(2, [("f", {"x": 2})])
    calls, _ = judged([first, second], proposal(second, [("f", {"x": 1})]), later_gold="all")
    assert [call.arguments for call in calls] == [{"x": 2}, {"x": 1}]


def test_equal_wrong_calls_count_once_and_the_first_writer_has_them() -> None:
    state = step(1, [("f", {"x": 1})], written=[("f", {"x": 5})])
    calls, account = judged(
        [state], proposal(state, [("f", {"x": 5.0})]), proposal(state, [("f", {"x": 6})], proposer="r")
    )
    assert [(call.made_by, call.arguments) for call in calls[1:]] == [("import:m", {"x": 5}), ("r", {"x": 6})]
    assert account.counts["equal wrong calls at a state, counted once"] == 1
    assert len({call.call_id for call in calls}) == 3


def test_a_failed_proposal_is_counted_by_its_status() -> None:
    state = step(1, [("f", {"x": 1})])
    _, account = judged([state], proposal(state, None, status="truncated"))
    assert account.dropped["proposals with the status truncated"] == 1


def test_correct_calls_without_a_wrong_one_stay_where_calls_are_not_paired() -> None:
    state = step(1, [("f", {"x": 1}), ("g", {})])
    assert [call.function for call in judged([state], paired=False)[0]] == ["f", "g"]


def test_null_lists_and_objects_keep_their_labels() -> None:
    gold = {"x": None, "y": [1, {"a": None}], "z": {}}
    state = step(1, [("f", gold)])
    calls, _ = judged([state], proposal(state, [("f", {"x": None, "y": [1, {"a": 0}], "z": {}})]))
    assert calls[1].labels == {"x": "unlabelled", "y": "wrong", "z": "unlabelled"}
    assert ProposedCall.model_validate_json(calls[0].model_dump_json(exclude_none=True)).arguments == gold


def test_with_accepted_values_only_a_value_error_counts_and_each_argument_is_checked_alone() -> None:
    accepted = ({"x": ["New York", "NYC"], "y": ["b", ""]},)

    def wrong(arguments: dict[str, Any]) -> tuple[list[ProposedCall], Account]:
        state = step(1, [("f", {"x": "New York", "y": "b"})], accepted=accepted)
        calls, account = judged([state], proposal(state, [("f", arguments)]))
        return calls[1:], account

    assert wrong({"x": "n.y.c."}) == ([], wrong({"x": "n.y.c."})[1])
    assert wrong({"x": "NYC"})[1].dropped["calls that BFCL's check accepts"] == 1
    assert wrong({"x": 5})[1].dropped["calls that BFCL's check rejects for no value (type_error:simple)"] == 1
    (call,), _ = wrong({"x": "nyc", "y": "c"})
    assert call.labels == {"x": "unlabelled", "y": "wrong"}
