"""Single cells of the tables, worked out by hand in the test."""

import pandas as pd
import pytest

from plumbline.records import METRICS
from plumbline.tables.alignment import alignment_table, interval_table
from plumbline.tables.breakdowns import metric_table
from plumbline.tables.coverage import plan_table, status_table
from plumbline.tables.faults import fault_table
from plumbline.tables.generators import accuracy_table
from plumbline.tables.lift import condition_pairs, lift_table


def test_one_cell_by_hand(experiment):
    """Plan a scores 1, .5, 1, .25, judged 1, 1, .5, 0; plan b scores 0, 1, .5, 1, judged 0, 1, 1, 1."""
    made = experiment(
        plan=lambda record, *_: {"a": (1, 0.5, 1, 0.25), "b": (0, 1, 0.5, 1)}[record],
        verdict=lambda record, *_: {"a": (1, 1, 0.5, 0), "b": (0, 1, 1, 1)}[record],
    )
    # a: (1 + .5 + .5 + .75) / 4 = .6875; b: (1 + 1 + .5 + 1) / 4 = .875; mean .78125
    table = alignment_table(made.inputs()).frame
    assert table.loc[0, "easy.with_gt"] == 78.125
    assert table.loc[0, "easy.with_gt.n"] == 2
    # p-bar: (2.75 / 4 + 2.5 / 4) / 2 = .65625
    assert accuracy_table(made.inputs()).frame.loc[0, "hard"] == 65.625
    # query coverage: 1 - .25 = .75 and 1, mean .875
    assert metric_table(made.inputs()).frame.loc[0, "query_coverage"] == 87.5


def test_topologies_weigh_the_same_only_in_the_balanced_mean(experiment):
    made = experiment(
        records={"a": "linear", "b": "linear", "c": "linear", "d": "loop_like", "e": "single"},
        verdict=lambda record, *_: (0, 0, 0, 0) if record == "d" else (1, 1, 1, 1),
    )
    cell = interval_table(made.inputs()).frame.iloc[0]
    # records: 4 of 5 right; topologies of the paper: linear 100, loop_like 0
    assert (cell["mean"], cell["balanced"]) == (80, 50)


def test_best_judges_of_a_column_are_bold_and_ties_all(experiment):
    def verdict(record, tier, generator, judge, condition, _):
        lowest = (
            {"ada": 1, "bob": 1, "eve": 0}[judge] if tier == "easy" else {"ada": 0, "bob": 1, "eve": 0}[judge]
        )
        return (lowest, 1, 1, 1)

    made = experiment(verdict=verdict, judges=["ada", "bob", "eve"], conditions={"with_gt": "expected"})
    assert alignment_table(made.inputs()).bold == {
        (0, "easy.with_gt"),
        (1, "easy.with_gt"),
        (1, "hard.with_gt"),
    }


def test_values_that_look_the_same_at_one_decimal_are_a_tie(experiment):
    sequence = {"ada": 1, "bob": 0.9996, "eve": 0.99}
    made = experiment(
        verdict=lambda r, t, g, judge, c, _: (1, 1, sequence[judge], 1),
        judges=list(sequence),
        conditions={"with_gt": "expected"},
        tiers=["hard"],
    )
    result = alignment_table(made.inputs())
    # shown as 100.0, 100.0 and 99.8
    assert result.frame["hard.with_gt"].tolist() == pytest.approx([100, 99.99, 99.75])
    assert result.bold == {(0, "hard.with_gt"), (1, "hard.with_gt")}


def test_lift_rests_on_plans_that_are_ok_under_both_conditions(experiment):
    def verdict(record, tier, generator, judge, condition, _):
        if condition == "without_gt":
            return "malformed" if record == "a" else (1, 0, 0, 0)
        return (0, 0, 0, 0) if record == "a" else (1, 1, 0, 0)

    found = lift_table(experiment(verdict=verdict).inputs()).frame.iloc[0]
    # only b counts: 50 with, 25 without
    assert (found["aligned_with"], found["aligned_without"], found["lift"], found["n"]) == (50, 25, 25, 2)
    # b alone in both tiers is one record
    assert pd.isna(found["lo"])
    assert found["reason"] == "one record alone gives no interval"


