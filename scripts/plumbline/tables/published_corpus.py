"""Published figures of the corpus and of the validation of its rewrites, beside our tables."""

from __future__ import annotations

from plumbline.tables.published import Beside, same_names

CORPUS = (
    Beside(
        "topology_counts",
        "records",
        "topology_counts",
        "records",
        keys=same_names("topology"),
        counts="records",
    ),
    Beside("topology_counts", "share_pct", "topology_counts", "share_pct", keys=same_names("topology")),
    *(
        Beside(
            "structure_stats", name, "structure_stats", keys=same_names("quantity"), only={"statistic": name}
        )
        for name in ("min", "max", "mean", "median")
    ),
    Beside(
        "rewrite_yes_rates",
        "yes_pct",
        "rewrite_validation_yes_rates",
        "yes_pct",
        keys={"criterion": "criterion", "model": "meta_judge"},
    ),
    *(
        Beside("rewrite_unanimity", name, "rewrite_validation_unanimity", name, keys=same_names("criterion"))
        for name in ("all_yes", "all_no", "mixed", "unanimity_pct")
    ),
    *(
        Beside(
            "rewrite_without_one",
            ours,
            "rewrite_validation_two_judges",
            theirs,
            keys=same_names("criterion"),
            where={"without": "gpt_5_4"},
        )
        for ours, theirs in (
            ("rest_unanimity_pct", "two_judge_unanimity_pct"),
            ("all_unanimity_pct", "three_judge_unanimity_pct"),
            ("delta_pp", "delta_pp"),
        )
    ),
)
"""The paper's Table 22 leaves GPT-5.4 out (A51)."""
