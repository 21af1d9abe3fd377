"""The table of a rehearsal."""

from __future__ import annotations

from plumbline.tables.spec import TableSpec

REHEARSAL = "Rehearsal"
"""Category of the report."""

SPECS = (
    TableSpec(
        name="rehearsal_coverage",
        title="Rehearsal: targets inside their intervals",
        about="How often the interval of a simulated cell holds the alignment it was made to have.",
        item="A21",
        question=REHEARSAL,
        kind="table",
        by_condition=False,
        builder="rehearsal:rehearsal_table",
    ),
)
