"""The robustness tables against loops over the random experiment's own answers, without frames."""

from itertools import product
from statistics import mean, stdev

import numpy as np
import pandas as pd
import pytest
from scipy.stats import spearmanr, t

from plumbline.records import METRICS
from plumbline.statistics.ranks import spearman_p_value
from plumbline.tables.biases import mismatch_table, self_bias_table
from plumbline.tables.binary import binary_table
from plumbline.tables.degradation import checks_table, slopes_table
from plumbline.tables.extra_keys import alignment_table as extra_alignment
from plumbline.tables.extra_keys import calls_table
from plumbline.tables.leaders import guide_table, winners_table
from plumbline.tables.noise import noise_table
from plumbline.tables.over_anchoring import counts_table, list_table
from plumbline.tables.weights import parameter_table, scheme_table

JUDGES = ["ada", "bob", "eve", "dan"]


@pytest.fixture
def made(random_experiment):
    random_experiment.judges = JUDGES
    random_experiment.readings = lambda record, tier, gen: (*readings(record, tier, gen), 1)
    return random_experiment


@pytest.fixture
def inputs(made):
    return made.inputs()


def readings(record, tier, generator):
    """Two made-up readings of parameter structure."""
    number = int(record[1:]) % 4
    return number / 4, (number + 1) / 4


def pairs(made, judge, condition, generators=None, tiers=None):
    """Give (plan, verdict, record, tier, generator) of each ok verdict."""
    for generator, tier, record in product(generators or made.generators, tiers or made.tiers, made.records):
        plan = made.plan(record, tier, generator)
        verdict = made.verdict(record, tier, generator, judge, condition, 0)
        if not isinstance(plan, str) and not isinstance(verdict, str):
            yield plan, verdict, record, tier, generator


def points(found, weights=(1, 1, 1, 1)):
    return mean(
        100 * sum(w * (1 - abs(p - v)) for w, p, v in zip(weights, plan, verdict, strict=True)) / sum(weights)
        for plan, verdict, *_ in found
    )


def cell(made, judge, condition, generator, tier):
    return points(pairs(made, judge, condition, [generator], [tier]))


def test_falls_agree_with_a_loop(made, inputs):
    frame = checks_table(inputs).frame.set_index(["condition", "generator", "judge"])
    for key in product(made.conditions, made.generators, made.judges):
        condition, generator, judge = key
        levels = [cell(made, judge, condition, generator, tier) for tier in made.tiers]
        steps = [first - second for first, second in zip(levels, levels[1:], strict=False)]
        assert frame.loc[key, "falls"] == all(step > 0 for step in steps)
        assert frame.loc[key, "least_fall"] == pytest.approx(min(steps))
        assert 0 <= frame.loc[key, "share"] <= 100


def test_slopes_agree_with_a_loop(made, inputs):
    frame = slopes_table(inputs).frame.set_index(["condition", "view", "name"])
    slopes = {}
    for condition in made.conditions:
        views = [("all", "all", made.judges, made.generators)]
        views += [("judge", judge, [judge], made.generators) for judge in made.judges]
        views += [("generator", generator, made.judges, [generator]) for generator in made.generators]
        for view, name, judges, generators in views:
            levels = {
                tier: mean(cell(made, j, condition, g, tier) for j, g in product(judges, generators))
                for tier in made.tiers
            }
            line = frame.loc[(condition, view, name)]
            slopes[condition, view, name] = levels["hard"] - levels["easy"]
            assert line["medium"] == pytest.approx(levels["medium"])
            assert line["slope"] == pytest.approx(slopes[condition, view, name])
            assert line["drop"] == pytest.approx(levels["hard"] - levels["medium"])
            assert line["lo"] < line["slope"] < line["hi"]
    for (condition, view, name), slope in slopes.items():
        ratio = frame.loc[(condition, view, name), "ratio"]
        if condition == "without_gt":
            assert ratio == pytest.approx(slope / slopes["with_gt", view, name])
        else:
            assert np.isnan(ratio)


