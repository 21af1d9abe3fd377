"""Put the judgments and references of an argument block together: one frame of each, without prompts."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa

from plumbline.config.settings import RunConfig
from plumbline.records import DataError, read_json_lines
from plumbline.records.arguments import ArgumentItem, Judgment, ProposedCall, ValueReference
from plumbline.tables.collect import read_fields

_USAGE = pa.struct(
    [("prompt_tokens", pa.int64()), ("cached_tokens", pa.int64()), ("completion_tokens", pa.int64())]
)
_SHORTENED = pa.struct([("rung", pa.int64()), ("further", pa.int64())])
_JUDGMENT = pa.schema(
    [
        ("item_id", pa.string()),
        ("replicate", pa.int64()),
        ("status", pa.string()),
        ("score", pa.float64()),
        ("lower", pa.float64()),
        ("upper", pa.float64()),
        ("usage", _USAGE),
        ("seconds", pa.float64()),
        ("answer", pa.string()),
        ("shortened", _SHORTENED),
        ("path", pa.string()),
    ]
)
LOSSES = ["rung", "further"]
TOKENS = ["prompt_tokens", "cached_tokens", "completion_tokens"]
ABOUT = [
    *("dataset", "unit", "item_id", "state_id", "query_id", "call_id", "function", "parameter", "value"),
    *("label", "path", "short", "cut", "made_by", "twin_item"),
]
"""What the frame says of an item, besides who judged it and how."""


@dataclass(frozen=True)
class JudgedFile:
    """A file of judgments: one cell of judge, data set and input."""

    judge: str
    dataset: str
    input: str
    path: Path


def collect_judgments(
    config: RunConfig, items: Mapping[str, Path], calls: Mapping[str, Path], cells: Iterable[JudgedFile]
) -> pd.DataFrame:
    """Put the judgments of a block beside the items and calls that they are about.

    Parameters
    ----------
    config
        The run; says of each input whether it is about values or about calls.
    items, calls
        JSON Lines of `ArgumentItem` and of `ProposedCall`, by data set.
    cells
        JSON Lines of `Judgment`, one file a cell.

    Returns
    -------
    pandas.DataFrame
        One row per (judge, data set, input, item, replicate): `judge`, `input`, `replicate`, the columns
        `ABOUT`, `status`, `score` (null unless ok), `lower`, `upper`, tokens, `seconds` of the server, and
        how far down the ladder the input was taken: `rung`, and `further` than it starts (`Shortened`).
        `path` is that in the input where the run asks for it (`paths.context`), `plain_path` that in Plain.
        `unit` is `value` or `call`; `value` is JSON text. An item that a cell says nothing of is a row
        `not_asked`.

    Raises
    ------
    DataError
        If a line cannot be read, a judgment is about no item of its data set, or one occurs twice.
    """
    assert config.arguments is not None
    about = {
        (name, unit): frame
        for name in items
        for unit, frame in (("value", _values(items[name], name)), ("call", _calls(calls[name], name)))
    }
    parts = []
    for cell in cells:
        unit = config.arguments.inputs[cell.input].unit
        found = _judged(cell).merge(about[cell.dataset, unit], on="item_id", how="outer", indicator=True)
        lost = found[found["_merge"] == "left_only"]
        if len(lost):
            raise DataError(
                f"{len(lost)} judgments are about no {unit} of the data set {cell.dataset}. Judgments and "
                "items must come from one run.",
                cell.path,
                record=str(lost.iloc[0]["item_id"]),
            )
        found["status"] = found["status"].fillna("not_asked")
        found["plain_path"] = found["path"]
        found["path"] = found["own_path"].fillna(found["path"])
        found["replicate"] = found["replicate"].fillna(0).astype("int64")
        parts.append(found.assign(judge=cell.judge, input=cell.input))
    columns = [
        *("judge", "input", "replicate", *ABOUT, "status", "score", "lower", "upper"),
        *(*TOKENS, "seconds", "answer", *LOSSES, "plain_path"),
    ]
    if not parts:
        return pd.DataFrame(columns=columns)
    frame = pd.concat(parts, ignore_index=True)[columns]
    frame[TOKENS] = frame[TOKENS].astype("Int64")
    # nothing was taken from an input of which a judgment does not say so
    frame[LOSSES] = frame[LOSSES].fillna(0).astype("int64")
    return frame.astype({"short": bool, "cut": bool, "seconds": float})


def collect_references(files: Iterable[Path]) -> pd.DataFrame:
    """Put the references that the inputs of a block show into one frame.

    Parameters
    ----------
    files
        JSON Lines of `ValueReference`.

    Returns
    -------
    pandas.DataFrame
        One row a reference with its fields; `parsed_value` is JSON text, null unless `parsed`; `usage` is
        spread over the columns of tokens.
    """
    names = [name for name in ValueReference.model_fields if name != "usage"]
    rows = [_reference(found) for file in files for found in read_json_lines(file, ValueReference)]
    frame = pd.DataFrame(rows, columns=[*names, *TOKENS])
    frame[["seed", *TOKENS]] = frame[["seed", *TOKENS]].astype("Int64")
    return frame.astype({"parsed": bool, "seconds": float})


def as_text(value: Any) -> str:
    """Write a JSON value in canonical form, so that equal values are equal texts."""
    return json.dumps(value, sort_keys=True, ensure_ascii=True)


def _reference(found: ValueReference) -> dict[str, Any]:
    row = found.model_dump(exclude={"usage", "parsed_value"})
    usage = {} if found.usage is None else found.usage.model_dump()
    value = as_text(found.parsed_value) if found.parsed else None
    return row | {"parsed_value": value} | {name: usage.get(name) for name in TOKENS}


def _judged(cell: JudgedFile) -> pd.DataFrame:
    frame: pd.DataFrame = read_fields(cell.path, _JUDGMENT, Judgment).flatten().to_pandas()
    names = {"path": "own_path"} | {f"usage.{name}": name for name in TOKENS}
    names |= {f"shortened.{name}": name for name in LOSSES}
    frame = frame.rename(columns=names)
    frame[TOKENS] = frame[TOKENS].astype("Int64")
    frame.loc[frame["status"] != "ok", "score"] = float("nan")
    frame["replicate"] = frame["replicate"].fillna(0)
    repeated = frame[frame.duplicated(["item_id", "replicate"])]
    if len(repeated):
        raise DataError(
            f"{len(repeated)} judgments occur twice. Remake the file.",
            cell.path,
            record=str(repeated.iloc[0]["item_id"]),
        )
    return frame


def _values(path: Path, dataset: str) -> pd.DataFrame:
    names = [name for name in ABOUT if name not in ("unit", "value", "dataset")]
    rows = [
        {
            **{name: getattr(item, name) for name in names},
            "value": as_text(item.value),
            "unit": "value",
            "dataset": dataset,
        }
        for item in read_json_lines(path, ArgumentItem)
    ]
    return _unique(pd.DataFrame(rows, columns=ABOUT), path)


def _calls(path: Path, dataset: str) -> pd.DataFrame:
    rows = [
        {
            **{name: getattr(call, name) for name in ("state_id", "query_id", "call_id", "function")},
            **{"item_id": call.call_id, "parameter": None, "path": None, "short": False, "cut": False},
            **{"label": call.label, "made_by": call.made_by, "twin_item": call.twin},
            **{"value": as_text(call.arguments), "unit": "call", "dataset": dataset},
        }
        for call in read_json_lines(path, ProposedCall)
    ]
    return _unique(pd.DataFrame(rows, columns=ABOUT), path)


def _unique(frame: pd.DataFrame, path: Path) -> pd.DataFrame:
    repeated = frame[frame.duplicated("item_id")]
    if len(repeated):
        raise DataError(
            f"{len(repeated)} ids occur twice. Give each item an id of its own.",
            path,
            record=str(repeated.iloc[0]["item_id"]),
        )
    return frame
