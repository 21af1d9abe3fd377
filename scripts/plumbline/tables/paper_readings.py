"""Settings under which our tables count as the AgentJudgeBench paper does, by table."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from plumbline.config.robustness import Weights
from plumbline.config.settings import RunConfig

STUDY = ["llama_3_3_70b", "llama_3_1_8b"]
"""Generators whose plans the paper's annotators saw: the second where the first lacks a plan (C-A19)."""

SCHEMES = Weights().schemes
"""Weightings of the metrics that the paper lists, which are the default."""

SCORED: dict[str, object] = {
    "scoring.repeated_expected": "last",
    "scoring.coverage_extras": "ignore",
    "scoring.extra_keys": "penalise",
}
ALIGNED: dict[str, object] = {**SCORED, "alignment.weighting": "records"}
MARKED: dict[str, object] = {"agreement.thresholds": [0.1, 0.9]}
ANNOTATED: dict[str, object] = {"human.generators": STUDY, "human.tier": "hard"}

READINGS: dict[str, dict[str, object]] = {
    **dict.fromkeys(("alignment", "alignment_intervals", "alignment_beside_paper"), ALIGNED),
    **dict.fromkeys(("gt_lift", "degradation_checks", "slopes", "winners", "decision_guide"), ALIGNED),
    **dict.fromkeys(("temperature", "thinking", "format", "c2", "c3", "generator_accuracy"), ALIGNED),
    **dict.fromkeys(("agreement_pairs", "agreement_summary", "outside_agreement"), MARKED),
    **dict.fromkeys(("tier_separation", "confusion"), MARKED),
    "per_metric": {**ALIGNED, "tables.per_metric.average": "records"},
    "per_topology": {**SCORED, "tables.per_topology.average": "records"},
    "soft_jury": {**ALIGNED, "tables.soft_jury.average": "records", "jury.require_all": True},
    "weight_schemes": {**ALIGNED, "tables.weight_schemes.average": "records", "weights.schemes": SCHEMES},
    "parameter_weight": {**ALIGNED, "tables.parameter_weight.average": "records"},
    "extra_keys": SCORED,
    "extra_keys_alignment": {**ALIGNED, "tables.extra_keys.average": "records"},
    "over_anchoring": {**SCORED, "over_anchor.rule": "draft"},
    "binary_scale": {
        **ALIGNED,
        "tables.binary_scale.average": "cells",
        "binary.reference": "collapsed",
    },
    "mismatch_share": {**SCORED, "mismatch.unit": "count"},
    "self_bias": ALIGNED,
    "human_agreement": {**SCORED, **ANNOTATED},
    "human_alignment": {**ALIGNED, **ANNOTATED, "human.flip_at_half": "zero"},
}
"""What must hold of a run's settings for a table's numbers to be counted as the paper's, as dotted paths.

Only settings that the paper, or its own figures, decide; where it leaves a reading open none is wrong.
"""


def setting(config: RunConfig, path: str) -> Any:
    """Look up a setting by its dotted path.

    `human.generators` that names none is all generators of the run; of `weights.schemes` only those that are
    named as the paper's matter.
    """
    value: Any = config
    for part in path.split("."):
        value = getattr(value, part)
    if path == "human.generators":
        return value or list(config.generators)
    if path == "weights.schemes":
        return {name: value.get(name, weights) for name, weights in SCHEMES.items()}
    return value


def other_readings(config: RunConfig, table: str) -> Mapping[str, object]:
    """Give the settings of a table that are not the paper's, as they are in the run."""
    wanted = READINGS.get(table, {})
    found = {path: setting(config, path) for path in wanted}
    return {path: value for path, value in found.items() if value != wanted[path]}
