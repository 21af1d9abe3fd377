"""The paper's figures beside ours: in the right row, subtracted, and kept away from other experiments."""

import dataclasses
import subprocess
import sys
from pathlib import Path

import pandas as pd
import pytest
from paper_run import FOLDER, configured, lines, planned, run

from plumbline.records import METRICS, TIERS
from plumbline.tables.beside import pairs, with_published
from plumbline.tables.experiment import Experiment
from plumbline.tables.published import GENERATORS, OPEN_WEIGHT, Beside, published, same_names
from plumbline.tables.published_map import ALONE, BESIDE, ELSEWHERE, all_files, files_of
from plumbline.tables.registry import CORPUS_TABLES, TABLES
from plumbline.tables.result import TableResult


def shown(inputs, name):
    return with_published(TABLES[name].build(inputs), name, inputs)


def test_the_papers_own_numbers_differ_by_nothing_and_are_the_same_experiment():
    frame = shown(run(judges=("qwq_32b", "gpt_5_4")), "alignment_beside_paper").frame
    assert len(frame) == 12
    assert set(frame["same_experiment"]) == {"yes"}
    assert frame["difference"].abs().max() < 1e-9
    assert frame["inside"].tolist() == [True] * 12


def test_the_difference_is_ours_minus_the_papers_in_every_cell():
    frame = shown(run(shift=-2.0), "alignment_intervals").frame.set_index(["tier", "condition"])
    printed = {
        (line["tier"], line["condition"]): float(line["alignment_pct"])
        for line in lines("alignment")
        if (line["generator"], line["judge"]) == ("llama_3_3_70b", "qwq_32b")
    }
    assert frame["mean.paper"].to_dict() == printed
    assert frame["mean.difference"].to_dict() == pytest.approx(dict.fromkeys(printed, -2.0))
    bounds = [line for line in lines("alignment_ci") if line["judge"] == "qwq_32b"]
    assert frame["hi.paper"].to_dict() == {(b["tier"], b["condition"]): float(b["ci_hi"]) for b in bounds}


def test_a_table_that_is_spread_out_gets_a_figure_for_each_column():
    frame = shown(run(), "generator_accuracy").frame
    (row,) = frame.to_dict("records")
    printed = {
        line["tier"]: float(line["accuracy_pct"])
        for line in lines("generator_accuracy")
        if line["generator"] == "llama_3_3_70b"
    }
    for tier in TIERS:
        # every plan is perfect
        assert (row[tier], row[f"{tier}.paper"]) == (100, printed[tier])
        assert row[f"{tier}.difference"] == pytest.approx(100 - printed[tier])
    names = list(frame.columns)
    assert names[names.index("hard") : names.index("hard") + 3] == ["hard", "hard.paper", "hard.difference"]


@pytest.mark.parametrize(
    "name", ["alignment", "alignment_beside_paper", "alignment_intervals", "plan_status"]
)
def test_on_another_corpus_the_page_says_so_and_has_no_column_of_the_paper(name):
    result = shown(run(source="starter"), name)
    assert not [column for column in result.frame if "paper" in column or "difference" in column]
    (note,) = [note for note in result.notes if "another corpus" in note]
    assert "3,808 from starter" in note


@pytest.mark.parametrize("name", sorted({entry.table for entry in BESIDE} & set(TABLES)))
@pytest.mark.parametrize("lost", [True, False], ids=["all_lost", "nothing_asked"])
def test_a_run_without_one_readable_verdict_still_gives_every_compared_table(name, lost):
    inputs = run(short=3700)
    verdicts = inputs.verdicts.assign(status="malformed") if lost else inputs.verdicts.iloc[:0]
    verdicts = verdicts.assign(**{f"verdict_{metric}": float("nan") for metric in METRICS})
    frame = shown(dataclasses.replace(inputs, verdicts=verdicts), name).frame
    for column in [column for column in frame if column.endswith(".difference")]:
        empty = frame[column].isna()
        assert frame.loc[empty, f"{column}_reason"].notna().all() if empty.any() else True


def test_one_plan_fewer_is_another_count_in_its_cell_and_stays_compared():
    inputs = run(short=1)
    frame = shown(inputs, "alignment_beside_paper").frame
    assert set(frame["same_experiment"]) == {"other count"}
    assert frame["difference"].abs().max() < 1e-9


