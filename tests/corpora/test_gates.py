"""Both gates tell everything that is wrong with a file of records together, with what would mend it."""

from __future__ import annotations

import copy
import json

import pytest
from click.testing import CliRunner

from plumbline.cli import main
from plumbline.config.gates import Gates
from plumbline.config.settings import RunConfig
from plumbline.corpora.gates import check_file, put_through_gates
from plumbline.corpora.problems import CODES
from plumbline.corpora.query_gate import check_query
from plumbline.corpora.sources import read_source
from plumbline.corpora.starter import read_starter
from plumbline.records import Record


def _set(path, value):
    def change(data):
        for key in path[:-1]:
            data = data[key]
        data[path[-1]] = value

    return change


BAD = {
    "unknown_tool": _set(["expected_calls", 0, "name"], "find_orders"),
    "wrong_argument": _set(["expected_calls", 1, "arguments", "amount"], "five"),
    "missing_argument": lambda data: data["expected_calls"][1]["arguments"].pop("amount"),
    "cycle": _set(["expected_calls", 0, "needs"], ["s2"]),
    "late_source": lambda data: data["expected_calls"].reverse(),
    "dangling_output": _set(["expected_calls", 1, "needs"], ["s9"]),
    "duplicate_call": _set(["expected_calls", 1, "id"], "s1"),
    "topology_label": _set(["topology"], "diamond"),
    "empty_query": _set(["queries", "easy"], "  "),
    "wrong_shape": lambda data: data.pop("domain"),
    "names_tool": _set(["queries", "easy"], "Call find_order for SO-77, then refund 1200 euros to it."),
    "names_parameter": _set(["queries", "hard"], "the order_id is SO-77, please give the 1200 back"),
    "key_value": _set(["queries", "easy"], "Find order SO-77 and refund amount=1200 to it."),
    "json_in_query": _set(["queries", "easy"], 'Find SO-77, refund {"sum": 1200} to it.'),
    "unfilled_template": _set(["queries", "easy"], "Find order SO-77 of {{customer}} and refund 1200."),
    "too_short": _set(["queries", "easy"], "SO-77: 1200"),
    "insufficient_argument": _set(["queries", "hard"], "please give them back what they paid for SO-77"),
    "unsourced_value": _set(["expected_calls", 1, "arguments", "note"], "late parcel"),
}


def _line(data, change, name):
    data = copy.deepcopy(data)
    data["id"] = name
    change(data)
    return json.dumps(data).encode()


@pytest.fixture
def bad_file(order_data, tmp_path):
    """One record of each fault, a line that is no JSON, one that is no UTF-8, and a double id."""
    lines = [_line(order_data, change, f"r_{code}") for code, change in BAD.items()]
    lines += [b'{"id": "torn", ', b'{"id": "r_\xff"}', b"[1, 2]", b'{"id": "huge", "x": NaN}']
    lines += [_line(order_data, lambda data: None, "twice")] * 2
    path = tmp_path / "records.jsonl"
    path.write_bytes(b"\n".join(lines) + b"\n")
    return path


def test_every_fault_of_a_file_is_told_in_one_go_at_its_line(bad_file):
    found = {(problem.line, problem.code) for problem in check_file(bad_file, Gates()).every_problem()}
    expected = {(line, code) for line, code in enumerate(BAD, start=1)}
    last = len(BAD)
    expected |= {
        (last + 1, "not_json"),
        (last + 2, "not_utf8"),
        (last + 3, "wrong_shape"),
        (last + 4, "not_json"),
        (last + 6, "duplicate_id"),
    }
    assert expected <= found


def test_a_fault_brings_no_other_faults_with_it_but_those_that_follow(bad_file):
    report = check_file(bad_file, Gates())
    follow = {  # what a fault breaks beside itself
        "unknown_tool": set(),
        "wrong_argument": {"insufficient_argument"},
        "missing_argument": set(),
        "dangling_output": set(),
        "cycle": {"no_return"},
        "too_short": set(),
    }
    codes = {line: set() for line in range(1, len(BAD) + 1)}
    for problem in report.every_problem():
        codes.setdefault(problem.line, set()).add(problem.code)
    for line, code in enumerate(BAD, start=1):
        if code in follow:
            assert codes[line] == {code} | follow[code]


