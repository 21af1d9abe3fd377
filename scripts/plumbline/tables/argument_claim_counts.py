"""Numbers of the DeRef paper that count rows of our tables: "n of m pairs", and sizes of controlled tests."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import pandas as pd

from plumbline.config.arguments import Arguments
from plumbline.tables.argument_beside import role_of_arm
from plumbline.tables.argument_published import MEAN
from plumbline.tables.argument_roles import paper_dataset, reference_role
from plumbline.tables.claims import NotRunError
from plumbline.tables.published import published_rows

Row = Mapping[Any, Any]
Claimed = Mapping[str, str]

ESTIMATES = ("gain", "gap", "excess", "rise", "share", "accepted")
"""Columns that claims count; a row without a value counts for nothing."""

APART = (
    *("judge", "dataset", "input", "against", "path", "label", "quantity", "slots", "subset", "wrong"),
    *("held_by", "context", "reference", "thinking", "thinking_judge", "rate"),
)
"""Columns that tell the rows of our tables apart, where they have them."""

CLAIMED = "*"
NO_ROW = "no such judge, data set or input in the run"
SETS = ("fcrb", "cfb", "fintrace")
EXCLUDED = ("llama_3_1_8b", "mistral_7b_v0_3")
"""Judges that are none of the five of Table 7 (C-D34)."""


@dataclass(frozen=True)
class Count:
    """How a claim is counted.

    Parameters
    ----------
    table
        Whose rows are counted.
    number
        Gives the number, or the ends of a range, from the rows that the claim is about.
    input, against
        Role, or roles, of the input (`CLAIMED`: those that the claim names), and the role of the one it is
        compared with; any if None.
    where
        Rows of ours: a value by column, as texts.
    mean
        Whether it is about the mean of judges.
    each
        Rows that each judge of the claim must have in each of its data sets: "10 of 12" says nothing of a run
        with two pairs.
    """

    table: str
    number: Callable[[list[Row]], float | tuple[float, float]]
    input: str | tuple[str, ...] | None = None
    against: str | None = None
    where: Mapping[str, str] = field(default_factory=dict)
    mean: bool = False
    each: int = 0

    def rows(self, found: list[Row], theirs: Claimed, arguments: Arguments) -> list[Row]:
        """Keep the rows that a claim is about, each once, with what the run's settings say of them."""
        kept: dict[tuple[str, ...], Row] = {}
        for row in found:
            if self._fits(row, theirs, arguments):
                named = {
                    **row,
                    "role": role_of_arm(arguments, row.get("input")),
                    "is_hc": arguments.datasets[str(row["dataset"])].kind == "hc",
                }
                kept.setdefault(apart(row), named)
        if self.each:
            self._complete(list(kept.values()), theirs, arguments)
        if not kept:
            raise NotRunError(NO_ROW)
        return list(kept.values())

    def _fits(self, row: Row, theirs: Claimed, arguments: Arguments) -> bool:
        roles = [role_of_arm(arguments, row.get(name)) for name in ("input", "against")]
        inputs = (self.input,) if isinstance(self.input, str) else self.input
        if self.input == CLAIMED:
            inputs = tuple(theirs["input"].split())
        judge = str(row.get("judge", ""))
        return (
            paper_dataset(arguments, str(row["dataset"])) in data_sets(theirs)
            and (inputs is None or roles[0] in inputs)
            and self.against in (None, roles[1])
            and all(str(row.get(name)) == value for name, value in self.where.items())
            and (judge == MEAN if self.mean else not judge or judge in judges_of(theirs))
        )

    def _complete(self, rows: list[Row], theirs: Claimed, arguments: Arguments) -> None:
        wanted = {(judge, name) for judge in judges_of(theirs) for name in data_sets(theirs)}
        if self.mean:
            wanted = {(MEAN, name) for name in data_sets(theirs)}
        # a mean without one of its judges, say, is a row without a value
        known = [row for row in rows if not any(pd.isna(row[name]) for name in ESTIMATES if name in row)]
        there = Counter((str(row["judge"]), paper_dataset(arguments, str(row["dataset"]))) for row in known)
        full = sum(there[pair] >= self.each for pair in wanted)
        if there and full < len(wanted):
            raise NotRunError(f"the run has {full} of {len(wanted)} pairs of judge and data set")


