"""A judge's answer is read as four values on the scale, or as the word that says why not."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any

import pytest

from plumbline.answers import same_value
from plumbline.judging.reading import read_verdict
from plumbline.records import METRICS

FIXTURE = Path(__file__).parent.parent / "fixtures" / "verdict_text.jsonl"
CASES = [json.loads(line) for line in FIXTURE.read_text("utf-8").splitlines()]
ONES = dict.fromkeys(METRICS, 1.0)


def flat(*values: Any, **more: Any) -> str:
    return json.dumps(dict(zip(METRICS, values, strict=False)) | more)


def nested(*values: Any) -> str:
    return json.dumps({metric: {"accuracy": value} for metric, value in zip(METRICS, values, strict=True)})


def with_first(member: str) -> str:
    """A verdict whose tool_selection members are written out, the other three being 1."""
    return f'{{{member}, "parameter_structure": 1, "sequence": 1, "query_coverage": 1}}'


GOOD = nested(1, 0.5, 1, 0)
GOOD_SCORES = dict(zip(METRICS, (1, 0.5, 1, 0), strict=True))
BAD = nested(0, 0, 0, 0)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["id"])
def test_a_judges_answer_is_read_as_the_case_says(case):
    reading = read_verdict(case["text"], finish_reason=case.get("finish_reason"), refusal=case.get("refusal"))
    assert reading.status == case["expect"]["status"]
    assert same_value(reading.scores, case["expect"].get("scores"))
    assert same_value(reading.raw, case["expect"].get("raw"))
    assert (reading.detail is None) == (reading.status == "ok")


def test_every_status_is_reached_by_a_case():
    assert {case["expect"]["status"] for case in CASES} == {
        "refused", "empty", "truncated", "malformed", "ambiguous", "missing_metric", "off_scale", "ok",
    }  # fmt: skip


@pytest.mark.parametrize(
    "text", [GOOD, f'[{{"note": "x"}}, {GOOD}]', f'{{"evaluation": {GOOD}}}', json.dumps(GOOD)]
)
def test_no_beginning_of_a_verdict_is_ok(text):
    assert read_verdict(text).scores == GOOD_SCORES
    assert read_verdict(text[:0]).status == "empty"
    for end in range(1, len(text)):
        assert read_verdict(text[:end]).status == "truncated"


@pytest.mark.parametrize("end", [None, -1])
def test_an_answer_that_the_limit_cut_is_truncated_even_if_complete(end):
    assert read_verdict(GOOD[:end], finish_reason="length").status == "truncated"


def test_a_verdict_behind_a_complete_one_that_is_cut_makes_the_answer_truncated():
    assert read_verdict(GOOD + "\n" + GOOD[:-9]).status == "truncated"


@pytest.mark.parametrize(
    "quoted", [BAD, json.dumps(BAD), f"</think>{BAD}", f"<think>{BAD}", "}}" + BAD, "```\n" + BAD]
)
@pytest.mark.parametrize("key", ["justification", "note"])
def test_a_verdict_inside_a_string_never_wins(quoted, key):
    judged = {metric: {"accuracy": GOOD_SCORES[metric], key: quoted} for metric in METRICS}
    judged = judged | {"overall_assessment": quoted}
    for text in (json.dumps(judged), json.dumps(json.dumps(judged)), f"```json\n{json.dumps(judged)}\n```"):
        assert read_verdict(text).scores == GOOD_SCORES


@pytest.mark.parametrize(
    "broken",
    [
        '{"tool_selection": {"accuracy": 0, "justification": "it says "%s" there"}, "sequence": 1}',
        "{'tool_selection': {'accuracy': 0, 'justification': 'it's %s'}}",
        '{tool_selection: 0, note: "%s"}',
        "{\u201ctool_selection\u201d: 0, \u201cnote\u201d: \u201c%s\u201d}",
        '{"overall_assessment": bad, %s}',
        '{"Tool Selection Score" 0, "x": %s}',
        '{ // mine\n "sequence-dependency": 0 "x": %s}',
        '{"evaluation": {"query_coverage": 0 "x": %s}}',
        '{"tool_selection: 0, "x": %s}',
    ],
)
def test_what_a_broken_verdict_quotes_does_not_become_one(broken):
    assert read_verdict(broken % BAD).status == "malformed"
    assert read_verdict(GOOD + broken % GOOD).status == "malformed"


@pytest.mark.parametrize(
    "prose",
    [
        "{}",
        "{room_id}",
        "{sequence}",
        '{"name": "f", ...}',
        '{"a": 1}',
        '{"a" 1}',
        "{{x}}",
        '["sequence"]',
        "**",
        '{"x": [{}]}',
    ],
)
def test_other_braces_in_prose_do_not_matter(prose):
    assert read_verdict(f"See {prose}. {GOOD} See {prose}.").scores == GOOD_SCORES


@pytest.mark.parametrize(
    "text",
    [
        f"```json\n{GOOD}\n```",
        f"~~~\n{GOOD}\n~~~",
        f"**Verdict** {GOOD} **",
        f"[{GOOD}]",
        f"[[{GOOD}, {GOOD}]]",
        f"```\n{GOOD}\n```\nagain\n```\n{GOOD}\n```",
        f"<THINK>{BAD}</Think>{GOOD}",
        f"{BAD}</reasoning>{GOOD}",
        f"{GOOD}<think>{BAD}",
        f"a</think>{json.dumps({'x': '</think>'})[:-1]}, {GOOD[1:]}",
        f"<|channel|>analysis<|message|>{BAD}<|end|><|channel|>final<|message|>{GOOD}<|return|>",
        f"analysis {BAD} assistantfinal{GOOD}",
        json.dumps(GOOD),
        json.dumps(f"<think>{BAD}</think> So: {GOOD}"),
        GOOD.replace("1}", "1.0 /* fine */,}"),
        GOOD.replace(": {", ":\u200b\n{\ufeff"),
        "\ufeff// verdict\n" + GOOD,
    ],
)
def test_frames_around_a_verdict_change_nothing(text):
    assert read_verdict(text).scores == GOOD_SCORES


@pytest.mark.parametrize(
    ("key", "metric"),
    [
        ("Tool Selection", "tool_selection"),
        (" tool-selection_Accuracy ", "tool_selection"),
        ("TOOL_SELECTION_SCORE", "tool_selection"),
        ("Parameter structure score", "parameter_structure"),
        ("sequence_score", "sequence"),
        ("Sequence & Dependency Score", "sequence"),
        ("sequence-and-dependency", "sequence"),
        ("Sequence Dependency Accuracy", "sequence"),
        ("Query Coverage", "query_coverage"),
    ],
)
def test_spellings_of_a_metric_are_understood(key, metric):
    values = {name: 1 for name in METRICS if name != metric}
    assert read_verdict(json.dumps(values | {key: 0.5})).scores == ONES | {metric: 0.5}


@pytest.mark.parametrize(
    "key",
    [
        "tool",
        "tool_selection_rating",
        "tool_selection_score_accuracy",
        "tool_selection_justification",
        "toolselection",
    ],
)
def test_other_keys_name_no_metric(key):
    assert read_verdict(with_first(f'"{key}": 1')).status == "missing_metric"


@pytest.mark.parametrize(
    ("member", "score"),
    [
        ('"tool_selection": 0.5', 0.5),
        ('"tool_selection": " 0.50 "', 0.5),
        ('"tool_selection": "5e-1"', 0.5),
        ('"tool_selection": -0.0', 0),
        ('"tool_selection": {" Accuracy ": "1"}', 1),
        ('"tool_selection": {"score": 0, "accuracy": 1}', 1),
        ('"tool_selection": 0.5, "tool_selection": "0.5"', 0.5),
        ('"tool_selection": {"accuracy": 1, "a": 2}, "tool_selection": {"accuracy": 1.0}', 1),
        ('"tool_selection": 1, "Tool Selection Score": {"accuracy": 1}', 1),
        ('"tool_selection": {"accuracy": 0, "ACCURACY": 0}', 0),
        ('"tool_selection": null, "tool_selection_score": 1', 1),
        ('"tool_selection": {"justification": "x"}, "tool_selection_accuracy": 0', 0),
    ],
)
def test_a_value_is_a_number_a_number_in_quotes_or_what_accuracy_holds(member, score):
    assert read_verdict(with_first(member)).scores == ONES | {"tool_selection": score}


@pytest.mark.parametrize(
    "member",
    [
        '"tool_selection": 1, "tool_selection": 0',
        '"tool_selection": 1, "tool_selection": true',
        '"tool_selection": 1, "Tool Selection": 0.5',
        '"tool_selection": {"accuracy": 1, "accuracy": 0}',
        '"tool_selection": {"accuracy": 1, "Accuracy": "0"}',
        '"tool_selection": {"accuracy": 1}, "tool_selection": {"accuracy": 0}',
        '"tool_selection": 1, "tool_selection_score": "high"',
    ],
)
def test_a_metric_with_two_values_is_ambiguous(member):
    assert read_verdict(with_first(member)).status == "ambiguous"


@pytest.mark.parametrize(
    "member",
    [
        '"tool_selection": null',
        '"tool_selection": {}',
        '"tool_selection": {"score": 1}',
        '"x": 1',
        '"tool_selection": {"accuracy": null}',
    ],
)
def test_a_metric_without_a_value_is_missing(member):
    reading = read_verdict(with_first(member))
    assert (reading.status, reading.missing) == ("missing_metric", ("tool_selection",))
    assert "`tool_selection`" in str(reading.detail)


@pytest.mark.parametrize(
    ("written", "raw"),
    [
        ("0.75", 0.75),
        ('"0.75"', 0.75),
        ("0.4999999999", 0.4999999999),
        ("1e999", "Infinity"),
        ("-Infinity", "-Infinity"),
        ('"NaN"', "NaN"),
        ('""', ""),
        ('"\u200b1"', "\u200b1"),
        ('".5"', ".5"),
        ('"+1"', "+1"),
        ('"1/2"', "1/2"),
        ("false", False),
        ("[1]", [1]),
        ("[NaN]", ["NaN"]),
        ('{"accuracy": {"value": 1}}', {"value": 1}),
        ('{"accuracy": {"accuracy": 1}}', {"accuracy": 1}),
        ("12345678901234567890", 12345678901234567890),
    ],
)
def test_every_other_value_is_off_the_scale_and_reported_as_read(written, raw):
    reading = read_verdict(with_first(f'"tool_selection": {written}'))
    assert reading.status == "off_scale"
    assert same_value(reading.raw, {"tool_selection": raw})
    assert reading.scores is None
    json.dumps(reading.raw, allow_nan=False)


@pytest.mark.parametrize(
    ("text", "status"),
    [
        (flat(1, 1, 1, 1) + flat(1, 1, 1, 1), "ok"),
        (flat(1, 1, 1, 1) + nested("1", 1.0, 1, 1), "ok"),
        (flat(1, 1, 1, 1) + flat(1, 1, 1, 0.5), "ambiguous"),
        (flat(1, 1, 1, 1) + flat(1, 1, 1), "ambiguous"),
        (flat(1, 1, 1) + flat(1, 1, 1), "missing_metric"),
        (flat(2, 1, 1, 1) + flat(2, 1, 1, 1), "off_scale"),
        (flat(2, 1, 1, 1) + flat(3, 1, 1, 1), "ambiguous"),
        (flat(1, 1, 1, 1) + flat(True, 1, 1, 1), "ambiguous"),
        (flat(1, 1, 1, 1) + '{"overall_assessment": "good"}', "ambiguous"),
        (f'{{"a": {flat(1, 1, 1, 1)}, "b": {flat(1, 1, 1, 1)}}}', "ok"),
        (f'{{"a": {flat(1, 1, 1, 1)}, "b": {flat(0, 1, 1, 1)}}}', "ambiguous"),
        (f'{{"a": {flat(1, 1, 1, 1)}, "a": {flat(0, 1, 1, 1)}}}', "ambiguous"),
    ],
)
def test_several_verdicts_must_give_the_same_four_values(text, status):
    assert read_verdict(text).status == status


@pytest.mark.parametrize(
    ("text", "status"),
    [
        (f'{{"any name": {GOOD}}}', "ok"),
        (f'{{"a": {{"b": {GOOD}}}}}', "malformed"),
        (f'{{"verdicts": [{GOOD}]}}', "malformed"),
        (f'{{"tool_selection": 1, "evaluation": {GOOD}}}', "missing_metric"),
        ('{"Overall Assessment": "fine"}', "missing_metric"),
        ('{"overall_assessment": "fine", "evaluation": {"note": 1}}', "missing_metric"),
        ("42", "malformed"),
        ('"fine"', "malformed"),
        ("The plan scores 1, 1, 1, 1.", "malformed"),
        (json.dumps(json.dumps(json.dumps(GOOD))), "malformed"),
        ('{"error": "I cannot evaluate this plan."}', "refused"),
        ("I won\u2019t score this.", "refused"),
        (f"I'm sorry, I can't help with that. {GOOD}", "ok"),
    ],
)
def test_only_a_verdict_object_or_a_wrapped_one_is_read(text, status):
    assert read_verdict(text).status == status


def test_a_refusal_field_or_a_content_filter_refuses_a_complete_verdict():
    assert read_verdict(GOOD, refusal="No.").status == "refused"
    assert read_verdict(GOOD, finish_reason="content_filter").status == "refused"


@pytest.mark.parametrize(
    ("value", "score"), [(0, 0), (0.25, 0.25), (1, 1), ("0.3", 0.3), (1.01, None), (-0.1, None), (True, None)]
)
def test_the_unit_scale_takes_any_number_from_0_to_1(value, score):
    for options in ({"scale": "unit"}, {"off_scale": "keep"}, {"scale": "unit", "off_scale": "keep"}):
        reading = read_verdict(flat(value, 1, 1, 1), **options)
        assert reading.scores == (None if score is None else ONES | {"tool_selection": score})
        assert reading.status == ("off_scale" if score is None else "ok")


@pytest.mark.parametrize(
    ("value", "score"),
    [
        (0.2, 0),
        (0.25, 0.5),
        (0.74, 0.5),
        (0.75, 1),
        (7, 1),
        (-3, 0),
        ("0.9", 1),
        (True, None),
        ("100%", None),
    ],
)
def test_snapping_moves_a_number_to_the_nearest_mark(value, score):
    reading = read_verdict(flat(value, 1, 1, 1), off_scale="snap")
    assert reading.scores == (None if score is None else ONES | {"tool_selection": score})


@pytest.mark.parametrize(("value", "score"), [(0.2, 0.2), (7, 1), (-3, 0)])
def test_snapping_on_the_unit_scale_only_moves_into_it(value, score):
    assert read_verdict(flat(value, 1, 1, 1), scale="unit", off_scale="snap").scores == ONES | {
        "tool_selection": score
    }


def test_a_missing_metric_counts_zero_if_the_caller_says_so():
    reading = read_verdict(flat(1, 1, 1), missing_metric="zero")
    assert (reading.status, reading.scores) == ("ok", ONES | {"query_coverage": 0})
    assert reading.missing == ("query_coverage",)
    assert read_verdict(flat(0.7, 1, 1), missing_metric="zero").status == "off_scale"
    assert read_verdict('{"overall_assessment": "perfect"}', missing_metric="zero").status == "missing_metric"


def test_the_judges_words_are_kept():
    text = flat(
        {"accuracy": 1, "Justification": "fits"},
        1,
        1,
        1,
        sequence_justification="late",
        overall_assessment="good",
    )
    reading = read_verdict(text)
    assert reading.justifications == {"tool_selection": "fits", "sequence": "late"}
    assert reading.overall_assessment == "good"
    assert read_verdict(f'{{"v": {GOOD}, "overall_assessment": "beside"}}').overall_assessment == "beside"
    assert read_verdict(GOOD).justifications is None
    assert read_verdict(flat(2, 1, 1, 1, overall_assessment="off")).overall_assessment == "off"


@pytest.mark.parametrize("text", ["\x00", "\ud800", "{\x00}", f"\x00{GOOD}\x00", f"\ud800 {GOOD} \udfff"])
def test_odd_characters_do_no_harm(text):
    assert read_verdict(text).status == ("ok" if GOOD in text else "malformed")


def test_surrogates_in_the_judges_words_become_replacement_characters():
    reading = read_verdict(flat(1, 1, 1, 1).replace("}", ', "overall_assessment": "\ud800 \\udfff"}'))
    assert reading.overall_assessment == "\ufffd \ufffd"


@pytest.mark.parametrize(
    "text",
    [
        "{" * 1_000_000,
        "[" * 100_000 + GOOD + "]" * 100_000,
        '{"tool_selection":' * 100_000,
        '{"x":' * 100_000 + "@",
        "{x:" * 300_000,
        with_first('"tool_selection": ' + "[" * 100_000 + "]" * 100_000),
        GOOD * 5_000,
        with_first('"tool_selection": 1, "note": "' + "{" * 1_000_000 + '"'),
    ],
    ids=range(8),
)
def test_deep_and_huge_answers_are_read_in_seconds(text):
    start = time.process_time()
    reading = read_verdict(text)
    assert time.process_time() - start < 15
    assert (reading.status == "ok") == (reading.scores is not None)
    json.dumps(reading.raw)
