"""Settings of agreement and juries: names and thresholds that cannot be right are refused."""

from typing import Any

import pytest

from plumbline.config.loading import load_config
from plumbline.config.settings import RunConfig
from plumbline.records.errors import UserError


def load(**changes: Any) -> RunConfig:
    data: dict[str, Any] = {
        "run": "trial",
        "corpus": {"sources": {"starter": {"kind": "starter"}}},
        "models_from": None,
        "models": {"m": {"engine": "simulated"}},
        "generators": {"small": {"model": "m"}, "large": {"model": "m"}},
        "judges": {"qwq": {"model": "m"}, "opus": {"model": "m"}},
        "conditions": {"with_gt": {"prompt": "judge", "reference": "expected"}},
        "blocks": {"main": {"conditions": ["with_gt"]}},
    }
    return load_config(data | changes)


def complaint(**changes: Any) -> str:
    with pytest.raises(UserError) as caught:
        load(**changes)
    return str(caught.value)


def test_generators_with_open_weights_must_be_generators() -> None:
    said = complaint(open_weight=["small", "larg"])
    assert "`larg` is not a generator. Did you mean `large`?" in said
    assert "open_weight" in said


def test_members_of_the_jury_must_be_judges() -> None:
    said = complaint(jury={"members": ["qwk"]})
    assert "`qwk` is not a judge. Did you mean `qwq`?" in said
    assert "jury.members" in said


def test_thresholds_must_rise_and_lie_on_the_scale() -> None:
    assert "agreement" in complaint(agreement={"thresholds": [0.9, 0.1]})
    assert "thresholds must rise, for instance [0.1, 0.9]" in complaint(agreement={"thresholds": [0.5, 0.5]})
    assert "agreement.thresholds" in complaint(agreement={"thresholds": [0.1, 1.5]})
    assert "agreement.thresholds" in complaint(agreement={"thresholds": [0.1]})


def test_judges_outside_and_ranks_may_name_judges_of_other_runs() -> None:
    config = load(agreement={"outside": ["prometheus_2"]}, judge_tiers={"qwq": 1, "gpt_5_4": 1.5})
    assert config.judge_tiers == {"qwq": 1, "gpt_5_4": 1.5}


def test_by_default_the_tables_of_the_paper_pool_open_weights_and_weigh_records_the_same() -> None:
    tables = load().tables
    for pool in (tables.per_metric, tables.per_topology, tables.soft_jury):
        assert (pool.generators, pool.average) == ("open_weight", "records")
    assert tables.agreement.generators == "open_weight"
