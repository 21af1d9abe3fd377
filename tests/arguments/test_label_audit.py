"""The label audit is blind, reads its sheets back, and computes what the arithmetic says (D7)."""

from __future__ import annotations

import csv
import io
import json
from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner
from controlled_bases import base_of, settings, weather_states
from sklearn.metrics import cohen_kappa_score

from plumbline.arguments.label_audit import (
    audit_id,
    audit_lines,
    draw_audit,
    read_sheet,
    sheet_text,
    summarise_audit,
)
from plumbline.cli import main
from plumbline.config import paths
from plumbline.config.loading import load_config
from plumbline.config.yaml_files import read_yaml
from plumbline.records import DataError, UserError, write_json_lines
from plumbline.records.arguments import Turn
from plumbline.report.label_audit_page import label_audit_page

ROOT = Path(__file__).parents[2]
BASE = base_of(weather_states(), settings({"base": {"kind": "fcrb"}}))


def test_the_sample_holds_wrong_values_alone_and_depends_on_the_seed():
    rows = draw_audit(BASE.items, BASE.states, 5, 7)
    wrong = {audit_id(item.item_id): item for item in BASE.items if item.label == "wrong"}
    assert len({row.id for row in rows}) == 5
    assert {row.id for row in rows} <= set(wrong)
    assert rows == draw_audit(BASE.items[::-1], BASE.states, 5, 7)
    assert rows != draw_audit(BASE.items, BASE.states, 5, 8)
    assert len(draw_audit(BASE.items, BASE.states, 1000, 7)) == len(wrong)


def test_a_data_set_without_wrong_values_is_refused():
    with pytest.raises(UserError, match="no wrong value to audit"):
        draw_audit([item for item in BASE.items if item.label == "correct"], BASE.states, 5, 7)


def test_the_sheet_is_blind():
    rows = draw_audit(BASE.items, BASE.states, 3, 7)
    for text in (sheet_text(rows), label_audit_page(rows, "base")):
        assert "import:someone" not in text and "gold" not in text
        assert not any(item.item_id in text for item in BASE.items)
        assert "Atlantis" in text


def test_a_filled_sheet_is_read_back(tmp_path):
    rows = draw_audit(BASE.items, BASE.states, 4, 7)
    table = list(csv.DictReader(io.StringIO(sheet_text(rows))))
    for row, verdict in zip(table, ["wrong", "Possibly correct", "unclear", ""], strict=True):
        row["verdict"] = verdict
    stream = io.StringIO()
    writer = csv.DictWriter(stream, fieldnames=list(table[0]))
    writer.writeheader()
    writer.writerows(table)
    (tmp_path / "a.csv").write_text("\ufeff" + stream.getvalue(), encoding="utf-8")
    read = read_sheet(tmp_path / "a.csv", [row.id for row in rows])
    assert read == dict(zip((row.id for row in rows), ["wrong", "possibly_correct", "unclear"], strict=False))


def test_a_spreadsheet_takes_no_value_for_a_formula():
    rows = draw_audit(BASE.items, BASE.states, 1, 7)
    text = sheet_text([replace(rows[0], request='=HYPERLINK("x")', value="-5")])
    row = next(csv.DictReader(io.StringIO(text)))
    assert row["request"] == '\'=HYPERLINK("x")'
    assert row["value"] == "-5"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("id,note\nx,\n", "has no column verdict"),
        ("id,verdict\nx,maybe\n", "line 2: `maybe` is none of wrong, possibly_correct, unclear"),
        ("id,verdict\nx,wrong\nx,wrong\n", "line 3: `x` was judged before"),
        ("id,verdict\ny,wrong\nx,sure\n", "line 2: the sample has no `y`; line 3: `sure` is none of"),
    ],
)
def test_all_problems_of_a_sheet_are_named(tmp_path, text, message):
    (tmp_path / "a.csv").write_text(text, encoding="utf-8")
    with pytest.raises(DataError, match=message):
        read_sheet(tmp_path / "a.csv", ["x"])


FIRST = dict(zip("abcdefghij", ["wrong"] * 7 + ["possibly_correct", "unclear", "unclear"], strict=True))
SECOND = dict(
    zip("abcdefghij", ["wrong"] * 6 + ["unclear", "possibly_correct", "unclear", "wrong"], strict=True)
)


