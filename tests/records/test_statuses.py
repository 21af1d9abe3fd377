"""Each status word has one meaning and one list."""

from __future__ import annotations

from typing import get_args

import pytest

from plumbline.records import statuses


@pytest.mark.parametrize(
    ("words", "meanings"),
    [
        (statuses.VerdictStatus, statuses.VERDICT),
        (statuses.PlanStatus, statuses.PLAN),
        (statuses.NoAnswerStatus, statuses.NO_ANSWER),
    ],
)
def test_every_word_has_a_meaning_on_one_line(words, meanings):
    assert set(get_args(words)) == set(meanings)
    assert all(meaning and "\n" not in meaning for meaning in meanings.values())


def test_verdict_words_stand_in_the_order_in_which_they_are_tried():
    assert list(statuses.VERDICT) == (
        ["refused", "empty", "truncated", "malformed", "ambiguous", "missing_metric", "off_scale", "ok"]
    )


def test_judgments_rewrites_and_references_add_their_own_reasons():
    assert set(statuses.JUDGMENT) == {"ok", "no_logprobs", "token_missing", "non_finite", "wrong_model"}
    assert set(statuses.REWRITE) == {"ok", "unchanged", "values_lost"}
    assert set(statuses.REFERENCE) == {"ok", "own_kept"}
    assert set(statuses.VALUE_REFERENCE) == {"ok", "no_evidence", "not_swapped"}