def test_the_command_lists_all_and_exits_with_1(bad_file):
    result = CliRunner().invoke(main, ["check", str(bad_file)])
    assert result.exit_code == 1
    for code in (*BAD, "not_json", "not_utf8", "duplicate_id"):
        assert f"[{code}]" in result.output, code
    assert "line 4 (record r_cycle)" in result.output
    assert "s1 -> s2 -> s1" in result.output
    assert "Traceback" not in result.output


def test_the_command_gives_one_object_a_record(bad_file):
    result = CliRunner().invoke(main, ["check", "--json", str(bad_file)])
    rows = [json.loads(line) for line in result.output.splitlines()]
    assert len(rows) == len(BAD) + 6
    by_id = {row["record_id"]: row for row in rows}
    assert [problem["gate"] for problem in by_id["r_cycle"]["problems"]][0] == "structure"
    assert {problem["code"] for row in rows for problem in row["problems"]} <= set(CODES)


def test_a_key_of_the_wrong_kind_is_told_in_json_s_words(order_data, tmp_path):
    changed = order_data | {"tools": {"find": 1}, "queries": "find it", "domain": 7}
    path = tmp_path / "records.jsonl"
    path.write_text(json.dumps(changed), encoding="utf-8")
    messages = {problem.message for problem in check_file(path, Gates()).every_problem()}
    assert messages == {
        "`tools` must be a list, not an object.",
        "`queries` must be an object, not text.",
        "`domain` must be text, not 7.",
    }


def test_a_missing_file_is_told_and_not_raised(tmp_path):
    result = CliRunner().invoke(main, ["check", str(tmp_path / "none.jsonl")])
    assert (result.exit_code, "[unreadable]" in result.output) == (1, True)


def test_the_starter_corpus_passes_both_gates(tmp_path):
    report = put_through_gates(read_starter().records, Gates())
    assert report.every_problem() == []
    assert all(gated.passes for gated in report.gated)
    for gated in report.gated:
        assert set(gated.scores.grounding.values()) == {1.0}


def test_shares_count_arguments_and_values(order_data):
    """Of the three required arguments, the hard query lacks one; of the four values, it lacks one."""
    order_data["queries"]["hard"] = "please give them back what they paid for SO-77"
    scores, problems = check_query(Record.model_validate(order_data), Gates())
    assert scores.sufficiency["easy"] == 1.0
    assert scores.sufficiency["hard"] == pytest.approx(2 / 3)
    assert scores.grounding["hard"] == pytest.approx(2 / 3)
    assert [code for code, _ in problems] == ["insufficient_argument"]


@pytest.mark.parametrize(
    ("change", "sources", "codes"),
    [
        ({"default": "slow"}, ["query", "returns", "default"], []),
        ({"default": "fast"}, ["query", "returns", "default"], ["unsourced_value"]),
        ({"enum": ["slow", "fast"]}, ["query", "returns", "default"], ["unsourced_value"]),
        ({"enum": ["slow", "fast"]}, ["query", "returns", "enum"], []),
    ],
)
def test_the_schema_is_a_source_as_the_settings_say(order_data, change, sources, codes):
    order_data["tools"][1]["parameters"]["properties"]["speed"] = {"type": "string", **change}
    order_data["expected_calls"][1]["arguments"]["speed"] = "slow"
    _, problems = check_query(Record.model_validate(order_data), Gates(argument_sources=sources))
    assert [code for code, _ in problems] == codes


