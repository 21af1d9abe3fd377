"""References: what models are asked for, how it is read, what is made of it (D14 to D16, D32 to D42)."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import pytest
from small_run import PROMPTS, Words, call, items_of, reference, settings, state, step

from plumbline.arguments.ladder import fit_states
from plumbline.arguments.references import (
    ReferenceStage,
    count_references,
    is_readable,
    made_references,
    read_references,
    reference_requests,
)
from plumbline.arguments.references.made import replaced
from plumbline.config.models import Decoding, Model
from plumbline.models import Failure, Reply, Request
from plumbline.models.prompts import PromptSet
from plumbline.records.arguments import ProposedCall, State, ValueReference

RETURNS = '{"hotels": [{"id": "h7", "price": 20, "note": "cheapest in town, ten minutes from the sea"}]}'
ONE = state(step("find", RETURNS, city="Lima"), step("look", "R" * 3000))
GOLD = call()
WRONG = call("c2", "wrong", hotel_id="zanzibar_99", board="none")
REFERENCES: dict[str, Any] = {
    "deref": {"kind": "derive_value", "model": "m"},
    "cut": {"kind": "derive_value", "model": "m", "context": "plain"},
    "seen": {"kind": "derive_value", "model": "m", "sees_candidate": True},
    "revised": {"kind": "revise_call", "model": "m"},
    "evidence": {"kind": "evidence", "model": "m"},
    "only": {"kind": "value_only", "of": "deref"},
    "swap": {"kind": "swap", "of": "deref"},
}


def stage(
    name: str,
    *calls: ProposedCall,
    one: State = ONE,
    engine: str = "embedded",
    context: int = 100_000,
    decoding: Decoding | None = None,
    dataset: str = "cfb",
) -> ReferenceStage:
    arguments, counter, prompts = settings(references=REFERENCES), Words(), PromptSet(PROMPTS)
    proposed = list(calls or (GOLD, WRONG))
    return ReferenceStage(
        arguments,
        name,
        "m",
        Model.model_validate({"engine": engine, "context_length": context}),
        decoding or Decoding(),
        dataset,
        [one],
        proposed,
        items_of(*proposed),
        fit_states([one], proposed, arguments, counter, prompts),
        prompts,
        counter,
    )


def answered(made: ReferenceStage, *texts: str | None, **reply: Any) -> list[ValueReference]:
    requests = list(reference_requests(made))
    replies = [Reply(text, **{"finish_reason": "stop", **reply}) for text in texts]
    return list(read_references(made, list(zip(requests, replies, strict=True))))


def prompt(request: Request) -> str:
    return "\n".join(message["content"] for message in request.messages)


def test_all_candidates_of_a_slot_share_one_reference() -> None:
    made = stage("deref")
    assert count_references(made) == 2 == len(list(reference_requests(made)))
    lines = answered(made, 'The value should be "h7".', "The material does not settle it.")
    assert [(line.parameter, line.item_id, line.call_id) for line in lines] == [
        ("hotel_id", None, None),
        ("board", None, None),
    ]
    assert [(line.status, line.parsed, line.parsed_value) for line in lines] == [
        ("ok", True, "h7"),
        ("ok", False, None),
    ]


def test_a_parameter_that_only_a_wrong_call_fills_has_a_slot() -> None:
    more = call("c3", "wrong", hotel_id="h7", floor=3)
    assert [line.parameter for line in answered(stage("deref", GOLD, more), "a", "b", "c")] == [
        "hotel_id",
        "board",
        "floor",
    ]


def test_the_deriver_reads_the_whole_history_uncut_and_no_candidate() -> None:
    for request in reference_requests(stage("deref")):
        text = prompt(request)
        assert "R" * 3000 in text and RETURNS in text and "nothing shortened" in text
        assert "zanzibar_99" not in text
        assert "book_room: Books a room." in text


def test_no_proposed_value_that_the_history_lacks_is_in_a_deriver_s_prompt() -> None:
    values = [f"candidate_{number}_xyz" for number in range(20)]
    calls = [call(f"w{value}", "wrong", hotel_id=value, board=value) for value in values]
    for name in ("deref", "cut"):
        text = "\n".join(prompt(request) for request in reference_requests(stage(name, GOLD, *calls)))
        assert not any(value in text for value in values)


def test_a_deriver_that_reads_what_plain_shows_is_told_so() -> None:
    text = prompt(next(reference_requests(stage("cut"))))
    assert "R" * 1000 in text and "R" * 1001 not in text
    assert "nothing shortened" not in text


def test_deref_v_shows_the_candidate_and_drops_the_clause_about_not_having_seen_one() -> None:
    made = stage("seen")
    assert count_references(made) == 3  # h7, zanzibar_99, and the one value of board for both calls
    blind, seeing = prompt(next(reference_requests(stage("deref")))), prompt(next(reference_requests(made)))
    clause, shown = "No value has been proposed to you yet. Say", 'Proposed value: "h7"\n'
    assert clause in blind and clause not in seeing
    assert shown in seeing and shown not in blind
    assert seeing.replace(shown, "").replace("Say what", f"{clause} what") == blind
    lines = answered(made, "a", "b", "c")
    assert [line.item_id for line in lines] == ["c1.hotel_id", "c1.board", "c2.board", "c2.hotel_id"]


def test_a_history_that_does_not_fit_the_model_is_shortened_and_the_prompt_says_so() -> None:
    long = state(step("a", "old " * 400), step("b", "new " * 100))
    small = stage("deref", one=long, context=800, decoding=Decoding(max_tokens=100))
    text = prompt(next(reference_requests(small)))
    assert "old old" not in text and "new new" in text
    assert "the oldest parts are left out" in text


def test_a_history_that_never_fits_is_a_status_and_no_request() -> None:
    long = state().model_copy(update={"turns": (state().turns[0].model_copy(update={"text": "w " * 500}),)})
    small = stage("deref", one=long, context=400, decoding=Decoding(max_tokens=100))
    assert list(reference_requests(small)) == []
    assert [line.status for line in read_references(small, [])] == ["overflow", "overflow"]


@pytest.mark.parametrize(
    ("reply", "status", "text"),
    [
        (Reply("<think>h8?</think>It is h7.", finish_reason="stop"), "ok", "It is h7."),
        (Reply("It is h7, bec", finish_reason="length"), "ok", "It is h7, bec"),
        (Reply("<think>still", finish_reason="length"), "truncated", "<think>still"),
        (Reply("", finish_reason="stop"), "empty", ""),
        (Reply("x", refusal="I will not"), "refused", "x"),
        (Failure("gave_up", "503"), "gave_up", None),
        (None, "not_asked", None),
    ],
)
def test_what_came_back_has_a_status(reply: Reply | Failure | None, status: str, text: str | None) -> None:
    made = stage("deref", call("c1", hotel_id="h7"))
    line = next(iter(read_references(made, [(next(reference_requests(made)), reply)])))
    assert (line.status, line.text) == (status, text)
    if isinstance(reply, Reply):
        assert is_readable(made, reply) == (status in ("ok", "refused"))


def test_thinking_that_the_limit_cut_before_its_end_is_no_reference() -> None:
    made = stage("deref", call("c1", hotel_id="h7"), decoding=Decoding(thinking=True))
    assert answered(made, "First I look at h8", finish_reason="length")[0].status == "truncated"


def test_a_revised_call_is_read_as_one_call_of_the_function() -> None:
    made = stage("revised", WRONG)
    text = prompt(next(reference_requests(made)))
    assert "R" * 3000 in text and "zanzibar_99" in text and "Parameter: board" in text
    good = answered(made, '{"name": "book_room", "arguments": {"hotel_id": "h7"}}')[0]
    assert (good.status, good.call_id, good.parameter, good.parsed_value) == (
        "ok",
        "c2",
        None,
        {"hotel_id": "h7"},
    )
    assert json.loads(good.text or "") == {"name": "book_room", "arguments": {"hotel_id": "h7"}}
    other = answered(made, '{"name": "find", "arguments": {}}')[0]
    assert other.status == "malformed" and "find" in (other.detail or "")
    assert answered(made, "It looks fine to me, really")[0].status == "malformed"


QUOTE = "cheapest in town, ten minutes from the sea"


@pytest.mark.parametrize(
    ("answer", "found"),
    [
        (json.dumps([QUOTE]), True),
        (f'```json\n["{QUOTE}"]\n```', True),
        (f'The passage is "{QUOTE}".', True),
        (json.dumps([QUOTE[:-3] + "lake"]), True),  # 39 of its 43 characters stand there
        (json.dumps(["cheapest in town, and then something that stands in no return at all"]), False),
        (json.dumps(["id: h7"]), False),
        ("[]", False),
        ("There is none.", False),
    ],
)
def test_a_quote_counts_if_the_history_holds_it(answer: str, found: bool) -> None:
    lines = answered(stage("evidence", call("c1", hotel_id="h7")), f'<think>"{QUOTE}"</think>{answer}')
    assert [line.status for line in lines] == ["ok" if found else "no_evidence"]
    assert (lines[0].text is not None and QUOTE[:36] in lines[0].text) == found
    assert (lines[0].item_id, lines[0].call_id) == ("c1.hotel_id", "c1")


@pytest.mark.parametrize(("dataset", "reach", "capped"), [("cfb", 100, False), ("fintrace", 150, True)])
def test_a_passage_reaches_as_far_as_its_data_set_says(dataset: str, reach: int, capped: bool) -> None:
    words = "The reading of the meter at the old mill was noted twice by hand. "
    quote = (words * 6).strip()
    long = state(step("find", "a" * 1000 + quote + "b" * 1000, city="Lima"))
    made = stage("evidence", call("c1", hotel_id="h7"), one=long, dataset=dataset)
    # the quoted sentence stands there six times: their windows are merged
    text = answered(made, json.dumps([words.strip()]))[0].text or ""
    shown = text[text.index("a" * 10) :]
    assert shown.startswith("a" * reach + words) and "a" * (reach + 1) not in text
    # the rule of the snippets cuts a merged passage, the other one shows all of it
    assert ("b" * reach in text, len(text) > 550) == (not capped, not capped)


def test_a_simulated_deriver_is_asked_without_a_prompt_and_states_the_gold_value_or_none() -> None:
    made = stage("deref", engine="simulated")
    requests = list(reference_requests(made))
    assert all(request.messages == () for request in requests)
    texts = [str((request.simulation or {})["text"]) for request in requests]
    assert all(
        text in ('The value should be "h7".', 'The value should be "none".') or "not determined" in text
        for text in texts
    )


def made_of(name: str, base: Sequence[ValueReference], *calls: ProposedCall) -> list[ValueReference]:
    proposed = list(calls or (GOLD, WRONG))
    return made_references(settings(references=REFERENCES), name, "cfb", base=base, items=items_of(*proposed))


def test_value_only_is_one_sentence_with_the_value_or_without() -> None:
    stated = reference("It is h7, as the return says.", parsed=True, parsed_value="h7")
    lines = made_of(
        "only", [stated, reference("No idea.", "board"), reference(None, "floor", status="refused")]
    )
    assert [line.text for line in lines] == [
        'The parameter "hotel_id" is expected to be "h7".',
        'What the parameter "board" should be is not determined by the context.',
        None,
    ]
    assert [line.status for line in lines] == ["ok", "ok", "refused"]


def test_a_swap_changes_the_value_and_nothing_else_and_is_read_by_its_two_items_alone() -> None:
    base = [
        reference('The value should be "h7": the return has "id": "h7", not h70.'),
        reference("x", "board"),
    ]
    lines = {line.item_id: line for line in made_of("swap", base)}
    swapped = 'The value should be "zanzibar_99": the return has "id": "zanzibar_99", not h70.'
    assert {lines["c1.hotel_id"].text, lines["c2.hotel_id"].text} == {swapped}
    assert lines["c1.hotel_id"].parsed_value == "zanzibar_99"
    assert lines["c1.board"].status == "not_swapped" and "does not stand" in (lines["c1.board"].detail or "")


def test_a_swap_takes_the_first_wrong_value_by_item_id_and_no_more_items_than_asked() -> None:
    base = [reference('It is "h7".'), reference('It is "none".', "board")]
    calls = [
        GOLD,
        call("c9", "wrong", hotel_id="late", board="x"),
        call("c3", "wrong", hotel_id="early", board="y"),
    ]
    assert {line.text for line in made_of("swap", base, *calls)} == {'It is "early".', 'It is "y".'}
    few = settings(references={**REFERENCES, "swap": {"kind": "swap", "of": "deref", "count": 1}})
    lines = made_references(few, "swap", "cfb", base=base, items=items_of(*calls))
    assert len([line for line in lines if line.status == "ok"]) == 2  # one correct item and its rival


@pytest.mark.parametrize(
    ("text", "old", "new", "expected"),
    [
        ('is 5, see "5" and 15', 5, 7, 'is 7, see "7" and 15'),
        ('is "a" or a.', "a", "b", 'is "b" or b.'),
        ("It is [1, 2].", [1, 2], [3], "It is [3]."),
        ("It is Paris.", "paris", "Rome", "It is Rome."),
        ('It is "x".', "x", 'y"z', 'It is "y\\"z".'),
        ("It is true.", True, False, "It is false."),
        ("It is h70.", "h7", "h8", None),
    ],
)
def test_whole_places_of_a_value_are_replaced(text: str, old: Any, new: Any, expected: str | None) -> None:
    assert replaced(text, old, new) == expected
