"""One experiment on a real Slurm, and all that may go wrong: cancelled, too little time, servers killed.

The first judge's job is cancelled. The second one's goes back into the queue, as a preempted one does, and
then its server is killed. The third one's runs out of time. slurmctld is killed and started again while they
run. Nothing of it may show in the results.
"""

from __future__ import annotations

import json
import os
import signal
import threading
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pytest
from fixed_answers import completion, number_of, verdict
from profile_run import ProfileRun, wait
from project_copy import copy_project
from slurm import ACCOUNT, GPU_PARTITION, PARTITION, Cluster
from small_experiment import KEY, KEY_VARIABLE, REQUESTS, RUN, TARGET, results, write_config
from standin import StandIn

IN_FLIGHT = 2  # requests that each job has sent and not yet got an answer for
ANSWERED = 5  # of each judge before its trouble begins


@dataclass(frozen=True)
class Troubles:
    """A run that came to its end through all troubles, and what was seen on the way."""

    run: ProfileRun
    gamma: StandIn
    devices: dict[str, str]
    shown: str

    def tries(self, judge: str) -> list[dict[str, str]]:
        return self.run.tries(f"ask_verdicts_wildcards_{judge}_{TARGET}_all")


class SlowServer:
    """Answers a first few requests, and the others when it is told to."""

    def __init__(self) -> None:
        self.goes_on = threading.Event()
        self.answered: Counter[str] = Counter()
        self._lock = threading.Lock()

    def __call__(self, body: dict[str, Any]) -> dict[str, Any]:
        with self._lock:
            is_held = self.answered.total() >= ANSWERED
            if not is_held:
                self.answered[number_of(body)] += 1
        if is_held:
            self.goes_on.wait()
            with self._lock:
                self.answered[number_of(body)] += 1
        return {"choice": completion(verdict(body))["choices"][0]}


@pytest.fixture(scope="module")
def troubles(cluster: Cluster, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Troubles]:
    run = ProfileRun(cluster, copy_project(tmp_path_factory.mktemp("troubled")))
    slow = SlowServer()
    with StandIn(replies=[slow]) as gamma:
        write_config(run.folder, gamma.url)
        for model in ("alpha", "beta"):
            run.hold(model, ANSWERED)
        with run.started(TARGET, **{KEY_VARIABLE: KEY}) as snakemake:
            alpha = run.held_server("alpha", 1, ANSWERED)
            beta = run.held_server("beta", 1, ANSWERED)
            shown = cluster.run("scontrol", "--details", "show", "job")
            cluster.restart_controller()
            cluster.run("scancel", alpha["job"])
            run.release("alpha")
            cluster.run("scontrol", "requeue", beta["job"])
            os.kill(run.held_server("beta", 2, ANSWERED)["pids"][0], signal.SIGKILL)
            run.release("beta")
            out_of_time = f"ask_verdicts_wildcards_gamma_{TARGET}_all"
            ended = "the job to run out of time"
            wait(lambda: "TIMEOUT" in [job["State"] for job in run.tries(out_of_time)], ended)
            slow.goes_on.set()
            assert snakemake.wait(240) == 0, run.said[-6000:]
        yield Troubles(run, gamma, {"alpha": alpha["device"], "beta": beta["device"]}, shown)


def test_each_trouble_came_and_each_job_was_tried_again_with_more_time_and_memory(
    troubles: Troubles,
) -> None:
    ends = {judge: [job["State"].split()[0] for job in troubles.tries(judge)] for judge in troubles.devices}
    assert ends == {"alpha": ["CANCELLED", "COMPLETED"], "beta": ["FAILED", "COMPLETED"]}
    first, second = troubles.tries("gamma")
    assert [first["State"], second["State"]] == ["TIMEOUT", "COMPLETED"]
    assert [first["TimelimitRaw"], second["TimelimitRaw"]] == ["1", "2"]
    assert [first["ReqMem"], second["ReqMem"]] == ["1000M", "2000M"]


