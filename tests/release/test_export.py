"""An exported run comes back through our own importer, and loads as a Hugging Face data set."""

from __future__ import annotations

import json
import os
import re
import shutil
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import yaml
from click.testing import CliRunner
from project_copy import copy_project, run_snakemake

from plumbline.cli import main
from plumbline.config.resolved import Workspace
from plumbline.config.settings import RunConfig
from plumbline.corpora.agentjudgebench import read_agentjudgebench
from plumbline.judging.released import read_plans, read_verdicts
from plumbline.judging.released_check import ReleasedCheck
from plumbline.plans.scoring import score_plans
from plumbline.records import METRICS, Plan, Record, Verdict, read_json_lines

CONFIG = """
run: shared
corpus: {sources: {starter: {kind: starter, per_topology: 2}}}
tiers: [easy, hard]
models:
  sim:
    engine: simulated
    api_key_env: MARKED_KEY
    simulation: {failures: 0.1, quality: {easy: 0.7, hard: 0.5}}
generators:
  sim: {model: sim}
  perturb: {faults: [none, drop_call, extra_call, rename_argument]}
judges: {sim: {model: sim}}
references: {corrupted: {kind: shuffle}}
conditions:
  with_gt: {prompt: judge_with_gt, reference: expected}
  without_gt: {prompt: judge_without_gt}
  corrupted_gt: {prompt: judge_with_gt, reference: corrupted, replicates: 2}
  with_gt_warm: {prompt: judge_with_gt, reference: expected, arm: warm, decoding: {temperature: 1}}
blocks:
  main:
    conditions: [with_gt, without_gt]
    tables: [alignment, alignment_intervals, gt_lift, generator_accuracy]
  ablation_temperature: {conditions: [with_gt, with_gt_warm], tables: [condition_effects]}
  ablation_c3: {generators: [perturb], conditions: [corrupted_gt], tables: [condition_effects]}
"""


@pytest.fixture(scope="module")
def exported(tmp_path_factory) -> tuple[Workspace, Path]:
    """A finished simulated run and its export."""
    project = copy_project(tmp_path_factory.mktemp("export"))
    (project / "own.yaml").write_text(CONFIG)
    run_snakemake(
        project,
        "main",
        "ablation_c3",
        "ablation_temperature",
        "--configfile",
        "own.yaml",
        env={"MARKED_KEY": "sk-marked-key"},
    )
    folder = project / "export"
    command = ["export", "shared", "--output", str(folder), "--results", str(project / "results")]
    before = Path.cwd()
    os.chdir(project)  # the run names its prompts from the project's root
    try:
        result = CliRunner().invoke(main, command, catch_exceptions=False)
    finally:
        os.chdir(before)
    assert result.exit_code == 0, result.output
    return Workspace(project / "results/shared/config.json"), folder


def imported_settings(workspace: Workspace, folder: Path) -> RunConfig:
    data = workspace.settings.model_dump(mode="json")
    data |= {
        "corpus": {"sources": {"a": {"kind": "agentjudgebench", "path": str(folder)}}},
        "released": {"folder": str(folder)},
    }
    return RunConfig.model_validate(data)


def test_records_come_back_as_they_were(exported):
    workspace, folder = exported
    ours = {record.id: record for record in read_json_lines(workspace.path("records"), Record)}
    reading = read_agentjudgebench(folder)
    assert not reading.skipped
    assert not [note for note in reading.notes if "unknown field" in note or "differ" in note]
    back = {record.id: record for record in reading.records}
    assert back.keys() == ours.keys()
    for name, record in ours.items():
        other = back[name]
        assert (other.queries, other.topology, other.domain) == (
            record.queries,
            record.topology,
            record.domain,
        )
        assert other.system_prompt == record.system_prompt
        assert [tool.offered() for tool in other.tools] == [tool.offered() for tool in record.tools]
        for call, again in zip(record.expected_calls, other.expected_calls, strict=True):
            assert (again.id, again.name, again.arguments) == (call.id, call.name, call.arguments)
            assert (again.returns, again.needs) == (call.returns, call.needs)


def test_plans_scores_and_verdicts_come_back_as_they_were(exported):
    workspace, folder = exported
    settings = imported_settings(workspace, folder)
    records = read_agentjudgebench(folder).records
    data = read_plans(settings, settings.released, records)
    for generator, tier in (("sim", "easy"), ("perturb", "hard")):
        written = {p.record_id: p for p in read_json_lines(workspace.path("plans", generator, tier), Plan)}
        back = data.plans[generator, tier]
        for name, plan in written.items():
            assert back[name].calls == plan.calls
        scores = score_plans(back.values(), records, settings.scoring).set_index("record_id")[list(METRICS)]
        frame = pd.read_parquet(workspace.path("scores", generator, tier)).set_index("record_id")
        ours = frame[list(METRICS)].loc[scores.index]
        assert np.abs(scores.to_numpy(float) - ours.to_numpy(float)).max() < 1e-4
    check = ReleasedCheck()
    cells = dict(read_verdicts(data, "sim", check))
    assert check.scores.compared > 40
    assert check.scores.differ == 0
    for comparison in (check.alignment_with_gt, check.alignment_without_gt):
        assert comparison.compared > 20
        assert comparison.differ == 0
    for cell, verdicts in cells.items():
        if cell.condition == "with_gt_warm":  # the released layout has no place for it
            assert {verdict.status for verdict in verdicts} == {"not_asked"}
            continue
        path = workspace.path("verdicts", "sim", cell.generator, cell.tier, cell.condition)
        ours = {v.record_id: v for v in read_json_lines(path, Verdict) if v.replicate == 0}
        for verdict in verdicts:
            if verdict.replicate == 0 and ours[verdict.record_id].status == "ok":
                for metric in METRICS:
                    assert getattr(verdict, metric) == getattr(ours[verdict.record_id], metric)
            elif verdict.replicate == 0:
                assert verdict.status in ("gave_up", "not_asked")


