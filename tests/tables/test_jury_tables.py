"""Juries and shared failures against loops over the experiment's own answers, and against arithmetic."""

from itertools import product
from statistics import mean

import numpy as np
import pytest

from plumbline.records import METRICS
from plumbline.tables.juries import explanation_table, jury_table
from plumbline.tables.shared_failures import failure_table

JUDGES = ["ada", "bob", "prometheus_2", "cy"]
MEMBERS = ["ada", "bob", "cy"]


@pytest.fixture
def made(random_experiment):
    random_experiment.judges = JUDGES
    return random_experiment


def answers(made, condition, tiers=None, generators=None):
    """Give the plan's scores and each member's verdict (None if it was lost) of every ok plan."""
    for record, generator, tier in product(made.records, generators or made.generators, tiers or made.tiers):
        plan = made.plan(record, tier, generator)
        if not isinstance(plan, str):
            given = [made.verdict(record, tier, generator, judge, condition, 0) for judge in MEMBERS]
            yield record, plan, [None if isinstance(each, str) else each for each in given]


def points(plan, verdict):
    return 100 * mean(1 - abs(p - v) for p, v in zip(plan, verdict, strict=True))


def average(verdicts):
    return [mean(scores) for scores in zip(*verdicts, strict=True)]


def row(result, **where):
    frame = result.frame
    for name, value in where.items():
        frame = frame[frame[name] == value]
    assert len(frame) == 1
    return frame.iloc[0]


def test_jury_and_its_best_member_agree_with_loops(made):
    result = jury_table(made.inputs())
    assert len(result.frame) == 2 * 4
    for condition, tier in product(made.conditions, [*made.tiers, "all"]):
        plans = list(answers(made, condition, made.tiers if tier == "all" else [tier]))
        seated = [(plan, given) for _, plan, given in plans if None not in given]
        found = row(result, condition=condition, tier=tier)
        assert found["n"] == len(seated)
        assert found["jury"] == pytest.approx(mean(points(plan, average(given)) for plan, given in seated))
        own = {
            judge: [points(plan, given[place]) for _, plan, given in plans if given[place] is not None]
            for place, judge in enumerate(MEMBERS)
        }
        best = max(MEMBERS, key=lambda judge: mean(own[judge]))
        assert (found["best_judge"], found["best_n"]) == (best, len(own[best]))
        assert found["best"] == pytest.approx(mean(own[best]))
        assert found["members_mean"] == pytest.approx(mean(mean(each) for each in own.values()))
        place = MEMBERS.index(best)
        shared = [points(plan, average(given)) - points(plan, given[place]) for plan, given in seated]
        assert found["difference"] == pytest.approx(mean(shared))
        assert found["difference_lo"] < found["difference"] < found["difference_hi"]
        assert found["jury_lo"] < found["jury"] < found["jury_hi"]


def test_intervals_of_the_jury_are_those_of_its_records_drawn_one_by_one(made):
    made.settings = {"jury": {"resamples": 150}}
    inputs = made.inputs()
    result = jury_table(inputs)
    assert any("150 resamples" in note for note in result.notes)
    found = row(result, condition="with_gt", tier="all")
    seated = [
        (record, points(plan, average(given)))
        for record, plan, given in answers(made, "with_gt")
        if None not in given
    ]
    made.settings = {"bootstrap": {"resamples": 150}}
    times = made.inputs().resampling.sums(np.eye(len(inputs.records)))
    means = []
    for resample in times:
        often = dict(zip(inputs.records["record_id"], resample, strict=True))
        total = sum(often[record] for record, _ in seated)
        means.append(sum(often[record] * value for record, value in seated) / total)
    assert (found["jury_lo"], found["jury_hi"]) == pytest.approx(tuple(np.quantile(means, [0.025, 0.975])))


def test_a_jury_that_need_not_be_complete_averages_whom_it_has(made):
    made.settings = {"jury": {"require_all": False}}
    result = jury_table(made.inputs())
    given = [
        (plan, [each for each in verdicts if each is not None])
        for _, plan, verdicts in answers(made, "with_gt")
        if any(each is not None for each in verdicts)
    ]
    found = row(result, condition="with_gt", tier="all")
    assert found["n"] == len(given)
    assert found["jury"] == pytest.approx(mean(points(plan, average(each)) for plan, each in given))


