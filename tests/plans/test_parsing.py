"""A generator's answer is read as a plan whole, or not at all."""

from __future__ import annotations

import json
import random
import time
from pathlib import Path
from typing import Any

import pytest

from plumbline.answers import same_value
from plumbline.plans.parsing import PlanReading, read_plan
from plumbline.records import Plan

FIXTURE = Path(__file__).parent.parent / "fixtures" / "plan_text.jsonl"
CASES = [json.loads(line) for line in FIXTURE.read_text("utf-8").splitlines()]

SEAT = {"name": "reserve_seat", "arguments": {"train_id": "R601", "seats": 2}}
NOTE = {"name": "save_note", "arguments": {"body": "two [{seats}]; please"}}
A, B = json.dumps(SEAT), json.dumps(NOTE)
DEFINITION = {"name": "f", "description": "d", "parameters": {"type": "object", "properties": {}}}


def calls(reading: PlanReading) -> list[dict[str, Any]] | None:
    return None if reading.calls is None else [call.model_dump() for call in reading.calls]


def assert_read(text: str, *expected: dict[str, Any]) -> None:
    reading = read_plan(text)
    assert reading.status == "ok", reading.detail
    assert same_value(calls(reading), list(expected))


def assert_status(text: str, status: str) -> None:
    reading = read_plan(text)
    assert (reading.status, reading.calls) == (status, None)
    assert reading.detail


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["id"])
def test_a_generators_answer_is_read_as_the_case_says(case):
    reading = read_plan(case["text"], finish_reason=case.get("finish_reason"), refusal=case.get("refusal"))
    assert reading.status == case["expect"]["status"]
    assert same_value(calls(reading), case["expect"].get("calls"))
    assert (reading.detail is None) == (reading.status == "ok")


def test_every_status_is_reached_by_a_case():
    reached = {case["expect"]["status"] for case in CASES}
    assert reached == {"ok", "malformed", "truncated", "empty", "refused"}


@pytest.mark.parametrize("seed", range(40))
def test_a_plan_that_is_written_as_json_is_read_back(seed):
    rng = random.Random(seed)
    plan = [
        {
            "name": rng.choice(["a.b", "x/y (z)", "Ｆ", "to do", "f{0}"]),
            "arguments": {
                rng.choice("aé \n"): rng.choice(
                    [1, 0.5, None, True, "", "[]", "<tool_call>", [{"name": "x"}], {"a": {}}]
                )
                for _ in range(rng.randrange(4))
            },
        }
        for _ in range(rng.randrange(4))
    ]
    assert_read(json.dumps(plan, ensure_ascii=rng.random() < 0.5, indent=rng.choice([None, 2])), *plan)


@pytest.mark.parametrize("text", [f"[{A}, {B}]", f"```json\n[{A}]\n```", f"{A}", json.dumps(f"[{A}]")])
def test_no_beginning_of_a_plan_is_ok(text):
    assert read_plan(text).status == "ok"
    start = min(text.find(opening) % len(text) for opening in '[{"')
    for end in range(start + 1, len(text.rstrip("`\n"))):
        assert_status(text[:end], "truncated")


@pytest.mark.parametrize(
    "text",
    [
        f"[{A}, {B}]",
        f"Sure.\n```json\n[{A}, {B}]\n```\nDone [1].",
        f"{A}, then {B}",
        f"{A}\n{B}",
        f"<think>[{A}]</think>[{A}, {B}]",
        f"[{A}]</thinking>\n```\n[{A}, {B}]\n```",
        f"[{A}, {B}] or, once more, [{A}, {B}]",
        f'{{"plan": [{A}, {B}]}}',
        f'{{"function_calls": [{A}, {B}], "plan": "two steps", "note": {{"name": 1}}}}',
        f'{{"plan": ["first", "second"], "calls": [{A}, {B}]}}',
        f'{{"tool_calls": [{A}, {B}], "calls": [{A}, {B}]}}',
        f"<|python_tag|>{A}; {B}<|eom_id|><|im_end|></s>",
        f"<|im_start|> [{A}, {B}]<|eot_id|>",
        f'Tools: {json.dumps([DEFINITION])}. Values {{"a": 1}}, {{x}}, [1, 2] and [y]: [{A}, {B}]',
        json.dumps(f"```\n[{A}, {B}]\n```"),
        f"[{A}, {B},] // done",
    ],
)
def test_json_plans_are_found_wherever_they_stand(text):
    assert_read(text, SEAT, NOTE)


