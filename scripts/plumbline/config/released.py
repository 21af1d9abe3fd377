"""Settings of a run that is made of the authors' released files instead of asking models."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from plumbline.config.models import Section, Slug

ReleasedCondition = Literal["with_gt", "without_gt", "corrupted"]


class Released(Section):
    """Where plans and verdicts come from that were released, and what they are called there."""

    folder: str
    """A folder with JSON Lines (or JSON) files in the released layout, also in folders below."""
    aliases: dict[Slug, list[str]] = Field(default_factory=dict)
    """Other spellings of a generator or judge in the files or their names. Case, blanks, hyphens and dots
    make no difference, and a longer name that holds the slug counts, so that few need one."""
    conditions: dict[Slug, ReleasedCondition] = {
        "with_gt": "with_gt",
        "without_gt": "without_gt",
        "corrupted_gt": "corrupted",
    }
    """Which of the released verdicts a condition of the run is: with the expected calls, without them, or
    with those of another record. Verdicts of conditions not named here are `not_asked`."""
