"""Every table and figure that a block can ask for.

Importing this module loads neither pandas nor matplotlib, so that a workflow may read it while parsing.
"""

from __future__ import annotations

from plumbline.tables import (
    ablation_specs,
    agreement_specs,
    main_specs,
    published_specs,
    rehearsal_specs,
    robustness_specs,
)
from plumbline.tables.corpus_specs import CORPUS_TABLES
from plumbline.tables.spec import TableSpec

__all__ = ["CORPUS_TABLES", "KINDS", "TABLES", "TableSpec"]

TABLES: dict[str, TableSpec] = {
    spec.name: spec
    for specs in (
        main_specs.SPECS,
        agreement_specs.SPECS,
        robustness_specs.SPECS,
        ablation_specs.SPECS,
        published_specs.SPECS,
        rehearsal_specs.SPECS,
    )
    for spec in specs
}
"""All tables and figures by name, in the order of the report."""

KINDS = {name: spec.kind for name, spec in TABLES.items()}
"""Whether each is a table or a figure."""
