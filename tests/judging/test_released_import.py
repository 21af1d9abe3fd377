"""The authors' released files become our plans and verdicts; their numbers are recomputed."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
from project_copy import copy_project, run_snakemake
from released_folder import (
    ALL,
    IDS,
    METRICS,
    PERFECT,
    TWO_OF_THREE,
    calls,
    generated,
    judged,
    record,
    write_release,
    write_rows,
)

from plumbline.config.settings import RunConfig
from plumbline.corpora.agentjudgebench import read_agentjudgebench
from plumbline.judging.released import read_plans, read_verdicts
from plumbline.judging.released_check import ReleasedCheck, values_of
from plumbline.judging.released_files import Names
from plumbline.records import UserError, write_json_lines


def config(folder, **changes):
    return RunConfig.model_validate(
        {
            "run": "r",
            "released": {"folder": str(folder), "aliases": {"llama_3_3_70b": ["the big llama"]}},
            "corpus": {"sources": {"a": {"kind": "agentjudgebench", "path": str(folder)}}},
            "tiers": ["hard"],
            "models": {"m": {"engine": "simulated"}},
            "generators": {"llama_3_3_70b": {"model": "m"}, "smollm3_3b": {"model": "m"}},
            "judges": {"gemini_2_5_pro": {"model": "m"}, "qwq_32b": {"model": "m"}},
            "conditions": {
                "with_gt": {"prompt": "p", "reference": "expected"},
                "without_gt": {"prompt": "p"},
                "other": {"prompt": "p"},
            },
            "blocks": {"main": {"conditions": ["with_gt", "without_gt", "other"]}},
            **changes,
        }
    )


def imported(folder, **changes):
    settings = config(folder, **changes)
    records = read_agentjudgebench(folder).records
    data = read_plans(settings, settings.released, records)
    check = ReleasedCheck()
    verdicts = {
        (cell.judge, cell.generator, cell.condition): {verdict.record_id: verdict for verdict in found}
        for judge in settings.judges
        for cell, found in read_verdicts(data, judge, check)
    }
    return data, verdicts, check


def statuses(verdicts):
    return [verdicts[name].status for name in IDS]


def marks(verdict):
    return tuple(getattr(verdict, metric) for metric in METRICS)


@pytest.fixture
def release(tmp_path):
    return write_release(tmp_path / "released")


def test_plans_come_from_the_generators_files_and_lost_ones_keep_a_status(release):
    data, _, _ = imported(release)
    llama, smol = data.plans["llama_3_3_70b", "hard"], data.plans["smollm3_3b", "hard"]
    assert [len(llama[name].calls) for name in IDS] == [3, 3, 2, 3]
    # the tool is called as the record offers it, since model APIs refuse a dot
    assert [call.name for call in llama[IDS[0]].calls] == ["stock_count", "find_price", "order"]
    assert [smol[name].status for name in IDS] == ["ok", "malformed", "gave_up", "gave_up"]


def test_verdicts_are_read_by_condition_whatever_their_wrapping(release):
    _, verdicts, _ = imported(release)
    shown = verdicts["gemini_2_5_pro", "llama_3_3_70b", "with_gt"]
    hidden = verdicts["gemini_2_5_pro", "llama_3_3_70b", "without_gt"]
    # a missing metric, and a null row for the fourth plan
    assert statuses(shown) == ["ok", "ok", "missing_metric", "gave_up"]
    # no answer without the expected calls for the second plan, and 0.7 is no mark
    assert statuses(hidden) == ["ok", "gave_up", "off_scale", "gave_up"]
    assert marks(shown[IDS[0]]) == (1, 0.5, 1, 1)
    assert marks(shown[IDS[1]]) == (1, 1, 1, 0.5)
    assert shown[IDS[0]].justifications["sequence"] == "why sequence_accuracy"


def test_what_was_not_released_is_not_asked_and_told(release):
    data, verdicts, _ = imported(release)
    for cell in (
        ("gemini_2_5_pro", "llama_3_3_70b", "other"),
        ("gemini_2_5_pro", "smollm3_3b", "with_gt"),
        ("qwq_32b", "llama_3_3_70b", "with_gt"),
    ):
        assert set(statuses(verdicts[cell])) == {"not_asked"}
    # two generators and three conditions; Gemini judged Llama under two of them
    assert "no verdicts of qwq_32b for 6 of 6 cells, first llama_3_3_70b, hard, with_gt" in data.notes
    assert any(note.startswith("no verdicts of gemini_2_5_pro for 4 of 6 cells") for note in data.notes)
    assert "judge_gemini_2_5_pro.jsonl: 1 rows are null (items that failed)" in data.notes
    assert "judge_gemini_2_5_pro.jsonl: unknown field `colour` in 1 rows" in data.notes


def test_the_authors_rules_can_be_taken_over(release):
    rules = {"verdicts": {"missing_metric": "zero", "off_scale": "keep"}}
    _, verdicts, _ = imported(release, **rules)
    shown = verdicts["gemini_2_5_pro", "llama_3_3_70b", "with_gt"][IDS[2]]
    assert (shown.status, marks(shown)) == ("ok", (0.5, 1, None, 0.5))
    hidden = verdicts["gemini_2_5_pro", "llama_3_3_70b", "without_gt"][IDS[2]]
    assert marks(hidden) == (1, 1, 1, 0.7)


def test_released_numbers_that_are_ours_pass_the_check(release):
    _, _, check = imported(release)
    assert (check.scores.compared, check.scores.differ) == (3, 0)
    assert (check.alignment_with_gt.compared, check.alignment_with_gt.differ) == (3, 0)
    assert (check.alignment_without_gt.compared, check.alignment_without_gt.differ) == (2, 0)


def test_released_numbers_that_differ_are_counted_and_named(release):
    where = {"generator": "the big llama", "tier": "hard", "judge": "QwQ-32B"}
    wrong = PERFECT | {"sequence": 0.9998}  # 2e-4 off
    near = PERFECT | {"sequence": 0.99995}  # within 1e-4
    rows = [
        judged(IDS[0], calls(*ALL), wrong, (1, 1, 1, 1), None, **where),
        judged(IDS[1], calls(*ALL), near, (1, 1, 1, 1), None, **where),
        judged(IDS[2], calls(*ALL[:2]), TWO_OF_THREE, (1, 1, 1, 1), None, **where),
    ]
    # (0.6667 + 1 + 0.6667 + 0.6667) / 4 = 75.0025 %
    rows[2]["overall_llm_alignment_percentage"] = 75.02
    write_rows(release / "more.jsonl", rows)
    _, verdicts, check = imported(release)
    assert (check.scores.compared, check.scores.differ) == (6, 1)
    assert check.scores.first[0].startswith(f"{IDS[0]} (llama_3_3_70b, hard, qwq_32b; more.jsonl:1)")
    assert check.alignment_with_gt.differ == 1
    assert check.alignment_with_gt.first[0].endswith(": 75.02 here 75.00")
    assert "  differs: " in "\n".join(check.lines())
    assert verdicts["qwq_32b", "llama_3_3_70b", "with_gt"][IDS[0]].status == "ok"


def test_without_generator_files_the_judged_rows_give_the_plans(tmp_path):
    write_rows(tmp_path / "records.jsonl", [record(name) for name in IDS])
    row = judged(IDS[0], calls(*ALL), PERFECT, (1, 1, 1, 1), (1, 1, 1, 1))
    write_rows(tmp_path / "llama_3_3_70b/judge_qwq_32b_hard.jsonl", [row])
    data, verdicts, _ = imported(tmp_path)
    plans = data.plans["llama_3_3_70b", "hard"]
    assert [plans[name].status for name in IDS] == ["ok", "gave_up", "gave_up", "gave_up"]
    assert statuses(verdicts["qwq_32b", "llama_3_3_70b", "with_gt"])[0] == "ok"


def test_corrupted_rows_are_a_condition_of_their_own(release):
    row = judged(IDS[0], calls(*ALL), PERFECT, (0, 0, 0, 0), None, difficulty="hard")
    row |= {"generator": "llama_3_3_70b", "corrupted_expected_responses": [], "true_expected_responses": []}
    write_rows(release / "judge_qwq_32b.jsonl", [row])
    changes = {
        "references": {"others": {"kind": "shuffle"}},
        "conditions": {
            "with_gt": {"prompt": "p", "reference": "expected"},
            "corrupted_gt": {"prompt": "p", "reference": "others"},
        },
        "blocks": {"main": {"conditions": ["with_gt", "corrupted_gt"]}},
    }
    _, verdicts, _ = imported(release, **changes)
    assert marks(verdicts["qwq_32b", "llama_3_3_70b", "corrupted_gt"][IDS[0]]) == (0, 0, 0, 0)
    assert statuses(verdicts["qwq_32b", "llama_3_3_70b", "with_gt"])[0] == "not_asked"


def test_rows_without_a_place_are_counted_by_what_they_lack(release):
    plan = calls(*ALL)
    rows = [
        {**generated(IDS[0], plan)},
        {**generated(IDS[0], plan), "tier": "hard"},
        {**generated(IDS[0], plan), "tier": "hard", "generator": "smollm3_3b", "judge_response": {}},
        {**generated(None, plan), "tier": "hard", "generator": "smollm3_3b"},
        {**generated("fan_in_unknown", plan), "tier": "hard", "generator": "smollm3_3b"},
    ]
    write_rows(release / "odd.jsonl", rows)
    data, _, _ = imported(release)
    told = "\n".join(data.notes)
    for reason in ("names a tier", "names a generator", "names a judge", "the id is missing"):
        assert f"{reason}" in told
    assert "1 rows belong to no record of this run" in told


def test_the_longest_spelling_names_the_model():
    names = Names(["gpt_oss_20b", "gpt_oss_120b", "gpt_5_4", "oss"], {"gpt_5_4": ["GPT five"]})
    assert names.find("openai/gpt-oss-120b") == "gpt_oss_120b"
    assert names.find("GPT Five, high effort") == "gpt_5_4"
    assert names.find("mossy") is None
    assert names.cut_judge("gpt-oss-20b/judge_gpt_5_4") == ("gpt_5_4", "gpt_oss_20b")


@pytest.mark.parametrize(
    ("response", "expected"),
    [
        ({"sequence_accuracy": {"accuracy": 0.5}}, [None, None, 0.5, None]),
        ('{"Tool Selection": 1, "query_coverage": "high"}', [1, None, None, None]),
        ({"verdict": 1}, None),
        ("no JSON", None),
        (None, None),
    ],
)
def test_numbers_are_found_under_any_name_of_a_metric(response, expected):
    found = values_of(response)
    assert found == (None if expected is None else dict(zip(METRICS, expected, strict=True)))


def test_the_script_writes_every_file_of_the_run_and_its_account(release, tmp_path):
    settings = config(release)
    run = tmp_path / "results/r"
    run.mkdir(parents=True)
    (run / "config.json").write_text(settings.model_dump_json())
    write_json_lines(read_agentjudgebench(release).records, run / "records.jsonl")
    script = Path(__file__).parents[2] / "scripts/read_released.py"
    arguments = ["--config", run / "config.json", "--report", run / "released.json"]
    done = subprocess.run([sys.executable, script, *arguments], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert "programmatic scores: 3 of 3 rows agree with ours" in done.stderr
    assert json.loads((run / "released.json").read_text())["check"]["scores"]["compared"] == 3
    assert len(list(run.glob("plans/*/hard.jsonl"))) == 2
    # 2 judges x 2 generators x 3 conditions, a line for each record
    files = list(run.glob("verdicts/*/*/hard/*.jsonl"))
    assert len(files) == 12
    assert {len(file.read_text().splitlines()) for file in files} == {len(IDS)}


def test_a_run_of_released_files_plans_no_job_that_asks_a_model(tmp_path):
    project = copy_project(tmp_path)
    write_release(project / "data/agentjudgebench")
    done = run_snakemake(project, "-n", "--configfile", "config/released.yaml")
    assert "read_released" in done.stdout
    assert "ask_" not in done.stdout and "perturb_plans" not in done.stdout


def test_an_empty_folder_says_what_belongs_there(tmp_path):
    settings = config(tmp_path)
    with pytest.raises(UserError, match=r"released\.folder names the folder"):
        read_plans(settings, settings.released, [])
