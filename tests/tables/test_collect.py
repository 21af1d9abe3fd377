import json

import pandas as pd
import pytest

from plumbline.records import METRICS, DataError, Rewrite, read_json_lines, write_json_lines
from plumbline.records.model import Verdict
from plumbline.tables.collect import BLOCK_SIZE, collect_plans, collect_verdicts


def test_every_plan_is_a_row_and_a_lost_one_has_no_score(experiment):
    plans = (
        experiment(plan=lambda record, *_: "truncated" if record == "b" else (1, 0.5, 1, 0.25)).inputs().plans
    )
    assert len(plans) == 4
    first = plans[(plans["record_id"] == "a") & (plans["tier"] == "hard")].iloc[0]
    assert [first[f"reference_{metric}"] for metric in METRICS] == [1, 0.5, 1, 0.25]
    assert (first["topology"], first["plan_status"], first["calls"]) == ("linear", "ok", 1)
    lost = plans[plans["record_id"] == "b"]
    assert set(lost["plan_status"]) == {"truncated"}
    assert lost[["reference_sequence", "calls"]].isna().all(axis=None)


def test_every_verdict_stands_beside_the_score_of_its_plan(experiment):
    made = experiment(
        plan=lambda record, tier, _: (0.25 if tier == "hard" else 1, 1, 1, 1),
        verdict=lambda record, tier, gen, judge, condition, _: "empty" if judge == "bob" else (0.5, 1, 0, 1),
    )
    verdicts = made.inputs().verdicts
    assert len(verdicts) == 2 * 2 * 2 * 2
    row = verdicts[(verdicts["judge"] == "ada") & (verdicts["tier"] == "hard")].iloc[0]
    assert (row["reference_tool_selection"], row["verdict_tool_selection"], row["verdict_sequence"]) == (
        0.25,
        0.5,
        0,
    )
    assert verdicts[verdicts["judge"] == "bob"]["verdict_sequence"].isna().all()
    assert "text" not in verdicts


def test_how_often_a_verdict_was_asked_and_whether_it_came_with_reasoning_is_kept(experiment):
    made = experiment(
        about=lambda record, tier, gen, judge, *_: (
            {"attempts": 2, "reasoned": tier == "hard"} if judge == "ada" else {}
        )
    )
    verdicts = made.inputs().verdicts
    of_ada = verdicts["judge"] == "ada"
    assert set(verdicts[of_ada]["attempts"]) == {2}
    assert set(verdicts[of_ada & (verdicts["tier"] == "hard")]["reasoned"]) == {True}
    assert set(verdicts[of_ada & (verdicts["tier"] == "easy")]["reasoned"]) == {False}
    assert verdicts[~of_ada][["attempts", "reasoned"]].isna().all(axis=None)


def test_scores_of_a_verdict_that_is_not_ok_are_not_kept(experiment):
    made = experiment()
    inputs = made.inputs()
    file = made.folder / "results/small/verdicts/ada/gen/easy/with_gt.jsonl"
    write_json_lines(
        [item.model_copy(update={"status": "off_scale"}) for item in read_json_lines(file, Verdict)], file
    )
    read = collect_verdicts(inputs.plans, [file])
    assert read["verdict_sequence"].isna().all()


def test_a_query_says_where_it_comes_from(experiment):
    made = experiment(tiers=["easy", "medium", "hard"])
    made.write()
    run = made.folder / "results/small"
    records = [json.loads(line) for line in (run / "records.jsonl").read_text().splitlines()]
    del records[0]["queries"]["hard"], records[1]["queries"]["hard"], records[1]["queries"]["medium"]
    records[0]["rewrite"] = {"medium": "unknown", "hard": "failed"}
    write_json_lines(records, run / "records.jsonl")
    write_json_lines(
        [Rewrite(record_id="b", model="m", hard="h", status={"hard": "ok"})], run / "rewrites.jsonl"
    )
    plans = collect_plans(
        run / "records.jsonl",
        sorted(run.glob("plans/*/*.jsonl")),
        sorted(run.glob("scores/*/*")),
        run / "rewrites.jsonl",
    )
    found = plans.set_index(["record_id", "tier"])["query_status"].to_dict()
    assert found == {
        ("a", "easy"): "original",
        ("a", "medium"): "unknown",
        ("a", "hard"): "failed",
        ("b", "easy"): "original",
        ("b", "medium"): "not_asked",
        ("b", "hard"): "ok",
    }