@pytest.mark.parametrize(
    ("value", "query", "found"),
    [
        ("True", "refund SO-77 with 1200", True),
        ("false", "refund SO-77 with 1200", True),
        ("03/06/2023", "refund SO-77 with 1200 on March 6th 2023", True),
        ("06.03.2023", "refund SO-77 with 1200 on March 6th 2023", True),
        ("03/07/2023", "refund SO-77 with 1200 on March 6th 2023", False),
        ("Guitars", "refund SO-77, a guitar, with 1200", True),
        ("Thriller", "refund SO-77, two thrillers, with 1200", True),
        ("Thomas", "refund SO-77 to Thomas's card with 1200", True),
        ("4,6", "refund SO-77 with 1200, the children are 4 and 6", True),
        ("4,7", "refund SO-77 with 1200, the children are 4 and 6", False),
        ("Paris, France", "refund SO-77 with 1200 in Paris", False),
        ("2024-12-08", "refund SO-77 with 1200 from December 1st to 8th, 2024", True),
        ("2024-12-08", "refund SO-77 with 1200, Dec 1-8", True),
        ("2024-12-08", "refund SO-77 with 1200, Dec 1 to 8:30", False),
        ("2024-12-07", "refund SO-77 with 1200 from December 1st to 8th, 2024", False),
        ("SD", "refund SO-77 in San Diego with 1200", False),
        ("bus", "refund SO-77, a bu, with 1200", False),
    ],
)
def test_a_value_is_found_in_the_spelling_that_a_person_chose(order_data, value, query, found):
    order_data["queries"] = {"easy": query}
    order_data["expected_calls"][1]["arguments"]["note"] = value
    _, problems = check_query(Record.model_validate(order_data), Gates())
    assert [code for code, _ in problems] == ([] if found else ["unsourced_value"])


def test_a_value_of_an_earlier_call_that_is_not_listed_asks_for_the_edge(order_data):
    order_data["expected_calls"][1]["needs"] = []
    _, problems = check_query(Record.model_validate(order_data), Gates())
    assert [code for code, _ in problems] == ["missing_edge"]


@pytest.mark.parametrize(
    "query",
    [
        "Is order SO-77 <= 1200? Then refund it, and tell me whether it is >= 900.",
        "See https://shop.example/?order=SO-77&sum=1200 and refund it all to them.",
        "获取SO-77和1200的工单",
        "Refund 1200 for SO-77 [they said so in the last call] as soon as you can.",
    ],
)
def test_what_people_write_is_natural(order_data, query):
    order_data["queries"]["easy"] = query
    scores, _ = check_query(Record.model_validate(order_data), Gates())
    assert scores.natural["easy"] is True


def test_a_rule_that_is_switched_off_finds_nothing(order_data):
    order_data["queries"]["easy"] = "SO-77 sum=1200"
    gates = Gates(naturalness=["too_short"], min_words=2)
    scores, _ = check_query(Record.model_validate(order_data), gates)
    assert scores.natural["easy"] is True


def test_a_gated_source_leaves_out_what_fails_and_counts_it(order_data, tmp_path):
    good, bad = copy.deepcopy(order_data), copy.deepcopy(order_data)
    bad["id"], bad["queries"]["easy"] = "r2", "Find order SO-77 and refund amount=1200 to it."
    path = tmp_path / "records.jsonl"
    path.write_text("".join(json.dumps(data) + "\n" for data in (good, bad)), encoding="utf-8")
    for gated, kept in ((False, ["r1", "r2"]), (True, ["r1"])):
        source = {"kind": "local", "path": str(path), "gated": gated}
        config = RunConfig.model_validate(
            {
                "run": "test",
                "corpus": {"sources": {"mine": source}},
                "generators": {"perturb": {"faults": ["none"]}},
                "models": {"nobody": {"engine": "simulated"}},
                "judges": {"nobody": {"model": "nobody"}},
                "conditions": {"with_gt": {"prompt": "judge_with_gt", "reference": "expected"}},
                "blocks": {"main": {"conditions": ["with_gt"]}},
            }
        )
        records, report = read_source(config, "mine")
        assert [record.id for record in records] == kept
        assert any("1 of 2 records failed a quality gate" in line for line in report) is gated
        assert any("key_value: 1 in 1 records" in line for line in report) is gated
