"""Samples are seeded, stratified, and independent of the order of the records."""

from __future__ import annotations

import random
from collections import Counter

import pytest

from plumbline.config.corpus import BfclSource
from plumbline.corpora.sampling import sample


@pytest.fixture
def corpus(order):
    sizes = {"linear": 9, "fan_out": 5, "fan_in": 3, "single": 1}
    return [order(id=f"{name}_{n}", topology=name) for name, size in sizes.items() for n in range(size)]


def _size(**changes):
    return BfclSource(kind="bfcl", **changes)


@pytest.mark.parametrize(
    "size", [{"count": 7}, {"per_topology": 2}, {}, {"count": 3, "exclude": ["single_0"]}]
)
def test_the_sample_does_not_depend_on_the_order_of_the_records(corpus, size):
    shuffled = list(corpus)
    random.Random(1).shuffle(shuffled)
    first, second = sample(corpus, _size(**size), 5), sample(shuffled, _size(**size), 5)
    assert [r.model_dump_json() for r in first.records] == [r.model_dump_json() for r in second.records]


def test_another_seed_gives_another_sample(corpus):
    draws = {tuple(r.id for r in sample(corpus, _size(per_topology=2), seed).records) for seed in range(20)}
    assert len(draws) > 10


def test_a_count_is_spread_evenly_over_the_topologies(corpus):
    found = Counter(r.topology for r in sample(corpus, _size(count=10), 0).records)
    # 10 over 4 topologies of 9, 5, 3 and 1: one each, then three each but for the single one
    assert found == {"linear": 3, "fan_out": 3, "fan_in": 3, "single": 1}


def test_a_larger_sample_holds_the_smaller_one(corpus):
    small, large = ([r.id for r in sample(corpus, _size(count=count), 3).records] for count in (6, 11))
    assert large[:6] == small


def test_per_topology_takes_as_many_of_each_and_says_where_there_are_fewer(corpus):
    drawn = sample(corpus, _size(per_topology=3), 0)
    assert Counter(r.topology for r in drawn.records) == {"linear": 3, "fan_out": 3, "fan_in": 3, "single": 1}
    assert len(drawn.warnings) == 1
    assert "single" in drawn.warnings[0]
    assert "1" in drawn.warnings[0]


def test_asking_for_more_than_there_is_takes_all_with_a_warning(corpus):
    drawn = sample(corpus, _size(count=99), 0)
    assert len(drawn.records) == 18
    assert drawn.warnings == ["count: 99 records were asked for; the source has 18 and all are taken."]


def test_excluded_records_are_left_out_and_an_unknown_id_is_told(corpus):
    drawn = sample(corpus, _size(exclude=["linear_0", "linear_99"]), 0)
    assert {r.id for r in corpus} - {r.id for r in drawn.records} == {"linear_0"}
    assert drawn.warnings == ["exclude: no record has the id linear_99."]


def test_every_record_is_drawn_equally_often_over_many_seeds(corpus):
    found = Counter(r.id for seed in range(600) for r in sample(corpus, _size(per_topology=3), seed).records)
    # 3 of 9 linear records in each of 600 draws: 200 expected, standard deviation 11.5
    assert all(150 < found[f"linear_{n}"] < 250 for n in range(9))
