"""The jobs that the status knows are those that Snakemake plans, and each is in the state its files tell."""

from __future__ import annotations

import csv
import re
import time
from pathlib import Path

import pytest
from project_copy import ROOT, copy_project, run_snakemake

from plumbline.config.loading import load_config
from plumbline.config.settings import RunConfig
from plumbline.config.yaml_files import read_yaml
from plumbline.models.account import Account
from plumbline.status.ask_jobs import SILENT_S, AskJob, ask_jobs, job_statuses
from plumbline.status.slurm import SlurmJob

CONFIG = """
run: told
corpus:
  sources:
    starter: {kind: starter, per_topology: 1}
tiers: [medium, hard]
models:
  far: {engine: endpoint, base_url: "http://host.example/v1"}
  writer: {engine: endpoint, base_url: "http://host.example/v1"}
rewrites: {model: writer}
generators:
  faults: {faults: [none]}
  planner: {model: far}
judges:
  judge: {model: far}
  other: {model: writer}
references:
  derived: {kind: derive, model: far}
conditions:
  with_gt: {prompt: judge_with_gt, reference: expected}
  derived_gt: {prompt: judge_with_gt, reference: derived}
blocks:
  main: {conditions: [with_gt]}
  made: {generators: [planner], conditions: [with_gt, derived_gt]}
validation: {models: [far, writer], per_topology: 1}
arguments:
  proposers:
    next: {model: writer}
  datasets:
    cfb: {kind: cfb, count: 3, proposers: [next]}
    moved: {kind: relocate, of: cfb, placement: visible, rewriter: writer}
  judges:
    valuer: {model: far}
    match: {match: deref}
  references:
    deref: {kind: derive_value, model: writer}
    swapped: {kind: swap, of: deref}
    own: {kind: derive_value}
  inputs:
    plain: {}
    deref: {reference: deref}
    swapped: {reference: swapped}
    own: {reference: own}
  blocks:
    values: {inputs: [plain, deref]}
    more: {inputs: [deref, swapped, own], leave_out: {match: [swapped, own]}}
"""

SYNTHESISED = """
run: told
corpus:
  sources:
    written: {kind: synthesised, model: writer, domains: [retail_banking, travel]}
tiers: [easy]
models:
  far: {engine: endpoint, base_url: "http://host.example/v1"}
  writer: {engine: endpoint, base_url: "http://host.example/v1"}
generators:
  faults: {faults: [none]}
judges:
  judge: {model: far}
conditions:
  with_gt: {prompt: judge_with_gt, reference: expected}
blocks:
  main: {conditions: [with_gt]}
"""

ASK_RULES = {
    rule
    for file in ROOT.glob("rules/*.smk")
    for rule in re.findall(r"^rule (ask_\w+):", file.read_text(), re.M)
}


def planned(folder: Path) -> tuple[list[tuple[str, str]], list[str]]:
    """Rule and stamp of each job that asks, and the logs of these jobs, as Snakemake has them."""
    summary = run_snakemake(folder, "--detailed-summary", "--configfile", "told.yaml").stdout
    rows = csv.DictReader(summary[summary.index("output_file\t") :].splitlines(), delimiter="\t")
    stamps = [(row["rule"], row["output_file"]) for row in rows if row["rule"].startswith("ask_")]
    commands = run_snakemake(folder, "-n", "--printshellcmds", "--configfile", "told.yaml").stdout
    return sorted(stamps), sorted(re.findall(r"ask_\w+\.py .* tee (\S+) ", commands))


@pytest.mark.parametrize("jobs", ["", "jobs: {lane: cell, shards: 2}\n"])
def test_they_are_those_that_snakemake_plans(tmp_path: Path, jobs: str) -> None:
    folder = copy_project(tmp_path)
    (folder / "told.yaml").write_text(CONFIG + jobs)
    config = load_config(read_yaml(folder / "told.yaml").data, [folder / "told.yaml"])
    found = ask_jobs(config, Path("results"))
    stamps, logs = planned(folder)
    assert sorted((job.rule, str(job.stamp)) for job in found) == stamps
    assert sorted(str(job.log) for job in found) == logs
    assert {rule for rule, _ in stamps} == ASK_RULES - {"ask_synthesis"}