def apart(row: Row) -> tuple[str, ...]:
    """Give what a row is about: blocks may share cells, and each counts once."""
    return tuple(str(row.get(name)) for name in APART)


def data_sets(theirs: Claimed) -> tuple[str, ...]:
    """Give the data sets of a claim; all three of the paper if it names none."""
    return tuple(theirs["dataset"].split()) or SETS


def judges_of(theirs: Claimed) -> tuple[str, ...]:
    """Give the judges of a claim; all of the paper if it names none."""
    every = [row["slug"] for row in published_rows("models", role="argument_judge")]
    named = theirs["judge"].split()
    if named == ["five_judges"]:
        return tuple(name for name in every if name not in EXCLUDED)
    return tuple(every if not named or named[0] in ("all", "all_seven") else named)


def _is_significant(row: Row, column: str) -> bool:
    return str(row[f"{column}_significant"]) == "True"


def significant(column: str, sign: int = 0) -> Callable[[list[Row]], float]:
    """Count the rows whose difference is significant and, if a sign is given, has it."""

    def number(rows: list[Row]) -> float:
        hits = [row for row in rows if _is_significant(row, column)]
        return float(sum(sign == 0 or sign * row[column] > 0 for row in hits))

    return number


def above(column: str) -> Callable[[list[Row]], float]:
    """Count the rows with a difference above 0."""
    return lambda rows: float(sum(row[column] > 0 for row in rows))


def most(column: str) -> Callable[[list[Row]], float]:
    """Give the largest number of a column: what no lost answer makes smaller."""
    return lambda rows: float(_known(max(row[column] for row in rows)))


def farthest(column: str) -> Callable[[list[Row]], float]:
    """Give the largest difference of a column, whatever its sign."""
    return lambda rows: float(
        _known(max((abs(row[column]) for row in rows if not pd.isna(row[column])), default=None))
    )


def _known(value: float | None) -> float:
    if value is None or pd.isna(value):
        raise NotRunError("no value could be computed")
    return value


def _main_gaps(rows: list[Row]) -> float:
    """Count significant gaps out of view and on the main path, the columns of Table 1."""
    return significant("gap")(
        [row for row in rows if row["path"] == "out_of_view" or str(row["main"]) == "True"]
    )


def _by_cell(rows: list[Row]) -> list[list[Row]]:
    cells: dict[tuple[str, ...], list[Row]] = {}
    for row in rows:
        cells.setdefault(tuple(str(row[name]) for name in ("judge", "dataset", "path")), []).append(row)
    return list(cells.values())


def _always_significant(rows: list[Row]) -> float:
    """Count the cells whose gap is above 0 and significant at every rate."""
    return float(sum(significant("gap", 1)(cell) == len(cell) for cell in _by_cell(rows)))


def _no_longer_significant(rows: list[Row]) -> float:
    """Count the checks at another rate without significance, where the gap at 80 % has it."""
    lost = 0
    for cell in _by_cell(rows):
        usual = [row for row in cell if round(float(row["rate"])) == 80]
        if usual and _is_significant(usual[0], "gap"):
            lost += sum(not _is_significant(row, "gap") for row in cell)
    return float(lost)


def _cut_off(rows: list[Row]) -> float:
    """Count the right values whose source is shown, but cut before them."""
    return float(round(_known(rows[0]["cut_off"]) * rows[0]["correct"] / 100))


def _right_and_wrong(rows: list[Row]) -> float:
    return float(rows[0]["correct"] + rows[0]["wrong"])