def test_a_judge_that_the_paper_lacks_has_no_figure_and_a_reason():
    frame = shown(run(judges=("qwq_32b", "llama_9")), "alignment_intervals").frame
    lost = frame[frame["judge"] == "llama_9"]
    assert lost["mean.paper"].isna().all()
    assert set(lost["mean.difference_reason"]) == {"the paper has no figure here"}
    assert set(lost["same_experiment"]) == {"no figure"}
    only = shown(run(judges=("llama_9",)), "alignment_intervals")
    assert "mean.paper" not in only.frame
    assert "not for any row of this table" in only.notes[-1]


@pytest.mark.parametrize(("engine", "word"), [("embedded", "other model"), ("simulated", "simulation")])
def test_a_small_or_simulated_model_under_the_papers_name_is_not_the_papers(engine, word):
    config = configured(("llama_3_3_70b",), ("qwq_32b",), engine)
    result = shown(run(config=config), "alignment_intervals")
    if word == "simulation":
        assert set(result.frame["same_experiment"]) == {word}
    else:
        assert "not the same experiment (other model)" in result.notes[-1]


def test_numbers_over_other_generators_than_the_papers_are_not_compared():
    # the paper pools four generators with open weights
    assert "other model" in shown(run(), "per_metric").notes[-1]
    frame = shown(run(OPEN_WEIGHT), "per_metric").frame
    assert set(frame["same_experiment"]) == {"yes"}
    everything = configured(OPEN_WEIGHT, ("qwq_32b",), tables={"per_metric": {"generators": "all"}})
    assert "sequence.paper" in shown(run(OPEN_WEIGHT, config=everything), "per_metric").frame
    five = configured(GENERATORS, ("qwq_32b",), tables={"per_metric": {"generators": "all"}})
    assert "other model" in shown(run(GENERATORS, config=five), "per_metric").notes[-1]


def blocks(**main):
    """Settings with a block that has part of the paper's judges, generators or tiers."""
    return configured(blocks={"main": {"conditions": ["with_gt", "without_gt"], **main}})


def compared(entry_of, config, frame):
    """Say of each compared cell of a table whether it is the same experiment."""
    experiment = Experiment.of(config, planned(), "main")
    return {
        pair.same
        for entry in BESIDE
        if (entry.table, entry.ours) == entry_of
        for pair in pairs(entry, frame, config, experiment)
    }


SUMMARY = pd.DataFrame({"condition": ["with_gt"], "kappa": [0.606]})
SLOPES = pd.DataFrame({"condition": ["with_gt"], "view": ["all"], "easy": [90.0]})
LIFT = pd.DataFrame(
    [("gpt_5_4", "open_weight", "with_gt", "without_gt", -1.5)],
    columns=["judge", "generators", "condition_with", "condition_without", "lift"],
)


@pytest.mark.parametrize(
    ("entry", "frame", "main", "word"),
    [
        (("agreement_summary", "kappa"), SUMMARY, {}, "yes"),
        # the one pair of two judges is no mean over fifteen
        (("agreement_summary", "kappa"), SUMMARY, {"judges": ["qwq_32b", "gpt_oss_120b"]}, "other model"),
        (("slopes", "{tier}"), SLOPES, {"judges": ["qwq_32b"]}, "other model"),
        (("slopes", "{tier}"), SLOPES, {"generators": ["smollm3_3b"]}, "other model"),
        # the lift of one judge needs no other, but all tiers
        (("gt_lift", "lift"), LIFT, {"judges": ["gpt_5_4"]}, "yes"),
        (("gt_lift", "lift"), LIFT, {"tiers": ["hard"]}, "other tiers"),
        (("gt_lift", "lift"), LIFT, {"generators": ["smollm3_3b", "gpt_5_4"]}, "other model"),
    ],
)
def test_a_mean_over_part_of_the_papers_judges_generators_or_tiers_is_not_compared(entry, frame, main, word):
    assert compared(entry, blocks(**main), frame) == {word}


@pytest.mark.parametrize(
    ("entry", "frame", "settings"),
    [
        (("agreement_summary", "kappa"), SUMMARY, {"agreement": {"thresholds": [0.2, 0.8]}}),
        (("slopes", "{tier}"), SLOPES, {"alignment": {"weighting": "topologies"}}),
        (("gt_lift", "lift"), LIFT, {"scoring": {"coverage_extras": "penalise"}}),
    ],
)
def test_a_number_that_is_counted_otherwise_is_not_compared(entry, frame, settings):
    assert compared(entry, configured(**settings), frame) == {"other reading"}