def test_an_empty_verdict_file_gives_an_empty_frame_with_all_columns(experiment, tmp_path):
    inputs = experiment().inputs()
    (tmp_path / "none.jsonl").touch()
    empty = collect_verdicts(inputs.plans, [tmp_path / "none.jsonl"])
    assert list(empty) == list(inputs.verdicts)
    assert empty.empty


def test_a_broken_line_is_named_with_its_file_and_number(experiment):
    made = experiment()
    inputs = made.inputs()
    file = made.folder / "results/small/verdicts/ada/gen/easy/with_gt.jsonl"
    file.write_text(file.read_text() + '{"record_id": "a", "tier": "easy"\n')
    with pytest.raises(DataError, match=r"with_gt\.jsonl, line 3.*not one JSON object"):
        collect_verdicts(inputs.plans, [file])


def test_a_number_written_as_text_is_named_with_its_key(experiment):
    made = experiment()
    inputs = made.inputs()
    file = made.folder / "results/small/verdicts/ada/gen/easy/with_gt.jsonl"
    file.write_text(file.read_text().replace('"sequence": 1.0', '"sequence": "high"', 1))
    with pytest.raises(DataError, match=r"with_gt\.jsonl, line 1 \(record a\): `sequence`"):
        collect_verdicts(inputs.plans, [file])


def test_a_verdict_on_a_plan_of_another_run_is_refused(experiment):
    inputs = experiment().inputs()
    fewer = inputs.plans[inputs.plans["record_id"] == "a"]
    files = sorted((experiment().folder / "results/small/verdicts").rglob("*.jsonl"))
    with pytest.raises(DataError, match=r"record b.*8 verdicts judge no plan"):
        collect_verdicts(fewer, files)


def test_a_verdict_that_occurs_twice_is_refused(experiment):
    made = experiment()
    inputs = made.inputs()
    file = made.folder / "results/small/verdicts/ada/gen/easy/with_gt.jsonl"
    with pytest.raises(DataError, match="2 verdicts occur twice"):
        collect_verdicts(inputs.plans, [file, file])


def test_a_plan_without_record_and_an_ok_plan_without_score_are_refused(experiment):
    made = experiment()
    made.write()
    run = made.folder / "results/small"
    plans, scores = sorted(run.glob("plans/*/*.jsonl")), sorted(run.glob("scores/*/*"))
    table = pd.read_parquet(scores[0])
    table.iloc[:1].to_parquet(scores[0])
    with pytest.raises(DataError, match=r"record b: 1 ok plans have no score, first that of gen on easy"):
        collect_plans(run / "records.jsonl", plans, scores)
    (run / "records.jsonl").write_text((run / "records.jsonl").read_text().splitlines()[0])
    with pytest.raises(DataError, match=r"record b.*2 plans have no record"):
        collect_plans(run / "records.jsonl", plans, scores)


def test_a_long_answer_does_not_break_the_reader(experiment):
    made = experiment()
    inputs = made.inputs()
    file = made.folder / "results/small/verdicts/ada/gen/easy/with_gt.jsonl"
    verdicts = [item.model_copy(update={"text": "x" * 3_000_000}) for item in read_json_lines(file, Verdict)]
    write_json_lines(verdicts, file)
    assert len(collect_verdicts(inputs.plans, [file])) == 2


def test_a_line_longer_than_a_block_is_read_all_the_same(experiment):
    made = experiment()
    inputs = made.inputs()
    file = made.folder / "results/small/verdicts/ada/gen/easy/with_gt.jsonl"
    first, *rest = read_json_lines(file, Verdict)
    write_json_lines([first.model_copy(update={"text": "z" * (BLOCK_SIZE + 5)}), *rest], file)
    assert len(collect_verdicts(inputs.plans, [file])) == 1 + len(rest)


def test_a_file_of_records_that_was_emptied_makes_no_empty_tables(tmp_path):
    for name in ("records", "plans"):
        (tmp_path / f"{name}.jsonl").touch()
    with pytest.raises(DataError, match=r"records\.jsonl: holds no record"):
        collect_plans(tmp_path / "records.jsonl", [tmp_path / "plans.jsonl"], [])
