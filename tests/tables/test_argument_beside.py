"""A number of the DeRef paper stands beside the cell that it is about, and beside no other one."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from argument_run import ArgumentRun

from plumbline.config.settings import RunConfig
from plumbline.tables.argument_beside import same_as_paper, with_deref
from plumbline.tables.argument_claims import argument_answers
from plumbline.tables.argument_examples import _tens
from plumbline.tables.argument_inputs import ArgumentInputs
from plumbline.tables.claims import Answer
from plumbline.tables.registry import TABLES

MODELS = {"m": {"engine": "endpoint", "base_url": "http://localhost/v1", "model": "m"}}


def configured(**section: Any) -> RunConfig:
    whole = {
        "datasets": {"cfb": {"kind": "cfb"}, "fintrace": {"kind": "fintrace", "path": "x"}},
        "judges": {name: {"model": "m"} for name in ("qwen3_8_27b", "qwen3_8b")},
        "references": {
            "deref": {"kind": "derive_value", "model": "m"}, "only": {"kind": "value_only", "of": "deref"}
        },
        "inputs": {"plain": {}, "deref": {"reference": "deref"}, "only": {"reference": "only"}},
        "blocks": {"main": {"inputs": ["plain"]}},
    }  # fmt: skip
    return RunConfig.model_validate({"run": "small", "models": MODELS, "arguments": {**whole, **section}})


def answer(config: RunConfig, item: str, start: str, **tables: list[list[dict[str, Any]]]) -> Answer:
    frames = {name: [pd.DataFrame(rows) for rows in blocks] for name, blocks in tables.items()}
    found = [
        one
        for one in argument_answers(config, frames)
        if one.claim.item == item and f"{one.claim.words};".startswith(start)
    ]
    assert len(found) == 1
    return found[0]


def thinking(reference: str, auroc: float) -> dict[str, Any]:
    about = {"judge": "qwen3_8_27b", "dataset": "cfb", "context": "full", "thinking": "off"}
    return about | {"reference": reference, "auroc": auroc, "same_experiment": "yes"}


def test_the_best_cell_of_table_4_is_the_one_with_a_reference():
    rows = [thinking("none", 85.45), thinking("deref", 96.01)]
    found = answer(configured(), "D33", "argument auroc reference thinking", thinking_with_reference=[rows])
    assert (found.found.least, found.found.most, found.outcome) == (96.01, 96.01, "reproduced")


def loss(judge: str, dataset: str, slots: str, value: float) -> dict[str, Any]:
    about = {"judge": judge, "dataset": dataset, "input": "only", "against": "deref", "slots": slots}
    return about | {"loss": value, "same_experiment": "yes"}


@pytest.mark.parametrize(
    ("dataset", "slots", "start", "value"),
    [
        ("cfb", "with a value", "auroc loss value only slots with value: ", 1.39),
        ("cfb", "without", "auroc loss value only slots without value: ", 22.37),
        ("fintrace", "with a value", "auroc loss value only slots with value: ", -1.13),
        ("fintrace", "without", "auroc loss value only slots without value: ", 3.67),
    ],
)
def test_table_8_is_that_of_the_largest_judge_in_every_data_set(dataset, slots, start, value):
    rows = [loss("qwen3_8_27b", dataset, slots, value), loss("qwen3_8b", dataset, slots, 50.0)]
    answers = argument_answers(configured(), {"value_only": [pd.DataFrame(rows)]})
    found = [
        one
        for one in answers
        if one.claim.item == "D32" and one.claim.words.startswith(start) and dataset in one.claim.words
    ]
    assert [(one.found.least, one.found.most, one.outcome) for one in found] == [(value, value, "reproduced")]


def test_a_cell_that_two_blocks_have_keeps_its_interval():
    row = {
        "judge": "qwen3_8_27b",
        "dataset": "cfb",
        "input": "deref",
        "label": "wrong",
        "same_experiment": "yes",
    }
    row |= {"at_half": 10.0, "at_half_lo": 8.0, "at_half_hi": 12.0}
    start = "accepted wrong at half: qwen3_8_27b; cfb; deref;"
    once = answer(configured(), "D36", start, argument_acceptance=[[row]])
    twice = answer(configured(), "D36", start, argument_acceptance=[[row], [row]])
    assert (once.found, once.outcome) == (twice.found, twice.outcome)
    assert (twice.found.low, twice.found.high, twice.outcome) == (8.0, 12.0, "reproduced")


@pytest.mark.parametrize(
    ("dataset", "settings", "right", "word"),
    [
        ("near", {"kind": "hc", "of": "fintrace"}, 122, "yes"),
        ("near", {"kind": "hc", "of": "fintrace"}, 121, "other items"),
        ("shown", {"kind": "reveal", "of": "fintrace"}, 167, "yes"),
        ("shown", {"kind": "placebo", "of": "fintrace"}, 167, "yes"),
        ("shown", {"kind": "reveal", "of": "fintrace"}, 7428, "other items"),
        ("shown", {"kind": "reveal", "of": "cfb"}, 167, "other items"),
    ],
)
def test_a_controlled_set_is_the_paper_s_by_its_own_size(dataset, settings, right, word):
    config = configured(
        datasets={
            "cfb": {"kind": "cfb"},
            "fintrace": {"kind": "fintrace", "path": "x"},
            dataset: settings,
        }
    )
    items = pd.DataFrame(
        {
            "judge": "qwen3_8b",
            "dataset": dataset,
            "unit": "value",
            "item_id": [f"i{k}" for k in range(right + 30)],
            "label": ["correct"] * right + ["wrong"] * 30,
        }
    )
    inputs = ArgumentInputs(config, "main", items, pd.DataFrame())
    assert same_as_paper(inputs, {"judge": "qwen3_8b", "dataset": dataset}) == word


def test_a_mean_over_simulated_judges_is_a_simulation(tmp_path: Path):
    run = ArgumentRun(
        tmp_path,
        judges={"clm_8b": {"model": "m"}, "qwen3_8b": {"model": "m"}},
        datasets=("cfb",),
        inputs=("plain", "deref", "full"),
        settings={"datasets": {"cfb": {"kind": "cfb"}}},
        engine="simulated",
    ).made()
    table = with_deref(TABLES["argument_effects"].build(run), "argument_effects", run).frame
    told = table.loc[table["judge"] == "mean of judges", "same_experiment"]
    assert set(told) <= {"simulation", "no figure"}


@pytest.mark.parametrize(
    ("one", "other", "tens"),
    [
        ("100", "1000", True),
        ('"1,000"', "10", True),
        ("-5", "-50", True),
        ("-5", "50", False),
        ("0.25", "2.5", True),
        ("12", "21", False),
        ("0", "0", False),
        ('"ten"', "10", False),
        ("NaN", "10", False),
    ],
)
def test_numbers_that_differ_by_a_power_of_ten(one: str, other: str, tens: bool):
    assert _tens(one, other) == tens
