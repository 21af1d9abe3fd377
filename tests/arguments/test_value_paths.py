"""Derivation paths: the five paths in their order, what counts as a match, and where it was."""

from __future__ import annotations

import json
from typing import Any

import pytest

from plumbline.arguments.contexts import call_text, plain_context
from plumbline.arguments.paths import PathFinder, PathMatch
from plumbline.config.arguments import Paths, Window
from plumbline.records.arguments import HistoryCall, State, Turn
from plumbline.records.model import Tool

REQUEST = (
    "We are five people. Book a room in New York from November 3rd to 5 Nov 2024, at 2 pm, under $1,200."
)
LONG = json.dumps({"hotels": [{"hotel_id": f"h-{n:05d}", "price": n * 10.5} for n in range(400)]})
FIND = Tool(
    name="find",
    parameters={
        "type": "object",
        "properties": {
            "sort": {"type": "string", "default": "Best Price"},
            "rooms": {
                "type": "integer",
                "description": "How many rooms. The **default** value is set to **7**.",
            },
            "area": {
                "type": "string",
                "description": "District. If you do not care, use dontcare. Ask for more.",
            },
            "tags": {"type": "array", "items": {"type": "string", "default": "pool"}, "default": []},
            "strict": {"type": "boolean", "default": False},
            "coupon": {"type": "string", "default": None},
        },
    },
)


def state(*returns: str | None, request: str = REQUEST, said: str | None = None) -> State:
    """A state after one step a return."""
    steps = [
        Turn(role="assistant", text=said, calls=(HistoryCall(name="look", arguments={"n": n}, returns=text),))
        for n, text in enumerate(returns, start=70)
    ]
    return State(
        state_id="s",
        query_id="q",
        dataset="d",
        turns=(Turn(role="user", text=request), *steps),
        functions=(FIND,),
        gold=(),
    )


def match(value: Any, *returns: str | None, parameter: str = "x", window: Window | None = None,
          settings: Paths | None = None, **kept: Any) -> PathMatch:  # fmt: skip
    made = state(*returns, **kept)
    settings = settings or Paths()
    context = plain_context(made, window or Window(), "d", roles=settings.roles_in_view())
    return PathFinder(made, context, settings).match(value, FIND, parameter)


@pytest.mark.parametrize(
    ("value", "path"),
    [
        ("New York", "visible"),
        ("new  YORK", "visible"),  # case and white space do not count
        ("\uff2eew York", "visible"),  # nor does the width of a letter (NFKC)
        ("York", "visible"),
        ("Yor", "no_source"),  # inside a longer run of letters
        (1200, "visible"),
        ("1200.00", "visible"),  # numbers by value
        (200, "no_source"),  # part of 1,200
        (5, "visible"),
        ("2024-11-05", "format"),
        ("2024-11-03", "format"),  # the year of the other day
        ("2023-11-05", "no_source"),
        ("2023-11-03", "no_source"),  # the text says another year
        ("14:00", "format"),
        ("15:00", "no_source"),
        ("2024-11-05T14:00:00", "format"),
        ("2024-11-05T15:00:00", "no_source"),
        ("new_york", "format"),
        ("NewYork", "format"),  # BFCL's string rule
        ("rooms", "format"),  # plural
        ("$1200", "format"),
        ("1200 USD", "format"),
        ("1200 EUR", "no_source"),  # another unit
        ("people", "visible"),
        (True, "no_source"),
        (None, "no_source"),
        ("", "no_source"),
    ],
)
def test_a_value_has_the_path_of_its_first_match(value: Any, path: str) -> None:
    assert match(value).path == path


def test_words_are_numbers_only_where_people_write() -> None:
    assert match(5, request="We are five.").path == "format"
    assert match(5, '{"stars": "five"}', request="Hello.").path == "no_source"


def test_a_value_behind_the_cut_is_history_only_and_says_so() -> None:
    first, last = match("h-00001", LONG), match("h-00399", LONG)
    assert (first.path, first.cut) == ("visible", False)
    assert (last.path, last.cut) == ("history_only", True)


