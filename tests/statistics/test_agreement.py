import numpy as np
import pytest
from scipy import stats
from sklearn import metrics

from plumbline.statistics import cohen_kappa, confusion, exact_agreement, spearman


@pytest.fixture
def marks():
    random = np.random.default_rng(3)
    return random.choice([0, 0.5, 1], 500), random.choice([0, 0.5, 1], 500, p=[0.1, 0.2, 0.7])


def test_kappa_and_confusion_agree_with_scikit_learn(marks):
    a, b = marks
    words = np.array(["low", "mid", "top"])
    named = words[(a * 2).astype(int)], words[(b * 2).astype(int)]
    assert cohen_kappa(a, b).value == pytest.approx(metrics.cohen_kappa_score(*named))
    assert (confusion(a, b) == metrics.confusion_matrix(*named)).all()


def test_spearman_agrees_with_scipy_on_tied_ranks(marks):
    assert spearman(*marks).value == pytest.approx(stats.spearmanr(*marks).statistic)


def test_nothing_to_compare_is_undefined_because_empty():
    assert cohen_kappa([], []).reason == exact_agreement([], []).reason == spearman([], []).reason == "empty"


def test_a_mark_off_the_scale_is_refused():
    with pytest.raises(ValueError, match="discretise"):
        confusion([0.3], [1])


def test_raters_of_different_lengths_are_refused():
    with pytest.raises(ValueError, match="each item"):
        confusion([1, 1], [1])
