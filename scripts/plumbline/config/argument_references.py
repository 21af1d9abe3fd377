"""Settings of the references of argument judging, of what judges read (inputs), and of who judges."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, model_validator

from plumbline.config.models import DecodingChanges, Section, Slug

MOST_QUOTES = 2
"""Passages that a model is asked to quote as evidence; further ones are not used (D39)."""


class ModelReference(Section):
    """A reference that a model writes."""

    model: Slug | None = None
    """A model of `models`; null lets each judge's own model write what it judges with."""
    decoding: DecodingChanges = Field(default_factory=DecodingChanges)
    """Settings that differ from the model's own; `seed` is the seed of D37."""


class DerivedValue(ModelReference):
    """DeRef: what the value should be, stated before any proposed value is seen (D14, D15, D36, D41)."""

    kind: Literal["derive_value"]
    """`derive_value`."""
    prompt: Slug = "derive_value"
    """Prompt files `NAME.user.md` and, if there is one, `NAME.system.md`."""
    context: Literal["full", "plain"] = "full"
    """What the deriver reads: every earlier call and return uncut, or what Plain shows (D31, D41)."""
    sees_candidate: bool = False
    """DeRef-v: the deriver also reads the candidate value, one reference an item (D36)."""


class RevisedCall(ModelReference):
    """RevisEval: the proposed call as the model would correct it, one a call (D40)."""

    kind: Literal["revise_call"]
    """`revise_call`."""
    prompt: Slug = "revise_call"
    """Prompt files `NAME.user.md` and, if there is one, `NAME.system.md`."""


class Evidence(ModelReference):
    """ProvenanceGuard: quoted passages that a value should come from, checked against the history (D39)."""

    kind: Literal["evidence"]
    """`evidence`."""
    prompt: Slug = "quote_evidence"
    """Prompt files `NAME.user.md` and, if there is one, `NAME.system.md`."""
    min_characters: int = Field(default=20, ge=1)
    """Shortest common substring that counts as found (C-D26)."""
    min_share: float = Field(default=0.6, gt=0, le=1)
    """Share of the quote that the substring must cover (C-D26)."""
    around: int | None = Field(default=None, ge=0)
    """Characters on each side of a passage, without a cap; null uses the snippet rule of D38."""
    around_by_dataset: dict[Slug, Annotated[int, Field(ge=0)] | None] = {"cfb": 100}
    """The same for single data sets, by name or by kind."""


class ValueOnly(Section):
    """One sentence with the parsed value of another reference, or that it is not determined (D32)."""

    kind: Literal["value_only"]
    """`value_only`."""
    of: Slug
    """A reference of kind `derive_value`."""


class SwappedValue(Section):
    """Another reference, its correct value replaced by a wrong one of the same argument and state (D42)."""

    kind: Literal["swap"]
    """`swap`."""
    of: Slug
    """A reference of kind `derive_value`."""
    count: int | None = Field(default=500, ge=1)
    """Most items a data set; null takes all."""
    seed: int = 20260930
    """Seed of the choice of items."""


ArgumentReference = Annotated[
    DerivedValue | RevisedCall | Evidence | ValueOnly | SwappedValue, Field(discriminator="kind")
]


class ArgumentInput(Section):
    """What text a judge reads of an item (D9 to D12, D26, D35, D38)."""

    context: Literal["plain", "full"] = "plain"
    """Plain shows a window with cut returns, full shows every earlier call and return."""
    reference: Slug | None = None
    """An entry of `arguments.references`, shown in the reference block after the state."""
    unit: Literal["value", "call"] = "value"
    """Whether the question is about one value, or about the whole proposed call (D44)."""
    add: Literal["none", "snippets", "schema_facts"] = "none"
    """Snippets of the history around the value after the state (D27, D38), or the schema's facts after the
    proposed value (D26)."""
    prompt: Slug | None = None
    """Prompt files; null takes `judge_value` or `judge_call`."""
    decoding: DecodingChanges = Field(default_factory=DecodingChanges)
    """Settings that differ from the judge's own; `thinking: true` makes the judge think first (D33, D35)."""
    replicates: int = Field(default=1, ge=1)
    """Times every item is judged."""
    sample: int | None = Field(default=None, ge=1)
    """Most items that a model is asked about, drawn with the run's seed over all data sets on which it reads
    this input; the others are `not_asked`. Null asks about all."""
    arm: str | None = None
    """What tables call the input; its own name if null."""

    @model_validator(mode="after")
    def _facts_are_of_values(self) -> ArgumentInput:
        if self.unit == "call" and self.add != "none":
            raise ValueError("a whole call has no snippets and no schema facts; use unit: value")
        return self


class ArgumentJudge(Section):
    """Who gives the probability that a value is right (D13): a model, or the free baseline."""

    model: Slug | None = None
    """A model of `models`, of any engine."""
    context_limit: int | None = Field(default=None, ge=128)
    """Most tokens of an input with the full history for this judge alone, if its context holds fewer than
    `ladder.full_limit`; counted as the ladder counts. More of the oldest returns go until it fits (D12)."""
    match: Slug | None = None
    """Instead of a model: 1 if the value equals the parsed value of this reference, else 0."""
    decoding: DecodingChanges = Field(default_factory=DecodingChanges)
    """Settings that differ from the model's own."""

    @model_validator(mode="after")
    def _model_or_match(self) -> ArgumentJudge:
        if (self.model is None) == (self.match is None):
            raise ValueError("needs either a model or match")
        if self.match is not None and self.context_limit is not None:
            raise ValueError("a judge that matches values reads no history; leave context_limit out")
        return self


class YesNo(Section):
    """How the probability of Yes is read (C-D7)."""

    tokens: Literal["exact", "casefold"] = "exact"
    """Tokens that are Yes after white space is stripped: as it stands, or in any case."""
    normalise: bool = False
    """Whether P(Yes) is divided by P(Yes) + P(No)."""
    top_logprobs: int = Field(default=20, ge=1)
    """Alternatives that the server is asked for."""
