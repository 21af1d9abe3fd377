"""A statistic that may be undefined, and then says why."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Value:
    """A number, or None with the reason why there is none.

    Reasons: `empty` (nothing to compute on), `constant` (one side never varies), `single_class` (only one
    label occurs), `single_unit` (one unit cannot show how far a mean would vary).
    """

    value: float | None
    reason: str | None = None
