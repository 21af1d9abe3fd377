"""The sample on which people check the parser (D16)."""

from __future__ import annotations

import csv
import io
from pathlib import Path

import pytest
from click.testing import CliRunner
from small_run import call, items_of, reference

from plumbline.arguments.references.audit import (
    AuditRow,
    answer_lines,
    audit_sample,
    audit_sheet,
    audited_ids,
    counts_of,
    read_answers,
)
from plumbline.cli import main
from plumbline.config import paths
from plumbline.config.loading import load_config
from plumbline.config.yaml_files import read_yaml
from plumbline.records import DataError, write_json_lines
from plumbline.records.arguments import ValueReference

CALLS = [
    call(f"c{number:03}", "correct" if number % 2 else "wrong", hotel_id=f"h{number}")
    for number in range(200)
]
ITEMS = items_of(*CALLS)


def line(number: int) -> ValueReference:
    """A reference of one call's argument; every third has no parsed value but holds the right one."""
    parsed = {"parsed": True, "parsed_value": f"h{number}"} if number % 3 else {}
    return reference(f"=It may be h{number}.", call_id=f"c{number:03}", **parsed)


LINES = [line(number) for number in range(200)]


def test_a_round_has_twenty_ten_and_twenty_items() -> None:
    rows = audit_sample(ITEMS, LINES, seed=20260930, number=1)
    groups = [row.group for row in rows]
    assert {group: groups.count(group) for group in groups} == {
        "correct, parsed": 20,
        "wrong, parsed": 10,
        "correct, not parsed": 20,
    }
    assert all(row.item.label == row.group.split(",")[0] for row in rows)
    assert all(row.line.parsed != row.group.endswith("not parsed") for row in rows)


def test_references_without_a_value_are_read_in_the_first_two_rounds() -> None:
    sizes = [sum(counts_of(number).values()) for number in (1, 2, 3, 4)]
    assert sizes == [50, 50, 30, 30]
    assert (sum(counts_of(1, missed=False).values()), sum(counts_of(3, missed=True).values())) == (30, 50)


def filled(answers: dict[str, str], *, number: int = 1) -> str:
    """A round's sheet; `answers` by item, the rest as of a parser that is always right."""
    rows = list(csv.DictReader(io.StringIO(audit_sheet(_round(number), number))))
    for row in rows:
        usual = "no" if row["group"].endswith("not parsed") else "Yes"
        row["answer"] = answers.get(row["item_id"], usual)
    text = io.StringIO()
    writer = csv.DictWriter(text, rows[0].keys())
    writer.writeheader()
    writer.writerows(rows)
    return text.getvalue()


def _round(number: int) -> list[AuditRow]:
    return audit_sample(ITEMS, LINES, seed=20260930, number=number, counts=counts_of(number))


def ids_of(group: str) -> list[str]:
    return [row.item.item_id for row in _round(1) if row.group == group]


def test_thirty_of_thirty_accept_the_parser_whatever_it_missed(tmp_path: Path) -> None:
    (tmp_path / "all.csv").write_text(filled({ids_of("correct, not parsed")[3]: "h9"}), encoding="utf-8-sig")
    read = CliRunner().invoke(main, ["audit-references", "read", str(tmp_path / "all.csv")])
    assert read.exit_code == 0, read.output
    assert "concludes: 30 of 30" in read.output
    assert "concludes with one: 1 of 20" in read.output
    assert f"missed: {ids_of('correct, not parsed')[3]}" in read.output
    assert read.output.rstrip().endswith("  accepted")


def test_a_wrong_reading_and_an_open_answer_do_not_accept_it(tmp_path: Path) -> None:
    sheet = tmp_path / "some.csv"
    wrong, open_one = ids_of("wrong, parsed")[0], ids_of("correct, parsed")[0]
    sheet.write_text(filled({wrong: "no", open_one: " "}), encoding="utf-8")
    answers = read_answers(sheet)
    assert (len(answers.right), answers.wrong, answers.unanswered) == (28, (wrong,), (open_one,))
    assert not answers.accepted
    assert "concludes: 28 of 29" in answer_lines(answers)[0]
    sheet.write_text(filled({open_one: ""}), encoding="utf-8")
    assert answer_lines(read_answers(sheet))[-1] == "not accepted yet: 30 right ones are needed"


def test_a_blank_cell_about_a_missed_value_leaves_the_parser_accepted(tmp_path: Path) -> None:
    sheet = tmp_path / "blank.csv"
    first, second = ids_of("correct, not parsed")[:2]
    # rows of empty cells are left by spreadsheets
    sheet.write_text(filled({first: "", second: "None"}) + ",,,,,,,,\n, ,,,,,,,\n", encoding="utf-8")
    answers = read_answers(sheet)
    assert (len(answers.right), answers.unanswered, answers.unread) == (30, (), (first,))
    assert (len(answers.none), answers.missed) == (19, ())
    told = answer_lines(answers)
    assert told[-1] == "accepted"
    assert f"without an answer, without a parsed value: 1 ({first})" in told