def test_members_can_be_named_also_a_judge_that_stands_outside(made):
    made.settings = {"jury": {"members": ["prometheus_2", "ada"]}}
    result = jury_table(made.inputs())
    assert "Members of the jury: ada, prometheus_2." in result.notes
    assert set(result.frame["best_judge"]) <= {"ada", "prometheus_2"}


def test_cells_can_weigh_the_same_instead_of_plans(made):
    made.settings = {"tables": {"soft_jury": {"average": "cells"}}}
    found = row(jury_table(made.inputs()), condition="without_gt", tier="all")
    cells = []
    for generator, tier in product(made.generators, made.tiers):
        plans = answers(made, "without_gt", [tier], [generator])
        cells.append(mean(points(plan, average(given)) for _, plan, given in plans if None not in given))
    assert found["jury"] == pytest.approx(mean(cells))


def test_opposite_errors_cancel_in_a_jury(experiment):
    def verdict(record, tier, generator, judge, condition, _):
        return (1, 1, 1, 1) if judge == "ada" else (0, 0, 0, 0)

    made = experiment(plan=lambda *_: (0.5, 0.5, 0.5, 0.5), verdict=verdict)
    found = row(jury_table(made.inputs()), condition="with_gt", tier="all")
    # each judge is half a point off everywhere; their mean is right
    assert (found["jury"], found["best"], found["best_judge"], found["difference"]) == (100, 50, "ada", 50)


def test_replicates_are_juries_of_their_own(experiment):
    def verdict(record, tier, generator, judge, condition, replicate):
        return (1, 1, 1, 1) if (judge == "ada") == (replicate == 0) else (0, 0, 0, 0)

    found = row(
        jury_table(experiment(verdict=verdict, replicates=2).inputs()), condition="with_gt", tier="all"
    )
    # in each replicate one says 1 and one says 0
    assert (found["jury"], found["best"], found["n"]) == (50, 50, 4)


def test_without_members_the_tables_say_so(experiment):
    settings = {"agreement": {"outside": ["ada", "bob"]}}
    inputs = experiment(settings=settings).inputs()
    for table in (jury_table, explanation_table):
        result = table(inputs)
        assert result.frame.empty
        assert result.notes[0] == "No judge of this block is a member of the jury (`jury.members`)."


def test_a_jury_that_never_sits_has_a_reason(experiment):
    def verdict(record, tier, generator, judge, condition, _):
        return (1, 1, 1, 1) if (record == "a") == (judge == "ada") else "empty"

    found = jury_table(experiment(verdict=verdict).inputs()).frame
    assert found["jury"].isna().all()
    assert set(found["n"]) == {0}
    assert set(found["best"]) == {100}
    assert set(found["reason"]) == {"no plan has an ok verdict of every member"}


def test_explanations_agree_with_loops(made):
    result = explanation_table(made.inputs())
    for condition, tier in product(made.conditions, made.tiers):
        given = [score for _, _, each in answers(made, condition, [tier]) for v in each if v for score in v]
        found = row(result, quantity="share of scores that are 1.0", condition=condition, tier=tier)
        assert (found["value"], found["n"]) == (
            pytest.approx(100 * mean(score == 1 for score in given)),
            len(given),
        )
    for tier in made.tiers:
        plans = [plan for _, plan, _ in answers(made, "with_gt", [tier])]
        found = row(result, quantity="error of the generators", tier=tier)
        assert (found["value"], found["n"]) == (
            pytest.approx(100 - 100 * mean(mean(plan) for plan in plans)),
            len(plans),
        )
    for condition, (place, metric) in product(made.conditions, enumerate(METRICS)):
        means = [
            mean(
                100 * (1 - abs(plan[place] - given[judge][place]))
                for _, plan, given in answers(made, condition)
                if given[judge] is not None
            )
            for judge in range(len(MEMBERS))
        ]
        found = row(result, quantity="spread over judges", condition=condition, metric=metric)
        assert found["value"] == pytest.approx(max(means) - min(means))


