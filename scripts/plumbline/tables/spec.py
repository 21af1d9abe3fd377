"""What is known of a table before it is built: its name, its words, and who builds it."""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, Literal, cast

if TYPE_CHECKING:
    from matplotlib.figure import Figure

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
    about
        One line for the list of all results.
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
    reads_annotations
        Whether it reads the file of human annotations, and is made again when that changes.
    unit
        What is judged in the blocks that can ask for it: whole plans, or argument values.
    """

    name: str
    title: str
    about: str
    item: str
    question: str
    kind: Literal["table", "figure"]
    by_condition: bool
    builder: str
    reads_annotations: bool = False
    unit: Literal["plan", "argument"] = "plan"

    @property
    def caption(self) -> str:
        """Path of the caption, reStructuredText."""
        return f"resources/captions/{self.name}.rst"

    def build(self, inputs: object) -> TableResult | Figure:
        """Build it from the inputs of its unit; a figure if `kind` says so."""
        module, function = self.builder.split(":")
        builder = getattr(import_module(f"plumbline.tables.{module}"), function)
        return cast("TableResult | Figure", builder(inputs))


MAIN = "Main results"
METRICS_QUESTION = "RQ1 Which metrics"
AGREEMENT = "RQ2 Agreement of judges"
JURY = "RQ3 Juries and shared errors"
COVERAGE = "Coverage"
FAULTS = "Faults"
TEMPERATURE_QUESTION = "RQ4 Temperature"
THINKING_QUESTION = "RQ5 Thinking"
FORMAT_QUESTION = "RQ6 Prompt format"
ABLATIONS = "Ablations"
PEOPLE = "Human annotations"
ROBUSTNESS = "Robustness"
CORPUS = "Corpus"
PAPER = "The paper"
"""Categories of the report."""
