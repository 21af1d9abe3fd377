"""An ablation is a block of the configuration: its name is a target, and editing it touches nothing else."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from project_copy import copy_project, run_snakemake

CONFIG = """
run: arms
corpus:
  sources:
    starter: {kind: starter, per_topology: 2}
tiers: [hard]
models:
  pretend: {engine: simulated}
generators:
  faults: {faults: [none, drop_call]}
judges:
  judge: {model: pretend}
references:
  corrupted: {kind: shuffle}
  derived: {kind: derive}
  unused: {kind: derive}
conditions:
  with_gt: {prompt: judge_with_gt, reference: expected}
  hot: {prompt: judge_with_gt, reference: expected, decoding: {temperature: 0.7}}
  corrupted_gt: {prompt: judge_with_gt, reference: corrupted}
  derived_gt: {prompt: judge_with_gt, reference: derived}
blocks:
  main: {conditions: [with_gt]}
  ablation_temperature: {conditions: [with_gt, hot], tables: [condition_effects]}
  ablation_made: {conditions: [corrupted_gt, derived_gt]}
"""


def jobs_of(output: str) -> dict[str, int]:
    table = re.search(r"^job +count\n-+ +-+\n(.*?)\n\n", output, re.M | re.S)
    counts = {} if table is None else dict(line.split() for line in table[1].splitlines())
    return {name: int(count) for name, count in counts.items() if name != "total"}


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = copy_project(tmp_path_factory.mktemp("arms"))
    (folder / "arms.yaml").write_text(CONFIG)
    run_snakemake(folder, "--configfile", "arms.yaml", "--quiet", "all")
    return folder


def planned(folder: Path, config: str, *targets: str) -> dict[str, int]:
    (folder / "edited.yaml").write_text(config)
    return jobs_of(run_snakemake(folder, "-n", *targets, "--configfile", "edited.yaml").stdout)


def test_a_finished_run_has_nothing_to_do_and_made_only_references_that_are_shown(finished: Path) -> None:
    assert planned(finished, CONFIG) == {}
    made = sorted(path.name for path in (finished / "results/arms/references").iterdir())
    assert made == ["corrupted", "derived"]


def test_the_verdicts_of_made_references_are_there(finished: Path) -> None:
    for condition in ("corrupted_gt", "derived_gt"):
        file = finished / f"results/arms/verdicts/judge/faults/hard/{condition}.jsonl"
        verdicts = [json.loads(line) for line in file.read_text().splitlines()]
        assert [verdict["status"] for verdict in verdicts] == ["ok"] * 12


def test_editing_one_condition_reruns_its_block_and_nothing_else(finished: Path) -> None:
    jobs = planned(finished, CONFIG.replace("temperature: 0.7", "temperature: 0.8"))
    # the account of the run always goes with its configuration
    for name in ("all", "manifest", "front_page", "claims"):
        jobs.pop(name, None)
    assert jobs == {
        "ask_verdicts": 1,
        "read_verdicts": 1,
        "collect_verdicts": 1,
        "table_condition_effects": 1,
    }


def test_the_name_of_a_block_is_a_target_with_its_cells_and_its_table_alone(finished: Path) -> None:
    edited = CONFIG.replace("temperature: 0.7", "temperature: 0.8").replace("seed: 0", "seed: 1")
    jobs = planned(finished, edited, "ablation_temperature")
    assert set(jobs) == {
        "ablation_temperature", "ask_verdicts", "read_verdicts", "collect_verdicts",
        "table_condition_effects",
    }  # fmt: skip
    assert planned(finished, edited, "ablation_made") == {}


def test_another_seed_of_the_shuffle_reruns_the_shuffle_and_what_shows_it(finished: Path) -> None:
    jobs = planned(finished, CONFIG.replace("{kind: shuffle}", "{kind: shuffle, seed: 7}"), "ablation_made")
    assert jobs.pop("shuffle_references") == 1
    assert set(jobs) == {"ask_verdicts", "read_verdicts", "ablation_made"}


def test_what_ablation_tables_call_a_condition_is_asked_nothing_for(finished: Path) -> None:
    named = CONFIG.replace("hot: {prompt", "hot: {arm: warm, prompt")
    assert set(planned(finished, named, "ablation_temperature")) == {
        "ablation_temperature",
        "table_condition_effects",
    }


def test_a_block_with_a_table_that_does_not_exist_is_refused_by_name(finished: Path) -> None:
    (finished / "edited.yaml").write_text(CONFIG.replace("condition_effects", "condition_efects"))
    done = run_snakemake(finished, "-n", "--configfile", "edited.yaml", check=False)
    assert done.returncode != 0
    assert "`condition_efects` is not a table or figure. Did you mean `condition_effects`?" in done.stdout


def test_a_run_stops_before_its_first_job_where_a_plan_only_warns(finished: Path, monkeypatch) -> None:
    monkeypatch.delenv("PLUMBLINE_TEST_KEY", raising=False)
    hosted = "{engine: endpoint, base_url: 'https://host.example/v1', api_key_env: PLUMBLINE_TEST_KEY}"
    text = CONFIG.replace("run: arms", "run: hosted").replace("{engine: simulated}", hosted)
    (finished / "hosted.yaml").write_text(text)
    dry = run_snakemake(finished, "-n", "--configfile", "hosted.yaml")
    assert "PLUMBLINE_TEST_KEY is not set" in dry.stdout
    real = run_snakemake(finished, "--configfile", "hosted.yaml", check=False)
    assert real.returncode != 0
    assert "PLUMBLINE_TEST_KEY is not set" in real.stdout
    assert not (finished / "results/hosted/records.jsonl").exists()