@pytest.mark.parametrize(
    "text",
    [
        f"[{A}] and {B}",
        f"{A} [{A}]",
        f"[{A}] [{B}]",
        f"[{A}] []",
        f'{{"tool_calls": [{A}], "calls": [{B}]}}',
        f'{{"calls": [{A}], "calls": [{B}]}}',
        f"[{A}, 1]",
        f"[{A}, {{}}]",
        f"[{A}, [{B}]]",
        f"[{A}, {json.dumps(DEFINITION)}]",
        f'{{"calls": [{A}, null]}}',
        f"[[{A}]]",
        f'{{"steps": [{A}]}}',
        f'{{"name": "plan", "calls": [{A}]}}',
        f"[{A}] {{'x': y}}",
        f'[{A}] ["broken"',
        f"[{A}] [{{x}}]",
        f"[{A}] [[x]]",
        f"[{A}] {{\u201cname\u201d: 1}}",
        json.dumps([DEFINITION]),
        json.dumps([{"type": "function", "function": DEFINITION}]),
        "[1, 2]",
        '"no"',
        "{}",
        "null",
        "No tool is needed.",
        json.dumps(json.dumps(json.dumps([SEAT]))),
    ],
)
def test_what_is_not_exactly_one_plan_is_not_ok(text):
    expected = "truncated" if text.endswith('"broken"') else "malformed"
    assert_status(text, expected)


@pytest.mark.parametrize(
    "body",
    [
        '{"name": " f ", "arguments": {"a": 1}}',
        '{"name": "f", "parameters": {"a": 1}, "why": "because"}',
        '{"name": "f", "args": "{\\"a\\": 1}"}',
        '{"name": "f", "input": {"a": 1.0}, "type": "tool_use", "id": "t1"}',
        "{'name': 'f', 'arguments': \"{'a': 1,}\"}",
        '{"function": {"name": "f", "arguments": {"a": 1}}}',
        '{"id": 1, "type": "function", "name": "x", "function": {"name": "f", "arguments": "{\\"a\\": 1}"}}',
        '{"name": "f", "function": null, "arguments": {"a": 1}}',
        '{"name": "f", "description": "d", "parameters": {"a": 1}}',
        '{"name": "f", "name": "f", "arguments": {"a": 1, "a": 1.0}}',
    ],
)
def test_spellings_of_a_call_are_understood(body):
    for text in (body, f"[{body}]", f"<tool_call>{body}</tool_call>", f"[TOOL_CALLS][{body}]"):
        assert_read(text, {"name": "f", "arguments": {"a": 1}})


@pytest.mark.parametrize(
    "body",
    [
        '{"name": "f"}',
        '{"name": "f", "id": 1, "type": "function", "label": "x"}',
        '{"function": {"name": "f"}, "id": "c1"}',
        '{"name": "f", "arguments": null}',
        '{"name": "f", "input": " \\n"}',
        '{"name": "f", "arguments": "{}"}',
        '{"name": "f", "arguments": "\\"{}\\""}',
    ],
)
def test_a_call_may_have_no_arguments(body):
    assert_read(f"[{body}]", {"name": "f", "arguments": {}})


