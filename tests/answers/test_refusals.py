"""A refusal is a sentence that both declines and names the task."""

from __future__ import annotations

from itertools import product

import pytest

from plumbline.answers import declines

DECLINING = (
    "can't",
    "can\u2019t",
    "cannot",
    "won't",
    "am unable to",
    "am not able to",
    "must decline to",
    "am sorry to",
)
TASKS = (
    *("help", "assist", "evaluate", "score", "judge", "rate", "review", "provide", "comply", "answer"),
    *("do this", "do that"),
)


@pytest.mark.parametrize(("word", "task"), list(product(DECLINING, TASKS)))
def test_each_declining_word_with_each_task_declines(word, task):
    assert declines(f"Well. I {word} {task} here.")
    assert declines(f"I {word.upper()} {task.upper()}")


@pytest.mark.parametrize(
    "answer",
    [
        "",
        "I cannot find any fault in the plan.",
        "I cannot find any fault. I rate it 1.0.",
        "I can't see a gap\nScore: 1",
        "Sorry! The answer is 1.",
        "The plan is accurate and helps to generate what it separates; it cannot fail.",
        "I can help, evaluate and score this.",
        "No tool is needed to answer this question.",
        "I must decline.",
        "She cantered; I do thistles.",
    ],
)
def test_other_answers_decline_nothing(answer):
    assert not declines(answer)
