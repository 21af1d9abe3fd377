"""The released AgentJudgeBench layout, under every alias; rows are made up after its public field list."""

from __future__ import annotations

import json

import pytest

from plumbline.corpora.agentjudgebench import read_agentjudgebench
from plumbline.records import UserError

HEX = "0123456789abcdef0123456789abcdef"
QUERY = "Give the region North its discount and tell the owner."


def _function(name, properties, required):
    parameters = {"type": "dict", "properties": properties, "required": required}
    function = {"name": name, "description": f"Does {name}.", "parameters": parameters, "required": None}
    return {"type": "function", "function": function}


TOOLS = [
    _function("sales.lookup", {"region": {"type": "string", "title": "Region"}}, ["region"]),
    _function("apply_discount", {"account": {"type": "string"}, "rate": {"type": "float"}}, ["account"]),
    _function("notify_owner", {"account": {"type": "string"}, "urgent": {"type": "bool"}}, ["account"]),
    _function("show_error_and_get_input_from_user", {"message": {"type": "string"}}, ["message"]),
]


def _call(step, name, arguments, *, inside=False, text=False):
    function = {"name": name, "arguments": json.dumps(arguments) if text else arguments}
    if inside:
        return {"function": {**function, "id": step, "type": "function"}}
    return {"function": function, "type": "function", "id": step}


def _said(calls, *, text=True):
    return {
        "role": "assistant",
        "tool_calls": json.dumps(calls) if text else calls,
        "reasoning_content": "r",
        "content": "",
    }


def _returned(step, value):
    content = json.dumps([{"output": {"function": step, "output": value}}])
    return {"role": "tool", "content": content, "tool_call_id": step, "name": "x"}


MESSAGES = [
    _said([_call("step1", "sales.lookup", {"region": "North"})]),
    _returned("step1", {"account": "ACC-5521", "rate": 0.125}),
    _said([_call("step2", "apply_discount", {"account": "ACC-5521", "rate": 0.125}, inside=True, text=True),
           _call("step3", "notify_owner", {"account": "ACC-5521"})], text=False),
    _returned("step2", "ok"),
]  # fmt: skip

REWRITTEN = {
    "id": f"fan_out_{HEX}",
    "dag_type": "fan_out",
    "user_message": QUERY,
    "query_medium": "North should get its discount; let the owner know.",
    "query_hard": "sort out North and ping the owner",
    "rewrite_medium_status": "OK",
    "rewrite_hard_status": "FAILED",
    "system_prompt": "Answer in our format.",
    "available_tools": TOOLS,
    "expected_responses": MESSAGES,
    "expected_tool_calls": [],
}


@pytest.fixture
def read(tmp_path):
    def read_rows(files, **options):
        for name, rows in files.items():
            path = tmp_path / name
            path.parent.mkdir(exist_ok=True)
            path.write_text("\n".join(json.dumps(row) for row in rows), encoding="utf-8")
        return read_agentjudgebench(tmp_path, **options)

    return read_rows


def _without(row, *keys, **more):
    return {**{key: value for key, value in row.items() if key not in keys}, **more}


def test_a_rewritten_record_becomes_ours(read):
    reading = read({"rewritten.jsonl": [REWRITTEN]})
    (record,) = reading.records
    assert record.id == f"fan_out_{HEX}"
    assert record.topology == "fan_out"
    assert (record.queries.easy, record.queries.hard) == (QUERY, "sort out North and ping the owner")
    assert record.rewrite == {"medium": "ok", "hard": "failed"}
    assert record.system_prompt == "Answer in our format."
    assert record.expected_messages == MESSAGES
    assert [(call.id, call.name) for call in record.expected_calls] == [
        ("step1", "sales_lookup"), ("step2", "apply_discount"), ("step3", "notify_owner")
    ]  # fmt: skip
    assert record.expected_calls[1].arguments == {"account": "ACC-5521", "rate": 0.125}
    assert record.expected_calls[0].returns == {"account": "ACC-5521", "rate": 0.125}
    assert [call.needs for call in record.expected_calls] == [(), ("step1",), ("step1",)]
    assert record.tools[0].original_name == "sales.lookup"
    assert record.tools[1].parameters["properties"]["rate"] == {"type": "number"}
    assert reading.mismatches == []
    assert reading.notes == []


def test_structured_fields_may_be_json_strings(read):
    keys = ("available_tools", "expected_responses", "expected_tool_calls")
    texts = {key: json.dumps(REWRITTEN[key]) for key in keys}
    plain, packed = (read({"one.jsonl": [row]}).records[0] for row in (REWRITTEN, {**REWRITTEN, **texts}))
    assert packed == plain


@pytest.mark.parametrize(
    "row",
    [
        _without(REWRITTEN, "user_message", query=QUERY),
        _without(REWRITTEN, "id", "dag_type", id=HEX, dag_type="Fan-Out"),
        _without(REWRITTEN, "dag_type"),  # its id tells
        _without(REWRITTEN, "available_tools", tools=TOOLS),
        _without(REWRITTEN, "available_tools", tools=[tool["function"] for tool in TOOLS]),
        _without(
            REWRITTEN, "system_prompt", system_prompt="Answer in our format.", metadata='{"source_id": 4}'
        ),
    ],
)
def test_aliases_of_the_fields_give_the_same_record(read, row):
    assert read({"one.jsonl": [row]}).records[0] == read({"one.jsonl": [REWRITTEN]}).records[0]


