"""A tiny experiment on a real Slurm with the real small model: plans from a CPU job, judges in GPU jobs."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from profile_run import ProfileRun
from project_copy import copy_project
from slurm import ACCOUNT, GPU_PARTITION, PARTITION, Cluster

SMALL = {"engine": "embedded", "concurrency": 2, "decoding": {"max_tokens": 120}}
ON_A_GPU = {"embedded": {"threads": 1}, "job": {"gpus": 1, "memory_gb": 3}}
CONFIG: dict[str, Any] = {
    "run": "tiny",
    "corpus": {"sources": {"starter": {"kind": "starter", "count": 1}}},
    "tiers": ["hard"],
    "models": {
        "writer": {**SMALL, "job": {"memory_gb": 2, "minutes": 7}},
        "left": {**SMALL, **ON_A_GPU},
        "right": {**SMALL, **ON_A_GPU},
    },
    "generators": {"writer": {"model": "writer"}, "perturb": {"faults": ["none"]}},
    "judges": {"left": {"model": "left"}, "right": {"model": "right"}},
    "conditions": {"with_gt": {"prompt": "judge_with_gt", "reference": "expected", "output": "structured"}},
    "blocks": {"main": {"conditions": ["with_gt"], "tables": ["coverage"]}},
}


@pytest.fixture(scope="module")
def tiny(cluster: Cluster, tmp_path_factory: pytest.TempPathFactory, embedded_weights: Path) -> ProfileRun:
    folder = copy_project(tmp_path_factory.mktemp("tiny"))
    (folder / "results/sources").mkdir(parents=True)
    (folder / "results/sources" / embedded_weights.name).symlink_to(embedded_weights)
    (folder / "run.yaml").write_text(json.dumps(CONFIG))
    run = ProfileRun(cluster, folder)
    run.finish()
    return run


def test_the_whole_experiment_runs_through_the_profile(tiny: ProfileRun) -> None:
    assert {job["State"] for job in tiny.jobs()} == {"COMPLETED"}
    coverage = pd.read_csv(tiny.folder / "results/tiny/tables/main/coverage.csv")
    assert set(coverage["judge"]) == {"left", "right"}
    assert (tiny.folder / "results/tiny/tables/overview.html").exists()


def test_jobs_of_a_model_with_gpus_ask_for_them_and_no_other_job_does(tiny: ProfileRun) -> None:
    asked = {job["Comment"]: job for job in tiny.jobs()}
    with_gpu = {name for name, job in asked.items() if "gres/gpu=1" in job["ReqTRES"].split(",")}
    assert with_gpu == {f"rule_ask_verdicts_wildcards_{judge}_main_all" for judge in ("left", "right")}
    assert {asked[name]["Partition"] for name in with_gpu} == {GPU_PARTITION}
    others = asked.keys() - with_gpu
    assert not any("gres" in asked[name]["ReqTRES"] for name in others)
    assert {asked[name]["Partition"] for name in others} == {PARTITION}
    assert {job["Account"] for job in asked.values()} == {ACCOUNT}


def test_a_job_asks_for_what_its_model_s_settings_say(tiny: ProfileRun) -> None:
    plans = tiny.tries("ask_plans_wildcards_writer_all")[0]
    assert "cpu=2" in plans["ReqTRES"].split(",")  # embedded.threads
    assert (plans["ReqMem"], plans["TimelimitRaw"]) == ("2000M", "7")
    judge = tiny.tries("ask_verdicts_wildcards_left_main_all")[0]
    assert "cpu=1" in judge["ReqTRES"].split(",")
    assert (judge["ReqMem"], judge["TimelimitRaw"]) == ("3000M", "240")


def test_gpu_jobs_run_at_the_same_time(tiny: ProfileRun) -> None:
    left, right = (tiny.tries(f"ask_verdicts_wildcards_{judge}_main_all")[0] for judge in ("left", "right"))
    assert max(left["Start"], right["Start"]) < min(left["End"], right["End"])


def test_logs_of_slurm_are_kept_only_where_a_job_failed(tiny: ProfileRun) -> None:
    assert not [*(tiny.folder / "slurm_logs").rglob("*.log")]
    assert list((tiny.folder / "results/tiny/logs/ask_verdicts").iterdir())
