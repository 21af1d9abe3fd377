"""What `plumbline status` says of jobs on a real Slurm: queued, running, killed, cancelled, their GPU hours."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from slurm import ACCOUNT, GPU_PARTITION, PARTITION, Cluster

ROOT = Path(__file__).parents[2]
COMMENT = "rule_ask_verdicts_wildcards_judge_main_all"
SETTINGS: dict[str, Any] = {
    "run": "told",
    "corpus": {"sources": {"starter": {"kind": "starter", "per_topology": 1}}},
    "tiers": ["easy"],
    "models": {"local": {"engine": "vllm", "vllm": {"tensor_parallel": 2}}},
    "generators": {"faults": {"faults": ["none"]}},
    "judges": {"judge": {"model": "local"}},
    "conditions": {"with_gt": {"prompt": "judge_with_gt", "reference": "expected"}},
    "blocks": {"main": {"conditions": ["with_gt"]}},
}
JOB = """
import sys, time
from pathlib import Path
from plumbline.models.account import keep_account
with keep_account(Path(sys.argv[1]), "told.judge.main.all", "local", 2, lambda: {"total": 6}):
    time.sleep(600)
"""


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "results" / "told").mkdir(parents=True)
    (tmp_path / "results" / "told" / "config.json").write_text(json.dumps(SETTINGS))
    (tmp_path / "job.py").write_text(JOB)
    return tmp_path


@pytest.fixture
def submit(cluster: Cluster, project: Path) -> Callable[..., str]:
    def submitted(*options: str) -> str:
        command = f"exec {sys.executable} job.py results/journal/local"
        where = [f"--account={ACCOUNT}", f"--partition={PARTITION}", f"--chdir={project}"]
        what = [f"--comment={COMMENT}", "--output=job.log", f"--wrap={command}"]
        return cluster.run("sbatch", "--parsable", *where, *what, *options).strip()

    return submitted


@pytest.fixture
def told(cluster: Cluster, project: Path) -> Callable[[], dict[str, Any]]:
    def status() -> dict[str, Any]:
        done = subprocess.run(
            [sys.executable, "-m", "plumbline.cli", "status", "--json", "--no-estimate"],
            cwd=project,
            env={**cluster.environment, "PYTHONPATH": str(ROOT / "scripts")},
            text=True,
            capture_output=True,
            check=True,
        )
        found = json.loads(done.stdout)
        (job,) = found["jobs"]
        return {**job, "gpu_hours": found["models"][0]["gpu_hours"]}

    return status


def until(condition: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 60
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.3)


def test_a_job_is_told_from_the_queue_to_its_end(
    cluster: Cluster, project: Path, submit: Callable[..., str], told: Callable[[], dict[str, Any]]
) -> None:
    assert told()["state"] == "waiting"
    number = submit("--begin=now+1hour")
    job = told()
    assert (job["state"], job["slurm_job"], job["reason"]) == ("queued", number, "BeginTime")
    cluster.run("scancel", number)

    number = submit(f"--partition={GPU_PARTITION}", "--gpus=2")
    until(lambda: bool(list(project.glob("results/journal/local/jobs/*.json"))))
    job = told()
    assert (job["state"], job["slurm_job"], job["total"]) == ("running", number, 6)
    cluster.run("scancel", "--signal=KILL", "--full", number)  # as a node that dies: no word from the job
    until(lambda: told()["state"] == "failed")
    job = told()
    assert number in job["reason"]
    elapsed = cluster.run("sacct", "-X", "-n", "-P", "-j", number, "--format=ElapsedRaw,State").strip()
    seconds, state = elapsed.split("|")
    assert state.split()[0] in job["reason"]
    assert job["gpu_hours"] == pytest.approx(2 * int(seconds) / 3600)

    number = submit()
    until(lambda: told()["state"] == "running")
    cluster.run("scancel", number)
    until(lambda: told()["state"] == "failed")
    assert told()["reason"] == f"CANCELLED (cancelled), Slurm job {number}"


def test_without_accounting_the_account_of_the_job_counts(
    project: Path, told: Callable[[], dict[str, Any]]
) -> None:
    folder = project / "results" / "journal" / "local" / "jobs"
    folder.mkdir(parents=True)
    account = {"lane": "told.judge.main.all", "model": "local", "slurm_job": "99999999", "gpus": 2}
    account |= {"started": 0.0, "seen": 1800.0, "ended": 1800.0, "outcome": "failed", "reason": "no key"}
    (folder / "told.judge.main.all.1.1.json").write_text(json.dumps(account))
    job = told()
    assert (job["state"], job["reason"], job["gpu_hours"]) == ("failed", "no key", 1.0)
