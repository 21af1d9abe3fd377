"""The configuration of a run, one typed section each; docs and schema are generated from here."""

from __future__ import annotations

from typing import Annotated, Literal, get_args

from pydantic import Field, ValidationInfo, field_validator, model_validator

from plumbline.config.arguments import Arguments
from plumbline.config.checks import UnknownNamesError, missing_sections, unknown_names
from plumbline.config.corpus import Corpus
from plumbline.config.estimate import Estimate
from plumbline.config.human import Human
from plumbline.config.models import DecodingChanges, Model, Names, Section, Share, Slug
from plumbline.config.pooling import Agreement, Jury, Pool, PoolOfAll, TableOptions
from plumbline.config.released import Released
from plumbline.config.robustness import Binary, Mismatch, OverAnchoring, SelfBias, Weights
from plumbline.config.validation import Validation
from plumbline.records.model import Tier
from plumbline.records.statuses import VerdictStatus

Fault = Literal[
    "none",
    "drop_call",
    "extra_call",
    "swap_calls",
    "replace_tool",
    "drop_argument",
    "add_argument",
    "rename_argument",
    "empty_plan",
]

FAULTS: tuple[str, ...] = get_args(Fault)
"""What `perturb` can do to the expected calls; `none` leaves them as they are."""


class Rewrites(Section):
    """Who writes the medium and hard queries of records that lack them (A6)."""

    model: Slug
    """A model of `models`."""
    prompt: Slug = "rewrite"
    """Prompt files `NAME.system.md` and `NAME.user.md`."""
    decoding: DecodingChanges = Field(default_factory=DecodingChanges)
    """Settings that differ from the model's own."""
    output: Literal["json", "structured"] = "json"
    """`structured` constrains the answer to the schema."""


class Generator(Section):
    """Who writes plans (A8): a model, or `perturb` with its faults."""

    model: Slug | None = None
    """A model of `models`."""
    faults: list[Fault] | None = Field(default=None, min_length=1)
    """Instead of a model: one of these faults for each record and tier, balanced and seeded (`perturb`)."""
    prompt: Slug = "generator"
    """Prompt files `NAME.system.md` and `NAME.user.md`."""
    decoding: DecodingChanges = Field(default_factory=DecodingChanges)
    """Settings that differ from the model's own."""
    output: Literal["json", "structured"] = "json"
    """`structured` constrains the answer to an array of calls of tools that the record offers."""

    @model_validator(mode="after")
    def _model_or_faults(self) -> Generator:
        if (self.model is None) == (self.faults is None):
            raise ValueError("needs either a model or faults")
        return self


Output = Literal["json", "structured", "prometheus"]


class Judge(Section):
    """Who judges."""

    model: Slug
    """A model of `models`."""
    decoding: DecodingChanges = Field(default_factory=DecodingChanges)
    """Settings that differ from the model's own."""
    prompt: Slug | None = None
    """A prompt of its own, under every condition; null takes the condition's."""
    output: Output | None = None
    """A form of answer of its own, under every condition; null takes the condition's."""


class ShuffledReference(Section):
    """Another record's expected calls: each record gets those of another one, the same in all tiers (A25)."""

    kind: Literal["shuffle"]
    """`shuffle`."""
    within: Literal["topology", "all"] = "topology"
    """Whether the other record has the same topology (C-A21)."""
    seed: int = 0
    """Seed of the shuffle."""
    max_tries: int = Field(default=1000, ge=1)
    """Shuffles that are tried until no record keeps its own calls."""


class DerivedReference(Section):
    """Calls that a model derives from query and tools without having seen any plan."""

    kind: Literal["derive"]
    """`derive`."""
    model: Slug | None = None
    """A model of `models`; null lets each judge's own model derive what it judges with."""
    prompt: Slug = "derive_calls"
    """Prompt files `NAME.user.md` and, if there is one, `NAME.system.md`."""
    decoding: DecodingChanges = Field(default_factory=DecodingChanges)
    """Settings that differ from the model's own."""
    output: Literal["json", "structured"] = "json"
    """`structured` constrains the answer to an array of calls of tools that the record offers."""


