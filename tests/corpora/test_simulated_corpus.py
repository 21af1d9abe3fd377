"""Simulated records are valid, of the topology they are labelled with, and as frequent as a file says."""

from collections import Counter

import pytest

from plumbline.corpora.checks import check_records
from plumbline.corpora.simulated import simulated_records
from plumbline.corpora.topology import topology_of
from plumbline.records import DataError


@pytest.fixture
def shares(project_root):
    return project_root / "resources/published/topology_counts.csv"


def test_a_full_corpus_has_the_published_topologies(shares):
    records = simulated_records(3808, shares)
    assert Counter(record.topology for record in records) == {
        "linear": 812,
        "fan_out": 399,
        "fan_in": 1049,
        "diamond": 501,
        "optional_enrichment": 823,
        "loop_like": 224,
    }


def test_every_record_passes_the_structural_check_and_has_its_own_shape(shares):
    records = simulated_records(60, shares)
    assert len({record.id for record in records}) == len(records) == 60
    assert check_records(records) == []
    assert all(topology_of(record.expected_calls) == record.topology for record in records)


def test_a_smaller_corpus_keeps_the_shares_within_one_record(shares):
    counts = Counter(record.topology for record in simulated_records(300, shares))
    assert counts.total() == 300
    assert all(
        abs(counts[name] - 300 * full / 3808) < 1 for name, full in (("fan_in", 1049), ("linear", 812))
    )


@pytest.mark.parametrize(
    "text", ["topology,count\nlinear,3\n", "topology,records\nring,3\n", "topology,records\nlinear,x\n"]
)
def test_a_file_without_known_shares_is_refused(tmp_path, text):
    file = tmp_path / "shares.csv"
    file.write_text(text)
    with pytest.raises(DataError, match=r"shares\.csv"):
        simulated_records(10, file)
