"""The estimate counts what argument judging asks, on built data sets or on what is known of them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from argument_fixture import STATES, calls

from plumbline.arguments.items import build_items
from plumbline.arguments.ladder import fit_states
from plumbline.config.settings import RunConfig
from plumbline.estimation.argument_basis import CharacterCounter
from plumbline.estimation.basis import basis_of
from plumbline.estimation.counting import Load, count
from plumbline.estimation.text import estimate_text
from plumbline.models.prompts import PromptSet
from plumbline.records import Usage, write_json_lines
from plumbline.records.arguments import Judgment, ProposedCall, State

DRAWN = {"engine": "simulated", "simulation": {"seed": 3}}
FAR = {"engine": "endpoint", "base_url": "http://localhost:1/v1", "answer_tokens": 900}
LOCAL = {"kind": "local", "states": "odd/states.jsonl", "calls": "odd/calls.jsonl"}
VALUES = sum(len(call["arguments"]) for call in calls())


def config(dataset: dict[str, Any], **arguments: Any) -> RunConfig:
    section = {
        "datasets": {"odd": dataset},
        "judges": {"judge": {"model": "drawn"}},
        "references": {"deref": {"kind": "derive_value", "model": "far"}},
        "inputs": {"plain": {}, "deref": {"reference": "deref"}, "whole": {"unit": "call"}},
        "blocks": {"values": {"inputs": ["plain", "deref", "whole"]}},
        **arguments,
    }
    models = {"drawn": DRAWN, "far": FAR}
    return RunConfig.model_validate({"run": "small", "models": models, "arguments": section})


def loads_of(settings: RunConfig, root: Path) -> dict[tuple[str, str], Load]:
    return {(load.model, load.role): load for load in count(basis_of(settings, root), root)}


@pytest.fixture(autouse=True)
def in_project(monkeypatch: pytest.MonkeyPatch, project_root: Path) -> None:
    monkeypatch.chdir(project_root)


@pytest.fixture
def built(tmp_path: Path) -> Path:
    """The folder of a run whose data set is built."""
    settings = config(LOCAL).arguments
    assert settings is not None
    states = [State.model_validate(state) for state in STATES]
    proposed = [ProposedCall.model_validate(call) for call in calls()]
    contexts = fit_states(states, proposed, settings, CharacterCounter(4), PromptSet(Path("prompts")))
    items = build_items(states, proposed, contexts, settings)
    parts = {"states": states, "calls": proposed, "contexts": contexts, "items": items}
    for name, lines in parts.items():
        write_json_lines(lines, tmp_path / f"small/arguments/odd/{name}.jsonl")
    return tmp_path


def test_a_built_data_set_is_counted_value_by_value_and_call_by_call(built: Path) -> None:
    loads = loads_of(config(LOCAL), built)
    # a value is asked about with two inputs, a call with one; a simulated judge reads and writes no tokens
    assert loads["drawn", "judgment"].requests == 2 * VALUES + len(calls())
    assert (loads["drawn", "judgment"].prompt, loads["drawn", "judgment"].output) == (0, 0)
    assert loads["drawn", "judgment"].cells == 3
    # one reference a slot, whatever its candidates: the parameters that any call of a state fills
    slots = {(call["state_id"], name) for call in calls() for name in call["arguments"]}
    assert loads["far", "value_reference"].requests == len(slots)
    assert loads["far", "value_reference"].output == 900 * len(slots)
    assert "not built yet" not in estimate_text(config(LOCAL), built)


def test_a_sample_of_states_is_scaled_up_to_the_values_of_the_data_set(built: Path) -> None:
    settings = config(LOCAL, blocks={"values": {"inputs": ["plain"]}})
    fewer = settings.model_copy(update={"estimate": settings.estimate.model_copy(update={"sample": 6})})
    assert len(basis_of(fewer, built).arguments.datasets["odd"].files.states) == 2  # type: ignore[union-attr]
    assert loads_of(fewer, built)["drawn", "judgment"].requests == pytest.approx(VALUES)


def test_a_sample_of_items_is_estimated_as_such(built: Path) -> None:
    inputs = {"few": {"replicates": 2, "sample": 4}}
    settings = config(LOCAL, inputs=inputs, blocks={"values": {"inputs": ["few"]}})
    # all states are measured, so that the share of the items is the sample itself
    assert loads_of(settings, built)["drawn", "judgment"].requests == 2 * 4


def test_a_judgment_is_one_token_unless_the_judge_thinks_before(built: Path) -> None:
    inputs = {"plain": {}, "thought": {"decoding": {"thinking": True, "max_tokens": 2000}}}
    for name, tokens in (("plain", 1), ("thought", 900)):
        blocks = {"values": {"inputs": [name]}}
        settings = config(LOCAL, judges={"judge": {"model": "far"}}, inputs=inputs, blocks=blocks)
        load = loads_of(settings, built)["far", "judgment"]
        assert 0 < load.requests <= VALUES  # equal values at a state make equal prompts, asked once
        assert load.output == pytest.approx(tokens * load.requests)
        assert 0 < load.cached < load.prompt


@pytest.mark.parametrize(
    ("dataset", "values"),
    [
        ({"kind": "cfb"}, 2638),  # D5
        ({"kind": "fcrb"}, 1719 + 769),  # D4
        ({"kind": "fintrace", "path": "nowhere.json"}, 7428 + 2796),  # D6
        (LOCAL, 2638),  # estimate.argument_items
    ],
)
def test_a_data_set_that_is_not_built_has_the_papers_size_and_a_note(
    dataset: dict[str, Any], values: int, tmp_path: Path
) -> None:
    settings = config(dataset, blocks={"values": {"inputs": ["plain"]}})
    assert loads_of(settings, tmp_path)["drawn", "judgment"].requests == pytest.approx(values)
    assert f"not built yet, with the values that are assumed: odd {values:,}" in estimate_text(
        settings, tmp_path
    )


def test_a_proposer_is_asked_once_at_each_state(tmp_path: Path) -> None:
    dataset = {"kind": "cfb", "proposers": ["next"]}
    settings = config(dataset, proposers={"next": {"model": "far"}})
    load = loads_of(settings, tmp_path)["far", "proposal"]
    assert 0 < load.requests < 2638
    assert load.prompt > 0


def test_prompts_are_compared_with_what_the_run_measured(built: Path) -> None:
    settings = config(LOCAL, judges={"judge": {"model": "far"}}, blocks={"values": {"inputs": ["plain"]}})
    row = {"dataset": "odd", "judge": "judge", "input": "plain", "status": "ok", "score": 0.5}
    usage = Usage(prompt_tokens=321, completion_tokens=1)
    lines = [Judgment(item_id="s1.gold|city", **row, usage=usage)]
    write_json_lines(lines, built / "small/judgments/judge/odd/plain.jsonl")
    load = loads_of(settings, built)["far", "judgment"]
    assert load.comparison is not None
    assert (load.comparison.answers, load.comparison.prompt_measured) == (1, 321)
    assert load.comparison.output_estimated == load.comparison.output_measured == 1