def test_failed_items_are_rows_of_nulls_and_their_status_is_told_elsewhere(exported):
    workspace, folder = exported
    rows = [json.loads(line) for line in (folder / "judged/judge_sim.jsonl").read_text().splitlines()]
    cells = 2 * 2 * len(read_json_lines(workspace.path("records"), Record))
    assert len(rows) == cells
    empty = [row for row in rows if row["id"] is None]
    assert empty
    assert all(value is None for row in empty for value in row.values())
    frame = pd.read_json(folder / "every_verdict/with_gt.jsonl", lines=True)
    assert len(frame) == cells
    assert {"ok", "malformed"} <= set(frame["status"])
    # two replicates, of one of the two generators
    assert len(pd.read_json(folder / "every_verdict/corrupted_gt.jsonl", lines=True)) == cells


def test_rows_have_the_fields_of_the_released_layout(exported):
    _, folder = exported
    lines = (folder / "generated/perturb/hard.jsonl").read_text().splitlines()
    row = next(row for row in map(json.loads, lines) if row["id"] is not None)
    wanted = "id dag_type user_message available_tools expected_responses system_prompt generated_tool_calls"
    assert set(wanted.split()) <= row.keys()
    messages = json.loads(row["expected_responses"])
    calls = json.loads(messages[0]["tool_calls"])
    called = {call["id"]: call["function"]["name"] for call in calls}
    told = next(message for message in messages if message["role"] == "tool")
    assert told["name"] == called[told["tool_call_id"]]


def test_the_main_results_are_rebuilt_from_the_export_alone(exported, tmp_path):
    """The export, in a fresh copy of the project, gives the same tables to the last digit."""
    workspace, folder = exported
    head = (folder / "rebuild.yaml").read_text().splitlines()[:4]
    assert "Not in these files, so not here: with_gt_warm." in head[3]
    assert "Of the replicates of corrupted_gt the first one counts." in head[3]
    fresh = copy_project(tmp_path)
    shutil.copytree(folder, fresh / folder.name)
    run_snakemake(fresh, "main", "ablation_c3", "--configfile", f"{folder.name}/rebuild.yaml")
    tables = fresh / "results/shared_rebuilt/tables"
    for name in ("alignment", "alignment_intervals", "gt_lift", "generator_accuracy"):
        ours = sorted((workspace.root / "shared/tables").glob(f"main.{name}*.csv"))
        assert ours
        for file in ours:
            assert (tables / file.name).read_text() == file.read_text(), file.name
    assert (tables / "ablation_c3.condition_effects.csv").exists()


def test_corrupted_rows_show_the_other_record_s_calls(exported):
    _, folder = exported
    path = folder / "corrupted/corrupted_gt/judge_sim.jsonl"
    rows = [row for row in map(json.loads, path.read_text().splitlines()) if row["id"] is not None]
    assert rows
    for row in rows:
        assert row["corrupted_expected_responses"] != row["true_expected_responses"]
        assert json.loads(row["true_expected_responses"])[0]["role"] == "assistant"


def test_the_card_lists_every_file_and_nothing_private(exported):
    _, folder = exported
    card = (folder / "README.md").read_text(encoding="utf-8")
    head = yaml.safe_load(card.split("---")[1])
    listed = {file["path"] for config in head["configs"] for file in config["data_files"]}
    assert listed == {str(file.relative_to(folder)) for file in folder.rglob("*.jsonl")}
    assert "Simulation" in card
    for file in folder.rglob("*"):
        if file.is_file():
            text = file.read_bytes()
            assert b"sk-marked-key" not in text
            assert str(folder.parent).encode() not in text, file
    assert re.search(r"\| starter \|?|starter corpus \| Apache-2.0", card)


def test_every_configuration_loads_as_a_hugging_face_data_set(exported, monkeypatch, tmp_path):
    datasets = pytest.importorskip("datasets", reason="the package `datasets` is not installed")
    monkeypatch.setattr(datasets.config, "HF_DATASETS_OFFLINE", True, raising=False)
    _, folder = exported
    names = datasets.get_dataset_config_names(str(folder))
    assert {"records", "tier_inputs", "generated_sim", "judged_sim", "verdicts_with_gt"} <= set(names)
    for name in names:
        loaded = datasets.load_dataset(str(folder), name, cache_dir=str(tmp_path))
        assert all(len(split) for split in loaded.values())
    tiers = datasets.load_dataset(str(folder), "tier_inputs", cache_dir=str(tmp_path))
    assert set(tiers) == {"easy", "hard"}


def test_a_folder_that_holds_something_is_not_overwritten(exported):
    workspace, folder = exported
    command = ["export", "shared", "--output", str(folder), "--results", str(workspace.root)]
    result = CliRunner().invoke(main, command)
    assert result.exit_code == 1
    assert "is not empty" in result.output


def test_a_run_that_is_not_finished_is_refused(exported, tmp_path):
    workspace, _ = exported
    path = workspace.path("scores", "sim", "easy")
    aside = path.with_suffix(".aside")
    path.rename(aside)
    try:
        command = ["export", "shared", "--output", str(tmp_path / "new"), "--results", str(workspace.root)]
        result = CliRunner().invoke(main, command)
    finally:
        aside.rename(path)
    assert result.exit_code == 1
    assert "is not finished: 1 files are missing" in result.output
    assert not (tmp_path / "new").exists()
