"""What a reader must know before trusting a number of this run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd

from plumbline.config.settings import RunConfig
from plumbline.report.headline import Headline
from plumbline.report.templating import counted, joined, number

FEW_RECORDS = 100
"""Matches spread by about 20 points, so the interval of a mean over 100 is about 4 points to a side."""

LOW_COVERAGE = 90.0
"""Percent. The paper read more than 96 % of its verdicts and 93.9 % of its plans."""


def cautions(
    config: RunConfig,
    manifest: Mapping[str, Any],
    tables: Mapping[str, pd.DataFrame],
    rows: Sequence[Headline],
) -> list[str]:
    """Say what limits the numbers of a run, the gravest first.

    Parameters
    ----------
    config, manifest
        The run.
    tables
        By name: `coverage` and `plan_status` are looked at if they are there.
    rows
        The headline of each judge.
    """
    records = manifest.get("data", {}).get("records", {}).get("count")
    origin = _engines(config) if config.released is None else _released(manifest)
    found = [*origin, *_unread(rows)]
    if records is not None and records < FEW_RECORDS:
        found.append(
            f"Only {counted(records, 'record')}: intervals are wide, and most differences between cells "
            "are within them."
        )
    found += _low_verdicts(tables.get("coverage"))
    found += _low_plans(tables.get("plan_status"))
    return found


def _engines(config: RunConfig) -> list[str]:
    """Name the judges that are no judges to draw conclusions about."""
    engines = {slug: config.models[judge.model].engine for slug, judge in config.judges.items()}
    embedded = [slug for slug, engine in engines.items() if engine == "embedded"]
    simulated = [slug for slug, engine in engines.items() if engine == "simulated"]
    found = []
    if embedded:
        found.append(
            f"{joined(embedded)}: a very small model inside the job, there to show that everything works. "
            "Its verdicts are really computed, but they are no evidence about LLM judges."
        )
    if simulated:
        found.append(
            f"{joined(simulated)}: simulated. The verdicts are drawn from a stated error model; no LLM was "
            "asked."
        )
    plans = [
        slug
        for slug, generator in config.generators.items()
        if generator.model is not None and config.models[generator.model].engine == "simulated"
    ]
    if plans:
        found.append(f"Plans of {joined(plans)}: simulated as well, the expected calls with drawn errors.")
    return found


def _released(manifest: Mapping[str, Any]) -> list[str]:
    """Say that no model was asked, and whether the released numbers are ours."""
    found = ["Plans and verdicts are those that the authors released; no model was asked."]
    report = manifest.get("data", {}).get("released", {})
    for name, comparison in report.get("check", {}).items():
        if comparison["differ"]:
            found.append(
                f"Released {name.replace('_', ' ')}: {comparison['differ']:,} of {comparison['compared']:,} "
                f"rows differ from what we compute, first {comparison['first'][0]}."
            )
    return found


def _unread(rows: Sequence[Headline]) -> list[str]:
    silent = [row.judge for row in rows if all(mean is None for mean in row.means.values())]
    return [f"No verdict of {joined(silent)} could be read."] if silent else []


def _low_verdicts(table: pd.DataFrame | None) -> list[str]:
    if table is None:
        return []
    low = table[table["coverage"] < LOW_COVERAGE].sort_values("coverage", kind="stable")
    if low.empty:
        return []
    worst = low.iloc[0]
    share = f"{number(worst['coverage'], 1)} %"
    return [
        f"In {counted(len(low), 'cell')} of {len(table):,} less than {LOW_COVERAGE:g} % of the verdicts "
        f"could be read; fewest ({share}) for {worst['judge']} on {worst['generator']}, "
        f"{worst['tier']}, {worst['condition']}."
    ]


def _low_plans(table: pd.DataFrame | None) -> list[str]:
    if table is None:
        return []
    parts = table[(table["generator"] != "total") & (table["tier"] != "total")]
    low = parts[parts["rate"] < LOW_COVERAGE].sort_values("rate", kind="stable")
    if low.empty:
        return []
    named = [
        f"{row['generator']} {row['tier']} ({number(row['rate'], 1)} %)" for _, row in low.head(3).iterrows()
    ]
    more = f" and {len(low) - 3} more" if len(low) > 3 else ""
    return [
        f"Less than {LOW_COVERAGE:g} % of the plans could be read: {', '.join(named)}{more}. Numbers there "
        "rest on the plans that came out well formed."
    ]
