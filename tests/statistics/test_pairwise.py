from itertools import combinations, permutations

import numpy as np
import pytest
from scipy import stats
from sklearn import metrics

from plumbline.statistics import Resampling
from plumbline.statistics.failures import (
    failure_counts,
    independent_share,
    observed_share,
    stratified_share,
)
from plumbline.statistics.pairwise import (
    PERMUTATIONS,
    agreements,
    distance_correlation,
    distance_correlations,
    half_shares,
    kappas,
    pair_tables,
)

LABELS = [0, 0.5, 1]
NAMES = np.array(["low", "mid", "top"])


@pytest.fixture
def marks():
    """20 units of 7 items, four raters, a tenth of the marks missing."""
    random = np.random.default_rng(5)
    drawn = random.choice(LABELS, (20, 7, 4), p=[0.2, 0.3, 0.5])
    return np.where(random.random(drawn.shape) < 0.1, np.nan, drawn)


def both(marks, a, b):
    first, second = marks[..., a].ravel(), marks[..., b].ravel()
    known = ~np.isnan(first) & ~np.isnan(second)
    return NAMES[(2 * first[known]).astype(int)], NAMES[(2 * second[known]).astype(int)]


def test_tables_kappas_and_agreements_of_all_pairs_agree_with_scikit_learn(marks):
    tables = pair_tables(marks).sum(axis=0)
    for place, (a, b) in enumerate(combinations(range(4), 2)):
        first, second = both(marks, a, b)
        assert (tables[place] == metrics.confusion_matrix(first, second, labels=NAMES)).all()
        assert kappas(tables)[place] == pytest.approx(metrics.cohen_kappa_score(first, second))
        assert agreements(tables)[place] == pytest.approx(metrics.accuracy_score(first, second))


def test_tables_are_by_unit(marks):
    whole = pair_tables(marks)
    assert whole.shape == (20, 6, 3, 3)
    for unit in (0, 7, 19):
        assert (whole[unit] == pair_tables(marks[unit : unit + 1])[0]).all()


def test_one_rater_makes_no_pair():
    assert pair_tables(np.ones((3, 2, 1))).shape == (3, 0, 3, 3)


def test_kappa_is_missing_for_an_empty_table_and_for_one_mark_throughout():
    one_mark = np.diag([0, 0, 8])
    apart = np.zeros((3, 3))
    apart[2, 1] = 4
    found = kappas([np.zeros((3, 3)), one_mark, apart])
    # two constant raters on different marks: chance agreement is 0, and so is kappa
    assert np.isnan(found).tolist() == [True, True, False]
    assert found[2] == 0
    assert np.isnan(agreements(np.zeros((3, 3))))
    assert agreements(one_mark) == 1


def test_half_share_counts_disagreements_beside_a_half():
    # 2 + 3 + 1 + 4 touch a half, 5 + 1 do not
    table = [[9, 2, 5], [3, 9, 1], [1, 4, 9]]
    assert half_shares(table) == pytest.approx(10 / 16)
    assert np.isnan(half_shares(np.eye(3)))


def test_distance_correlation_agrees_with_scipy_and_with_all_orders_tried_one_by_one():
    ranks = [1, 2, 2, 4, 6]
    pairs = list(combinations(range(5), 2))
    values = np.random.default_rng(1).random(len(pairs))

    def correlation(order):
        return stats.spearmanr([abs(order[a] - order[b]) for a, b in pairs], values).statistic

    rho, p = distance_correlation(ranks, pairs, values)
    assert rho.value == pytest.approx(correlation(ranks))
    tried = [abs(correlation(order)) >= abs(rho.value) - 1e-12 for order in permutations(ranks)]
    assert p == pytest.approx(np.mean(tried))


def test_a_perfect_order_of_four_is_as_rare_as_itself_and_its_mirror():
    pairs = list(combinations(range(4), 2))
    values = [-float(b - a) for a, b in pairs]
    rho, p = distance_correlation([1, 2, 3, 4], pairs, values)
    assert rho.value == pytest.approx(-1)
    assert p == pytest.approx(2 / 24)


