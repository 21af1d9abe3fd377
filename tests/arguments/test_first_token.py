"""P("Yes") is read from reported tokens; what the server did not report stays unknown, within bounds."""

from __future__ import annotations

import math

import pytest

from plumbline.arguments.first_token import yes_probability
from plumbline.arguments.questions import wanted_answers
from plumbline.config.argument_references import YesNo
from plumbline.models.first_token import spelt_token
from plumbline.models.requests import Reply

PLAIN = YesNo()


def token(text: str, probability: float, top: dict[str, float] | None = None, **more: object) -> dict:
    listed = {text: probability} if top is None else top
    logprobs = [[name, math.log(value)] for name, value in listed.items()]
    return {"token": text, "logprob": math.log(probability), "top": logprobs, **more}


def test_spellings_with_blanks_are_added_and_what_was_not_listed_bounds_the_sum() -> None:
    top = {"No": 0.5, "Yes": 0.2, " Yes": 0.1, "Maybe": 0.05}
    read = yes_probability(Reply("No", logprobs=[token("No", 0.5, top)]), PLAIN)
    assert (read.status, read.score) == ("ok", pytest.approx(0.3))
    assert read.lower == pytest.approx(0.3)
    # what is not listed has 0.15 in all, and each of the five other spellings at most 0.05
    assert read.upper == pytest.approx(0.3 + min(0.15, 5 * 0.05))


def test_a_missing_answer_has_a_status_and_lies_below_its_spellings_times_the_least_listed() -> None:
    top = {"No": 0.9, "Not": 0.0001}
    read = yes_probability(Reply("No", logprobs=[token("No", 0.9, top)]), PLAIN)
    assert (read.status, read.score, read.lower) == ("token_missing", None, 0.0)
    assert read.upper == pytest.approx(7 * 0.0001)


def test_a_list_of_tokens_asked_for_by_number_leaves_nothing_open() -> None:
    entry = token("No", 0.9, {"No": 0.9, "Yes": 0.02, " Yes": 0.01}, asked=["Yes", " Yes"])
    read = yes_probability(Reply("No", logprobs=[entry]), PLAIN)
    assert (read.score, read.lower, read.upper) == (pytest.approx(0.03),) * 3


def test_a_sentinel_among_the_tokens_asked_for_leaves_the_rest_open() -> None:
    entry = token("No", 0.9, {"No": 0.9, "Yes": 0.02}, asked=["Yes", " Yes"])
    entry["top"].append([" Yes", -9999.0])
    read = yes_probability(Reply("No", logprobs=[entry]), PLAIN)
    assert (read.status, read.score) == ("ok", pytest.approx(0.02))
    assert read.upper == pytest.approx(0.02 + 0.08)


def test_lower_case_counts_only_if_the_settings_say_so() -> None:
    reply = Reply("yes", logprobs=[token("yes", 0.5, {"yes": 0.5, "Yes": 0.2, "NO": 0.1})])
    assert yes_probability(reply, PLAIN).score == pytest.approx(0.2)
    assert yes_probability(reply, YesNo(tokens="casefold")).score == pytest.approx(0.7)
    both = YesNo(tokens="casefold", normalise=True)
    assert yes_probability(reply, both).score == pytest.approx(0.7 / 0.8)


def test_a_share_of_yes_and_no_needs_both() -> None:
    reply = Reply("Yes", logprobs=[token("Yes", 0.6, {"Yes": 0.6, "Hm": 0.2})])
    read = yes_probability(reply, YesNo(normalise=True))
    assert (read.status, read.score) == ("token_missing", None)
    # No has at most the 0.2 that is left, Yes at most 0.8
    assert read.lower == pytest.approx(0.6 / 0.8)
    assert read.upper == 1.0


def test_the_drawn_token_counts_even_if_the_list_lacks_it() -> None:
    entry = {"token": "Yes", "logprob": math.log(0.1), "top": [["No", math.log(0.8)]]}
    assert yes_probability(Reply("Yes", logprobs=[entry]), PLAIN).score == pytest.approx(0.1)


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf, None, "0.5"])
def test_what_is_no_finite_number_is_a_status(value: object) -> None:
    entry = {"token": "No", "logprob": -0.1, "top": [["No", -0.1], ["Yes", value]]}
    read = yes_probability(Reply("No", logprobs=[entry]), PLAIN)
    assert (read.status, read.score) == ("non_finite", None)


THOUGHT = [
    token("<think>", 1.0),
    token("Yes", 0.9),
    token("?", 1.0),
    token("</think>", 1.0),
    token("\n\n", 1.0),
    token("No", 0.75, {"No": 0.75, "Yes": 0.25}),
]


@pytest.mark.parametrize(
    ("reply", "score"),
    [
        (Reply("<think>Yes?</think>\n\nNo", logprobs=THOUGHT), 0.25),
        (Reply("No", reasoning="Yes?", logprobs=THOUGHT), 0.25),
        (Reply("\n\nNo", reasoning="Yes?", logprobs=THOUGHT[4:]), 0.25),
        (Reply("No", reasoning="Yes?", logprobs=THOUGHT[1:]), 0.25),
    ],
    ids=["thinking in the text", "thinking kept apart", "the answer's tokens alone", "no opening tag"],
)
def test_a_thinking_judge_is_read_at_the_first_word_behind_its_thinking(reply: Reply, score: float) -> None:
    assert yes_probability(reply, PLAIN).score == pytest.approx(score)


def test_thinking_that_never_ends_gives_no_probability() -> None:
    reply = Reply(None, reasoning="Yes?", finish_reason="length", logprobs=THOUGHT[:3])
    assert yes_probability(reply, PLAIN).status == "no_logprobs"
    cut = Reply(None, reasoning="Yes?", finish_reason="length", logprobs=[])
    assert yes_probability(cut, PLAIN).status == "truncated"


def test_a_server_that_gives_no_log_probabilities_makes_a_status_and_no_guess() -> None:
    found = yes_probability(Reply("Yes", logprobs=None), PLAIN)
    assert (found.status, found.score) == ("no_logprobs", None)
    assert found.detail is not None and "gave no log-probabilities" in found.detail


def test_a_refusal_stays_a_refusal() -> None:
    reply = Reply(None, finish_reason="content_filter", logprobs=[token("Yes", 1.0)])
    assert yes_probability(reply, PLAIN).status == "refused"


def test_no_is_asked_for_only_where_it_counts() -> None:
    assert {spelling.strip() for spelling in wanted_answers(PLAIN)} == {"Yes"}
    assert {spelling.strip() for spelling in wanted_answers(YesNo(normalise=True))} == {"Yes", "No"}


@pytest.mark.parametrize(
    ("pieces", "found"),
    [
        ([(7, "Yes")], (7, "Yes")),
        ([(8, "ĠYes")], (8, " Yes")),
        ([(1, "▁"), (9, "Yes")], (9, "Yes")),
        ([(3, "Ye"), (4, "s")], None),
        ([(5, [89, 101])], None),
    ],
)
def test_a_spelling_counts_if_one_token_holds_the_word(pieces: list, found: tuple[int, str] | None) -> None:
    assert spelt_token(pieces, "Yes") == found
