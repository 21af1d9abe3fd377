"""`plumbline status` says what the files of a run say, and changes none of them."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from standin import StandIn, questions

from plumbline.cli import main
from plumbline.config.settings import RunConfig
from plumbline.models import ask
from plumbline.models.account import Account, read_accounts
from plumbline.records import UserError
from plumbline.status.ask_jobs import ask_jobs
from plumbline.status.failures import failures, last_lines

CELL = "judge on faults, easy, with_gt"


def settings(url: str) -> dict[str, Any]:
    prices = {"input": 1000.0, "cached_input": 500.0, "output": 2000.0}
    model = {"engine": "endpoint", "base_url": url, "model": "judge", "prices": prices, "concurrency": 2}
    return {
        "run": "told",
        "corpus": {"sources": {"starter": {"kind": "starter", "per_topology": 1}}},
        "tiers": ["easy"],
        "models": {"far": model},
        "generators": {"faults": {"faults": ["none"]}},
        "judges": {"judge": {"model": "far"}},
        "conditions": {"with_gt": {"prompt": "judge_with_gt", "reference": "expected"}},
        "blocks": {"main": {"conditions": ["with_gt"]}},
    }


@pytest.fixture
def server() -> Any:
    with StandIn() as server:
        yield server


@pytest.fixture
def results(tmp_path: Path, server: StandIn) -> Path:
    folder = tmp_path / "results"
    (folder / "told").mkdir(parents=True)
    (folder / "told" / "config.json").write_text(json.dumps(settings(server.url)))
    return folder


def asking(results: Path, count: int = 4, **more: Any) -> None:
    config = RunConfig.model_validate_json((results / "told" / "config.json").read_text())
    (job,) = ask_jobs(config, results)
    more = {"label": lambda request: CELL, "totals": {CELL: count}, **more}
    ask(
        questions(count),
        "far",
        config.models["far"],
        journal=results / "journal" / "far",
        lane=job.lane,
        total=count,
        **more,
    )


def told(results: Path, *options: str) -> str:
    done = CliRunner().invoke(main, ["status", "--results", str(results), *options])
    assert done.exit_code == 0, done.output
    return done.output


def told_data(results: Path, *options: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(told(results, "--json", *options))
    return found


def snapshot(folder: Path) -> dict[str, tuple[int, int]]:
    files = list(folder.rglob("*"))
    return {str(path): (path.stat().st_mtime_ns, path.stat().st_size) for path in files}


def test_a_run_that_has_not_asked_yet_waits(results: Path) -> None:
    before = snapshot(results)
    found = told_data(results)
    assert snapshot(results) == before
    assert [job["state"] for job in found["jobs"]] == ["waiting"]
    assert [(cell["state"], cell["done"]) for cell in found["cells"]] == [("waiting", None)]
    (model,) = found["models"]
    assert (model["settled"], model["total"], model["replies"]) == (0, 0, 0)
    # six topologies with one record each, one tier, one generator
    assert model["estimate"]["requests"] == 6
    assert model["estimate"]["dollars"] > 0


def test_tokens_and_money_are_those_of_the_replies(results: Path) -> None:
    asking(results)
    (model,) = told_data(results)["models"]
    # the stand-in counts 10 prompt and 5 answer tokens a reply; prices are dollars a million
    assert (model["replies"], model["prompt_tokens"], model["answer_tokens"]) == (4, 40, 20)
    assert model["dollars"] == pytest.approx((40 * 1000 + 20 * 2000) / 1e6)
    assert (model["settled"], model["total"]) == (4, 4)
    asking(results)
    (model,) = told_data(results)["models"]
    assert model["replies"] == 4  # the journal had them all


def test_a_failed_job_is_told_with_its_reason_and_its_log(results: Path, server: StandIn) -> None:
    server.replies = [{"http": 401, "body": {"error": {"message": "wrong key \x1b[31m"}}}]
    with pytest.raises(UserError):
        asking(results)
    text = told(results)
    assert "wrong key" in text
    assert "\x1b" not in text
    assert str(results / "told" / "logs" / "ask_verdicts" / "judge.main.all.txt") in text
    (job,) = told_data(results)["jobs"]
    assert (job["state"], job["attempts"]) == ("failed", 1)


def test_requests_without_an_answer_are_counted_by_status(results: Path, server: StandIn) -> None:
    too_long = {"http": 400, "body": {"error": {"message": "", "type": "exceed_context_size_error"}}}
    server.replies = [too_long, {"good": True}]
    asking(results)
    (model,) = told_data(results)["models"]
    assert model["failed"] == {"overflow": 1}
    assert (model["settled"], model["replies"]) == (4, 3)
    assert "1 overflow" in told(results)


JOB = """
import sys
from pathlib import Path
sys.path[:0] = sys.argv[2:4]
from test_status import asking
asking(Path(sys.argv[1]), 500)
"""


@pytest.fixture
def start(results: Path) -> Any:
    jobs: list[subprocess.Popen[str]] = []

    def started() -> subprocess.Popen[str]:
        here = Path(__file__).parent
        command = [sys.executable, "-c", JOB, str(results), str(here), str(here.parent)]
        jobs.append(subprocess.Popen(command, stderr=subprocess.PIPE, text=True))
        return jobs[-1]

    yield started
    for job in jobs:
        job.kill()
        job.wait()


def test_a_running_job_is_told_while_it_runs_and_a_killed_one_afterwards(
    results: Path,
    server: StandIn,
    start: Callable[[], subprocess.Popen[str]],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    server.latency_s = 0.05
    job = start()
    while len(server.bodies) < 3:
        time.sleep(0.01)
    (found,) = told_data(results, "--no-estimate")["jobs"]
    assert (found["state"], found["total"]) == ("running", 500)
    assert "running, " in told(results, "--no-estimate")
    job.send_signal(signal.SIGTERM)
    job.communicate()
    (found,) = told_data(results)["jobs"]
    assert found["state"] == "failed"
    assert "signal" in found["reason"]
    assert 1 <= found["done"] < 500
    (cell,) = told_data(results)["cells"]
    assert (cell["state"], cell["done"], cell["total"]) == ("failed", found["done"], 500)
    job = start()
    while len(read_accounts(results / "journal", "told")) < 2:
        time.sleep(0.01)
    job.kill()
    job.communicate()
    monkeypatch.setattr("plumbline.status.ask_jobs.SILENT_S", 0.0)
    (found,) = told_data(results)["jobs"]
    assert (found["state"], found["attempts"]) == ("failed", 2)
    assert "no sign of life" in found["reason"]


def test_gpu_hours_are_those_of_all_attempts(results: Path) -> None:
    (job,) = ask_jobs(RunConfig.model_validate_json((results / "told" / "config.json").read_text()), results)
    folder = results / "journal" / "far" / "jobs"
    folder.mkdir(parents=True)
    for number, (ended, seen) in enumerate([(1800.0, 1800.0), (None, 3600.0)]):
        account = Account(job.lane, "far", gpus=4, started=0.0, seen=seen, ended=ended, outcome="ended")
        (folder / f"told.x.{number}.1.json").write_text(json.dumps(vars(account)))
    (model,) = told_data(results)["models"]
    assert model["gpu_hours"] == pytest.approx(4 * (0.5 + 1.0))


def test_another_run_s_jobs_are_left_out(results: Path) -> None:
    asking(results)
    shutil.copytree(results / "told", results / "tol")
    config = json.loads((results / "tol" / "config.json").read_text()) | {"run": "tol"}
    (results / "tol" / "config.json").write_text(json.dumps(config))
    (model,) = told_data(results, "tol")["models"]
    assert model["replies"] == 0
    assert told_data(results, "--config", str(results / "told" / "config.json"))["run"] == "told"


def test_a_read_cell_and_its_line(results: Path) -> None:
    asking(results)
    file = results / "told" / "verdicts" / "judge" / "faults" / "easy" / "with_gt.jsonl"
    file.parent.mkdir(parents=True)
    file.write_text("")
    line = next(line for line in told(results, "--cells").splitlines() if "with_gt" in line)
    assert line.split() == ["judge", "faults", "easy", "with_gt", "read", "4", "4"]
    assert "verdicts 1/1" in told(results)


SNAKEFILE = """
rule all:
    input: "results/told/good.txt", "results/told/bad.txt", "results/other/bad.txt"
rule good:
    output: "results/told/good.txt"
    shell: "touch {output}"
rule bad:
    output: "results/{run}/bad.txt"
    log: "results/{run}/logs/bad.txt"
    shell: "echo it went wrong > {log}; exit 3"
"""


def test_what_failed_besides_is_read_from_snakemake_s_own_log(tmp_path: Path) -> None:
    (tmp_path / "Snakefile").write_text(SNAKEFILE)
    command = [sys.executable, "-m", "snakemake", "--cores", "1", "--keep-going"]
    done = subprocess.run(command, cwd=tmp_path, env=os.environ, capture_output=True, text=True)
    assert done.returncode != 0
    (found,) = failures(tmp_path / ".snakemake", tmp_path / "results" / "told")
    assert (found.rule, found.outputs) == ("bad", ("results/told/bad.txt",))
    assert found.logs == ("results/told/logs/bad.txt",)
    assert last_lines(tmp_path / found.logs[0]) == ["it went wrong"]
    (tmp_path / "results" / "told" / "bad.txt").touch()
    assert failures(tmp_path / ".snakemake", tmp_path / "results" / "told") == []
