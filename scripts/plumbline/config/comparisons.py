"""What an ablation compares: which condition with which, and on which side."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from plumbline.config.settings import RunConfig

Side = Literal["with_gt", "without_gt"]


@dataclass(frozen=True)
class Comparison:
    """A condition of a block, and the one that it is compared with."""

    condition: str
    baseline: str


def comparisons(config: RunConfig, block: str) -> list[Comparison]:
    """List what the tables of a block compare, in the order of its conditions.

    Notes
    -----
    `compare` of the block decides for the conditions that it names. Any other is compared with the first
    condition of the block on its own side, and that one with none.
    """
    chosen = config.blocks[block]
    first: dict[Side, str] = {}
    found = []
    for condition in dict.fromkeys(chosen.conditions):
        baseline = first.setdefault(side_of(config, condition), condition)
        named = chosen.compare.get(condition, baseline)
        for other in [named] if isinstance(named, str) else dict.fromkeys(named):
            if other != condition:
                found.append(Comparison(condition, other))
    return found


def side_of(config: RunConfig, condition: str) -> Side:
    """Say whether a condition shows a reference, true or made, or none."""
    return "without_gt" if config.conditions[condition].reference == "none" else "with_gt"


def arm_of(config: RunConfig, condition: str) -> str:
    """Give what ablation tables call a condition: its arm, or its own name."""
    return config.conditions[condition].arm or condition
