"""Snakemake itself is stopped in every way that there is, and started again."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pytest
from profile_run import ProfileRun, wait
from project_copy import copy_project
from slurm import Cluster
from small_experiment import KEY, KEY_VARIABLE, REQUESTS, RUN, TARGET, answering, results, write_config

IN_FLIGHT = 2
ASK = f"ask_verdicts_wildcards_alpha_{TARGET}_all"
VERDICTS = [
    f"results/{RUN}/verdicts/alpha/perturb/{tier}/{condition}.jsonl"
    for tier in ("easy", "hard")
    for condition in ("with_gt", "with_gt_warm")
]


@dataclass(frozen=True)
class Stops:
    """A run that was stopped three times.

    `queued` says which of its jobs were in the queue after each stop, `servers` which server each start had.
    """

    run: ProfileRun
    queued: dict[str, list[str]]
    servers: dict[str, dict[str, Any]]
    exit_codes: dict[str, int]


@pytest.fixture(scope="module")
def stops(cluster: Cluster, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stops]:
    run = ProfileRun(cluster, copy_project(tmp_path_factory.mktemp("stopped")))
    queued, servers, codes = {}, {}, {}
    variables = {KEY_VARIABLE: KEY}
    with answering() as gamma:
        write_config(run.folder, gamma.url)
        for number, stop in enumerate((signal.SIGINT, signal.SIGKILL, signal.SIGTERM), 1):
            run.hold("alpha", 4)
            with run.started(*VERDICTS, **variables) as snakemake:
                servers[stop.name] = run.held_server("alpha", number, 4)
                os.kill(snakemake.pid, stop)
                if stop == signal.SIGTERM:  # it lets what runs come to its end
                    wait(lambda: "Will exit after finishing" in run.said, "Snakemake to hear the signal")
                    run.release("alpha")
                codes[stop.name] = snakemake.wait(120)
            queued[stop.name] = _queued(run)
            if stop == signal.SIGKILL:
                _unlock(run, variables)
        run.finish(*VERDICTS, **variables)
    yield Stops(run, queued, servers, codes)


def _queued(run: ProfileRun) -> list[str]:
    """The servers' jobs that Slurm has not ended."""
    names = f"--name={','.join(run.start_names)}"
    return run.cluster.run("squeue", "--noheader", "--states=PENDING,RUNNING", names, "--format=%i").split()


def _unlock(run: ProfileRun, variables: dict[str, str]) -> None:
    """What Snakemake tells its user to do after it was killed."""
    run.finish("--unlock", **variables)


def test_an_interrupted_start_takes_its_jobs_with_it(stops: Stops) -> None:
    assert stops.exit_codes["SIGINT"] != 0
    assert stops.queued["SIGINT"] == []


def test_jobs_that_a_killed_start_left_behind_are_cancelled_by_the_next(stops: Stops) -> None:
    left = stops.servers["SIGKILL"]["job"]
    assert stops.queued["SIGKILL"] == [left]
    assert f"Cancelled jobs that an earlier start left behind: {left}" in stops.run.said


def test_a_start_that_is_asked_to_end_lets_its_jobs_finish(stops: Stops) -> None:
    assert stops.queued["SIGTERM"] == []
    states = [job["State"].split()[0] for job in stops.run.tries(ASK)]
    assert states == ["CANCELLED", "CANCELLED", "COMPLETED"]


def test_the_next_start_goes_on_where_the_last_one_stopped(
    stops: Stops, undisturbed: dict[str, bytes]
) -> None:
    found = results(stops.run.folder)
    assert len(found) == len(VERDICTS)
    assert [name for name in found if found[name] != undisturbed[name]] == []
    answered = stops.run.prompts("alpha", "answered")
    assert len(answered) == REQUESTS
    assert max(answered.values()) == 1
    assert stops.run.prompts("alpha", "asked").total() <= REQUESTS + 2 * IN_FLIGHT


def test_no_server_outlives_its_job(stops: Stops) -> None:
    assert len(stops.run.servers("alpha")) == len(stops.servers) == 3
    assert stops.run.outlived() == []