@pytest.mark.parametrize(
    "body",
    [
        '{"name": "f", "arguments": "x"}',
        '{"name": "f", "arguments": "{\\"a\\": 1"}',
        '{"name": "f", "arguments": "null"}',
        '{"name": "f", "arguments": "\\"\\""}',
        '{"name": "f", "arguments": "[1]"}',
        '{"name": "f", "arguments": "{\\"a\\": 1} and more"}',
        '{"name": "f", "arguments": "{\\"a\\": NaN}"}',
        '{"name": "f", "arguments": "{\\"a\\": 1, \\"a\\": 2}"}',
        '{"name": "f", "arguments": ' + json.dumps(json.dumps(json.dumps(json.dumps({"a": 1})))) + "}",
        '{"name": "f", "arguments": [{"a": 1}]}',
        '{"name": "f", "arguments": 1}',
        '{"name": "f", "arguments": false}',
        '{"name": "f", "arguments": {"a": [{"b": 1, "b": 2}]}}',
        '{"name": "f", "arguments": {"a": {"b": [1e999]}}}',
        '{"name": "f", "arguments": {}, "meta": {"x": 1, "x": 2}}',
        '{"name": "f", "name": "g", "arguments": {}}',
        '{"name": "f", "name": "g"}',
        '{"name": "f", "arguments": {"a": 1}, "arguments": {"a": 2}}',
        '{"name": "f", "arguments": {}, "parameters": {}}',
        '{"name": " ", "arguments": {}}',
        '{"name": 1, "arguments": {}}',
        '{"function": "f", "arguments": {}}',
        '{"function": {"name": "f"}, "arguments": {"a": 1}}',
        '{"function": {"name": "f", "arguments": {}}, "function": {"name": "g", "arguments": {}}}',
    ],
)
def test_a_call_that_cannot_be_read_makes_the_whole_answer_malformed(body):
    for text in (
        body,
        f"[{body}]",
        f"[{A}, {body}]",
        f"[{A}] {body}",
        f"<tool_call>{A}{body}",
        f"[TOOL_CALLS]{body}",
    ):
        assert_status(text, "malformed")


@pytest.mark.parametrize(
    "body", ['{"name": ""}', '{"name": "f", "note": 1}', '{"arguments": {}}', '{"function": "f"}']
)
def test_an_object_that_names_no_call_is_none(body):
    assert_status(f"[{body}]", "malformed")
    assert_read(f"{body} [{A}]", SEAT)
    assert_status(f"[{A}, {body}]", "malformed")


@pytest.mark.parametrize(
    "text",
    [
        f"x {{[<tool_call>{A}</tool_call> y <tool_call>{B}</tool_call> z",
        f"<tool_call>{A}<tool_call>{B}",
        f"<tool_call>\n[{A}, {B}]\n",
        f"<tool_call>{A}\n{B}<|im_end|>",
        f"<tool_call>[{A}]</tool_call><tool_call>[]</tool_call><tool_call>{B}</tool_call>[ignored",
        f"[TOOL_CALLS][{A}, {B}]</s>",
        f"Well. [TOOL_CALLS] {A} [TOOL_CALLS] {B}",
        f"[TOOL_CALLS]\n[TOOL_CALLS]reserve_seat{json.dumps(SEAT['arguments'])}[TOOL_CALLS]save_note[ARGS]{json.dumps(NOTE['arguments'])}",
        f"<think>[TOOL_CALLS]x</think>[TOOL_CALLS] [{A}, {B}]",
    ],
)
def test_marked_calls_are_read_in_order(text):
    assert_read(text, SEAT, NOTE)


