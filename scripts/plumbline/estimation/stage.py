"""What is asked of one model in one role."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from plumbline.models.requests import Request

Role = Literal[
    "stage",
    "rewrite",
    "opinion",
    "plan",
    "reference",
    "verdict",
    "relocation",
    "proposal",
    "value_reference",
    "judgment",
]


@dataclass(frozen=True)
class Stage:
    """Requests of one model in one role, in the order in which they are asked.

    Each stands for `times` requests, and for the records that the sample leaves out if `is_scaled`. An
    answer has `answer` tokens, where that is known.
    """

    model: str
    role: Role
    requests: Iterable[Request]
    cells: int
    times: float = 1
    is_scaled: bool = True
    answer: int | None = None
