"""The simulated judge's stated gap and AUROC are what the tables find, within their intervals."""

from __future__ import annotations

import pytest
from argument_run import ArgumentRun
from scipy.optimize import brentq
from scipy.stats import norm

from plumbline.config.models import Decoding, Simulation
from plumbline.models.requests import Request
from plumbline.models.simulated import value_score
from plumbline.tables.registry import TABLES

SIMULATION = Simulation.model_validate(
    {
        "values": {"separation": 1.8, "shift_by_path": {"history_only": 0.9}, "shift_left": {"deref": 0.25}},
        "seed": 7,
    }
)
SHIFT = {"plain": 0.9, "deref": 0.225}


def simulated(judge, name, item):
    payload = {"judge": judge, "input": name, "label": item.label, "path": item.path}
    key = f"{item.item_id}|{name}"
    return value_score(Request(key, (), Decoding(), simulation=payload), SIMULATION)


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory):
    return ArgumentRun(
        tmp_path_factory.mktemp("run"),
        queries=250,
        paths=("visible", "history_only"),
        judges={"ada": {"model": "m"}},
        datasets=("cfb",),
        inputs=("plain", "deref"),
        score=simulated,
    ).made()


def true_area(shift: float) -> float:
    """Chance that a normal draw around 1.8, or around 1.8 less the shift, is above one around 0."""
    return 50 * (norm.cdf(1.8 / 2**0.5) + norm.cdf((1.8 - shift) / 2**0.5))


def true_gap(shift: float) -> float:
    """Acceptance in view minus that of the path, where four fifths of both together are accepted."""
    limit = brentq(lambda t: (norm.sf(t - 1.8) + norm.sf(t - 1.8 + shift)) / 2 - 0.8, -5, 5)
    return 100 * (norm.sf(limit - 1.8) - norm.sf(limit - 1.8 + shift))


@pytest.mark.parametrize("name", ["plain", "deref"])
def test_the_stated_auroc_and_gap_are_within_their_intervals(made, name):
    areas = TABLES["argument_auroc"].build(made).frame.set_index(["judge", "input"])
    row = areas.loc[("ada", name)]
    assert row["auroc_lo"] <= true_area(SHIFT[name]) <= row["auroc_hi"]
    gaps = TABLES["derivation_gaps"].build(made).frame.set_index(["path", "input"])
    row = gaps.loc[("out_of_view", name)]
    assert row["gap_lo"] <= true_gap(SHIFT[name]) <= row["gap_hi"]


def test_the_gain_of_the_reference_is_within_its_interval(made):
    row = TABLES["argument_effects"].build(made).frame.iloc[0]
    assert row["gain_lo"] <= true_area(SHIFT["deref"]) - true_area(SHIFT["plain"]) <= row["gain_hi"]
    assert row["gain_significant"]
