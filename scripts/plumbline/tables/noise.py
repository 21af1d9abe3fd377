"""How much a number moves when nothing that should matter changes (A55)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import cast

import numpy as np
import pandas as pd

from plumbline.config.cells import asking, resolved_decoding
from plumbline.tables.alignment import NAMES
from plumbline.tables.grid import cell_means
from plumbline.tables.inputs import MATCHES, Inputs
from plumbline.tables.notes import verdict_notes
from plumbline.tables.result import Column, TableResult

KINDS = {
    "replicates": "the same question asked again",
    "decoding": "other decoding, the same prompt",
    "prompt": "another prompt, the same decoding",
}

CELL = ["generator", "judge", "tier"]


def noise_table(inputs: Inputs) -> TableResult:
    """Spread of a cell's alignment over replicates, over decoding, and over prompts (A55).

    Returns
    -------
    TableResult
        One row per kind and cell: `kind` (`replicates`; `decoding`: conditions that show the same reference
        with the same prompt; `prompt`: the same reference and decoding, another prompt), `generator`,
        `judge`, `tier`, `conditions`, `values` (replicates or conditions with a value), `lowest`,
        `highest` (percent), `spread` (pp), `sd` (pp, standard deviation of the values with n - 1; for
        replicates that of the cell's mean), and reasons. Only kinds that the block has; notes give bounds.
    """
    cells = _cell_means(inputs)
    rows = [*_replicate_rows(inputs, cells), *_condition_rows(inputs, cells)]
    names = ["kind", *CELL, "conditions", "values", "lowest", "highest", "spread", "sd", "reason"]
    frame = pd.DataFrame(rows, columns=names)
    numeric = ["lowest", "highest", "spread", "sd"]
    frame[numeric] = frame[numeric].astype(float)
    columns = {
        "kind": Column("Kind", help="; ".join(f"{kind}: {words}" for kind, words in KINDS.items()) + ".")
    }
    columns |= {name: NAMES[name] for name in CELL}
    columns |= {
        "conditions": Column("Conditions"),
        "values": Column("Values", digits=0, help="Replicates, or conditions, that have a verdict."),
        "lowest": Column("Lowest", "%", 2),
        "highest": Column("Highest", "%", 2),
        "spread": Column("Spread", "pp", 2, "Highest minus lowest."),
        "sd": Column("Deviation", "pp", 2, "Standard deviation of the values."),
    }
    return TableResult(frame, columns, (*_bounds(frame), *verdict_notes(inputs)))


@dataclass(frozen=True)
class _Means:
    """Alignment of cells in percent: by condition and replicate, and by condition."""

    by_replicate: dict[tuple[str, ...], np.ndarray]
    by_condition: pd.Series


def _cell_means(inputs: Inputs) -> _Means:
    rows = inputs.replicate_matches.assign(match=lambda table: table[MATCHES].mean(axis=1))
    by_replicate = cell_means(inputs, rows, [*CELL, "condition", "replicate"], ["match"])["match"]
    by_condition = cell_means(inputs, inputs.matched, [*CELL, "condition"], ["match"])["match"]
    values: dict[tuple[str, ...], np.ndarray] = {
        cast(tuple[str, ...], key): group.to_numpy(dtype=float)
        for key, group in by_replicate.groupby(level=[*CELL, "condition"], sort=False)
    }
    return _Means(values, by_condition)


def _replicate_rows(inputs: Inputs, cells: _Means) -> list[tuple[object, ...]]:
    repeated = [name for name in inputs.conditions if inputs.config.conditions[name].replicates > 1]
    found = cells.by_replicate
    return [
        ("replicates", *cell, condition, *_spread(found.get((*cell, condition), np.array([]))))
        for condition in repeated
        for cell in _cells(inputs, condition)
    ]


def _condition_rows(inputs: Inputs, cells: _Means) -> list[tuple[object, ...]]:
    rows = []
    for kind in ("decoding", "prompt"):
        for judge in inputs.judges:
            for group in _groups(inputs, judge, kind):
                for cell in _cells(inputs, group[0]):
                    if cell[1] == judge:
                        values = [cells.by_condition.get((*cell, name), np.nan) for name in group]
                        rows.append((kind, *cell, ", ".join(group), *_spread(np.array(values, dtype=float))))
    return rows


def _groups(inputs: Inputs, judge: str, kind: str) -> list[list[str]]:
    """Conditions of a judge that differ in decoding alone, or in the prompt alone."""
    groups: dict[tuple[str, ...], list[str]] = {}
    for name in inputs.conditions:
        condition = inputs.config.conditions[name]
        decoding = resolved_decoding(inputs.config, judge, name).model_dump_json()
        asked = asking(inputs.config, judge, name)
        same = asked.prompt if kind == "decoding" else decoding
        other = (asked.output, condition.scale)
        groups.setdefault((condition.reference, same, *other), []).append(name)
    return [group for group in groups.values() if len(group) > 1 and _differ(inputs, judge, group, kind)]


def _differ(inputs: Inputs, judge: str, group: list[str], kind: str) -> bool:
    """Whether conditions differ in the one thing that they are grouped for."""
    config = inputs.config
    if kind == "prompt":
        return len({asking(config, judge, name).prompt for name in group}) > 1
    return len({resolved_decoding(config, judge, name).model_dump_json() for name in group}) > 1


def _cells(inputs: Inputs, condition: str) -> list[tuple[str, str, str]]:
    """Give generator, judge and tier of the block's cells under a condition."""
    found = inputs.block_verdicts
    found = found[found["condition"] == condition].drop_duplicates(CELL)
    present = set(found[CELL].itertuples(index=False, name=None))
    return [
        (generator, judge, tier)
        for generator in inputs.generators
        for judge in inputs.judges
        for tier in inputs.tiers
        if (generator, judge, tier) in present
    ]


def _spread(values: np.ndarray) -> tuple[object, ...]:
    known = values[~np.isnan(values)]
    if not known.size:
        return 0, None, None, None, None, "no ok verdict"
    low, high = float(known.min()), float(known.max())
    if known.size == 1:
        return 1, low, high, None, None, "one value does not vary"
    return int(known.size), low, high, high - low, float(known.std(ddof=1)), None


def _bounds(frame: pd.DataFrame) -> list[str]:
    """Say how far cells moved at most, by kind."""
    notes = []
    for kind, rows in frame.groupby("kind", sort=False):
        known = rows["spread"].dropna()
        if len(known):
            notes.append(
                f"{kind} ({KINDS[str(kind)]}): at most {known.max():.2f} pp, {known.mean():.2f} pp on "
                f"average, over {len(known)} cells."
            )
    if frame.empty:
        notes.append(
            "The block asks no cell twice, and no two of its conditions differ in decoding or prompt alone."
        )
    return notes