MadeReference = Annotated[ShuffledReference | DerivedReference, Field(discriminator="kind")]


class Condition(Section):
    """How a judge is asked (A14, A15 and every ablation)."""

    prompt: Slug
    """Prompt files `NAME.user.md` and, if there is one, `NAME.system.md`; with the output `prometheus`, a
    folder of that name with `instruction.md` and one rubric a metric, `METRIC.yaml`."""
    reference: Slug = "none"
    """What the judge sees as the reference: `none`, the record's `expected` calls, or an entry of
    `references`."""
    output: Output = "json"
    """`structured` constrains the answer to the verdict's schema (C-A51); `prometheus` asks for one metric at
    a time with Prometheus-2's own template (A17)."""
    scale: Literal["rubric", "unit"] = "rubric"
    """Legal values: 0, 0.5 and 1, or any number from 0 to 1. Prometheus-2 has its own."""
    arm: str | None = None
    """What ablation tables call the condition; conditions of one arm are its two sides, with and without a
    reference. The condition's own name if null."""
    decoding: DecodingChanges = Field(default_factory=DecodingChanges)
    """Settings that differ from the judge's own."""
    replicates: int = Field(default=1, ge=1)
    """Times every plan is judged."""


class Pairing(Section):
    """Judges and the generators whose plans they judge."""

    judges: Names = "all"
    """Judges of the pairing."""
    generators: Names = "all"
    """Generators of the pairing."""
    conditions: Names = "all"
    """Conditions of the pairing, among those of the block."""


class Block(Section):
    """A named set of cells: the main experiment, or one ablation."""

    judges: Names = "all"
    """Judges of the block."""
    generators: Names = "all"
    """Generators of the block."""
    tiers: Annotated[list[Tier], Field(min_length=1)] | Literal["all"] = "all"
    """Tiers of the block."""
    conditions: list[Slug] = Field(min_length=1)
    """Conditions of the block."""
    pairings: list[Pairing] = Field(default_factory=list)
    """Instead of every judge on every generator: only these pairings. `judges` and `generators` of the block
    itself then stay `all`."""
    compare: dict[Slug, Slug | list[Slug]] = Field(default_factory=dict)
    """The condition, or conditions, that a condition is compared with. By default the first of the block that
    shows a reference as it does, or that shows none as it does."""
    tables: list[Slug] = Field(default_factory=list)
    """Tables and figures that are made of this block; `plumbline tables` lists them."""

    @model_validator(mode="after")
    def _judges_stand_in_one_place(self) -> Block:
        if self.pairings and (self.judges != "all" or self.generators != "all"):
            raise ValueError("takes judges and generators, or pairings that name them, not both")
        return self


class Jobs(Section):
    """The grain of the jobs that ask models."""

    lane: Literal["judge", "generator", "cell"] = "judge"
    """One job asks all cells of a judge in a block, of a judge and a generator, or one cell."""
    shards: int = Field(default=1, ge=1)
    """Each lane is split by record over this many jobs."""
    failed_share: Share = 0.05
    """A job stops when more than this share of its items was rejected or given up."""


class Prompts(Section):
    """Where the prompts come from and how they are put together."""

    folder: str = "prompts"
    """A folder of prompt files; copy ours to change the wording."""
    expected_block: Literal["calls", "raw"] = "calls"
    """What a judge sees as the reference: the calls alone, or the source's raw messages (C-A14)."""
    block_order: list[Literal["tools", "query", "expected", "plan"]] = Field(
        default=["tools", "query", "expected", "plan"], min_length=4, max_length=4
    )
    """Order of a judge prompt's blocks; what recurs comes first, for the prefix cache (C-A49)."""

    @field_validator("block_order")
    @classmethod
    def _each_block_once(cls, order: list[str]) -> list[str]:
        if len(set(order)) < len(order):
            raise ValueError("must name each of tools, query, expected and plan once")
        return order


class Plans(Section):
    """Which plans are judged."""

    zero_calls: Literal["judge", "exclude"] = "judge"
    """Whether an ok plan without calls is judged, or excluded and counted as lost (C-A48)."""


