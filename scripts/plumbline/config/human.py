"""Settings of the comparison with human annotators."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from plumbline.config.models import Section, Slug
from plumbline.records.model import Tier


class Human(Section):
    """Verdicts of people on the programmatic scores (A44, A45)."""

    annotations: str | None = None
    """A CSV file with the columns `id`, `topology`, and for each of the four metrics `prog_METRIC` (its
    score) and `agree_METRIC` (1 agree, 0 disagree); `notes` and others are not read. Null: no annotations."""
    flip_at_half: Literal["zero", "one"] = "zero"
    """What a score of 0.5 becomes where the annotator disagrees with it (C-A19)."""
    generators: list[Slug] = Field(default_factory=list)
    """Whose plans were annotated; for each record the first of these whose scores are those of the sheet.
    Empty: those of the block, in its order (C-A19)."""
    tier: Tier = "hard"
    """The tier whose plans were annotated."""
