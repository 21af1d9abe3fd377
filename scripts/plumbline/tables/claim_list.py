"""Every claim of the paper that a number stands for, in the order of its items."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from typing import Any, Literal

from plumbline.records import TIERS
from plumbline.tables import claim_numbers as numbers
from plumbline.tables import claim_studies as studies
from plumbline.tables import conflicts
from plumbline.tables.beside import pairs
from plumbline.tables.claim_text import SINGLE, Number
from plumbline.tables.claims import Claim, Figure, Found, NotRunError, Results, one
from plumbline.tables.experiment import Pool
from plumbline.tables.published import (
    SIX_JUDGES,
    Beside,
    only_row,
    published_rows,
)
from plumbline.tables.published_map import BESIDE
from plumbline.tables.published_studies import ANNOTATED
from plumbline.tables.registry import CORPUS_TABLES, TABLES

SETTINGS = ("bootstrap_resamples", "triplets_per_topology")
"""Numbers of the text that a run sets, and does not measure."""


def all_claims() -> list[Claim]:
    """Give every claim, ordered by item; those of one item in the order of the published files."""
    found = [*_single_numbers(), *_agreement(), *_sensitivity(), *_losses(), *_others(), *_cells()]
    return sorted(found, key=lambda claim: int(re.findall(r"\d+", claim.item)[0]))


def _single_numbers() -> Iterator[Claim]:
    """Give the claims of the text, one for each row of their file."""
    for row in published_rows("agentjudgebench_claims"):
        key = (row["claim_id"], row["quantity"], row["scope"])
        words, number, source = SINGLE[key]
        counts: Literal["plans", "records"] = "records" if row["claim_id"] in ("A1", "A19") else "plans"
        about = _about(row)
        figure = Figure.read(row)
        # other models make other numbers of mistakes
        tolerance = (
            0.05 * (figure.value or 0) if row["claim_id"] == "A48" and figure.unit == "count" else None
        )
        yield Claim(
            row["claim_id"],
            words,
            figure,
            number,
            source,
            tolerance,
            counts=counts,
            setting=row["quantity"] in SETTINGS,
            conflict=conflicts.OF_CLAIMS.get((row["claim_id"], row["quantity"]), ""),
            **about,
        )


def _about(row: dict[str, str]) -> dict[str, Any]:
    """Judges and generators that a claim of the text is about."""
    item, scope = row["claim_id"], row["scope"]
    if item in ("A1", "A49") or row["quantity"] in SETTINGS:
        return {}
    if item == "A44":
        return ANNOTATED
    if item in ("A37", "A38", "A40") or row["quantity"] == "run_to_run_upper_bound":
        judge = "gpt_oss_120b" if "gpt_oss" in scope else "qwen3_32b"
        generator = "llama_3_1_8b" if "gpt_oss" in scope else "llama_3_3_70b"
        return {"judges": (judge,), "generators": (generator,)}
    if item == "A39":
        # the table averages over all generators of its block
        return {"judges": ("qwq_32b",), "pooled": "open_weight", "pools": "all"}
    if item == "A48":
        return {"judges": ("gemini_2_5_pro",), "pooled": "all", "tiers": ("hard",)}
    if item == "A28":
        return {"judges": SIX_JUDGES, "pooled": "open_weight", "pools": "tables.per_metric.generators"}
    judges = (*SIX_JUDGES, "prometheus_2") if item == "A17" else SIX_JUDGES
    sloped = item == "A22" and row["quantity"] != "monotone_pairs"
    about: dict[str, Any] = {"pooled": "all", "pools": "degradation.generators" if sloped else ""}
    about |= {"tiers": ("hard",)} if item == "A36" else {}
    # a winner, or a mean over judges, is another one beside other judges
    together = item == "A36" or row["quantity"] in ("slope_ratio_without_over_with", "qwq_32b_top_cells")
    return about | {"panel" if together else "judges": judges}


def _agreement() -> Iterator[Claim]:
    """Give the claims about pairs of judges."""
    about: dict[str, Any] = {"pooled": "open_weight", "pools": "tables.agreement.generators"}
    highest, lowest = ("qwq_32b", "gpt_oss_120b"), ("claude_sonnet_4_5", "gpt_oss_20b")
    for condition, scope, quantity, judges in (
        ("with_gt", "qwq_32b x gpt_oss_120b (max)", "agreement", highest),
        ("with_gt", "qwq_32b x gpt_oss_120b (max)", "kappa", highest),
        ("with_gt", "claude_sonnet_4_5 x gpt_oss_20b (min)", "agreement", lowest),
        ("with_gt", "claude_sonnet_4_5 x gpt_oss_20b (min)", "kappa", lowest),
        ("without_gt", "claude_sonnet_4_5 x gpt_oss_20b (min)", "agreement", lowest),
        ("with_gt", "off_diagonal_touching_half qwq_32b x gpt_oss_120b", "share", highest),
        ("with_gt", "off_diagonal_touching_half claude_sonnet_4_5 x gpt_oss_20b", "share", lowest),
    ):
        row = only_row("agreement_summary", condition=condition, scope=scope, quantity=quantity)
        measure = "half_share" if quantity == "share" else quantity
        what = "share of disagreements that touch 0.5" if quantity == "share" else quantity
        words = f"{what} of {' and '.join(judges)}, {condition}"
        number = partial(numbers.pair, judges, condition, measure)
        item = "A32" if quantity == "share" else "A30"
        told = conflicts.CONFUSION if condition == "with_gt" else ""
        yield Claim(
            item, words, Figure.read(row), number, "agreement_pairs", judges=judges, conflict=told, **about
        )
    scope = "off_diagonal_touching_half (range over pairs)"
    row = only_row("agreement_summary", condition="with_gt", scope=scope)
    words = "share of disagreements that touch 0.5, every pair, with_gt"
    figure = Figure.read(row)
    source = "agreement_summary"
    yield Claim("A32", words, figure, numbers.half_shares, source, panel=SIX_JUDGES, **about)
    about["judges"] = (*SIX_JUDGES, "prometheus_2")
    for quantity in ("agreement", "kappa"):
        row = only_row("agreement_summary", condition="both", quantity=quantity)
        words = f"{quantity} of Prometheus-2 with each of the six, both conditions"
        number = partial(numbers.against_prometheus, quantity)
        yield Claim("A33", words, Figure.read(row), number, "outside_agreement", **about)


def _sensitivity() -> Iterator[Claim]:
    """Give the claims about other weights and other readings of extra keys."""
    items = {"metric_weights": "A27", "parameter_weight": "A46", "extra_key_bound": "A47"}
    for row in published_rows("sensitivity"):
        study, scheme, quantity, scope = row["study"], row["scheme"], row["quantity"], row["scope"]
        number, source = studies.sensitivity(scheme, quantity, scope)
        ranked = quantity.startswith(("spearman", "ranking"))
        shifted = (scope,) if scope in SIX_JUDGES else SIX_JUDGES
        words = studies.sensitivity_words(scheme, quantity, scope)
        pooled: Pool = "open_weight" if study == "metric_weights" else "all"
        about: dict[str, Any] = {"panel": SIX_JUDGES} if ranked else {}
        about |= {"judges": shifted} if quantity.startswith("abs_shift") else {}
        figure = Figure.read(row)
        tolerance = 0.01 * (figure.value or 0) if figure.unit == "count" else None
        pools = f"tables.{source.removesuffix('_alignment')}.generators"
        yield Claim(
            items[study],
            words,
            figure,
            number,
            source,
            tolerance,
            pooled=pooled,
            pools=pools,
            conflict=conflicts.EXTRA_KEYS if quantity == "records_stated" else "",
            **about,
        )


def _others() -> Iterator[Claim]:
    """Give headline numbers of further tables that are no single cell of ours."""
    by_topology: dict[str, Any] = {"judges": SIX_JUDGES, "pooled": "open_weight"}
    by_topology["pools"] = "tables.per_topology.generators"
    every = Figure(float(len(SIX_JUDGES)), None, None, "count", 0, "draft")
    for column, topologies in (("easiest", ("fan_out",)), ("hardest", ("fan_in", "loop_like"))):
        words = f"judges for whom {' or '.join(topologies)} is the {column} topology, with_gt"
        of_judges = partial(numbers.judges_at, column, topologies)
        yield Claim("A29", words, every, of_judges, "per_topology", **by_topology)
    in_band = Figure(4.0, None, None, "count", 0, "paper")
    band = only_row("agentjudgebench_claims", quantity="hard_band", scope="without_gt")
    words = f"generators of the five whose mean is {band['lo']} to {band['hi']} %, hard, without_gt"
    inside = partial(numbers.generators_in_band, float(band["lo"]), float(band["hi"]))
    sloped: dict[str, Any] = {"panel": SIX_JUDGES, "pooled": "all", "pools": "degradation.generators"}
    yield Claim("A22", words, in_band, inside, "slopes", conflict=conflicts.BAND, **sloped)
    for row in published_rows("topology_counts"):
        if row["topology"] != "all":
            number = partial(numbers.of_topology, row["topology"])
            words = f"records of topology {row['topology']}"
            yield Claim("A42", words, Figure.read(row, "records", "count"), number, counts="records")
    for row in published_rows("decision_guide"):
        rank = "best" if row["rank"] == "1" else "runner_up"
        words = f"{rank.replace('_', '-')} judge is {row['judge']}, {row['condition']}, {row['tier']}"
        number = partial(numbers.leads, rank, row["judge"], row["condition"], row["tier"])
        figure = Figure(1.0, None, None, "bool", 0, row["source"])
        about: dict[str, Any] = {"panel": SIX_JUDGES, "pooled": "open_weight", "tiers": (row["tier"],)}
        yield Claim("A26", words, figure, number, "decision_guide", **about)
    row = only_row("jury", quantity="gap_best_minus_jury_upper_bound")
    words = "best single judge minus the jury, hard without the expected calls"
    about = {"panel": SIX_JUDGES, "seats": "jury", "pooled": "open_weight", "tiers": ("hard",)}
    about["pools"] = "tables.soft_jury.generators"
    # the paper's point is that the jury does not win: the best judge is ahead, by no more than this
    figure = replace(Figure.read(row), low=0.0)
    yield Claim("A35", words, figure, numbers.jury_gap, "soft_jury", **about)
    row = only_row("jury", quantity="soft_jury_of_six (earlier draft)")
    words = "alignment of the jury of six as the draft has it, hard without the expected calls"
    figure = Figure.read(row)
    yield Claim("A35", words, figure, numbers.jury, "soft_jury", conflict=conflicts.JURY, **about)
    yield from _rankings()


def _losses() -> Iterator[Claim]:
    """Give the claims about what was asked and what of it was lost."""
    panel: dict[str, Any] = {"judges": SIX_JUDGES, "pooled": "all"}
    asked: tuple[tuple[str, str, Number, str], ...] = (
        ("tuples_generator_judge_tier_record", "plans times judges", numbers.tuples, "alignment_intervals"),
        (
            "judgments_two_conditions",
            "plans times judges and conditions",
            numbers.judgments,
            "alignment_intervals",
        ),
        ("share_of_inputs", "plans that are malformed, cut off or empty", numbers.unreadable_plans, ""),
        ("share_of_judge_calls", "verdicts that could not be read", numbers.lost_verdicts, "coverage"),
    )
    for quantity, words, number, source in asked:
        row = only_row("attrition", quantity=quantity)
        told = conflicts.LOSSES if quantity == "share_of_inputs" else ""
        told = conflicts.TUPLES if source == "alignment_intervals" else told
        figure = Figure.read(row)
        yield Claim("A20", words, figure, number, source, counts="records", conflict=told, **panel)
    row = only_row("attrition", quantity="retries")
    words = "further attempts after an unreadable verdict"
    yield Claim("A16", words, Figure.read(row), numbers.attempts, setting=True)
    for quantity, words, of_plans in (
        ("shortfall smollm3_3b", "plans lost", partial(numbers.shortfall, "smollm3_3b")),
        ("shortfall qwen3_32b", "plans lost", partial(numbers.shortfall, "qwen3_32b")),
        ("rate smollm3_3b medium", "plans that count", partial(numbers.rate, "smollm3_3b", ("medium",))),
        (
            "rate smollm3_3b easy_and_hard",
            "plans that count",
            partial(numbers.rate, "smollm3_3b", ("easy", "hard")),
        ),
    ):
        row = only_row("attrition", quantity=quantity)
        told = f"{words}: {quantity.partition(' ')[2]}"
        of_one: dict[str, Any] = {"generators": (quantity.split()[1],), "counts": "records"}
        yield Claim(
            "A20", told, Figure.read(row), of_plans, "plan_status", conflict=conflicts.LOSSES, **of_one
        )
    row = only_row("attrition", quantity="recovery_rate_upper_bound")
    words = "unreadable verdicts that a further attempt made readable"
    yield Claim(
        "A16", words, Figure.read(row), numbers.recovered, "verdict_status", counts="records", **panel
    )
    row = only_row("attrition", quantity="tuples")
    words = "plans times judges without a readable verdict"
    figure = Figure.read(row)
    yield Claim("A16", words, figure, numbers.lost_tuples, "coverage", counts="records", **panel)


def _rankings() -> Iterator[Claim]:
    """Give the claims that compare two rankings or a judge with all others."""
    for quantity, column, words in (
        (
            "spearman_rho_standard_vs_binary",
            "spearman",
            "rank correlation on three and on two marks",
        ),
        ("spearman_p_value", "p_value", "p of that rank correlation"),
    ):
        row = only_row("binary_scale", quantity=quantity)
        number = partial(studies.binary_ranking, column)
        about: dict[str, Any] = {"panel": SIX_JUDGES, "pooled": "all"}
        about["pools"] = "tables.binary_scale.generators"
        yield Claim("A52", words, Figure.read(row), number, "binary_scale", **about)
    row = only_row("human_alignment", quantity="spearman_rho_between_rankings")
    words = "rank correlation of alignment with people and with the program"
    about = {"panel": SIX_JUDGES, **ANNOTATED}
    about["conflict"] = conflicts.PEOPLE_RANKS
    yield Claim("A45", words, Figure.read(row), studies.human_ranking, "human_alignment", **about)
    row = only_row("self_bias", generator="each_other_generator")
    words = "bias of gpt_5_4 on plans of each other generator, sequence"
    about = {"judges": ("gpt_5_4",), "pooled": "all"}
    yield Claim("A53", words, Figure.read(row), studies.other_bias, "self_bias", **about)


def _cells() -> Iterator[Claim]:
    """Give a claim for each published row that belongs beside a cell of ours and makes one."""
    for entry in BESIDE:
        if not entry.claim:
            continue
        seen = set()
        for row in published_rows(entry.file, **entry.only):
            key = tuple(row[name] for name in entry.keys.values())
            if row[entry.theirs] == "" or key in seen:
                continue
            seen.add(key)
            figure = Figure.read(row, entry.theirs, entry.unit)
            spec = TABLES.get(entry.table) or CORPUS_TABLES.get(entry.table)
            item = spec.item if spec else "A19"
            number = partial(looked_up, entry, row)
            told = entry.conflict if entry.conflict_at in ("", *row.values()) else ""
            words = entry.claim.format(**row)
            yield Claim(item, words, figure, number, entry.table, counts=entry.counts, conflict=told)


def looked_up(entry: Beside, row: dict[str, str], results: Results) -> Found:
    """Give the cell of ours that a published row belongs to, with its interval."""
    for frame in results.all(entry.table):
        for pair in pairs(entry, frame, results.config, results.experiment):
            if pair.theirs == row:
                line = frame.iloc[pair.row]
                bounds = [line.get(name) for name in entry.interval] or [None, None]
                found = one(line[pair.column], *bounds)
                against = None if pair.one_leader else f"the best judge is {pair.led}, not {pair.leader}"
                return Found(found.least, found.most, found.low, found.high, pair.same, against)
    missing = ", ".join(row[name] for name in entry.keys.values() if row[name] not in TIERS)
    raise NotRunError(f"the table {entry.table} has no cell of {missing}")