def test_the_results_are_those_of_an_undisturbed_run(
    troubles: Troubles, undisturbed: dict[str, bytes]
) -> None:
    found = results(troubles.run.folder)
    assert found.keys() == undisturbed.keys()
    assert [name for name in found if found[name] != undisturbed[name]] == []
    assert sum(name.startswith("verdicts/") for name in found) == 3 * 2 * 2
    assert f"tables/{TARGET}/alignment.csv" in found


def test_no_request_that_was_answered_is_asked_again(troubles: Troubles) -> None:
    for model in troubles.devices:
        asked = troubles.run.prompts(model, "asked")
        answered = troubles.run.prompts(model, "answered")
        assert len(answered) == REQUESTS
        assert max(answered.values()) == 1
        ends = len(troubles.run.servers(model)) - 1
        assert asked.total() <= REQUESTS + ends * IN_FLIGHT
    sent = Counter(number_of(body) for body in troubles.gamma.bodies)
    assert len(sent) == REQUESTS
    assert sent.total() <= REQUESTS + IN_FLIGHT
    for model in ("alpha", "beta", "gamma"):
        files = (troubles.run.folder / "results/journal" / model).glob("*.jsonl")
        keys = Counter(json.loads(line)["key"] for file in files for line in file.read_text().splitlines())
        assert len(keys) == REQUESTS
        assert max(keys.values()) == 1


def test_no_server_is_left_behind(troubles: Troubles) -> None:
    assert [len(troubles.run.servers(model)) for model in troubles.devices] == [2, 3]
    assert troubles.run.outlived() == []


def test_a_preempted_job_goes_back_into_the_queue_and_on_from_its_answers(troubles: Troubles) -> None:
    first, second, third = (server[0]["job"] for server in troubles.run.servers("beta"))
    assert first == second != third
    assert troubles.tries("beta")[0]["JobIDRaw"] == first


def test_two_gpu_jobs_ran_side_by_side_on_different_devices(troubles: Troubles) -> None:
    assert sorted(troubles.devices.values()) == ["0", "1"]


def test_only_jobs_of_models_that_need_gpus_get_one(troubles: Troubles) -> None:
    jobs = troubles.run.jobs()
    assert {job["Account"] for job in jobs} == {ACCOUNT}
    for job in jobs:
        needs_gpu = job["Comment"].startswith(
            ("rule_ask_verdicts_wildcards_alpha", "rule_ask_verdicts_wildcards_beta")
        )
        assert job["Partition"] == (GPU_PARTITION if needs_gpu else PARTITION)
        assert ("gres/gpu:fake=1" in job["ReqTRES"].split(",")) == needs_gpu
        assert ("gres/gpu" in job["ReqTRES"]) == needs_gpu


def test_reading_an_answer_costs_no_job_in_the_queue(troubles: Troubles) -> None:
    rules = {job["Comment"].split("_wildcards_")[0] for job in troubles.run.jobs()}
    assert {"rule_ask_verdicts", "rule_score_plans", "rule_collect_verdicts"} <= rules
    assert not any(rule.startswith("rule_read") for rule in rules)


def test_a_single_ablation_asks_for_its_own_cells_alone(troubles: Troubles) -> None:
    folder = troubles.run.folder / "results" / RUN
    assert {file.stem for file in (folder / "verdicts").rglob("*.jsonl")} == {"with_gt", "with_gt_warm"}
    assert {file.name for file in (folder / "tables").iterdir()} == {TARGET}


def test_a_key_is_in_no_file_and_in_nothing_that_slurm_shows(troubles: Troubles) -> None:
    assert {headers["Authorization"] for headers in troubles.gamma.headers} == {f"Bearer {KEY}"}
    folder, cluster = troubles.run.folder, troubles.run.cluster
    # Slurm keeps the environment of jobs in its own state, which only root can read
    logs = [*cluster.folder.glob("*.log"), *cluster.folder.glob("*.out")]
    files = [file for file in folder.rglob("*") if file.is_file()] + logs
    assert any("slurm_logs" in str(file) for file in files)
    assert [file for file in files if KEY.encode() in file.read_bytes()] == []
    assert "rule_ask_verdicts" in troubles.shown
    accounts = cluster.run("sacct", "--parsable2", "--starttime=now-1days", "--format=ALL")
    assert KEY not in troubles.shown + accounts