def test_lift_weighs_cells_not_records(experiment):
    def verdict(record, tier, generator, judge, condition, _):
        if tier == "hard" and record != "a":
            return "empty"
        gain = condition == "with_gt" and tier == "hard"
        return (1, 1, 1, 1) if gain else (0, 1, 1, 1)

    made = experiment(records=dict.fromkeys("abcd", "linear"), verdict=verdict)
    found = lift_table(made.inputs()).frame.iloc[0]
    # easy: four records, lift 0; hard: one record, lift 25; the mean of cells is 12.5, of records 5
    assert (found["lift"], found["n"], found["cells"]) == (12.5, 5, 2)


def test_a_constant_lift_has_an_interval_without_width(experiment):
    """Levels vary from record to record; the difference never does, and both sides share a draw."""

    def verdict(record, tier, generator, judge, condition, _):
        shown = (0, 1, 1, 1) if record in "abc" else (0, 0, 0, 1)
        return shown if condition == "without_gt" else (1, *shown[1:])

    made = experiment(records=dict.fromkeys("abcdef", "linear"), verdict=verdict)
    found = lift_table(made.inputs()).frame.iloc[0]
    assert [found["lift"], found["lo"], found["hi"]] == pytest.approx([25, 25, 25])


def test_intervals_of_winners_and_losers_are_compared(experiment):
    def verdict(record, tier, generator, judge, condition, _):
        right = (judge == "ada") == (condition == "with_gt")
        return (1, 1, 1, 1) if right else (0, 1, 1, 1)

    result = lift_table(experiment(verdict=verdict).inputs())
    assert result.frame["lift"].tolist() == [25, -25]
    assert any("do not overlap" in note for note in result.notes)


def test_several_conditions_are_paired_in_order_and_the_rest_is_named(experiment):
    shown = {"one": "expected", "two": "none", "three": "expected", "four": "none", "five": "none"}
    pairs, notes = condition_pairs(experiment(conditions=shown).inputs())
    assert pairs == [("one", "two"), ("three", "four")]
    assert "one with two; three with four" in notes[0]
    assert notes[1].endswith("five.")


def test_replicates_are_averaged_before_plans_are(experiment):
    """Plan a has one ok replicate of two (match 0), b has two (1 and .5)."""

    def verdict(record, tier, generator, judge, condition, replicate):
        if record == "a":
            return (0, 0, 0, 0) if replicate == 0 else "empty"
        return (1, 1, 1, 1) if replicate == 0 else (0.5, 0.5, 0.5, 0.5)

    cell = interval_table(experiment(verdict=verdict, replicates=2).inputs()).frame.iloc[0]
    assert (cell["mean"], cell["n"], cell["asked"]) == ((0 + 75) / 2, 2, 2)


def test_pairing_over_both_conditions_drops_a_plan_from_both(experiment):
    def verdict(record, tier, generator, judge, condition, _):
        if record == "a":
            return "empty" if condition == "without_gt" else (0, 0, 0, 0)
        return (1, 1, 1, 1)

    alone = experiment(verdict=verdict)
    both = experiment(verdict=verdict, settings={"alignment": {"pairing": "both"}})
    assert interval_table(alone.inputs()).frame["mean"].tolist()[:2] == [50, 100]
    assert interval_table(both.inputs()).frame["mean"].tolist()[:2] == [100, 100]
    # a page of one condition pairs over both all the same
    assert interval_table(both.inputs(condition="with_gt")).frame["mean"].tolist()[0] == 100


def test_a_missing_metric_counts_zero_only_where_the_run_says_so(experiment):
    made = experiment(settings={"verdicts": {"missing_metric": "zero"}})
    inputs = made.inputs()
    inputs.verdicts.loc[inputs.verdicts["record_id"] == "a", "verdict_sequence"] = float("nan")
    # a: 3 of 4 metrics match fully; b: all
    assert interval_table(inputs).frame["mean"].tolist()[0] == (75 + 100) / 2


def test_plans_without_calls_are_lost_where_the_run_excludes_them(experiment):
    judged = plan_table(experiment(calls=0).inputs()).frame.iloc[0]
    assert (judged["ok"], judged["no_calls"]) == (2, 2)
    excluded = plan_table(experiment(calls=0, settings={"plans": {"zero_calls": "exclude"}}).inputs())
    assert (excluded.frame.iloc[0]["ok"], excluded.frame.iloc[0]["zero_calls"]) == (0, 2)
    assert "Lost plans: zero_calls 4." in excluded.notes


