from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from plumbline.config.settings import RunConfig

# the stand-in server of the models' tests
sys.path.insert(0, str(Path(__file__).parents[1] / "models"))


@pytest.fixture
def config_of(project_root: Path) -> Callable[..., RunConfig]:
    """Give a small run whose sections can be changed."""

    def build(url: str = "http://127.0.0.1:9/v1", **changes: Any) -> RunConfig:
        data = {
            "run": "t",
            "corpus": {"sources": {"own": {"kind": "starter"}}},
            "tiers": ["easy", "hard"],
            "models": {"judge": {"engine": "endpoint", "base_url": url}, "pretend": {"engine": "simulated"}},
            "generators": {"g": {"faults": ["none"]}},
            "judges": {
                "j": {"model": "judge"},
                "p": {"model": "judge", "prompt": "prometheus", "output": "prometheus"},
                "s": {"model": "pretend", "prompt": "prometheus", "output": "prometheus"},
            },
            "references": {"corrupted": {"kind": "shuffle"}, "derived": {"kind": "derive"}},
            "conditions": {
                "with_gt": {"prompt": "judge_with_gt", "reference": "expected"},
                "without_gt": {"prompt": "judge_without_gt"},
                "corrupted_gt": {"prompt": "judge_with_gt", "reference": "corrupted"},
                "derived_gt": {"prompt": "judge_with_gt", "reference": "derived"},
            },
            "blocks": {"b": {"conditions": ["with_gt", "without_gt", "corrupted_gt", "derived_gt"]}},
            "prompts": {"folder": str(project_root / "prompts")},
        }
        return RunConfig.model_validate(data | changes)

    return build
