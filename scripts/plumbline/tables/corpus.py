"""Tables of the corpus itself: shapes, sizes, domains, rewrites, findings of the gates."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

import matplotlib as mpl
import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from plumbline.corpora.problems import CODES
from plumbline.corpora.tier_queries import REWRITTEN, is_rewritten, tier_query
from plumbline.records import TOPOLOGIES, Record
from plumbline.records.model import EXTRA_TOPOLOGIES
from plumbline.tables.corpus_inputs import CorpusInputs
from plumbline.tables.drawing import colour, nothing
from plumbline.tables.result import Column, TableResult
from plumbline.tables.style import INK, SOFT, STYLE

QUANTITIES = {
    "available_tools_per_record": "tools a record offers",
    "parameters_per_tool": "parameters of a tool",
    "expected_calls_per_record": "expected calls of a record",
    "share_of_tool_pool_used_by_expected_calls_pct": "tools that the expected calls use, % of those offered",
}
"""What the structure of the records is described by (A43)."""


def topology_counts(inputs: CorpusInputs) -> TableResult:
    """Count the records of each topology (A42); shapes outside the paper's six stand apart and are no share.

    Returns
    -------
    TableResult
        `topology` (the six, the others that occur, `all`), `records`, `share_pct` of the six.
    """
    counts = Counter[str](record.topology for record in inputs.records)
    inside = sum(counts[name] for name in TOPOLOGIES)
    rows: list[tuple[str, int, float | None, str | None]] = [
        (name, counts[name], 100 * counts[name] / inside if inside else None, None if inside else "no record")
        for name in TOPOLOGIES
    ]
    others = [name for name in EXTRA_TOPOLOGIES if counts[name]]
    rows += [(name, counts[name], None, "none of the paper's six shapes") for name in others]
    rows.append(("all", inside, 100.0 if inside else None, None if inside else "no record"))
    frame = pd.DataFrame(rows, columns=["topology", "records", "share_pct", "share_pct_reason"])
    frame["share_pct"] = frame["share_pct"].astype(float)
    columns = {
        "topology": Column("Topology"),
        "records": Column("Records", digits=0),
        "share_pct": Column("Share", "%", 1, "Of the records of the six topologies."),
    }
    outside = sum(counts[name] for name in EXTRA_TOPOLOGIES)
    notes = [f"{len(inputs.records):,} records, {inside:,} of the six topologies, {outside:,} of others."]
    return TableResult(frame, columns, tuple(notes))


def topology_shares(inputs: CorpusInputs) -> Figure:
    """Draw the share of each topology as pie and as bars (A42)."""
    counts = Counter[str](record.topology for record in inputs.records)
    names = [name for name in TOPOLOGIES if counts[name]]
    title = "Records by topology"
    if not names:
        return nothing(title)
    values = [counts[name] for name in names]
    with mpl.rc_context(STYLE):
        figure = Figure(figsize=(9.6, 3.9), layout="constrained")
        pie, bars = figure.subplots(1, 2, width_ratios=(1, 1.5))
        colours = [colour(TOPOLOGIES.index(name)) for name in names]
        pie.pie(
            values,
            colors=colours,
            startangle=90,
            counterclock=False,
            autopct=lambda share: f"{share:.0f}%" if share >= 5 else "",
            pctdistance=0.75,
            wedgeprops={"edgecolor": "white", "linewidth": 1.5},
            textprops={"color": "white", "fontsize": 9, "fontweight": "bold"},
        )
        places = np.arange(len(names))
        bars.barh(places, values, color=colours, height=0.7)
        bars.set_yticks(places, names)
        bars.tick_params(axis="y", labelcolor=INK)
        bars.invert_yaxis()
        bars.grid(visible=False)
        bars.set_xticks([])
        bars.spines["bottom"].set_visible(False)
        for place, value in zip(places, values, strict=True):
            bars.annotate(
                f"{value:,}  ({100 * value / sum(values):.1f}%)",
                (value, place),
                xytext=(4, 0),
                textcoords="offset points",
                va="center",
                fontsize=9,
                color=SOFT,
            )
        bars.set_xlim(0, 1.3 * max(values))
        figure.suptitle(title, x=0.01, ha="left", fontsize=12, fontweight="bold")
    return figure


def structure(records: Iterable[Record]) -> dict[str, list[float]]:
    """Give the values that the structure of unique records is described by (A43).

    Returns
    -------
    dict
        A key of `QUANTITIES` -> one value a record; `parameters_per_tool`: one a tool of each record.
    """
    unique = list({record.id: record for record in records}.values())
    used = [
        100 * len({call.name for call in record.expected_calls}) / len(record.tools)
        for record in unique
        if record.tools
    ]
    parameters = [len(tool.parameters.get("properties") or {}) for record in unique for tool in record.tools]
    return {
        "available_tools_per_record": [float(len(record.tools)) for record in unique],
        "parameters_per_tool": list(map(float, parameters)),
        "expected_calls_per_record": [float(len(record.expected_calls)) for record in unique],
        "share_of_tool_pool_used_by_expected_calls_pct": used,
    }


def structure_stats(inputs: CorpusInputs) -> TableResult:
    """Smallest, largest, mean and median of what records are made of (A43).

    Returns
    -------
    TableResult
        One row per quantity: `quantity`, `min`, `max`, `mean`, `median`, `n`.
    """
    rows = []
    for name, values in structure(inputs.records).items():
        found = (min(values), max(values), float(np.mean(values)), float(np.median(values)))
        rows.append((name, *(found if values else (None,) * 4), len(values)))
    frame = pd.DataFrame(rows, columns=["quantity", "min", "max", "mean", "median", "n"])
    columns = {
        "quantity": Column("Quantity"),
        "min": Column("Least", digits=1),
        "max": Column("Most", digits=1),
        "mean": Column("Mean", digits=1),
        "median": Column("Median", digits=1),
        "n": Column("N", digits=0, help="Records, or tools of records."),
    }
    said = "; ".join(f"{name}: {words}" for name, words in QUANTITIES.items())
    return TableResult(frame, columns, (f"Each record counts once. {said}.",))


def structure_histograms(inputs: CorpusInputs) -> Figure:
    """Draw how many tools, parameters and expected calls there are, the mean marked (A43)."""
    quantities = list(QUANTITIES)[:3]
    values = structure(inputs.records)
    title = "What records are made of"
    if not all(values[name] for name in quantities):
        return nothing(title)
    with mpl.rc_context(STYLE):
        figure = Figure(figsize=(10.4, 3.4), layout="constrained")
        for place, (axes, name) in enumerate(zip(figure.subplots(1, 3), quantities, strict=True)):
            found = np.asarray(values[name])
            edges = np.arange(found.min(), found.max() + 2) - 0.5
            axes.hist(found, bins=edges, color=colour(place), edgecolor="white", linewidth=0.8)
            mean = float(found.mean())
            axes.axvline(mean, color=INK, linewidth=1.2, linestyle="--")
            axes.annotate(
                f"mean {mean:.1f}",
                (mean, 1),
                xycoords=("data", "axes fraction"),
                xytext=(4, -10),
                textcoords="offset points",
                fontsize=9,
                color=INK,
            )
            axes.xaxis.set_major_locator(mpl.ticker.MaxNLocator(integer=True))
            axes.yaxis.set_major_locator(mpl.ticker.MaxNLocator(integer=True))
            axes.set_xlabel(QUANTITIES[name])
            axes.set_ylabel("tools" if name == "parameters_per_tool" else "records")
        figure.suptitle(title, x=0.01, ha="left", fontsize=12, fontweight="bold")
    return figure


def corpus_domains(inputs: CorpusInputs) -> TableResult:
    """Count records, tools and tier inputs by source and domain (A1)."""
    pairs = Counter((record.source, record.domain) for record in inputs.records)
    rows = []
    for (source, domain), count in sorted(pairs.items()):
        chosen = [record for record in inputs.records if (record.source, record.domain) == (source, domain)]
        tools = [len(record.tools) for record in chosen]
        topologies = len({record.topology for record in chosen})
        rows.append((source, domain, count, len(inputs.config.tiers) * count, *_span(tools), topologies))
    names = ["source", "domain", "records", "inputs", "fewest_tools", "most_tools", "topologies"]
    columns = {
        "source": Column("Source"),
        "domain": Column("Domain"),
        "records": Column("Records", digits=0),
        "inputs": Column("Tier inputs", digits=0, help="Records times tiers of the run."),
        "fewest_tools": Column("Fewest tools", digits=0),
        "most_tools": Column("Most tools", digits=0),
        "topologies": Column("Topologies", digits=0, help="Different shapes that occur."),
    }
    domains = len({record.domain for record in inputs.records})
    note = f"{len(inputs.records):,} records of {domains:,} domains."
    return TableResult(pd.DataFrame(rows, columns=names), columns, (note,))


def rewrite_status(inputs: CorpusInputs) -> TableResult:
    """Count, by topology and tier, where the medium and hard queries come from (A6, A7).

    Returns
    -------
    TableResult
        `topology`, `tier`, `records`, one column a status, `fallback_pct`: records whose tier has the easy
        query because it has neither one of its own, whatever its status, nor an ok rewrite.
    """
    tiers = [tier for tier in REWRITTEN if tier in inputs.config.tiers]
    found = []
    for tier in tiers:
        for record in inputs.records:
            rewrite = inputs.rewrites.get(record.id)
            status = tier_query(record, rewrite, tier)[1]
            found.append((record.topology, tier, status, is_rewritten(record, rewrite, tier)))
    statuses = sorted({row[2] for row in found})
    present = [name for name in (*TOPOLOGIES, *EXTRA_TOPOLOGIES) if any(row[0] == name for row in found)]
    rows = []
    for topology in [*present, "all"]:
        for tier in tiers:
            chosen = [row for row in found if row[1] == tier and topology in (row[0], "all")]
            counts = Counter(row[2] for row in chosen)
            total = len(chosen)
            lost = sum(not row[3] for row in chosen)
            rows.append(
                (topology, tier, total, *(counts[s] for s in statuses), 100 * lost / total if total else None)
            )
    frame = pd.DataFrame(rows, columns=["topology", "tier", "records", *statuses, "fallback_pct"])
    columns = {
        "topology": Column("Topology"),
        "tier": Column("Tier"),
        "records": Column("Records", digits=0),
        **{status: Column(status, digits=0) for status in statuses},
        "fallback_pct": Column("Fell back", "%", 1, "The easy query stands in the place of a rewrite."),
    }
    words = (
        "`given` comes with the source, `ok` is a checked rewrite. Another status is the reason why the easy "
        "query stands in, unless the source has a query of its own with it (`unknown`): that one is used."
    )
    return TableResult(frame, columns, (words,) if tiers else ("The run has the easy tier alone.",))


def gate_findings(inputs: CorpusInputs) -> TableResult:
    """Count what both gates find in each source (A4, A5).

    Returns
    -------
    TableResult
        `source`, `gate`, `code`, `problems`, `records`, `share_pct` of the source's records, `meaning`; the
        first row of a source counts its records with any finding.
    """
    rows = []
    for source, report in inputs.gates.items():
        total = len(report.gated)
        failed = sum(not gated.passes for gated in report.gated)
        rows.append((source, "both", "any", len(report.every_problem()), failed, total, "any finding"))
        rows += [
            (source, gate, code, problems, records, total, CODES[code])
            for gate, code, problems, records in report.counts()
        ]
    names = ["source", "gate", "code", "problems", "records", "total", "meaning"]
    frame = pd.DataFrame(rows, columns=names)
    frame.insert(5, "share_pct", 100 * frame["records"] / frame["total"])
    columns = {
        "source": Column("Source"),
        "gate": Column("Gate"),
        "code": Column("Code"),
        "problems": Column("Findings", digits=0),
        "records": Column("Records", digits=0, help="Records with at least one such finding."),
        "share_pct": Column("Share", "%", 1, "Of the records of the source."),
        "total": Column("Of", digits=0, help="Records of the source in this run."),
        "meaning": Column("Meaning"),
    }
    notes = (
        "Both gates work without a model. The query gate matches texts: a value that the query only implies "
        "(tomorrow, my wife and I) counts as one without a source.",
        "`gated: true` at a source leaves such records out; its log of read_source then counts them.",
    )
    return TableResult(frame, columns, notes)


def _span(values: Sequence[int]) -> tuple[int, int]:
    return (min(values), max(values)) if values else (0, 0)
