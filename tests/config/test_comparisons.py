"""Pairings, what is compared with what, and how a judge is asked."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import ValidationError

from plumbline.config.cells import Asking, Cell, asking, cells_of, owner_of, used_models
from plumbline.config.comparisons import Comparison, arm_of, comparisons, side_of
from plumbline.config.prompt_files import required_files
from plumbline.config.references import ReferenceFile, reference_files, reference_lane, tiers_derived
from plumbline.config.settings import RunConfig
from plumbline.records import METRICS


def config_with(block: dict[str, Any], **changes: Any) -> RunConfig:
    data = {
        "run": "t",
        "corpus": {"sources": {"s": {"kind": "starter"}}},
        "tiers": ["easy", "hard"],
        "models": {"m": {"engine": "embedded"}, "n": {"engine": "embedded"}, "o": {"engine": "embedded"}},
        "generators": {"g1": {"faults": ["none"]}, "g2": {"faults": ["none"]}},
        "judges": {
            "j1": {"model": "m"},
            "j2": {"model": "n"},
            "prom": {"model": "n", "prompt": "prometheus", "output": "prometheus"},
        },
        "references": {
            "corrupted": {"kind": "shuffle"},
            "own": {"kind": "derive"},
            "theirs": {"kind": "derive", "model": "o", "prompt": "derive"},
        },
        "conditions": {
            "with_gt": {"prompt": "w", "reference": "expected", "output": "structured"},
            "without_gt": {"prompt": "x"},
            "with_hot": {"prompt": "w", "reference": "expected", "arm": "hot"},
            "without_hot": {"prompt": "x", "arm": "hot"},
            "corrupted_gt": {"prompt": "w", "reference": "corrupted"},
            "own_gt": {"prompt": "w", "reference": "own"},
            "their_gt": {"prompt": "w", "reference": "theirs"},
        },
        "blocks": {"b": block},
    }
    return RunConfig.model_validate(data | changes)


ALL = {"conditions": ["with_gt", "with_hot", "without_gt", "without_hot", "corrupted_gt"]}


def pairs(block: dict[str, Any]) -> list[tuple[str, str]]:
    return [(c.condition, c.baseline) for c in comparisons(config_with(block), "b")]


def test_a_condition_is_compared_with_the_first_of_its_own_side() -> None:
    assert pairs(ALL) == [("with_hot", "with_gt"), ("without_hot", "without_gt"), ("corrupted_gt", "with_gt")]


def test_a_block_can_say_what_a_condition_is_compared_with_or_with_nothing() -> None:
    compare = {"corrupted_gt": ["with_gt", "without_gt"], "without_hot": "with_hot", "with_hot": []}
    assert pairs(ALL | {"compare": compare}) == [
        ("without_hot", "with_hot"),
        ("corrupted_gt", "with_gt"),
        ("corrupted_gt", "without_gt"),
    ]


def test_a_block_of_one_condition_a_side_compares_nothing() -> None:
    assert pairs({"conditions": ["with_gt", "without_gt"]}) == []
    assert Comparison("a", "b") == Comparison("a", "b")


def test_any_reference_is_on_the_side_with_one_and_an_arm_has_a_name_of_its_own() -> None:
    config = config_with(ALL)
    sides = {name: side_of(config, name) for name in config.conditions}
    assert {name for name, side in sides.items() if side == "without_gt"} == {"without_gt", "without_hot"}
    assert [arm_of(config, name) for name in ("with_gt", "with_hot", "without_hot")] == [
        "with_gt",
        "hot",
        "hot",
    ]


def test_pairings_take_the_place_of_every_judge_on_every_generator() -> None:
    block = ALL | {
        "tiers": ["hard"],
        "pairings": [
            {"judges": ["j1"], "generators": ["g1"]},
            {"judges": ["j2"], "generators": ["g2"], "conditions": ["with_hot"]},
        ],
    }
    config = config_with(block)
    wanted = [Cell("j1", "g1", "hard", condition) for condition in ALL["conditions"]]
    assert cells_of(config, "b") == [*wanted, Cell("j2", "g2", "hard", "with_hot")]
    assert owner_of(config, wanted[0]) == "b"


def test_a_cell_that_no_pairing_has_belongs_to_the_block_that_lists_it() -> None:
    paired = ALL | {"pairings": [{"judges": ["j1"], "generators": ["g1"]}]}
    whole = {"conditions": ["with_gt"]}
    config = config_with(paired, blocks={"first": paired, "second": whole})
    assert owner_of(config, Cell("j1", "g1", "hard", "with_gt")) == "first"
    assert owner_of(config, Cell("j1", "g2", "hard", "with_gt")) == "second"


@pytest.mark.parametrize(
    ("block", "said"),
    [
        (ALL | {"judges": ["j1"], "pairings": [{}]}, "takes judges and generators, or pairings"),
        (ALL | {"pairings": [{"judges": ["j9"]}]}, "blocks.b.pairings.judges: `j9` is not a judge"),
        (
            {"conditions": ["with_gt"], "pairings": [{"conditions": ["with_hot"]}]},
            "blocks.b.pairings.conditions: `with_hot` is not a condition of this block",
        ),
        (
            ALL | {"compare": {"hot": "with_gt"}},
            "blocks.b.compare.hot: `hot` is not a condition of this block",
        ),
        (
            ALL | {"compare": {"with_hot": ["wit_gt"]}},
            "`wit_gt` is not a condition of this block. Did you mean",
        ),
    ],
)
def test_a_block_that_names_what_is_not_there_is_refused(block: dict[str, Any], said: str) -> None:
    with pytest.raises(ValidationError) as caught:
        config_with(block)
    assert said in str(caught.value)


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        (
            {"conditions": {"with_gt": {"prompt": "w", "reference": "corupted"}}},
            "conditions.with_gt.reference: `corupted` is not a reference. Did you mean `corrupted`?",
        ),
        ({"references": {"expected": {"kind": "shuffle"}}}, "references.expected: this name has a meaning"),
        (
            {"references": {"own": {"kind": "derive", "model": "z"}}},
            "references.own.model: `z` is not a model",
        ),
    ],
)
def test_a_reference_that_is_not_there_is_refused(changes: dict[str, Any], said: str) -> None:
    with pytest.raises(ValidationError) as caught:
        config_with({"conditions": ["with_gt"]}, **changes)
    assert said in str(caught.value)


def test_a_judge_may_have_its_own_way_of_being_asked_under_every_condition() -> None:
    config = config_with(ALL)
    assert asking(config, "j1", "with_gt") == Asking("w", "structured")
    assert asking(config, "prom", "with_gt") == Asking("prometheus", "prometheus")
    assert asking(config, "prom", "without_gt") == Asking("prometheus", "prometheus")


def test_the_prompt_files_that_must_be_there_are_those_of_the_cells() -> None:
    config = config_with({"conditions": ["with_gt", "their_gt"], "judges": ["j1", "prom"]})
    assert required_files(config) == {
        ("conditions", "with_gt", "prompt"): ["w.user.md"],
        ("conditions", "their_gt", "prompt"): ["w.user.md"],
        ("judges", "prom", "prompt"): [
            "prometheus/instruction.md",
            *(f"prometheus/{metric}.yaml" for metric in METRICS),
        ],
        ("references", "theirs", "prompt"): ["derive.user.md"],
    }


def test_references_are_made_by_each_judges_model_or_the_one_that_is_named() -> None:
    block = {"conditions": ["with_gt", "corrupted_gt", "own_gt", "their_gt"], "tiers": ["hard"]}
    config = config_with(block)
    assert set(reference_files(config, cells_of(config, "b"))) == {
        ReferenceFile("corrupted", "none", "hard"),
        ReferenceFile("own", "m", "hard"),
        ReferenceFile("own", "n", "hard"),
        ReferenceFile("theirs", "o", "hard"),
    }
    assert used_models(config) == ["m", "n", "o"]


@pytest.mark.parametrize(("lane", "names"), [("judge", ["all"]), ("generator", ["all"]), ("cell", ["hard"])])
def test_the_lanes_of_references_hold_all_tiers_or_one(lane: str, names: list[str]) -> None:
    config = config_with(ALL, jobs={"lane": lane})
    assert reference_lane(config, "hard") == names
    assert tiers_derived(config, names[0]) == (["hard"] if lane == "cell" else ["easy", "hard"])
    shards = config_with(ALL, jobs={"lane": lane, "shards": 2})
    assert reference_lane(shards, "hard") == [f"{names[0]}.1of2", f"{names[0]}.2of2"]
    assert tiers_derived(shards, f"{names[0]}.1of2") == tiers_derived(config, names[0])