@pytest.mark.parametrize(
    ("text", "status"),
    [
        ("<tool_call></tool_call>", "malformed"),
        ("<tool_call>none</tool_call>", "malformed"),
        (f"<tool_call>{A} and</tool_call>", "malformed"),
        (f"<tool_call>{A}, {B}</tool_call>", "malformed"),
        (f"<tool_call>{A} 1</tool_call>", "malformed"),
        (f'<tool_call>{{"calls": [{A}]}}</tool_call>', "malformed"),
        (f"<tool_call>{A}</tool_call><tool_call>", "malformed"),
        (f"<tool_call>{A}</tool_call><tool_call>{B[:-1]}", "truncated"),
        (f"<tool_call>{A[:-1]}</tool_call>", "malformed"),
        (f"[{A}] <tool_call>", "malformed"),
        ("[TOOL_CALLS]", "malformed"),
        ("[TOOL_CALLS]f[ARGS]", "malformed"),
        ("[TOOL_CALLS] none", "malformed"),
        ('[TOOL_CALLS]f{"a": 1', "truncated"),
        ("[TOOL_CALLS]f[ARGS][1]", "malformed"),
        ('[TOOL_CALLS]f[CALL_ID]9[ARGS]{"a": 1}', "malformed"),
        ('[TOOL_CALLS]f{"a": 1, "a": 2}', "malformed"),
        (f"[TOOL_CALLS]{A} {B}", "malformed"),
        ('[TOOL_CALLS]f{"a": 1} g{"b": 2}', "malformed"),
        (f"[TOOL_CALLS][{A}, 1]", "malformed"),
    ],
)
def test_marked_calls_are_read_whole_or_not_at_all(text, status):
    assert_status(text, status)


@pytest.mark.parametrize(
    "form", ["<tool_call>[]</tool_call>", "[TOOL_CALLS] []", "[]", '{"tool_calls": []}', "So: []"]
)
def test_an_empty_list_is_a_plan_of_zero_calls(form):
    assert_read(form)


@pytest.mark.parametrize(
    ("name", "written"),
    [("a.b/c(d)", "a.b/c(d)"), ("Exchange Rates: convert", " Exchange Rates: convert "), ("ｆ", "ｆ")],
)
def test_marked_names_may_hold_blanks_and_signs(name, written):
    assert_read(f'[TOOL_CALLS]{written}{{"a": 1}}', {"name": name, "arguments": {"a": 1}})


HEADS = (
    "<|channel|>commentary to=functions.{} <|constrain|>json<|message|>",
    "<|start|>assistant to=functions.{}<|channel|>commentary<|message|>",
    " to=functions.{}<|channel|>commentary json<|message|>",
)


@pytest.mark.parametrize("head", HEADS)
def test_harmony_calls_are_read_from_their_headers(head):
    first = head.format("reserve_seat") + json.dumps(SEAT["arguments"]) + "<|call|>"
    second = HEADS[0].format("save_note") + json.dumps(NOTE["arguments"])
    assert_read(first, SEAT)
    assert_read(first + second, SEAT, NOTE)
    if not head.startswith(" "):
        assert_read(f"<|channel|>analysis<|message|>[{B}] to=functions.f<|end|>{first}", SEAT)
    assert_read(f"{first}<|channel|>final<|message|>[{B}]<|return|>", SEAT)
    quoted = {"body": HEADS[0].format("f") + "{}"}
    assert_read(HEADS[0].format("save_note") + json.dumps(quoted), {"name": "save_note", "arguments": quoted})


@pytest.mark.parametrize(
    ("message", "status"),
    [
        ("", "malformed"),
        ("<|call|>", "malformed"),
        ("[1]", "malformed"),
        ('{"a": 1', "truncated"),
        ('{"a": 1} x', "malformed"),
        ('{"a": NaN}', "malformed"),
    ],
)
def test_a_harmony_call_without_an_object_is_not_ok(message, status):
    assert_status(HEADS[0].format("f") + message, status)


def test_harmony_calls_keep_to_the_general_rules():
    call = HEADS[0].format("f") + "{}"
    assert read_plan(call, finish_reason="length").status == "truncated"
    assert read_plan(call.replace("functions.", "browser.")).status == "empty"