def test_many_raters_are_tried_in_seeded_draws_and_p_is_never_zero():
    pairs = list(combinations(range(9), 2))
    values = [-float(b - a) for a, b in pairs]
    rho, p = distance_correlation(range(9), pairs, values, seed=3)
    assert (rho, p) == distance_correlation(range(9), pairs, values, seed=3)
    assert rho.value == pytest.approx(-1)
    assert (rho, p) == distance_correlation(range(9), pairs, values, seed=3)
    assert rho.value == pytest.approx(-1)
    assert 1 / PERMUTATIONS <= p < 0.01


def test_equal_distances_have_no_correlation_and_no_p():
    rho, p = distance_correlation([1, 2], [(0, 1), (0, 1)], [0.3, 0.5])
    assert (rho.value, rho.reason, p) == (None, "constant", None)


def test_row_correlations_agree_with_scipy_and_skip_rows_that_lack_a_value():
    random = np.random.default_rng(2)
    distances, rows = [1, 1, 2, 3, 3, 5], random.random((8, 6))
    rows[3, 2] = np.nan
    rows[5] = 0.4
    found = distance_correlations(distances, rows)
    assert np.isnan(found).tolist() == [place in (3, 5) for place in range(8)]
    for place in (0, 1, 7):
        assert found[place] == pytest.approx(stats.spearmanr(distances, rows[place]).statistic)


def test_sums_of_resamples_are_the_draws_times_the_values():
    draw = Resampling(["x"] * 4 + ["y"] * 3, resamples=300, seed=1)
    times = draw.sums(np.eye(7))
    assert (times.sum(axis=1) == 7).all()
    assert (times[:, :4].sum(axis=1) == 4).all()
    values = np.random.default_rng(0).random((7, 2))
    assert draw.sums(values) == pytest.approx(times @ values)
    weights = np.ones((7, 2))
    assert draw.means(values, weights) == pytest.approx(times @ values / 7)


@pytest.fixture
def failures():
    """30 units of 4 items in three strata, some left out; three judges that fail more in stratum 2."""
    random = np.random.default_rng(8)
    strata = random.choice([-1, 0, 1, 2], (30, 4))
    wrong = random.random((30, 4, 3)) < np.where(strata == 2, 0.8, 0.2)[..., None]
    return wrong, strata


def test_failure_shares_agree_with_loops(failures):
    wrong, strata = failures
    counts = failure_counts(wrong, strata, 3).sum(axis=0)
    items = [(wrong[u, i], strata[u, i]) for u in range(30) for i in range(4) if strata[u, i] >= 0]
    total = len(items)
    assert observed_share(counts) == pytest.approx(sum(all(w) for w, _ in items) / total)
    rates = [sum(w[judge] for w, _ in items) / total for judge in range(3)]
    assert independent_share(counts) == pytest.approx(rates[0] * rates[1] * rates[2])
    within = 0.0
    for stratum in range(3):
        chosen = [w for w, s in items if s == stratum]
        rates = [sum(w[judge] for w in chosen) / len(chosen) for judge in range(3)]
        within += len(chosen) / total * rates[0] * rates[1] * rates[2]
    assert stratified_share(counts) == pytest.approx(within)


def test_failures_without_items_are_missing_and_an_empty_stratum_changes_nothing(failures):
    wrong, strata = failures
    counts = failure_counts(wrong, strata, 5)
    assert (counts[:, 3:] == 0).all()
    assert stratified_share(counts.sum(axis=0)) == pytest.approx(stratified_share(counts[:, :3].sum(axis=0)))
    nothing = np.zeros((2, 5))
    assert np.isnan([observed_share(nothing), independent_share(nothing), stratified_share(nothing)]).all()


def test_the_papers_two_confusion_tables_give_the_figures_that_follow_from_them():
    # percent of verdicts, appendix T: QwQ-32B by GPT-OSS-120B, Claude Sonnet 4.5 by GPT-OSS-20B
    tables = np.array(
        [
            [[1.3, 0.8, 0.3], [1.3, 10.3, 4.9], [0.4, 4.4, 76.3]],
            [[0.7, 0.4, 0.2], [1.9, 9.7, 8.3], [0.7, 18.2, 60.0]],
        ]
    )
    # the second one sums to 100.1
    assert agreements(tables) == pytest.approx([0.879, 0.704 / 1.001])
    assert kappas(tables) == pytest.approx([0.613, 0.266], abs=0.0005)
    assert half_shares(tables) == pytest.approx([0.942, 0.970], abs=0.0005)
