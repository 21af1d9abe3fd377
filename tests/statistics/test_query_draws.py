"""Resampling of queries: what is drawn, and how often an interval holds the truth."""

import numpy as np
import pytest
from scipy.stats import norm
from sklearn.metrics import roc_auc_score

from plumbline.statistics.queries import QueryDraw, interval, significant
from plumbline.statistics.resampling import Interval
from plumbline.statistics.scored import Scored, auroc, gap, threshold


@pytest.mark.parametrize("stream", ["draws", "multinomial"])
def test_every_resample_draws_as_many_queries_as_there_are(stream):
    weights = QueryDraw(17, resamples=200, seed=1, stream=stream).weights
    assert weights.shape == (17, 201)
    assert (weights[:, 0] == 1).all()
    assert (weights.sum(axis=0) == 17).all()
    # a query is drawn as often as a Poisson variable nearly is: variance 1 - 1/17
    assert weights[:, 1:].var() == pytest.approx(1 - 1 / 17, abs=0.05)


def test_the_two_streams_and_two_seeds_differ_and_a_seed_repeats():
    draws = [
        QueryDraw(9, resamples=50, seed=seed, stream=stream).weights.tolist()
        for seed, stream in ((1, "draws"), (2, "draws"), (1, "multinomial"), (1, "draws"))
    ]
    assert draws[0] == draws[3]
    assert draws[0] != draws[1] != draws[2] != draws[0]


def test_a_statistic_in_chunks_equals_scikit_learn_on_each_resample():
    rng = np.random.default_rng(4)
    units, correct = rng.integers(0, 25, 150), rng.random(150) < 0.6
    scores = rng.integers(0, 12, 150) / 11
    draw = QueryDraw(25, resamples=150, seed=5)
    c, w = (Scored.of(scores[part], units[part]) for part in (correct, ~correct))
    values = draw.apply(lambda weights: auroc(c, w, weights))
    assert values.shape == (151,)
    for column, value in enumerate(values):
        weight = draw.weights[units, column]
        assert value == pytest.approx(100 * roc_auc_score(correct, scores, sample_weight=weight), abs=1e-9)


def test_items_of_a_query_are_drawn_together():
    # two items a query: the mean of a resample is that of its queries
    draw = QueryDraw(6, resamples=30, seed=0)
    units = np.repeat(np.arange(6), 2)
    values = np.arange(12.0)
    found = draw.apply(lambda weights: values @ weights[units] / weights[units].sum(axis=0))
    by_query = values.reshape(6, 2).mean(axis=1)
    assert found == pytest.approx(by_query @ draw.weights / 6)


def test_an_interval_names_why_it_is_missing():
    nothing = np.full(11, np.nan)
    assert interval(nothing, 4) == Interval(None, None, None, "empty")
    assert interval(np.full(11, 3.0), 1) == Interval(3.0, None, None, "single_unit")
    partly = np.array([2.0, np.nan, 1.0, 3.0])
    assert interval(partly, 5).low == pytest.approx(np.quantile([1.0, 3.0], 0.025))


def test_a_difference_is_significant_if_its_interval_leaves_out_zero():
    assert significant(Interval(2.0, 0.1, 4.0)) is True
    assert significant(Interval(-2.0, -4.0, -0.1)) is True
    assert significant(Interval(1.0, -0.1, 4.0)) is False
    assert significant(Interval(1.0, None, None, "single_unit")) is None


def judged(rng, queries, shift):
    """Items of a judge with known gap and AUROC; a query shifts its items together.

    Correct scores are normal with mean 1 in view and 1 - `shift` out of view, wrong ones with mean 0; items
    of a query share a third of the unit variance.
    """
    count = 8
    units = np.repeat(np.arange(queries), count)
    correct = np.tile([True, True, True, True, True, False, False, False], queries)
    hidden = np.tile([False, False, False, True, True, False, False, False], queries)
    shared = np.repeat(rng.normal(0, np.sqrt(1 / 3), queries), count)
    scores = shared + rng.normal(0, np.sqrt(2 / 3), units.size) + correct * (1.0 - shift * hidden)
    return scores, correct, hidden, units


def truth(shift, rate=0.8):
    """AUROC and gap of that judge for endlessly many queries."""
    # most pairs of a correct and a wrong item are of two queries: their difference has variance 2
    share = [3 / 5, 2 / 5]
    area = 100 * (share[0] * norm.cdf(1 / np.sqrt(2)) + share[1] * norm.cdf((1 - shift) / np.sqrt(2)))
    low, high = -10.0, 10.0
    for _ in range(80):
        middle = (low + high) / 2
        mass = share[0] * norm.sf(middle - 1) + share[1] * norm.sf(middle - 1 + shift)
        low, high = (middle, high) if mass > rate else (low, middle)
    return area, 100 * (norm.sf(low - 1) - norm.sf(low - 1 + shift))


def test_a_judge_of_known_gap_and_auroc_is_recovered_at_the_stated_rate():
    """300 data sets of 80 queries, intervals of 95 %: the share of hits has a standard error of 1.3 %."""
    area, apart = truth(0.7)
    rng = np.random.default_rng(20260930)
    trials, hits = 300, np.zeros(2)
    for seed in range(trials):
        scores, correct, hidden, units = judged(rng, 80, 0.7)
        parts = [correct, ~correct, correct & ~hidden, correct & hidden]
        c, w, visible, path = (Scored.of(scores[part], units[part]) for part in parts)

        def both(weights, c=c, w=w, visible=visible, path=path):
            return np.stack([auroc(c, w, weights), gap(visible, path, weights, threshold(c, weights))])

        values = QueryDraw(80, resamples=400, seed=seed).apply(both)
        found = [interval(row, 80) for row in values]
        hits += [each.low <= true <= each.high for each, true in zip(found, (area, apart), strict=True)]
    assert (hits / trials >= 0.90).all(), hits / trials
    # intervals that always hold the truth would be too wide
    assert (hits / trials < 0.995).all(), hits / trials
