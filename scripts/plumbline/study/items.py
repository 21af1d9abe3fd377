"""What an annotator sees of one plan."""

from __future__ import annotations

from plumbline.records.model import METRICS, ExpectedCall, Item, Tier, Tool, ToolCall, Topology

SHOWN_LENGTH = 12
"""Characters of the digest that says what an annotator saw."""


class StudyItem(Item):
    """One plan of the sample: all that annotators see, and nothing that a judge said of it (A44).

    The generator is named for the tables; the sheet does not show it.
    """

    id: str
    topology: Topology
    tier: Tier
    generator: str
    query: str
    tools: tuple[Tool, ...]
    calls: tuple[ToolCall, ...]
    expected_calls: tuple[ExpectedCall, ...]
    tool_selection: float
    parameter_structure: float
    sequence: float
    query_coverage: float

    @property
    def scores(self) -> dict[str, float]:
        """The four programmatic scores, each in [0, 1]."""
        return {metric: float(getattr(self, metric)) for metric in METRICS}
