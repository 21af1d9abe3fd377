"""Settings of the validation of rewrites by meta-judges (A49 to A51)."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from plumbline.config.models import DecodingChanges, Section, Slug


class Validation(Section):
    """Who says whether medium and hard queries keep their calls and are harder, and of which records."""

    models: list[Slug] = Field(min_length=1)
    """Meta-judges: models of `models`, all asked in the same way."""
    per_topology: int = Field(default=33, ge=1)
    """Triplets of easy, medium and hard query that are drawn of each topology."""
    seed: int = 0
    """Seed of the draw."""
    prompt: Slug = "meta_judge"
    """Prompt files `NAME.user.md` and, if there is one, `NAME.system.md`."""
    decoding: DecodingChanges = Field(default_factory=DecodingChanges)
    """Settings that differ from each model's own."""
    output: Literal["json", "structured"] = "json"
    """`structured` constrains the answer to four booleans."""
