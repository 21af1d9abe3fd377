"""The experiment that is disturbed, and its results when nothing disturbs it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from fixed_answers import completion, verdict
from profile_run import model_settings
from standin import StandIn

RUN = "troubled"
TARGET = "ablation"
KEY_VARIABLE, KEY = "MARKED_KEY", "sk-marked-51be07c4"
REQUESTS = 24
"""What each judge is asked: 6 records, 2 tiers, 2 conditions."""


def write_config(folder: Path, url: str) -> None:
    """Write the experiment's run.yaml; `url` is where the model `gamma` is served."""
    (folder / "notes").mkdir(exist_ok=True)
    (folder / "run.yaml").write_text(json.dumps(_config(folder / "notes", url), indent=2))


def answering(**settings: Any) -> StandIn:
    """A server for the model `gamma`; it gives the verdicts that the other models' servers give too."""
    return StandIn(replies=[lambda body: {"choice": completion(verdict(body))["choices"][0]}], **settings)


def results(folder: Path) -> dict[str, bytes]:
    """Verdicts, tables and figures of a run."""
    root = folder / "results" / RUN
    kinds = ("verdicts", "tables", "figures")
    files = [file for kind in kinds for file in sorted((root / kind).rglob("*.*"))]
    return {str(file.relative_to(root)): file.read_bytes() for file in files}


def _config(notes: Path, url: str) -> dict[str, Any]:
    return {
        "run": RUN,
        "corpus": {"sources": {"starter": {"kind": "starter", "per_topology": 1}}},
        "tiers": ["easy", "hard"],
        "models": {
            "alpha": model_settings(notes),
            "beta": model_settings(notes),
            "gamma": {
                "engine": "endpoint",
                "model": "judge",
                "base_url": url,
                "api_key_env": KEY_VARIABLE,
                "concurrency": 2,
                "job": {"memory_gb": 1, "minutes": 1, "max_minutes": 10},
            },
        },
        "generators": {"perturb": {"faults": ["none", "drop_call", "swap_calls"]}},
        "judges": {name: {"model": name} for name in ("alpha", "beta", "gamma")},
        "conditions": {
            "with_gt": {"prompt": "judge_with_gt", "reference": "expected"},
            "without_gt": {"prompt": "judge_without_gt"},
            "with_gt_warm": {
                "prompt": "judge_with_gt",
                "reference": "expected",
                "decoding": {"temperature": 0.7},
            },
        },
        # a cell that two blocks list is asked by the first
        "blocks": {
            TARGET: {"conditions": ["with_gt", "with_gt_warm"], "tables": ["alignment", "coverage"]},
            "main": {"conditions": ["with_gt", "without_gt"], "tables": ["alignment"]},
        },
    }
