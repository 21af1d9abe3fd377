"""The sample on which people check the parser (D16)."""

from __future__ import annotations

import csv
import io
from pathlib import Path

import pytest
from click.testing import CliRunner
from small_run import call, items_of, reference

from plumbline.arguments.references.audit import audit_sample, audit_sheet, audited_ids
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
        drawn = CliRunner().invoke(main, ["audit-references", *options, *more])
        assert drawn.exit_code == 0, drawn.output
    assert (len(audited_ids(first)), len(audited_ids(second))) == (50, 30)
    assert audited_ids(first).isdisjoint(audited_ids(second))
