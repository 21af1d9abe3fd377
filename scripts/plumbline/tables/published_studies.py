"""Published figures of the ablations, the robustness studies and the study with people, beside our tables."""

from __future__ import annotations

from typing import Any

from plumbline.tables import conflicts
from plumbline.tables.paper_readings import STUDY
from plumbline.tables.published import SIX_JUDGES, Beside, same_names

ABLATIONS = (
    Beside(
        "temperature",
        "alignment",
        "temperature",
        "alignment_pct",
        keys=same_names("judge", "generator", "temperature", "tier", "condition"),
    ),
    Beside(
        "temperature",
        "alignment",
        "temperature_spread",
        "spread_pp",
        keys=same_names("judge", "generator", "tier", "condition"),
        only={"bound": "exact"},
        where={"temperature": "max - min"},
        claim="spread over temperatures of {judge} on {generator}, {tier}, {condition}",
        conflict=conflicts.TEMPERATURE,
    ),
    Beside(
        "thinking",
        "{quantity}",
        "cot",
        keys=same_names("judge", "generator", "tier", "condition", "quantity"),
        where={"arm": "thinking off"},
    ),
    Beside(
        "format",
        "{quantity}",
        "format",
        keys=same_names("judge", "generator", "tier", "condition", "quantity"),
    ),
    Beside(
        "format",
        "structured_minus_free",
        "format",
        keys=same_names("judge", "generator", "tier", "condition"),
        only={"quantity": "structured_minus_free"},
        claim="structured minus free-form prompt, {judge} on {generator}, {tier}, {condition}",
        interval=("lo", "hi"),
    ),
    Beside("c2", "{quantity}", "c2", keys=same_names("generator", "tier", "quantity"), judges=SIX_JUDGES),
    Beside(
        "c2",
        "half_minus_one",
        "c2",
        keys=same_names("generator", "tier"),
        only={"quantity": "half_minus_one"},
        judges=SIX_JUDGES,
        claim="default of 0.5 minus default of 1.0, {generator}, {tier}",
        interval=("lo", "hi"),
    ),
    Beside(
        "c3",
        "{quantity}",
        "c3",
        keys=same_names("generator", "judge", "tier", "quantity"),
        conflict=conflicts.CORRUPTED,
    ),
    *(
        Beside(
            "c3",
            quantity,
            "c3",
            keys=same_names("generator", "judge", "tier"),
            only={"quantity": quantity},
            claim=f"corrupted reference minus {other}, {{judge}}, {{tier}}",
            interval=(f"{quantity}_lo", f"{quantity}_hi"),
        )
        for quantity, other in (
            ("corrupted_minus_with", "the true one"),
            ("corrupted_minus_without", "none"),
        )
    ),
)

ROBUSTNESS = (
    Beside(
        "slopes",
        "{tier}",
        "degradation",
        "mean_alignment_pct",
        keys=same_names("condition", "tier"),
        where={"view": "all"},
        pooled="all",
        pools="degradation.generators",
        judges=SIX_JUDGES,
        claim="mean alignment over judges and generators, {condition}, {tier}",
        conflict=conflicts.CURVES,
    ),
    Beside(
        "slopes",
        "ratio",
        "agentjudgebench_claims",
        only={"quantity": "slope_ratio_without_over_with"},
        where={"view": "all", "condition": "without_gt"},
        pooled="all",
        pools="degradation.generators",
        judges=SIX_JUDGES,
    ),
    *(
        Beside(
            "decision_guide",
            ours,
            "decision_guide",
            "alignment_pct",
            keys=same_names("condition", "tier"),
            only={"rank": rank},
            where={"generators": "open_weight"},
            pooled="open_weight",
            pools="open_weight",
            judges=SIX_JUDGES,
            leader=(whose, "judge"),
            conflict=conflicts.LEADERS,
        )
        for ours, whose, rank in (
            ("best_alignment", "best", "1"),
            ("runner_up_alignment", "runner_up", "2"),
        )
    ),
)

BINARY = {
    "standard": "standard",
    "binary": "binary",
    "difference": "binary_minus_standard",
    "half_rate": "half_verdict_rate",
}
"""Columns of our table of the two-mark scale, and what they are called in the published file."""

