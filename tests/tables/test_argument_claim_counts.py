"""Claims of the DeRef paper that count pairs: from rows made by hand, and only if all pairs are there."""

from __future__ import annotations

from itertools import product
from typing import Any

import pandas as pd
import pytest

from plumbline.config.settings import RunConfig
from plumbline.tables.argument_claim_counts import COUNTS
from plumbline.tables.argument_claims import argument_answers
from plumbline.tables.argument_published import CLAIM_TABLES
from plumbline.tables.claims import Answer

FOUR = ("clm_8b", "jev_1_13", "qwen3_8b", "qwen3_8_27b")
SEEDED = ("clm_8b", "qwen3_8b", "qwen3_8_27b")
SETS = ("fcrb", "cfb", "fintrace")
FIRST = {"kind": "derive_value", "model": "m", "decoding": {"seed": 1}}
REFERENCES = {
    "deref": FIRST,
    "two": {**FIRST, "decoding": {"seed": 2}},
    "three": {**FIRST, "decoding": {"seed": 3}},
    "quick": {**FIRST, "decoding": {"seed": 1, "thinking": False}},
    "revised": {"kind": "revise_call", "model": "m"},
}
SECTION = {
    "datasets": {
        "fcrb": {"kind": "fcrb"},
        "cfb": {"kind": "cfb"},
        "fintrace": {"kind": "fintrace", "path": "x"},
        "reveal": {"kind": "reveal", "of": "fintrace"},
    },
    "judges": {name: {"model": "m"} for name in FOUR},
    "references": REFERENCES,
    "inputs": {
        "plain": {},
        "full": {"context": "full"},
        "deref_full": {"context": "full", "reference": "deref"},
        **{name: {"reference": name} for name in REFERENCES},
    },
    "blocks": {"main": {"inputs": ["plain"]}},
}
CONFIG = RunConfig.model_validate(
    {
        "run": "small",
        "models": {"m": {"engine": "endpoint", "base_url": "http://localhost/v1", "model": "m"}},
        "arguments": SECTION,
    }
)

RATES = [
    {"dataset": name, "path": "all", "correct": 1, "wrong": 1, "alone": 0, "same_experiment": "yes"}
    for name in SETS
]


def gain(judge: str, dataset: str, name: str, other: str, gain: float, significant: bool) -> dict[str, Any]:
    about = {"judge": judge, "dataset": dataset, "input": name, "against": other}
    return about | {"gain": gain, "gain_significant": significant, "same_experiment": "yes"}


def answer(item: str, start: str, **tables: list[dict[str, Any]]) -> Answer:
    frames = {name: [pd.DataFrame(rows)] for name, rows in tables.items()}
    found = [
        one
        for one in argument_answers(CONFIG, frames)
        if one.claim.item == item and one.claim.words.startswith(start)
    ]
    assert len(found) == 1
    return found[0]


def against_reviseval() -> list[dict[str, Any]]:
    """Ten of twelve pairs above, eight of them significantly, as the paper says; the others below."""
    rows = []
    for place, (judge, dataset) in enumerate(product(FOUR, SETS)):
        rows.append(gain(judge, dataset, "deref", "revised", 2.0 if place < 10 else -0.3, place < 8))
    return rows


def test_pairs_above_and_significantly_above_are_counted():
    for start, count in (("pairs above reviseval", 10), ("pairs significantly above reviseval", 8)):
        found = answer("D29", start, argument_effects=against_reviseval())
        assert (found.found.least, found.outcome) == (count, "reproduced")


def test_a_run_without_all_pairs_does_not_test_a_count_of_pairs():
    found = answer("D29", "pairs above reviseval", argument_effects=against_reviseval()[:5])
    assert (found.outcome, found.why) == ("not run", "the run has 5 of 12 pairs of judge and data set")


def seeds() -> list[dict[str, Any]]:
    rows = []
    for judge, dataset in product(FOUR, SETS):
        rows += [
            gain(judge, dataset, name, "plain", 5.0, True) for name in ("deref", "two", "three", "quick")
        ]
        rows += [gain(judge, dataset, name, "deref", -0.4, False) for name in ("two", "three")]
        rows.append(gain(judge, dataset, "quick", "deref", -3.0, True))
    return rows


@pytest.mark.parametrize(
    ("start", "value"),
    [
        ("cases significantly above plain", 27),
        ("differences between seeds significant", 0),
        ("max abs difference between seeds", 0.4),
    ],
)
def test_another_seed_is_told_from_another_deriver_and_each_row_counts_once(start: str, value: float):
    found = answer("D37", start, argument_effects=seeds() + seeds())
    assert found.found.least == value
    assert (found.outcome == "reproduced") == (value != 0.4)


