"""Every table and figure that a block can ask for: its name, its words, and who builds it.

Importing this module loads neither pandas nor matplotlib, so that a workflow may read it while parsing.
"""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, Literal, cast

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from plumbline.tables.inputs import Inputs
    from plumbline.tables.result import TableResult


@dataclass(frozen=True)
class TableSpec:
    """One table or figure.

    Parameters
    ----------
    name
        Slug, as in a block's `tables` and in file names.
    title
        Heading of its page.
    item
        Items of the specification that it answers; empty if it is our own.
    question
        Category of the report.
    kind
        Whether it is written as CSV and HTML, or as SVG.
    by_condition
        Whether there is one for each condition of the block.
    builder
        ``module:function`` inside `plumbline.tables`.
    """

    name: str
    title: str
    item: str
    question: str
    kind: Literal["table", "figure"]
    by_condition: bool
    builder: str

    @property
    def caption(self) -> str:
        """Path of the caption, reStructuredText."""
        return f"resources/captions/{self.name}.rst"

    def build(self, inputs: Inputs) -> TableResult | Figure:
        """Build it from the scored frames of a block; a figure if `kind` says so."""
        module, function = self.builder.split(":")
        builder = getattr(import_module(f"plumbline.tables.{module}"), function)
        return cast("TableResult | Figure", builder(inputs))


MAIN = "Main results"
METRICS_QUESTION = "RQ1 Which metrics"
COVERAGE = "Coverage"
FAULTS = "Faults"

_SPECS = (
    TableSpec(
        name="alignment",
        title="Alignment with the programmatic reference",
        item="A19",
        question=MAIN,
        kind="table",
        by_condition=False,
        builder="alignment:alignment_table",
    ),
    TableSpec(
        name="alignment_intervals",
        title="Alignment of every cell with its interval",
        item="A21",
        question=MAIN,
        kind="table",
        by_condition=False,
        builder="alignment:interval_table",
    ),
    TableSpec(
        name="degradation",
        title="Alignment by difficulty",
        item="A22",
        question=MAIN,
        kind="figure",
        by_condition=False,
        builder="alignment:degradation_figure",
    ),
    TableSpec(
        name="gt_lift",
        title="What seeing the expected calls changes",
        item="A24",
        question=MAIN,
        kind="table",
        by_condition=False,
        builder="lift:lift_table",
    ),
    TableSpec(
        name="generator_accuracy",
        title="Accuracy of the generators",
        item="A23",
        question=MAIN,
        kind="table",
        by_condition=False,
        builder="generators:accuracy_table",
    ),
    TableSpec(
        name="per_metric",
        title="Alignment by metric",
        item="A28",
        question=METRICS_QUESTION,
        kind="table",
        by_condition=False,
        builder="breakdowns:metric_table",
    ),
    TableSpec(
        name="per_metric_bars",
        title="Alignment by metric",
        item="A28",
        question=METRICS_QUESTION,
        kind="figure",
        by_condition=False,
        builder="breakdowns:metric_figure",
    ),
    TableSpec(
        name="per_topology",
        title="Alignment by topology",
        item="A29",
        question=METRICS_QUESTION,
        kind="table",
        by_condition=False,
        builder="breakdowns:topology_table",
    ),
    TableSpec(
        name="topology_heat_map",
        title="Alignment by topology",
        item="A29",
        question=METRICS_QUESTION,
        kind="figure",
        by_condition=True,
        builder="breakdowns:topology_figure",
    ),
    TableSpec(
        name="fault_detection",
        title="Which faults a judge notices",
        item="",
        question=FAULTS,
        kind="table",
        by_condition=False,
        builder="faults:fault_table",
    ),
    TableSpec(
        name="fault_heat_map",
        title="Which faults a judge notices",
        item="",
        question=FAULTS,
        kind="figure",
        by_condition=True,
        builder="faults:fault_figure",
    ),
    TableSpec(
        name="coverage",
        title="Verdicts asked for and read",
        item="A16, A20",
        question=COVERAGE,
        kind="table",
        by_condition=False,
        builder="coverage:coverage_table",
    ),
    TableSpec(
        name="plan_status",
        title="Plans written and lost",
        item="A20",
        question=COVERAGE,
        kind="table",
        by_condition=False,
        builder="coverage:plan_table",
    ),
)

TABLES: dict[str, TableSpec] = {spec.name: spec for spec in _SPECS}
"""All tables and figures by name, in the order of the report."""
