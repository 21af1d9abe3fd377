"""Whether the numbers in the released files are those that we compute from the same plans and verdicts."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from plumbline.config.settings import Scoring
from plumbline.judging.released_files import Placed
from plumbline.judging.verdict_objects import metric_named
from plumbline.plans.scoring import score_plan
from plumbline.records import METRICS, Record, ToolCall

SCORE_TOLERANCE = 1e-4
"""The released scores have four decimals."""

PERCENT_TOLERANCE = 0.01
"""The released percentages have two decimals."""

SHOWN = 10
"""Rows that are named where numbers differ."""

_RELEASED = Scoring(rounding="released")


@dataclass
class Comparison:
    """How many numbers were compared and how many differ; the first of these by name."""

    compared: int = 0
    differ: int = 0
    first: list[str] = field(default_factory=list)

    def add(self, differs: bool, where: str) -> None:
        """Count one comparison."""
        self.compared += 1
        self.differ += differs
        if differs and len(self.first) < SHOWN:
            self.first.append(where)


@dataclass
class ReleasedCheck:
    """The importer's check: programmatic scores, and the record's alignment in both conditions."""

    scores: Comparison = field(default_factory=Comparison)
    alignment_with_gt: Comparison = field(default_factory=Comparison)
    alignment_without_gt: Comparison = field(default_factory=Comparison)

    def compare(self, placed: Placed, plan: Sequence[ToolCall], record: Record) -> None:
        """Compare the numbers of one judged row with ours.

        The authors' rules hold here whatever the run's own are: scores rounded to four decimals, and a metric
        that the judge left out counts as a match of 0.
        """
        ours = score_plan(plan, record.expected_calls, _RELEASED, record.tools)
        where = f"{record.id} ({placed.generator}, {placed.tier}, {placed.judge}; {placed.file})"
        theirs = values_of(placed.row.get("programmatic_judge_response"))
        if theirs is not None:
            differs = [
                f"{metric} {theirs[metric]} here {ours[metric]}"
                for metric in METRICS
                if theirs[metric] is None or abs(theirs[metric] - ours[metric]) > SCORE_TOLERANCE + 1e-9  # type: ignore[operator]
            ]
            self.scores.add(bool(differs), f"{where}: {', '.join(differs)}")
        for suffix, comparison in (("", self.alignment_with_gt), ("_no_gt", self.alignment_without_gt)):
            stated = placed.row.get(f"overall_llm_alignment_percentage{suffix}")
            said = values_of(placed.row.get(f"judge_response{suffix}"))
            if said is not None and _is_number(stated):
                percent = _percent(ours, said)
                differ = abs(percent - float(stated)) > PERCENT_TOLERANCE + 1e-9  # type: ignore[arg-type]
                comparison.add(differ, f"{where}: {stated} here {percent:.2f}")

    def lines(self) -> list[str]:
        """Give the outcome, a line each, and the first rows that differ."""
        named = {
            "programmatic scores": self.scores,
            "alignment with the expected calls": self.alignment_with_gt,
            "alignment without them": self.alignment_without_gt,
        }
        found = []
        for what, comparison in named.items():
            agree = comparison.compared - comparison.differ
            found.append(f"{what}: {agree:,} of {comparison.compared:,} rows agree with ours")
            found += [f"  differs: {where}" for where in comparison.first]
        return found


def values_of(response: Any) -> dict[str, float | None] | None:
    """Give the number of each metric, None where there is none; None if nothing names a metric.

    Parameters
    ----------
    response
        An object, or JSON text of one: metrics under any of their names, each a number or an object with
        `accuracy`.
    """
    if isinstance(response, str):
        try:
            response = json.loads(response)
        except ValueError:
            return None
    if not isinstance(response, Mapping):
        return None
    found: dict[str, float | None] = dict.fromkeys(METRICS)
    named = False
    for key, value in response.items():
        metric = metric_named(str(key))
        if metric is not None:
            named = True
            number = value.get("accuracy") if isinstance(value, Mapping) else value
            found[metric] = float(number) if _is_number(number) else None  # type: ignore[arg-type]
    return found if named else None


def _percent(ours: Mapping[str, float], said: Mapping[str, float | None]) -> float:
    matches = [
        0.0 if (value := said[metric]) is None else 1 - abs(ours[metric] - value) for metric in METRICS
    ]
    return 100 * math.fsum(matches) / len(METRICS)


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)
