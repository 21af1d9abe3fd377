"""A run with the names and numbers of plans of the AgentJudgeBench paper, and verdicts of its alignments."""

from __future__ import annotations

import csv
from pathlib import Path

import numpy as np
import pandas as pd

from plumbline.config.settings import RunConfig
from plumbline.records import METRICS, TIERS
from plumbline.tables.inputs import Inputs
from plumbline.tables.published import GENERATORS, OPEN_WEIGHT, SIX_JUDGES

FOLDER = Path("resources/published")


def lines(name):
    with (FOLDER / f"{name}.csv").open(encoding="utf-8", newline="") as stream:
        return list(csv.DictReader(stream))


VALID = {
    (line["generator"], line["tier"]): int(line["valid_records"])
    for line in lines("valid_counts")
    if "all" not in (line["generator"], line["tier"])
}


def configured(generators=GENERATORS, judges=SIX_JUDGES, engine="endpoint", **settings):
    model = {"engine": engine} | ({"base_url": "http://localhost/v1"} if engine == "endpoint" else {})
    data = {
        "run": "small",
        "corpus": {"sources": {"starter": {"kind": "starter"}}},
        "models_from": None,
        "models": {"m": model},
        "generators": {name: {"model": "m"} for name in generators},
        "judges": {name: {"model": "m"} for name in judges},
        "conditions": {
            "with_gt": {"prompt": "judge_with_gt", "reference": "expected"},
            "without_gt": {"prompt": "judge_without_gt"},
        },
        "blocks": {"main": {"conditions": ["with_gt", "without_gt"]}},
        "bootstrap": {"resamples": 100},
        "open_weight": [name for name in generators if name in OPEN_WEIGHT],
    }
    return RunConfig.model_validate(data | settings)


def planned(generators=GENERATORS, source="agentjudgebench", short=0):
    """Plans in the paper's numbers, all perfect; `short` of each cell are lost besides."""
    topology = [line["topology"] for line in lines("topology_counts") if line["topology"] != "all"]
    count = [int(line["records"]) for line in lines("topology_counts") if line["topology"] != "all"]
    records = pd.DataFrame({"record_id": [f"r{n:04}" for n in range(3808)]})
    records["topology"] = np.repeat(topology, count)
    parts = []
    for generator in generators:
        for tier in TIERS:
            ok = np.arange(3808) < VALID[generator, tier] - short
            part = records.assign(source=source, domain="d", family=None, tier=tier, generator=generator)
            part = part.assign(plan_status=np.where(ok, "ok", "malformed"), fault=None, query_status="given")
            part["calls"] = pd.array(np.where(ok, 3, 0), dtype="Int64")
            # no call has extra keys, so all readings of parameter structure are one
            for reading in ("parameter_structure_lenient", "parameter_structure_schema_aware"):
                part[reading] = np.where(ok, 1.0, np.nan)
            part["extra_key_calls"] = pd.array(np.where(ok, 0, None), dtype="Int64")
            parts.append(
                part.assign(**{f"reference_{metric}": np.where(ok, 1.0, np.nan) for metric in METRICS})
            )
    return pd.concat(parts, ignore_index=True)


def judged(plans, judges=SIX_JUDGES, shift=0.0):
    """Verdicts of one value a cell, so that its alignment is the published one, shifted by some points."""
    wanted = {
        (line["generator"], line["judge"], line["tier"], line["condition"]): float(line["alignment_pct"])
        for line in lines("alignment")
    }
    ok = plans[plans["plan_status"] == "ok"].drop(columns=["calls", "query_status"])
    parts = []
    for (generator, tier), part in ok.groupby(["generator", "tier"], sort=False):
        for judge in judges:
            for condition in ("with_gt", "without_gt"):
                value = (wanted.get((generator, judge, tier, condition), 50.0) + shift) / 100
                cell = part.assign(judge=judge, condition=condition, replicate=0, status="ok")
                cell = cell.assign(attempts=1, reasoned=False)
                parts.append(cell.assign(**{f"verdict_{metric}": value for metric in METRICS}))
    return pd.concat(parts, ignore_index=True)


def run(generators=("llama_3_3_70b",), judges=("qwq_32b",), shift=0.0, config=None, **plans):
    table = planned(generators, **plans)
    return Inputs(config or configured(generators, judges), "main", judged(table, judges, shift), table)
