"""Which published figures belong to which of our tables."""

from __future__ import annotations

from plumbline.tables import argument_published
from plumbline.tables.published import FOLDER
from plumbline.tables.published_corpus import CORPUS
from plumbline.tables.published_main import AGREEMENT, LIFTS, MAIN
from plumbline.tables.published_studies import ABLATIONS, BIASES, PEOPLE, ROBUSTNESS

BESIDE = (*CORPUS, *MAIN, *LIFTS, *AGREEMENT, *ABLATIONS, *ROBUSTNESS, *BIASES, *PEOPLE)
"""All pairs of columns, in the order in which their tables show them."""

ELSEWHERE = {"alignment": ("alignment_beside_paper", "alignment")}
"""Tables too wide for more columns: the table that compares them line by line, and the published file."""

ALONE = {
    "alignment_beside_paper": "alignment",
    "systems": "system_comparison",
    "paper_models": "models",
    "related_work": "related_work",
}
"""Tables that read a published file themselves."""


def files_of(table: str) -> list[str]:
    """Give the published files that a table of ours depends on."""
    names = {entry.file for entry in BESIDE if entry.table == table}
    names |= {ALONE[table]} if table in ALONE else set()
    names |= {"valid_counts"} if names and table not in ("systems", "paper_models", "related_work") else set()
    return [*(str(FOLDER / f"{name}.csv") for name in sorted(names)), *argument_published.files_of(table)]


def all_files() -> list[str]:
    """Give every published file that a claim is read from."""
    return sorted(str(file) for file in FOLDER.glob("*.csv") if file.stem != "deref_claims")


CLAIM_TABLES = (
    "topology_counts",
    "structure_stats",
    "rewrite_yes_rates",
    "rewrite_unanimity",
    "rewrite_without_one",
    "alignment",
    "alignment_intervals",
    "gt_lift",
    "generator_accuracy",
    "per_metric",
    "per_topology",
    "coverage",
    "verdict_status",
    "plan_status",
    "degradation_checks",
    "slopes",
    "winners",
    "decision_guide",
    "agreement_pairs",
    "agreement_summary",
    "outside_agreement",
    "tier_separation",
    "confusion",
    "soft_jury",
    "weight_schemes",
    "parameter_weight",
    "extra_keys",
    "extra_keys_alignment",
    "over_anchoring",
    "binary_scale",
    "mismatch_share",
    "self_bias",
    "temperature",
    "thinking",
    "format",
    "c2",
    "c3",
    "human_agreement",
    "human_alignment",
)
"""Tables that the numbers of the claims come from."""