def test_shared_failures_agree_with_loops(made):
    result = failure_table(made.inputs())
    for condition, (place, metric) in product(made.conditions, enumerate([*METRICS, "any"])):
        seated = [each for each in answers(made, condition) if None not in each[2]]
        wrong, strata = [], []
        for _, plan, given in seated:
            off = [[abs(p - v) > 0.25 for p, v in zip(plan, verdict, strict=True)] for verdict in given]
            wrong.append([any(each) if metric == "any" else each[place] for each in off])
        found = row(result, condition=condition, metric=metric)
        rates = [mean(each[judge] for each in wrong) for judge in range(3)]
        independent = 100 * rates[0] * rates[1] * rates[2]
        observed = 100 * mean(all(each) for each in wrong)
        assert (found["n"], found["judges"], found["shared"]) == (len(seated), 3, sum(map(all, wrong)))
        assert found["records"] == len({r for (r, _, _), w in zip(seated, wrong, strict=True) if all(w)})
        assert found["mean_error"] == pytest.approx(100 * mean(rates))
        assert found["observed"] == pytest.approx(observed)
        assert found["independent"] == pytest.approx(independent)
        assert found["excess"] == pytest.approx(observed - independent)
        assert found["excess_lo"] < found["excess"] < found["excess_hi"]
        assert found["observed_lo"] <= found["observed"] <= found["observed_hi"]
        strata = stratified(made, condition, place, wrong)
        assert found["stratified"] == pytest.approx(strata)
        assert found["excess_within"] == pytest.approx(observed - strata)


def stratified(made, condition, place, wrong):
    """Expected share if judges are independent among plans of one tier and one nearest mark."""
    groups = {}
    position = 0
    for record, generator, tier in product(made.records, made.generators, made.tiers):
        plan = made.plan(record, tier, generator)
        given = [made.verdict(record, tier, generator, judge, condition, 0) for judge in MEMBERS]
        if isinstance(plan, str) or any(isinstance(each, str) for each in given):
            continue
        # half a mark between two goes to the higher one
        nearest = [min((0, 0.5, 1), key=lambda mark, p=p: (abs(p - mark), -mark)) for p in plan]
        mark = min(nearest) if place == len(METRICS) else nearest[place]
        groups.setdefault((tier, mark), []).append(wrong[position])
        position += 1
    assert position == len(wrong)
    total = 0.0
    for group in groups.values():
        rates = [mean(each[judge] for each in group) for judge in range(3)]
        total += len(group) / len(wrong) * rates[0] * rates[1] * rates[2]
    return 100 * total


def test_judges_that_fail_on_the_same_plan_show_an_excess_that_plain_difficulty_explains(experiment):
    made = experiment(
        records=dict.fromkeys("abcd", "linear"),
        tiers=["hard"],
        plan=lambda record, *_: (0, 1, 1, 1) if record == "a" else (1, 1, 1, 1),
        verdict=lambda *_: (1, 1, 1, 1),
    )
    result = failure_table(made.inputs())
    found = row(result, condition="with_gt", metric="tool_selection")
    # both wrong on one plan of four: 25 %, independent 25 % x 25 %; all such plans have the mark 0
    assert found["observed"] == 25
    assert found["independent"] == 6.25
    assert found["excess"] == 18.75
    assert (found["stratified"], found["excess_within"], found["too_high"]) == (25, 0, 100)
    none = row(result, condition="with_gt", metric="sequence")
    assert (none["observed"], none["excess"], none["too_high_reason"]) == (0, 0, "no such plan")
    assert row(result, condition="with_gt", metric="any")["observed"] == 25


def test_the_tolerance_decides_what_a_misjudgement_is(experiment):
    changes = {"plan": lambda *_: (0.75, 1, 1, 1), "tiers": ["hard"]}
    near = row(failure_table(experiment(**changes).inputs()), condition="with_gt", metric="tool_selection")
    assert near["observed"] == 0
    settings = {"tables": {"correlated_failures": {"tolerance": 0.2}}}
    strict = failure_table(experiment(**changes, settings=settings).inputs())
    assert row(strict, condition="with_gt", metric="tool_selection")["observed"] == 100


def test_one_judge_alone_shares_no_error(experiment):
    found = failure_table(experiment(judges=["ada"]).inputs()).frame
    assert found["observed"].eq(0).all()
    assert found[["independent", "excess", "stratified", "excess_within"]].isna().all(axis=None)
    assert set(found["reason"]) == {"errors are shared by two judges or more"}
