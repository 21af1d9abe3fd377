"""Argument items, their base rates, and the page that shows where each value was found."""

from __future__ import annotations

import json
import re
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
from selenium.webdriver.support.ui import Select

from plumbline.arguments.base_rates import base_rates
from plumbline.arguments.contexts import call_text
from plumbline.arguments.items import build_items, item_id
from plumbline.config.arguments import Arguments
from plumbline.records import DataError
from plumbline.records.arguments import ArgumentItem, HistoryCall, ProposedCall, State, StateContext, Turn
from plumbline.records.files import read_json_lines, write_json_lines
from plumbline.records.model import Tool
from plumbline.report.items_page import items_page

ARGUMENTS = Arguments.model_validate(
    {
        "datasets": {"cfb": {"kind": "cfb"}},
        "judges": {"j": {"model": "m"}},
        "inputs": {"plain": {}},
        "blocks": {"main": {"inputs": ["plain"]}},
        "window": {"steps": 1, "cut": 40},
    }
)
HOSTILE = "</script><script>alert(1)</script> & <b>\"'"
RETURN = json.dumps({"id": "early-1", "text": "padding " * 8, "key": "late-9"})
STATE = State(
    state_id="s1",
    query_id="q1",
    dataset="cfb",
    turns=(
        Turn(role="user", text=f"Find it. {HOSTILE}"),
        Turn(role="assistant", calls=(HistoryCall(name="old", returns='{"key": "lost-5"}'),)),
        Turn(role="assistant", calls=(HistoryCall(name="look", arguments={"q": 7}, returns=RETURN),)),
    ),
    functions=(Tool(name="get", parameters={"properties": {"sort": {"default": "best", "type": "string"}}}),),
    gold=(),
)


def call(name: str, arguments: dict[str, Any], label: str = "correct", **kept: Any) -> ProposedCall:
    return ProposedCall.model_validate(
        {
            "call_id": name,
            "state_id": "s1",
            "query_id": "q1",
            "dataset": "cfb",
            "function": "get",
            "arguments": arguments,
            "label": label,
            "made_by": "gold" if label == "correct" else "rule:swap_value",
            "labels": dict.fromkeys(arguments, label),
            **kept,
        }
    )


GOLD = call(
    "g", {"a": "early-1", "b": "late-9", "c": "lost-5", "sort": "best", "n": None, "o": {"x": [7, "zz"]}}
)
WRONG = call("w", {"a": HOSTILE, "extra": "nowhere"}, "wrong", twin="g")


@pytest.fixture
def items() -> list[ArgumentItem]:
    return build_items([STATE], [GOLD, WRONG], [], ARGUMENTS)


def test_each_argument_is_an_item_with_its_path(items: list[ArgumentItem]) -> None:
    assert {item.item_id: (item.label, item.path, item.cut) for item in items} == {
        "g|a": ("correct", "visible", False),
        "g|b": ("correct", "history_only", True),
        "g|c": ("correct", "history_only", False),
        "g|sort": ("correct", "default", False),
        "g|n": ("correct", "no_source", False),
        "g|o": ("correct", "no_source", False),
        "w|a": ("wrong", "visible", False),
        "w|extra": ("wrong", "no_source", False),
    }


def test_the_twin_of_an_item_is_the_same_parameter_of_the_correct_call(items: list[ArgumentItem]) -> None:
    twins = {item.item_id: item.twin_item for item in items if item.call_id == "w"}
    assert twins == {"w|a": item_id("g", "a"), "w|extra": None}


@pytest.mark.parametrize(
    ("value", "gold", "paired"),
    [
        ("Oslo", "Oslo", True),
        ("oslo", "Oslo", False),  # BFCL accepts another spelling; its judge reads other words
        (2, "2", False),
        (2, 2.0, False),
        (["a", 1], ["a", 1], True),
        ({"a": 1, "b": 2}, {"b": 2, "a": 1}, False),  # written in another order
    ],
)
def test_an_unlabelled_value_has_a_twin_only_if_its_judge_reads_the_same_words(
    value: Any, gold: Any, paired: bool
) -> None:
    wrong = call("w", {"a": value, "b": "x"}, "wrong", twin="g", labels={"a": "unlabelled", "b": "wrong"})
    made = build_items([STATE], [call("g", {"a": gold, "b": "y"}), wrong], [], ARGUMENTS)
    twins = {item.item_id: item.twin_item for item in made if item.call_id == "w"}
    assert twins == {"w|a": "g|a" if paired else None, "w|b": "g|b"}


def test_matches_are_at_their_place_in_the_original_text(items: list[ArgumentItem]) -> None:
    for item in items:
        found = item.found
        if found is None or found.turn is None:
            continue
        turn = STATE.turns[found.turn]
        text = turn.text if found.call is None else turn.calls[found.call].returns
        if found.part == "call":
            made = turn.calls[found.call or 0]
            text = call_text(made.name, made.arguments)
        assert text is not None
        assert text[found.start : found.end] == found.text == item.value


def test_a_state_on_a_lower_rung_shows_less(items: list[ArgumentItem]) -> None:
    lower = StateContext(state_id="s1", dataset="cfb", status="overflow", rung=1, tokens=9, tokenizer="t")
    paths = {item.item_id: item.path for item in build_items([STATE], [GOLD], [lower], ARGUMENTS)}
    assert paths["g|a"] == "history_only"
    assert len(paths) == len(GOLD.arguments)


