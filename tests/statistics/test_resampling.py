import time

import numpy as np
import pytest
from scipy import stats

from plumbline.statistics import Resampling, bootstrap_interval, interval_bounds
from plumbline.statistics.resampling import summarise


@pytest.fixture
def random():
    return np.random.default_rng(11)


def drawn_counts(draw: Resampling) -> np.ndarray:
    """Read the draw through its public face: the total of a cell that only unit u has, per resample."""
    identity = np.eye(draw.units)
    everywhere = np.ones((draw.units, draw.units))
    return draw.means(identity, everywhere) * draw.units


def test_each_stratum_keeps_its_size_in_every_resample():
    strata = np.array(["a"] * 5 + ["b"] * 3 + ["c"] * 2)
    counts = drawn_counts(Resampling(strata, resamples=300, seed=1))
    for name, size in (("a", 5), ("b", 3), ("c", 2)):
        assert counts[:, strata == name].sum(axis=1) == pytest.approx(np.full(300, size))


def test_without_strata_a_group_may_be_drawn_more_often_than_it_occurs():
    counts = drawn_counts(Resampling(units=10, resamples=300, seed=1))
    assert counts.sum(axis=1) == pytest.approx(np.full(300, 10))
    assert counts[:, :5].sum(axis=1).std() > 1


def test_every_unit_is_drawn_equally_often_on_average():
    counts = drawn_counts(Resampling(["a"] * 4 + ["b"] * 6, resamples=20_000, seed=5))
    # a binomial count of mean 1 has variance below 1: four standard errors
    assert np.abs(counts.mean(axis=0) - 1).max() < 4 / np.sqrt(20_000)


def test_strata_of_one_unit_are_drawn_together_so_that_they_vary():
    counts = drawn_counts(Resampling(["a", "b", "c", "d", "d"], resamples=400, seed=2))
    assert counts[:, :3].sum(axis=1) == pytest.approx(np.full(400, 3))
    assert (counts[:, :3].std(axis=0) > 0.5).all()


def test_a_lone_single_unit_joins_the_smallest_other_stratum():
    strata = np.array(["a", "b", "b", "b", "c", "c"])
    counts = drawn_counts(Resampling(strata, resamples=400, seed=2))
    assert counts[:, strata == "b"].sum(axis=1) == pytest.approx(np.full(400, 3))
    assert counts[:, strata != "b"].sum(axis=1) == pytest.approx(np.full(400, 3))


def test_means_agree_with_a_loop_over_resampled_records(random):
    values = random.random((12, 3))
    weights = random.integers(0, 3, (12, 3)).astype(float)
    draw = Resampling(["x"] * 7 + ["y"] * 5, resamples=50, seed=9)
    counts = drawn_counts(draw).round().astype(int)
    found = draw.means(values * weights, weights)
    for resample in range(50):
        for cell in range(3):
            pool = [
                values[unit, cell]
                for unit in range(12)
                for _ in range(counts[resample, unit] * int(weights[unit, cell]))
            ]
            assert found[resample, cell] == pytest.approx(np.mean(pool), abs=1e-12, nan_ok=True)


def test_plain_interval_agrees_with_scipy(random):
    values = random.beta(5, 2, 300)
    ours = bootstrap_interval(values, resamples=8000, seed=1)
    theirs = stats.bootstrap(
        (values,), np.mean, n_resamples=8000, method="percentile", rng=np.random.default_rng(2)
    ).confidence_interval
    standard_error = values.std() / np.sqrt(300)
    assert ours.mean == pytest.approx(values.mean())
    assert ours.low == pytest.approx(theirs.low, abs=0.1 * standard_error)
    assert ours.high == pytest.approx(theirs.high, abs=0.1 * standard_error)


def test_clusters_that_move_together_widen_the_interval_as_theory_says(random):
    clusters = np.repeat(np.arange(60), 10)
    values = random.normal(size=60)[clusters]
    alone = bootstrap_interval(values, resamples=4000, seed=1)
    together = bootstrap_interval(values, clusters, resamples=4000, seed=1)
    # ten copies of each value: the standard error grows by the square root of ten
    assert together.half_width / alone.half_width == pytest.approx(np.sqrt(10), rel=0.1)


