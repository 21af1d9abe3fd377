"""Whether a number of a run and a number of the paper come from the same experiment."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, Literal, cast

import pandas as pd

from plumbline.config.settings import RunConfig
from plumbline.records import TIERS
from plumbline.tables.published import GENERATORS, OPEN_WEIGHT, published

Same = Literal["yes", "simulation", "other count", "other model", "other corpus"]
"""Whether it is the same experiment, or the first thing that differs."""

COMPARED: tuple[Same, ...] = ("yes", "simulation", "other count")
"""Where the paper's figure stands beside ours."""

HELP = (
    "yes: the paper's records, models and numbers of plans. other count: another number of plans was judged. "
    "other model: a judge or generator that the paper does not have, or other generators pooled. "
    "simulation: the answers were drawn from an error model. no figure: the paper prints none for this row."
)

Pool = Literal["open_weight", "all"]

RECORDS = 3808
"""Records of the paper (A1)."""


@dataclass(frozen=True)
class Experiment:
    """What a run shares with the AgentJudgeBench paper.

    Parameters
    ----------
    sources
        Number of records by source.
    judges, generators
        Engine of each; `perturb` for a generator without a model, `released` where no model was asked.
    open_weight
        Generators that the run pools where it pools those with open weights.
    counts
        Plans that count, by generator and tier (A20).
    meta_judges
        Engine of each model that validates the rewrites.
    """

    sources: dict[str, int]
    judges: dict[str, str]
    generators: dict[str, str]
    open_weight: frozenset[str]
    counts: dict[tuple[str, str], int]
    meta_judges: dict[str, str] = field(default_factory=dict)

    @classmethod
    def of(cls, config: RunConfig, plans: pd.DataFrame) -> Experiment:
        """Describe a run by its settings and its scored plans, as `collect_plans` gives them."""
        sources = plans.drop_duplicates("record_id")["source"].value_counts()
        chosen = plans[usable(config, plans)]
        counts = Counter(zip(chosen["generator"].astype(str), chosen["tier"].astype(str), strict=True))
        named = frozenset(config.open_weight) & frozenset(config.generators)

        def engine(model: str | None) -> str:
            if config.released is not None:
                return "released"
            return "perturb" if model is None else config.models[model].engine

        return cls(
            sources={str(name): int(count) for name, count in sources.items()},
            judges={slug: engine(judge.model) for slug, judge in config.judges.items()},
            generators={slug: engine(generator.model) for slug, generator in config.generators.items()},
            open_weight=named or frozenset(config.generators),
            counts=dict(counts),
            meta_judges={
                slug: config.models[slug].engine
                for slug in (config.validation.models if config.validation else ())
            },
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
    ) -> Same:
        """Say whether a number is the same experiment as the paper's.

        Parameters
        ----------
        judges, generators, tiers
            What the number is about; the names of judges and generators are the paper's.
        pooled
            Which generators the paper pools in it; None if it is about single ones.
        counts
            What must be equal in number: the judged plans of each cell, or only the records.
        meta_judges
            Meta-judges that the number is about.
        """
        chosen, generators = frozenset(judges), frozenset(generators)
        if self.other_corpus:
            return "other corpus"
        if pooled is not None and generators != OF_PAPER[pooled]:
            return "other model"
        engines = {self.judges.get(name, "none") for name in chosen}
        engines |= {self.generators.get(name, "none") for name in generators}
        engines |= {self.meta_judges.get(name, "none") for name in meta_judges}
        if engines & {"embedded", "perturb", "none"}:
            return "other model"
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
    value: Any = config
    for part in pools.split("."):
        value = getattr(value, part)
    return cast(Pool, value)


def usable(config: RunConfig, plans: pd.DataFrame) -> pd.Series:
    """Say which plans count: ok and, if the run excludes them, not without calls (C-A48)."""
    ok = plans["plan_status"] == "ok"
    return ok & (plans["calls"].fillna(0) > 0) if config.plans.zero_calls == "exclude" else ok


def valid_counts() -> dict[tuple[str, str], int]:
    """Give the paper's number of judged plans by generator and tier (A20)."""
    table = published("valid_counts")
    rows = zip(table["generator"], table["tier"], table["valid_records"], strict=True)
    return {(str(generator), str(tier)): int(count) for generator, tier, count in rows}
