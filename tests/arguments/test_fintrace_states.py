"""FinTrace's released layout and its stand-in become states, and nothing is left out without a count (D6)."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from plumbline.arguments.datasets.account import Account
from plumbline.arguments.datasets.calls import build_calls
from plumbline.arguments.datasets.fintrace import read_fintrace
from plumbline.config.argument_datasets import FintraceDataset
from plumbline.records import DataError, read_json_lines, write_json_lines
from plumbline.records.arguments import State

FUNCTIONS = [
    {
        "type": "function",
        "function": {
            "name": name,
            "description": "Figures of a company.",
            "parameters": {"type": "object", "properties": {"symbol": {"type": "string"}}},
        },
    }
    for name in ("quote", "income-statement", "news (latest)")
]


def call(identifier: str, name: str, arguments: Any) -> dict[str, Any]:
    text = arguments if isinstance(arguments, str) else json.dumps(arguments)
    return {"id": identifier, "type": "function", "function": {"name": name, "arguments": text}}


def asks(*calls: dict[str, Any], content: str | None = None) -> dict[str, Any]:
    return {"role": "assistant", "content": content, "tool_calls": list(calls)}


def answers(identifier: str, content: Any) -> dict[str, Any]:
    return {"role": "tool", "tool_call_id": identifier, "content": content}


def entry(
    query: Any = 7, request: str = "How is ACME doing?", *messages: dict[str, Any], **other: Any
) -> dict:
    talk = [{"role": "system", "content": "Help."}, {"role": "user", "content": request}, *messages]
    return {"id": query, "messages": talk, **other}


def read(
    tmp_path: Path, entries: Any, account: Account | None = None, functions: Any = FUNCTIONS
) -> list[State]:
    path, described = tmp_path / "testset.json", tmp_path / "functions.json"
    path.write_text(entries if isinstance(entries, str) else json.dumps(entries), encoding="utf-8")
    described.write_text(json.dumps(functions), encoding="utf-8")
    return read_fintrace("fintrace", path, described, account or Account())


TWO_STEPS = (
    asks(
        call("a", "quote", {"symbol": "ACME"}),
        call("b", "quote", {"symbol": "NUTS"}),
        content="Let me look.",
    ),
    answers("b", "2 USD"),
    answers("a", "1 USD"),
    asks(call("a", "income-statement", {"symbol": "ACME"})),
    answers("a", "a loss"),
    {"role": "assistant", "content": "Badly."},
)


def test_a_message_with_calls_is_one_step_and_its_calls_are_parallel(tmp_path):
    first, second = read(tmp_path, [entry(7, "How is ACME doing?", *TWO_STEPS)])
    assert [one.arguments["symbol"] for one in first.gold] == ["ACME", "NUTS"]
    assert [turn.role for turn in first.turns] == ["system", "user"]
    assert [one.returns for one in second.turns[2].calls] == ["1 USD", "2 USD"]
    assert second.turns[2].text == "Let me look."
    assert {first.query_id, second.query_id} == {"7"}


def test_the_older_layout_and_absent_fields_are_read_alike(tmp_path):
    new = entry(1, "How is ACME doing?", *TWO_STEPS)
    old = {"id": 1, "trajectory": new["messages"]}
    bare = {"id": 1, "source_query": "How is ACME doing?", "messages": list(TWO_STEPS)}
    text = {"id": 1, "trajectory": json.dumps(new["messages"])}
    states = [read(tmp_path, [one]) for one in (new, old, bare, text)]
    assert states[0] == states[1] == states[3]
    assert [turn.text for turn in states[2][0].turns] == ["How is ACME doing?"]
    assert [one.gold for one in states[2]] == [one.gold for one in states[0]]


def test_json_lines_are_read_as_a_list_is(tmp_path):
    one = entry(1, "How is ACME doing?", *TWO_STEPS)
    assert read(tmp_path, json.dumps(one) + "\n" + json.dumps({**one, "id": 2})) == read(
        tmp_path, [one, {**one, "id": 2}]
    )


@pytest.mark.parametrize(
    "request_text",
    ["How is {company} doing?", "News on {{ ticker }}", "How is [COMPANY NAME]?", "Is <ticker> up?"],
)
def test_a_request_with_an_unfilled_template_is_left_out_and_counted(tmp_path, request_text):
    account = Account()
    good = entry(1, "Is a < b, and {1, 2} a set? How is ACME [see above]?", *TWO_STEPS)
    states = read(tmp_path, [good, entry(2, request_text, *TWO_STEPS)], account)
    assert {state.query_id for state in states} == {"1"}
    assert account.dropped == {"calls whose request has an unfilled template": 3}


def test_only_functions_with_documentation_are_judged(tmp_path):
    account = Account()
    messages = [
        asks(call("a", "quote", {"symbol": "ACME"}), call("b", "secret", {"x": 1})),
        answers("a", "1"),
    ]
    (state,) = read(tmp_path, [entry(1, "How?", *messages)], account)
    assert [one.name for one in state.gold] == ["quote"]
    assert account.dropped == {"calls of functions without provider documentation": 1}


def test_names_that_apis_refuse_get_an_alias_and_keep_their_own(tmp_path):
    messages = [asks(call("a", "news (latest)", {"symbol": "ACME"})), answers("a", "none"), *TWO_STEPS]
    states = read(tmp_path, [entry(1, "How?", *messages)])
    tool = next(tool for tool in states[0].functions if tool.original_name)
    assert (tool.name, tool.original_name) == ("news__latest_", "news (latest)")
    assert states[0].gold[0].name == tool.name == states[1].turns[2].calls[0].name


def test_dangling_calls_and_returns_are_counted_and_the_rest_is_kept(tmp_path):
    account = Account()
    messages = [
        answers("nobody", "a stray return"),
        asks(call("a", "quote", {"symbol": "ACME"})),
        asks(call("b", "quote", "{not json")),
        answers("b", "2"),
        {"role": "narrator", "content": "?"},
        "no object",
        asks(call("c", "quote", {"symbol": "NUTS"})),
        answers("c", [{"type": "text", "text": "3"}]),
        asks(call("d", "quote", {"symbol": None, "list": [1], "nested": {"x": 1}})),
    ]
    states = read(tmp_path, [entry(1, "How?", *messages)], account)
    assert [one.gold[0].arguments.get("symbol") for one in states] == ["ACME", "NUTS", None]
    last = states[-1]
    assert [one.returns for turn in last.turns for one in turn.calls] == [None, "2", "3"]
    assert last.turns[3].calls[0].arguments == {"unreadable_arguments": "{not json"}
    assert last.gold[0].arguments == {"symbol": None, "list": [1], "nested": {"x": 1}}
    assert account.dropped == {
        "a return answers no call": 1,
        "a message has no known role": 1,
        "a message is no object": 1,
        "calls whose arguments cannot be read": 1,
    }
    # the last call is the one under judgment, and has no return either
    assert account.counts["calls without a return (kept)"] == 2


def test_an_id_that_recurs_belongs_to_the_most_recent_call(tmp_path):
    messages = [
        asks(call("a", "quote", {"symbol": "ACME"})),
        answers("a", "1"),
        asks(call("a", "quote", {"symbol": "NUTS"})),
        answers("a", "2"),
        asks(call("a", "quote", {"symbol": "BOLT"})),
    ]
    last = read(tmp_path, [entry(1, "How?", *messages)])[-1]
    assert [one.returns for turn in last.turns for one in turn.calls] == ["1", "2"]


def test_half_a_character_and_a_very_long_return_survive_the_file(tmp_path):
    long = "x" * 200_000
    text = json.dumps([entry(1, "How?", *TWO_STEPS)]).replace("1 USD", "cut \\ud83d").replace("2 USD", long)
    states = read(tmp_path, text)
    write_json_lines(states, tmp_path / "states.jsonl")
    assert read_json_lines(tmp_path / "states.jsonl", State) == states
    returns = [one.returns for one in states[1].turns[2].calls]
    assert returns == ["cut \ufffd", long]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "is empty"),
        ("[1]", "entry 1 is no JSON object"),
        ('{"id": 1}\n{"id": ', "testset.json, line 2: is no JSON object"),
        ("[{]", "is no JSON"),
        ('[{"id": 1}]', "holds no call that can be judged.*neither `messages`"),
        ('[{"id": NaN}]', "NaN, which is no JSON number"),
    ],
)
def test_a_broken_file_is_named_with_its_place(tmp_path, text, message):
    with pytest.raises(DataError, match=message):
        read(tmp_path, text)


def test_a_broken_list_of_functions_is_named(tmp_path):
    with pytest.raises(DataError, match="functions.json: entry 1 has no `name`"):
        read(tmp_path, [entry(1, "How?", *TWO_STEPS)], functions=[{"type": "function"}])


def test_wrong_calls_change_one_argument_by_the_rules_of_d6(tmp_path):
    entries = [
        entry(name, "How?", asks(call("a", "quote", {"symbol": ticker, "from": "2020-01-31"})))
        for name, ticker in enumerate(["ACME", "NUTS", "BOLT"])
    ]
    states = read(tmp_path, entries)
    dataset = FintraceDataset(kind="fintrace", path="x.json")
    calls = build_calls(dataset, states, (), 1)
    wrong = [one for one in calls if one.label == "wrong"]
    assert len(wrong) == len(calls) / 2 == 3
    for one in wrong:
        assert one.made_by in ("rule:swap_ticker", "rule:shift_date")
        assert len(one.changed) == 1


TOOLS = [
    {
        "tool name": "Data House: time/series",
        "tool description": "Prices.",
        "required_parameters": [
            {"name": "symbol", "type": "STRING", "description": "The ticker ", "default": "ACME"},
            {"name": "size", "type": "NUMBER", "description": "Rows", "default": 30},
        ],
        "optional_parameters": [
            {"name": "flag", "type": "BOOLEAN", "description": "", "default": ""},
            {"name": "odd", "type": "MYSTERY"},
        ],
    },
    {"tool name": "plain_name", "required_parameters": [], "optional_parameters": []},
]


def bench_call(name: str, values: dict[str, Any], output: Any, status: str = "success") -> dict[str, Any]:
    return {
        "tool name": name,
        "required parameters": [{"name": key, "value": value} for key, value in values.items()],
        "optional parameters": [],
        "execution_status": status,
        "executed_output": output,
    }


def bench(folder: Path, sequential: list[Any], parallel: list[Any] = (), tools: Any = TOOLS) -> Path:
    (folder / "tools.json").write_text(json.dumps(tools), encoding="utf-8")
    for name, rows in (("sequential", sequential), ("parallel_hard", parallel)):
        text = "\n".join(row if isinstance(row, str) else json.dumps(row) for row in rows)
        if rows:
            (folder / f"{name}.jsonl").write_text(text, encoding="utf-8")
    return folder


ROW = {
    "_index": 4,
    "_family": 2,
    "query": "Prices of ACME, please.",
    "tool list": [
        bench_call("Data House: time/series", {"symbol": "ACME", "size": "30"}, "{'close': '1.5', 'n"),
        bench_call("plain_name", {}, "ERROR", "failed"),
        bench_call("plain_name", {"x": {"y": 1}}, "__import__('os').system('true')"),
    ],
}


def test_the_stand_in_is_read_step_by_step_and_failed_calls_are_counted(tmp_path):
    account = Account()
    first, second = read_fintrace("bench", bench(tmp_path, [ROW]), None, account)
    assert first.gold[0].arguments == {"symbol": "ACME", "size": "30"}
    assert second.gold[0].arguments == {"x": {"y": 1}}
    assert second.turns[1].calls[0].returns == "{'close': '1.5', 'n"
    assert {first.query_id, second.query_id} == {"family_2"}
    assert account.dropped == {"failed calls (recorded without arguments)": 1}
    assert any("stand-in" in line for line in account.lines())


def test_schemas_of_the_stand_in_keep_what_is_known_and_leave_out_what_is_not(tmp_path):
    state = read_fintrace("bench", bench(tmp_path, [ROW]), None, Account())[0]
    tool = state.functions[0]
    assert (tool.name, tool.original_name) == ("Data_House__time_series", "Data House: time/series")
    assert tool.parameters["properties"] == {
        "symbol": {"type": "string", "description": "The ticker", "default": "ACME"},
        "size": {"type": "number", "description": "Rows", "default": 30},
        "flag": {"type": "boolean", "description": ""},
        "odd": {"description": ""},
    }
    assert tool.parameters["required"] == ["symbol", "size"]


def test_parallel_records_of_the_stand_in_are_one_step(tmp_path):
    row = {"_index": 9, "query": "Both.", "tool list": [ROW["tool list"][0], ROW["tool list"][2]]}
    (state,) = read_fintrace("bench", bench(tmp_path, [], [row]), None, Account())
    assert len(state.gold) == 2
    assert (state.query_id, len(state.turns)) == ("parallel_9", 1)


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ([{"query": "x"}], "sequential.jsonl, line 1 needs the keys `query`"),
        ([ROW, "{"], "sequential.jsonl, line 2: is no JSON object"),
        (
            [{**ROW, "tool list": [{**ROW["tool list"][0], "required parameters": [3]}]}],
            "must be a list of {name",
        ),
    ],
)
def test_a_broken_stand_in_is_named_with_its_place(tmp_path, rows, message):
    with pytest.raises(DataError, match=message):
        read_fintrace("bench", bench(tmp_path, rows), None, Account())


def test_the_stand_in_is_named_as_such_and_the_release_is_not():
    assert "stand-in" in (FintraceDataset(kind="fintrace", path="traject_bench").shown_note() or "")
    assert FintraceDataset(kind="fintrace", path="data/testset.json").shown_note() is None


STAND_IN = Path(__file__).parents[3] / "shared" / "data" / "traject_bench_finance"


@pytest.mark.skipif(not STAND_IN.exists(), reason="the licensed sample is not beside the project")
def test_the_real_stand_in_has_the_calls_that_its_description_counts(tmp_path):
    account = Account()
    states = read_fintrace("fintrace", STAND_IN, None, account)
    # 424 sequential calls of which 17 failed, 55 parallel ones in 9 records
    assert sum(len(state.gold) for state in states) == 424 - 17 + 55
    assert len(states) == 424 - 17 + 9
    assert account.dropped == {"failed calls (recorded without arguments)": 17}
    # 21 families and 9 parallel records
    assert len({state.query_id for state in states}) == 21 + 9
    assert all(tool.original_name for state in states for tool in state.functions)
