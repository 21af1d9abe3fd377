"""FinTrace-HC (D28), reveal and placebo (D25): the values and steps are those that a person would pick."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import pytest
from controlled_bases import base_of, settings, state, step

from plumbline.arguments.contexts import shown_context
from plumbline.arguments.datasets.account import Account
from plumbline.arguments.datasets.controlled import controlled_calls, controlled_states
from plumbline.arguments.datasets.key_values import Companies, earlier_values
from plumbline.arguments.datasets.reveal import RevealError, _assert_shown, plan_pairs
from plumbline.arguments.items import build_items
from plumbline.arguments.paths import first_occurrence
from plumbline.records import UserError
from plumbline.records.arguments import HistoryCall, State, Turn
from plumbline.records.revealed_ids import source_of

SETTINGS = settings(
    {
        "base": {"kind": "fintrace", "path": "x.json"},
        "hc": {"kind": "hc", "of": "base"},
        "reveal": {"kind": "reveal", "of": "base"},
        "placebo": {"kind": "placebo", "of": "base"},
    },
    window={"steps": 1, "steps_by_dataset": {}},
)


def asked(text: str = "The quarter report of ACME, please.") -> Turn:
    return Turn(role="user", text=text)


def hc(*states: State) -> tuple[list[State], Account]:
    account = Account()
    base = base_of(states, SETTINGS)
    return controlled_states("hc", SETTINGS.datasets["hc"], base, {}, account), account


def quote(name: str, turns: list[Turn], arguments: Mapping[str, Any], wrong: Mapping[str, Any]) -> State:
    return state(name, turns, "quote", arguments, wrong, made_by="rule:swap_ticker")


HISTORY = [asked(), step("search", {"symbol": "NUTS"}, '{"best": [{"symbol": "BOLT"}]}')]


def test_h_is_the_most_recent_other_value_of_the_key_and_c_the_rule_made_one():
    states, account = hc(quote("s", HISTORY, {"symbol": "ACME"}, {"symbol": "ZEBRA"}))
    calls = controlled_calls(SETTINGS.datasets["hc"], states, None)
    items = build_items(states, calls, (), SETTINGS)
    assert [(item.value, item.label, item.made_by, item.path) for item in items] == [
        ("ACME", "correct", "gold", "visible"),
        ("BOLT", "wrong", "rule:earlier_value", "visible"),
        ("ZEBRA", "wrong", "rule:control", "no_source"),
    ]
    assert items[1].twin_item == items[2].twin_item == items[0].item_id
    assert (account.counts["values H"], account.counts["values C"]) == (1, 1)


def test_what_is_another_period_is_a_setting_of_the_base():
    turns = [asked(), step("a", {"period": "quarterly"}, "")]
    one = quote("s", turns, {"period": "quarter"}, {"period": "annual"})
    assert hc(one)[0] == []
    base = {"kind": "fintrace", "path": "x.json", "synonyms": {"quarter": ["quarter"]}}
    chosen = settings({"base": base, "hc": {"kind": "hc", "of": "base"}})
    states = controlled_states("hc", chosen.datasets["hc"], base_of([one], chosen), {}, Account())
    assert [made.written[0].calls[0].arguments for made in states] == [{"period": "quarterly"}]


def test_c_is_left_out_where_its_value_stands_in_the_history():
    states, account = hc(quote("s", HISTORY, {"symbol": "ACME"}, {"symbol": "NUTS"}))
    assert [written.made_by for written in states[0].written] == ["rule:earlier_value"]
    assert account.counts["values C"] == 0


@pytest.mark.parametrize(
    ("turns", "arguments", "wrong", "reason"),
    [
        (
            [asked("A quote.")],
            {"symbol": "ACME"},
            {"symbol": "B"},
            "original values are not all in the request",
        ),
        ([asked()], {"symbol": "ACME"}, {"symbol": "ZEBRA"}, "without another value of the key"),
        # in the request as well, of another type, or the same value
        (
            [asked("ACME, not NUTS."), step("a", {"symbol": "NUTS"}, "")],
            {"symbol": "ACME"},
            {"symbol": "Z"},
            "another",
        ),
        (
            [asked(), step("a", {"symbol": 7}, "{'symbol': 8}")],
            {"symbol": "ACME"},
            {"symbol": "Z"},
            "another",
        ),
        ([asked(), step("a", {"symbol": "ACME"}, "")], {"symbol": "ACME"}, {"symbol": "Z"}, "another"),
        # quarter and quarterly are one period
        (
            [asked(), step("a", {"period": "quarterly"}, "")],
            {"period": "quarter"},
            {"period": "annual"},
            "another",
        ),
        # a share class of the same company, by its suffix and by its name, alone and in a list
        (
            [asked("ACME,BOLT, please."), step("a", {"symbols": "ACME-B,BOLT"}, "")],
            {"symbols": "ACME,BOLT"},
            {"symbols": "ACME,Z"},
            "same company",
        ),
        ([asked(), step("a", {"symbol": "ACME-B"}, "")], {"symbol": "ACME"}, {"symbol": "Z"}, "same company"),
        (
            [
                asked(),
                step(
                    "a",
                    {},
                    "[{'symbol': 'ACME', 'name': 'Acme Inc. Class A'}, "
                    "{'symbol': 'ACMB', 'name': 'ACME Class B'}]",
                ),
                step("b", {"symbol": "ACMB"}, ""),
            ],
            {"symbol": "ACME"},
            {"symbol": "Z"},
            "same company",
        ),
    ],
)
def test_what_is_no_h_is_left_out_with_its_reason(turns, arguments, wrong, reason):
    states, account = hc(quote("s", turns, arguments, wrong))
    assert states == []
    assert [name for name in account.dropped if reason in name], account.dropped


def test_a_value_that_gold_uses_later_is_no_h():
    first = quote("s0", HISTORY, {"symbol": "ACME"}, {"symbol": "ZEBRA"})
    later_turns = [*HISTORY, step("quote", {"symbol": "ACME"}, "1")]
    states, account = hc(first, quote("s1", later_turns, {"symbol": "BOLT"}, {"symbol": "ZEBRA"}))
    assert states == []
    assert account.dropped["H that gold uses at the same or a later step"] == 1


def test_wrong_calls_that_no_rule_made_are_counted():
    states, account = hc(state("s", HISTORY, "quote", {"symbol": "ACME"}, {"symbol": "ZEBRA"}))
    assert states == []
    assert account.dropped == {"wrong calls that no rule made": 1}


def test_a_later_step_of_another_trajectory_of_the_query_does_not_count():
    other = [asked("Another request about BOLT and ACME."), *HISTORY[1:], step("quote", {}, "1")]
    first = quote("s0", HISTORY, {"symbol": "ACME"}, {"symbol": "ZEBRA"})
    states, _ = hc(first, quote("s1", other, {"symbol": "BOLT"}, {"symbol": "ZEBRA"}))
    assert "s0.hc0" in {one.state_id for one in states}


def test_values_of_a_key_are_read_from_json_from_reprs_and_from_what_was_cut():
    turns = [
        asked(),
        step("a", {"symbol": "FIRST"}, '{"symbol": "SECOND", "x": {"symbol": 3.5}}'),
        step(
            "b",
            {"symbol": None, "other": "X"},
            "{'symbol': 'it\\'s', 'symbol': '4', 'symbols': 'NO', 'symbol': 'cu",
        ),
    ]
    found = list(earlier_values(quote("s", turns, {"symbol": "ACME"}, {}), "symbol"))
    assert found == ["it's", "4", "SECOND", 3.5, "FIRST"]


def test_a_pair_of_currencies_is_no_share_class():
    companies = Companies([])
    assert not companies.are_one("BTC-USD", "BTC-EUR")
    assert not companies.are_one("EUR/USD", "EUR/GBP")
    assert companies.are_one("BRK.A", "BRK-B")
    assert not companies.are_one("ACME", 5)


LONG = "x " * 900 + "room_4711 " + "y " * 900


def lost_history(*, placebos: list[Turn], shown: Turn | None = None) -> list[Turn]:
    last = shown or step("last", {"q": "z"}, "nothing of interest")
    return [asked("Book my room."), step("rooms", {"hotel": "Ritz"}, LONG), *placebos, last]


PLACEBOS = [
    step("near", {"q": "aaa"}, "z" * 990),
    step("far", {"q": "bbb"}, "z" * 100),
    step("holds", {"q": "ccc"}, "also room_4711 here"),
]


def room(turns: list[Turn], value: Any = "room_4711", name: str = "s") -> State:
    return state(name, turns, "book", {"room": value}, {"room": "room_9999"})


def both(*states: State) -> tuple[dict[str, list[State]], Account, Any]:
    base = base_of(states, SETTINGS)
    account = Account()
    made = {
        name: controlled_states(
            name, SETTINGS.datasets[name], base, {}, account if name == "reveal" else Account()
        )
        for name in ("reveal", "placebo")
    }
    return made, account, base


def test_reveal_shows_the_lost_source_and_placebo_a_like_step_without_it():
    made, account, base = both(room(lost_history(placebos=PLACEBOS)))
    (revealed,), (placebo,) = made["reveal"], made["placebo"]
    assert revealed.state_id == placebo.state_id
    assert source_of(revealed.state_id) == "return"
    assert source_of(base.states[0].state_id) is None
    before = shown_context(base.states[0], SETTINGS).text()
    with_source, without = (shown_context(one, SETTINGS).text() for one in (revealed, placebo))
    assert "room_4711" in with_source
    assert "room_4711" not in without and "room_4711" not in before
    assert "near" in without and "far" not in without
    assert account.counts["values whose lost source is of the kind return"] == 1


def test_of_a_long_return_the_thousand_characters_around_the_value_are_shown():
    made, _, _ = both(room(lost_history(placebos=PLACEBOS)))
    shown = made["reveal"][0].reveal
    assert shown.end - shown.start == 1000
    place = LONG.index("room_4711")
    middle = place + len("room_4711") / 2
    assert abs((shown.start + shown.end) / 2 - middle) <= 1


def test_the_placebo_is_the_step_of_the_closest_shown_length():
    # the source shows 1,000 characters and its call; 990 is closer than 100
    made, _, base = both(room(lost_history(placebos=PLACEBOS)))
    placebo = made["placebo"][0]
    assert placebo.turns[placebo.reveal.turn].calls[placebo.reveal.call].name == "near"


def test_both_versions_have_the_same_items_and_the_wrong_values_of_the_state():
    made, _, base = both(room(lost_history(placebos=PLACEBOS)))
    items = {
        name: build_items(
            made[name], controlled_calls(SETTINGS.datasets[name], made[name], base), (), SETTINGS
        )
        for name in made
    }
    found = {name: [(i.item_id, i.value, i.label, i.twin_item) for i in items[name]] for name in items}
    assert found["reveal"] == found["placebo"]
    assert [(value, label) for _, value, label, _ in found["reveal"]] == [
        ("room_4711", "correct"),
        ("room_9999", "wrong"),
    ]
    assert found["reveal"][1][3] == found["reveal"][0][0]


def test_a_source_that_is_an_earlier_call_or_what_was_said_is_shown_as_it_is():
    call = [
        asked("Book."),
        step("pick", {"room": "room_4711"}, "ok"),
        step("other", {"q": 1}, "no"),
        step("l", {}, ""),
    ]
    made, account, _ = both(room(call))
    assert account.counts["values whose lost source is of the kind call"] == 1
    assert "room_4711" in shown_context(made["reveal"][0], SETTINGS).text()
    assert "room_4711" not in shown_context(made["placebo"][0], SETTINGS).text()
    said = [
        asked("Book."),
        Turn(role="assistant", text="I suggest room_4711."),
        Turn(role="assistant", text="Shall I go on?"),
        step("l", {}, ""),
    ]
    made, account, _ = both(room(said))
    assert account.counts["values whose lost source is of the kind assistant"] == 1
    assert "room_4711" in shown_context(made["reveal"][0], SETTINGS).text()
    assert "go on" in shown_context(made["placebo"][0], SETTINGS).text()


@pytest.mark.parametrize(
    ("value", "returns"),
    [
        (True, "true"),
        (42, "42"),
        (123, "123"),
        ("abc", "abc"),
        ("", ""),
        (None, "null"),
        (["room_4711"], "room_4711"),
    ],
)
def test_values_that_match_by_chance_stay_out(value, returns):
    turns = [asked("Book."), step("rooms", {}, f"x {returns} y"), *PLACEBOS[:2], step("last", {}, "nothing")]
    base = base_of([room(turns, value)], SETTINGS)
    assert plan_pairs(base, Account()) == []


@pytest.mark.parametrize(
    ("turns", "reason"),
    [
        (
            lost_history(placebos=[], shown=step("last", {}, "x")),
            "no lost step of the same kind lacks the value",
        ),
        ([asked("Book."), *PLACEBOS[:2], step("last", {}, LONG)], "in a step that is shown"),
    ],
)
def test_values_without_a_lost_source_or_a_placebo_are_in_neither_version(turns, reason):
    account = Account()
    assert plan_pairs(base_of([room(turns)], SETTINGS), account) == []
    assert [name for name in account.dropped if reason in name], account.dropped


def test_two_values_of_one_source_share_a_state_and_two_sources_do_not():
    text = json.dumps({"room": "room_4711", "key": "key_0815"})
    turns = [
        asked("Book."),
        step("rooms", {}, text),
        step("prices", {}, "rate_55555"),
        *PLACEBOS[:2],
        step("l", {}, ""),
    ]
    one = state("s", turns, "book", {"room": "room_4711", "key": "key_0815", "rate": "rate_55555"})
    made, _, base = both(one)
    assert len(made["reveal"]) == 2
    calls = controlled_calls(SETTINGS.datasets["reveal"], made["reveal"], base)
    assert sorted(tuple(call.labels) for call in calls) == [("rate",), ("room", "key")]


def test_a_placebo_that_holds_the_value_stops_the_build():
    base = base_of([room(lost_history(placebos=PLACEBOS))], SETTINGS)
    (pair,) = plan_pairs(base, Account())
    shows = {
        name: base.states[0].model_copy(update={"dataset": "placebo", "reveal": shown})
        for name, shown in (("reveal", pair.reveal), ("placebo", pair.placebo))
    }
    _assert_shown(shows["reveal"], pair, base, "reveal")
    _assert_shown(shows["placebo"], pair, base, "placebo")
    with pytest.raises(RevealError, match="holds the value"):
        _assert_shown(shows["reveal"], pair, base, "placebo")
    with pytest.raises(RevealError, match="does not show the value"):
        _assert_shown(shows["placebo"], pair, base, "reveal")
    with pytest.raises(RevealError, match="does not show the value"):
        _assert_shown(base.states[0], pair, base, "reveal")
    # the whole of what is shown counts, not the placebo alone
    said = shows["placebo"].model_copy(update={"turns": (asked("room_4711?"), *base.states[0].turns[1:])})
    with pytest.raises(RevealError, match="holds the value"):
        _assert_shown(said, pair, base, "placebo")


def test_the_first_occurrence_counts_though_a_shown_return_has_the_value_behind_its_cut():
    # the path's match is in the shown return, which D8 counts; the value was first seen in the lost step
    made, account, base = both(room(lost_history(placebos=PLACEBOS[:2], shown=step("last", {}, LONG))))
    (item,) = [item for item in base.items if item.label == "correct"]
    assert (item.path, item.cut, item.found.turn) == ("history_only", True, 4)
    assert made["reveal"][0].reveal.turn == 1
    assert account.counts["values whose lost source is of the kind return"] == 1


def test_of_one_step_the_calls_come_before_what_they_return():
    # two calls side by side: the second was written before the first returned
    calls = (
        HistoryCall(name="rooms", arguments={}, returns="room_4711"),
        HistoryCall(name="hold", arguments={"room": "room_4711"}, returns="held"),
    )
    both_calls = Turn(role="assistant", calls=calls)
    found = first_occurrence("room_4711", room([asked("Book."), both_calls]), SETTINGS.paths)
    assert (found.part, found.turn, found.call) == ("call", 1, 1)


PARTLY = settings(
    {
        "base": {"kind": "fintrace", "path": "x.json"},
        "reveal": {"kind": "reveal", "of": "base"},
        "placebo": {"kind": "placebo", "of": "base"},
    },
    window={"steps_by_dataset": {"fintrace": 2}},
)


def test_a_lost_call_of_a_step_that_is_shown_in_part_is_lost_and_is_revealed_beside_the_others():
    # the window holds two calls: the last, and the second of the two that were made side by side
    calls = (
        HistoryCall(name="rooms", arguments={"q": 1}, returns="room_4711"),
        HistoryCall(name="prices", arguments={"q": 2}, returns="nothing"),
    )
    turns = [
        asked("Book."),
        step("early", {"q": 0}, "no such room here"),
        Turn(role="assistant", calls=calls),
        step("last", {}, "x"),
    ]
    base = base_of([room(turns)], PARTLY)
    made = {
        name: controlled_states(name, PARTLY.datasets[name], base, {}, Account())[0]
        for name in ("reveal", "placebo")
    }
    assert (made["reveal"].reveal.turn, made["reveal"].reveal.call) == (2, 0)
    assert (made["placebo"].reveal.turn, made["placebo"].reveal.call) == (1, 0)
    shown = {
        name: [(part.turn, part.call, part.revealed) for part in shown_context(one, PARTLY).parts[1:]]
        for name, one in made.items()
    }
    last = [(2, 1, False)] * 2 + [(3, 0, False)] * 2
    assert shown["reveal"] == [(2, 0, True)] * 2 + last
    assert shown["placebo"] == [(1, 0, True)] * 2 + last


def test_wrong_values_of_a_state_that_two_steps_are_revealed_for_count_once():
    turns = [
        asked("Book."),
        step("rooms", {}, "room_4711"),
        step("prices", {}, "rate_55555"),
        *PLACEBOS[:2],
        step("l", {}, ""),
    ]
    wrong = {"room": "room_9999", "rate": "rate_66666"}
    one = state("s", turns, "book", {"room": "room_4711", "rate": "rate_55555"}, wrong)
    made, _, base = both(one)
    for name in ("reveal", "placebo"):
        calls = controlled_calls(SETTINGS.datasets[name], made[name], base)
        found = [(call.state_id == made[name][0].state_id, call.label, tuple(call.labels)) for call in calls]
        assert found == [
            (True, "correct", ("room",)),
            (True, "wrong", ("room", "rate")),
            (False, "correct", ("rate",)),
        ]


def test_the_calls_of_a_reveal_set_need_its_base():
    with pytest.raises(UserError, match="need the finished data of base"):
        controlled_calls(SETTINGS.datasets["reveal"], [], None)