def test_the_jury_of_the_paper_has_six_members():
    frame = pd.DataFrame({"condition": ["with_gt"], "tier": ["hard"], "jury": [82.5]})
    assert compared(("soft_jury", "jury"), configured(), frame) == {"yes"}
    three = configured(jury={"members": ["gpt_5_4", "qwq_32b", "gpt_oss_20b"]})
    assert compared(("soft_jury", "jury"), three, frame) == {"other model"}
    any_of_them = configured(jury={"require_all": False})
    assert compared(("soft_jury", "jury"), any_of_them, frame) == {"other reading"}


LLAMAS = {"generators": ["llama_3_3_70b", "llama_3_1_8b"]}


@pytest.mark.parametrize(
    ("human", "main", "n", "words"),
    [
        (LLAMAS, {}, 120, ("yes", "yes")),
        (LLAMAS, {}, 12, ("other count", "yes")),
        ({}, {}, 120, ("other reading", "other reading")),
        ({"generators": ["llama_3_3_70b"]}, {}, 120, ("other reading", "other reading")),
        (LLAMAS | {"tier": "easy"}, {}, 120, ("other reading", "other reading")),
        # the judge is the paper's, the mean is over another panel
        (LLAMAS, {"judges": ["gpt_5_4"]}, 120, ("yes", "other model")),
        (LLAMAS, {"generators": ["llama_3_3_70b"]}, 120, ("other model", "other model")),
    ],
)
def test_annotated_plans_are_the_papers_if_its_two_generators_wrote_them(human, main, n, words):
    frame = pd.DataFrame(
        {"condition": "with_gt", "judge": ["gpt_5_4", "mean of judges"], "n": [n, 720], "vs_human": 1.0}
    ).assign(human_minus_programmatic=[-7.5, -6.9])
    config = configured(human=human, blocks={"main": {"conditions": ["with_gt", "without_gt"], **main}})
    experiment = Experiment.of(config, planned(), "main")
    entries = [e for e in BESIDE if (e.table, e.ours) == ("human_alignment", "human_minus_programmatic")]
    found = [(p.row, p.same) for e in entries for p in pairs(e, frame, config, experiment)]
    assert found == list(enumerate(words))


def test_a_printed_figure_stands_before_the_one_derived_from_its_cells():
    frame = pd.DataFrame(
        [("gpt_5_4", "open_weight"), ("gpt_5_4", "all"), ("qwq_32b", "open_weight")],
        columns=["judge", "generators"],
    ).assign(condition_with="with_gt", condition_without="without_gt", lift=0.0)
    config = configured()
    experiment = Experiment.of(config, planned())
    entries = [entry for entry in BESIDE if (entry.table, entry.ours) == ("gt_lift", "lift")]
    found = [(p.row, p.printed, p.same) for e in entries for p in pairs(e, frame, config, experiment)]
    # -1.5 is printed in the text, -1.48, -1.21 and 3.49 follow from the cells
    assert sorted(found) == [(0, "-1.5", "yes"), (1, "-1.21", "yes"), (2, "3.49", "yes")]


def placed(name, frame, config=None):
    """Put the paper's figures into a table of the paper's own run."""
    inputs = dataclasses.replace(run(), config=config or configured(), plans=planned())
    return with_published(TableResult(frame, {}), name, inputs)


def test_the_best_judge_of_the_paper_is_named_and_only_its_number_is_subtracted():
    rows = [
        ("with_gt", "hard", "qwq_32b, gpt_5_4", 83.0, "gpt_5_4", 82.0),
        ("with_gt", "easy", "gpt_5_4", 95.0, None, None),
    ]
    names = ["condition", "tier", "best", "best_alignment", "runner_up", "runner_up_alignment"]
    result = placed("decision_guide", pd.DataFrame(rows, columns=names).assign(generators="open_weight"))
    hard, easy = result.frame.to_dict("records")
    # the paper: QwQ-32B 83.4, GPT-OSS-120B 83.2; easy QwQ-32B 94.0
    assert (hard["best.paper"], hard["best_alignment.paper"]) == ("qwq_32b", 83.4)
    assert hard["best_alignment.difference"] == pytest.approx(-0.4)
    assert (hard["runner_up.paper"], hard["runner_up_alignment.paper"]) == ("gpt_oss_120b", 83.2)
    assert pd.isna(hard["runner_up_alignment.difference"])
    assert hard["runner_up_alignment.difference_reason"] == "another judge than the paper's"
    assert (easy["best.paper"], easy["best_alignment.paper"]) == ("qwq_32b", 94.0)
    assert pd.isna(easy["best_alignment.difference"])
    assert any("the caption says five generators" in note for note in result.notes)


