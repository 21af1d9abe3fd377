"""What comes out of a run that met every trouble there is (troubled_run.py), beside one that met none."""

from __future__ import annotations

import json
from collections import Counter

from fixed_answers import number_of
from slurm import ACCOUNT, GPU_PARTITION, PARTITION
from small_experiment import KEY, REQUESTS, RUN, TARGET, results
from troubled_run import Troubles

IN_FLIGHT = 2  # requests that each job has sent and not yet got an answer for


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
    assert len(set(troubles.devices.values())) == 2


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
