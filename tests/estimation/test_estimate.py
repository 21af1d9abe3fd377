"""The estimate counts what is asked, and says what it rests on."""

import shutil

import pytest
from click.testing import CliRunner

from plumbline.cli import main
from plumbline.config.loading import load_config
from plumbline.config.settings import RunConfig
from plumbline.config.yaml_files import read_yaml
from plumbline.estimation.basis import basis_of
from plumbline.estimation.counting import count, dollars, hours, shared_prefix
from plumbline.estimation.text import estimate_text
from plumbline.records import Plan, Usage, write_json_lines


def config(project_root, **changes):
    return RunConfig.model_validate(
        {
            "run": "small",
            "corpus": {"sources": {"starter": {"kind": "starter", "per_topology": 1}}},
            "tiers": ["easy", "hard"],
            "prompts": {"folder": str(project_root / "prompts")},
            "models": {
                "local": {"engine": "vllm", "vllm": {"tensor_parallel": 2}},
                "far": {
                    "engine": "endpoint",
                    "base_url": "http://localhost:1/v1",
                    "prices": {"input": 2.0, "cached_input": 0.5, "output": 8.0},
                    "answer_tokens": 1000,
                },
            },
            "generators": {"writer": {"model": "local"}, "perturb": {"faults": ["none"]}},
            "judges": {"near": {"model": "local"}, "far": {"model": "far"}},
            "conditions": {
                "with_gt": {"prompt": "judge_with_gt", "reference": "expected"},
                "without_gt": {"prompt": "judge_without_gt"},
            },
            "blocks": {"main": {"conditions": ["with_gt", "without_gt"]}},
            **changes,
        }
    )


def loads_of(settings, root):
    return {(load.model, load.role): load for load in count(basis_of(settings, root), root)}


@pytest.fixture
def in_project(monkeypatch, project_root):
    monkeypatch.chdir(project_root)


def test_requests_and_cells_are_counted_by_model_and_role(project_root, tmp_path, in_project):
    loads = loads_of(config(project_root), tmp_path)
    # 6 records x 2 tiers; 2 generators x 2 tiers x 2 conditions of 6 records each
    assert loads["local", "plan"].requests == 12
    assert loads["local", "verdict"].cells == loads["far", "verdict"].cells == 8
    assert loads["local", "verdict"].requests == 48
    assert set(loads) == {("local", "plan"), ("local", "verdict"), ("far", "verdict")}


def test_a_sample_is_scaled_up_to_the_corpus(project_root, tmp_path, in_project):
    whole = loads_of(config(project_root), tmp_path)["far", "verdict"]
    part = loads_of(config(project_root, estimate={"sample": 3}), tmp_path)["far", "verdict"]
    assert part.requests == whole.requests
    assert part.prompt == pytest.approx(whole.prompt, rel=0.25)


def test_a_corpus_that_is_not_there_is_counted_as_assumed(project_root, tmp_path, in_project):
    source = {"kind": "agentjudgebench", "path": str(tmp_path / "nowhere")}
    settings = config(project_root, corpus={"sources": {"papers": source}}, estimate={"sample": 4})
    basis = basis_of(settings, tmp_path)
    assert (basis.records, len(basis.material.records)) == (3808, 4)
    assert any("papers are not there yet" in note for note in basis.notes)
    assert loads_of(settings, tmp_path)["local", "plan"].requests == 3808 * 2


def test_the_prefix_of_the_prompt_before_is_not_computed_again(project_root, tmp_path, in_project):
    load = loads_of(config(project_root), tmp_path)["far", "verdict"]
    # neighbours share at least the rubric, and generators of a tier all but the plan
    assert 0.5 * load.prompt < load.cached < load.prompt


@pytest.mark.parametrize(
    ("first", "second", "length"),
    [("", "a", 0), ("abc", "abd", 2), ("ab", "ab", 2), ("ab", "abc", 2), ("x", "y", 0)],
)
def test_shared_prefix_counts_equal_beginnings(first, second, length):
    assert shared_prefix(first, second) == length


