"""The list of all tables and figures of a run, grouped by the question that they answer."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import PurePosixPath

from plumbline.config import paths
from plumbline.config.settings import RunConfig
from plumbline.tables.registry import TABLES

ABOUT = {
    "alignment": "How close each judge comes to the program, by generator, tier and condition.",
    "alignment_intervals": "Every cell of that table with its interval and its number of records.",
    "degradation": "How alignment changes from easy to hard queries.",
    "gt_lift": "Whether seeing the expected calls brings a judge closer to the program.",
    "generator_accuracy": "How good the plans are; also what always answering 1.0 would score.",
    "per_metric": "Which of the four scores judges get right.",
    "per_metric_bars": "The same as bars, a panel for each condition.",
    "per_topology": "Which shapes of dependencies are hard to judge.",
    "topology_heat_map": "The same as colours, judge by topology.",
    "fault_detection": "Which known faults a judge notices, and its false alarms on perfect plans.",
    "fault_heat_map": "The same as colours, judge by fault.",
    "coverage": "How many verdicts each number rests on, and why the rest are missing.",
    "plan_status": "How many plans could be read, and why the rest are missing.",
}
"""One line on each table and figure of the registry."""


@dataclass(frozen=True)
class Entry:
    """One line of the list; `address` is relative to the front page."""

    title: str
    about: str
    address: str
    kind: str
    block: str
    condition: str | None


def contents(config: RunConfig) -> dict[str, list[Entry]]:
    """List what a run shows.

    Returns
    -------
    dict of str to list of Entry
        By question, in the order of the registry; a result by condition has one entry for each.
    """
    listed: dict[str, list[Entry]] = {}
    for name, spec in TABLES.items():
        for block, section in config.blocks.items():
            if name not in section.tables:
                continue
            for condition in section.conditions if spec.by_condition else [None]:
                address = _address(config.run, block, name, spec.kind, condition)
                entry = Entry(spec.title, ABOUT[name], address, spec.kind, block, condition)
                listed.setdefault(spec.question, []).append(entry)
    return listed


def _address(run: str, block: str, name: str, kind: str, condition: str | None) -> str:
    """Give the way from the front page, which is among the tables, to another result."""
    if kind == "figure":
        file = PurePosixPath(paths.figure(run, block, name, condition))
        return f"../{file.parent.name}/{file.name}"
    return PurePosixPath(paths.table(run, block, name, "html", condition)).name
