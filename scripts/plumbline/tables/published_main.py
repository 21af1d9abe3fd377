"""Published figures of the main experiment and of the agreement of judges, beside our tables."""

from __future__ import annotations

from typing import Literal

from plumbline.tables import conflicts
from plumbline.tables.published import SIX_JUDGES, Beside, same_names

CELL = same_names("generator", "judge", "tier", "condition")

MAIN = (
    Beside("alignment_intervals", "mean", "alignment", "alignment_pct", keys=CELL),
    Beside("alignment_intervals", "lo", "alignment_ci", "ci_lo", keys=CELL),
    Beside("alignment_intervals", "hi", "alignment_ci", "ci_hi", keys=CELL),
    Beside(
        "generator_accuracy",
        "{tier}",
        "generator_accuracy",
        "accuracy_pct",
        keys=same_names("generator", "tier"),
        claim="accuracy of {generator}, {tier}",
    ),
    Beside(
        "per_metric",
        "{metric}",
        "per_metric",
        "match_pct",
        keys=same_names("judge", "condition", "metric"),
        pooled="open_weight",
        pools="tables.per_metric.generators",
    ),
    Beside(
        "per_topology",
        "{topology}",
        "per_topology",
        "alignment_pct",
        keys=same_names("judge", "condition", "topology"),
        pooled="open_weight",
        pools="tables.per_topology.generators",
    ),
    Beside(
        "plan_status",
        "ok",
        "valid_counts",
        "valid_records",
        keys=same_names("generator", "tier"),
        names={"total": "all"},
        counts="records",
    ),
    Beside(
        "plan_status",
        "rate",
        "valid_counts",
        "rate_pct",
        keys=same_names("generator", "tier"),
        names={"total": "all"},
        counts="records",
        claim="plans that could be read: generator {generator}, tier {tier}",
        conflict=conflicts.LOSSES,
        conflict_at="all",
    ),
    *(
        Beside(
            "plan_status",
            "rate",
            "attrition",
            only={"quantity": f"rate smollm3_3b {printed}"},
            where={"generator": "smollm3_3b", "tier": tier},
            generators=("smollm3_3b",),
            tiers=(tier,),
            counts="records",
        )
        for tier, printed in (("easy", "easy_and_hard"), ("medium", "medium"), ("hard", "easy_and_hard"))
    ),
)

LIFT = (
    ("lift", "lift"),
    ("aligned_with", "with_gt_mean"),
    ("aligned_without", "without_gt_mean"),
)
"""Columns of our table of lifts, and what they are called in the published file."""

POOLS: tuple[tuple[Literal["open_weight", "all"], str], ...] = (("open_weight", "12"), ("all", "15"))
"""Generators that a lift is averaged over, and the number of its cells."""

LIFTS = tuple(
    Beside(
        "gt_lift",
        ours,
        "gt_lift",
        keys=same_names("judge"),
        only={"quantity": quantity, "cells": cells},
        where={"generators": pool, "condition_with": "with_gt", "condition_without": "without_gt"},
        pooled=pool,
        pools=pool,
        claim="lift of {judge}" if (ours, pool) == ("lift", "open_weight") else "",
        interval=("lo", "hi") if ours == "lift" else (),
    )
    for pool, cells in POOLS
    for ours, quantity in LIFT
)

PAIR = same_names("judge_a", "judge_b")
MEAN_OF_PAIRS = {"scope": "six_judges_mean_of_15_pairs"}

AGREEMENT = (
    *(
        Beside(
            "agreement_pairs",
            ours,
            "agreement_with_gt",
            theirs,
            keys=PAIR,
            either=(("judge_a", "judge_b"),),
            where={"condition": "with_gt"},
            pooled="open_weight",
            pools="tables.agreement.generators",
        )
        for ours, theirs in (("agreement", "agreement_pct"), ("kappa", "kappa"))
    ),
    *(
        Beside(
            "agreement_summary",
            quantity,
            "agreement_summary",
            keys=same_names("condition"),
            only=MEAN_OF_PAIRS | {"quantity": quantity},
            pooled="open_weight",
            pools="tables.agreement.generators",
            judges=SIX_JUDGES,
            claim="{quantity}, mean over the 15 pairs of judges, {condition}",
            interval=(f"{quantity}_lo", f"{quantity}_hi"),
        )
        for quantity in ("agreement", "kappa")
    ),
    Beside(
        "tier_separation",
        "rho",
        "agreement_summary",
        keys=same_names("condition"),
        only={"scope": "tier_separation_vs_kappa"},
        pooled="open_weight",
        pools="tables.agreement.generators",
        judges=SIX_JUDGES,
        claim="rank correlation of the distance in capability with kappa, {condition}",
        interval=("rho_lo", "rho_hi"),
    ),
    Beside(
        "confusion",
        "b_{verdict_b}",
        "confusion",
        "share_pct",
        keys={
            "condition": "condition",
            "judge_a": "judge_row",
            "judge_b": "judge_col",
            "verdict_a": "verdict_row",
            "verdict_b": "verdict_col",
        },
        names={"half": "0.5", "0.0": "0", "1.0": "1"},
        either=(("judge_row", "judge_col"), ("verdict_row", "verdict_col")),
        pooled="open_weight",
        pools="tables.agreement.generators",
    ),
    *(
        Beside(
            "confusion",
            ours,
            "confusion_summary",
            keys={"condition": "condition", "judge_a": "judge_row", "judge_b": "judge_col"},
            only={"quantity": theirs},
            either=(("judge_row", "judge_col"),),
            pooled="open_weight",
            pools="tables.agreement.generators",
            unit=unit,
            claim=f"{ours} of {{judge_row}} and {{judge_col}} by their marks, {{condition}}",
            conflict=conflicts.CONFUSION,
        )
        for ours, theirs, unit in (("agreement", "agreement_pct", "pct"), ("kappa", "kappa", "kappa"))
    ),
    *(
        Beside(
            "soft_jury",
            ours,
            "jury",
            keys=same_names("condition", "tier"),
            only={"quantity": quantity},
            pooled="open_weight",
            pools="tables.soft_jury.generators",
            judges=SIX_JUDGES,
            seats="jury",
            claim=f"alignment of the {words}, {{condition}}, {{tier}}",
            interval=(f"{ours}_lo", f"{ours}_hi"),
            leader=whose,
            conflict=conflicts.JURY if ours == "jury" else "",
            conflict_at="without_gt",
        )
        for ours, quantity, words, whose in (
            ("jury", "soft_jury_of_six", "jury of six", None),
            ("best", "best_single_judge gpt_5_4", "best single judge", ("best_judge", "gpt_5_4")),
        )
    ),
    Beside(
        "soft_jury",
        "difference",
        "jury",
        keys=same_names("condition", "tier"),
        only={"quantity": "gap_best_minus_jury_upper_bound"},
        pooled="open_weight",
        pools="tables.soft_jury.generators",
        judges=SIX_JUDGES,
        seats="jury",
        leader=("best_judge", "gpt_5_4"),
        sign=-1,
        conflict="Of the difference the paper says only that the best judge is ahead by at most 0.4 pp.",
    ),
)