def test_queries_of_a_rewritten_tier_are_counted(experiment):
    assert "Queries of tier hard: given 2." in plan_table(experiment().inputs()).notes


@pytest.fixture
def faults(experiment):
    """Four records: a and b lack a call, c is unchanged, d has an added argument that the scorer forgives."""
    scores = {"a": (0.5, 1, 0.5, 0.5), "b": (0.5, 1, 0.5, 0.5), "c": (1, 1, 1, 1), "d": (1, 1, 1, 1)}
    marks = {"a": (0.5, 1, 1, 1), "b": (1, 0.5, 1, 1), "c": (1, 1, 1, 0), "d": "malformed"}
    kinds = {"a": "drop_call", "b": "drop_call", "c": "none", "d": "add_argument"}
    return experiment(
        records=dict.fromkeys(scores, "linear"),
        plan=lambda record, *_: scores[record],
        verdict=lambda record, *_: marks[record],
        fault=lambda record, *_: kinds[record],
        tiers=["easy"],
    )


def test_a_fault_is_detected_if_the_judge_lowers_a_metric_that_the_program_lowers(faults):
    frame = fault_table(faults.inputs()).frame.set_index(["condition", "judge", "fault"])
    dropped = frame.loc[("with_gt", "ada", "drop_call")]
    # a is caught; b is marked on a metric that is right
    assert (dropped["n"], dropped["marked"], dropped["lowered"], dropped["detected"]) == (2, 1, 2, 0.5)
    assert dropped["mean_tool_selection"] == 0.75
    assert pd.isna(dropped["false_alarm"])


def test_marks_on_an_unchanged_plan_are_false_alarms(faults):
    frame = fault_table(faults.inputs()).frame.set_index(["condition", "judge", "fault"])
    none = frame.loc[("with_gt", "ada", "none")]
    assert (none["false_alarm"], none["lowered"]) == (1, 0)
    assert pd.isna(none["detected"])
    assert none["detected_reason"] == "the program lowers no metric for this fault"


def test_a_fault_whose_verdicts_are_lost_stays_in_the_table(faults):
    result = fault_table(faults.inputs())
    added = result.frame.set_index(["condition", "judge", "fault"]).loc[("with_gt", "ada", "add_argument")]
    assert (added["n"], added["asked"], added["reason"]) == (0, 1, "no ok verdict")
    assert added[[f"mean_{metric}" for metric in METRICS]].isna().all()
    assert "Lost verdicts: malformed 4." in result.notes


def test_verdicts_of_each_judge_and_condition_are_counted_by_status_with_what_a_repeat_recovered(experiment):
    """Record a is asked about again: with the expected calls a repeat is ok, without them none is."""

    def verdict(record, tier, generator, judge, condition, _):
        lost = judge == "ada" and record == "a" and condition == "without_gt"
        return "malformed" if lost else (1, 1, 1, 1)

    made = experiment(
        verdict=verdict,
        about=lambda record, tier, gen, judge, *_: (
            {"attempts": 3 if record == "a" else 1} if judge == "ada" else {}
        ),
    )
    result = status_table(made.inputs())
    frame = result.frame.astype(object).where(result.frame.notna(), None)
    names = [
        "judge",
        "condition",
        "possible",
        "asked",
        "ok",
        "malformed",
        "repeated",
        "recovered",
        "recovery",
    ]
    assert frame[names].to_numpy().tolist() == [
        ["ada", "with_gt", 4, 4, 4, 0, 2, 2, 100],
        ["ada", "without_gt", 4, 4, 2, 2, 2, 0, 0],
        ["ada", "total", 8, 8, 6, 2, 4, 2, 50],
        ["bob", "with_gt", 4, 4, 4, 0, None, None, None],
        ["bob", "without_gt", 4, 4, 4, 0, None, None, None],
        ["bob", "total", 8, 8, 8, 0, None, None, None],
        ["total", "total", 16, 16, 14, 2, 4, 2, 50],
    ]
    assert set(frame["recovery_reason"][3:6]) == {"how often it was asked is not known"}
    assert frame["coverage"].tolist() == [100, 50, 75, 100, 100, 100, 87.5]
