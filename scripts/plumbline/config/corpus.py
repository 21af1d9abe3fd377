"""Settings of the corpus: where records come from, how many are taken, what they must meet."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, model_validator

from plumbline.config.gates import Gates
from plumbline.config.models import DecodingChanges, Section, Slug


class Sized(Section):
    """How many records are taken; always seeded and stratified by topology."""

    count: int | None = Field(default=None, ge=1)
    """Records in all, spread evenly over the topologies that the source has; null takes all."""
    per_topology: int | None = Field(default=None, ge=1)
    """Records of each topology; used instead of `count`."""
    exclude: list[str] = Field(default_factory=list)
    """Ids that are left out, for instance records with a known error."""
    gated: bool = False
    """Whether records that fail one of the quality gates are left out, and counted (A4, A5)."""

    @model_validator(mode="after")
    def _one_size(self) -> Sized:
        if self.count is not None and self.per_topology is not None:
            raise ValueError("takes count or per_topology, not both")
        return self


class StarterSource(Sized):
    """The corpus that plumbline ships: 36 records, six of each topology."""

    kind: Literal["starter"]
    """`starter`."""


class BfclSource(Sized):
    """BFCL v4, single-turn categories with one expected call among several tools (`bfcl-eval` wheel)."""

    kind: Literal["bfcl"]
    """`bfcl`."""
    categories: list[Literal["multiple", "live_multiple"]] = Field(
        default=["multiple", "live_multiple"], min_length=1
    )
    """Categories whose calls have an order to score."""


class ComplexFuncBenchSource(Sized):
    """ComplexFuncBench, multi-step calls with full returns (`nestful-wrapper` wheel)."""

    kind: Literal["complexfuncbench"]
    """`complexfuncbench`."""
    min_tools: int = Field(default=8, ge=2)
    """Fewest tools that a record offers; the expected ones plus distractors from the catalogue."""
    max_tools: int = Field(default=19, ge=2)
    """Most tools that a record offers."""


class LocalSource(Sized):
    """A user's own records in plumbline's format (docs/formats.md)."""

    kind: Literal["local"]
    """`local`."""
    path: str
    """A JSON Lines file."""
    strict: bool = False
    """Whether a topology label that contradicts the edges stops the run instead of being counted."""


class AgentJudgeBenchSource(Sized):
    """The authors' released records, read from a folder."""

    kind: Literal["agentjudgebench"]
    """`agentjudgebench`."""
    path: str
    """A folder with JSON Lines (or JSON) files in the released layout."""


class SimulatedSource(Sized):
    """Records that were made up by a rule, for rehearsals: shapes and sizes, no meaning."""

    kind: Literal["simulated"]
    """`simulated`."""
    records: int = Field(default=3808, ge=1)
    """How many there are."""
    shares: str = "resources/published/topology_counts.csv"
    """A CSV file with the columns `topology` and `records`: how often each topology occurs."""


PaperTopology = Literal["linear", "fan_out", "fan_in", "diamond", "optional_enrichment", "loop_like"]


LEAST_CALLS = {
    "linear": 2,
    "fan_out": 3,
    "fan_in": 3,
    "diamond": 4,
    "optional_enrichment": 3,
    "loop_like": 2,
}
"""Fewest calls that make each topology."""


class SynthesisedSource(Sized):
    """Records that a model writes from domain labels alone, stage by stage, each checked by program (A2)."""

    kind: Literal["synthesised"]
    """`synthesised`."""
    model: Slug
    """A model of `models`; a strong one, since every stage builds on the one before."""
    domains: list[Slug] = Field(min_length=1)
    """Labels of the domains, for instance `retail_banking`."""
    topologies: list[PaperTopology] = Field(
        default=["linear", "fan_out", "fan_in", "diamond", "optional_enrichment", "loop_like"], min_length=1
    )
    """Topologies that are asked for; each is verified from the edges."""
    records: int = Field(default=1, ge=1)
    """Records that are begun for each domain and topology."""
    fewest_tools: int = Field(default=8, ge=2)
    """Fewest tools of a record, more than its calls need."""
    most_tools: int = Field(default=19, ge=2)
    """Most tools of a record."""
    fewest_calls: int = Field(default=2, ge=1)
    """Fewest expected calls; a fan-in or a split needs three, a diamond four."""
    most_calls: int = Field(default=5, ge=1)
    """Most expected calls."""
    attempts: int = Field(default=3, ge=1)
    """Times that a stage is asked for one record, the later ones with what was wrong; then it is given up."""
    prompt: Slug = "synthesise"
    """Prompt files `NAME_STAGE.user.md`, and `NAME_again.user.md` for what was wrong."""
    decoding: DecodingChanges = Field(default_factory=DecodingChanges)
    """Settings that differ from the model's own; above temperature 0, so that records differ."""
    output: Literal["json", "structured"] = "json"
    """`structured` constrains each answer to its stage's schema."""

    @model_validator(mode="after")
    def _ranges_hold_something(self) -> SynthesisedSource:
        if self.fewest_tools > self.most_tools or self.fewest_calls > self.most_calls:
            raise ValueError("has a range whose least is above its most")
        if self.fewest_calls >= self.most_tools:
            raise ValueError("offers no more tools than its calls use; raise most_tools")
        if repeated := sorted({name for name in self.domains if self.domains.count(name) > 1}):
            raise ValueError(f"names a domain twice ({', '.join(repeated)}); for more of it raise `records`")
        large = [name for name in self.topologies if LEAST_CALLS[name] > self.most_calls]
        if large:
            needs = ", ".join(f"{name} {LEAST_CALLS[name]}" for name in large)
            raise ValueError(
                f"has topologies that take more calls than most_calls = {self.most_calls} ({needs}); raise "
                "most_calls, or leave them out of `topologies`"
            )
        return self


Source = Annotated[
    StarterSource
    | BfclSource
    | ComplexFuncBenchSource
    | LocalSource
    | AgentJudgeBenchSource
    | SimulatedSource
    | SynthesisedSource,
    Field(discriminator="kind"),
]


class Topology(Section):
    """Which topology a record has."""

    source: Literal["label", "computed"] = "label"
    """`label` keeps the source's own label where it has one, `computed` takes that of the edges (C-A40)."""


class Corpus(Section):
    """The records of the run."""

    sources: dict[Slug, Source] = Field(default_factory=dict)
    """Each source by a name of your own; records of all sources are put together."""
    topology: Topology = Field(default_factory=Topology)
    """How topology labels are treated."""
    gates: Gates = Field(default_factory=Gates)
    """What both quality gates demand of a record (A4, A5)."""
