"""Cells, their owners and the lanes that ask for them."""

from itertools import product

import pytest

from plumbline.config.cells import (
    Cell,
    cells_of,
    generator_decoding,
    lane_cells,
    lane_holds,
    lane_of,
    lanes_of,
    owner_of,
    resolved_decoding,
    shard_of,
    used_models,
)
from plumbline.config.settings import RunConfig
from plumbline.records.errors import UserError


def config_with(**changes: object) -> RunConfig:
    data: dict[str, object] = {
        "run": "trial",
        "corpus": {"sources": {"starter": {"kind": "starter"}}},
        "models": {
            "m": {"engine": "simulated", "decoding": {"temperature": 0.6, "top_p": 0.9, "max_tokens": 100}},
            "n": {"engine": "simulated"},
            "spare": {"engine": "simulated"},
        },
        "generators": {"g1": {"model": "m", "decoding": {"max_tokens": 7}}, "g2": {"faults": ["none"]}},
        "judges": {"j1": {"model": "m", "decoding": {"temperature": 0.3}}, "j2": {"model": "n"}},
        "conditions": {
            "with_gt": {"prompt": "p", "reference": "expected"},
            "without_gt": {"prompt": "p"},
            "hot": {"prompt": "p", "decoding": {"temperature": 1.0}},
        },
        "blocks": {
            "main": {"conditions": ["with_gt", "without_gt"]},
            "heat": {"judges": ["j1"], "conditions": ["without_gt", "hot"], "tiers": ["hard"]},
        },
    }
    return RunConfig.model_validate(data | changes)


def test_a_block_lists_each_cell_once_in_the_order_of_asking() -> None:
    config = config_with()
    wanted = [
        Cell(j, g, t, c)
        for j, c, t, g in product(
            ["j1", "j2"], ["with_gt", "without_gt"], ["easy", "medium", "hard"], ["g1", "g2"]
        )
    ]
    assert cells_of(config, "main") == wanted


def test_a_cell_that_two_blocks_list_belongs_to_the_first() -> None:
    config = config_with()
    shared = Cell("j1", "g1", "hard", "without_gt")
    assert shared in cells_of(config, "heat")
    assert owner_of(config, shared) == "main"
    assert lane_cells(config, "j1", "heat", "all") == [
        Cell("j1", "g1", "hard", "hot"),
        Cell("j1", "g2", "hard", "hot"),
    ]


def test_a_cell_of_no_block_is_refused() -> None:
    with pytest.raises(UserError, match="no block of run trial lists judge j2"):
        owner_of(config_with(), Cell("j2", "g1", "hard", "hot"))


def test_a_block_does_not_name_a_lane_for_a_cell_that_another_asks_for() -> None:
    with pytest.raises(UserError, match="block main lists it first"):
        lane_of(config_with(), "heat", Cell("j1", "g1", "hard", "without_gt"))


@pytest.mark.parametrize(
    ("grain", "lane", "count"), [("judge", "all", 1), ("generator", "g1", 2), ("cell", "g1.easy.with_gt", 12)]
)
@pytest.mark.parametrize("shards", [1, 3])
def test_lanes_divide_a_judges_cells_without_rest_or_overlap(
    grain: str, lane: str, count: int, shards: int
) -> None:
    config = config_with(jobs={"lane": grain, "shards": shards})
    assert lane_of(config, "main", Cell("j1", "g1", "easy", "with_gt")) == lane
    lanes = lanes_of(config, "j1", "main")
    assert len(set(lanes)) == len(lanes) == count * shards
    asked = [
        (cell, record)
        for name in lanes
        for cell in lane_cells(config, "j1", "main", name)
        for record in ("r1", "r2", "r3", "r4")
        if lane_holds(name, record)
    ]
    cells = [cell for cell in cells_of(config, "main") if cell.judge == "j1"]
    assert sorted(asked, key=repr) == sorted(product(cells, ("r1", "r2", "r3", "r4")), key=repr)


def test_shards_are_named_from_one() -> None:
    config = config_with(jobs={"shards": 2})
    assert lanes_of(config, "j2", "main") == ["all.1of2", "all.2of2"]


def test_a_condition_named_like_a_shard_is_no_shard() -> None:
    config = config_with(
        conditions={"1of2": {"prompt": "p"}}, blocks={"main": {"conditions": ["1of2"]}}, jobs={"lane": "cell"}
    )
    assert lane_cells(config, "j1", "main", "g1.easy.1of2") == [Cell("j1", "g1", "easy", "1of2")]
    assert lane_holds("g1.easy.1of2", "any record")


def test_a_lane_that_does_not_exist_is_refused_with_those_that_do() -> None:
    with pytest.raises(UserError, match="no lane `g1` in block main. Its lanes: all"):
        lane_cells(config_with(), "j1", "main", "g1")


def test_a_block_that_owns_none_of_a_judges_cells_has_no_lane() -> None:
    assert lanes_of(config_with(), "j2", "heat") == []


def test_shards_are_even_and_do_not_depend_on_anything_but_the_id() -> None:
    counts = [0] * 4
    for number in range(4000):
        counts[shard_of(f"record_{number}", 4) - 1] += 1
    # binomial(4000, 1/4): five standard deviations are 137
    assert all(abs(count - 1000) < 137 for count in counts)


def test_a_condition_changes_the_judge_and_the_judge_changes_the_model() -> None:
    config = config_with()
    plain = resolved_decoding(config, "j1", "with_gt")
    assert (plain.temperature, plain.top_p, plain.max_tokens) == (0.3, 0.9, 100)
    assert resolved_decoding(config, "j1", "hot").temperature == 1.0
    assert generator_decoding(config, "g1").max_tokens == 7


def test_decoding_is_the_same_after_the_configuration_was_written_out_and_read_back() -> None:
    config = config_with()
    again = RunConfig.model_validate_json(config.model_dump_json())
    assert resolved_decoding(again, "j1", "hot") == resolved_decoding(config, "j1", "hot")


def test_a_generator_of_faults_has_no_decoding() -> None:
    with pytest.raises(UserError, match="g2 applies faults"):
        generator_decoding(config_with(), "g2")


def test_models_in_use_are_those_of_the_blocks_and_the_rewriter() -> None:
    assert used_models(config_with()) == ["m", "n"]
    assert used_models(config_with(rewrites={"model": "spare"})) == ["m", "n", "spare"]
