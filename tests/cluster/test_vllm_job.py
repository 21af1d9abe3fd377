"""A real vLLM on the CPU inside Slurm jobs: two judges, each served by its own GPU job on the one node."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from one_record import SOURCES, write_record
from profile_run import ProfileRun
from project_copy import copy_project
from real_vllm import TEMPLATE, RealVllm
from slurm import GPU_TYPE, Cluster

PROMPT = "Rate the generated calls from 0 to 1. Answer with one JSON object.\n\n{{ blocks }}\n"
VERDICTS = "results/tiny/verdicts/{}/perturb/easy/with_gt.jsonl"
GREEDY_AND_OPEN = {"thinking": False, "extra": {"logprobs": True, "top_logprobs": 20}}


def config(real: RealVllm, folder: Path) -> dict[str, Any]:
    """Two judges of the same weights: one constrained, one that is told not to think and shows its odds."""
    settings = real.settings
    section = settings["vllm"] | {
        "flags": [*settings["vllm"]["flags"], "--chat-template", str(folder / "template.jinja")],
        "gpu_type": GPU_TYPE,
    }
    job = {"memory_gb": 4, "cpus": 1, "minutes": 20}
    model = {**settings, "vllm": section, "job": job}
    return {
        "run": "tiny",
        "corpus": {"sources": SOURCES},
        "tiers": ["easy"],
        "models": {
            "bound": {**model, "decoding": {"max_tokens": 900}},
            "open": {**model, "decoding": {"max_tokens": 8, **GREEDY_AND_OPEN}},
        },
        "generators": {"perturb": {"faults": ["none"]}},
        "judges": {"bound": {"model": "bound", "output": "structured"}, "open": {"model": "open"}},
        "conditions": {"with_gt": {"prompt": "judge_with_gt", "reference": "expected"}},
        "blocks": {"main": {"conditions": ["with_gt"], "tables": ["coverage"]}},
    }


@pytest.fixture(scope="module")
def run(
    cluster: Cluster, real_vllm: RealVllm, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[ProfileRun]:
    folder = copy_project(tmp_path_factory.mktemp("vllm"))
    (folder / "prompts/judge_with_gt.user.md").write_text(PROMPT)
    (folder / "template.jinja").write_text(TEMPLATE)
    write_record(folder)
    (folder / "run.yaml").write_text(json.dumps(config(real_vllm, folder)))
    made = ProfileRun(cluster, folder)
    with made.started(*(VERDICTS.format(judge) for judge in ("bound", "open"))) as process:
        assert process.wait(600) == 0, made.said[-6000:]
    yield made
    assert list(cluster.job_processes()) == []


def reply(run: ProfileRun, model: str) -> dict[str, Any]:
    """The one reply in a model's journal."""
    (file,) = (run.folder / "results/journal" / model).glob("*.jsonl")
    (line,) = file.read_text().splitlines()
    found: dict[str, Any] = json.loads(line)["reply"]
    return found


def test_each_judge_has_a_gpu_job_and_both_ran_side_by_side(run: ProfileRun) -> None:
    jobs = [job for job in run.jobs() if "ask_verdicts" in job["Comment"]]
    assert len(jobs) == 2
    for job in jobs:
        assert job["State"] == "COMPLETED"
        assert "gres/gpu=1" in job["ReqTRES"].split(",")
    # two servers on one node at once
    assert max(job["Start"] for job in jobs) < min(job["End"] for job in jobs)


def test_a_constrained_verdict_is_read_after_the_canary_showed_that_the_constraint_binds(
    run: ProfileRun,
) -> None:
    (line,) = (run.folder / VERDICTS.format("bound")).read_text().splitlines()
    verdict = json.loads(line)
    assert verdict["status"] == "ok"
    assert verdict["tool_selection"] in (0, 0.5, 1)
    log = (run.folder / "results/tiny/logs/servers/bound.main.all.txt").read_text()
    # the canary and the question
    assert log.count("POST /v1/chat/completions") == 2


def test_first_token_probabilities_come_back_from_an_unconstrained_answer(run: ProfileRun) -> None:
    first, *_ = reply(run, "open")["logprobs"]
    odds = [math.exp(value) for _, value in first["top"]]
    assert len(odds) == 20
    assert odds == sorted(odds, reverse=True)
    assert 0.1 < sum(odds) <= 1 + 1e-6
    assert math.exp(first["logprob"]) == pytest.approx(odds[0])


def test_the_thinking_flag_reaches_the_chat_template(run: ProfileRun) -> None:
    # the same prompt; the template adds a sentence to the one whose thinking is switched off
    assert reply(run, "open")["usage"]["prompt_tokens"] > reply(run, "bound")["usage"]["prompt_tokens"] + 5
