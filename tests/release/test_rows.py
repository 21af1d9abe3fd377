"""Rows of an export, field by field as the specification lists them (A57, section 3)."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import yaml

from plumbline.config.settings import RunConfig, Scoring
from plumbline.corpora.agentjudgebench import read_agentjudgebench
from plumbline.plans.scoring import score_plan
from plumbline.records import Plan, Record, Rewrite, ToolCall
from plumbline.release.rebuild import rebuild_file
from plumbline.release.rows import generated_row, plan_row, record_row


def record(**changes: Any) -> Record:
    data: dict[str, Any] = {
        "id": "linear_1",
        "source": "tests",
        "domain": "support",
        "topology": "linear",
        "system_prompt": "Answer in our format.",
        "queries": {"easy": "close T-1", "medium": "T-1 can go", "hard": "done with T-1"},
        "tools": [
            {"name": "find_ticket", "original_name": "find.ticket", "description": "Find it."},
            {"name": "close_ticket"},
        ],
        "expected_calls": [
            {"id": "s1", "name": "find_ticket", "arguments": {"text": "T-1"}, "returns": {"id": 7}},
            {"id": "s2", "name": "close_ticket", "arguments": {"id": 7, "note": "x"}, "optional": ["note"]},
        ],
    }
    return Record.model_validate(data | changes)


@pytest.mark.parametrize(
    ("hard", "word", "expected"),
    [
        ("done with T-1", None, ("done with T-1", "OK")),
        ("done with T-1", "ok", ("done with T-1", "OK")),
        ("done with T-1", "unknown", ("done with T-1", "UNKNOWN")),
        ("close T-1", "failed", (None, "FAILED")),
        (None, "failed", (None, "FAILED")),
        (None, None, (None, "FAILED")),
    ],
)
def test_a_query_is_exported_if_it_is_used_with_the_status_that_it_has(
    hard: str | None, word: str | None, expected: tuple[str | None, str]
) -> None:
    queries = {"easy": "close T-1", "medium": "T-1 can go", "hard": hard}
    row = record_row(record(queries=queries, rewrite={} if word is None else {"hard": word}), None)
    assert (row["query_hard"], row["rewrite_hard_status"]) == expected
    assert (row["query_medium"], row["rewrite_medium_status"]) == ("T-1 can go", "OK")


def test_a_rewrite_of_the_run_is_exported_with_its_status() -> None:
    bare = record(queries={"easy": "close T-1"})
    status = {"medium": "values_lost", "hard": "ok"}
    row = record_row(bare, Rewrite(record_id="linear_1", model="m", hard="T-1: done", status=status))
    assert (row["query_hard"], row["rewrite_hard_status"]) == ("T-1: done", "OK")
    assert (row["query_medium"], row["rewrite_medium_status"]) == (None, "FAILED")


def test_what_a_plan_may_leave_out_comes_back_and_with_it_the_score(tmp_path: Path) -> None:
    """Expected are `id` and `note`, which may be left out; the plan passes `id` alone."""
    ours = record(source="own", family="f1")
    (tmp_path / "records.jsonl").write_text(json.dumps(record_row(ours, None)) + "\n", encoding="utf-8")
    (back,) = read_agentjudgebench(tmp_path).records
    assert (back.source, back.family) == ("own", "f1")
    assert [call.optional for call in back.expected_calls] == [(), ("note",)]
    assert back.expected_calls[0].needs == ours.expected_calls[0].needs
    plan = [ToolCall(name="find_ticket", arguments={"text": "T-1"})]
    plan.append(ToolCall(name="close_ticket", arguments={"id": 7}))
    for one in (ours, back):
        scores = score_plan(plan, one.expected_calls, Scoring(), one.tools)
        assert scores["parameter_structure"] == 1


def test_an_own_field_that_does_not_fit_the_calls_is_no_record(tmp_path: Path) -> None:
    row = record_row(record(), None) | {"plumbline": json.dumps({"optional": [[]], "needs": [[]]})}
    (tmp_path / "records.jsonl").write_text(json.dumps(row) + "\n", encoding="utf-8")
    reading = read_agentjudgebench(tmp_path)
    assert not reading.records
    assert "`optional` and `needs` of each expected call" in reading.skipped[0][1]


def test_a_record_of_another_shape_keeps_its_label(tmp_path: Path) -> None:
    row = record_row(record(topology="independent"), None)
    (tmp_path / "records.jsonl").write_text(json.dumps(row) + "\n", encoding="utf-8")
    assert read_agentjudgebench(tmp_path).records[0].topology == "independent"


def test_a_generated_row_has_what_the_generator_was_asked_with_and_the_source_s_names() -> None:
    ours = record()
    plan = Plan(record_id="linear_1", tier="easy", generator="g", status="ok", calls=())
    row = generated_row(plan_row(ours, plan, "easy", "close T-1"), ours)
    assert row["system_prompt"] == "Answer in our format."
    names = [tool["function"]["name"] for tool in json.loads(row["available_tools"])]
    assert names == ["find.ticket", "close_ticket"]
    told = [message for message in json.loads(row["expected_responses"]) if message["role"] == "tool"]
    assert [(message["tool_call_id"], message["name"]) for message in told] == [("s1", "find.ticket")]
    lost = generated_row(plan_row(ours, None, "easy", "close T-1"), ours)
    assert lost.keys() == row.keys() and set(lost.values()) == {None}


def test_a_rebuild_keeps_the_settings_that_tables_go_by_and_drops_what_asks_models() -> None:
    config = RunConfig.model_validate(
        {
            "run": "r",
            "corpus": {"sources": {"s": {"kind": "local", "path": "/home/me/own.jsonl"}}},
            "models": {"m": {"engine": "endpoint", "base_url": "http://h/v1", "api_key_env": "KEY"}},
            "generators": {"g": {"model": "m"}, "p": {"faults": ["none"]}},
            "judges": {
                "j": {"model": "m", "decoding": {"seed": 1}},
                "k": {"model": "m", "output": "prometheus"},
            },
            "references": {"wrong": {"kind": "shuffle", "seed": 3}, "own": {"kind": "derive"}},
            "conditions": {
                "with_gt": {"prompt": "judge", "reference": "expected", "scale": "unit"},
                "wrong_gt": {"prompt": "judge", "reference": "wrong"},
                "own_gt": {"prompt": "judge", "reference": "own"},
            },
            "blocks": {
                "main": {"conditions": ["with_gt"], "judges": ["j"]},
                "other": {"conditions": ["own_gt"]},
                "ablation": {"conditions": ["with_gt", "own_gt"]},
                "wrong": {
                    "conditions": ["with_gt", "own_gt", "wrong_gt"],
                    "compare": {"wrong_gt": ["own_gt", "with_gt"]},
                    "pairings": [{"judges": ["j"], "conditions": ["own_gt"]}, {"judges": ["k"]}],
                },
            },
            "bootstrap": {"seed": 7},
            "human": {"annotations": "/home/me/sheet.csv"},
        }
    )
    text = rebuild_file(config, {"with_gt": "with_gt", "wrong_gt": "corrupted"}, "shared")
    assert text is not None and "/home/me" not in text and "KEY" not in text
    made = RunConfig.model_validate(yaml.safe_load(text))
    assert {model.engine for model in made.models.values()} == {"released"}
    assert made.judges["k"].output == "prometheus" and made.conditions["with_gt"].scale == "unit"
    assert (made.bootstrap.seed, list(made.references)) == (7, ["wrong"])
    assert made.released is not None and made.released.folder == "shared"
    assert list(made.blocks) == ["main", "wrong"]
    wrong = made.blocks["wrong"]
    assert (wrong.conditions, wrong.compare) == (["with_gt", "wrong_gt"], {"wrong_gt": ["with_gt"]})
    assert [pairing.judges for pairing in wrong.pairings] == [["k"]]
    assert rebuild_file(config, {}, "shared") is None
