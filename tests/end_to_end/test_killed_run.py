"""A run that is killed, and a key that must not leave the environment: real snakemake, counting server."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

import pytest
from project_copy import copy_project, run_snakemake
from standin import StandIn

CONCURRENCY = 3
KEY = "sk-marked-3f1c9a77"
CONFIG = """
run: killed
corpus:
  sources:
    starter: {{kind: starter, per_topology: 1}}
tiers: [easy, hard]
models:
  judge:
    engine: endpoint
    base_url: {url}
    api_key_env: MARKED_KEY
    concurrency: {concurrency}
generators:
  perturb: {{faults: [none, drop_call, swap_calls]}}
judges:
  judge: {{model: judge}}
conditions:
  with_gt: {{prompt: judge_with_gt, reference: expected}}
  without_gt: {{prompt: judge_without_gt}}
blocks:
  main:
    conditions: [with_gt, without_gt]
    tables: [alignment, coverage]
"""


@pytest.fixture
def project(tmp_path: Path) -> Path:
    return copy_project(tmp_path)


def verdict_files(project: Path) -> dict[str, bytes]:
    folder = project / "results/killed/verdicts"
    return {str(f.relative_to(folder)): f.read_bytes() for f in sorted(folder.rglob("*.jsonl"))}


def test_a_run_killed_in_the_middle_asks_no_answered_request_twice(project: Path) -> None:
    environment = {"MARKED_KEY": KEY}
    with StandIn(latency_s=0.15) as server:
        config = CONFIG.format(url=server.url, concurrency=CONCURRENCY)
        (project / "run.yaml").write_text(config)
        process = subprocess.Popen(
            [sys.executable, "-m", "snakemake", "--cores", "2", "--configfile", "run.yaml"],
            cwd=project,
            env={**os.environ, **environment},
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
        deadline = time.monotonic() + 120
        while len(server.bodies) < 8 and time.monotonic() < deadline:
            assert process.poll() is None, "the run ended before it could be killed"
            time.sleep(0.02)
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        time.sleep(0.5)
        journal = project / "results/journal/judge"
        before = sum(len(f.read_bytes().splitlines()) for f in journal.glob("*.jsonl"))
        assert 0 < before < 24
        # a killed snakemake leaves its lock behind; this is what it tells its user to do
        run_snakemake(project, "--configfile", "run.yaml", "--unlock", env=environment)
        run_snakemake(project, "--configfile", "run.yaml", env=environment)
        asked = Counter(server.prompts)
        sent = len(server.bodies)
    repeated = sum(times - 1 for times in asked.values())
    assert repeated <= CONCURRENCY  # those in flight when it was killed, which no answer had come for
    assert sent <= 24 + CONCURRENCY
    keys = [json.loads(line)["key"] for f in journal.glob("*.jsonl") for line in f.read_text().splitlines()]
    assert max(Counter(keys).values()) == 1
    files = verdict_files(project)
    assert len(files) == 4
    for content in files.values():
        assert [json.loads(line)["status"] for line in content.splitlines()] == ["ok"] * 6


def test_a_key_stays_in_the_environment(project: Path) -> None:
    with StandIn() as server:
        config = CONFIG.format(url=server.url, concurrency=CONCURRENCY)
        (project / "run.yaml").write_text(config)
        done = run_snakemake(project, "--configfile", "run.yaml", "--printshellcmds", env={"MARKED_KEY": KEY})
        assert all(headers["Authorization"] == f"Bearer {KEY}" for headers in server.headers)
        assert server.headers
    assert KEY not in done.stdout
    holding = [f for f in project.rglob("*") if f.is_file() and KEY.encode() in f.read_bytes()]
    assert holding == []


def test_a_missing_key_is_told_before_any_job_starts(project: Path) -> None:
    (project / "run.yaml").write_text(CONFIG.format(url="http://127.0.0.1:9/v1", concurrency=1))
    environment = {"MARKED_KEY": ""}
    done = run_snakemake(project, "--configfile", "run.yaml", env=environment, check=False)
    assert done.returncode != 0
    assert "MARKED_KEY" in done.stdout
    assert "run.yaml" in done.stdout
    assert not (project / "results/killed/records.jsonl").exists()