@pytest.mark.parametrize(
    ("text", "arguments"),
    [
        ("f()", {}),
        ("f({})", {}),
        ("[f({'a': {'b': (1, [2])}})]", {"a": {"b": [1, [2]]}}),
        ("f(a=1)", {"a": 1}),
        ("f(a=-1.5, b=+2, c=0x10, d=1_000)", {"a": -1.5, "b": 2, "c": 16, "d": 1000}),
        (
            "f(a=true, b=false, c=null, d=True, e=False, g=None)",
            {"a": True, "b": False, "c": None, "d": True, "e": False, "g": None},
        ),
        (
            "f(from='a', class='b', import=1, None=2, if = 3)",
            {"from": "a", "class": "b", "import": 1, "None": 2, "if": 3},
        ),
        (
            "f(a='if x=1, from=2', b=\"it's\", c='''x\n'y' ''')",
            {"a": "if x=1, from=2", "b": "it's", "c": "x\n'y' "},
        ),
        (r"f(a='\d \n \x41 \ud800', b=r'\n')", {"a": "\\d \n A \ufffd", "b": "\\n"}),
        ("f(ﬁ=1, é=2, plumbline_name_0=3)", {"ﬁ": 1, "é": 2, "plumbline_name_0": 3}),
        ("f(a=9007199254740993)", {"a": 9007199254740993}),
        ("f(a=1, a=1.0)", {"a": 1}),
        ("f(a=(1,), b=())", {"a": [1], "b": []}),
        ("f(a='x' 'y')", {"a": "xy"}),
        ("# plan\n[\n  f(\n    a=1,  # one\n  ),\n]", {"a": 1}),
        ("<|python_start|>f(a=1);<|python_end|>", {"a": 1}),
        ("```python\nf(a=1)\n```", {"a": 1}),
        ("I call:\n```\n    [f(a=1)]\n```\nand that is all [1].", {"a": 1}),
        ("f(a='```')", {"a": "```"}),
    ],
)
def test_python_calls_are_read(text, arguments):
    assert_read(text, {"name": "f", "arguments": arguments})


@pytest.mark.parametrize(
    "text", ["a.b.f(x=1)\ng()", "[a.b.f(x=1), g()]", "a.b.f(x=1); g({})", "[ a . b.f(x=1), g() ]"]
)
def test_several_python_calls_are_a_plan_in_order(text):
    assert_read(text, {"name": "a.b.f", "arguments": {"x": 1}}, {"name": "g", "arguments": {}})


def test_a_name_outside_ascii_is_kept_letter_by_letter():
    assert_read("ﬁnd.ｘ(ﬁ='ﬁ')", {"name": "ﬁnd.ｘ", "arguments": {"ﬁ": "ﬁ"}})


@pytest.mark.parametrize(
    "text",
    [
        "f('a')",
        "f([])",
        "f([{'name': 'g'}])",
        "f({'a': 1}, b=2)",
        "f({'a': 1}, {'b': 2})",
        "f(*[])",
        "f(**{'a': []})",
        "f(a=x)",
        "f(a=g([]))",
        "f(a=1+1, b=[])",
        "f(a=[][0])",
        "f(a=f'{x}', b=[])",
        "f(a=b'x', b=[])",
        "f(a={1, 2}, b=[])",
        "f(a={1: 2}, b=[])",
        "f(a={**{}}, b=[])",
        "f(a=..., b=[])",
        "f(a=1j, b=[])",
        "f(a=1e999, b=[])",
        "f(a=-1e999, b=[])",
        "f(a=not True, b=[])",
        "f(a=[NaN], b=[])",
        "f(a={'x': 1, 'x': 2}, b=[])",
        "f(a=1, a=2, b=[])",
        f"f(a={'9' * 400}, b=[])",
        "f(a=1)(b=[])",
        "f[0](b=[])",
        "'f'.g(b=[])",
        "[f(a=[]), 'then g']",
        "f(a=[]), g()",
        "f(a=1)\ng('x')",
        "[f(a=1)\n",
        "f(a='x",
        "I call f(a=1).",
        "```\nf(a=1)\n```\n```\ng(a=1)\n```",
        "x = f(a=1)",
        "f(a=1) + g()",
        "f(a='\x00')",
    ],
)
def test_python_that_is_not_plain_calls_is_malformed(text):
    assert_status(text, "malformed")


