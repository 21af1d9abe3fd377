"""The study with people as a workflow: the sample hangs on no judge, annotators' files are the user's."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest
from project_copy import copy_project, planned_jobs, run_snakemake

from plumbline.study.files import AGREES

CONFIG = """
run: people
corpus:
  sources:
    starter: {kind: starter, per_topology: 2}
tiers: [hard]
models:
  pretend: {engine: simulated}
generators:
  good: {faults: [none]}
  faults: {faults: [drop_call, add_argument]}
judges:
  judge: {model: pretend}
conditions:
  with_gt: {prompt: judge_with_gt, reference: expected}
human:
  sample: {flawed: 1, perfect: 1}
blocks:
  main: {conditions: [with_gt], tables: [human_agreement]}
"""
SAMPLE = "results/people/study/sample.jsonl"


@pytest.fixture(scope="module")
def drawn(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = copy_project(tmp_path_factory.mktemp("people"))
    (folder / "people.yaml").write_text(CONFIG)
    run_snakemake(folder, "study", "--configfile", "people.yaml")
    return folder


def planned(folder: Path, config: str, target: str = "study") -> set[str]:
    (folder / "edited.yaml").write_text(config)
    output = run_snakemake(folder, "-n", target, "--configfile", "edited.yaml").stdout
    return set() if "Nothing to be done" in output else set(planned_jobs(output))


def test_the_target_makes_sample_and_sheets_and_asks_no_judge(drawn: Path) -> None:
    sheet = (drawn / "results/people/study/sheet.csv").read_text(encoding="utf-8-sig")
    assert len(list(csv.DictReader(sheet.splitlines()))) == 12
    assert "Export CSV" in (drawn / "results/people/study/sheet.html").read_text(encoding="utf-8")
    assert not (drawn / "results/people/asked").exists()
    log = (drawn / "results/people/logs/draw_study/draw_study.txt").read_text()
    drawn_from = [json.loads(line)["generator"] for line in (drawn / SAMPLE).read_text().splitlines()]
    # five topologies: where a tool is expected twice with other keys, the expected calls have a flaw (C-A10)
    assert drawn_from.count("faults") == 5
    assert "5 plans of faults: those before it have too few." in log


def test_other_judges_and_conditions_leave_the_sample_alone_and_another_seed_does_not(drawn: Path) -> None:
    more = CONFIG.replace("  judge: {model: pretend}", "  judge: {model: pretend}\n  other: {model: pretend}")
    assert planned(drawn, more.replace("judge_with_gt", "judge_without_gt")) == set()
    assert planned(drawn, CONFIG.replace("perfect: 1", "perfect: 1, seed: 1")) >= {
        "draw_study",
        "study_sheets",
    }


def test_a_run_without_the_tier_of_the_study_says_what_to_set(drawn: Path) -> None:
    (drawn / "edited.yaml").write_text(CONFIG.replace("tiers: [hard]", "tiers: [easy]"))
    done = run_snakemake(drawn, "-n", "study", "--configfile", "edited.yaml", check=False)
    assert done.returncode != 0
    assert "human.tier: hard is no tier of this run; it has easy." in done.stdout


def test_a_filled_in_sheet_becomes_a_table_and_is_never_written_to(drawn: Path) -> None:
    source = drawn / "results/people/study/sheet.csv"
    rows = list(csv.DictReader(source.read_text(encoding="utf-8-sig").splitlines()))
    mine = drawn / "ana.csv"
    with mine.open("w", encoding="utf-8", newline="") as stream:
        writer = csv.DictWriter(stream, list(rows[0]))
        writer.writeheader()
        writer.writerows(row | dict.fromkeys(AGREES, "1") for row in rows)
    before = mine.read_bytes()
    (drawn / "annotated.yaml").write_text(CONFIG.replace("human:", "human:\n  annotations: [ana.csv]"))
    table = "results/people/tables/main.human_agreement.csv"
    run_snakemake(drawn, table, "--configfile", "annotated.yaml")
    found = {row["name"]: row for row in csv.DictReader((drawn / table).open())}
    assert (found["all"]["agree"], found["all"]["total"]) == ("48", "48")
    run_snakemake(drawn, "study", "--forcerun", "draw_study", "--configfile", "annotated.yaml")
    assert mine.read_bytes() == before
