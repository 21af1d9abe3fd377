"""Settings of tables that pool plans: whose plans, what weighs the same, how judges are compared."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, model_validator

from plumbline.config.models import Section, Share, Slug


class Pool(Section):
    """Which plans a table pools."""

    generators: Literal["open_weight", "all"] = "open_weight"
    """Generators whose plans are pooled: those of `open_weight`, or all of the block (C-A2)."""


class PooledMean(Pool):
    """Which plans a table averages over, and what weighs the same."""

    average: Literal["records", "cells"] = "records"
    """Every record weighs the same, or every cell of generator and tier (C-A2)."""


class PoolOfAll(Section):
    """Which plans a table of all generators pools."""

    generators: Literal["all", "open_weight"] = "all"
    """Generators whose plans are pooled: all of the block, or those of `open_weight` (C-A2)."""


class MeanOfAll(PoolOfAll):
    """Which plans a table of all generators averages over, and what weighs the same."""

    average: Literal["records", "cells"] = "records"
    """Every record weighs the same, or every cell of generator and tier (C-A2)."""


class MeanOfCells(PoolOfAll):
    """Which cells a table averages over, and what weighs the same."""

    average: Literal["cells", "records"] = "cells"
    """Every cell of generator and tier weighs the same, or every record (C-A2)."""


class SharedFailures(Pool):
    """When a verdict is a misjudgement."""

    tolerance: Share = 0.25
    """A score further than this from the program's is one; at 0.25 another mark would have been nearer."""


class TableOptions(Section):
    """Readings of single tables."""

    per_metric: PooledMean = Field(default_factory=PooledMean)
    """Alignment by metric (A28), table and figure."""
    per_topology: PooledMean = Field(default_factory=PooledMean)
    """Alignment by topology (A29), table and figure."""
    agreement: Pool = Field(default_factory=Pool)
    """All tables and figures of pairs of judges (A30 to A33)."""
    soft_jury: PooledMean = Field(default_factory=PooledMean)
    """The jury and what explains it (A34, A35)."""
    correlated_failures: SharedFailures = Field(default_factory=SharedFailures)
    """Plans that every judge misjudges."""
    weight_schemes: PooledMean = Field(default_factory=PooledMean)
    """Metrics that weigh differently (A27)."""
    parameter_weight: MeanOfAll = Field(default_factory=MeanOfAll)
    """A lower weight for parameter structure (A46)."""
    extra_keys: MeanOfAll = Field(default_factory=MeanOfAll)
    """Other readings of extra argument keys (A47), both tables."""
    binary_scale: MeanOfCells = Field(default_factory=MeanOfCells)
    """Verdicts on two marks (A52)."""
    mismatch_share: Pool = Field(default_factory=Pool)
    """Which metrics a judge gets wrong (A54)."""


class Agreement(Section):
    """How the verdicts of two judges are compared (A30)."""

    thresholds: Annotated[list[Share], Field(min_length=2, max_length=2)] = [0.1, 0.9]
    """A score up to the first is 0, from the second on 1, between them 0.5 (C-A16)."""
    undefined: Literal["missing", "zero"] = "missing"
    """Kappa of two judges that gave one and the same mark throughout (C-A16)."""
    outside: list[Slug] = ["prometheus_2"]
    """Judges that are compared with all others but stay out of means and extremes."""

    @model_validator(mode="after")
    def _thresholds_rise(self) -> Agreement:
        low, high = self.thresholds
        if low >= high:
            raise ValueError("thresholds must rise, for instance [0.1, 0.9]")
        return self


class Jury(Section):
    """The jury whose verdict is the mean of its members' (A34)."""

    members: Annotated[list[Slug], Field(min_length=1)] | Literal["all"] = "all"
    """Judges of the jury; `all` takes those of the block without `agreement.outside` (C-A18)."""
    require_all: bool = True
    """Whether only plans with a verdict of every member count; else the mean is over those there are."""
    resamples: int = Field(default=1000, ge=100)
    """Resamples of the records for the jury's intervals."""