def _worse_against_rivals(rows: list[Row]) -> float:
    """Count significant losses: on FinTrace-HC the paper compares with H alone (D28)."""
    wanted = {True: "H", False: "all"}
    return significant("gain", -1)([row for row in rows if row["wrong"] == wanted[bool(row["is_hc"])]])


def _swap_changes(rows: list[Row]) -> float:
    chosen = [row for row in rows if row["quantity"] in ("correct_accepted", "wrong_accepted", "auroc")]
    return significant("change")(chosen)


def total(column: str) -> Callable[[list[Row]], float]:
    """Add up a column."""
    return lambda rows: float(sum(_known(row[column]) for row in rows))


def _same_side(rows: list[Row]) -> float:
    return float(sum(round(_known(row["same_side"]) * row["items"] / 100) for row in rows))


def between(column: str, other: str, size: bool = False) -> Callable[[list[Row]], tuple[float, float]]:
    """Give the range over judges of a column's change from the input with the role `other`."""

    def number(rows: list[Row]) -> tuple[float, float]:
        cells: dict[tuple[str, str], dict[bool, float]] = {}
        for row in rows:
            cell = cells.setdefault((str(row["judge"]), str(row["dataset"])), {})
            cell[row["role"] == other] = row[column]
        changes = [cell[False] - cell[True] for cell in cells.values() if len(cell) == 2]
        known = [abs(change) if size else change for change in changes if not pd.isna(change)]
        if not known:
            raise NotRunError("no value could be computed")
        return min(known), max(known)

    return number


_SHOWN = {"label": "correct", "held_by": "all"}
_OUT = {"path": "out_of_view"}
_HIDDEN = {"path": "history_only"}
_DEFAULTS = "default_acceptance"