def test_leaders_agree_with_a_loop(made, inputs):
    guide = guide_table(inputs).frame.set_index(["condition", "tier"])
    cells = winners_table(inputs).frame.set_index(["condition", "generator", "tier"])
    for condition, tier in product(made.conditions, made.tiers):
        for generators, line in (
            (made.generators, guide.loc[(condition, tier)]),
            (["other"], cells.loc[(condition, "other", tier)]),
        ):
            means = {
                judge: mean(cell(made, judge, condition, generator, tier) for generator in generators)
                for judge in made.judges
            }
            first, second, *_ = sorted(means, key=lambda judge: -means[judge])
            assert (line["best"], line["runner_up"]) == (first, second)
            assert line["margin"] == pytest.approx(means[first] - means[second])
            assert line["lo"] < line["margin"] < line["hi"]


def test_weight_schemes_agree_with_a_loop_and_with_scipy(made, inputs):
    schemes = {
        "equal": (1, 1, 1, 1),
        "sequence_x2": (1, 1, 2, 1),
        "parameter_x2": (1, 2, 1, 1),
        "coverage_x0.5": (1, 1, 1, 0.5),
        "sequence_x2_parameter_x2": (1, 2, 2, 1),
    }
    frame = scheme_table(inputs).frame.set_index(["condition", "scheme"])
    assert list(frame.loc["with_gt"].index) == list(schemes)
    for condition in made.conditions:
        plain = [points(pairs(made, judge, condition)) for judge in made.judges]
        for scheme, weights in schemes.items():
            values = [points(pairs(made, judge, condition), weights) for judge in made.judges]
            line = frame.loc[(condition, scheme)]
            assert [line[f"alignment.{judge}"] for judge in made.judges] == pytest.approx(values)
            assert line["spearman"] == pytest.approx(spearmanr(plain, values).statistic)
            assert line["largest_shift"] == pytest.approx(np.abs(np.subtract(plain, values)).max())
            assert line["same_ranking"] == (np.argsort(plain).tolist() == np.argsort(values).tolist())


def test_parameter_weights_agree_with_a_loop(made, inputs):
    frame = parameter_table(inputs).frame.set_index(["condition", "weight"])
    for weight, number in {"1": 1, "1/2": 0.5, "0": 0}.items():
        expected = points(pairs(made, "eve", "without_gt"), (1, number, 1, 1))
        assert frame.loc[("without_gt", weight), "alignment.eve"] == pytest.approx(expected)


def test_means_of_cells_weigh_every_cell_the_same(made):
    made.settings = {"tables": {"weight_schemes": {"average": "cells"}}}
    frame = scheme_table(made.inputs()).frame.set_index(["condition", "scheme"])
    expected = mean(cell(made, "ada", "with_gt", *key) for key in product(made.generators, made.tiers))
    assert frame.loc[("with_gt", "equal"), "alignment.ada"] == pytest.approx(expected)


def test_other_readings_of_extra_keys_agree_with_a_loop(made, inputs):
    frame = extra_alignment(inputs).frame.set_index("judge")
    lenient, aware = [], []
    for judge in made.judges:
        found = list(pairs(made, judge, "with_gt"))
        for place, (values, name) in enumerate(((lenient, "lenient"), (aware, "schema_aware"))):
            replaced = [
                ((p[0], readings(record, tier, generator)[place], *p[2:]), verdict)
                for p, verdict, record, tier, generator in found
            ]
            values.append(points(replaced))
            assert frame.loc[judge, name] == pytest.approx(values[-1])
            assert frame.loc[judge, f"{name}_change"] == pytest.approx(values[-1] - points(found))
        assert frame.loc[judge, "n"] == len(found)
    assert frame.loc[JUDGES, "lenient_rank"].tolist() == (4 - np.argsort(np.argsort(lenient))).tolist()
    assert frame.loc["all judges", "schema_aware"] == pytest.approx(mean(aware))


