"""Settings of argument judging (D1 to D50): data sets, references, inputs, judges, blocks, readings."""

from __future__ import annotations

from collections.abc import Collection
from typing import Literal, get_args

from pydantic import Field

from plumbline.config.argument_datasets import ArgumentDataset, Proposer
from plumbline.config.argument_references import ArgumentInput, ArgumentJudge, ArgumentReference, YesNo
from plumbline.config.models import Names, Section, Share, Slug
from plumbline.records.arguments import Role


class Window(Section):
    """What Plain shows of the history (D9)."""

    steps: int = Field(default=3, ge=0)
    """Most recent steps that are shown with their returns."""
    steps_by_dataset: dict[Slug, int] = {"fintrace": 5}
    """The same for single data sets, by name or by kind."""
    count_calls: list[Slug] = ["fintrace"]
    """Data sets whose window counts single calls instead of steps, by name or by kind (C-D20)."""
    cut: int = Field(default=1000, ge=1)
    """Characters that are kept of each return."""


class Ladder(Section):
    """How a state's inputs are made to fit (D10, D12; C-D18, C-D19)."""

    limit: int = Field(default=2048, ge=128)
    """Most tokens of the longest Plain or DeRef input of a state."""
    full_limit: int = Field(default=32768, ge=128)
    """Most tokens of an input with the full history."""
    tokenizer: str | None = None
    """What counts the tokens: a `tokenizer.json`, a GGUF file, a name that Hugging Face knows, or
    `characters` (a quarter of the characters); null takes the weights of the first embedded judge, else
    `Qwen/Qwen3-8B`, and `characters` if all judges are simulated."""
    request_left: int = Field(default=40, ge=1)
    """Tokens of the request that stay at the least when it is hollowed out."""


class Snippets(Section):
    """Passages of the full history around a value (D38)."""

    around: int = Field(default=150, ge=0)
    """Characters on each side of an occurrence; passages that touch or overlap become one."""
    longest: int = Field(default=450, ge=1)
    """Characters that stay of a passage that was merged from several."""
    count: int = Field(default=3, ge=1)
    """Most passages, the most recent ones first."""


class Paths(Section):
    """How a value is matched with the texts it can come from (D2; C-D1 to C-D6)."""

    normalise: Literal["nfkc_casefold", "none"] = "nfkc_casefold"
    """Unicode NFKC, case-folding, collapsed white space; or the text as it stands."""
    boundaries: bool = True
    """Whether a match may not sit inside a longer run of letters and digits."""
    assistant_text: Literal["history", "dialogue", "none"] = "history"
    """Whether what the assistant said is part of the history alone, of the dialogue that is in view, or
    neither (C-D2)."""
    system_text: Literal["history", "dialogue"] = "history"
    """Whether system messages are part of the history alone, or of the dialogue that is in view. D2 and D9
    count the turns of the user as the dialogue."""
    formats: list[Literal["dates", "times", "numbers", "units", "plural", "separators", "bfcl"]] = [
        "dates",
        "times",
        "numbers",
        "units",
        "plural",
        "separators",
        "bfcl",
    ]
    """Format normalisations of the path `format`; one at a time (C-D3)."""
    default_phrases: list[str] = [
        "default",
        "any",
        "all",
        "none",
        "not specified",
        "dontcare",
        "do not care",
    ]
    """Words that make a sentence of a parameter's description name its don't-care value (C-D4)."""
    context: Literal["plain", "input"] = "plain"
    """Whether a value's path is found once, in what Plain shows, or for each input in what that one shows of
    the history (C-D6)."""
    short_values: Literal["tokens", "exclude"] = "tokens"
    """Values of at most three characters match as whole tokens and are flagged, or stay out of all tables."""

    def roles_in_view(self) -> frozenset[Role]:
        """Give whose text is dialogue: Plain shows it."""
        chosen: dict[Role, str] = {"system": self.system_text, "assistant": self.assistant_text}
        return frozenset(["user", *(role for role, part in chosen.items() if part == "dialogue")])

    def roles_in_history(self) -> frozenset[Role]:
        """Give whose text is part of the history at all."""
        return frozenset(get_args(Role)) - ({"assistant"} if self.assistant_text == "none" else set())


class Parser(Section):
    """How the value that a reference states is read (D16, C-D11)."""

    cues: list[str] = [
        "should be",
        "must be",
        "value is",
        "is therefore",
        "therefore",
        "so the value",
        "expected value",
    ]
    """Words after which the conclusion stands."""
    undetermined: list[str] = [
        "not determined",
        "cannot be determined",
        "nothing in the context",
        "does not settle",
    ]
    """Words that say that the context settles no value."""


class Gap(Section):
    """The derivation gap (D17 to D19)."""

    rate: float = Field(default=0.8, gt=0, lt=1)
    """Share of the correct values that the threshold accepts (C-D35)."""
    rates: list[float] = [0.7, 0.8, 0.9]
    """The same for the table of other rates (C-D34)."""


