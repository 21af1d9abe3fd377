"""Settings of the study with people: which plans they see, and what becomes of what they say."""

from __future__ import annotations

from typing import Literal

from pydantic import Field, model_validator

from plumbline.config.models import Section, Slug
from plumbline.records.model import Tier


class StudySample(Section):
    """How many plans annotators see."""

    flawed: int = Field(default=14, ge=0)
    """Of each topology, plans with some programmatic score below 1."""
    perfect: int = Field(default=6, ge=0)
    """Of each topology, plans whose four programmatic scores are 1."""
    seed: int = 0
    """Seed of the draw. With the same seed a larger sample holds the smaller one."""

    @model_validator(mode="after")
    def _draws_something(self) -> StudySample:
        if self.flawed + self.perfect == 0:
            raise ValueError("`flawed` and `perfect` are both 0; the paper has 14 and 6")
        return self


class Human(Section):
    """The study with people: they judge the programmatic scores of a sample of plans (A44, A45)."""

    sample: StudySample = Field(default_factory=StudySample)
    """What `snakemake study` draws."""
    generators: list[Slug] = Field(default_factory=list)
    """Whose plans are drawn, in this order: a later generator gives a plan only where the earlier ones
    have too few of its kind (C-A19). Empty: all generators of the run, in its order."""
    tier: Tier = "hard"
    """The tier whose plans are drawn."""
    annotations: str | list[str] | None = None
    """Files that annotators sent back, one of each: CSV or JSON, as the sheet exports them (docs/formats.md).
    Null: no annotations."""
    sheet: Literal["sample", "own"] = "sample"
    """`sample`: the files are sheets of this run's sample, and are checked against it. `own`: sheets made
    elsewhere; each annotated plan is that of the first generator whose scores are those of the sheet."""
    ties: Literal["agree", "disagree", "left_out"] = "agree"
    """What holds where as many annotators agree with a score as disagree. With `left_out` the score counts
    for nothing, and its record is not in the table of judges against annotators."""
    flip_at_half: Literal["zero", "one"] = "zero"
    """What a score of 0.5 becomes where annotators disagree with it (C-A19)."""

    @property
    def files(self) -> list[str]:
        """Give the annotators' files as a list."""
        named = self.annotations
        return [named] if isinstance(named, str) else list(named or ())