class Scoring(Section):
    """Readings of the programmatic scores (A9 to A13)."""

    rounding: Literal["none", "released"] = "none"
    """`released` rounds each score to 4 decimals, as the authors' pipeline does (C-A9)."""
    repeated_expected: Literal["last", "first", "in_order", "best"] = "last"
    """Whose keys count when the expected calls name a tool more than once (C-A10)."""
    coverage_extras: Literal["ignore", "penalise"] = "ignore"
    """`penalise` divides the hits by the predicted tools (C-A12)."""
    extra_keys: Literal["penalise", "schema_aware"] = "penalise"
    """`schema_aware` forgives extra argument keys that the tool's schema declares (C-A53)."""


class Verdicts(Section):
    """How verdicts are read (A16)."""

    missing_metric: Literal["exclude", "zero"] = "exclude"
    """A readable verdict that lacks a metric (C-A7)."""
    off_scale: Literal["reject", "keep", "snap"] = "reject"
    """A value that is not on the condition's scale (C-A8)."""
    attempts: int = Field(default=2, ge=0)
    """Further attempts after an unreadable answer; only above temperature 0 (C-A50)."""
    ask_again: list[VerdictStatus] = Field(default_factory=list)
    """Statuses whose journalled answers are not taken over but asked again."""


class Prometheus(Section):
    """How Prometheus-2 is asked and read (A17)."""

    map: Literal["linear", "snap"] = "linear"
    """Its 1 to 5 as a score: `(s - 1) / 4`, or 1 and 2 to 0, 3 to 0.5, 4 and 5 to 1 (C-A22)."""
    template: str | None = None
    """A file with the model's prompts, as `prompts.py` of the package `prometheus-eval`; null takes them from
    that package, which is fetched for it and not installed."""


class Bootstrap(Section):
    """Confidence intervals (A21)."""

    resamples: int = Field(default=2000, ge=100)
    """Resamples of the records."""
    level: float = Field(default=0.95, gt=0, lt=1)
    """Coverage of the intervals."""
    seed: int = Field(default=42, ge=0)
    """Seed of the draws."""
    strata: Literal["topology", "none"] = "topology"
    """Whether records are resampled within their topology (C-A15)."""
    clusters: Literal["family", "none"] = "family"
    """Whether records of one template family are drawn together, where a corpus has families."""
    percentile: Literal["linear", "released"] = "linear"
    """Rule for the bounds (C-A54)."""


class Alignment(Section):
    """Which records an alignment rests on (A18)."""

    pairing: Literal["per_condition", "both"] = "per_condition"
    """A record counts where its verdict is ok, or only if it is ok under every condition (C-A6)."""
    weighting: Literal["records", "topologies"] = "records"
    """What weighs the same in a cell: every record, or every topology of the paper (C-A28)."""


