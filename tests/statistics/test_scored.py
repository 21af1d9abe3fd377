"""AUROC, threshold, acceptance and gap against loops, scikit-learn, and the cases with known answers."""

import json
import warnings
from fractions import Fraction
from itertools import product
from pathlib import Path

import numpy as np
import pytest
from sklearn.metrics import roc_auc_score

from plumbline.statistics.scored import (
    Scored,
    accepted,
    accepted_at,
    auroc,
    gap,
    mean_score,
    threshold,
    win_shares,
)

CASES = json.loads((Path(__file__).parents[1] / "fixtures" / "statistics.json").read_text())["cases"]
SEEDS = range(40)


def cases(function):
    chosen = [case for case in CASES if case["function"] == function]
    assert chosen
    return [pytest.param(case, id=case["id"]) for case in chosen]


def every(scores, chosen=None):
    """Each item its own unit, so that weights are those of items."""
    places = np.arange(len(scores)) if chosen is None else np.flatnonzero(chosen)
    return Scored.of(np.asarray(scores, dtype=float)[places], places)


def weighting(weights, count):
    return np.asarray([1] * count if weights is None else weights, dtype=float)[:, None]


def drawn(seed):
    """Few scores, so that ties abound; few units, so that weights of 0 do."""
    rng = np.random.default_rng(seed)
    count, units = int(rng.integers(2, 40)), int(rng.integers(1, 12))
    scores = rng.integers(0, 6, count) / 5 if seed % 2 else rng.random(count)
    correct = rng.random(count) < rng.choice([0.0, 0.5, 0.8, 1.0], p=[0.1, 0.4, 0.4, 0.1])
    weights = rng.integers(0, 4, (units, 5)).astype(float)
    return scores, correct, rng.integers(0, units, count), weights


def tau_and_q(scores, weights, rate):
    """Threshold by exact fractions and by trying every score."""
    total = sum(weights)
    if total == 0:
        return None
    wanted = rate * total
    tau = max(t for t in scores if sum(w for s, w in zip(scores, weights, strict=True) if s >= t) >= wanted)
    above = sum(w for s, w in zip(scores, weights, strict=True) if s > tau)
    at = sum(w for s, w in zip(scores, weights, strict=True) if s == tau)
    return tau, (wanted - above) / at


@pytest.mark.parametrize("case", cases("auroc"))
def test_auroc_is_as_the_case_says(case):
    given, expect = case["input"], case["expect"]
    correct = np.asarray(given["correct"], dtype=bool)
    weights = weighting(given.get("weights"), correct.size)
    value = auroc(every(given["scores"], correct), every(given["scores"], ~correct), weights)[0]
    if expect["value"] is None:
        assert np.isnan(value)
    else:
        assert value == pytest.approx(100 * expect["value"], abs=1e-9)


@pytest.mark.parametrize("case", cases("acceptance_threshold"))
def test_threshold_and_acceptance_are_as_the_case_says(case):
    given, expect = case["input"], case["expect"]
    weights = weighting(given.get("weights"), len(given["scores"]))
    limit = threshold(every(given["scores"]), weights, given["rate"])
    assert (limit.tau[0], limit.q[0]) == (expect["tau"], pytest.approx(expect["q"], abs=1e-9))
    # one item alone, whatever its weight
    alone = [accepted(Scored.of([s], [0]), np.ones((1, 1)), limit)[0] for s in given["scores"]]
    assert alone == pytest.approx(expect["accepted"], abs=1e-9)


@pytest.mark.parametrize("case", cases("derivation_gap"))
def test_gap_is_as_the_case_says(case):
    given, expect = case["input"], case["expect"]
    paths = np.asarray(given["paths"])
    weights = np.ones((paths.size, 1))
    limit = threshold(every(given["scores"]), weights, given["rate"])
    on_path = paths != "visible" if given["path"] == "out_of_view" else paths == given["path"]
    value = gap(every(given["scores"], paths == "visible"), every(given["scores"], on_path), weights, limit)
    assert (limit.tau[0], limit.q[0]) == (expect["tau"], pytest.approx(expect["q"], abs=1e-9))
    assert np.isnan(value[0]) if expect["value"] is None else value[0] == pytest.approx(expect["value"])


@pytest.mark.parametrize("seed", SEEDS)
def test_auroc_agrees_with_a_loop_over_pairs_and_with_scikit_learn(seed):
    scores, correct, units, weights = drawn(seed)
    c, w = (Scored.of(scores[chosen], units[chosen]) for chosen in (correct, ~correct))
    for column, value in enumerate(auroc(c, w, weights)):
        weight = weights[units, column]
        pairs = list(product(np.flatnonzero(correct), np.flatnonzero(~correct)))
        mass = sum(weight[i] * weight[j] for i, j in pairs)
        if mass == 0:
            assert np.isnan(value)
            continue
        won = sum(
            weight[i] * weight[j] * ((scores[i] > scores[j]) + 0.5 * (scores[i] == scores[j]))
            for i, j in pairs
        )
        assert value == pytest.approx(100 * won / mass, abs=1e-9)
        assert value == pytest.approx(100 * roc_auc_score(correct, scores, sample_weight=weight), abs=1e-9)


