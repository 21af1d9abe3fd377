"""Every table and figure that a block can ask for.

Importing this module loads neither pandas nor matplotlib, so that a workflow may read it while parsing.
"""

from __future__ import annotations

from plumbline.tables import (
    ablation_specs,
    agreement_specs,
    argument_specs,
    main_specs,
    published_specs,
    rehearsal_specs,
    robustness_specs,
)
from plumbline.tables.corpus_specs import CORPUS_TABLES
from plumbline.tables.spec import TableSpec

__all__ = ["ARGUMENT_TABLES", "CORPUS_TABLES", "KINDS", "PLAN_TABLES", "TABLES", "TableSpec"]

TABLES: dict[str, TableSpec] = {
    spec.name: spec
    for specs in (
        main_specs.SPECS,
        agreement_specs.SPECS,
        robustness_specs.SPECS,
        ablation_specs.SPECS,
        published_specs.SPECS,
        rehearsal_specs.SPECS,
        argument_specs.SPECS,
    )
    for spec in specs
}
"""All tables and figures by name, in the order of the report."""

KINDS = {name: spec.kind if spec.unit == "plan" else f"argument {spec.kind}" for name, spec in TABLES.items()}
"""Whether each is a table or a figure, and whether of argument judging."""

PLAN_TABLES = [name for name, spec in TABLES.items() if spec.unit == "plan"]
"""Those that a block of `blocks` can ask for."""

ARGUMENT_TABLES = [name for name, spec in TABLES.items() if spec.unit == "argument"]
"""Those that a block of `arguments.blocks` can ask for."""