EXTRA_KEYS = {
    "mean_parameter_structure_before": "strict",
    "mean_parameter_structure_after": "lenient",
    "mean_parameter_structure_delta": "lenient_change",
    "extra_key_only_share_of_calls": "share",
    "generated_calls": "calls",
    "records_stated": "plans",
}
"""Columns of our table of extra keys, by what the published file calls them."""

BIASES = (
    *(
        Beside(
            "binary_scale",
            ours,
            "binary_scale",
            keys=same_names("judge"),
            only={"quantity": theirs},
            where={"condition": "with_gt"},
            pooled="all",
            pools="tables.binary_scale.generators",
            claim="gain of {judge} on a scale of two marks" if ours == "difference" else "",
            conflict=conflicts.STANDARD_SCALE if ours in ("standard", "difference") else "",
            conflict_at="qwq_32b",
        )
        for ours, theirs in BINARY.items()
    ),
    *(
        Beside(
            "binary_scale",
            ours,
            "binary_scale",
            keys=same_names("judge"),
            only={"quantity": theirs},
            where={"condition": "with_gt"},
            names={"all judges": "six_judges"},
            pooled="all",
            pools="tables.binary_scale.generators",
            judges=SIX_JUDGES,
        )
        for ours, theirs in (("spearman", "spearman_rho_standard_vs_binary"), ("p_value", "spearman_p_value"))
    ),
    *(
        Beside(
            "extra_keys",
            ours,
            "sensitivity",
            only={"quantity": theirs},
            where={"generator": "total"},
            pooled="all",
            pools="tables.extra_keys.generators",
            conflict=conflicts.EXTRA_KEYS if ours == "plans" else "",
        )
        for theirs, ours in EXTRA_KEYS.items()
    ),
    Beside(
        "over_anchoring",
        "instances",
        "agentjudgebench_claims",
        only={"quantity": "over_anchoring_instances"},
        where={"judge": "gemini_2_5_pro"},
        pooled="all",
        tiers=("hard",),
    ),
    Beside(
        "mismatch_share",
        "{metric}",
        "mismatch_share",
        "share_pct",
        keys=same_names("judge", "metric"),
        where={"condition": "with_gt"},
        pooled="open_weight",
        pools="tables.mismatch_share.generators",
        claim="share of {metric} in the verdicts of {judge} that differ from the program",
    ),
    Beside(
        "self_bias",
        "bias",
        "self_bias",
        keys=same_names("judge", "generator", "metric"),
        where={"condition": "with_gt"},
        claim="bias of {judge} on plans of {generator}, {metric}",
        interval=("lo", "hi"),
    ),
)

ANNOTATED: dict[str, Any] = {"generators": tuple(STUDY), "tiers": ("hard",)}
"""Whose plans the paper's annotators saw."""

PEOPLE = (
    *(
        Beside(
            "human_agreement",
            column,
            "human_agreement",
            column,
            keys=same_names("scope", "name"),
            size=("total", "total"),
            conflict=conflicts.DISAGREEMENTS,
            conflict_at="tool_selection",
            claim="people agree with the program: {scope} {name}" if column == "agreement_pct" else "",
            **ANNOTATED,
        )
        for column in ("agree", "disagree", "agreement_pct")
    ),
    Beside(
        "human_alignment",
        "{quantity}",
        "human_alignment",
        keys=same_names("judge", "quantity"),
        where={"condition": "with_gt"},
        names={"mean of judges": "mean_of_six"},
        judges=SIX_JUDGES,
        judges_of="mean_of_six",
        size=("n", "120", "720"),
        **ANNOTATED,
    ),
    Beside(
        "human_alignment",
        "human_minus_programmatic",
        "human_alignment",
        keys=same_names("judge"),
        only={"quantity": "human_minus_programmatic"},
        where={"condition": "with_gt"},
        names={"mean of judges": "mean_of_six"},
        judges=SIX_JUDGES,
        judges_of="mean_of_six",
        size=("n", "120", "720"),
        claim="alignment with people minus alignment with the program, {judge}",
        interval=("lo", "hi"),
        **ANNOTATED,
    ),
    Beside(
        "human_alignment",
        "spearman",
        "human_alignment",
        keys=same_names("judge"),
        only={"quantity": "spearman_rho_between_rankings"},
        where={"condition": "with_gt"},
        names={"mean of judges": "six_judges"},
        judges=SIX_JUDGES,
        size=("n", "720"),
        conflict=conflicts.PEOPLE_RANKS,
        **ANNOTATED,
    ),
)
