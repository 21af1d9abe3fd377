"""Every table against loops over the random experiment's own answers, without frames."""

from itertools import product
from statistics import mean

import pytest

from plumbline.records import METRICS, TOPOLOGIES
from plumbline.tables.alignment import alignment_table, interval_table
from plumbline.tables.breakdowns import metric_table, topology_table
from plumbline.tables.coverage import coverage_table, plan_table
from plumbline.tables.generators import accuracy_table
from plumbline.tables.lift import lift_table


def row(result, **where):
    frame = result.frame
    for name, value in where.items():
        frame = frame[frame[name] == value]
    assert len(frame) == 1
    return frame.iloc[0]


def matched(made, records=None, generators=None, tiers=None, judges=None, conditions=None):
    """Give the four matches of each ok verdict of the named cells."""
    found = []
    for record, generator, tier, judge, condition in product(
        made.records if records is None else records,
        generators or made.generators,
        tiers or made.tiers,
        judges or made.judges,
        conditions or made.conditions,
    ):
        plan = made.plan(record, tier, generator)
        verdict = made.verdict(record, tier, generator, judge, condition, 0)
        if not isinstance(plan, str) and not isinstance(verdict, str):
            found.append([100 * (1 - abs(p - v)) for p, v in zip(plan, verdict, strict=True)])
    return found


def points(matches):
    return mean(mean(four) for four in matches)


@pytest.fixture
def made(random_experiment):
    return random_experiment


@pytest.fixture
def inputs(made):
    return made.inputs()


def test_alignment_of_every_cell_agrees_with_a_loop(made, inputs):
    wide, long = alignment_table(inputs), interval_table(inputs)
    for generator, judge, tier, condition in product(
        made.generators, made.judges, made.tiers, made.conditions
    ):
        expected = matched(made, None, [generator], [tier], [judge], [condition])
        cell = row(wide, generator=generator, judge=judge)
        assert cell[f"{tier}.{condition}"] == pytest.approx(points(expected))
        assert cell[f"{tier}.{condition}.n"] == len(expected)
        line = row(long, generator=generator, judge=judge, tier=tier, condition=condition)
        assert line["mean"] == pytest.approx(points(expected))
        assert (line["n"], line["lo"] < line["mean"] < line["hi"]) == (len(expected), True)
        assert line["half_width"] == pytest.approx((line["hi"] - line["lo"]) / 2)
        by_topology = [
            matched(
                made,
                [r for r, t in made.records.items() if t == topology],
                [generator],
                [tier],
                [judge],
                [condition],
            )
            for topology in TOPOLOGIES
        ]
        assert line["balanced"] == pytest.approx(mean(points(some) for some in by_topology if some))


def test_asked_counts_the_ok_plans(made, inputs):
    for line in interval_table(inputs).frame.itertuples():
        plans = [made.plan(record, line.tier, line.generator) for record in made.records]
        assert line.asked == sum(not isinstance(plan, str) for plan in plans)


def test_lift_agrees_with_a_loop_over_paired_plans(made, inputs):
    for judge in made.judges:
        shown, hidden, count = [], [], 0
        for generator, tier in product(made.generators, made.tiers):
            pairs = [
                [
                    matched(made, [record], [generator], [tier], [judge], [condition])
                    for condition in made.conditions
                ]
                for record in made.records
            ]
            pairs = [(first, second) for first, second in pairs if first and second]
            shown.append(mean(points(first) for first, _ in pairs))
            hidden.append(mean(points(second) for _, second in pairs))
            count += len(pairs)
        found = row(lift_table(inputs), judge=judge)
        assert found["aligned_with"] == pytest.approx(mean(shown))
        assert found["aligned_without"] == pytest.approx(mean(hidden))
        assert found["lift"] == pytest.approx(mean(shown) - mean(hidden))
        assert found["lo"] < found["lift"] < found["hi"]
        assert (found["n"], found["cells"], found["possible"]) == (count, 6, 6)