def test_nothing_is_evaluated(tmp_path):
    target = tmp_path / "made"
    for text in (
        f"open({str(target)!r}, 'w')",
        f"[f(a=open({str(target)!r}, 'w'))]",
        f"f(a=f'{{open({str(target)!r}, chr(119))}}')",
    ):
        assert_status(text, "malformed")
    assert not target.exists()


def test_forms_are_tried_in_order_and_the_first_one_present_decides():
    assert_status(f"[{A}] <tool_call>nothing</tool_call> [TOOL_CALLS]{A}", "malformed")
    assert_read(f"<tool_call>{A}</tool_call> [TOOL_CALLS]{B} [{B}]", SEAT)
    assert_read(f"[TOOL_CALLS]{A}", SEAT)
    whole = {
        "name": "f",
        "arguments": {"a": "<tool_call> [TOOL_CALLS] <|channel|> to=functions.g<|message|>"},
    }
    assert_read(json.dumps([whole]), whole)
    assert_read(json.dumps(whole), whole)


@pytest.mark.parametrize(
    ("text", "status"),
    [
        ("I'm sorry, I cannot help with that.", "refused"),
        ('{"answer": "I can\'t do that."}', "refused"),
        ("Sorry, which day?", "malformed"),
        (f"I can't do this. [{A}]", "ok"),
        ("I can't do this: <tool_call>", "malformed"),
        ("```json\n```", "empty"),
        ("<think>[]", "empty"),
    ],
)
def test_an_answer_without_a_plan_is_refused_only_if_it_declines(text, status):
    assert read_plan(text).status == status


def test_a_refusal_field_or_a_content_filter_refuses_a_complete_plan():
    assert read_plan(f"[{A}]", refusal="No.").status == "refused"
    assert read_plan(f"[{A}]", finish_reason="content_filter").status == "refused"
    assert read_plan(f"[{A}]", finish_reason="length").status == "truncated"
    assert read_plan(f"[{A}]", finish_reason="tool_calls").status == "ok"


@pytest.mark.parametrize(("depth", "status"), [(90, "ok"), (250, "malformed"), (100_000, "malformed")])
def test_a_plan_that_is_ok_fits_into_our_files(depth, status):
    reading = read_plan('[{"name": "f", "arguments": {"a": ' + "[" * depth + "]" * depth + "}}]")
    assert reading.status == status
    if status == "ok":
        plan = Plan(record_id="r", tier="easy", generator="g", status="ok", calls=reading.calls)
        assert Plan.model_validate_json(json.dumps(plan.model_dump(), allow_nan=False)) == plan


@pytest.mark.parametrize(
    "text", ['[{"name": "f", "arguments": {"\\ud800": "\ud800"}}]', 'f({"\\ud800": "\ud800"})']
)
def test_lone_surrogates_become_replacement_characters(text):
    assert_read(text, {"name": "f", "arguments": {"\ufffd": "\ufffd"}})


@pytest.mark.parametrize(
    "text",
    [
        "{" * 1_000_000,
        "[" * 1_000_000,
        "[x" * 300_000,
        "f(" * 300_000,
        "f(a=" + "-" * 300_000 + "1)",
        "f(a=f'" + "{a}" * 200_000 + "')",
        "f" + ".b" * 300_000 + "()",
        "<tool_call>" * 50_000,
        "[TOOL_CALLS]" * 50_000,
        "<|eot_id|>" * 50_000 + "x",
        "x" + "<|eot_id|>" * 50_000,
        "<|channel|>to=functions.f<|message|>{}" * 20_000,
        "<|channel|>" * 100_000,
        "```\n" * 100_001,
        f"{A}\n" * 10_000,
        "'" * 500_000,
        '"""' * 200_001,
    ],
    ids=range(17),
)
def test_deep_and_huge_answers_are_read_in_seconds(text):
    start = time.process_time()
    reading = read_plan(text)
    assert time.process_time() - start < 15
    assert (reading.status == "ok") == (reading.calls is not None)
