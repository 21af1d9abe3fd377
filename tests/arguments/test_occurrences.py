"""Where a value stands in a text, and the snippets around it (D38)."""

from __future__ import annotations

from typing import Any

import pytest
from small_run import state, step

from plumbline.arguments.contexts import full_context
from plumbline.arguments.occurrences import passage_texts, places_of, stands_in, value_passages
from plumbline.config.arguments import Snippets


@pytest.mark.parametrize(
    ("value", "text", "found"),
    [
        (5, "5 5.0 5.5 15 5,000 x5 (5) $5. -5", ["5", "5.0", "5", "5"]),
        (5000, "5,000 5000 5000.00 15,000 5,0001", ["5,000", "5000", "5000.00"]),
        (-3.5, "-3.50 3.5", ["-3.50"]),
        ("02134", "02134 2134", ["02134", "2134"]),
        ("New  York", "new york New\nYork Newyork", ["new york", "New\nYork"]),
        ("São Paulo", "S\\u00e3o Paulo são paulo xsão paulo", ["S\\u00e3o Paulo", "são paulo"]),
        (True, "true untrue TRUE", ["true", "TRUE"]),
        ({"a": ["x", None, 1]}, "x 1 xx", ["x", "1"]),
        ('a"b', 'a\\"b a"b', ['a\\"b', 'a"b']),
        (None, "null None", []),
        ("", "anything", []),
        ("h7", "h70 h7 ah7 h7_x", ["h7", "h7"]),
    ],
)
def test_a_value_is_found_as_whole_words_and_numbers_by_value(
    value: Any, text: str, found: list[str]
) -> None:
    assert [text[start:end] for start, end in places_of(value, text)] == found


@pytest.mark.parametrize(
    ("value", "text", "stands"),
    [
        (5, "It costs 2,150.", False),
        (5, "It costs 5.00.", True),
        ("NY", "Albany or ny", True),
        ("NY", "Albany", False),
        (["a1", 7], "7 of a1", True),
        (["a1", 7], "a1 alone", False),
        ({"x": {"y": "far"}}, "as far as", True),
        ([], "nothing", False),
        (None, "null", False),
    ],
)
def test_a_value_stands_in_a_text_if_each_of_its_leaves_does(value: Any, text: str, stands: bool) -> None:
    assert stands_in(value, text) is stands


def test_a_passage_of_one_place_is_not_cut() -> None:
    long = "v" * 500
    history = full_context(state(step("a", "x" * 400 + f" {long} " + "y" * 400)))
    ((_, text),) = passage_texts(value_passages(long, history, Snippets()), history)
    # 150 characters on each side, the blanks among them, and the value
    assert len(text.removeprefix("... ").removesuffix(" ...")) == 800


def test_windows_that_touch_become_one_and_the_most_recent_come_first() -> None:
    history = full_context(
        state(step("a", "x" * 400 + " h7 " + "y" * 400), step("b", "h7" + " " * 299 + "h7 " + "z" * 400))
    )
    passages = value_passages("h7", history, Snippets())
    texts = [text for _, text in passage_texts(passages, history)]
    # the places of the second return are 299 apart: windows of 150 overlap, 453 characters are cut to 450
    assert [len(text.replace("... ", "").replace(" ...", "")) for text in texts] == [450, 302]
    assert texts[0].startswith("h7") and texts[1].startswith("... x")


def test_at_most_three_snippets_are_kept() -> None:
    history = full_context(state(*(step(name, f"{name} h7 {name}") for name in "pqrst")))
    kept = [history.parts[passage.part].turn for passage in value_passages("h7", history, Snippets())]
    assert kept == [5, 4, 3]
