"""The corpus that plumbline ships is sound, and a fault in it is an error."""

from __future__ import annotations

from collections import Counter

import pytest
import yaml

from plumbline.corpora.checks import check_provenance, check_records
from plumbline.corpora.starter import read_starter
from plumbline.records import TOPOLOGIES, UserError, read_json_lines, write_json_lines
from plumbline.records.model import Record


@pytest.fixture(scope="module")
def folder(project_root):
    return project_root / "resources" / "starter"


@pytest.fixture(scope="module")
def records(folder):
    return read_starter(folder).records


def test_the_starter_corpus_is_what_the_documentation_says(records):
    counts = Counter(record.topology for record in records)
    assert all(counts[name] >= 6 for name in TOPOLOGIES)
    assert set(counts) == set(TOPOLOGIES)
    assert len({record.domain for record in records}) >= 12
    assert all(8 <= len(record.tools) <= 19 for record in records)
    assert all(2 <= len(record.expected_calls) <= 5 for record in records)


def test_every_record_has_three_different_queries(records):
    for record in records:
        queries = [record.queries.easy, record.queries.medium, record.queries.hard]
        assert all(query and query.strip() for query in queries), record.id
        assert len({query.casefold() for query in queries}) == 3, record.id


def test_the_starter_corpus_passes_its_checks(records):
    assert check_records(records) == []
    assert check_provenance(records) == []


def test_the_starter_corpus_survives_being_written(records, tmp_path):
    write_json_lines(records, tmp_path / "records.jsonl")
    assert read_json_lines(tmp_path / "records.jsonl", Record) == records


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda data: data["records"][0].update(topology="single"), "topology_label"),
        (lambda data: data["records"][0]["calls"][0].update(name="no_such_tool"), "unknown_tool"),
        (lambda data: data["records"][0]["queries"].update(hard="do it"), "unsourced_value"),
        (lambda data: data["records"][0].update(leave_out=["no_such_tool"]), "leave_out"),
        (lambda data: data["records"][0].update(topologie="linear"), "topologie"),
        (lambda data: data["records"][0]["calls"][0].update(needs=["s9"]), "s9"),
    ],
)
def test_a_fault_in_the_starter_corpus_is_an_error_that_names_it(folder, tmp_path, change, said):
    source = sorted(folder.glob("*.yaml"))[0]
    data = yaml.safe_load(source.read_text(encoding="utf-8"))
    change(data)
    (tmp_path / "broken.yaml").write_text(yaml.safe_dump(data), encoding="utf-8")
    with pytest.raises(UserError) as caught:
        read_starter(tmp_path)
    assert said in str(caught.value)


def test_an_empty_folder_and_broken_yaml_are_errors(tmp_path):
    with pytest.raises(UserError, match="holds no YAML file"):
        read_starter(tmp_path)
    (tmp_path / "broken.yaml").write_text("domain: [", encoding="utf-8")
    with pytest.raises(UserError, match="broken.yaml"):
        read_starter(tmp_path)


def test_a_date_in_the_yaml_stays_text(tmp_path, order_data):
    first, second = order_data["expected_calls"]
    task = {
        "id": "r1",
        "topology": "linear",
        "queries": order_data["queries"],
        "calls": [
            {**first, "returns": {"order_id": "DAY"}},
            {**second, "arguments": {"order_id": "DAY", "amount": 1200}},
        ],
    }
    data = {"domain": "orders", "tools": order_data["tools"], "records": [task]}
    text = yaml.safe_dump(data).replace("DAY", "2031-09-16")
    (tmp_path / "orders.yaml").write_text(text, encoding="utf-8")
    (record,) = read_starter(tmp_path).records
    assert record.expected_calls[0].returns == {"order_id": "2031-09-16"}
