"""Runs that are thin or broken still give every table and figure."""

import dataclasses
import xml.etree.ElementTree as ElementTree

import numpy as np
import pytest
from matplotlib.figure import Figure

from plumbline.tables.alignment import alignment_table, degradation_figure, interval_table
from plumbline.tables.breakdowns import metric_figure, topology_figure
from plumbline.tables.drawing import svg_text
from plumbline.tables.faults import fault_figure, fault_table
from plumbline.tables.lift import lift_table
from plumbline.tables.registry import PLAN_TABLES, TABLES
from plumbline.tables.result import TableResult

THIN = {
    "one_record": {"records": {"a": "linear"}},
    "one_record_of_no_topology": {"records": {"a": "single"}},
    "no_ok_verdict": {"verdict": lambda *_: "malformed"},
    "no_ok_plan": {"plan": lambda *_: "truncated"},
    "one_tier": {"tiers": ["hard"]},
    "one_condition": {"conditions": {"without_gt": "none"}},
    "one_judge_lost": {"verdict": lambda r, t, g, judge, c, _: "empty" if judge == "bob" else (1, 0, 1, 0.5)},
    "one_generator_lost": {
        "generators": ["gen", "other"],
        "plan": lambda r, t, generator: "empty" if generator == "other" else (1, 0, 1, 0.5),
    },
    "one_cell_lost": {
        "verdict": lambda r, tier, g, judge, c, _: (
            "refused" if (tier, judge) == ("hard", "ada") else (1, 1, 0, 1)
        )
    },
    "all_faults": {"fault": lambda record, *_: "none" if record == "a" else "drop_call"},
}


def built(inputs, spec):
    shown = inputs.conditions[0] if spec.by_condition else None
    return spec.build(dataclasses.replace(inputs, condition=shown))


@pytest.mark.parametrize("changes", THIN.values(), ids=THIN.keys())
def test_every_table_and_figure_is_made_of_a_thin_run(experiment, changes):
    inputs = experiment(**changes).inputs()
    for spec in map(TABLES.__getitem__, PLAN_TABLES):
        made = built(inputs, spec)
        if spec.kind == "figure":
            assert isinstance(made, Figure)
            continue
        assert isinstance(made, TableResult)
        assert made.notes
        assert set(made.columns) <= set(made.frame.columns), spec.name
        assert all(name in made.frame and row in made.frame.index for row, name in made.bold)
        assert not np.isinf(made.frame.select_dtypes(float)).any(axis=None)


def test_a_run_whose_verdicts_are_all_missing_gives_every_table(experiment):
    inputs = experiment().inputs()
    nothing = dataclasses.replace(inputs, verdicts=inputs.verdicts.iloc[:0])
    for spec in map(TABLES.__getitem__, PLAN_TABLES):
        built(nothing, spec)
    assert alignment_table(nothing).notes[0] == "Rests on 0 of 0 verdicts asked for."


def test_an_empty_cell_is_null_with_a_reason_and_never_zero(experiment):
    inputs = experiment(**THIN["one_cell_lost"]).inputs()
    frame = alignment_table(inputs).frame
    assert frame["hard.with_gt"].isna().tolist() == [True, False]
    assert frame["hard.with_gt_reason"].tolist()[0] == "no ok verdict"
    assert frame["hard.with_gt.n"].tolist() == [0, 2]
    lost = interval_table(inputs).frame.query("judge == 'ada' and tier == 'hard'")
    assert lost[["mean", "lo", "hi", "half_width", "balanced"]].isna().all(axis=None)
    assert (set(lost["reason"]), set(lost["n"]), set(lost["asked"])) == ({"no ok verdict"}, {0}, {2})


def test_lift_leaves_out_an_empty_cell_and_counts_it(experiment):
    def verdict(record, tier, generator, judge, condition, _):
        if (tier, judge) == ("hard", "ada"):
            return "refused"
        return (1, 1, 1, 1) if condition == "with_gt" else (0, 1, 1, 1)

    frame = lift_table(experiment(verdict=verdict).inputs()).frame.set_index("judge")
    assert frame["cells"].to_dict() == {"ada": 1, "bob": 2}
    assert frame["possible"].to_dict() == {"ada": 2, "bob": 2}
    # 100 - 75 in every cell that is left
    assert frame["lift"].to_dict() == {"ada": 25, "bob": 25}
    assert (frame["aligned_with"] - frame["aligned_without"]).to_dict() == frame["lift"].to_dict()


def test_one_record_has_a_mean_but_no_interval(experiment):
    cell = interval_table(experiment(**THIN["one_record"]).inputs()).frame.iloc[0]
    assert (cell["mean"], cell["reason"]) == (100, "one record alone gives no interval")
    assert np.isnan([cell["lo"], cell["hi"], cell["half_width"]]).all()


def test_without_a_pair_of_conditions_the_lift_table_says_so(experiment):
    result = lift_table(experiment(**THIN["one_condition"]).inputs())
    assert result.frame.empty
    assert result.notes[0] == "The block has no pair of conditions with and without the expected calls."


def test_without_perturb_the_fault_table_says_so(experiment):
    result = fault_table(experiment().inputs())
    assert result.frame.empty
    assert "none of its generators is `perturb`" in result.notes[0]


def test_figures_hold_the_names_of_the_run_and_are_equal_byte_for_byte(experiment):
    inputs = experiment(**THIN["all_faults"]).inputs()
    one = dataclasses.replace(inputs, condition="with_gt")
    for draw, words in (
        (lambda: degradation_figure(inputs), ["with_gt", "without_gt", "easy", "hard"]),
        (lambda: metric_figure(inputs), ["ada", "bob", "with_gt", "without_gt"]),
        (lambda: topology_figure(one), ["ada", "bob", "with_gt"]),
        (lambda: fault_figure(one), ["ada", "bob", "with_gt"]),
    ):
        first = svg_text(draw())
        assert first == svg_text(draw())
        text = " ".join(ElementTree.fromstring(first).itertext())
        assert all(word in text for word in words)


def test_degradation_weighs_judges_and_generators_the_same(experiment):
    def verdict(record, tier, generator, judge, condition, _):
        if judge == "ada":
            return (1, 1, 1, 1)
        return (0, 0, 0, 0) if record == "a" else "empty"

    figure = degradation_figure(experiment(verdict=verdict, tiers=["easy"]).inputs())
    # ada 100 on two records, bob 0 on one: cells give 50, records would give 66.7
    assert "50.0" in " ".join(ElementTree.fromstring(svg_text(figure)).itertext())
