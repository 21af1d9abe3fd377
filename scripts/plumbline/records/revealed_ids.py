"""Ids of the states of reveal and placebo: they say what of the step holds the value (D25)."""

from __future__ import annotations

import re
from typing import Literal, cast

from plumbline.records.arguments import Revealed
from plumbline.records.files import digest_of

Source = Literal["return", "call", "assistant"]
"""What holds a value: the return of a step, its call, or what the assistant said."""


def revealed_id(state_id: str, source: Source, reveal: Revealed, placebo: Revealed) -> str:
    """Give the id that the states of a pair share.

    Parameters
    ----------
    state_id
        The state that they are made of.
    source
        What holds the value.
    reveal, placebo
        The steps that are shown.
    """
    steps = [reveal.model_dump(), placebo.model_dump()]
    return f"{state_id}.{source}{reveal.turn}.{digest_of(steps)[:6]}"


def source_of(state_id: str) -> Source | None:
    """Say what holds the value of a reveal or placebo state, by its id; None if it is another id."""
    match = re.search(r"\.(return|call|assistant)\d+\.[0-9a-f]{6}$", state_id)
    return cast(Source, match[1]) if match else None