def test_those_of_a_synthesis_are_those_that_snakemake_plans(tmp_path: Path) -> None:
    folder = copy_project(tmp_path)
    (folder / "told.yaml").write_text(SYNTHESISED)
    config = load_config(read_yaml(folder / "told.yaml").data, [folder / "told.yaml"])
    found = [job for job in ask_jobs(config, Path("results")) if job.rule == "ask_synthesis"]
    stamps, logs = planned(folder)
    assert sorted((job.rule, str(job.stamp)) for job in found) == [
        s for s in stamps if s[0] == "ask_synthesis"
    ]
    assert {str(job.log) for job in found} <= set(logs)
    assert len(found) == 12  # two domains, six stages


@pytest.fixture
def config(tmp_path: Path) -> RunConfig:
    file = tmp_path / "told.yaml"
    file.write_text(CONFIG)
    return load_config(read_yaml(file).data, [file])


@pytest.fixture
def job(config: RunConfig, tmp_path: Path) -> AskJob:
    return next(job for job in ask_jobs(config, tmp_path) if job.wildcards == ("judge", "main", "all"))


def attempt(job: AskJob, **settings: object) -> Account:
    values = {"host": "node7", "started": 1000.0, "seen": 2000.0, "total": 12, **settings}
    return Account(job.lane, job.model, **values)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("settings", "slurm", "now", "state", "reason"),
    [
        ({}, None, 2000.0, "running", None),
        ({}, None, 2000.0 + SILENT_S, "failed", "no sign of life on node7"),
        ({"slurm_job": "7"}, SlurmJob("7", "RUNNING"), 9e9, "running", None),
        (
            {"slurm_job": "7"},
            SlurmJob("7", "TIMEOUT"),
            2000.0,
            "failed",
            "TIMEOUT (out of time), Slurm job 7",
        ),
        ({"slurm_job": "7"}, SlurmJob("7", "OUT_OF_MEMORY"), 2000.0, "failed", "out of memory"),
        ({"outcome": "failed", "reason": "no key"}, None, 9e9, "failed", "no key"),
        (
            {"outcome": "failed", "reason": "no key", "slurm_job": "7"},
            SlurmJob("7", "FAILED"),
            9e9,
            "failed",
            "no key",
        ),
        (
            {"outcome": "ended", "reason": "a signal", "slurm_job": "7"},
            SlurmJob("7", "PREEMPTED"),
            9e9,
            "failed",
            "PREEMPTED (preempted by another job)",
        ),
        ({"outcome": "ended", "reason": "a signal"}, None, 9e9, "failed", "a signal"),
        ({"outcome": "done"}, None, 9e9, "waiting", None),
    ],
)
def test_a_job_is_in_the_state_that_its_account_and_slurm_tell(
    job: AskJob,
    settings: dict[str, object],
    slurm: SlurmJob | None,
    now: float,
    state: str,
    reason: str | None,
) -> None:
    known = {slurm.number: slurm} if slurm else {}
    (found,) = job_statuses([job], [attempt(job, **settings)], known, {}, now)
    assert found.state == state
    assert (found.reason is None) if reason is None else reason in str(found.reason)


def test_a_stamp_is_done_whatever_an_attempt_says(job: AskJob) -> None:
    job.stamp.parent.mkdir(parents=True)
    job.stamp.touch()
    (found,) = job_statuses([job], [attempt(job, outcome="failed")], {}, {}, time.time())
    assert found.state == "done"


def test_what_is_in_the_queue_is_queued_with_slurm_s_reason_also_after_a_failure(job: AskJob) -> None:
    assert job.comment == "rule_ask_verdicts_wildcards_judge_main_all"
    queue = {job.comment: SlurmJob("8", "PENDING", reason="Priority")}
    for accounts in ([], [attempt(job, outcome="failed", slurm_job="7")]):
        (found,) = job_statuses([job], accounts, {"7": SlurmJob("7", "FAILED")}, queue, 9e9)
        assert (found.state, found.reason, found.slurm_job) == ("queued", "Priority", "8")


def test_an_attempt_that_starts_anew_loses_no_coverage(job: AskJob) -> None:
    first = attempt(job, outcome="ended", cells={"a": (5, 6), "b": (2, 6)})
    second = attempt(job, cells={"a": (6, 6), "b": (0, 6)})
    (found,) = job_statuses([job], [first, second], {}, {}, 2000.0)
    assert found.cells == {"a": (6, 6), "b": (2, 6)}
    assert found.done == 8