def test_hours_and_money_follow_from_tokens(project_root, tmp_path, in_project):
    settings = config(project_root)
    loads = loads_of(settings, tmp_path)
    far, near = loads["far", "verdict"], loads["local", "verdict"]
    assert far.output == 48 * 1000
    expected = ((far.prompt - far.cached) * 2.0 + far.cached * 0.5 + 48_000 * 8.0) / 1e6
    assert dollars(far, settings.models["far"]) == pytest.approx(expected)
    assert hours(far, settings) is None and dollars(near, settings.models["local"]) is None
    # 160 tokens a verdict; two GPUs at 5,000 prompt and 1,000 answer tokens a second each
    seconds = ((near.prompt - near.cached) / 5000 + 48 * 160 / 1000) / 2
    assert hours(near, settings) == pytest.approx(seconds / 3600)


def test_equal_prompts_at_temperature_zero_count_once(project_root, tmp_path, in_project):
    generators = {"one": {"model": "local"}, "two": {"model": "local"}}
    settings = config(project_root, generators=generators)
    plan = {"status": "ok", "calls": [{"name": "f", "arguments": {}}]}
    records = basis_of(settings, tmp_path).material.records
    for generator in generators:
        for tier in settings.tiers:
            rows = [Plan(record_id=r.id, tier=tier, generator=generator, **plan) for r in records]
            write_json_lines(rows, tmp_path / f"small/plans/{generator}/{tier}.jsonl")
    assert loads_of(settings, tmp_path)["far", "verdict"].requests == 24


def test_answers_of_the_run_are_compared_and_used(project_root, tmp_path, in_project):
    settings = config(project_root)
    records = basis_of(settings, tmp_path).material.records
    write_json_lines(records, tmp_path / "small/records.jsonl")
    usage = Usage(prompt_tokens=1000, completion_tokens=50)
    for tier in settings.tiers:
        rows = [
            Plan(record_id=r.id, tier=tier, generator="writer", status="malformed", text="?", usage=usage)
            for r in records
        ]
        write_json_lines(rows, tmp_path / f"small/plans/writer/{tier}.jsonl")
    load = loads_of(settings, tmp_path)["local", "plan"]
    assert (load.is_measured, load.output) == (True, 12 * 50)
    assert (load.comparison.answers, load.comparison.prompt_measured) == (12, 12_000)
    assert load.comparison.output_estimated == 12 * 100
    text = estimate_text(settings, tmp_path)
    assert "local, 12 plans: prompts" in text
    assert "answers 1.2 k assumed, 600 measured (+100.0 %)" in text


def test_the_papers_experiment_is_estimated_without_its_corpus(project_root, tmp_path, in_project):
    settings = load_config(read_yaml(project_root / "config/paper.yaml").data)
    quick = settings.model_copy(update={"estimate": settings.estimate.model_copy(update={"sample": 1})})
    text = estimate_text(quick, tmp_path)
    (line,) = [line for line in text.splitlines() if line.split()[:2] == ["gpt_5_4", "verdicts"]]
    # 5 generators x 3 tiers x 3 conditions (main, 0.5-default), and 3 tiers of the derived reference on one
    assert line.split()[2:4] == ["48", f"{48 * 3808:,}"]
    # its answers alone, 400 tokens each at 15 US dollars a million
    answers = 48 * 3808 * 400 * 15 / 1e6
    assert answers < float(line.split()[-1].replace(",", "")) < 2 * answers
    assert "No price is set" not in text


def test_the_command_prints_the_table_and_how_it_came_about(project_root, tmp_path, in_project):
    shutil.copy(project_root / "config/rehearsal.yaml", tmp_path / "r.yaml")
    done = CliRunner().invoke(
        main, ["estimate", "--configfile", str(tmp_path / "r.yaml"), "--results", str(tmp_path)]
    )
    assert done.exit_code == 0, done.output
    assert "Estimate of run rehearsal: 3,808 records" in done.output
    assert "simulated_judge" in done.output and "How this is estimated" in done.output