def test_calls_with_extra_keys_agree_with_a_loop(made, inputs):
    frame = calls_table(inputs).frame.set_index("generator")
    for name, generators in (("gen", ["gen"]), ("total", made.generators)):
        plans = [
            (made.plan(record, tier, generator), readings(record, tier, generator))
            for record, tier, generator in product(made.records, made.tiers, generators)
        ]
        plans = [(plan, beside) for plan, beside in plans if not isinstance(plan, str)]
        line = frame.loc[name]
        # every plan has one call, and its one call is said to have extra keys
        assert (line["plans"], line["calls"], line["extra_key_calls"], line["share"]) == (
            len(plans),
            len(plans),
            len(plans),
            100,
        )
        assert line["strict"] == pytest.approx(100 * mean(plan[1] for plan, _ in plans))
        assert line["lenient"] == pytest.approx(100 * mean(beside[0] for _, beside in plans))
        assert line["lenient_change"] == pytest.approx(line["lenient"] - line["strict"])


@pytest.mark.parametrize("rule", ["draft", "script"])
def test_over_anchoring_agrees_with_a_loop(made, rule):
    made.settings = {"over_anchor": {"rule": rule, "judge": "eve"}}
    inputs = made.inputs()
    frame = counts_table(inputs).frame.set_index("judge")
    for judge in made.judges:
        hits, lowered, compared = [], 0, 0
        for plan, shown, record, tier, generator in pairs(made, judge, "with_gt", tiers=["hard"]):
            hidden = made.verdict(record, tier, generator, judge, "without_gt", 0)
            if isinstance(hidden, str):
                continue
            compared += 1
            for metric, p, a, b in zip(METRICS, plan, shown, hidden, strict=True):
                lowered += p < 1
                draft = a > p and b <= p + 0.1
                script = p < 1 and a == 1 and b < a
                if draft if rule == "draft" else script:
                    hits.append((record, generator, metric, p, a, b))
        line = frame.loc[judge]
        assert hits
        assert (line["instances"], line["lowered"], line["compared"]) == (len(hits), lowered, compared)
        assert line["plans"] == len({hit[:2] for hit in hits})
        assert line["records"] == len({hit[0] for hit in hits})
        assert line["share"] == pytest.approx(100 * len(hits) / lowered)
        if judge == "eve":
            names = [
                "record_id",
                "generator",
                "metric",
                "programmatic",
                "score_with",
                "score_without",
            ]
            listed = list_table(inputs).frame[names]
            assert sorted(listed.itertuples(index=False, name=None)) == sorted(hits)
            assert (listed["score_with"] - listed["programmatic"]).is_monotonic_decreasing


def collapsed(plan, verdict, both):
    for p, v in zip(plan, verdict, strict=True):
        side = 0 if p < 0.5 else 1
        yield 1 - abs((side if both else p) - (side if v == 0.5 else v))


@pytest.mark.parametrize("reading", ["collapsed", "raw"])
def test_two_marks_agree_with_a_loop_and_with_scipy(made, reading):
    made.settings = {"binary": {"reference": reading}}
    frame = binary_table(made.inputs()).frame.set_index(["condition", "judge"])
    both = reading == "collapsed"
    standard, binary = [], []
    for judge in made.judges:
        cells = [
            [list(pair[:2]) for pair in pairs(made, judge, "with_gt", [generator], [tier])]
            for generator, tier in product(made.generators, made.tiers)
        ]
        standard.append(mean(points(found) for found in cells))
        for values, name, kind in ((binary, "binary", both), ([], "other_reading", not both)):
            values.append(mean(mean(100 * mean(collapsed(*pair, kind)) for pair in found) for found in cells))
            assert frame.loc[("with_gt", judge), name] == pytest.approx(values[-1])
        assert frame.loc[("with_gt", judge), "standard"] == pytest.approx(standard[-1])
        scores = [score for found in cells for _, verdict in found for score in verdict]
        rate = 100 * scores.count(0.5) / len(scores)
        assert frame.loc[("with_gt", judge), "half_rate"] == pytest.approx(rate)
    summary = frame.loc[("with_gt", "all judges")]
    oracle = spearmanr(standard, binary)
    assert summary["spearman"] == pytest.approx(oracle.statistic)
    assert summary["p_value"] == pytest.approx(oracle.pvalue, nan_ok=True)


