"""Which columns of our tables of argument judging the DeRef paper has numbers for."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from dataclasses import dataclass, field

from plumbline.tables.published import FOLDER, published_rows

FILE = "deref_claims"
"""File of the paper's numbers, one a row."""

LARGEST = "qwen3_8_27b"
"""The paper's judge where it names none (C-D14)."""

MEAN = "mean of judges"
"""Judge of a row that averages judges."""


@functools.cache
def claims_of(quantity: str) -> list[dict[str, str]]:
    """Give the paper's rows of a quantity."""
    return published_rows(FILE, quantity=quantity)


@dataclass(frozen=True)
class Beside:
    """A column of one of our tables, and the quantity of the paper that belongs beside it.

    Parameters
    ----------
    table, column
        Ours.
    quantity
        Theirs.
    input, against
        Roles of our input, and of the one it is compared with; any if None.
    printed
        What the paper's row calls the input, if not our role; ``*`` for any.
    where
        Rows of ours: a value by column.
    reference
        Role of the reference that our row names; any if None.
    path
        Path of the paper's rows where our table has no column `path`.
    sign
        -1 where the paper prints the opposite.
    absolute
        Whether the paper prints the size of a difference alone.
    judge
        Whose row it is where the paper names no judge: the mean of judges, or whose tokens it counts.
    not_item
        Item whose numbers are of other values than those of our table.
    only
        The one item whose numbers are of the values of our table; all if empty.
    """

    table: str
    column: str
    quantity: str
    input: str | None = None
    against: str | None = None
    printed: str | None = None
    where: Mapping[str, str] = field(default_factory=dict)
    reference: str | None = None
    path: str = ""
    sign: int = 1
    absolute: bool = False
    judge: str | None = None
    not_item: str = ""
    only: str = ""

    def ours(self, value: float) -> float:
        """Turn a value of our table into what the paper prints."""
        return abs(value) if self.absolute else self.sign * value


def _gains(*triples: tuple[str, str, str]) -> tuple[Beside, ...]:
    return tuple(Beside("argument_effects", "gain", quantity, a, b) for a, b, quantity in triples)


def _swaps(**quantities: str) -> tuple[Beside, ...]:
    return tuple(
        Beside("argument_swap", "change", theirs, where={"quantity": ours})
        for ours, theirs in quantities.items()
    )


