"""The list of all tables and figures of a run, grouped by the question that they answer."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import PurePosixPath

from plumbline.config import paths
from plumbline.config.settings import RunConfig
from plumbline.tables.registry import TABLES


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
                entry = Entry(spec.title, spec.about, address, spec.kind, block, condition)
                listed.setdefault(spec.question, []).append(entry)
    return listed


def _address(run: str, block: str, name: str, kind: str, condition: str | None) -> str:
    """Give the way from the front page, which is among the tables, to another result."""
    if kind == "figure":
        file = PurePosixPath(paths.figure(run, block, name, condition))
        return f"../{file.parent.name}/{file.name}"
    return PurePosixPath(paths.table(run, block, name, "html", condition)).name