def test_the_p_value_of_the_published_rankings_is_the_published_one(project_root):
    table = pd.read_csv(project_root / "resources" / "published" / "binary_scale.csv")
    value = table.pivot_table(index="judge", columns="quantity", values="value")
    value = value.drop(index="six_judges")
    found = spearman_p_value(value["standard"], value["binary"])
    rho = spearmanr(value["standard"], value["binary"]).statistic
    statistic = abs(rho) * np.sqrt(4 / (1 - rho**2))
    assert found.value == pytest.approx(2 * t.sf(statistic, 4))
    assert round(found.value, 2) == 0.96
    assert spearman_p_value([1, 2], [2, 1]).reason == "empty"
    assert spearman_p_value([1, 2, 3], [1, 1, 1]).reason == "constant"


def test_bias_agrees_with_a_loop(made):
    """The judge ada is the model that writes as gen."""
    config = made.config.model_dump()
    made.settings = {
        "models": {"m": {"engine": "embedded"}, "mine": {"engine": "embedded"}},
        "generators": {"gen": {"model": "mine"}, "other": {"model": "m"}},
        "judges": {"ada": {"model": "mine"}}
        | {name: {"model": "m2"} for name in config["judges"] if name != "ada"},
    }
    made.settings["models"]["m2"] = {"engine": "embedded"}
    frame = self_bias_table(made.inputs()).frame
    assert set(frame["judge"]) == {"ada"}
    frame = frame.set_index(["condition", "metric", "role"])
    for condition, (place, metric) in product(made.conditions, enumerate(METRICS)):
        bias = {
            role: mean(v[place] - p[place] for p, v, *_ in pairs(made, "ada", condition, [generator]))
            for role, generator in (("own", "gen"), ("other", "other"))
        }
        for role, expected in (*bias.items(), ("own minus others", bias["own"] - bias["other"])):
            line = frame.loc[(condition, metric, role)]
            assert line["bias"] == pytest.approx(expected)
            assert line["lo"] < line["bias"] < line["hi"]


@pytest.mark.parametrize("unit", ["count", "error"])
def test_mismatches_agree_with_a_loop(made, unit):
    made.settings = {"mismatch": {"unit": unit}}
    frame = mismatch_table(made.inputs()).frame.set_index(["condition", "judge"])
    for condition, judge in product(made.conditions, made.judges):
        errors = [
            [abs(p - v) for p, v in zip(plan, verdict, strict=True)]
            for plan, verdict, *_ in pairs(made, judge, condition)
        ]
        weight = (lambda error: error) if unit == "error" else (lambda error: error > 0)
        sums = [sum(weight(four[place]) for four in errors) for place in range(4)]
        line = frame.loc[(condition, judge)]
        assert line[list(METRICS)].tolist() == pytest.approx([100 * part / sum(sums) for part in sums])
        assert line["mismatches"] == sum(error > 0 for four in errors for error in four)
        assert line["scores"] == 4 * len(errors)


def test_the_standard_deviation_of_replicates_is_that_of_their_means(made):
    made.replicates = 3
    frame = noise_table(made.inputs()).frame
    assert set(frame["kind"]) == {"replicates"}
    frame = frame.set_index(["conditions", "generator", "judge", "tier"])
    for key in product(made.conditions, made.generators, made.judges, made.tiers):
        condition, generator, judge, tier = key
        means = []
        for replicate in range(3):
            found = []
            for record in made.records:
                plan = made.plan(record, tier, generator)
                verdict = made.verdict(record, tier, generator, judge, condition, replicate)
                if not isinstance(plan, str) and not isinstance(verdict, str):
                    found.append((plan, verdict))
            means.append(points(found))
        line = frame.loc[key]
        assert line["sd"] == pytest.approx(stdev(means))
        assert line["spread"] == pytest.approx(max(means) - min(means))
        assert line["values"] == 3