BESIDE = (
    Beside("derivation_gaps", "gap", "gap"),
    Beside("derivation_gaps", "tau", "tau_80", where={"path": "out_of_view"}, path=""),
    Beside("argument_auroc", "auroc", "argument_auroc", not_item="D42"),
    Beside(
        "argument_auroc", "auroc", "argument_auroc_reference_from_cut_input", "deref_cut", printed="deref"
    ),
    Beside("relocation", "auroc", "argument_auroc", where={"wrong": "all"}),
    Beside("relocation", "auroc", "argument_auroc_vs_H_only", where={"wrong": "H"}),
    *_gains(
        ("deref", "plain", "auroc_gain_over_plain"),
        ("deref", "reviseval", "auroc_deref_minus_reviseval"),
        ("deref_full", "full_history", "auroc_deref_full_minus_full_history"),
        ("deref_full", "deref", "auroc_deref_full_minus_deref"),
        ("self_generated_reference", "plain", "auroc_gain_over_plain_max"),
    ),
    Beside("argument_effects", "gain", "auroc_drop_reference_from_cut_input", "deref_cut", "deref", "deref"),
    Beside(
        "argument_effects", "gain", "auroc_deref_minus_full_history_mean", "deref", "full_history", judge=MEAN
    ),
    Beside("argument_effects", "gain", "auroc_deref_v_minus_deref_mean", "deref_v", "deref", judge=MEAN),
    Beside("path_changes", "gap_change", "gap_reduction", "full_history", "plain", sign=-1),
    Beside("path_changes", "auroc_change", "auroc_change_vs_plain", "full_history", "plain"),
    Beside(
        "path_changes", "auroc_change", "auroc_deref_full_minus_full_history", "deref_full", "full_history"
    ),
    Beside("argument_deletion", "gain", "auroc_gain_after_worst_case_deletion", "deref", "plain"),
    Beside("call_auroc", "gain", "call_auroc_gain_over_plain", "deref", "plain"),
    Beside("call_minimum", "gain", "call_auroc_minimum_minus_whole_call", "plain"),
    Beside("near_candidates", "difference", "mean_score_H_minus_C", "plain"),
    Beside(
        "reveal_placebo",
        "rise",
        "mean_score_rise_reveal_minus_placebo_correct",
        printed="reveal",
        where={"label": "correct", "held_by": "all"},
        path="history_only",
    ),
    Beside(
        "reveal_placebo",
        "rise",
        "abs_mean_score_change_reveal_minus_placebo_wrong",
        "plain",
        printed="reveal",
        where={"label": "wrong", "held_by": "all"},
        absolute=True,
    ),
    Beside("snippet_lift", "rise", "mean_score_rise_wrong", "snippets", path="history_only"),
    Beside("snippet_lift", "accepted", "accepted_wrong_at_half", "snippets", path="history_only"),
    Beside(
        "default_acceptance",
        "accepted",
        "acceptance_at_tau",
        "deref",
        where={"subset": "reference agrees"},
        path="default",
    ),
    Beside(
        "argument_acceptance", "at_half", "accepted_wrong_at_half", where={"label": "wrong"}, not_item="D42"
    ),
    # Table 8 does not say whose it is: C-D14
    *(
        Beside("value_only", "loss", f"auroc_loss_value_only_{theirs}", where={"slots": ours}, judge=LARGEST)
        for ours, theirs in (("with a value", "slots_with_value"), ("without", "slots_without_value"))
    ),
    *_swaps(
        correct_accepted="acceptance_change_correct_at_half",
        wrong_accepted="acceptance_change_wrong_at_half",
        correct_kept="acceptance_change_correct_accepted_under_plain",
        wrong_kept="acceptance_change_wrong_rejected_under_plain",
    ),
    Beside(
        "argument_swap",
        "before",
        "accepted_wrong_at_half",
        printed="plain",
        where={"quantity": "wrong_plain"},
        only="D42",
    ),
    Beside("argument_swap", "after", "argument_auroc", "swapped", where={"quantity": "auroc"}),
    Beside(
        "argument_swap", "before", "argument_auroc", printed="deref", where={"quantity": "auroc"}, only="D42"
    ),
    Beside(
        "thinking_with_reference",
        "auroc",
        "argument_auroc_reference_thinking_off",
        printed="deref_full",
        where={"context": "full", "thinking": "off"},
        reference="deref",
    ),
    Beside(
        "against_thinking",
        "difference",
        "auroc_deref_minus_direct_thinking",
        "deref",
        "direct_thinking_plain",
        printed="direct_thinking_plain",
    ),
    Beside(
        "against_thinking",
        "difference",
        "auroc_deref_full_minus_direct_thinking",
        "deref_full",
        "direct_thinking_full",
        printed="direct_thinking_full",
    ),
    Beside(
        "against_thinking",
        "difference",
        "auroc_deref_minus_direct_thinking_plain_of_27b",
        "deref",
        "direct_thinking_plain",
    ),
    Beside(
        "against_thinking",
        "difference",
        "auroc_deref_minus_direct_thinking_full_of_27b",
        "deref",
        "direct_thinking_full",
    ),
    Beside(
        "against_thinking",
        "difference",
        "abs_auroc_deref_minus_direct_thinking_plain_of_27b",
        "deref",
        "direct_thinking_plain",
        absolute=True,
    ),
    Beside("argument_cost", "longest", "longest_input", "deref", judge="clm_8b"),
    Beside("argument_cost", "mean", "mean_input", "full_history", judge="qwen3_8b"),
    Beside("path_rates", "rate", "base_rate_correct"),
    Beside("path_rates", "correct", "correct_values"),
    Beside("path_rates", "cut_off", "share_source_return_shown_but_cut_before_value"),
)
"""Columns of our tables that the paper has numbers for."""


def files_of(table: str) -> list[str]:
    """Give the published files that a table is put beside."""
    if table == "argument_models":
        return [str(FOLDER / "models.csv")]
    return [str(FOLDER / f"{FILE}.csv")] if any(entry.table == table for entry in BESIDE) else []


CLAIM_TABLES = tuple(
    dict.fromkeys(
        ["path_rates", "gap_rates", "lowest_argument", "named_values", "argument_noise", "argument_shortened"]
        + [entry.table for entry in BESIDE]
    )
)
"""Tables that the numbers of the paper's claims come from."""
