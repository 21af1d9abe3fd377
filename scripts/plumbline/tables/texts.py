"""Texts that a table quotes, read from the run's files line by line; the frames of a run hold none."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path
from typing import TypeVar

import pandas as pd
import pyarrow as pa

from plumbline.config import paths
from plumbline.records import METRICS, Plan, Record, Rewrite, Verdict
from plumbline.records.files import numbered_lines
from plumbline.tables.collect import PLAN_KEY, read_fields
from plumbline.tables.inputs import Inputs

_SAID = pa.schema(
    [
        *((name, pa.string()) for name in PLAN_KEY),
        ("replicate", pa.int64()),
        ("justifications", pa.struct([(metric, pa.string()) for metric in METRICS])),
    ]
)

NO_FILE = "the run's file of it is not at hand"
NOT_SAID = "the judge gave none"

T = TypeVar("T", Plan, Record, Rewrite)


def file_of(inputs: Inputs, kind: str, *parts: str) -> Path | None:
    """Give a file of the run, None if it is not there; `kind` is a function of `config.paths`."""
    if inputs.root is None:
        return None
    path = Path(getattr(paths, kind)(inputs.config.run, *parts, root=inputs.root))
    return path if path.exists() else None


def justifications(
    inputs: Inputs, judge: str, tier: str, condition: str, rows: pd.DataFrame
) -> tuple[list[str | None], list[str | None]]:
    """Give what a judge said of some metrics of some plans.

    Parameters
    ----------
    inputs
        The run and where its files are.
    judge, tier, condition
        Whose verdicts.
    rows
        Columns `record_id`, `generator`, `metric`, and `replicate_with` and `replicate_without`; the first
        counts if the condition shows the expected calls, else the second.

    Returns
    -------
    texts, reasons
        One of each for every row: what it said, None where it cannot be had, and then why.
    """
    shown = inputs.config.conditions[condition].reference == "expected"
    replicate = "replicate_with" if shown else "replicate_without"
    said: dict[tuple[str, str, int], dict[str, str | None]] = {}
    missing = set()
    for generator in rows["generator"].unique():
        path = file_of(inputs, "verdicts", judge, generator, tier, condition)
        if path is None:
            missing.add(generator)
            continue
        wanted = set(rows.loc[rows["generator"] == generator, "record_id"])
        table = read_fields(path, _SAID, Verdict)
        for line in table.to_pandas().itertuples():
            if line.record_id in wanted and line.justifications is not None:
                number = 0 if pd.isna(line.replicate) else int(line.replicate)
                said[line.record_id, generator, number] = line.justifications
    keys = zip(rows["record_id"], rows["generator"], rows[replicate], rows["metric"], strict=True)
    texts = [
        said.get((record, generator, number), {}).get(metric) for record, generator, number, metric in keys
    ]
    why = [
        None if text is not None else NO_FILE if generator in missing else NOT_SAID
        for text, generator in zip(texts, rows["generator"], strict=True)
    ]
    return texts, why


def pick(path: Path, model: type[T], ids: Collection[str]) -> dict[str, T]:
    """Read a few items of a JSON Lines file, by record id; lines that name none of them are not parsed.

    Parameters
    ----------
    path
        Lines of the model, at most one a record.
    ids
        Ids of records.
    """
    found: dict[str, T] = {}
    for _, line in numbered_lines(path):
        if any(name in line for name in ids):
            item = model.model_validate_json(line)
            name = item.id if isinstance(item, Record) else item.record_id
            if name in ids:
                found[name] = item
    return found
