"""Agreement of several raters, against published examples and a loop over pairs."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from sklearn.metrics import cohen_kappa_score

from plumbline.statistics.raters import krippendorff_alpha, pairwise_agreement

NAN = float("nan")
# Krippendorff, Computing Krippendorff's Alpha-Reliability (2011): two observers and two values (section A),
# four observers with missing marks (C)
BINARY = [[0, 1, 0, 0, 0, 0, 0, 0, 1, 0], [1, 1, 1, 0, 0, 1, 0, 0, 0, 0]]
MISSING = [
    [1, 2, 3, 3, 2, 1, 4, 1, 2, NAN, NAN, NAN],
    [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, NAN, 3],
    [NAN, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, NAN],
    [1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, NAN],
]


@pytest.mark.parametrize(("marks", "alpha"), [(BINARY, 0.095), (MISSING, 0.743)])
def test_alpha_is_that_of_krippendorffs_own_examples(marks: list[list[float]], alpha: float) -> None:
    assert krippendorff_alpha(marks).value == pytest.approx(alpha, abs=5e-4)


def test_pairwise_agreement_is_counted_pair_by_pair() -> None:
    marks = np.array(MISSING)
    equal = [
        marks[a, item] == marks[b, item]
        for item in range(marks.shape[1])
        for a, b in combinations(range(len(marks)), 2)
        if not np.isnan(marks[[a, b], item]).any()
    ]
    assert pairwise_agreement(marks).value == pytest.approx(np.mean(equal))


def test_of_two_raters_alpha_comes_near_kappa_as_marks_become_many() -> None:
    random = np.random.default_rng(0)
    first = random.integers(0, 2, 20_000)
    second = np.where(random.random(20_000) < 0.3, 1 - first, first)
    kappa = cohen_kappa_score(first, second)
    assert krippendorff_alpha([first, second]).value == pytest.approx(kappa, abs=1e-3)


@pytest.mark.parametrize(
    ("marks", "reason"),
    [
        ([[1, NAN], [NAN, 0]], "empty"),
        ([[NAN], [NAN]], "empty"),
        (np.empty((2, 0)), "empty"),
        ([[1, 1, 0], [1, 1, NAN]], "single_class"),
    ],
)
def test_what_is_undefined_says_why(marks: list[list[float]], reason: str) -> None:
    found = krippendorff_alpha(marks)
    assert (found.value, found.reason) == (None, reason)


def test_raters_who_never_agree_are_below_chance() -> None:
    # 4 coincidences of unlike marks, 2 of each kind: 1 - 3 * 4 / (16 - 8)
    assert krippendorff_alpha([[0, 1], [1, 0]]).value == pytest.approx(1 - 3 * 4 / 8)
    assert pairwise_agreement([[0, 1], [1, 0]]).value == 0
