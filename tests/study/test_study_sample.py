"""Which plans annotators see."""

from __future__ import annotations

import json
from collections import Counter

import pytest
from study.conftest import scored

from plumbline.config.human import Human, StudySample
from plumbline.config.settings import FAULTS
from plumbline.records import METRICS, TOPOLOGIES, Plan, Record
from plumbline.study.sampling import ScoredPlans, draw_study

PERFECT = dict.fromkeys(METRICS, 1.0)
FLAWED = PERFECT | {"sequence": 0.5}


def records(count: int, topology: str = "linear") -> list[Record]:
    return [
        Record(
            id=f"{topology}{n}",
            source="s",
            domain="d",
            topology=topology,
            queries={"easy": "e", "hard": "h"},
            tools=(),
            expected_calls=(),
        )
        for n in range(count)
    ]


def plans(generator: str, scores: dict[str, dict[str, float]], calls: int = 1) -> ScoredPlans:
    made = {
        name: Plan(
            record_id=name, tier="hard", generator=generator, status="ok", calls=[{"name": "f"}] * calls
        )
        for name in scores
    }
    return ScoredPlans(generator, made, scores)


def test_the_paper_has_14_plans_with_a_flaw_and_6_without_of_each_topology() -> None:
    given = [record for topology in TOPOLOGIES for record in records(60, topology)]
    scores = {record.id: FLAWED if n % 2 else PERFECT for n, record in enumerate(given)}
    draw = draw_study(given, {}, [plans("gen", scores)], Human().sample)
    found = Counter((item.topology, min(item.scores.values()) < 1) for item in draw.items)
    assert found == {(name, flawed): 14 if flawed else 6 for name in TOPOLOGIES for flawed in (True, False)}
    assert draw.warnings == []
    assert {item.query for item in draw.items} == {"h"}
    flaws = [min(item.scores.values()) < 1 for item in draw.items]
    assert flaws != sorted(flaws)


def test_a_larger_sample_holds_the_smaller_and_another_seed_is_another() -> None:
    given = records(40)
    source = [plans("gen", {record.id: FLAWED for record in given})]

    def ids(flawed: int, seed: int = 0, order: int = 1) -> list[str]:
        settings = StudySample(flawed=flawed, seed=seed)
        return [item.id for item in draw_study(given[::order], {}, source, settings).items]

    assert set(ids(5)) < set(ids(9))
    assert ids(9, order=-1) == ids(9)
    assert set(ids(9, seed=1)) != set(ids(9))


def test_a_later_generator_fills_what_the_first_leaves_open_and_this_is_told() -> None:
    given = records(10)
    names = [record.id for record in given]
    first = {name: FLAWED if n < 2 else PERFECT for n, name in enumerate(names)}
    second = dict.fromkeys(names, FLAWED)
    settings = StudySample(flawed=4, perfect=2)
    draw = draw_study(given, {}, [plans("large", first), plans("small", second)], settings)
    used = Counter((item.generator, min(item.scores.values()) < 1) for item in draw.items)
    assert used == {("large", True): 2, ("large", False): 2, ("small", True): 2}
    assert len({item.id for item in draw.items}) == 6
    assert "2 plans of small: those before it have too few." in draw.warnings


def test_a_shortfall_is_told_with_its_setting() -> None:
    given = records(3)
    draw = draw_study(given, {}, [plans("gen", {"linear0": FLAWED})], StudySample(flawed=2, perfect=0))
    assert draw.warnings[0] == (
        "human.sample.flawed: 2 linear plans with a flaw were asked for; there are 1."
    )
    assert len(draw.warnings) == len(TOPOLOGIES)


def test_plans_without_calls_count_as_the_run_has_them() -> None:
    source = [plans("gen", {"linear0": FLAWED}, calls=0)]
    assert len(draw_study(records(1), {}, source, Human().sample).items) == 1
    assert draw_study(records(1), {}, source, Human().sample, with_empty=False).items == []


def test_other_shapes_stay_out() -> None:
    assert (
        draw_study(records(1, "single"), {}, [plans("gen", {"single0": FLAWED})], Human().sample).items == []
    )


def test_annotators_see_what_the_paper_says_and_nothing_of_judges(starter_records: list[Record]) -> None:
    draw = draw_study(starter_records, {}, [scored(starter_records, "faults", list(FAULTS))], Human().sample)
    keys = {key for item in draw.items for key in json.loads(item.model_dump_json())}
    assert keys == {
        "id",
        "topology",
        "tier",
        "generator",
        "query",
        "tools",
        "calls",
        "expected_calls",
        *METRICS,
    }


def test_a_sample_of_nothing_is_refused() -> None:
    with pytest.raises(ValueError, match="both 0"):
        StudySample(flawed=0, perfect=0)