class QueryBootstrap(Section):
    """Confidence intervals by resampling queries (D20)."""

    cluster: Literal["query", "state"] = "query"
    """What is drawn as a whole: the query, that is the request, the task or the query id of the source, with
    all of its states (C-D23); or each state for itself, as if states of a query were independent."""

    resamples: int = Field(default=1000, ge=100)
    """Resamples."""
    level: float = Field(default=0.95, gt=0, lt=1)
    """Coverage of the intervals."""
    seed: int = Field(default=20260930, ge=0)
    """Seed of the draws (C-D23)."""


class ArgumentBlock(Section):
    """A named set of argument cells: the main experiment, or one controlled test."""

    judges: Names = "all"
    """Judges of the block."""
    datasets: Names = "all"
    """Data sets of the block."""
    inputs: list[Slug] = Field(min_length=1)
    """Inputs of the block."""
    compare: dict[Slug, Slug | list[Slug]] = Field(default_factory=dict)
    """The input, or inputs, that an input is compared with; by default the first of the block."""
    averaged: Names = "all"
    """Judges whose mean is shown, by default all of the block that are models. A mean is shown only where
    each of them has a number."""
    averaged_by_input: dict[Slug, list[Slug]] = Field(default_factory=dict)
    """The same for single inputs, and for what is compared with them: for instance without a judge that the
    full history is too long for."""
    leave_out: dict[Slug, list[Slug]] = Field(default_factory=dict)
    """Inputs that single judges do not read, for instance the full history if it is too long for them."""
    tables: list[Slug] = Field(default_factory=list)
    """Tables and figures that are made of this block; `plumbline tables` lists them."""


class Arguments(Section):
    """Judging single argument values."""

    datasets: dict[Slug, ArgumentDataset] = Field(min_length=1)
    """Each data set by a name of your own."""
    proposers: dict[Slug, Proposer] = Field(default_factory=dict)
    """Who is asked for the next call at gold states."""
    judges: dict[Slug, ArgumentJudge] = Field(min_length=1)
    """Who judges values."""
    references: dict[Slug, ArgumentReference] = Field(default_factory=dict)
    """References that are made for inputs to show."""
    inputs: dict[Slug, ArgumentInput] = Field(min_length=1)
    """What judges read."""
    blocks: dict[Slug, ArgumentBlock] = Field(min_length=1)
    """The cells that are asked, and the tables made of them; each is a target of its own."""
    window: Window = Field(default_factory=Window)
    """What Plain shows."""
    ladder: Ladder = Field(default_factory=Ladder)
    """How inputs are made to fit."""
    parameter_line: dict[Slug, list[Literal["type", "enum", "default"]]] = {
        "fcrb": ["type", "enum", "default"],
        "cfb": ["enum"],
        "fintrace": [],
        "taubench": ["enum"],
    }
    """What the parameter's line tells of the schema besides name and description, by name or kind of the
    data set; all three for a data set that is not named."""
    facts_around: int = Field(default=40, ge=0)
    """Characters on each side of a word of the request that the schema's facts quote (D26)."""
    snippets: Snippets = Field(default_factory=Snippets)
    """Passages of the history around a value (D38)."""
    paths: Paths = Field(default_factory=Paths)
    """How derivation paths are found."""
    parser: Parser = Field(default_factory=Parser)
    """How a reference's value is read."""
    yes_no: YesNo = Field(default_factory=YesNo)
    """How the probability is read."""
    call_score: Literal["min_all", "min_arguments", "product", "mean_with_min"] = "min_all"
    """How argument scores and the whole-call score become a call's score (C-D9)."""
    gap: Gap = Field(default_factory=Gap)
    """The derivation gap."""
    bootstrap: QueryBootstrap = Field(default_factory=QueryBootstrap)
    """How intervals are made."""
    deletion_shares: dict[Slug, Share] = {"cfb": 0.03, "fintrace": 0.04}
    """Shares of the wrong items that the worst-case deletion removes, by data set (D43, C-D22)."""
    direct_compare_full_with: Literal["deref_full", "deref"] = "deref_full"
    """What a thinking judge with the full history is compared with (C-D13)."""

    def known_as(self, dataset: str, keys: Collection[str]) -> str:
        """Name the key under which settings by data set hold for one: its name, its base's, or its kind.

        Parameters
        ----------
        dataset
            Name of a data set; a controlled set has a base, the data set that it was made of.
        keys
            Names and kinds that there are settings for.
        """
        settings = self.datasets.get(dataset)
        while settings is not None and dataset not in keys:
            base = getattr(settings, "of", None)
            if base is None:
                return settings.kind
            dataset, settings = base, self.datasets.get(base)
        return dataset
