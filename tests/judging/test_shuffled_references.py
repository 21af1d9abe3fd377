"""The corrupted reference: a derangement within the topology, the same for all tiers (A25)."""

from __future__ import annotations

from collections import Counter

import pytest
from judging_records import a_record

from plumbline.config.settings import ShuffledReference
from plumbline.judging.shuffling import shuffle_references
from plumbline.records import TOPOLOGIES, Record

SHUFFLE = ShuffledReference(kind="shuffle")


def records_of(**counts: int) -> list[Record]:
    return [a_record(f"{topology}_{n}", topology) for topology, count in counts.items() for n in range(count)]


def others_of(records: list[Record], settings: ShuffledReference = SHUFFLE) -> dict[str, str | None]:
    return {item.record_id: item.other_record for item in shuffle_references(records, settings, "easy")}


@pytest.mark.parametrize("within", ["topology", "all"])
@pytest.mark.parametrize("count", [2, 3, 7, 50])
def test_every_record_gets_the_calls_of_another_one_and_each_is_given_once(within: str, count: int) -> None:
    records = records_of(**dict.fromkeys(TOPOLOGIES, count))
    others = others_of(records, SHUFFLE.model_copy(update={"within": within}))
    assert all(other is not None and other != own for own, other in others.items())
    assert Counter(others.values()) == Counter(others.keys())


def test_within_a_topology_no_calls_cross_to_another_one() -> None:
    by_id = {record.id: record for record in records_of(linear=9, diamond=5, loop_like=2)}
    for own, other in others_of(list(by_id.values())).items():
        assert other is not None
        assert by_id[own].topology == by_id[other].topology


def test_the_reference_holds_the_other_records_calls() -> None:
    records = {record.id: record for record in records_of(linear=6)}
    for item in shuffle_references(list(records.values()), SHUFFLE, "hard"):
        assert item.other_record is not None and item.calls is not None
        lent = records[item.other_record].expected_calls
        assert [(c.name, c.arguments) for c in item.calls] == [(c.name, c.arguments) for c in lent]
        assert (item.status, item.tier, item.seed, item.kind) == ("ok", "hard", 0, "shuffle")


def test_the_shuffle_follows_the_seed_and_nothing_else() -> None:
    records = records_of(linear=30, diamond=30)
    first = others_of(records)
    assert others_of(records) == first
    assert others_of(records, SHUFFLE.model_copy(update={"seed": 1})) != first
    tiers = [[i.other_record for i in shuffle_references(records, SHUFFLE, t)] for t in ("easy", "hard")]
    assert tiers[0] == tiers[1]


def test_records_of_one_topology_do_not_move_those_of_another() -> None:
    small, large = records_of(linear=12, diamond=3), records_of(linear=12, diamond=40)
    linear = [f"linear_{n}" for n in range(12)]
    assert [others_of(small)[i] for i in linear] == [others_of(large)[i] for i in linear]


def test_the_only_record_of_a_topology_is_flagged_and_keeps_no_foreign_calls() -> None:
    found = {i.record_id: i for i in shuffle_references(records_of(linear=4, fan_in=1), SHUFFLE, "easy")}
    alone = found["fan_in_0"]
    assert (alone.status, alone.calls, alone.other_record) == ("own_kept", None, None)
    assert alone.detail is not None and "topology fan_in" in alone.detail
    assert {item.status for key, item in found.items() if key != "fan_in_0"} == {"ok"}


def test_the_limit_of_tries_is_kept() -> None:
    # one try on 200 records succeeds with a probability of about 1/e: of 40 seeds about 25 fail
    records = records_of(linear=200)
    once = [SHUFFLE.model_copy(update={"seed": seed, "max_tries": 1}) for seed in range(40)]
    failed = sum(None in others_of(records, settings).values() for settings in once)
    assert 10 < failed < 38
    assert all(
        None not in others_of(records, s.model_copy(update={"max_tries": 1000})).values() for s in once
    )


def test_two_records_that_expect_the_same_calls_are_told_so() -> None:
    records = [a_record("a", value="T-1"), a_record("b", value="T-1")]
    details = {item.detail for item in shuffle_references(records, SHUFFLE, "easy")}
    assert details == {"both records have the same expected calls"}


def test_no_records_give_no_references() -> None:
    assert list(shuffle_references([], SHUFFLE, "easy")) == []
