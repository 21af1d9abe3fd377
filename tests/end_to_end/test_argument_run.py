"""A run that judges argument values, with the real embedded model, on values of every odd kind."""

from __future__ import annotations

import json
import os
import shutil
from collections import Counter
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from argument_fixture import STATES, calls, run_settings, write_run
from project_copy import copy_project, planned_jobs, run_snakemake

TARGET = ("arguments", "--configfile", "tried.yaml")


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory, embedded_weights: Path) -> Path:
    folder = copy_project(tmp_path_factory.mktemp("arguments"))
    weights = folder / "results" / "sources" / embedded_weights.name
    weights.parent.mkdir(parents=True)
    shutil.copy(embedded_weights, weights)
    write_run(folder, run_settings())
    run_snakemake(folder, *TARGET)
    return folder


def lines(file: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]


def judged(folder: Path, judge: str, name: str) -> list[dict[str, Any]]:
    return lines(folder / f"results/tried/judgments/{judge}/odd/{name}.jsonl")


def journal_lines(folder: Path, model: str) -> int:
    files = (folder / "results" / "journal" / model).glob("*.jsonl")
    return sum(len(file.read_text(encoding="utf-8").splitlines()) for file in files)


def test_every_value_of_every_call_is_an_item_whatever_its_kind(finished: Path) -> None:
    items = lines(finished / "results/tried/arguments/odd/items.jsonl")
    wanted = Counter(key for call in calls() for key in call["arguments"])
    assert Counter(item["parameter"] for item in items) == wanted
    path = {(item["call_id"], item["parameter"]): item["path"] for item in items}
    assert path["s1.gold", "city"] == "visible"
    assert path["s1.gold", "booking"] == "history_only"  # behind the cut
    assert path["s1.wrong", "city"] == "no_source"
    # an absent key is null: the value of the note
    notes = [item.get("value") for item in items if item["parameter"] == "note"]
    assert notes == [None, "null"]


def test_a_real_judge_gives_every_value_and_call_a_probability(finished: Path) -> None:
    for name in ("plain", "deref"):
        rows = judged(finished, "small", name)
        assert len(rows) == sum(len(call["arguments"]) for call in calls())
        told = {row["item_id"]: row for row in rows}
        assert all(0 < row["score"] < 1 and row["status"] == "ok" for row in told.values() if "score" in row)
        # a reference that states nothing is a status of its item, not a score
        missing = {row["status"] for row in told.values() if "score" not in row}
        assert missing <= ({"not_asked"} if name == "deref" else set())
        assert all(row["lower"] == row["score"] == row["upper"] for row in told.values() if "score" in row)
    assert {row["item_id"] for row in judged(finished, "small", "whole")} == {c["call_id"] for c in calls()}
    used = [row["usage"] for row in judged(finished, "small", "plain")]
    assert all(usage["completion_tokens"] == 1 for usage in used)
    assert sum(usage["cached_tokens"] for usage in used) > 0


def test_the_free_baseline_compares_with_what_the_reference_states(finished: Path) -> None:
    rows = {row["item_id"]: row for row in judged(finished, "match", "deref")}
    assert rows["s1.gold|city"]["score"] == 1.0
    assert rows["s1.wrong|city"]["score"] == 0.0
    assert not (finished / "results/tried/judgments/match/odd/whole.jsonl").exists()


def test_tables_pages_and_the_front_page_of_the_part_are_made(finished: Path) -> None:
    coverage = pd.read_csv(finished / "results/tried/tables/tried.argument_coverage.csv")
    assert {"small", "drawn", "match"} <= set(coverage["judge"])
    assert (finished / "results/tried/tables/arguments.html").exists()
    page = (finished / "results/tried/arguments/odd/items.html").read_text(encoding="utf-8")
    assert "<|im_end|>" not in page.partition("<script")[0]


def test_a_finished_run_has_nothing_to_do_and_a_lost_file_is_read_again_without_asking(
    finished: Path,
) -> None:
    assert "Nothing to be done" in run_snakemake(finished, *TARGET, "-n").stdout
    asked = journal_lines(finished, "smollm2_llamacpp")
    file = finished / "results/tried/judgments/small/odd/plain.jsonl"
    before = file.read_bytes()
    file.unlink()
    plan = planned_jobs(run_snakemake(finished, *TARGET, "-n").stdout)
    assert plan["read_judgments"] == 1
    assert "ask_judgments" not in plan
    run_snakemake(finished, *TARGET)
    assert file.read_bytes() == before
    assert journal_lines(finished, "smollm2_llamacpp") == asked


def test_a_new_input_asks_for_itself_alone_and_leaves_other_judgments_as_they_are(finished: Path) -> None:
    asked = journal_lines(finished, "smollm2_llamacpp")
    before = {name: judged(finished, "small", name) for name in ("plain", "deref", "whole")}
    settings = run_settings()
    settings["arguments"]["inputs"]["facts"] = {"add": "schema_facts"}
    settings["arguments"]["blocks"]["more"] = {"inputs": ["facts"], "judges": ["small"]}
    write_run(finished, settings)
    plan = planned_jobs(run_snakemake(finished, *TARGET, "-n").stdout)
    assert (plan["ask_judgments"], plan["read_judgments"]) == (1, 1)
    run_snakemake(finished, *TARGET)
    rows = judged(finished, "small", "facts")
    assert all(row["status"] == "ok" for row in rows)
    assert {name: judged(finished, "small", name) for name in before} == before
    # what the facts add nothing to is word for word Plain, and was asked before
    assert 0 < journal_lines(finished, "smollm2_llamacpp") - asked <= len(rows)


def test_a_judge_whose_server_tells_no_probability_is_refused_before_the_first_job(
    finished: Path, tmp_path: Path
) -> None:
    settings = run_settings(judges={"small": {"model": "smollm2"}})
    settings["arguments"]["blocks"]["tried"]["leave_out"] = {}
    config = tmp_path / "refused.yaml"
    config.write_text(json.dumps({**settings, "run": "refused"}))
    told = run_snakemake(finished, "arguments", "--configfile", str(config), check=False)
    assert told.returncode != 0
    assert (
        "arguments.judges.small.model: the openvino backend of `smollm2` tells no probability" in told.stdout
    )
    assert not (finished / "results/refused/arguments").exists()


def test_a_call_that_is_given_twice_is_named_with_its_line_and_nothing_is_lost(tmp_path: Path) -> None:
    folder = copy_project(tmp_path)
    settings = run_settings(judges={"drawn": {"model": "drawn"}}, blocks={"tried": {"inputs": ["plain"]}})
    write_run(folder, settings)
    with (folder / "odd/calls.jsonl").open("a", encoding="utf-8") as stream:
        stream.write(json.dumps(calls()[0]) + "\n")
    failed = run_snakemake(folder, *TARGET, check=False)
    assert failed.returncode != 0
    told = (folder / "results/tried/logs/build_calls/odd.txt").read_text()
    assert f"odd/calls.jsonl, line {len(calls()) + 1}" in told
    assert "the id is given twice" in told
    assert len(lines(folder / "results/tried/arguments/odd/states.jsonl")) == len(STATES)
    write_run(folder, settings)
    os.utime(folder / "odd/calls.jsonl")
    run_snakemake(folder, *TARGET)
    assert len(judged(folder, "drawn", "plain")) == sum(len(call["arguments"]) for call in calls())
