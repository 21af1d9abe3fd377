"""The tables and figures of the corpus; they are made once a run, of no block."""

from __future__ import annotations

from plumbline.tables.spec import CORPUS as QUESTION
from plumbline.tables.spec import TableSpec

SPECS = (
    TableSpec(
        name="topology_counts",
        title="Records by topology",
        about="records and share of each topology",
        item="A42",
        question=QUESTION,
        kind="table",
        by_condition=False,
        builder="corpus:topology_counts",
    ),
    TableSpec(
        name="topology_shares",
        title="Records by topology, drawn",
        about="records and share of each topology, pie and bars",
        item="A42",
        question=QUESTION,
        kind="figure",
        by_condition=False,
        builder="corpus:topology_shares",
    ),
    TableSpec(
        name="structure_stats",
        title="What records are made of",
        about="tools, parameters and expected calls: least, most, mean, median",
        item="A43",
        question=QUESTION,
        kind="table",
        by_condition=False,
        builder="corpus:structure_stats",
    ),
    TableSpec(
        name="structure_histograms",
        title="What records are made of, drawn",
        about="histograms of tools, parameters and expected calls",
        item="A43",
        question=QUESTION,
        kind="figure",
        by_condition=False,
        builder="corpus:structure_histograms",
    ),
    TableSpec(
        name="corpus_domains",
        title="Records by source and domain",
        about="records, tier inputs and tools of each source and domain",
        item="A1",
        question=QUESTION,
        kind="table",
        by_condition=False,
        builder="corpus:corpus_domains",
    ),
    TableSpec(
        name="rewrite_status",
        title="Where medium and hard queries come from",
        about="statuses of the rewrites by topology and tier",
        item="A6, A7",
        question=QUESTION,
        kind="table",
        by_condition=False,
        builder="corpus:rewrite_status",
    ),
    TableSpec(
        name="gate_findings",
        title="What the quality gates find",
        about="findings of both gates by source and code",
        item="A4, A5",
        question=QUESTION,
        kind="table",
        by_condition=False,
        builder="corpus:gate_findings",
    ),
)
"""Of every run."""

VALIDATION_SPECS = (
    TableSpec(
        name="rewrite_yes_rates",
        title="What meta-judges say of the rewrites",
        about="share of yes by criterion and meta-judge",
        item="A49",
        question=QUESTION,
        kind="table",
        by_condition=False,
        builder="rewrite_validation:yes_rates",
    ),
    TableSpec(
        name="rewrite_unanimity",
        title="Where meta-judges agree on the rewrites",
        about="all yes, all no, mixed, by criterion",
        item="A50",
        question=QUESTION,
        kind="table",
        by_condition=False,
        builder="rewrite_validation:unanimity",
    ),
    TableSpec(
        name="rewrite_without_one",
        title="Agreement on the rewrites without one meta-judge",
        about="unanimity without each meta-judge in turn",
        item="A51",
        question=QUESTION,
        kind="table",
        by_condition=False,
        builder="rewrite_validation:without_one",
    ),
    TableSpec(
        name="rewrite_losses",
        title="What a program finds lost in the rewrites",
        about="values, entities and sub-goals that rewrites lost, beside what meta-judges say",
        item="A6, A49",
        question=QUESTION,
        kind="table",
        by_condition=False,
        builder="rewrite_validation:program_losses",
    ),
)
"""Of a run with meta-judges."""

CORPUS_TABLES: dict[str, TableSpec] = {spec.name: spec for spec in (*SPECS, *VALIDATION_SPECS)}
"""All of them by name, in the order of the report."""


def chosen_specs(validated: bool) -> list[TableSpec]:
    """Give the tables and figures that a run makes, with those of the meta-judges if it has any."""
    return [*SPECS, *(VALIDATION_SPECS if validated else ())]
