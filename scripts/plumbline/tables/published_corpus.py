"""Published figures of the corpus and of the validation of its rewrites, beside our tables."""

from __future__ import annotations

from plumbline.tables import conflicts
from plumbline.tables.published import Beside, same_names

META_JUDGES = ("claude_sonnet_4_5", "gpt_5_4", "gemini_2_5_pro")
"""The paper's three (A49)."""

CORPUS = (
    Beside(
        "topology_counts",
        "records",
        "topology_counts",
        "records",
        keys=same_names("topology"),
        counts="records",
    ),
    Beside(
        "topology_counts",
        "share_pct",
        "topology_counts",
        "share_pct",
        keys=same_names("topology"),
        counts="records",
        claim="share of topology {topology}",
    ),
    *(
        Beside(
            "structure_stats",
            name,
            "structure_stats",
            keys=same_names("quantity"),
            only={"statistic": name},
            counts="records",
            claim="{quantity}, {statistic}",
            conflict=conflicts.TOOLS,
            conflict_at="available_tools_per_record",
            unit="mean" if name == "mean" else "count",
        )
        for name in ("min", "max", "mean", "median")
    ),
    Beside(
        "rewrite_yes_rates",
        "yes_pct",
        "rewrite_validation_yes_rates",
        "yes_pct",
        keys={"criterion": "criterion", "model": "meta_judge"},
        claim="yes of {meta_judge}: {criterion}",
    ),
    *(
        Beside(
            "rewrite_unanimity",
            name,
            "rewrite_validation_unanimity",
            name,
            keys=same_names("criterion"),
            meta_judges=META_JUDGES,
            claim=f"{words}: {{criterion}}",
            unit="" if name.endswith("_pct") else "count",
            conflict=conflicts.UNANIMITY,
            conflict_at="hard_strictly_harder",
        )
        for name, words in (
            ("all_yes", "triplets that all meta-judges accept"),
            ("all_no", "triplets that all meta-judges refuse"),
            ("mixed", "triplets on which meta-judges differ"),
            ("unanimity_pct", "unanimity of the meta-judges"),
        )
    ),
    *(
        Beside(
            "rewrite_without_one",
            ours,
            "rewrite_validation_two_judges",
            theirs,
            keys=same_names("criterion"),
            where={"without": "gpt_5_4"},
            meta_judges=META_JUDGES,
            claim=f"{words}: {{criterion}}" if words else "",
            conflict=conflicts.WITHOUT_ONE,
        )
        for ours, theirs, words in (
            ("rest_unanimity_pct", "two_judge_unanimity_pct", "unanimity without gpt_5_4"),
            ("all_unanimity_pct", "three_judge_unanimity_pct", ""),
            ("delta_pp", "delta_pp", "what leaving gpt_5_4 out adds to unanimity"),
        )
    ),
)
"""The paper's Table 22 leaves GPT-5.4 out (A51)."""
