"""A bound on thinking that nobody keeps, or that leaves no answer, is told before anything is asked."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from plumbline.config.loading import load_config, require_environment
from plumbline.config.settings import RunConfig
from plumbline.config.thinking import unbounded_thinking
from plumbline.config.yaml_files import dotted
from plumbline.records.errors import UserError
from plumbline.tables.registry import KINDS

RUN = """\
run: trial
models_from: null
corpus:
  sources:
    starter: {kind: starter, per_topology: 1}
    made: {kind: synthesised, model: fast, domains: [travel], count: 6}
models:
  fast: {engine: endpoint, base_url: "http://127.0.0.1:9/v1"}
  able: {engine: endpoint, base_url: "http://127.0.0.1:9/v1", thinking_field: thinking_budget}
  drawn: {engine: simulated}
rewrites: {model: fast}
validation: {models: [fast]}
generators: {small: {model: fast}}
judges: {strict: {model: fast}}
references: {derived: {kind: derive}}
conditions:
  with_derived: {prompt: judge_with_gt, reference: derived}
  without_gt: {prompt: judge_without_gt}
blocks: {main: {conditions: [with_derived, without_gt]}}
arguments:
  datasets:
    cfb: {kind: cfb, proposers: [guess]}
    moved: {kind: relocate, of: cfb, placement: buried, rewriter: fast}
  proposers: {guess: {model: fast}}
  judges: {chat: {model: fast}}
  references: {deref: {kind: derive_value}}
  inputs: {plain: {}, deref: {reference: deref}}
  blocks: {first: {inputs: [plain, deref]}}
"""

SECTIONS = (
    "rewrites",
    "validation",
    "corpus.sources.made",
    "generators.small",
    "judges.strict",
    "references.derived",
    "conditions.without_gt",
    "arguments.proposers.guess",
    "arguments.judges.chat",
    "arguments.references.deref",
    "arguments.inputs.plain",
)


def run(**decodings: dict[str, Any]) -> RunConfig:
    """The run above; `decodings` by section."""
    data = yaml.safe_load(RUN)
    for place, decoding in decodings.items():
        section = data
        for part in place.split("."):
            section = section[part]
        section["decoding"] = decoding
    return load_config(data, [], KINDS)


def told(config: RunConfig) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for key, text in unbounded_thinking(config):
        found.setdefault(dotted(key), []).append(text)
    return found


@pytest.mark.parametrize("section", SECTIONS)
@pytest.mark.parametrize("thinking", [True, None])
def test_whoever_is_asked_with_a_bound_that_no_server_keeps_is_named(
    section: str, thinking: bool | None
) -> None:
    decoding = {"thinking": thinking, "thinking_tokens": 64, "max_tokens": 900}
    (found,) = told(run(**{section: decoding})).items()
    assert found[0] == f"{section}.decoding.thinking_tokens"
    assert [text.partition(":")[0] for text in found[1]] == ["model `fast`"]
    assert told(run(**{section: {**decoding, "thinking": False}})) == {}


def test_a_bound_of_the_model_itself_is_told_once_for_all_that_ask_it() -> None:
    decoding = {"thinking_tokens": 64}
    (found,) = told(run(**{"models.fast": decoding})).items()
    assert found[0] == "models.fast.decoding.thinking_tokens"
    assert len(found[1]) == 1
    assert told(run(**{"models.drawn": decoding})) == {}


@pytest.mark.parametrize(("most", "is_told"), [(64, True), (65, False)])
@pytest.mark.parametrize("extra", [{}, {"max_completion_tokens": 65}])
def test_thinking_leaves_room_for_an_answer(most: int, is_told: bool, extra: dict[str, Any]) -> None:
    data = yaml.safe_load(RUN)
    data["judges"]["strict"] = {
        "model": "able",
        "decoding": {"thinking_tokens": 64, "max_tokens": most, "extra": extra},
    }
    # the judge's model derives its own reference, with a decoding of its own
    found = told(load_config(data, [], KINDS))
    wanted = "64 tokens of thinking leave no answer: `max_tokens` is 64."
    assert found == ({"judges.strict.decoding.thinking_tokens": [wanted]} if is_told and not extra else {})


def test_one_token_is_no_answer_after_thinking() -> None:
    data = yaml.safe_load(RUN)
    data["arguments"]["judges"]["chat"] = {"model": "able", "decoding": {"thinking_tokens": 64}}
    (found,) = told(load_config(data, [], KINDS)).items()
    assert found[0] == "arguments.judges.chat.decoding.thinking_tokens"
    assert "Write `thinking: true`, or `thinking: false`" in found[1][0]
    data["arguments"]["judges"]["chat"]["decoding"]["thinking"] = True
    assert told(load_config(data, [], KINDS)) == {}


def test_a_run_is_turned_down_with_the_key(project_root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(project_root)
    with pytest.raises(UserError, match=r"generators\.small\.decoding\.thinking_tokens: model `fast`: its"):
        require_environment(run(**{"generators.small": {"thinking_tokens": 64}}))


@pytest.mark.parametrize(
    ("model", "remedy"),
    [
        ({"engine": "vllm"}, "--reasoning-parser"),
        ({"engine": "embedded"}, "backend: llamacpp"),
        ({"engine": "simulated"}, "no bound on thinking"),
        ({"engine": "decisions", "base_url": "http://127.0.0.1:9/v1"}, "no bound on thinking"),
    ],
    ids=lambda value: value["engine"] if isinstance(value, dict) else None,
)
def test_a_name_of_the_bound_belongs_to_an_endpoint(model: dict[str, Any], remedy: str) -> None:
    data = yaml.safe_load(RUN)
    data["models"]["other"] = {**model, "thinking_field": "thinking_budget"}
    with pytest.raises(UserError) as caught:
        load_config(data, [], KINDS)
    assert f"models.other thinking_field is of an `endpoint`, and this is engine `{model['engine']}`" in str(
        caught.value
    )
    assert remedy in str(caught.value)