def test_metrics_agree_with_a_loop_over_pooled_verdicts(made, inputs):
    for judge, condition in product(made.judges, made.conditions):
        pooled = matched(made, judges=[judge], conditions=[condition])
        found = row(metric_table(inputs), judge=judge, condition=condition)
        for place, metric in enumerate(METRICS):
            assert found[metric] == pytest.approx(mean(four[place] for four in pooled))
        assert found["mean"] == pytest.approx(points(pooled))
        assert found["n"] == len(pooled)


def test_topologies_agree_with_a_loop_and_others_stay_out(made, inputs):
    result = topology_table(inputs)
    for judge, condition, topology in product(made.judges, made.conditions, TOPOLOGIES):
        records = [name for name, its in made.records.items() if its == topology]
        found = row(result, judge=judge, condition=condition)
        if records:
            pooled = matched(made, records, judges=[judge], conditions=[condition])
            assert found[topology] == pytest.approx(points(pooled))
            assert found[f"{topology}.n"] == len(pooled)
        else:
            assert found[f"{topology}_reason"] == "no record of this topology"
    # records 3, 7, 11, 15 of 18
    assert result.notes[0].endswith("4 records (single 4).")
    assert "single" not in result.frame


def test_accuracy_agrees_with_a_loop_and_is_ordered_by_the_hardest_tier(made, inputs):
    result = accuracy_table(inputs)
    for generator, tier in product(made.generators, made.tiers):
        plans = [made.plan(record, tier, generator) for record in made.records]
        scored = [plan for plan in plans if not isinstance(plan, str)]
        assert row(result, generator=generator)[tier] == pytest.approx(100 * mean(map(mean, scored)))
        assert row(result, generator=generator)[f"{tier}.n"] == len(scored)
    assert result.frame["hard"].is_monotonic_decreasing


def test_coverage_counts_every_status(made, inputs):
    result = coverage_table(inputs)
    assert len(result.frame) == 2 * 2 * 3 * 2
    for line in result.frame.itertuples():
        plans = {record: made.plan(record, line.tier, line.generator) for record in made.records}
        answers = [
            made.verdict(record, line.tier, line.generator, line.judge, line.condition, 0)
            for record, plan in plans.items()
            if not isinstance(plan, str)
        ]
        ok = sum(not isinstance(answer, str) for answer in answers)
        assert (line.possible, line.asked, line.ok) == (18, len(answers), ok)
        assert line.coverage == pytest.approx(100 * ok / len(answers))
        assert (line.off_scale, line.empty) == (answers.count("off_scale"), answers.count("empty"))
        assert line.not_asked == 18 - len(answers)


def test_plans_are_counted_by_cause_with_totals(made, inputs):
    result = plan_table(inputs)
    plans = [made.plan(*cell) for cell in product(made.records, made.tiers, made.generators)]
    total = row(result, generator="total", tier="total")
    assert (total["possible"], total["malformed"], total["truncated"]) == (
        108,
        plans.count("malformed"),
        plans.count("truncated"),
    )
    assert total["ok"] == 108 - plans.count("malformed") - plans.count("truncated")
    assert total["rate"] == pytest.approx(100 * total["ok"] / 108)
    one = row(result, generator="gen", tier="hard")
    of_cell = [made.plan(record, "hard", "gen") for record in made.records]
    assert (one["possible"], one["malformed"]) == (18, of_cell.count("malformed"))


def test_notes_say_what_a_table_rests_on(made, inputs):
    answers = [
        made.verdict(record, tier, generator, judge, condition, 0)
        for record, generator, tier, judge, condition in product(
            made.records, made.generators, made.tiers, made.judges, made.conditions
        )
        if not isinstance(made.plan(record, tier, generator), str)
    ]
    ok = sum(not isinstance(answer, str) for answer in answers)
    notes = " ".join(alignment_table(inputs).notes)
    assert f"Rests on {ok} of {len(answers)} ({100 * ok / len(answers):.1f} %) verdicts asked for." in notes
    assert f"off_scale {answers.count('off_scale')}" in notes
    assert f"empty {answers.count('empty')}" in notes
    assert f"because the plan was lost: {432 - len(answers)}." in notes
