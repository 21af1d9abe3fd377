"""A tiny run on the embedded model, end to end, with the real snakemake and the real model."""

from __future__ import annotations

import json
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pandas as pd
import pytest
from browser import Browser
from project_copy import copy_project, planned_jobs, run_snakemake
from selenium.webdriver.common.by import By
from selenium.webdriver.support.ui import WebDriverWait

CONFIG = """
run: tiny
corpus:
  sources:
    starter: {kind: starter, count: 2}
tiers: [hard]
models:
  small:
    engine: embedded
    concurrency: 4
    decoding: {max_tokens: 300}
generators:
  small: {model: small}
  perturb: {faults: [none, drop_call]}
judges:
  small: {model: small}
conditions:
  with_gt: {prompt: judge_with_gt, reference: expected, output: structured}
  without_gt: {prompt: judge_without_gt, reference: none, output: structured}
blocks:
  main:
    conditions: [with_gt, without_gt]
    tables: [alignment, coverage, gt_lift, plan_status, per_topology, topology_heat_map]
"""


@pytest.fixture(scope="module")
def tiny(tmp_path_factory: pytest.TempPathFactory, embedded_weights: Path) -> Path:
    folder = copy_project(tmp_path_factory.mktemp("tiny"))
    (folder / "results/sources").mkdir(parents=True)
    (folder / "results/sources" / embedded_weights.name).symlink_to(embedded_weights)
    (folder / "tiny.yaml").write_text(CONFIG)
    run_snakemake(folder, "--configfile", "tiny.yaml")
    return folder


def test_a_finished_run_has_nothing_left_to_do(tiny: Path) -> None:
    done = run_snakemake(tiny, "--configfile", "tiny.yaml", "-n")
    assert "Nothing to be done" in done.stdout


def test_every_plan_has_a_verdict_or_a_reason(tiny: Path) -> None:
    files = sorted((tiny / "results/tiny/verdicts").rglob("*.jsonl"))
    assert len(files) == 4
    for file in files:
        verdicts = [json.loads(line) for line in file.read_text().splitlines()]
        assert len(verdicts) == 2
        for verdict in verdicts:
            scores = [verdict.get(m) for m in ("tool_selection", "sequence")]
            assert (verdict["status"] == "ok") == (None not in scores)


def test_alignment_is_the_mean_match_of_the_files(tiny: Path) -> None:
    metrics = ["tool_selection", "parameter_structure", "sequence", "query_coverage"]
    scores = pd.read_parquet(tiny / "results/tiny/scores/perturb/hard.parquet").set_index("record_id")
    file = tiny / "results/tiny/verdicts/small/perturb/hard/with_gt.jsonl"
    verdicts = [v for v in map(json.loads, file.read_text().splitlines()) if v["status"] == "ok"]
    matches = [1 - abs(v[m] - scores.loc[v["record_id"], m]) for v in verdicts for m in metrics]
    table = pd.read_csv(tiny / "results/tiny/tables/main.alignment.csv")
    printed = table.loc[table["generator"] == "perturb", "hard.with_gt"].item()
    assert printed == pytest.approx(100 * sum(matches) / len(matches), abs=1e-9)


def test_a_deleted_cell_is_read_again_and_nothing_is_asked(tiny: Path) -> None:
    file = tiny / "results/tiny/verdicts/small/small/hard/with_gt.jsonl"
    kept = file.read_bytes()
    file.unlink()
    jobs = planned_jobs(run_snakemake(tiny, "--configfile", "tiny.yaml", "-n").stdout)
    assert not [name for name in jobs if name.startswith("ask")]
    assert jobs.pop("read_verdicts") == 1
    assert set(jobs) == {
        "all",
        "collect_verdicts",
        "table_alignment",
        "table_coverage",
        "table_gt_lift",
        "table_plan_status",
        "table_per_topology",
        "figure_topology_heat_map",
        "claims",
        "front_page",
    }
    run_snakemake(tiny, "--configfile", "tiny.yaml")
    assert file.read_bytes() == kept


def test_a_run_without_its_results_asks_nothing_that_the_journal_answers(tiny: Path) -> None:
    journal = tiny / "results/journal/small"
    before = {file.name: file.read_bytes() for file in journal.glob("*.jsonl")}
    verdicts = {f: f.read_bytes() for f in (tiny / "results/tiny/verdicts").rglob("*.jsonl")}
    for file in [*verdicts, *(tiny / "results/tiny/asked").rglob("*.done")]:
        file.unlink()
    run_snakemake(tiny, "--configfile", "tiny.yaml")
    assert {file.name: file.read_bytes() for file in journal.glob("*.jsonl")} == before
    assert {file: file.read_bytes() for file in verdicts} == verdicts


def test_no_request_stands_twice_in_the_journal(tiny: Path) -> None:
    keys = [
        json.loads(line)["key"]
        for file in (tiny / "results/journal/small").glob("*.jsonl")
        for line in file.read_text().splitlines()
    ]
    assert keys and max(Counter(keys).values()) == 1


def test_the_report_opens_in_a_browser_and_asks_for_nothing(tiny: Path, browser: Browser) -> None:
    run_snakemake(tiny, "--configfile", "tiny.yaml", "--report", "report.html")
    driver = browser.open(tiny / "report.html")
    WebDriverWait(driver, 20).until(lambda d: "plumbline" in d.find_element(By.TAG_NAME, "body").text)
    text = driver.find_element(By.TAG_NAME, "body").text
    for category in ("Overview", "Main results", "Coverage"):
        assert category in text
    asked = [url for url in browser.requests() if not url.startswith(("file:", "data:", "blob:"))]
    assert asked == []


def test_the_front_page_shows_the_numbers_of_the_tables(tiny: Path, browser: Browser) -> None:
    driver = browser.open(tiny / "results/tiny/tables/overview.html")
    lift = pd.read_csv(tiny / "results/tiny/tables/main.gt_lift.csv").iloc[0]
    shown = driver.find_element(By.TAG_NAME, "body").text.replace("\u2212", "-")
    assert ("small" in shown) and (f"{lift['lift']:.2f}" in shown or pd.isna(lift["lift"]))
    assert not browser.complaints()


def test_a_person_can_see_everything_about_one_record(tiny: Path) -> None:
    record = json.loads((tiny / "results/tiny/records.jsonl").read_text().splitlines()[0])
    done = subprocess.run(
        [sys.executable, "-m", "plumbline.cli", "show", record["id"]],
        cwd=tiny,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    for words in (record["id"], "hard query", "expected calls", "plan of perturb", "programmatic", "with_gt"):
        assert words in done.stdout
