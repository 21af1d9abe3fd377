"""The nouns of the experiment, as they stand in the files between the stages (docs/formats.md)."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, model_validator

TIERS = ("easy", "medium", "hard")
"""Difficulty tiers of a query (A6), easiest first."""

TOPOLOGIES = ("linear", "fan_out", "fan_in", "diamond", "optional_enrichment", "loop_like")
"""The six dependency shapes of the paper (A3), in the order of its tables."""

EXTRA_TOPOLOGIES = ("single", "independent", "other")
"""Shapes that only imported corpora hold; they stay out of the topology tables (C-A52)."""

METRICS = ("tool_selection", "parameter_structure", "sequence", "query_coverage")
"""The four scores of a plan, programmatic and judged, in the order of all tables."""

READINGS = ("parameter_structure_lenient", "parameter_structure_schema_aware", "extra_key_calls")
"""What stands beside a plan's scores: parameter structure if extra argument keys are forgiven, all of them or
those that the tool declares, and how many calls have no other fault (A47, C-A53)."""

Tier = Literal["easy", "medium", "hard"]
Topology = Literal[
    "linear",
    "fan_out",
    "fan_in",
    "diamond",
    "optional_enrichment",
    "loop_like",
    "single",
    "independent",
    "other",
]


class Item(BaseModel):
    """Base of everything that is one line of a file: immutable, no unknown keys."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class Tool(Item):
    """A tool that a record offers; `parameters` and `returns` are JSON Schema.

    `original_name` is the name in the source where model APIs would refuse it.
    """

    name: str = Field(min_length=1)
    description: str = ""
    parameters: dict[str, Any] = Field(default_factory=lambda: {"type": "object", "properties": {}})
    returns: dict[str, Any] | None = None
    original_name: str | None = None

    def offered(self) -> dict[str, Any]:
        """Give the tool as generators and judges see it: name, description, parameters."""
        return self.model_dump(include={"name", "description", "parameters"})


class ToolCall(Item):
    """One call of a plan: a tool's name and its arguments."""

    name: str
    arguments: dict[str, Any] = Field(default_factory=dict)


class ExpectedCall(Item):
    """One call of the verified reference trace.

    `optional` names argument keys that a correct plan may leave out (BFCL); `needs` lists the ids of
    the earlier calls whose returns supply a value of this call.
    """

    id: str
    name: str
    arguments: dict[str, Any] = Field(default_factory=dict)
    optional: tuple[str, ...] = ()
    needs: tuple[str, ...] = ()
    returns: Any = None
    description: str | None = None


class Queries(Item):
    """A record's request in three tiers; a tier that no one has written yet is None."""

    easy: str
    medium: str | None = None
    hard: str | None = None


class Record(Item):
    """One task: a query, the tools it offers, the calls that solve it (A1)."""

    id: str = Field(min_length=1)
    source: str
    domain: str
    topology: Topology
    family: str | None = None
    system_prompt: str | None = None
    queries: Queries
    rewrite: dict[Literal["medium", "hard"], str] = Field(default_factory=dict)
    tools: tuple[Tool, ...]
    expected_calls: tuple[ExpectedCall, ...]
    expected_messages: list[dict[str, Any]] | None = None

    @model_validator(mode="after")
    def _ids_are_known(self) -> Record:
        seen: set[str] = set()
        for call in self.expected_calls:
            if call.id in seen:
                raise ValueError(f"expected call {call.id} occurs twice; give each call its own id")
            unknown = sorted(set(call.needs) - seen)
            if unknown:
                raise ValueError(
                    f"expected call {call.id} needs {', '.join(unknown)}, which is no earlier call"
                )
            seen.add(call.id)
        return self


class Usage(Item):
    """Tokens of one request as the server counted them."""

    prompt_tokens: int = 0
    completion_tokens: int = 0
    cached_tokens: int | None = None


class Rewrite(Item):
    """The medium and hard queries that a model wrote for one record (A6), each with its status."""

    record_id: str
    model: str
    medium: str | None = None
    hard: str | None = None
    status: dict[Literal["medium", "hard"], str]
    text: str | None = None
    detail: str | None = None
    usage: Usage | None = None


CRITERIA = (
    "medium_preserves_calls",
    "hard_preserves_calls",
    "medium_strictly_harder",
    "hard_strictly_harder",
)
"""What a meta-judge says of a triplet of queries (A49), in the order of the tables."""


class Triplet(Item):
    """The three queries of one record that meta-judges compare (A49)."""

    record_id: str
    topology: Topology
    easy: str
    medium: str
    hard: str


class Opinion(Item):
    """What a meta-judge said of one triplet; the four answers are None unless the status is ok."""

    record_id: str
    topology: Topology
    model: str
    status: str
    medium_preserves_calls: bool | None = None
    hard_preserves_calls: bool | None = None
    medium_strictly_harder: bool | None = None
    hard_strictly_harder: bool | None = None
    text: str | None = None
    detail: str | None = None
    usage: Usage | None = None


class Plan(Item):
    """What a generator answered for one record and tier (A8); `calls` is None unless the status is ok."""

    record_id: str
    tier: Tier
    generator: str
    status: str
    calls: tuple[ToolCall, ...] | None = None
    text: str | None = None
    detail: str | None = None
    fault: str | None = None
    usage: Usage | None = None


class Reference(Item):
    """Calls that stand for the expected ones: another record's, or a model's own; None unless ok (A25)."""

    record_id: str
    tier: Tier
    kind: Literal["shuffle", "derive"]
    model: str | None = None
    seed: int | None = None
    status: str
    calls: tuple[ToolCall, ...] | None = None
    other_record: str | None = None
    text: str | None = None
    detail: str | None = None
    usage: Usage | None = None


class Score(Item):
    """The programmatic scores of one plan, each in [0, 1], their mean (A9 to A13), and the `READINGS`."""

    record_id: str
    tier: Tier
    generator: str
    tool_selection: float
    parameter_structure: float
    sequence: float
    query_coverage: float
    mean: float | None = None
    parameter_structure_lenient: float | None = None
    parameter_structure_schema_aware: float | None = None
    extra_key_calls: float | None = None


class Verdict(Item):
    """What a judge said of one plan under one condition (A14 to A16); scores are None unless ok.

    `attempts` is how often it was asked until then, None where it was not asked in this run; `reasoned` is
    whether the reply came with reasoning, None without a reply.
    """

    record_id: str
    tier: Tier
    generator: str
    judge: str
    condition: str
    replicate: int = 0
    status: str
    tool_selection: float | None = None
    parameter_structure: float | None = None
    sequence: float | None = None
    query_coverage: float | None = None
    justifications: dict[str, str] | None = None
    overall_assessment: str | None = None
    attempts: int | None = None
    reasoned: bool | None = None
    text: str | None = None
    detail: str | None = None
    usage: Usage | None = None
