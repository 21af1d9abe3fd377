"""How a run gets its own number for the claims of the paper's robustness and human studies."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import pandas as pd

from plumbline.records import METRICS
from plumbline.tables.claims import Found, NotRunError, Results, one, several
from plumbline.tables.published import SIX_JUDGES
from plumbline.tables.published_studies import EXTRA_KEYS

Number = Callable[[Results], Found]

WEIGHTS = {"parameter_x0.5": "1/2", "parameter_x0": "0"}
"""Weights of parameter structure as the published file and as our table call them."""


def scheme_correlation(scheme: str, results: Results) -> Found:
    """Rank correlation of the judges under a weighting of the metrics with that under equal weights."""
    return one(results.value("weight_schemes", "spearman", condition="with_gt", scheme=scheme))


def same_ranking(weight: str, results: Results) -> Found:
    """Whether a weight of parameter structure leaves the ranking as it is: 1 or 0."""
    row = results.rows("parameter_weight", condition="with_gt", weight=weight).iloc[0]
    if pd.isna(row["same_ranking"]):
        raise NotRunError("no ok verdict")
    return one(float(str(row["same_ranking"]) == "True"))


def weight_shift(weight: str, judge: str, results: Results) -> Found:
    """How far a judge's alignment moves under a weight of parameter structure."""
    column = f"alignment.{judge}"
    plain = results.value("parameter_weight", column, condition="with_gt", weight="1")
    return one(abs(results.value("parameter_weight", column, condition="with_gt", weight=weight) - plain))


def extra_keys(column: str, results: Results) -> Found:
    """Give a number about calls whose only fault is extra keys, all generators together."""
    return one(results.value("extra_keys", column, generator="total"))


def extra_key_shift(results: Results) -> Found:
    """Range over judges of what full credit for extra keys changes in their alignment."""
    table = results.rows("extra_keys_alignment", condition="with_gt")
    return several(table[table["judge"].isin(SIX_JUDGES)]["lenient_change"].abs())


def extra_key_rank(judge: str, results: Results) -> Found:
    """Rank of a judge with full credit for extra keys."""
    return one(results.value("extra_keys_alignment", "lenient_rank", condition="with_gt", judge=judge))


def sensitivity(scheme: str, quantity: str, scope: str) -> tuple[Number, str]:
    """Give the number, and its table, that belongs to a row of the published sensitivity studies."""
    name, _, judge = quantity.partition(" ")
    if name == "spearman_rho_vs_equal":
        return partial(scheme_correlation, scheme), "weight_schemes"
    if name == "ranking_equals_equal_weight_ranking":
        return partial(same_ranking, WEIGHTS[scheme]), "parameter_weight"
    if name == "abs_shift_vs_equal":
        return partial(weight_shift, WEIGHTS[scheme], scope), "parameter_weight"
    if name == "abs_shift_with_gt_alignment":
        return extra_key_shift, "extra_keys_alignment"
    if name == "ranking_position":
        return partial(extra_key_rank, judge), "extra_keys_alignment"
    return partial(extra_keys, EXTRA_KEYS[name]), "extra_keys"


WORDS = {
    "spearman_rho_vs_equal": "rank correlation of the judges with that of equal weights, {scheme}",
    "ranking_equals_equal_weight_ranking": "the ranking of the judges is that of equal weights, {scheme}",
    "abs_shift_vs_equal": "shift of the alignment of {scope}, {scheme}",
    "mean_parameter_structure_before": "mean parameter structure",
    "mean_parameter_structure_after": "mean parameter structure with full credit for extra keys",
    "mean_parameter_structure_delta": "gain of parameter structure with full credit for extra keys",
    "extra_key_only_share_of_calls": "calls whose only fault is extra keys",
    "generated_calls": "calls of all plans",
    "records_stated": "plans, as the study of extra keys has it",
    "abs_shift_with_gt_alignment": "shift of alignment with full credit for extra keys, each judge",
    "ranking_position": "rank of {judge} with full credit for extra keys",
}


def sensitivity_words(scheme: str, quantity: str, scope: str) -> str:
    """Say what a row of the published sensitivity studies claims."""
    name, _, judge = quantity.partition(" ")
    return WORDS[name].format(scheme=scheme, scope=scope, judge=judge)


def over_anchored(judge: str, results: Results) -> Found:
    """Scores of a judge that the expected calls make too lenient, hard queries."""
    return one(results.value("over_anchoring", "instances", judge=judge))


def binary_ranking(column: str, results: Results) -> Found:
    """Rank correlation of the judges on three and on two marks, or its p-value."""
    return one(results.value("binary_scale", column, condition="with_gt", judge="all judges"))


def other_bias(results: Results) -> Found:
    """Largest bias of GPT-5.4 on another generator's plans, sequence."""
    table = results.rows("self_bias", condition="with_gt", judge="gpt_5_4", metric="sequence", role="other")
    return several(table["bias"].nlargest(1))


def human_ranking(results: Results) -> Found:
    """Rank correlation of the judges' alignment with people and with the program."""
    return one(results.value("human_alignment", "spearman", condition="with_gt", judge="mean of judges"))


def annotated_records(results: Results) -> Found:
    """Count the annotated records, four scores each."""
    return one(results.value("human_agreement", "total", scope="overall") / len(METRICS))


def records_per_topology(results: Results) -> Found:
    """Count the annotated records of each topology that has any."""
    table = results.rows("human_agreement", scope="topology")
    return several(table[table["total"] > 0]["total"] / len(METRICS))


def annotated_scores(results: Results) -> Found:
    """Count the annotated scores."""
    return one(results.value("human_agreement", "total", scope="overall"))
