"""Settings of the tables that ask whether a finding depends on how it is counted."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, model_validator

from plumbline.config.models import Section, Slug

Weight = Annotated[float, Field(ge=0, allow_inf_nan=False)]


class MetricWeights(Section):
    """How much each metric weighs."""

    tool_selection: Weight = 1.0
    """Weight of tool selection."""
    parameter_structure: Weight = 1.0
    """Weight of parameter structure."""
    sequence: Weight = 1.0
    """Weight of the sequence."""
    query_coverage: Weight = 1.0
    """Weight of query coverage."""

    @model_validator(mode="after")
    def _a_metric_is_left(self) -> MetricWeights:
        if not any(self.model_dump().values()):
            raise ValueError("must leave at least one metric a weight above 0")
        return self


class Weights(Section):
    """Alignment with metrics that weigh differently (A27)."""

    schemes: dict[str, MetricWeights] = {
        "sequence_x2": MetricWeights(sequence=2),
        "parameter_x2": MetricWeights(parameter_structure=2),
        "coverage_x0.5": MetricWeights(query_coverage=0.5),
        "sequence_x2_parameter_x2": MetricWeights(sequence=2, parameter_structure=2),
    }
    """Schemes that are compared with equal weights, by a name of your own. By default the four that the paper
    lists: sequence, parameter structure, and both, doubled, and query coverage halved (C-A45)."""


class Binary(Section):
    """What becomes of verdicts of 0.5 on a scale of two marks (A52)."""

    reference: Literal["collapsed", "raw"] = "collapsed"
    """Whether the programmatic score is moved to 0 or 1 as well; the other reading stands beside (C-A44)."""


class SelfBias(Section):
    """Whether a judge favours the plans of its own model (A53)."""

    condition: Slug = "all"
    """The one condition that is shown; `all` shows all, those with the expected calls first (C-A39)."""


class Mismatch(Section):
    """Which metrics a judge gets wrong (A54)."""

    unit: Literal["count", "error"] = "count"
    """What is shared out: verdicts that differ from the program, or the sum of the differences (C-A38)."""


class OverAnchoring(Section):
    """Verdicts that the expected calls make too lenient (A48)."""

    rule: Literal["draft", "script"] = "draft"
    """`draft`: above the program with the expected calls, at most 0.1 above it without. `script`: the program
    is below 1, the verdict 1 with them and lower without (C-A20)."""
    judge: Slug | None = None
    """Whose instances are listed; null lists those of the judge that has most."""
