"""`plumbline status` knows the cells of argument judging, how far they are, and what they took."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from standin import StandIn, questions

from plumbline.cli import main
from plumbline.config.settings import RunConfig
from plumbline.models import ask
from plumbline.status.ask_jobs import ask_jobs

ITEMS = 5


@pytest.fixture
def server() -> Any:
    with StandIn() as server:
        yield server


@pytest.fixture
def results(tmp_path: Path, server: StandIn) -> Path:
    model = {"engine": "endpoint", "base_url": server.url, "model": "judge"}
    arguments = {
        "datasets": {"cfb": {"kind": "cfb", "count": 3}},
        "judges": {"valuer": {"model": "far"}, "match": {"match": "deref"}},
        "references": {"deref": {"kind": "derive_value", "model": "far"}},
        "inputs": {"plain": {}, "deref": {"reference": "deref"}},
        "blocks": {"values": {"inputs": ["plain", "deref"], "leave_out": {"match": ["plain"]}}},
    }
    config = {"run": "told", "models": {"far": model}, "arguments": arguments}
    folder = tmp_path / "results"
    (folder / "told").mkdir(parents=True)
    (folder / "told" / "config.json").write_text(json.dumps(config))
    return folder


def told(results: Path, *options: str) -> str:
    done = CliRunner().invoke(main, ["status", "--results", str(results), *options])
    assert done.exit_code == 0, done.output
    return done.output


def answer(results: Path, role: str, label: str) -> None:
    """Ask the questions of a job, as its script does."""
    config = RunConfig.model_validate_json((results / "told" / "config.json").read_text())
    (job,) = [job for job in ask_jobs(config, results) if job.role == role]
    ask(
        questions(ITEMS),
        "far",
        config.models["far"],
        journal=results / "journal" / "far",
        lane=job.lane,
        total=ITEMS,
        label=lambda request: label,
        totals={label: ITEMS},
    )


def test_cells_of_argument_judging_are_told_beside_the_files_of_each_stage(results: Path) -> None:
    answer(results, "judgments", "valuer: cfb, plain")
    file = results / "told/judgments/match/cfb/deref.jsonl"
    file.parent.mkdir(parents=True)
    file.write_text("")
    found = json.loads(told(results, "--json"))
    cells = {(cell["judge"], cell["dataset"], cell["input"]): cell for cell in found["cells"]}
    assert set(cells) == {("valuer", "cfb", "plain"), ("valuer", "cfb", "deref"), ("match", "cfb", "deref")}
    plain = cells["valuer", "cfb", "plain"]
    assert (plain["done"], plain["total"]) == (ITEMS, ITEMS)
    assert cells["match", "cfb", "deref"]["state"] == "read"
    assert found["files"]["judgments"] == {"there": 1, "all": 3}
    assert found["files"]["argument data sets"] == {"there": 0, "all": 1}
    assert "records" not in found["files"]
    line = next(line for line in told(results, "--cells").splitlines() if "match" in line and "read" in line)
    assert line.split() == ["match", "cfb", "deref", "read", "–", "–"]


def test_judgments_and_references_are_counted_apart(results: Path) -> None:
    answer(results, "judgments", "valuer: cfb, plain")
    answer(results, "value_references", "")
    found = {model["asked_for"]: model for model in json.loads(told(results, "--json"))["models"]}
    assert found["judgments"]["replies"] == ITEMS
    # the questions are the same, and the journal had the answers
    assert (found["value_references"]["settled"], found["value_references"]["replies"]) == (ITEMS, 0)
