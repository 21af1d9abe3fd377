"""What is left of a reply before it is read."""

from __future__ import annotations

import json

import pytest

from plumbline.answers import clean, reasoned

WHOLE = '{"a": [1, 2]}'


def left(text, **reported):
    answer = clean(text, **reported)
    assert answer.status is None
    return answer.text


@pytest.mark.parametrize("text", ["", None, WHOLE, "<think>"])
@pytest.mark.parametrize("finish_reason", ["stop", "length", None])
def test_a_refusal_field_or_a_content_filter_comes_before_everything(text, finish_reason):
    assert clean(text, finish_reason="content_filter").status == "refused"
    assert clean(text, finish_reason=finish_reason, refusal="I will not.").status == "refused"


@pytest.mark.parametrize("refusal", [None, "", " \n", "\ufeff"])
def test_a_blank_refusal_field_refuses_nothing(refusal):
    assert left(WHOLE, refusal=refusal) == WHOLE


@pytest.mark.parametrize(
    "text",
    [
        None,
        "",
        " \r\n\t",
        "\ufeff\u200b\u2060",
        "```",
        "```json\n```",
        "```json\n\n```\n",
        "~~~\n~~~",
        "<think>one two",
        "<think>one</think>",
        "<think>one</think>\n```json\n```",
        "<REASONING>one</Reasoning> \n",
        "<thinking>" + WHOLE,
        "<|channel|>analysis<|message|>" + WHOLE,
        "<|channel|>commentary<|message|>x<|end|>",
        "<|channel|>final<|message|>  <|return|>",
        '" "',
    ],
)
@pytest.mark.parametrize("finish_reason", ["stop", "length", None])
def test_a_reply_without_an_answer_is_empty_whatever_the_finish_reason(text, finish_reason):
    assert clean(text, finish_reason=finish_reason).status == "empty"


def test_an_answer_that_the_limit_cut_is_truncated_even_if_it_is_complete():
    answer = clean(WHOLE, finish_reason="length")
    assert answer.status == "truncated"
    assert answer.detail


@pytest.mark.parametrize("finish_reason", ["stop", "tool_calls", None])
def test_other_finish_reasons_change_nothing(finish_reason):
    assert left(WHOLE, finish_reason=finish_reason) == WHOLE


@pytest.mark.parametrize("tag", ["think", "thinking", "reasoning", "THINK", "Reasoning"])
def test_what_stands_before_the_closing_tag_goes(tag):
    assert left(f"<{tag}>draft {WHOLE}</{tag}> It is {WHOLE}") == f"It is {WHOLE}"
    assert left(f"draft {WHOLE}</{tag}>{WHOLE}") == WHOLE


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        # the first closing tag behind which the rest is one JSON value
        ('a</think>["x </think> y"]', '["x </think> y"]'),
        ('a</think>b</think>```json\n["</think>"]\n```', '```json\n["</think>"]\n```'),
        # else the last one
        ("a</think>b {} c</think>d {}", "d {}"),
        ('a</think>see ["x </think> y"]', 'y"]'),
        # an opening tag that stays takes the rest along
        ("a</think>b<think>c", "b"),
        (f"{WHOLE} <think>c", WHOLE),
        ('a</think>["<think>"]', '["<think>"]'),
        ("<thought>kept</thought> a", "<thought>kept</thought> a"),
    ],
)
def test_tags_are_cut_where_the_rest_says_so(text, answer):
    assert left(text) == answer


@pytest.mark.parametrize(
    "inside", ["</think>", "<think>", "<|channel|>final<|message|>x", "analysis assistantfinal"]
)
@pytest.mark.parametrize("frame", ["{}", " \ufeff{}\n", "```json\n{}\n```", "```\n{}", "// note\n{}"])
def test_a_reply_that_is_one_json_value_is_never_cut(inside, frame):
    reply = frame.format(json.dumps({"a": f"x {inside} y"}))
    answer = clean(reply)
    assert answer.whole
    assert json.dumps(inside)[1:-1] in answer.text


def test_a_reply_that_is_a_json_string_is_read_as_its_content_once():
    once = json.dumps(f"<think>x</think>{WHOLE}")
    assert left(once) == WHOLE
    assert left(f"```\n{once}\n```") == WHOLE
    twice = json.dumps(json.dumps(WHOLE))
    assert left(twice) == json.dumps(WHOLE)


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        (
            "<|channel|>analysis<|message|>a<|end|><|start|>assistant<|channel|>final<|message|>b<|return|>",
            "b",
        ),
        ("<|channel|>final<|message|>a<|end|><|channel|>final<|message|>b", "b"),
        ("<|channel|>final <|constrain|>json<|message|>{}<|return|>", "{}"),
        ("<|channel|>final<|message|><think>a</think>b", "b"),
        ('<|channel|>final<|message|>{"a": "</think>"}<|return|>', '{"a": "</think>"}'),
        ("analysis one assistantfinal two assistantfinal three", "three"),
        ("An analysis. assistantfinal", "An analysis. assistantfinal"),
        ("analysis only", "analysis only"),
    ],
)
def test_the_last_final_channel_is_the_answer(text, answer):
    assert left(text) == answer


def test_the_caller_can_keep_a_reply_uncut():
    text = "<|channel|>commentary to=functions.f<|message|>{}"
    answer = clean(text, leave=lambda reply: "to=functions" in reply)
    assert (answer.text, answer.uncut) == (text, True)
    assert not clean(WHOLE, leave=lambda reply: True).uncut
    assert clean(text, finish_reason="length", leave=lambda reply: True).status == "truncated"


def test_surrogates_that_no_file_can_hold_are_replaced():
    assert left("a \ud800 b \ud83d\ude80") == "a \ufffd b 🚀"
    assert clean("x", refusal="no \udfff").detail.isprintable()


@pytest.mark.parametrize(
    "text", ['</think>["' * 50_000, "</think>/*" * 50_000, "<think>" * 100_000, "```\n" * 100_000]
)
def test_many_tags_take_no_time(text):
    clean(text)


@pytest.mark.parametrize(
    ("text", "reasoning", "expected"),
    [
        (WHOLE, None, False),
        (WHOLE, " \n", False),
        (WHOLE, "First the tools.", True),
        (None, "First the tools.", True),
        (None, None, False),
        (f"First the tools.\n</think>\n\n{WHOLE}", None, True),
        (f"<think>First the tools.</think>{WHOLE}", None, True),
        (f"<think>\n\n</think>\n\n{WHOLE}", None, False),
        (f"</think>\n\n{WHOLE}", None, False),
        ("<think>First the tools.", None, True),
        ("<think>", None, False),
        ('{"a": "what </think> means"}', None, False),
        (f"<|channel|>analysis<|message|>Hm.<|end|><|channel|>final<|message|>{WHOLE}", None, True),
    ],
)
def test_a_reply_with_thoughts_in_or_beside_its_text_is_told_from_one_without(text, reasoning, expected):
    assert reasoned(text, reasoning) is expected