COUNTS: dict[str, Count] = {
    "correct_arguments": Count("path_rates", most("correct"), where={"path": "all"}),
    "wrong_arguments": Count("path_rates", most("wrong"), where={"path": "all"}),
    "correct_values_source_return_shown_but_cut_before_value": Count("path_rates", _cut_off, where=_HIDDEN),
    "significant_out_of_view_gaps": Count(
        "derivation_gaps", significant("gap", 1), "plain", where=_OUT, each=1
    ),
    "significant_gaps_of_12": Count("derivation_gaps", _main_gaps, "plain", each=1),
    "cells_significant_at_70_80_90": Count("gap_rates", _always_significant, "plain", each=1),
    "cells_losing_significance_at_70_or_90": Count("gap_rates", _no_longer_significant, "plain", each=1),
    "remaining_gap_significant": Count(
        "derivation_gaps", significant("gap"), "full_history", where=_HIDDEN, each=1
    ),
    "significantly_worse_with_deref": Count("relocation", _worse_against_rivals, "deref", "plain", each=1),
    "values": Count("reveal_placebo", most("n"), where=_SHOWN),
    "source_step_kind_return": Count("reveal_placebo", most("n"), where=_SHOWN | {"held_by": "return"}),
    "source_step_kind_earlier_call": Count("reveal_placebo", most("n"), where=_SHOWN | {"held_by": "call"}),
    "source_step_kind_assistant_text": Count(
        "reveal_placebo", most("n"), where=_SHOWN | {"held_by": "assistant"}
    ),
    "significant_rise_on_revealed_returns_only": Count(
        "reveal_placebo", significant("rise", 1), where=_SHOWN | {"held_by": "return"}, each=1
    ),
    "correct_defaults": Count(_DEFAULTS, most("n"), where={"subset": "all"}),
    "correct_defaults_reference_says_default_applies": Count(
        _DEFAULTS, most("n"), where={"subset": "reference agrees"}
    ),
    "pairs_H_C": Count("near_candidates", most("pairs")),
    "queries_of_pairs": Count("near_candidates", most("queries")),
    "pairs_above_reviseval": Count("argument_effects", above("gain"), "deref", "reviseval", each=1),
    "pairs_significantly_above_reviseval": Count(
        "argument_effects", significant("gain", 1), "deref", "reviseval", each=1
    ),
    "pairs_significantly_above_provenanceguard": Count(
        "argument_effects", significant("gain", 1), "deref", "provenanceguard_evidence", each=1
    ),
    "judge_mean_significantly_above_reviseval": Count(
        "argument_effects", significant("gain", 1), "deref", "reviseval", mean=True, each=1
    ),
    "cases_significantly_above_plain": Count(
        "argument_effects", significant("gain", 1), ("deref", "deref_seed"), "plain", each=3
    ),
    "differences_between_seeds_significant": Count(
        "argument_effects", significant("gain"), "deref_seed", "deref", each=2
    ),
    "max_abs_difference_between_seeds": Count(
        "argument_effects", farthest("gain"), "deref_seed", "deref", each=2
    ),
    "significant_changes": Count("argument_swap", _swap_changes, "swapped", each=1),
    "pairs_lowest_out_of_view_more_than_chance": Count(
        "lowest_argument", significant("excess", 1), "plain", each=1
    ),
    "all_arguments": Count("path_rates", _right_and_wrong, where={"path": "all"}),
    "jev_retest_inputs": Count("argument_noise", total("items"), "plain"),
    "jev_retest_same_side_of_half": Count("argument_noise", _same_side, "plain"),
    "jev_retest_max_abs_difference": Count("argument_noise", most("largest"), "plain"),
    "abs_acceptance_change_vs_plain_at_tau": Count(
        _DEFAULTS,
        between("accepted", "plain", size=True),
        ("plain", "schema_facts"),
        where={"subset": "reference agrees"},
        each=2,
    ),
    "share_change_deref_minus_plain": Count(
        "lowest_argument", between("share", "plain"), ("plain", "deref"), each=2
    ),
    "unlabelled_wrong_call_arguments_scored_alone": Count("path_rates", most("alone"), where={"path": "all"}),
    "arguments": Count("argument_swap", most("n"), "swapped", where={"quantity": "correct_accepted"}),
    "pairs_lowest_out_of_view_less_than_chance": Count(
        "lowest_argument", significant("excess", -1), "plain", each=1
    ),
    "arguments_losing_more_history": Count("argument_shortened", most("shortened"), "deref"),
    "states_losing_more_history": Count("argument_shortened", most("states"), "deref"),
    "arguments_over_limit": Count("argument_shortened", most("over_limit"), "full_history"),
    "jev_arguments_with_1_to_3_more_returns_dropped": Count("argument_shortened", most("own_limit"), CLAIMED),
    "max_auroc_difference_shift_without_shortened_arguments": Count(
        "argument_shortened", farthest("gain_shift"), CLAIMED
    ),
}
"""Claims by what counts them."""

OF_PATH = {
    ("wrong_arguments", "history_only"): Count("snippet_lift", most("n"), "snippets"),
}
"""The same for a claim about one path."""


def count_of(theirs: Claimed) -> Count | None:
    """Give how a claim is counted; None if it is none."""
    return OF_PATH.get((theirs["quantity"], theirs["path"])) or COUNTS.get(theirs["quantity"])


NAMED = {
    "wrong_value_under_test_named_as_expected": "names_wrong",
    "unparsed_references_containing_correct_value": "holds_correct",
    "candidates_per_deriver_prompt": "per_candidate",
}
"""Claims that a row of `named_values` answers, by its reference."""


def named_row(found: list[Row], theirs: Claimed, arguments: Arguments) -> Row:
    """Find the row of `named_values` with a reference of the role that a claim is about; by default DeRef."""
    wanted, column = theirs["input"] or "deref", NAMED[theirs["quantity"]]
    for row in found:
        name = str(row["reference"])
        meant = name in arguments.references and reference_role(arguments, name) == wanted
        of_set = paper_dataset(arguments, str(row["dataset"])) in data_sets(theirs)
        if meant and of_set and not pd.isna(row[column]):
            return row
    raise NotRunError(NO_ROW)