def test_the_jurys_gain_stands_beside_the_papers_bound_with_its_sign_turned():
    frame = pd.DataFrame({"condition": ["without_gt"], "tier": ["hard"], "jury": 79.5, "best": 79.8})
    frame = frame.assign(best_judge="gpt_5_4", difference=-0.3)
    (row,) = placed("soft_jury", frame).frame.to_dict("records")
    # the paper: the best judge is ahead by at most 0.4
    assert (row["difference.paper"], row["difference.difference"]) == (-0.4, pytest.approx(0.1))
    assert row["best.difference"] == pytest.approx(0)
    assert any("C-A18" in note for note in placed("soft_jury", frame).notes)
    shown = frame.assign(condition="with_gt")
    assert not any("C-A18" in note for note in placed("soft_jury", shown).notes)
    (row,) = placed("soft_jury", frame.assign(best_judge="qwq_32b")).frame.to_dict("records")
    assert (row["best_judge.paper"], row["jury.difference"]) == ("gpt_5_4", pytest.approx(0))
    assert pd.isna(row["best.difference"]) and pd.isna(row["difference.difference"])


@pytest.mark.parametrize(
    ("table", "about", "printed"),
    [
        ("slopes", {"view": "all", "condition": "without_gt", "ratio": 1.6}, {"ratio": 1.5}),
        (
            "binary_scale",
            {"judge": "all judges", "condition": "with_gt", "spearman": 0.1, "p_value": 0.5},
            {"spearman": 0.03, "p_value": 0.96},
        ),
        (
            "extra_keys",
            {"generator": "total", "strict": 90.0, "lenient": 91.0, "lenient_change": 1.0}
            | {"share": 1.0, "calls": 9, "plans": 53608},
            {"strict": 90.5, "lenient": 91.0, "lenient_change": 0.49, "share": 0.83}
            | {"calls": 186654, "plans": 53619},
        ),
        ("over_anchoring", {"judge": "gemini_2_5_pro", "instances": 1300}, {"instances": 1322}),
        ("plan_status", {"generator": "smollm3_3b", "tier": "medium", "rate": 79.9}, {"rate": 79.8}),
        ("plan_status", {"generator": "smollm3_3b", "tier": "hard", "rate": 86.6}, {"rate": 86.6}),
        (
            "confusion",
            {"condition": "with_gt", "judge_a": "gpt_oss_120b", "judge_b": "qwq_32b", "verdict_a": 1.0}
            | {"agreement": 88.0, "kappa": 0.6},
            {"agreement": 87.9, "kappa": 0.61},
        ),
    ],
)
def test_numbers_of_the_papers_text_stand_beside_the_cells_that_have_them(table, about, printed):
    (row,) = placed(table, pd.DataFrame([about])).frame.to_dict("records")
    assert row["same_experiment"] == "yes"
    for column, value in printed.items():
        assert row[f"{column}.paper"] == value
        assert row[f"{column}.difference"] == pytest.approx(about[column] - value)


def test_a_row_without_a_key_of_its_own_is_found_with_pandas_2_too(monkeypatch):
    usual = pd.DataFrame.itertuples

    def of_pandas_2(frame, index=True, name="Pandas"):
        """Give no rows where there is no column, as pandas did before 3."""
        return usual(frame, index, name) if index or len(frame.columns) else iter(())

    monkeypatch.setattr(pd.DataFrame, "itertuples", of_pandas_2)
    frame = pd.DataFrame([{"generator": "smollm3_3b", "tier": "hard", "rate": 86.6}])
    (row,) = placed("plan_status", frame).frame.to_dict("records")
    assert (row["same_experiment"], row["rate.paper"]) == ("yes", 86.6)


def test_the_two_rankings_of_annotated_plans_are_compared():
    frame = pd.DataFrame({"condition": ["with_gt"], "judge": "mean of judges", "n": 720, "spearman": 0.3})
    config = configured(human={"generators": ["llama_3_3_70b", "llama_3_1_8b"]})
    result = placed("human_alignment", frame, config)
    assert result.frame["spearman.difference"].iloc[0] == pytest.approx(0.04)
    assert any("QwQ-32B fourth" in note for note in result.notes)


@pytest.mark.parametrize("choice", ["C-A4", "C-A26", "C-A30", "C-A32", "C-A33", "C-A37", "C-A41", "C-A47"])
def test_a_conflict_in_the_paper_is_told_beside_the_figures_that_it_is_about(choice):
    entries = [entry for entry in BESIDE if f"({choice})" in entry.conflict]
    assert entries
    for entry in entries:
        rows = [row for row in lines(entry.file) if all(row[k] == v for k, v in entry.only.items())]
        assert entry.conflict_at == "" or any(entry.conflict_at in row.values() for row in rows)


