from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import pytest

from plumbline.config.human import StudySample
from plumbline.config.settings import FAULTS
from plumbline.corpora.starter import read_starter
from plumbline.plans.perturb import perturb
from plumbline.plans.scoring import score_plan
from plumbline.records import TIERS, Record
from plumbline.study.items import StudyItem
from plumbline.study.sampling import ScoredPlans, draw_study


def scored(records: list[Record], generator: str, faults: list[str]) -> ScoredPlans:
    """Plans with known faults, and their scores."""
    by_id = {record.id: record for record in records}
    plans = perturb(records, "hard", faults, 1, generator, TIERS)
    scores: Mapping[str, dict[str, float]] = {
        plan.record_id: score_plan(plan.calls or (), by_id[plan.record_id].expected_calls) for plan in plans
    }
    return ScoredPlans(generator, {plan.record_id: plan for plan in plans}, scores)


@pytest.fixture(scope="session")
def starter_records(project_root: Any) -> list[Record]:
    return list(read_starter(project_root / "resources" / "starter").records)


@pytest.fixture(scope="session")
def sample(starter_records: list[Record]) -> list[StudyItem]:
    """The starter corpus with known faults: two plans with a flaw and one without of each topology."""
    plans = scored(starter_records, "faults", list(FAULTS))
    return draw_study(starter_records, {}, [plans], StudySample(flawed=2, perfect=1)).items


@pytest.fixture
def an_item() -> Callable[..., StudyItem]:
    def make(name: str = "a", **changes: Any) -> StudyItem:
        data = {
            "id": name,
            "topology": "linear",
            "tier": "hard",
            "generator": "gen",
            "query": "Ship it",
            "tools": [],
            "calls": [],
            "expected_calls": [],
            "tool_selection": 1,
            "parameter_structure": 0.5,
            "sequence": 0.6667,
            "query_coverage": 1,
        }
        return StudyItem.model_validate(data | changes)

    return make