def test_a_row_without_its_item_is_named(tmp_path: Path) -> None:
    sheet = tmp_path / "lost.csv"
    sheet.write_text('item_id,group,answer\n,"correct, parsed",yes\n', encoding="utf-8")
    with pytest.raises(DataError, match="line 2: there is no item_id"):
        read_answers(sheet)


@pytest.mark.parametrize(
    ("cells", "last"),
    [
        (["yes", "Y", "yes"], "accepted"),
        (["yes", "", "yes"], "not accepted yet: 3 right ones are needed"),
        (["yes", "no", "yes"], "not accepted: mend the parser's settings and draw another round"),
        ([], "not accepted yet: no value was parsed"),
    ],
)
def test_a_small_data_set_is_accepted_by_all_that_it_has(tmp_path: Path, cells: list[str], last: str) -> None:
    sheet = tmp_path / "small.csv"
    rows = [f'x{number},"correct, parsed",{cell}\n' for number, cell in enumerate(cells)]
    sheet.write_text("item_id,group,answer\n" + "".join(rows), encoding="utf-8")
    told = answer_lines(read_answers(sheet))
    assert f"items with a parsed value in this sheet: {len(cells)}; a whole round has 30" in told
    assert told[-1] == last


def test_an_answer_that_says_neither_is_named_with_its_line(tmp_path: Path) -> None:
    sheet = tmp_path / "odd.csv"
    sheet.write_text(filled({ids_of("correct, parsed")[0]: "maybe"}), encoding="utf-8")
    with pytest.raises(DataError, match="line 2: the answer `maybe` is neither yes nor no"):
        read_answers(sheet)


def test_no_item_is_drawn_twice_over_rounds(tmp_path: Path) -> None:
    first = audit_sample(ITEMS, LINES, seed=20260930, number=1)
    sheet = tmp_path / "first.csv"
    sheet.write_text(audit_sheet(first, 1), encoding="utf-8")
    seen = audited_ids(sheet)
    assert seen == {row.item.item_id for row in first}
    second = audit_sample(ITEMS, LINES, seed=20260930, number=2, seen=seen)
    assert {row.item.item_id for row in second}.isdisjoint(seen)


def test_the_draw_depends_on_seed_and_round_alone() -> None:
    drawn = [
        [row.item.item_id for row in audit_sample(items, LINES, seed=seed, number=1)]
        for items, seed in ((ITEMS, 1), (ITEMS[::-1], 1), (ITEMS, 2))
    ]
    assert drawn[0] == drawn[1] != drawn[2]


def test_a_sheet_holds_no_formula() -> None:
    rows = list(csv.DictReader(io.StringIO(audit_sheet(audit_sample(ITEMS, LINES, seed=1, number=1), 1))))
    assert all(row["reference"].startswith("'=") for row in rows)
    assert all(row["answer"] == "" for row in rows)


def test_a_file_that_is_no_sheet_is_named(tmp_path: Path) -> None:
    other = tmp_path / "other.csv"
    other.write_text("a,b\n1,2\n", encoding="utf-8")
    with pytest.raises(DataError, match="other.csv, line 1: has no column item_id"):
        audited_ids(other)


def test_the_command_draws_a_second_round_without_the_first(tmp_path: Path, project_root: Path) -> None:
    root = tmp_path / "results"
    write_json_lines(ITEMS, paths.argument_items("run", "cfb", root))
    write_json_lines(LINES, paths.value_references("run", "cfb", "deref", "m", root))
    config = load_config(read_yaml(project_root / "config" / "config.yaml").data, [])
    named = config.model_copy(update={"run": "run"})
    (root / "run" / "config.json").write_text(named.model_dump_json(), encoding="utf-8")
    options = ["--results", str(root), "--dataset", "cfb", "--reference", "deref", "--model", "m"]
    options += ["--output", str(tmp_path)]
    first, second = (tmp_path / f"reference_audit_cfb_deref_{number}.csv" for number in (1, 2))
    for more in ([], ["--round", "2", "--seen", str(first), "--no-missed"]):
        drawn = CliRunner().invoke(main, ["audit-references", "draw", *options, *more])
        assert drawn.exit_code == 0, drawn.output
    assert (len(audited_ids(first)), len(audited_ids(second))) == (50, 30)
    assert audited_ids(first).isdisjoint(audited_ids(second))
