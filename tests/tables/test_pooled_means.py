"""What the tables by metric and by topology pool, and what weighs the same (C-A2)."""

from itertools import product
from statistics import mean

import pytest

from plumbline.records import METRICS
from plumbline.tables.breakdowns import metric_table, topology_table


def cell(made, judge, generator, tier, topology=None):
    """Matches of tool selection, or of all metrics on one topology, of one cell with the expected calls."""
    found = []
    for record, shape in made.records.items():
        plan = made.plan(record, tier, generator)
        verdict = made.verdict(record, tier, generator, judge, "with_gt", 0)
        if not isinstance(plan, str) and not isinstance(verdict, str) and topology in (None, shape):
            four = [100 * (1 - abs(p - v)) for p, v in zip(plan, verdict, strict=True)]
            found.append(four[0] if topology is None else mean(four))
    return found


def shown(result, judge, column):
    frame = result.frame
    return frame[(frame["condition"] == "with_gt") & (frame["judge"] == judge)].iloc[0][column]


@pytest.mark.parametrize(("pool", "generators"), [("open_weight", ["other"]), ("all", ["gen", "other"])])
def test_tables_pool_open_weight_generators_or_all(random_experiment, pool, generators):
    made = random_experiment
    made.settings = {
        "open_weight": ["other"],
        "tables": {"per_metric": {"generators": pool}, "per_topology": {"generators": pool}},
    }
    inputs = made.inputs()
    for judge in made.judges:
        cells = list(product([judge], generators, made.tiers))
        pooled = [value for each in cells for value in cell(made, *each)]
        assert shown(metric_table(inputs), judge, METRICS[0]) == pytest.approx(mean(pooled))
        assert shown(metric_table(inputs), judge, "n") == len(pooled)
        linear = [value for each in cells for value in cell(made, *each, "linear")]
        assert shown(topology_table(inputs), judge, "linear") == pytest.approx(mean(linear))


def test_cells_can_weigh_the_same_instead_of_plans(random_experiment):
    made = random_experiment
    made.settings = {"tables": {name: {"average": "cells"} for name in ("per_metric", "per_topology")}}
    inputs = made.inputs()
    for judge in made.judges:
        cells = list(product([judge], made.generators, made.tiers))
        expected = mean(mean(cell(made, *each)) for each in cells)
        assert shown(metric_table(inputs), judge, METRICS[0]) == pytest.approx(expected)
        linear = [cell(made, *each, "linear") for each in cells]
        known = [mean(values) for values in linear if values]
        assert shown(topology_table(inputs), judge, "linear") == pytest.approx(mean(known))
        assert shown(topology_table(inputs), judge, "linear.n") == sum(map(len, linear))
    assert "Means over cells of tier and generator, each weighing the same." in metric_table(inputs).notes


def test_a_block_without_an_open_weight_generator_pools_all_and_says_so(random_experiment):
    made = random_experiment
    made.settings = {
        "open_weight": ["other"],
        "blocks": {"main": {"conditions": ["with_gt"], "generators": ["gen"]}},
    }
    inputs = made.inputs()
    expected = [value for tier in made.tiers for value in cell(made, "ada", "gen", tier)]
    assert shown(metric_table(inputs), "ada", METRICS[0]) == pytest.approx(mean(expected))
    assert "Plans of gen pooled; `open_weight` names none of this block's generators." in (
        metric_table(inputs).notes
    )
