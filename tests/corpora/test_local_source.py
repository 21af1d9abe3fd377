"""A user's own records: read as they are, topology computed where it is left out."""

from __future__ import annotations

import json

import pytest

from plumbline.corpora.local import read_local
from plumbline.records import Record, UserError


@pytest.fixture
def write(tmp_path):
    def write_rows(*rows):
        path = tmp_path / "mine.jsonl"
        path.write_text("\n".join(json.dumps(row) for row in rows), encoding="utf-8")
        return path

    return write_rows


def test_records_are_read_as_they_are(write, order, order_data):
    reading = read_local(write(order_data))
    assert reading.records == [order()]
    assert type(reading.records[0]) is Record
    assert reading.mismatches == []


def test_a_topology_that_is_left_out_is_computed(write, order_data):
    del order_data["topology"]
    assert read_local(write(order_data)).records[0].topology == "linear"


def test_a_contradicting_label_is_counted_or_replaced_or_an_error(write, order_data):
    path = write({**order_data, "topology": "diamond"})
    reading = read_local(path)
    assert reading.mismatches == [("r1", "diamond", "linear")]
    assert reading.records[0].topology == "diamond"
    assert read_local(path, computed=True).records[0].topology == "linear"
    with pytest.raises(UserError, match="topology_label"):
        read_local(path, strict=True)


def test_all_faults_of_a_file_are_told_together(write, order_data):
    other = {**order_data, "id": "r2", "queries": {"easy": " "}}
    with pytest.raises(UserError) as caught:
        read_local(write(order_data, order_data, other))
    assert "duplicate_id" in str(caught.value)
    assert "empty_query" in str(caught.value)
    assert "mine.jsonl" in str(caught.value)


def test_a_line_that_is_no_record_is_named(write, order_data):
    with pytest.raises(UserError, match=r"mine\.jsonl, line 2 \(record r2\): `domain` is missing"):
        read_local(write(order_data, {k: v for k, v in {**order_data, "id": "r2"}.items() if k != "domain"}))


@pytest.mark.parametrize("number", ["NaN", "-Infinity", "1e999"])
def test_a_number_that_json_does_not_have_is_named(write, order_data, number):
    path = write(order_data)
    path.write_text(path.read_text().replace("1200}", f"{number}}}", 1))
    with pytest.raises(UserError, match=rf"line 1 \(record r1\): holds {number}, which is no JSON number"):
        read_local(path)


def test_a_value_that_is_nested_too_deeply_is_named(write, order_data):
    path = write(order_data)
    path.write_text(path.read_text().replace("1200}", "[" * 100_000 + "]" * 100_000 + "}", 1))
    with pytest.raises(UserError, match="line 1: is not one JSON object"):
        read_local(path)


@pytest.mark.parametrize("text", ["", "\n \n"])
def test_a_file_without_a_record_is_an_error(tmp_path, text):
    path = tmp_path / "mine.jsonl"
    path.write_text(text)
    with pytest.raises(UserError, match="holds no record"):
        read_local(path)
