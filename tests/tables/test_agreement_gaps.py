"""In the tables of agreement and juries no number is missing without a reason, however thin the run."""

import dataclasses

import numpy as np
import pytest
from matplotlib.figure import Figure

from plumbline.report.templating import is_missing
from plumbline.tables.agreement_specs import SPECS

THIN = {
    "one_judge": {"judges": ["ada"]},
    "outside_only": {"judges": ["prometheus_2"]},
    "one_inside_one_outside": {"judges": ["ada", "prometheus_2"]},
    "one_record": {"records": {"a": "linear"}},
    "two_records_that_differ": {
        "verdict": lambda record, *_: (1, 1, 1, 1) if record == "a" else (0, 0, 0, 0)
    },
    "no_ok_verdict": {"verdict": lambda *_: "malformed"},
    "no_ok_plan": {"plan": lambda *_: "truncated"},
    "one_tier_and_condition": {"tiers": ["hard"], "conditions": {"without_gt": "none"}},
    "one_judge_lost": {"verdict": lambda r, t, g, judge, c, _: "empty" if judge == "bob" else (1, 0, 1, 0.5)},
    "one_condition_lost": {"verdict": lambda r, t, g, j, c, _: "empty" if c == "with_gt" else (1, 0, 1, 0.5)},
    "ranked": {
        "judges": ["gpt_5_4", "qwq_32b", "gpt_oss_20b"],
        "verdict": lambda record, t, g, judge, c, _: (len(judge) % 2, 0, 1, 0.5),
    },
    "ranks_all_equal": {
        "judges": ["ada", "bob", "cy"],
        "verdict": lambda record, t, g, judge, c, _: (record == "a", 0, judge == "cy", 0.5),
        "settings": {"judge_tiers": {"ada": 1, "bob": 1, "cy": 1}},
    },
    "topologies_weigh_the_same": {"settings": {"alignment": {"weighting": "topologies"}}},
    "missing_metric_is_zero": {"settings": {"verdicts": {"missing_metric": "zero"}}},
    "jury_of_whom_there_is": {"settings": {"jury": {"require_all": False}}, "verdict": lambda *_: "empty"},
}


@pytest.mark.parametrize("changes", THIN.values(), ids=THIN.keys())
def test_every_missing_number_has_a_reason(experiment, changes):
    inputs = experiment(**changes).inputs()
    for spec in SPECS:
        shown = inputs.conditions[0] if spec.by_condition else None
        made = spec.build(dataclasses.replace(inputs, condition=shown))
        if spec.kind == "figure":
            assert isinstance(made, Figure)
            continue
        assert made.notes
        for line in made.frame.to_dict("records"):
            for name, column in made.columns.items():
                whys = [line.get(f"{name}_reason"), line.get("reason")]
                said = any(isinstance(why, str) for why in whys)
                assert said or not is_missing(line[name]), (spec.name, name, line)
                assert column.label


def test_a_run_whose_verdicts_are_all_missing_still_has_a_row_for_every_condition(experiment):
    inputs = experiment().inputs()
    nothing = dataclasses.replace(inputs, verdicts=inputs.verdicts.iloc[:0])
    for spec in SPECS:
        made = spec.build(dataclasses.replace(nothing, condition="with_gt" if spec.by_condition else None))
        if spec.kind == "table" and spec.name not in ("confusion", "outside_agreement"):
            assert set(made.frame["condition"]) >= {"with_gt", "without_gt"}


def test_a_metric_that_is_missing_matches_in_nothing_if_the_run_says_so(experiment):
    made = experiment(settings={"verdicts": {"missing_metric": "zero"}}, tiers=["hard"])
    inputs = made.inputs()
    verdicts = inputs.verdicts.copy()
    chosen = (verdicts["judge"] == "ada") & (verdicts["record_id"] == "a")
    verdicts.loc[chosen, "verdict_sequence"] = np.nan
    tables = {spec.name: spec for spec in SPECS}
    frame = tables["soft_jury"].build(dataclasses.replace(inputs, verdicts=verdicts)).frame
    # ada has 75 on a and 100 on b; the jury lacks a score of hers on a and judges b alone
    assert frame["members_mean"].tolist() == [(87.5 + 100) / 2] * 2
    assert frame["n"].tolist() == [1, 1]
    pairs = tables["agreement_pairs"].build(dataclasses.replace(inputs, verdicts=verdicts)).frame
    # 2 records of 4 scores, one of them missing
    assert pairs["n"].tolist() == [7, 7]