def test_a_value_of_a_step_that_the_window_lost_is_history_only_without_a_cut() -> None:
    found = match("lost", "lost", "b", "c", "d", window=Window(steps=3))
    assert (found.path, found.cut) == ("history_only", False)
    assert match("lost", "lost", "b", "c", window=Window(steps=3)).path == "visible"


def test_a_value_of_an_earlier_calls_arguments_is_visible() -> None:
    assert match(70, "x").path == "visible"


@pytest.mark.parametrize(
    ("setting", "path"), [("history", "history_only"), ("dialogue", "visible"), ("none", "no_source")]
)
def test_what_the_assistant_said_counts_as_the_setting_says(setting: Any, path: str) -> None:
    settings = Paths(assistant_text=setting)
    assert match("quokka", "x", said="I found a quokka.", settings=settings).path == path


@pytest.mark.parametrize(("setting", "path"), [("history", "history_only"), ("dialogue", "visible")])
def test_a_system_message_counts_as_the_setting_says(setting: Any, path: str) -> None:
    made = state("x").model_copy(
        update={"turns": (Turn(role="system", text="Offer wombats."), Turn(role="user", text="Hello."))}
    )
    settings = Paths(system_text=setting)
    context = plain_context(made, Window(), "d", roles=settings.roles_in_view())
    assert PathFinder(made, context, settings).match("wombats", FIND, "x").path == path


@pytest.mark.parametrize(
    ("parameter", "value", "path"),
    [
        ("sort", "best price", "default"),
        ("rooms", 7, "default"),
        ("rooms", "7.0", "default"),
        ("rooms", 8, "no_source"),
        ("area", "dontcare", "default"),
        ("area", "more", "no_source"),  # that sentence names no default
        ("strict", False, "default"),
        ("coupon", None, "default"),
        ("coupon", "None", "no_source"),
        ("strict", None, "no_source"),
        ("strict", True, "no_source"),
        ("tags", [], "default"),
        ("tags", ["pool"], "default"),
        ("unknown", "best price", "no_source"),
    ],
)
def test_a_default_is_the_schemas_or_one_that_the_description_declares(
    parameter: str, value: Any, path: str
) -> None:
    assert match(value, parameter=parameter).path == path


@pytest.mark.parametrize(
    "parameters", [{}, {"properties": None}, {"properties": {"x": None}}, {"properties": {"x": {}}}]
)
def test_a_schema_without_types_names_no_default(parameters: dict[str, Any]) -> None:
    made = state()
    finder = PathFinder(made, plain_context(made, Window(), "d"), Paths())
    assert finder.match("Oslo", Tool(name="f", parameters=parameters), "x").path == "no_source"
    assert finder.match({"a": [None, "York"]}, Tool(name="f", parameters=parameters), "x").path == "no_source"


@pytest.mark.parametrize(
    ("value", "path"),
    [
        (["New York", "room"], "visible"),
        (["New York", "h-00399"], "history_only"),
        ({"to": {"city": "New York", "on": "2024-11-05"}, "id": "h-00399"}, "format"),
        ({"to": "New York", "from": ["Oslo"]}, "no_source"),
        ({}, "no_source"),
    ],
)
def test_of_a_list_or_object_the_worst_leaf_counts(value: Any, path: str) -> None:
    assert match(value, LONG).path == path


def test_the_match_of_a_list_is_that_of_its_worst_leaf() -> None:
    found = match(["New York", "h-00399"], LONG).found
    assert found is not None
    assert found.text == "h-00399"


@pytest.mark.parametrize(
    ("value", "short"),
    [
        ("a", True),
        ("abc", True),
        ("abcd", False),
        (12, True),
        (1234, False),
        ("", True),
        ([], True),
        (True, False),
        (["abcdef", "ab"], True),
    ],
)
def test_values_of_up_to_three_characters_are_flagged(value: Any, short: bool) -> None:
    assert match(value, request="nothing but abcdef").short is short


def test_short_values_match_only_as_whole_tokens_even_without_boundaries() -> None:
    settings = Paths(boundaries=False)
    assert match("ork", settings=settings).path == "no_source"
    assert match("ew Yor", settings=settings).path == "visible"


