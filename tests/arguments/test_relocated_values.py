"""A relocated value stands where D22 says: by the paths of items, and by counting characters."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import replace

import pytest
from controlled_bases import CITIES, base_of, settings, weather_states

from plumbline.arguments.contexts import shown_context
from plumbline.arguments.datasets.account import Account
from plumbline.arguments.datasets.base import BaseData
from plumbline.arguments.datasets.controlled import controlled_calls, controlled_states
from plumbline.arguments.datasets.moves import plan_moves
from plumbline.arguments.datasets.relocate import relocated_calls
from plumbline.arguments.datasets.saved_items import (
    FILLER,
    PlacementError,
    SavedItems,
    assert_placement,
)
from plumbline.arguments.datasets.states import build_states
from plumbline.arguments.items import build_items
from plumbline.config.arguments import Arguments
from plumbline.records import read_json_lines, write_json_lines
from plumbline.records.arguments import ArgumentItem, State, Turn

SETTINGS = settings(
    {
        "base": {"kind": "fcrb"},
        "visible": {"kind": "relocate", "of": "base", "placement": "visible"},
        "buried": {"kind": "relocate", "of": "base", "placement": "buried"},
    }
)
VERSIONS = ("visible", "buried")


@pytest.fixture(scope="module")
def base() -> BaseData:
    return base_of(weather_states(), SETTINGS)


@pytest.fixture(scope="module")
def built(base: BaseData) -> dict[str, list[State]]:
    return {name: controlled_states(name, SETTINGS.datasets[name], base, {}, Account()) for name in VERSIONS}


def entries_of(moved: State) -> list[dict[str, object]]:
    return json.loads(moved.turns[-1].calls[0].returns or "")


def items_of(states: list[State], arguments: Arguments = SETTINGS) -> list[ArgumentItem]:
    return build_items(states, relocated_calls(states), (), arguments)


def test_every_state_with_a_stated_value_is_moved_under_one_id_in_both_versions(base, built):
    assert [moved.state_id for moved in built["visible"]] == [moved.state_id for moved in built["buried"]]
    assert len(built["buried"]) == len(CITIES)


def test_a_sample_of_both_versions_holds_the_same_queries(base):
    drawn = {
        name: build_states(
            name, SETTINGS.datasets[name].model_copy(update={"count": 5}), files={}, seed=3, base=base
        )
        for name in VERSIONS
    }
    assert len(drawn["visible"]) == 5
    assert [one.state_id for one in drawn["visible"]] == [one.state_id for one in drawn["buried"]]


def test_the_buried_value_is_out_of_view_and_the_visible_one_in_view_by_the_rules_of_paths(built):
    paths = {
        version: Counter((item.made_by, item.path) for item in items_of(built[version]))
        for version in VERSIONS
    }
    count = len(CITIES)
    controls = sum(len(moved.written) == 2 for moved in built["buried"])
    assert controls > 0
    h, c = "rule:relocated_distractor", "rule:relocated_control"
    assert paths["visible"] == {
        ("gold", "visible"): count,
        (h, "visible"): count,
        (c, "no_source"): controls,
    }
    assert paths["buried"] == {
        ("gold", "history_only"): count,
        (h, "visible"): count,
        (c, "no_source"): controls,
    }


def test_only_the_moved_value_and_its_rivals_are_items(built):
    for item in items_of(built["buried"]):
        assert item.label == ("correct" if item.made_by == "gold" else "wrong")
    assert len({(item.state_id, item.parameter) for item in items_of(built["buried"])}) == len(CITIES)


def test_both_versions_hold_the_same_entries_in_the_order_of_the_paper(built):
    for visible, buried in zip(built["visible"], built["buried"], strict=True):
        seen, hidden = entries_of(visible), entries_of(buried)
        assert len(seen) == 8
        assert hidden == [seen[0], *seen[2:], seen[1]]
        parameter = next(iter(seen[1]))
        assert seen[1][parameter] == visible.gold[0].arguments[parameter]
        assert seen[0][parameter] == visible.written[0].calls[0].arguments[parameter]


def test_values_stand_at_the_characters_of_the_paper(built):
    for version in VERSIONS:
        for moved in built[version]:
            text = moved.turns[-1].calls[0].returns or ""
            entries = entries_of(moved)
            parameter = next(iter(entries[0]))
            starts = []
            for entry in entries:
                begin = text.index(json.dumps(entry, ensure_ascii=False))
                starts.append(text.index(str(entry[parameter]), begin + len(parameter) + 3))
            assert starts[0] < 33
            if version == "visible":
                assert starts[1] < 1000
            else:
                # 1,009 to 1,201 counted from 1
                assert 1000 < starts[-1] <= 1201
                assert text.index(json.dumps(entries[-1], ensure_ascii=False)) >= 1000


def test_the_request_names_one_entry_and_no_longer_states_the_value(built):
    for moved in built["buried"]:
        request = moved.turns[0].text or ""
        entries = entries_of(moved)
        parameter = next(iter(entries[-1]))
        assert str(entries[-1][parameter]) not in request
        assert [entry["name"] for entry in entries if str(entry["name"]) in request] == [entries[-1]["name"]]
        assert len({entry["name"] for entry in entries}) == 8


def test_the_control_is_a_wrong_value_of_the_state_that_no_text_holds(built):
    for moved in built["buried"]:
        for wrong in moved.written[1:]:
            assert wrong.calls[0].arguments["city"] == "Atlantis"
            assert not any("Atlantis" in (turn.text or "") for turn in moved.turns)
            assert "Atlantis" not in (moved.turns[-1].calls[0].returns or "")


def test_distractors_are_values_of_the_same_parameter_in_other_queries(base, built):
    for moved in built["buried"]:
        entries = entries_of(moved)
        parameter = next(iter(entries[0]))
        known = {item.value for item in base.items if item.parameter == parameter and item.label == "correct"}
        assert {entry[parameter] for entry in entries} <= known
        values = [entry[parameter] for entry in entries]
        assert len(set(values)) == 8


def test_a_value_that_differs_in_signs_alone_is_no_distractor():
    states = weather_states()
    near = states[1].model_copy(
        update={
            "turns": (Turn(role="user", text="Weather in OS-LO on day 101?"),),
            "gold": (states[1].gold[0].model_copy(update={"arguments": {"city": "OS-LO", "day": 101}}),),
            "written": (),
        }
    )
    base = base_of([states[0], near, *states[2:]], SETTINGS)
    moved = controlled_states("buried", SETTINGS.datasets["buried"], base, {}, Account())
    for version in moved:
        values = {
            "".join(filter(str.isalnum, str(entry.get("city", "")))).lower() for entry in entries_of(version)
        }
        assert "city" not in entries_of(version)[0] or len(values) == 8


def test_a_value_that_the_checker_accepts_is_no_distractor():
    states = [
        one.model_copy(update={"accepted": ({"city": [one.gold[0].arguments["city"], "Lisbon", "Vienna"]},)})
        for one in weather_states("Weather in {city}, please. Day {day}.")
    ]
    base = base_of(states, SETTINGS)
    for moved in controlled_states("buried", SETTINGS.datasets["buried"], base, {}, Account()):
        entries = entries_of(moved)
        if "city" in entries[0]:
            assert not {"Lisbon", "Vienna"} & {entry["city"] for entry in entries[:-1]}


def test_a_request_that_states_the_value_in_a_second_spelling_keeps_it():
    states = weather_states("The weather in {city} at noon, so 12:00, on day {day}?")
    timed = [
        one.model_copy(
            update={"gold": (one.gold[0].model_copy(update={"arguments": {"time": "12:00"}}),), "written": ()}
        )
        for one in states
    ]
    account = Account()
    assert plan_moves(SETTINGS.datasets["buried"], base_of(timed, SETTINGS), account) == []
    assert account.dropped == {"the request states the value in a second spelling": len(CITIES)}


def test_states_without_a_value_that_can_be_moved_are_counted():
    account = Account()
    base = base_of(weather_states("Tell me about the weather."), SETTINGS)
    assert plan_moves(SETTINGS.datasets["buried"], base, account) == []
    assert sum(account.dropped.values()) == len(CITIES)
    assert account.lines()[0].startswith("left out: 14, ")


def test_a_data_set_that_has_the_function_already_is_left_out():
    states = [
        one.model_copy(
            update={
                "functions": (
                    *one.functions,
                    one.functions[0].model_copy(update={"name": "find_saved_items"}),
                )
            }
        )
        for one in weather_states()
    ]
    account = Account()
    assert plan_moves(SETTINGS.datasets["buried"], base_of(states, SETTINGS), account) == []
    assert account.dropped == {"the state offers a function called find_saved_items": len(CITIES)}


def test_the_moves_depend_on_the_seed_alone(base):
    again = plan_moves(SETTINGS.datasets["visible"], base, Account())
    assert again == plan_moves(SETTINGS.datasets["buried"], base, Account())
    other = SETTINGS.datasets["visible"].model_copy(update={"seed": 1})
    assert again != plan_moves(other, base, Account())


def test_a_longer_cut_is_filled_with_more_notes(base):
    longer = settings(SETTINGS.model_dump()["datasets"], window={"cut": 3000})
    wide = replace(base, arguments=longer)
    for moved in controlled_states("buried", SETTINGS.datasets["buried"], wide, {}, Account()):
        text = moved.turns[-1].calls[0].returns or ""
        assert text.index(json.dumps(entries_of(moved)[-1], ensure_ascii=False)) >= 3000
        shown = shown_context(moved, longer).text()
        assert json.dumps(entries_of(moved)[-1], ensure_ascii=False) not in shown


ITEMS = SavedItems("city", ("Fern", "Opal", "Rowan"), ("Oslo", "Lisbon", "Vienna"))
REQUEST = 'Weather in the city of my saved item "Fern"?'


def test_a_sound_placement_raises_nothing():
    for version in VERSIONS:
        assert_placement(ITEMS.padded(1000), version, REQUEST, [], "Atlantis", 1000)


@pytest.mark.parametrize(
    ("items", "version", "request_text", "others", "control", "promise"),
    [
        (ITEMS, "buried", REQUEST, [], None, "the buried entry is out of view"),
        (ITEMS, "visible", "Weather in OSLO, item Fern?", [], None, "no longer states the value"),
        (ITEMS, "visible", "Weather in Bergen?", [], None, "names the entry"),
        (ITEMS, "visible", 'Items "Fern" and "Opal"?', [], None, "names no other entry"),
        (ITEMS, "visible", 'Item "Fern", not Lisbon?', [], None, "the request does not state H"),
        (ITEMS, "visible", REQUEST, ["a note on Atlantis"], "Atlantis", "C is in no text"),
        (ITEMS, "visible", REQUEST, [], "Vienna", "C is in no text"),
        (
            ITEMS.padded(1000),
            "buried",
            REQUEST,
            ["Oslo again"],
            None,
            "no text in view states the buried value",
        ),
        (
            replace(ITEMS, values=("Oslo", "OS-LO", "x1")),
            "visible",
            REQUEST,
            [],
            None,
            "no distractor equals",
        ),
        (
            replace(ITEMS, names=("Fern", "fern", "Opal")),
            "visible",
            REQUEST,
            [],
            None,
            "no entry shares the name",
        ),
        (
            replace(ITEMS, parameter="c" * 40),
            "visible",
            REQUEST,
            [],
            None,
            "the first distractor begins in time",
        ),
        (replace(ITEMS, fillers=60), "visible", REQUEST, [], None, "the visible value is in view"),
    ],
)
def test_a_broken_promise_stops_the_build(items, version, request_text, others, control, promise):
    with pytest.raises(PlacementError, match=promise):
        assert_placement(items, version, request_text, others, control, 1000)


def test_the_filler_is_as_short_as_the_positions_of_the_paper_ask():
    # 1,201 - 1,009 characters between the extremes, by seven entries before the last one
    assert len(FILLER) <= (1201 - 1009) / 7


def test_calls_of_a_relocated_state_have_twins(built):
    calls = controlled_calls(SETTINGS.datasets["buried"], built["buried"], None)
    by_id = {call.call_id: call for call in calls}
    assert len(by_id) == len(calls)
    for call in calls:
        assert call.label == "correct" or by_id[call.twin].label == "correct"
        assert len(call.labels) == 1


def test_relocated_states_survive_their_file(built, tmp_path):
    write_json_lines(built["buried"], tmp_path / "states.jsonl")
    assert read_json_lines(tmp_path / "states.jsonl", State) == built["buried"]
