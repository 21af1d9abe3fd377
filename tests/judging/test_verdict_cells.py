"""A cell's verdicts from the journal: how often they were asked for, and reasoning that should not be."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from judging_records import a_record
from standin import StandIn

from plumbline.config.cells import Cell
from plumbline.config.settings import RunConfig
from plumbline.judging.requests import Material
from plumbline.judging.verdicts import ask_verdicts, read_cell, warnings_of
from plumbline.models.prompts import PromptSet
from plumbline.records import METRICS, Plan, Verdict

CELL = Cell("j", "g", "hard", "without_gt")
PLAN = Plan(record_id="r1", tier="hard", generator="g", status="ok", calls=())
ANSWER = "{" + ", ".join(f'"{metric}_accuracy": {{"accuracy": 1}}' for metric in METRICS) + "}"


def read(
    config_of: Callable[..., RunConfig], folder: Path, contents: list[str], thinking: bool | None
) -> tuple[Verdict, list[str]]:
    replies = [{"choice": {"message": {"content": content}}} for content in contents]
    with StandIn(replies) as server:
        decoding = {"temperature": 0.6, "thinking": thinking}
        warm: dict[str, Any] = {"engine": "endpoint", "base_url": server.url, "decoding": decoding}
        config = config_of(server.url, models={"judge": warm, "pretend": {"engine": "simulated"}})
        prompts = PromptSet(Path(config.prompts.folder))
        material = Material(config, [a_record("r1")], {}, {("g", "hard"): {"r1": PLAN}}, prompts)
        ask_verdicts(material, "j", [CELL], journal=folder, lane="l")
        assert len(server.bodies) == len(contents)
    (verdict,) = read_cell(material, CELL, journal=folder)
    return verdict, warnings_of(config, CELL, [verdict])


@pytest.mark.parametrize("unreadable", [0, 1, 2])
def test_a_verdict_says_how_often_it_was_asked_for(
    unreadable: int, config_of: Callable[..., RunConfig], tmp_path: Path
) -> None:
    verdict, _ = read(config_of, tmp_path, ["I rate it high."] * unreadable + [ANSWER], None)
    assert (verdict.status, verdict.attempts) == ("ok", 1 + unreadable)


def test_a_reply_with_its_reasoning_before_it_is_read_and_known_as_such(
    config_of: Callable[..., RunConfig], tmp_path: Path
) -> None:
    verdict, told = read(config_of, tmp_path, [f"First the tools.\n</think>\n\n{ANSWER}"], True)
    assert (verdict.status, verdict.sequence, verdict.reasoned, told) == ("ok", 1.0, True, [])


def test_reasoning_that_the_limit_cut_is_truncated_and_no_verdict_whatever_it_drafts(
    config_of: Callable[..., RunConfig], tmp_path: Path
) -> None:
    choice = {"message": {"content": f"A draft: {ANSWER} but wait"}, "finish_reason": "length"}
    with StandIn([{"choice": choice}] * 3) as server:
        warm = {"engine": "endpoint", "base_url": server.url, "decoding": {"temperature": 0.6}}
        config = config_of(server.url, models={"judge": warm, "pretend": {"engine": "simulated"}})
        prompts = PromptSet(Path(config.prompts.folder))
        material = Material(config, [a_record("r1")], {}, {("g", "hard"): {"r1": PLAN}}, prompts)
        ask_verdicts(material, "j", [CELL], journal=tmp_path, lane="l")
    (verdict,) = read_cell(material, CELL, journal=tmp_path)
    assert (verdict.status, verdict.attempts, verdict.sequence) == ("truncated", 3, None)


def test_reasoning_though_thinking_is_off_is_warned_of_and_an_answer_without_is_not(
    config_of: Callable[..., RunConfig], tmp_path: Path
) -> None:
    verdict, told = read(config_of, tmp_path / "one", [f"First the tools.\n</think>\n\n{ANSWER}"], False)
    assert verdict.reasoned is True
    assert told[0].startswith("warning: 1 of 1 replies hold reasoning, though thinking is off")
    verdict, told = read(config_of, tmp_path / "two", [ANSWER], False)
    assert (verdict.status, verdict.reasoned, told) == ("ok", False, [])
