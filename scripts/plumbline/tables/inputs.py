"""What a table is made of: a block's verdicts and plans, and the records they rest on."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from plumbline.config.cells import cells_of
from plumbline.config.pooling import Pool, PoolOfAll
from plumbline.config.settings import RunConfig
from plumbline.records import METRICS, TIERS
from plumbline.statistics import Resampling, matches
from plumbline.tables.collect import PLAN_KEY

REFERENCES = [f"reference_{metric}" for metric in METRICS]
VERDICTS = [f"verdict_{metric}" for metric in METRICS]
MATCHES = [f"match_{metric}" for metric in METRICS]


@dataclass(frozen=True)
class Inputs:
    """The scored frames of one block.

    Parameters
    ----------
    config, block
        The run, and the name of the block.
    verdicts
        Scored verdicts of the block, as `collect_verdicts` gives them.
    plans
        Scored plans of the block, as `collect_plans` gives them; others are ignored.
    condition
        The one condition that a table by condition shows.
    root
        Folder of all runs, where tables that quote texts find them; None if it is not known.
    """

    config: RunConfig
    block: str
    verdicts: pd.DataFrame
    plans: pd.DataFrame
    condition: str | None = None
    root: Path | None = None

    @classmethod
    def read(
        cls,
        config: RunConfig,
        block: str,
        verdicts: Path,
        plans: Path,
        condition: str | None = None,
        root: Path | None = None,
    ) -> Inputs:
        """Read the two Parquet files of `collect_verdicts` and `collect_plans`."""
        return cls(config, block, pd.read_parquet(verdicts), pd.read_parquet(plans), condition, root)

    @cached_property
    def judges(self) -> list[str]:
        """Judges of the block, in the order of the configuration."""
        return list(dict.fromkeys(cell.judge for cell in cells_of(self.config, self.block)))

    @cached_property
    def panel(self) -> list[str]:
        """Judges of the block without those that stay out of means and rankings (`agreement.outside`)."""
        return [judge for judge in self.judges if judge not in self.config.agreement.outside]

    @cached_property
    def generators(self) -> list[str]:
        """Generators of the block, in the order of the configuration."""
        return list(dict.fromkeys(cell.generator for cell in cells_of(self.config, self.block)))

    @cached_property
    def open_weight_generators(self) -> list[str]:
        """Generators of the block that `open_weight` names; all of them if it names none of these (C-A2)."""
        named = [name for name in self.generators if name in self.config.open_weight]
        return named or self.generators

    def pooled_generators(self, pool: Pool | PoolOfAll) -> list[str]:
        """Give the generators whose plans a table pools."""
        return self.generators if pool.generators == "all" else self.open_weight_generators

    def generator_choices(self, pool: Pool) -> list[tuple[str, list[str]]]:
        """Give both sets of generators that a mean can be over, by label, the chosen one first.

        If `open_weight` names none of the block's generators, or all, there is one set: `all` (C-A1, C-A3).
        """
        both = {"open_weight": self.open_weight_generators, "all": self.generators}
        if both["open_weight"] == both["all"]:
            return [("all", both["all"])]
        return [(label, both[label]) for label in sorted(both, key=lambda label: label != pool.generators)]

    @cached_property
    def tiers(self) -> list[str]:
        """Tiers of the block, easiest first."""
        present = {cell.tier for cell in cells_of(self.config, self.block)}
        return [tier for tier in TIERS if tier in present]

    @cached_property
    def conditions(self) -> list[str]:
        """Conditions of the block; only the chosen one in a table by condition."""
        if self.condition is not None:
            return [self.condition]
        return list(dict.fromkeys(self.config.blocks[self.block].conditions))

    @cached_property
    def block_plans(self) -> pd.DataFrame:
        """Plans of the block's generators and tiers."""
        plans = self.plans
        return plans[plans["generator"].isin(self.generators) & plans["tier"].isin(self.tiers)]

    @cached_property
    def usable_plans(self) -> pd.DataFrame:
        """Plans that are ok and, if the run excludes them, not without calls (C-A48)."""
        plans = self.block_plans
        ok = plans["plan_status"] == "ok"
        if self.config.plans.zero_calls == "exclude":
            ok &= plans["calls"].fillna(0) > 0
        return plans[ok]

    @cached_property
    def block_verdicts(self) -> pd.DataFrame:
        """Verdicts of the block's cells, under the shown conditions."""
        table = self.verdicts
        shown = table["condition"].isin(self.conditions) & table["judge"].isin(self.judges)
        return table[shown & table["generator"].isin(self.generators) & table["tier"].isin(self.tiers)]

    @cached_property
    def ok_verdicts(self) -> pd.DataFrame:
        """Verdicts of the block that count, under the shown conditions.

        They are ok; with `alignment.pairing: both` the judge has an ok one on the plan under every condition
        that the block asks it about the plan (C-A6).
        """
        # a table by condition still pairs over all conditions of its block
        whole = self if self.condition is None else replace(self, condition=None)
        rows = whole.block_verdicts
        rows = rows[rows["status"] == "ok"]
        if self.config.alignment.pairing == "both":
            cells = pd.DataFrame(cells_of(self.config, self.block))
            asked = cells.groupby(["judge", "generator", "tier"])["condition"].size().rename("asked")
            wanted = rows.join(asked, on=["judge", "generator", "tier"])["asked"]
            rows = rows[rows.groupby([*PLAN_KEY, "judge"])["condition"].transform("nunique") == wanted]
        return rows[rows["condition"].isin(self.conditions)]

    @cached_property
    def records(self) -> pd.DataFrame:
        """Records of the block, sorted by id: `record_id`, `topology`, `family` (null without one)."""
        plans = self.block_plans[["record_id", "topology", "family"]]
        return plans.drop_duplicates("record_id").sort_values("record_id", ignore_index=True)

    @cached_property
    def resampling(self) -> Resampling:
        """Draw of records that all intervals of the block share (A21, C-A15)."""
        settings = self.config.bootstrap
        strata = self.records["topology"].to_numpy(dtype=str) if settings.strata == "topology" else None
        return Resampling(
            strata,
            units=len(self.records),
            resamples=settings.resamples,
            seed=settings.seed,
            clusters=self.families,
        )

    @cached_property
    def families(self) -> NDArray[np.str_] | None:
        """Cluster of each record, (records,): its template family, or itself; None without families."""
        family = self.records["family"]
        if self.config.bootstrap.clusters == "none" or family.isna().all():
            return None
        # a record that is its own cluster must not share a name with a family
        own = "record " + self.records["record_id"].astype(str)
        return ("family " + family.astype(str)).where(family.notna(), own).to_numpy(dtype=str)

    @cached_property
    def replicate_matches(self) -> pd.DataFrame:
        """Matches of every verdict that counts (A18), replicates apart.

        Returns
        -------
        pandas.DataFrame
            `record_id`, `topology`, `tier`, `generator`, `judge`, `condition`, `replicate` and
            `match_<metric>`, in points of 100.
        """
        rows = self.ok_verdicts
        found = matches(rows[REFERENCES].to_numpy(float), rows[VERDICTS].to_numpy(float)) * 100
        if self.config.verdicts.missing_metric == "zero":
            found = np.nan_to_num(found)
        if self.config.scoring.rounding == "released":
            found = found.round(2)  # the authors' pipeline keeps four decimals of a match (C-A9)
        key = ["topology", *PLAN_KEY, "judge", "condition", "replicate"]
        return rows[key].assign(**dict(zip(MATCHES, found.T, strict=True)))

    @cached_property
    def matched(self) -> pd.DataFrame:
        """Matches of the block (A18): one row per plan, judge and condition with an ok verdict.

        Returns
        -------
        pandas.DataFrame
            `record_id`, `topology`, `tier`, `generator`, `judge`, `condition`, `match_<metric>` and their
            mean `match`, in points of 100. Replicates are averaged, so that each plan weighs the same.
        """
        table = self.replicate_matches
        if table["replicate"].nunique() > 1:
            key = ["topology", *PLAN_KEY, "judge", "condition"]
            table = table.groupby(key, sort=False, as_index=False)[MATCHES].mean()
        match = table[MATCHES].mean(axis=1)
        return table.assign(match=match.round(2) if self.config.scoring.rounding == "released" else match)


def paired(table: pd.DataFrame, conditions: list[str]) -> pd.DataFrame:
    """Keep the plans that a judge's verdicts cover under every one of these conditions."""
    rows = table[table["condition"].isin(conditions)]
    seen = rows.groupby([*PLAN_KEY, "judge"])["condition"].transform("size")
    return rows[seen == len(conditions)]
