"""Whether a number of a run and a number of the paper come from the same experiment."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Literal, cast

import pandas as pd

from plumbline.config.cells import cells_of
from plumbline.config.settings import RunConfig
from plumbline.records import TIERS
from plumbline.tables.paper_readings import setting
from plumbline.tables.published import GENERATORS, OPEN_WEIGHT, published

Same = Literal[
    "yes", "simulation", "other count", "other reading", "other tiers", "other model", "other corpus"
]
"""Whether it is the same experiment, or the first thing that differs."""

COMPARED: tuple[Same, ...] = ("yes", "simulation", "other count")
"""Where the paper's figure stands beside ours."""

HELP = (
    "yes: the paper's records, models and numbers of plans. other count: another number of plans was judged. "
    "other model: a judge or generator that the paper does not have, or a mean over other judges or "
    "generators. other tiers: a mean over other tiers. other reading: a setting counts otherwise than the "
    "paper, for instance `alignment.weighting`. "
    "simulation: the answers were drawn from an error model. no figure: the paper prints none for this row."
)

Pool = Literal["open_weight", "all"]
Seats = Literal["panel", "jury"]
"""Who a mean over judges is over: those inside the means of the block, or the members of its jury."""

RECORDS = 3808
"""Records of the paper (A1)."""


@dataclass(frozen=True)
class Experiment:
    """What a block of a run, or the whole run, shares with the AgentJudgeBench paper.

    Parameters
    ----------
    sources
        Number of records by source.
    judges, generators
        Engine of each; `perturb` for a generator without a model, `released` where no model was asked.
    open_weight
        Generators that are pooled where those with open weights are.
    counts
        Plans that count, by generator and tier (A20).
    meta_judges
        Engine of each model that validates the rewrites.
    seats
        Judges that means are over, and members of the jury.
    tiers
        Tiers that means are over.
    """

    sources: dict[str, int]
    judges: dict[str, str]
    generators: dict[str, str]
    open_weight: frozenset[str]
    counts: dict[tuple[str, str], int]
    meta_judges: dict[str, str] = field(default_factory=dict)
    seats: dict[Seats, frozenset[str]] = field(default_factory=dict)
    tiers: frozenset[str] = frozenset(TIERS)

    @classmethod
    def of(cls, config: RunConfig, plans: pd.DataFrame, block: str | None = None) -> Experiment:
        """Describe a run by its settings and its scored plans, as `collect_plans` gives them.

        Parameters
        ----------
        config, plans
            The run.
        block
            The block whose judges, generators and tiers are meant; None for all of the run.
        """
        cells = [] if block is None else cells_of(config, block)
        judges = dict.fromkeys(cell.judge for cell in cells) if cells else config.judges
        generators = dict.fromkeys(cell.generator for cell in cells) if cells else config.generators
        panel = frozenset(judges) - frozenset(config.agreement.outside)
        members = config.jury.members
        sources = plans.drop_duplicates("record_id")["source"].value_counts()
        chosen = plans[usable(config, plans)]
        counts = Counter(zip(chosen["generator"].astype(str), chosen["tier"].astype(str), strict=True))
        named = frozenset(config.open_weight) & frozenset(generators)

        def engine(model: str | None) -> str:
            if config.released is not None:
                return "released"
            return "perturb" if model is None else config.models[model].engine

        return cls(
            sources={str(name): int(count) for name, count in sources.items()},
            judges={slug: engine(config.judges[slug].model) for slug in judges},
            generators={slug: engine(config.generators[slug].model) for slug in generators},
            open_weight=named or frozenset(generators),
            counts=dict(counts),
            meta_judges={
                slug: config.models[slug].engine
                for slug in (config.validation.models if config.validation else ())
            },
            seats={
                "panel": panel,
                "jury": panel if members == "all" else frozenset(judges) & frozenset(members),
            },
            tiers=frozenset(cell.tier for cell in cells) or frozenset(config.tiers),
        )

    @property
    def other_corpus(self) -> bool:
        """Whether the run holds records that are not AgentJudgeBench's, real or simulated."""
        return not set(self.sources) <= {"agentjudgebench", "simulated"}

    @property
    def simulated(self) -> bool:
        """Whether answers of a judge or a generator are drawn from an error model."""
        return "simulated" in {*self.sources, *self.judges.values(), *self.generators.values()}

    @property
    def told(self) -> str:
        """The run's records, as in a sentence."""
        return ", ".join(f"{count:,} from {name}" for name, count in self.sources.items()) or "none"

    def pooled(self, pool: Pool) -> frozenset[str]:
        """Give the generators that the run pools."""
        return self.open_weight if pool == "open_weight" else frozenset(self.generators)

    def same(
        self,
        judges: Iterable[str] = (),
        generators: Iterable[str] = (),
        tiers: Iterable[str] = TIERS,
        pooled: Pool | None = None,
        counts: Literal["plans", "records"] = "plans",
        *,
        meta_judges: Iterable[str] = (),
        panel: Iterable[str] = (),
        seats: Seats = "panel",
        readings: Iterable[str] = (),
    ) -> Same:
        """Say whether a number is the same experiment as the paper's.

        Parameters
        ----------
        judges, generators, tiers
            What the number is about; the names of judges and generators are the paper's. Of several tiers
            it is a mean, or a range over them.
        pooled
            Which generators the paper pools in it; None if it is about single ones.
        counts
            What must be equal in number: the judged plans of each cell, or only the records.
        meta_judges
            Meta-judges that the number is about.
        panel, seats
            Judges that it is a mean over, a range or a ranking of; none if it is about single ones. They must
            be all that the block has in these seats.
        readings
            Settings of the table that are not the paper's, as `other_readings` gives them.
        """
        panel, generators, tiers = frozenset(panel), frozenset(generators), frozenset(tiers)
        chosen = frozenset(judges) | panel
        if self.other_corpus:
            return "other corpus"
        if pooled is not None and generators != OF_PAPER[pooled]:
            return "other model"
        if panel and self.seats.get(seats) != panel:
            return "other model"
        engines = {self.judges.get(name, "none") for name in chosen}
        engines |= {self.generators.get(name, "none") for name in generators}
        engines |= {self.meta_judges.get(name, "none") for name in meta_judges}
        if engines & {"embedded", "perturb", "none"}:
            return "other model"
        if (chosen or generators) and (tiers - self.tiers or (len(tiers) > 1 and tiers != self.tiers)):
            return "other tiers"
        if any(True for _ in readings):
            return "other reading"
        if "simulated" in engines or "simulated" in self.sources:
            return "simulation"
        if counts == "records":
            return "yes" if sum(self.sources.values()) == RECORDS else "other count"
        wanted = valid_counts()
        cells = [(generator, tier) for generator in generators for tier in tiers]
        return "yes" if all(self.counts.get(cell) == wanted.get(cell) for cell in cells) else "other count"


OF_PAPER: dict[Pool, frozenset[str]] = {
    "open_weight": frozenset(OPEN_WEIGHT),
    "all": frozenset(GENERATORS),
}
"""Generators that the paper pools."""


def chosen_pool(config: RunConfig, pools: str) -> Pool:
    """Look up which generators a table pools: a pool itself, a setting as a dotted path, or empty for all."""
    if "." not in pools:
        return cast(Pool, pools or "all")
    return cast(Pool, setting(config, pools))


def usable(config: RunConfig, plans: pd.DataFrame) -> pd.Series:
    """Say which plans count: ok and, if the run excludes them, not without calls (C-A48)."""
    ok = plans["plan_status"] == "ok"
    return ok & (plans["calls"].fillna(0) > 0) if config.plans.zero_calls == "exclude" else ok


def valid_counts() -> dict[tuple[str, str], int]:
    """Give the paper's number of judged plans by generator and tier (A20)."""
    table = published("valid_counts")
    rows = zip(table["generator"], table["tier"], table["valid_records"], strict=True)
    return {(str(generator), str(tier)): int(count) for generator, tier, count in rows}
