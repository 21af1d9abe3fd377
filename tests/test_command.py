"""The `plumbline` command says what the library says."""

from __future__ import annotations

import errno
import json
import os
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from plumbline.cli import main
from plumbline.command import without_traceback

FIXTURES = Path(__file__).parent / "fixtures"


def told(command: str, file: str) -> dict[str, dict]:
    lines = (FIXTURES / file).read_text(encoding="utf-8")
    done = CliRunner().invoke(main, [command], input=lines)
    assert done.exit_code == 0, done.output
    return {answer["id"]: answer for answer in map(json.loads, done.output.splitlines())}


def test_parse_verdict_prints_what_each_case_expects() -> None:
    answers = told("parse-verdict", "verdict_text.jsonl")
    for line in (FIXTURES / "verdict_text.jsonl").read_text(encoding="utf-8").splitlines():
        case = json.loads(line)
        answer = answers[case["id"]]
        assert answer["status"] == case["expect"]["status"], case["id"]
        assert answer.get("scores") == case["expect"].get("scores"), case["id"]


def test_parse_plan_prints_what_each_case_expects() -> None:
    answers = told("parse-plan", "plan_text.jsonl")
    for line in (FIXTURES / "plan_text.jsonl").read_text(encoding="utf-8").splitlines():
        case = json.loads(line)
        answer = answers[case["id"]]
        assert answer["status"] == case["expect"]["status"], case["id"]
        assert answer.get("calls") == case["expect"].get("calls"), case["id"]


@pytest.mark.parametrize(
    ("line", "words"),
    [("{", "line 1"), ("[]", "`text`"), ('{"id": "a"}', "`text`"), ('{"text": 5}', "string or null")],
)
def test_a_line_that_holds_no_answer_is_named(line: str, words: str) -> None:
    done = CliRunner().invoke(main, ["parse-verdict"], input=line + "\n")
    assert done.exit_code == 1
    assert words in done.output


def test_score_prints_a_row_for_each_readable_plan(tmp_path: Path) -> None:
    record = {
        "id": "r1",
        "source": "test",
        "domain": "d",
        "topology": "linear",
        "queries": {"easy": "q"},
        "tools": [{"name": "a"}, {"name": "b"}],
        "expected_calls": [{"id": "s1", "name": "a"}, {"id": "s2", "name": "b", "needs": ["s1"]}],
    }
    plans = [
        {"record_id": "r1", "tier": "easy", "generator": "g", "status": "ok", "calls": [{"name": "b"}]},
        {"record_id": "r1", "tier": "hard", "generator": "g", "status": "malformed"},
    ]
    (tmp_path / "records.jsonl").write_text(json.dumps(record))
    (tmp_path / "plans.jsonl").write_text("\n".join(map(json.dumps, plans)))
    options = ["--records", str(tmp_path / "records.jsonl"), "--plans", str(tmp_path / "plans.jsonl")]
    done = CliRunner().invoke(main, ["score", *options])
    assert done.exit_code == 0, done.output
    rows = [json.loads(line) for line in done.output.splitlines()]
    # one of two tools is missing, its arguments are right, it stands first where `a` should, half is covered
    scores = {"tool_selection": 0.5, "parameter_structure": 1, "sequence": 0, "query_coverage": 0.5}
    scores["mean"] = 0.5
    # no call has a key too many, so the readings that forgive such keys agree
    readings = {
        "parameter_structure_lenient": 1,
        "parameter_structure_schema_aware": 1,
        "extra_key_calls": 0,
    }
    assert rows == [{"record_id": "r1", "tier": "easy", "generator": "g", **scores, **readings}]


def test_a_run_that_is_not_there_is_told(tmp_path: Path) -> None:
    done = CliRunner().invoke(main, ["show", "r1", "--results", str(tmp_path)])
    assert done.exit_code == 1
    assert f"There is no run in {tmp_path} yet" in done.output


def test_tables_lists_every_table() -> None:
    from plumbline.tables.registry import CORPUS_TABLES, TABLES

    done = CliRunner().invoke(main, ["tables"])
    of_blocks, of_corpus = done.output.split("\nOf the corpus:\n")
    assert [line.split()[0] for line in of_blocks.splitlines()] == list(TABLES)
    assert [line.split()[0] for line in of_corpus.splitlines()] == [*CORPUS_TABLES, "synthesis_yield"]


def test_a_full_disk_is_told_without_a_traceback() -> None:
    @without_traceback
    def write() -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), "journal/a.jsonl")

    done = CliRunner().invoke(click.command()(write))
    assert done.exit_code == 1
    assert done.output == "error: journal/a.jsonl: No space left on device.\n"


def test_a_line_that_is_nested_without_end_is_named() -> None:
    done = CliRunner().invoke(main, ["parse-plan"], input="[" * 200_000)
    assert done.exit_code == 1
    assert "standard input, line 1" in done.output


def test_show_lets_nothing_of_a_record_drive_the_terminal(tmp_path: Path) -> None:
    tool = {"name": "a", "parameters": {"type": "object", "properties": {"\x1b[31m": {}}}}
    call = {"id": "\x1b[31m", "name": "a", "arguments": {"\x1b[31m": "\x1b[31m"}}
    record = {"id": "r1", "source": "\x1b[31m", "domain": "\x1b[31m", "topology": "single"}
    record |= {"queries": {"easy": "\x1b[31m"}, "tools": [tool], "expected_calls": [call]}
    folder = tmp_path / "t"
    folder.mkdir()
    config = {
        "run": "t",
        "corpus": {"sources": {"mine": {"kind": "local", "path": "mine.jsonl"}}},
        "models": {"m": {"engine": "simulated"}},
        "generators": {"g": {"faults": ["none"]}},
        "judges": {"j": {"model": "m"}},
        "conditions": {"c": {"prompt": "x"}},
        "blocks": {"b": {"conditions": ["c"]}},
    }
    (folder / "config.json").write_text(json.dumps(config))
    (folder / "records.jsonl").write_text(json.dumps(record))
    done = CliRunner().invoke(main, ["show", "r1", "--results", str(tmp_path)], color=True)
    assert done.exit_code == 0, done.output
    assert "\x1b" not in done.output
    assert done.output.count("\\x1b[31m") >= 6
