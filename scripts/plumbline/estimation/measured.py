"""Tokens of answers that a run has already, from the usage that stands in its files."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from plumbline.config import paths
from plumbline.config.cells import cells_of
from plumbline.config.settings import RunConfig
from plumbline.plans.generation import plan_item
from plumbline.records import Usage
from plumbline.records.files import numbered_lines

Measured = Mapping[tuple[str, str, str], Usage]
"""Usage by model, role and item of the request."""


def measured(config: RunConfig, root: Path, records: set[str]) -> Measured:
    """Collect the usage of a run's answers.

    Parameters
    ----------
    config, root
        The run, and the folder of all runs.
    records
        Ids of the records that are looked at.
    """
    found: dict[tuple[str, str, str], Usage] = {}
    if config.rewrites is not None:
        model = config.rewrites.model
        for line in _lines(paths.rewrites(config.run, model, root), records):
            found[model, "rewrite", line["record_id"]] = Usage(**line["usage"])
    for generator, chosen in config.generators.items():
        for tier in config.tiers:
            if chosen.model is not None:
                for line in _lines(paths.plans(config.run, generator, tier, root), records):
                    key = (chosen.model, "plan", plan_item(line["record_id"], tier))
                    found[key] = Usage(**line["usage"])
    for cell in dict.fromkeys(cell for block in config.blocks for cell in cells_of(config, block)):
        model = config.judges[cell.judge].model
        file = paths.verdicts(config.run, cell.judge, cell.generator, cell.tier, cell.condition, root)
        for line in _lines(file, records):
            item = f"{line['record_id']}|{cell.tier}|{cell.generator}|{cell.condition}"
            found[model, "verdict", item] = Usage(**line["usage"])
    return found


def _lines(file: str, records: set[str]) -> Iterator[dict[str, Any]]:
    """Give the lines of a file of answers that have a usage, of some records."""
    if not Path(file).exists():
        return
    for _, text in numbered_lines(file):
        line = json.loads(text)
        if line["record_id"] in records and line.get("usage"):
            yield line