def test_stratified_interval_is_narrower_when_strata_explain_the_values(random):
    strata = np.repeat(["low", "high"], 100)
    values = np.where(strata == "low", 0.2, 0.8) + random.normal(0, 0.01, 200)
    weights = np.ones((200, 1))
    within = Resampling(strata, seed=3).intervals(values[:, None], weights)[0]
    plain = Resampling(units=200, seed=3).intervals(values[:, None], weights)[0]
    # plain: sd 0.3 between the two groups; within: sd 0.01
    assert within.half_width / plain.half_width == pytest.approx(0.01 / 0.3, rel=0.2)


def test_difference_of_two_cells_uses_the_same_records():
    values = np.random.default_rng(0).random(80)
    pair = np.column_stack([values + 0.1, values])
    resampled = Resampling(units=80, seed=4).means(pair, np.ones((80, 2)))
    difference = summarise(0.1, resampled[:, 0] - resampled[:, 1], 80)
    assert difference.low == pytest.approx(0.1)
    assert difference.high == pytest.approx(0.1)


def test_same_seed_gives_the_same_interval_and_another_seed_another():
    values = np.random.default_rng(0).random(50)
    first = bootstrap_interval(values, seed=7)
    assert first == bootstrap_interval(values, seed=7)
    assert first != bootstrap_interval(values, seed=8)


def test_linear_bounds_are_numpys_quantiles_without_empty_resamples(random):
    means = random.random(999)
    bounds = interval_bounds([*means, np.nan, np.nan], level=0.9)
    assert bounds == pytest.approx(tuple(np.quantile(means, [0.05, 0.95])))


def test_one_unit_has_a_mean_but_no_bounds():
    found = bootstrap_interval([0.4])
    assert (found.mean, found.low, found.high, found.reason) == (0.4, None, None, "single_unit")
    assert found.half_width is None


def test_no_value_has_no_mean_and_says_why():
    assert bootstrap_interval([]).reason == bootstrap_interval([np.nan]).reason == "empty"
    nothing = Resampling(["a", "b", "b"], resamples=100).intervals(np.zeros((3, 1)), np.zeros((3, 1)))
    assert nothing[0].reason == "empty"


def test_the_grid_of_the_paper_takes_a_few_seconds(random):
    records, cells = 3_800, 180
    match = random.random((records, cells))
    start = time.perf_counter()
    found = Resampling(random.integers(0, 6, records), resamples=2000).intervals(match, np.ones_like(match))
    assert time.perf_counter() - start < 20
    assert found[0].low < match[:, 0].mean() < found[0].high


def test_clusters_are_drawn_whole_and_within_the_stratum_of_their_first_unit():
    clusters = ["a", "a", "b", "c", "c", "c", "d"]
    strata = ["x", "x", "x", "y", "y", "y", "y"]
    counts = Resampling(strata, resamples=200, seed=3, clusters=clusters).sums(np.eye(7))
    assert (counts[:, 0] == counts[:, 1]).all()
    assert (counts[:, 3] == counts[:, 4]).all() and (counts[:, 3] == counts[:, 5]).all()
    # two clusters in each stratum: two draws of clusters in each resample
    assert (counts[:, 0] + counts[:, 2] == 2).all()
    assert (counts[:, 3] + counts[:, 6] == 2).all()


def test_clusters_give_the_interval_of_the_clustered_bootstrap(random):
    clusters = random.integers(0, 40, 200)
    values = random.normal(size=200) + random.normal(size=40)[clusters]
    weights = np.ones((200, 1))
    draw = Resampling(units=200, resamples=4000, seed=5, clusters=clusters)
    found = draw.intervals(values[:, None], weights)[0]
    expected = bootstrap_interval(values, clusters, resamples=4000, seed=5)
    assert (found.low, found.high) == pytest.approx((expected.low, expected.high))
    plain = Resampling(units=200, resamples=4000, seed=5).intervals(values[:, None], weights)[0]
    assert found.high - found.low > 1.3 * (plain.high - plain.low)


def test_one_cluster_gives_a_mean_and_no_bounds():
    draw = Resampling(units=3, resamples=100, clusters=["a", "a", "a"])
    found = draw.intervals(np.array([[1.0], [2.0], [3.0]]), np.ones((3, 1)))[0]
    assert (found.mean, found.low, found.reason) == (2.0, None, "single_unit")
