"""Call scores, the lowest argument and the worst-case deletion against loops and brute force."""

from itertools import combinations

import numpy as np
import pytest
from sklearn.metrics import roc_auc_score

from plumbline.statistics.call_scores import call_scores, lowest_out_of_view
from plumbline.statistics.deletion import deletion_count, worst_deletion

RULES = {
    "min_all": lambda whole, parts: min([whole, *parts]),
    "min_arguments": lambda whole, parts: min(parts) if parts else whole,
    "product": lambda whole, parts: whole * np.prod(parts),
    "mean_with_min": lambda whole, parts: (whole + min(parts)) / 2 if parts else whole,
}


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("seed", range(10))
def test_a_call_score_agrees_with_a_loop_over_calls(rule, seed):
    rng = np.random.default_rng(seed)
    calls = rng.integers(0, 7, 20)
    whole, parts = rng.random(9), rng.random(20)  # the last two calls have no arguments
    found = call_scores(whole, parts, calls, rule)
    for call in range(9):
        expected = RULES[rule](whole[call], parts[calls == call].tolist())
        assert found[call] == pytest.approx(expected)


def test_a_call_that_lacks_a_score_has_none():
    whole, parts, calls = [0.9, np.nan, 0.9], [0.5, np.nan, 0.7], [0, 0, 1]
    for rule in RULES:
        found = call_scores(whole, parts, calls, rule)
        assert np.isnan(found[0])
        assert np.isnan(found[1]) == (rule != "min_arguments")
        assert found[2] == 0.9


@pytest.mark.parametrize("seed", range(20))
def test_the_lowest_argument_agrees_with_a_loop_over_calls(seed):
    rng = np.random.default_rng(seed)
    calls, scores = rng.integers(0, 8, 30), rng.integers(0, 4, 30) / 3
    hidden = rng.random(30) < 0.5
    found = lowest_out_of_view(scores, hidden, calls, 9)
    for call in range(9):
        mine = calls == call
        if not hidden[mine].any() or hidden[mine].all():
            assert np.isnan([found.share[call], found.chance[call]]).all()
            continue
        lowest = mine & (scores == scores[mine].min())
        assert found.share[call] == pytest.approx((lowest & hidden).sum() / lowest.sum())
        assert found.chance[call] == pytest.approx(hidden[mine].mean())


def test_a_call_with_an_unscored_argument_has_no_lowest_one():
    found = lowest_out_of_view([0.1, np.nan, 0.3, 0.2], [True, False, True, False], [0, 0, 1, 1], 2)
    assert np.isnan(found.share[0])
    assert (found.share[1], found.chance[1]) == (0.0, 0.5)


@pytest.mark.parametrize("seed", range(15))
def test_no_other_deletion_lowers_the_gain_more(seed):
    rng = np.random.default_rng(seed)
    correct = rng.integers(0, 6, (2, 9)) / 5 + [[0.3], [0.0]]
    wrong = rng.integers(0, 6, (2, 8)) / 5

    def gain(kept):
        truth = np.r_[np.ones(9), np.zeros(kept.sum())]
        areas = [roc_auc_score(truth, np.r_[c, w[kept]]) for c, w in zip(correct, wrong, strict=True)]
        return areas[0] - areas[1]

    for count in (0, 1, 3):
        kept = worst_deletion(tuple(correct), tuple(wrong), count)
        assert (~kept).sum() == count
        every = (~np.isin(np.arange(8), gone) for gone in combinations(range(8), count))
        assert gain(kept) == pytest.approx(min(gain(other) for other in every))


def test_a_share_of_items_is_rounded_half_up():
    # 0.03 * 999 = 29.97; 0.04 * 2796 = 111.84; 0.05 * 10 = 0.5
    assert [deletion_count(0.03, 999), deletion_count(0.04, 2796), deletion_count(0.05, 10)] == [30, 112, 1]