def test_items_survive_their_file(items: list[ArgumentItem], tmp_path: Path) -> None:
    write_json_lines(items, tmp_path / "items.jsonl")
    assert read_json_lines(tmp_path / "items.jsonl", ArgumentItem) == items


def test_a_call_of_no_state_is_refused() -> None:
    with pytest.raises(DataError, match="state s1, which there is not"):
        build_items([], [GOLD], [], ARGUMENTS)


def test_base_rates_count_each_path_by_label(items: list[ArgumentItem]) -> None:
    table = base_rates(items).set_index("path")
    assert list(table.index) == ["visible", "history_only", "format", "default", "no_source"]
    assert table.loc["visible", ["correct", "wrong", "unlabelled"]].tolist() == [1, 1, 0]
    assert table.loc["visible", "share_correct"] == 50
    assert table.loc["history_only", ["correct", "cut"]].tolist() == [2, 1]
    assert table["share_correct"].isna().tolist() == [False, False, True, False, False]
    assert table[["correct", "wrong", "unlabelled"]].to_numpy().sum() == len(items)
    assert base_rates([]).empty


class _Page(HTMLParser):
    """Collects the scripts, and the tags and links of a page."""

    def __init__(self) -> None:
        super().__init__()
        self.scripts: list[str] = []
        self.tags: list[str] = []
        self.links: list[str] = []
        self._inside = False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.links += [str(value) for name, value in attrs if name in ("href", "src")]
        self._inside = tag == "script"

    def handle_data(self, data: str) -> None:
        if self._inside:
            self.scripts.append(data)
            self._inside = False


def parsed(items: list[ArgumentItem]) -> tuple[_Page, dict[str, Any]]:
    page = _Page()
    page.feed(items_page([STATE], items, [], ARGUMENTS, "run", f"cfb {HOSTILE}"))
    return page, json.loads(page.scripts[0])


def test_the_page_holds_every_item_with_its_source_around_the_match(items: list[ArgumentItem]) -> None:
    _, data = parsed(items)
    shown = {item["id"]: item for item in data["items"]}
    assert set(shown) == {item.item_id for item in items}
    source = shown["g|b"]["found"]
    assert source["place"] == ["return", 2, 0]
    assert source["before"] + source["match"] + source["after"] == RETURN
    assert (source["match"], source["left"], source["rest"]) == ("late-9", 0, 0)
    assert shown["g|sort"]["found"]["match"] == "best"
    assert shown["g|n"]["value"] == "null"
    history = {part["title"]: part for part in data["states"]["s1"]}
    assert list(history) == ["user", "call 1", "return 1", "call 2", "return 2"]
    assert (history["return 1"]["shown"], history["return 2"]["shown"]) == (0, 40)


def test_nothing_of_the_data_is_markup_and_nothing_is_loaded(items: list[ArgumentItem]) -> None:
    page, data = parsed(items)
    assert page.tags.count("script") == 2
    assert "b" not in page.tags
    assert page.links == []
    assert next(item for item in data["items"] if item["id"] == "w|a")["value"] == HOSTILE
    assert "innerHTML" not in page.scripts[1]
    assert not re.search(r"https?://", page.scripts[1])


def test_long_returns_are_shown_in_part(items: list[ArgumentItem]) -> None:
    long = "x" * 100_000 + " late-9 " + "y" * 100_000
    turn = Turn(role="assistant", calls=(HistoryCall(name="look", returns=long),))
    state = STATE.model_copy(update={"turns": (STATE.turns[0], turn)})
    found = build_items([state], [call("g", {"b": "late-9"})], [], ARGUMENTS)
    page = items_page([state], found, [], ARGUMENTS, "run", "cfb")
    assert len(page) < 60_000
    assert "late-9" in page


def test_the_page_filters_opens_and_marks(browser: Any, tmp_path: Path, items: list[ArgumentItem]) -> None:
    many = [item.model_copy(update={"item_id": f"{n}|{item.item_id}"}) for n in range(20) for item in items]
    path = tmp_path / "items.html"
    path.write_text(items_page([STATE], many, [], ARGUMENTS, "run", "cfb"), encoding="utf-8")
    driver = browser.open(path)
    assert len(driver.find_elements("css selector", "#items tbody tr")) == 50
    assert driver.find_element("id", "where").text == f"1 to 50 of {len(many)} items"
    driver.find_element("id", "on").click()
    assert driver.find_element("id", "where").text.startswith("51 to 100")
    driver.find_element("id", "words").send_keys("late-9")
    assert driver.find_element("id", "where").text == "1 to 20 of 20 items"
    Select(driver.find_element("id", "label")).select_by_visible_text("wrong")
    assert driver.find_element("id", "where").text == "no item"
    Select(driver.find_element("id", "label")).select_by_visible_text("correct")
    Select(driver.find_element("id", "path")).select_by_visible_text("history_only")
    assert driver.find_element("id", "where").text == "1 to 20 of 20 items"
    driver.find_element("css selector", "#items .open").click()
    assert driver.find_element("css selector", "#items mark").text == "late-9"
    assert [address for address in browser.requests() if address.startswith(("http", "ws"))] == []
    assert browser.complaints() == []