class RunConfig(Section):
    """Everything that defines a run."""

    run: Slug
    """Name of the run; its files are in results/NAME."""
    seed: int = 20261130
    """Seed of sampling and of `perturb`."""
    corpus: Corpus = Field(default_factory=Corpus)
    """The records. This section, `generators`, `judges`, `conditions` and `blocks` may be left out together
    if the run has `arguments`."""
    tiers: list[Tier] = Field(default=["easy", "medium", "hard"], min_length=1)
    """Difficulty tiers of the queries."""
    models_from: str | None = "config/models.yaml"
    """A file with more `models`; an entry below with the same name wins."""
    models: dict[Slug, Model] = Field(default_factory=dict)
    """Models by name."""
    rewrites: Rewrites | None = None
    """Null: a record without a medium or hard query keeps its original one, and is counted."""
    validation: Validation | None = None
    """Meta-judges that validate the medium and hard queries (A49); null asks none."""
    generators: dict[Slug, Generator] = Field(default_factory=dict)
    """Who writes plans."""
    judges: dict[Slug, Judge] = Field(default_factory=dict)
    """Who judges them."""
    references: dict[Slug, MadeReference] = Field(default_factory=dict)
    """References that are made for a condition to show: by a shuffle or by a model."""
    conditions: dict[Slug, Condition] = Field(default_factory=dict)
    """How the judges are asked."""
    blocks: dict[Slug, Block] = Field(default_factory=dict)
    """The cells that are asked, and the tables made of them."""
    released: Released | None = None
    """Take plans and verdicts from the authors' released files instead of asking models; null asks."""
    jobs: Jobs = Field(default_factory=Jobs)
    """The grain of the jobs."""
    prompts: Prompts = Field(default_factory=Prompts)
    """The prompts."""
    plans: Plans = Field(default_factory=Plans)
    """Which plans are judged."""
    scoring: Scoring = Field(default_factory=Scoring)
    """How plans are scored."""
    verdicts: Verdicts = Field(default_factory=Verdicts)
    """How verdicts are read."""
    prometheus: Prometheus = Field(default_factory=Prometheus)
    """How Prometheus-2 is asked and read."""
    alignment: Alignment = Field(default_factory=Alignment)
    """How alignment is averaged."""
    bootstrap: Bootstrap = Field(default_factory=Bootstrap)
    """How intervals are made."""
    estimate: Estimate = Field(default_factory=Estimate)
    """What the estimate assumes."""
    open_weight: list[Slug] = Field(default_factory=list)
    """Generators with open weights; tables that compare with the paper pool these. Empty: all (C-A2)."""
    tables: TableOptions = Field(default_factory=TableOptions)
    """Readings of single tables."""
    agreement: Agreement = Field(default_factory=Agreement)
    """How two judges are compared."""
    judge_tiers: dict[Slug, float] = {
        "gpt_5_4": 1,
        "claude_sonnet_4_5": 2,
        "gemini_2_5_pro": 3,
        "qwq_32b": 4,
        "gpt_oss_120b": 5,
        "gpt_oss_20b": 6,
    }
    """Rank of each judge's capability, 1 for the highest; judges may share one (A31, C-A17)."""
    jury: Jury = Field(default_factory=Jury)
    """The jury."""
    lift: Pool = Field(default_factory=Pool)
    """Which generators the lift is averaged over first (C-A1); the other choice stands below it."""
    degradation: PoolOfAll = Field(default_factory=PoolOfAll)
    """Which generators slopes and curves over difficulty are averaged over (C-A5)."""
    decision_guide: Pool = Field(default_factory=Pool)
    """Which generators the decision guide is averaged over first (C-A3); the other choice stands below it."""
    weights: Weights = Field(default_factory=Weights)
    """How metrics are weighed."""
    binary: Binary = Field(default_factory=Binary)
    """How verdicts become binary."""
    self_bias: SelfBias = Field(default_factory=SelfBias)
    """How self-bias is shown."""
    mismatch: Mismatch = Field(default_factory=Mismatch)
    """What a mismatch is."""
    over_anchor: OverAnchoring = Field(default_factory=OverAnchoring)
    """What over-anchoring is."""
    human: Human = Field(default_factory=Human)
    """What people say of the programmatic scores."""
    arguments: Arguments | None = None
    """Judging single argument values; null leaves that part out."""

    @field_validator("tiers")
    @classmethod
    def _each_tier_once(cls, tiers: list[Tier]) -> list[Tier]:
        if len(set(tiers)) < len(tiers):
            raise ValueError("must name each tier once")
        return tiers

    @property
    def judges_plans(self) -> bool:
        """Whether the run has a plan side: records, plans, verdicts."""
        return bool(self.blocks)

    @model_validator(mode="after")
    def _sides_are_whole(self) -> RunConfig:
        """Judging plans needs all its sections; a run without any of them judges arguments."""
        problems = missing_sections(self)
        if problems:
            raise UnknownNamesError(problems)
        return self

    @model_validator(mode="after")
    def _names_are_known(self, info: ValidationInfo) -> RunConfig:
        # the workflow knows which tables and figures there are; a script reads what it has checked
        problems = unknown_names(self, (info.context or {}).get("results"))
        if problems:
            raise UnknownNamesError(problems)
        return self
