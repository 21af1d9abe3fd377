"""A synthesis that could give no record is refused before a model is asked."""

from __future__ import annotations

import json

import pytest
from pydantic import ValidationError

from plumbline.config.corpus import LEAST_CALLS, SynthesisedSource
from plumbline.config.loading import load_config, require_environment
from plumbline.config.prompt_files import SYNTHESIS_PARTS
from plumbline.corpora.synthesis.stages import NAMES
from plumbline.corpora.topology import topology_of
from plumbline.records import ExpectedCall, UserError

SMALLEST = {
    "linear": {"a": "", "b": "a"},
    "fan_out": {"a": "", "b": "a", "c": "a"},
    "fan_in": {"a": "", "b": "", "c": "ab"},
    "diamond": {"a": "", "b": "a", "c": "a", "d": "bc"},
    "optional_enrichment": {"a": "", "b": "a", "x": ""},
    "loop_like": {"a": "", "a2": "a"},
}


@pytest.mark.parametrize("topology", LEAST_CALLS)
def test_the_fewest_calls_of_a_topology_make_it(topology):
    calls = tuple(
        ExpectedCall(id=name, name=name[0], arguments={}, needs=tuple(needs))
        for name, needs in SMALLEST[topology].items()
    )
    assert (topology_of(calls), len(calls)) == (topology, LEAST_CALLS[topology])


def test_every_stage_has_its_prompt_in_the_list_of_those_that_must_be_there():
    assert (*NAMES, "again") == SYNTHESIS_PARTS


def test_a_folder_without_the_prompts_of_the_corpus_is_refused(tmp_path):
    for name in ("judge_with_gt", "rewrite"):
        for role in ("system", "user"):
            (tmp_path / f"{name}.{role}.md").write_text("text", encoding="utf-8")
    endpoint = {"engine": "endpoint", "base_url": "http://localhost/v1"}
    data = {
        "run": "own",
        "models_from": None,
        "prompts": {"folder": str(tmp_path)},
        "corpus": {"sources": {"ours": {"kind": "synthesised", "model": "m", "domains": ["banking"]}}},
        "models": {"m": endpoint},
        "validation": {"models": ["m"]},
        "generators": {"perturb": {"faults": ["none"]}},
        "judges": {"m": {"model": "m"}},
        "conditions": {"with_gt": {"prompt": "judge_with_gt", "reference": "expected"}},
        "blocks": {"main": {"conditions": ["with_gt"]}},
    }
    path = tmp_path / "own.yaml"
    path.write_text(json.dumps(data), encoding="utf-8")
    with pytest.raises(UserError) as caught:
        require_environment(load_config(data, [path]), [path])
    assert "corpus.sources.ours.prompt" in str(caught.value)
    assert "synthesise_scenario.user.md" in str(caught.value)
    assert "meta_judge.user.md" in str(caught.value)


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({"most_calls": 3, "topologies": ["linear", "diamond"]}, r"most_calls = 3 \(diamond 4\)"),
        ({"fewest_calls": 4, "most_calls": 3}, "least is above its most"),
        ({"fewest_tools": 2, "most_tools": 4, "fewest_calls": 4}, "no more tools than its calls use"),
        ({"domains": ["a", "b", "a"]}, r"a domain twice \(a\)"),
    ],
)
def test_settings_that_no_record_can_meet_are_refused(changes, told):
    data = {"kind": "synthesised", "model": "m", "domains": ["banking"]}
    SynthesisedSource.model_validate(data)
    with pytest.raises(ValidationError, match=told):
        SynthesisedSource.model_validate(data | changes)