@pytest.mark.parametrize(
    "value", ['He said "no"', "line\nbreak", "tab\there", "caf\u00e9", "back\\slash", "\U0001f600 smile"]
)
@pytest.mark.parametrize("ascii_only", [True, False])
def test_a_text_is_found_as_json_writes_it(value: str, ascii_only: bool) -> None:
    returns = json.dumps({"note": value}, ensure_ascii=ascii_only)
    assert match(value, returns, request="x").path == "visible"


def test_the_end_of_a_longer_time_is_no_time_of_its_own() -> None:
    assert match("09:00", '{"at": "2024-12-16T22:09:00"}', request="x").path == "no_source"
    assert match("22:09", '{"at": "2024-12-16T22:09:00"}', request="x").path == "format"
    assert match("22:09", '{"at": "2024-12-16 22:09:00"}', request="x").path == "visible"
    assert match("09:00", '{"from":"2:09:00","to":"09:00"}', request="x").path == "visible"


@pytest.mark.parametrize("word", ["true", "True", "TRUE"])
def test_a_boolean_matches_as_a_word(word: str) -> None:
    assert match(True, f'{{"ok": {word}}}').path == "visible"
    assert match(True, f'{{"ok": "un{word}"}}').path == "no_source"


def test_scripts_without_blanks_have_no_words_to_be_inside_of() -> None:
    assert match("\u6771\u4eac", request="\u660e\u65e5\u6771\u4eac\u306b\u884c\u304f").path == "visible"


def test_half_of_a_cut_character_is_no_error() -> None:
    assert match("Oslo", "\ud83d Oslo", request="x\udc00").path == "visible"
    assert match("\ud83d", "a \ud83d b").path == "visible"


def test_positions_are_those_of_the_original_text() -> None:
    request = "  Na\u00efve  cafe\u0301s \ufb01ll,\tthe   STRASSE and Stra\u00dfe  end"
    for value, wanted in [
        ("naive", None),
        ("na\u00efve caf\u00e9s", "Na\u00efve  cafe\u0301s"),
        ("fill", "\ufb01ll"),
        ("the strasse", "the   STRASSE"),
        ("stra\u00dfe end", "Stra\u00dfe  end"),
    ]:
        found = match(value, request=request).found
        assert (found and request[found.start : found.end]) == wanted
        assert (found and found.text) == wanted


def test_positions_in_a_call_and_behind_a_cut_are_those_of_the_whole_text() -> None:
    found = match("h-00399", LONG).found
    assert found is not None
    assert (found.part, found.turn, found.call) == ("return", 1, 0)
    assert LONG[found.start : found.end] == "h-00399"
    found = match(70, "x").found
    assert found is not None
    assert call_text("look", {"n": 70})[found.start : found.end] == "70"


def test_a_return_of_200_000_characters_is_searched_whole() -> None:
    returns = json.dumps([{"id": f"item-{n:06d}", "n": n} for n in range(6000)])
    assert len(returns) > 200_000
    assert match("item-005999", returns).path == "history_only"
    assert match(5999, returns).path == "history_only"
    for value in ("item-006000", "x" * 100_000, "2031-01-01", "23:59", ["zz"] * 50):
        assert match(value, returns).path == "no_source"


def test_long_runs_of_one_letter_take_no_quadratic_time() -> None:
    assert match("a" * 100_000, "a" * 200_000).path == "no_source"
    assert match("-a" * 20_000, "-a" * 100_000 + "b").path == "history_only"


def test_a_path_never_gets_better_when_less_is_shown() -> None:
    order = ["visible", "history_only", "format", "default", "no_source"]
    values = ["h-00010", "h-00399", "New York", 70, 71, "2024-11-05", "nowhere"]
    for value in values:
        wide = match(value, LONG, "b", window=Window(steps=2, cut=100_000)).path
        narrow = match(value, LONG, "b", window=Window(steps=1, cut=10)).path
        assert order.index(wide) <= order.index(narrow)
        assert {wide, narrow} <= {"visible", "history_only"} or wide == narrow