def test_a_pair_of_judges_is_found_in_either_order():
    entry = Beside(
        "x",
        "kappa",
        "agreement_with_gt",
        "kappa",
        keys=same_names("judge_a", "judge_b"),
        either=(("judge_a", "judge_b"),),
    )
    frame = pd.DataFrame(
        [("gpt_5_4", "qwq_32b"), ("qwq_32b", "gpt_5_4")], columns=["judge_a", "judge_b"]
    ).assign(kappa=0.5)
    config = configured()
    found = list(pairs(entry, frame, config, Experiment.of(config, planned())))
    assert [pair.printed for pair in found] == ["0.446", "0.446"]


def test_a_confusion_of_exchanged_judges_has_its_marks_exchanged():
    (entry,) = [e for e in BESIDE if (e.table, e.file) == ("confusion", "confusion")]
    rows = [("with_gt", "gpt_oss_120b", "qwq_32b", mark, 0.0, 0.0, 0.0) for mark in (0.0, 0.5, 1.0)]
    columns = ["condition", "judge_a", "judge_b", "verdict_a", "b_0", "b_half", "b_1"]
    config = configured()
    found = pairs(entry, pd.DataFrame(rows, columns=columns), config, Experiment.of(config, planned()))
    ours = {(pair.row, pair.column): pair.printed for pair in found}
    printed = {
        (line["verdict_row"], line["verdict_col"]): line["share_pct"]
        for line in lines("confusion")
        if (line["judge_row"], line["judge_col"]) == ("qwq_32b", "gpt_oss_120b")
    }
    marks = {"0": 0, "0.5": 1, "1": 2}
    names = {"0": "b_0", "0.5": "b_half", "1": "b_1"}
    assert ours == {(marks[theirs], names[mine]): share for (mine, theirs), share in printed.items()}


@pytest.mark.parametrize("entry", BESIDE, ids=lambda entry: f"{entry.table}.{entry.ours}")
def test_every_pairing_names_columns_and_settings_that_exist(entry):
    assert entry.table in {**TABLES, **CORPUS_TABLES}
    table = published(entry.file)
    assert {entry.theirs, *entry.keys.values(), *entry.only} <= set(table.columns)
    for name, value in entry.only.items():
        table = table[table[name] == value]
    assert len(table)
    settings = configured()
    for part in entry.pools.split(".") if "." in entry.pools else []:
        settings = getattr(settings, part)
    assert settings == "all" or settings == "open_weight" or "." not in entry.pools
    assert entry.claim.format(**table.iloc[0]) or not entry.claim


def test_a_table_depends_on_the_files_that_it_shows():
    for name in {*(entry.table for entry in BESIDE), *ALONE}:
        assert files_of(name)
        assert all(Path(file).is_file() for file in files_of(name))
    assert files_of("alignment_intervals") == [
        f"resources/published/{name}.csv" for name in ("alignment", "alignment_ci", "valid_counts")
    ]
    assert files_of("coverage") == []
    assert len(all_files()) == len(list(FOLDER.glob("*.csv"))) - 1
    assert set(ELSEWHERE) <= set(TABLES)


def test_the_workflow_reads_the_pairings_without_loading_pandas():
    code = "import sys, plumbline.tables.published_map; print('pandas' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"


def test_the_source_notes_name_every_file():
    notes = (FOLDER / "README.md").read_text(encoding="utf-8")
    assert [file.name for file in FOLDER.glob("*.csv") if file.name not in notes] == []


@pytest.mark.parametrize(
    ("name", "file", "rows"),
    [
        ("systems", "system_comparison", 8),
        ("related_work", "related_work", 22),
        ("paper_models", "models", 18),
    ],
)
def test_a_table_about_the_paper_needs_no_verdict(name, file, rows):
    inputs = run()
    empty = dataclasses.replace(inputs, verdicts=inputs.verdicts.iloc[:0], plans=inputs.plans.iloc[:0])
    result = TABLES[name].build(empty)
    # the models of the paper on arguments, and its deriver, are another paper's
    told = [line for line in lines(file) if line.get("role") not in ("argument_judge", "deriver")]
    assert len(result.frame) == len(told) == rows
    first = result.frame.columns[1]
    assert result.frame[first].tolist() == [line[first] for line in told]