def test_a_trace_without_messages_is_taken_from_the_calls(read):
    calls = [
        {"name": "sales.lookup", "arguments": {"region": "North"}},
        {"name": "notify_owner", "arguments": "{}"},
    ]
    (record,) = read(
        {"one.jsonl": [_without(REWRITTEN, "expected_responses", expected_tool_calls=calls)]}
    ).records
    assert [(call.id, call.name, call.arguments) for call in record.expected_calls] == [
        ("s1", "sales_lookup", {"region": "North"}), ("s2", "notify_owner", {})
    ]  # fmt: skip
    assert record.expected_messages is None


def test_queries_are_joined_from_tier_files(read):
    rewrites = ("query_medium", "query_hard", "rewrite_medium_status", "rewrite_hard_status")
    base = _without(REWRITTEN, *rewrites)
    files = {
        "a_hard.jsonl": [{**base, "user_message": "the hard one"}],  # the name of the file tells
        "b.jsonl": [{**base, "user_message": "the medium one", "difficulty": "medium"}],
        "c/easy.jsonl": [{**base, "difficulty": "easy"}],
    }
    (record,) = read(files).records
    assert record.queries.model_dump() == {"easy": QUERY, "medium": "the medium one", "hard": "the hard one"}
    assert record.rewrite == {}


def test_a_json_array_is_read_like_json_lines(tmp_path):
    (tmp_path / "all.json").write_text(json.dumps([REWRITTEN]), encoding="utf-8")
    assert len(read_agentjudgebench(tmp_path).records) == 1
    (tmp_path / "all.json").write_text(json.dumps(REWRITTEN) + "\n", encoding="utf-8")
    assert len(read_agentjudgebench(tmp_path).records) == 1


def test_what_is_no_record_is_skipped_or_counted(read):
    rows = [
        REWRITTEN,
        _without(REWRITTEN, "id", "expected_responses", id="no_calls"),
        _without(REWRITTEN, "id", "user_message", id="no_query"),
        _without(REWRITTEN, "id", "available_tools", id="torn", available_tools="[{"),
        _without(REWRITTEN, "id"),
        {**REWRITTEN, "generated_tool_calls": "[]"},
        dict.fromkeys(REWRITTEN),
        _without(REWRITTEN, "id", id="odd", colour="red"),
    ]
    reading = read({"mixed.jsonl": rows})
    assert [record.id for record in reading.records] == [REWRITTEN["id"], "odd"]
    reasons = dict(reading.skipped)
    assert reasons["no_calls"] == "has no expected calls"
    assert reasons["no_query"] == "has no easy query"
    assert "available_tools is no JSON" in reasons["torn"]
    assert reasons["mixed.jsonl:5"] == "has no id"
    assert set(reading.notes) == {
        "mixed.jsonl: 1 rows hold plans or verdicts, no records",
        "mixed.jsonl: 1 rows are empty (failed items)",
        "mixed.jsonl: unknown field `colour` in 1 rows",
    }


def test_a_contradicting_label_stays_and_is_counted_unless_the_edges_are_to_decide(read):
    row = _without(REWRITTEN, "dag_type", dag_type="diamond")
    reading = read({"one.jsonl": [row]})
    assert reading.records[0].topology == "diamond"
    assert reading.mismatches == [(REWRITTEN["id"], "diamond", "fan_out")]
    assert read({"one.jsonl": [row]}, computed=True).records[0].topology == "fan_out"


def test_rows_of_an_id_that_differ_are_told(read):
    reading = read({"one.jsonl": [REWRITTEN, {**REWRITTEN, "user_message": "something else"}]})
    assert reading.records[0].queries.easy == QUERY
    assert any("1 ids have rows that differ" in note for note in reading.notes)


def test_a_record_that_fails_the_structural_check_is_kept_and_counted(read):
    calls = [{"name": "no_such_tool", "arguments": {}}]
    row = _without(REWRITTEN, "expected_responses", "dag_type", "id", id="x", expected_tool_calls=calls)
    reading = read({"one.jsonl": [row]})
    assert reading.records[0].topology == "single"
    assert "structural check: unknown_tool 1 times" in reading.notes


def test_a_broken_line_or_an_empty_folder_is_an_error(read, tmp_path):
    with pytest.raises(UserError, match="holds no"):
        read_agentjudgebench(tmp_path)
    (tmp_path / "broken.jsonl").write_text('{"id": 1}\n{"id"', encoding="utf-8")
    with pytest.raises(UserError, match=r"broken\.jsonl, line 2"):
        read_agentjudgebench(tmp_path)


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"expected_responses": [5]}, "a message of expected_responses is no object"),
        ({"expected_responses": [{"role": "assistant", "tool_calls": 5}]}, "tool_calls is no list"),
        ({"expected_responses": None, "expected_tool_calls": 5}, "expected_tool_calls is no list"),
        ({"available_tools": [{"name": "", "parameters": {}}]}, "`name`"),
        ({"available_tools": [{"name": "a", "description": 5}]}, "`description`"),
        ({"system_prompt": 5}, "`system_prompt`"),
        ({"domain": 5}, "`domain`"),
    ],
)
def test_a_row_of_another_shape_is_left_out_with_its_reason(read, change, reason):
    reading = read({"one.jsonl": [{**REWRITTEN, **change}]})
    assert reading.records == []
    ((name, said),) = reading.skipped
    assert name == REWRITTEN["id"]
    assert reason in said


def test_ids_of_calls_that_are_no_ids_are_replaced(read):
    messages = [_said([_call([1], "sales.lookup", {"region": "North"})]), _returned([1], "x")]
    reading = read({"one.jsonl": [{**REWRITTEN, "expected_responses": messages}]})
    assert [call.id for call in reading.records[0].expected_calls] == ["s1"]


def test_a_number_that_json_does_not_have_is_an_error(read):
    with pytest.raises(UserError, match=r"one\.jsonl, line 1: .*NaN"):
        read({"one.jsonl": [{**REWRITTEN, "thoughts": float("nan")}]})