@pytest.mark.parametrize("rate", [Fraction(7, 10), Fraction(8, 10), Fraction(9, 10), Fraction(1, 3)])
@pytest.mark.parametrize("seed", SEEDS)
def test_threshold_agrees_with_exact_fractions_and_accepts_exactly_the_rate(seed, rate):
    scores, correct, units, weights = drawn(seed)
    c = Scored.of(scores[correct], units[correct])
    limit = threshold(c, weights, float(rate))
    everything = accepted(c, weights, limit)
    for column in range(weights.shape[1]):
        mass = [Fraction(int(x)) for x in weights[units[correct], column]]
        expected = tau_and_q(scores[correct], mass, rate)
        if expected is None:
            assert np.isnan([limit.tau[column], limit.q[column], everything[column]]).all()
            continue
        tau, q = expected
        assert limit.tau[column] == tau
        assert limit.q[column] == pytest.approx(float(q), abs=1e-9)
        assert everything[column] == pytest.approx(float(rate), abs=1e-9)


@pytest.mark.parametrize("seed", SEEDS)
def test_gap_and_acceptance_agree_with_a_loop_over_items(seed):
    scores, correct, units, weights = drawn(seed)
    visible = np.random.default_rng(seed + 1).random(scores.size) < 0.5
    limit = threshold(Scored.of(scores[correct], units[correct]), weights)
    parts = [correct & visible, correct & ~visible, ~correct]
    in_view, hidden, wrong = (Scored.of(scores[part], units[part]) for part in parts)
    gaps = gap(in_view, hidden, weights, limit)
    for column in range(weights.shape[1]):
        shares = []
        for part in parts:
            weight = weights[units[part], column]
            a = (scores[part] > limit.tau[column]) + limit.q[column] * (scores[part] == limit.tau[column])
            shares.append((weight * a).sum() / weight.sum() if weight.sum() else np.nan)
            half = (weight * (scores[part] >= 0.5)).sum() / weight.sum() if weight.sum() else np.nan
            found = Scored.of(scores[part], units[part])
            assert accepted_at(found, weights)[column] == pytest.approx(half, nan_ok=True)
            mean = (weight * scores[part]).sum() / weight.sum() if weight.sum() else np.nan
            assert mean_score(found, weights)[column] == pytest.approx(mean, nan_ok=True)
        if np.isnan(limit.tau[column]):
            shares = [np.nan] * 3
        assert gaps[column] == pytest.approx(100 * (shares[0] - shares[1]), nan_ok=True)
        assert accepted(wrong, weights, limit)[column] == pytest.approx(shares[2], nan_ok=True)


@pytest.mark.parametrize("seed", SEEDS)
def test_the_mean_of_win_shares_is_the_auroc(seed):
    scores, correct, units, _ = drawn(seed)
    if correct.all() or not correct.any():
        return
    shares = win_shares(Scored.of(scores[correct], units[correct]), scores[~correct])
    assert 100 * shares.mean() == pytest.approx(100 * roc_auc_score(correct, scores), abs=1e-9)


def test_a_weighting_gives_the_same_as_repeating_the_items():
    rng = np.random.default_rng(3)
    scores, correct = rng.integers(0, 9, 60) / 8, rng.random(60) < 0.6
    counts = rng.integers(0, 4, 60)
    weighted = auroc(every(scores, correct), every(scores, ~correct), counts[:, None].astype(float))
    again, repeated = np.repeat(scores, counts), np.repeat(correct, counts)
    plain = auroc(every(again, repeated), every(again, ~repeated), np.ones((again.size, 1)))
    assert weighted[0] == pytest.approx(plain[0], abs=1e-9)


def test_an_item_without_a_score_is_left_out():
    found = Scored.of([0.4, np.nan, 0.1], [0, 1, 2])
    assert found.size == 2
    assert found.levels.tolist() == [0.1, 0.4]
    assert found.at_levels(np.array([[1.0], [10.0], [100.0]])).tolist() == [[100.0], [1.0]]


def test_nothing_at_all_is_undefined_and_warns_of_nothing():
    none, some = Scored.of([], []), Scored.of([0.5], [0])
    weights = np.ones((1, 3))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        limit = threshold(none, weights)
        for value in (auroc(none, some, weights), auroc(some, none, weights), accepted(some, weights, limit)):
            assert np.isnan(value).all()
        assert np.isnan(accepted(none, weights, threshold(some, weights))).all()
        assert np.isnan(mean_score(none, weights)).all()