def test_checks_that_lose_significance_at_another_rate_are_counted():
    judges = ("clm_8b", "jev_1_13", "qwen3_4b", "qwen3_8b", "qwen3_8_27b")
    rows = [
        {
            "judge": judge,
            "dataset": dataset,
            "input": "plain",
            "path": path,
            "rate": rate,
            "gap": 5.0,
            "gap_significant": (judge, dataset, path, rate)
            not in [("clm_8b", "fcrb", "default", 70.0), ("jev_1_13", "fcrb", "default", 90.0)],
        }
        for judge, dataset, path, rate in product(
            judges, SETS, ("out_of_view", "default"), (70.0, 80.0, 90.0)
        )
    ]
    tables = {"gap_rates": rows, "path_rates": RATES}
    assert answer("D19", "cells losing", **tables).found.least == 2
    assert answer("D19", "cells significant", **tables).found.least == 20


def test_the_size_of_a_controlled_test_is_that_of_its_fullest_row():
    rows = [
        {"judge": judge, "dataset": "reveal", "input": "plain", "label": label, "held_by": held_by, "n": n}
        | {"rise": 7.0, "rise_significant": True}
        for judge, lost in (("clm_8b", 0), ("jev_1_13", 3))
        for label, held_by, n in (
            ("correct", "all", 167 - lost),
            ("correct", "return", 80 - lost),
            ("wrong", "all", 200),
        )
    ]
    paths = [
        {"dataset": "fintrace", "path": "all", "correct": 9, "wrong": 9, "same_experiment": "yes"},
    ]
    tables = {"reveal_placebo": rows, "path_rates": paths}
    assert answer("D25", "values", **tables).found.least == 167
    assert answer("D25", "source step kind return", **tables).found.least == 80


def test_what_the_paper_sets_is_a_setting_whatever_the_run_has():
    outcomes = {
        (item, start): answer(item, start).outcome
        for item, start in (
            ("D9", "shown steps"),
            ("D9", "shown calls"),
            ("D12", "qwen token limit"),
            ("D20", "ci percentiles"),
            ("D20", "seed"),
            ("D26", "quote width"),
            ("D37", "extra deriver seeds"),
            ("D38", "chars each side"),
            ("D38", "max snippet:"),
            ("D38", "max snippets"),
            ("D43", "deleted share of wrong: cfb"),
        )
    }
    assert set(outcomes.values()) == {"same setting"}
    assert answer("D39", "max quotes").why == "no such judge, data set or input in the run"


def test_evidence_reaches_as_far_as_the_paper_says_in_each_data_set():
    section = {**SECTION, "references": {**REFERENCES, "evidence": {"kind": "evidence", "model": "m"}}}
    config = RunConfig.model_validate(
        {"run": "small", "models": CONFIG.model_dump()["models"], "arguments": section}
    )
    found = {one.claim.words: one for one in argument_answers(config, {}) if one.claim.item == "D39"}
    near = found["chars each side: cfb; provenanceguard_evidence"]
    far = found["chars each side: fcrb fintrace; provenanceguard_evidence"]
    assert (near.found.least, near.outcome) == (100, "same setting")
    assert (far.found.least, far.outcome) == (150, "same setting")
    assert found["max quotes: provenanceguard_evidence"].outcome == "same setting"


def test_a_change_is_between_the_inputs_of_one_judge():
    rows = [
        {"judge": judge, "dataset": "cfb", "input": name, "share": share}
        for judge, plain, deref in zip(
            FOUR, (80.0, 70.0, 60.0, 50.0), (69.72, 60.0, 45.0, 25.63), strict=True
        )
        for name, share in (("plain", plain), ("deref", deref))
    ]
    found = answer("D47", "share change deref", lowest_argument=rows, path_rates=RATES)
    assert (round(found.found.least, 2), round(found.found.most, 2)) == (-24.37, -10.0)


def test_the_size_of_a_change_has_no_sign():
    rows = [
        {"judge": judge, "dataset": "fcrb", "input": name, "subset": "reference agrees", "accepted": accepted}
        | {"n": 142}
        for judge, change in zip(FOUR, (-6.18, 0.0, 2.0, 1.0), strict=True)
        for name, accepted in (("plain", 50.0), ("facts", 50.0 + change))
    ]
    section = {**SECTION, "inputs": {"plain": {}, "facts": {"add": "schema_facts"}}}
    config = RunConfig.model_validate(
        {"run": "small", "models": CONFIG.model_dump()["models"], "arguments": section}
    )
    frames = {"default_acceptance": [pd.DataFrame(rows)], "path_rates": [pd.DataFrame(RATES)]}
    found = next(
        one
        for one in argument_answers(config, frames)
        if one.claim.item == "D26" and one.claim.words.startswith("abs acceptance change")
    )
    assert (found.found.least, round(found.found.most, 2)) == (0.0, 6.18)


