"""A tiny experiment on a real Slurm with the real small model: plans from a CPU job, judges in GPU jobs."""

from __future__ import annotations

import json
import re
import subprocess
import time
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from one_record import SOURCES, write_record
from profile_run import ProfileRun
from project_copy import copy_project
from slurm import ACCOUNT, GPU_PARTITION, PARTITION, Cluster

SMALL = {"engine": "embedded", "concurrency": 2, "decoding": {"max_tokens": 60}}
ON_A_GPU = {"embedded": {"threads": 1}, "job": {"gpus": 1, "memory_gb": 3}}
CONFIG: dict[str, Any] = {
    "run": "tiny",
    "corpus": {"sources": SOURCES},
    "tiers": ["easy"],
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
def finished(
    cluster: Cluster, tmp_path_factory: pytest.TempPathFactory, embedded_weights: Path
) -> tuple[ProfileRun, list[str]]:
    """The run at its end, and the GPUs that its judges' jobs had while both ran."""
    folder = copy_project(tmp_path_factory.mktemp("tiny"))
    (folder / "results/sources").mkdir(parents=True)
    (folder / "results/sources" / embedded_weights.name).symlink_to(embedded_weights)
    write_record(folder)
    (folder / "run.yaml").write_text(json.dumps(CONFIG))
    run = ProfileRun(cluster, folder)
    with run.started() as process:
        devices = devices_of_two(run, process)
        assert process.wait(600) == 0, run.said[-6000:]
    return run, devices


def devices_of_two(run: ProfileRun, process: subprocess.Popen[bytes]) -> list[str]:
    """Wait until two of a run's jobs hold GPUs, and give these; fewer if the run ends before."""
    found: list[str] = []
    while len(found) < 2 and process.poll() is None:
        time.sleep(0.2)
        lines = run.cluster.run("scontrol", "--details", "--oneliner", "show", "job").splitlines()
        ours = [line for line in lines if any(f"JobName={name} " in line for name in run.start_names)]
        held = [re.search(r"gpu:\w+:1\(IDX:(\d+)\)", line) for line in ours if "JobState=RUNNING" in line]
        found = [device[1] for device in held if device]
    return found


@pytest.fixture(scope="module")
def tiny(finished: tuple[ProfileRun, list[str]]) -> ProfileRun:
    return finished[0]


@pytest.fixture(scope="module")
def devices(finished: tuple[ProfileRun, list[str]]) -> list[str]:
    return finished[1]


def test_the_whole_experiment_runs_through_the_profile(tiny: ProfileRun) -> None:
    assert {job["State"] for job in tiny.jobs()} == {"COMPLETED"}
    coverage = pd.read_csv(tiny.folder / "results/tiny/tables/main.coverage.csv")
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


def test_gpu_jobs_run_at_the_same_time_on_different_devices(tiny: ProfileRun, devices: list[str]) -> None:
    left, right = (tiny.tries(f"ask_verdicts_wildcards_{judge}_main_all")[0] for judge in ("left", "right"))
    assert max(left["Start"], right["Start"]) < min(left["End"], right["End"])
    assert len(set(devices)) == 2


def test_logs_of_slurm_are_kept_only_where_a_job_failed(tiny: ProfileRun) -> None:
    assert not [*(tiny.folder / "slurm_logs").rglob("*.log")]
    assert list((tiny.folder / "results/tiny/logs/ask_verdicts").iterdir())