def test_agreement_and_shares_are_those_of_the_arithmetic():
    audit = summarise_audit(FIRST, SECOND, {"g": "wrong"})
    assert audit.agreement.value == pytest.approx(8 / 10)
    expected = cohen_kappa_score(list(FIRST.values()), list(SECOND.values()))
    assert audit.kappa.value == pytest.approx(expected)
    assert audit.shares == {"wrong": 0.7, "possibly_correct": 0.1, "unclear": 0.1}
    assert audit.undecided == ("j",)
    assert "wrong: 70.0 % (7 of 10)" in audit_lines(audit)


def test_values_that_one_annotator_alone_judged_are_left_out_and_told():
    audit = summarise_audit({**FIRST, "k": "wrong"}, SECOND)
    assert audit.count == 10
    assert audit.notes == ("1 values were judged by one annotator alone and are left out",)
    with pytest.raises(UserError, match="no judged value in common"):
        summarise_audit({"a": "wrong"}, {"b": "wrong"})


def test_the_commands_draw_a_sheet_and_read_two_back(tmp_path):
    root = tmp_path / "results"
    write_json_lines(BASE.states, paths.states("run", "base", root))
    write_json_lines(BASE.items, paths.argument_items("run", "base", root))
    config = load_config(read_yaml(ROOT / "config" / "config.yaml").data, [])
    named = config.model_copy(update={"run": "run"})
    (root / "run" / "config.json").write_text(named.model_dump_json(), encoding="utf-8")
    options = ["--results", str(root), "--dataset", "base", "--count", "4", "--output", str(tmp_path)]
    drawn = CliRunner().invoke(main, ["audit-labels", "draw", *options])
    assert drawn.exit_code == 0, drawn.output
    sheet = (tmp_path / "label_audit_base.csv").read_text("utf-8")
    assert (tmp_path / "label_audit_base.html").exists()
    ids = [row["id"] for row in csv.DictReader(io.StringIO(sheet))]
    for name, verdict in (("a", "wrong"), ("b", "unclear")):
        lines = ["id,verdict", *(f"{identifier},wrong" for identifier in ids[:3]), f"{ids[3]},{verdict}"]
        (tmp_path / f"{name}.csv").write_text("\n".join(lines), encoding="utf-8")
    read = CliRunner().invoke(
        main, ["audit-labels", "read", str(tmp_path / "a.csv"), str(tmp_path / "b.csv")]
    )
    assert "agreement before discussion: 75.0 %" in read.output
    assert f"not settled: 1 ({ids[3]})" in read.output


HOSTILE = "</script><script>document.title='owned'</script><img src=x onerror=\"document.title='owned'\">"


def test_the_page_keeps_answers_in_the_browser_and_exports_them(browser, tmp_path):
    states = [
        one.model_copy(update={"turns": (*one.turns, Turn(role="assistant", text=HOSTILE))})
        for one in BASE.states
    ]
    rows = draw_audit(BASE.items, states, 3, 7)
    page = tmp_path / "audit.html"
    page.write_text(label_audit_page(rows, "base"), encoding="utf-8")
    driver = browser.open(page)
    driver.find_element("css selector", f"input[name='v-{rows[0].id}'][value=wrong]").click()
    driver.find_element("css selector", f"input[name='v-{rows[2].id}'][value=unclear]").click()
    driver.find_elements("css selector", ".note")[2].send_keys('a "quoted", note')
    assert driver.find_element("id", "progress").text == "2 of 3 judged"
    driver.refresh()
    assert driver.find_element("id", "progress").text == "2 of 3 judged"
    exported = driver.execute_async_script(
        """
        const done = arguments[0];
        HTMLAnchorElement.prototype.click = function () {};
        URL.createObjectURL = (blob) => { blob.text().then(done); return "#"; };
        document.getElementById("export").click();
        """
    )
    table = list(csv.DictReader(io.StringIO(exported)))
    assert [row["verdict"] for row in table] == ["wrong", "", "unclear"]
    assert table[2]["note"] == 'a "quoted", note'
    assert [json.loads(row["value"]) for row in table] == ["Atlantis"] * 3
    (tmp_path / "a.csv").write_text(exported, encoding="utf-8")
    assert read_sheet(tmp_path / "a.csv") == {rows[0].id: "wrong", rows[2].id: "unclear"}
    assert driver.title == "Label audit: base"
    assert [address for address in browser.requests() if address.startswith(("http", "ws"))] == []
    assert browser.complaints() == []