def test_a_retest_adds_up_the_data_sets():
    rows = [
        {"judge": "jev_1_13", "dataset": name, "input": "plain"} | numbers
        for name, numbers in (
            ("fcrb", {"items": 100, "same_side": 99.0, "largest": 0.1}),
            ("cfb", {"items": 150, "same_side": 100.0, "largest": 0.17}),
            ("fintrace", {"items": 250, "same_side": 99.2, "largest": 0.0}),
        )
    ]
    tables = {"argument_noise": rows, "path_rates": RATES}
    assert answer("D13", "jev retest inputs", **tables).found.least == 500
    assert answer("D13", "jev retest same side", **tables).found.least == 497
    assert answer("D13", "jev retest max", **tables).found.least == 0.17


def rival(judge: str, dataset: str, wrong: str, significant: bool) -> dict[str, Any]:
    about = {"judge": judge, "dataset": dataset, "input": "deref", "against": "plain", "wrong": wrong}
    return about | {"gain": -1.0, "gain_significant": significant, "same_experiment": "yes"}


def test_on_the_near_candidates_a_loss_is_one_against_h_alone():
    section = {
        **SECTION,
        "datasets": {
            **SECTION["datasets"],
            "visible": {"kind": "relocate", "of": "fcrb", "placement": "visible"},
            "near": {"kind": "hc", "of": "fintrace"},
        },
    }
    config = RunConfig.model_validate(
        {"run": "small", "models": CONFIG.model_dump()["models"], "arguments": section}
    )
    rows = [
        rival(judge, dataset, wrong, (judge, dataset, wrong) in lost)
        for lost in [{("clm_8b", "near", "H"), ("qwen3_8b", "near", "all"), ("jev_1_13", "visible", "all")}]
        for judge, dataset, wrong in product(FOUR, ("visible", "near"), ("all", "H", "C"))
    ]
    found = next(
        one
        for one in argument_answers(config, {"relocation": [pd.DataFrame(rows)]})
        if one.claim.words.startswith("significantly worse with deref")
    )
    assert (found.found.least, found.outcome) == (2, "differs")


def test_a_mean_without_one_of_its_judges_is_no_row():
    rows = [gain("mean of judges", name, "deref", "revised", 2.0, True) for name in SETS]
    start = "judge mean significantly above reviseval"
    assert answer("D29", start, argument_effects=rows).found.least == 3
    rows[2]["gain"] = float("nan")
    assert answer("D29", start, argument_effects=rows).outcome == "not run"


def shortened(judge: str, dataset: str, name: str, **numbers: float) -> dict[str, Any]:
    about = {"judge": judge, "dataset": dataset, "input": name, "against": "plain"}
    zeros = dict.fromkeys(("shortened", "states", "over_limit", "own_limit"), 0)
    return about | zeros | {"gain_shift": 0.0} | numbers


def test_shortened_inputs_are_counted_by_data_set_input_and_judge():
    rows = [
        shortened("qwen3_8b", "cfb", "deref", shortened=131, states=39),
        shortened("qwen3_8b", "fintrace", "deref", shortened=786, states=194, gain_shift=-3.0),
        shortened("qwen3_8b", "fintrace", "full", over_limit=248, gain_shift=-0.46),
        shortened("qwen3_8b", "cfb", "full", gain_shift=0.2),
        shortened("jev_1_13", "fintrace", "full", over_limit=248, own_limit=104),
        shortened("jev_1_13", "fintrace", "deref_full", over_limit=248, own_limit=102, gain_shift=0.1),
    ]
    found = {
        start: answer(item, start, argument_shortened=rows, path_rates=RATES)
        for item, start in (
            ("D11", "arguments losing more history: cfb"),
            ("D11", "states losing more history: cfb"),
            ("D11", "arguments losing more history: fintrace"),
            ("D11", "states losing more history: fintrace"),
            ("D12", "arguments over limit: fintrace"),
            ("D12", "arguments over limit: cfb"),
            ("D12", "jev arguments with 1 to 3 more returns dropped: jev_1_13; fintrace; full_history"),
            ("D12", "jev arguments with 1 to 3 more returns dropped: jev_1_13; fintrace; deref_full"),
            ("D12", "max auroc difference shift without shortened arguments"),
        )
    }
    numbers = [one.found.least for one in found.values() if one.found]
    assert numbers == [131, 39, 786, 194, 248, 0, 104, 102, 0.46]
    assert {one.outcome for one in found.values()} == {"reproduced"}


def test_every_table_that_claims_are_counted_in_is_given_to_them():
    assert {count.table for count in COUNTS.values()} <= set(CLAIM_TABLES)
