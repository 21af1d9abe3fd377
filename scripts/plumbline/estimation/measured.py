"""Tokens of answers that a run has already, from the usage that stands in its files."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from plumbline.config import paths
from plumbline.config.argument_cells import every_argument_cell, judge_of, made_from, needed_references
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
        Ids of the records that are looked at; of argument judging all answers are.
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
    return found | _of_arguments(config, root)


def _of_arguments(config: RunConfig, root: Path) -> dict[tuple[str, str, str], Usage]:
    found: dict[tuple[str, str, str], Usage] = {}
    for cell in every_argument_cell(config):
        model = judge_of(config, cell).model
        if model is not None:
            file = paths.judgments(config.run, cell.judge, cell.dataset, cell.input, root)
            for line in _lines(file):
                item = f"{line['dataset']}|{line['item_id']}|{line['input']}"
                found[model, "judgment", item] = Usage(**line["usage"])
    for made in needed_references(config, every_argument_cell(config)):
        if made_from(config, made) is None:
            file = paths.value_references(config.run, made.dataset, made.name, made.model, root)
            for line in _lines(file):
                if (
                    line.get("item_id") is None and line.get("call_id") is None
                ):  # a slot's: no candidate shown
                    asked = (made.name, line["state_id"], line["function"], line["parameter"], "")
                    found[made.model, "value_reference", "|".join(asked)] = Usage(**line["usage"])
    return found


def _lines(file: str, records: set[str] | None = None) -> Iterator[dict[str, Any]]:
    """Give the lines of a file of answers that have a usage, of some records or all."""
    if not Path(file).exists():
        return
    for _, text in numbered_lines(file):
        line = json.loads(text)
        if line.get("usage") and (records is None or line["record_id"] in records):
            yield line
