"""Put the files of a block together: one frame of scored plans, one of scored verdicts.

The frames hold no text, so that a full experiment (about 640,000 verdicts) fits in memory.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import get_args

import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.json
import pyarrow.parquet
from pydantic import BaseModel

from plumbline.corpora.tier_queries import tier_query
from plumbline.records import (
    METRICS,
    READINGS,
    DataError,
    Plan,
    Record,
    Rewrite,
    Verdict,
    read_json_lines,
)
from plumbline.records.model import Tier

PLAN_KEY = ["record_id", "tier", "generator"]
VERDICT_KEY = [*PLAN_KEY, "judge", "condition", "replicate"]
RECORD_COLUMNS = ["source", "domain", "topology", "family"]

_KEY_FIELDS = [(name, pa.string()) for name in PLAN_KEY]
_CALLS = pa.list_(pa.struct([("name", pa.string())]))
_PLAN_SCHEMA = pa.schema(
    [*_KEY_FIELDS, ("status", pa.string()), ("fault", pa.string()), ("calls", _CALLS)],
)
_VERDICT_SCHEMA = pa.schema(
    [
        *_KEY_FIELDS,
        ("judge", pa.string()),
        ("condition", pa.string()),
        ("replicate", pa.int64()),
        ("status", pa.string()),
        ("attempts", pa.int64()),
        ("reasoned", pa.bool_()),
        *((metric, pa.float64()) for metric in METRICS),
    ],
)

BLOCK_SIZE = 1 << 24
"""Bytes that pyarrow reads at a time, more where a line does not fit into it."""


def collect_plans(
    records: Path, plans: Iterable[Path], scores: Iterable[Path], rewrites: Path | None = None
) -> pd.DataFrame:
    """Put all plans of a block beside their records and programmatic scores.

    Parameters
    ----------
    records, plans, rewrites
        JSON Lines of `Record`, `Plan` and `Rewrite`.
    scores
        Parquet files of scores.

    Returns
    -------
    pandas.DataFrame
        One row per (record, tier, generator), in the order of the files: `record_id`, `source`, `domain`,
        `topology`, `family`, `tier`, `generator`, `plan_status`, `fault`, `calls` (how many, null unless ok),
        `query_status`, `reference_<metric>` and the `READINGS` (null unless ok). `query_status` says
        where the query that was used comes from, as `tier_query` has it.

    Raises
    ------
    DataError
        If a line cannot be read, a plan has no record, an ok plan no score, or a plan occurs twice.
    """
    table = pd.concat([_read_plans(path) for path in plans], ignore_index=True)
    _refuse_repeats(table, PLAN_KEY, "plan")
    known = _read_records(records, rewrites)
    table = table.merge(known, on=["record_id", "tier"], how="left", validate="many_to_one")
    lost = table[table["topology"].isna()]
    if len(lost):
        first = lost.iloc[0]
        raise DataError(
            f"{len(lost)} plans have no record, first that of {first['generator']} on {first['tier']}. "
            "Plans and records must come from one run.",
            records,
            record=first["record_id"],
        )
    scored = pd.concat([pyarrow.parquet.read_table(path).to_pandas() for path in scores], ignore_index=True)
    scored = scored.reindex(columns=[*PLAN_KEY, *METRICS, *READINGS])
    scored = scored.rename(columns={metric: f"reference_{metric}" for metric in METRICS})
    table = table.merge(scored, on=PLAN_KEY, how="left", validate="one_to_one")
    references = [f"reference_{metric}" for metric in METRICS]
    unscored = table[(table["plan_status"] == "ok") & table[references].isna().any(axis=1)]
    if len(unscored):
        first = unscored.iloc[0]
        raise DataError(
            f"{len(unscored)} ok plans have no score, first that of {first['generator']} on {first['tier']}. "
            "Remake the score file of that generator and tier.",
            record=first["record_id"],
        )
    order = ["record_id", *RECORD_COLUMNS, "tier", "generator", "plan_status", "fault", "calls"]
    return table[[*order, "query_status", *references, *READINGS]].astype(dict.fromkeys(READINGS, float))


def collect_verdicts(plans: pd.DataFrame, verdicts: Iterable[Path]) -> pd.DataFrame:
    """Put the verdicts of a block beside the programmatic scores of the plans they judge.

    Parameters
    ----------
    plans
        As `collect_plans` gives it.
    verdicts
        JSON Lines of `Verdict`, one file per cell.

    Returns
    -------
    pandas.DataFrame
        One row per (plan asked about, judge, condition, replicate): the columns of `plans` but `calls`,
        `query_status` and the `READINGS`, then `judge`, `condition`, `replicate`, `status`, `attempts` (how
        often it was asked, null if never), `reasoned` (whether the reply came with reasoning) and
        `verdict_<metric>` (null unless ok).

    Raises
    ------
    DataError
        If a line cannot be read, a verdict judges no plan of the run, or a verdict occurs twice.
    """
    read = [read_fields(path, _VERDICT_SCHEMA, Verdict) for path in verdicts]
    table: pd.DataFrame = pa.concat_tables([_VERDICT_SCHEMA.empty_table(), *read]).to_pandas()
    table["replicate"] = table["replicate"].fillna(0).astype("int64")
    table = table.astype({"attempts": "Int64", "reasoned": "boolean"})
    names = {metric: f"verdict_{metric}" for metric in METRICS}
    table = table.rename(columns=names)
    table.loc[table["status"] != "ok", list(names.values())] = float("nan")
    _refuse_repeats(table, VERDICT_KEY, "verdict")
    judged = plans.drop(columns=["calls", "query_status", *READINGS])
    table = table.merge(judged, on=PLAN_KEY, how="left", validate="many_to_one")
    lost = table[table["plan_status"].isna()]
    if len(lost):
        first = lost.iloc[0]
        raise DataError(
            f"{len(lost)} verdicts judge no plan of the run, first that of {first['judge']} on "
            f"{first['generator']}, {first['tier']}, {first['condition']}. "
            "Verdicts and plans must come from one run.",
            record=first["record_id"],
        )
    references = [f"reference_{metric}" for metric in METRICS]
    asked = ["judge", "condition", "replicate", "plan_status", "fault", "status", "attempts", "reasoned"]
    return table[["record_id", *RECORD_COLUMNS, "tier", "generator", *asked, *references, *names.values()]]


def _read_plans(path: Path) -> pd.DataFrame:
    table = read_fields(path, _PLAN_SCHEMA, Plan)
    frame: pd.DataFrame = table.drop_columns(["calls"]).to_pandas()
    frame["calls"] = pc.list_value_length(table["calls"]).to_pandas().astype("Int64")
    return frame.rename(columns={"status": "plan_status"})


def _read_records(path: Path, rewrites: Path | None) -> pd.DataFrame:
    """One row per record and tier: what the tables group by, and where the tier's query comes from."""
    written = (
        {} if rewrites is None else {item.record_id: item for item in read_json_lines(rewrites, Rewrite)}
    )
    rows = []
    for record in read_json_lines(path, Record):
        about = {"record_id": record.id} | {name: getattr(record, name) for name in RECORD_COLUMNS}
        statuses = {tier: tier_query(record, written.get(record.id), tier)[1] for tier in get_args(Tier)}
        rows += [about | {"tier": tier, "query_status": status} for tier, status in statuses.items()]
    if not rows:
        raise DataError("holds no record. Remove the file and run again.", path)
    columns = ["record_id", *RECORD_COLUMNS, "tier", "query_status"]
    frame = (
        pd.DataFrame(rows, columns=columns).astype("str").where(pd.DataFrame(rows, columns=columns).notna())
    )
    _refuse_repeats(frame, ["record_id", "tier"], "record")
    return frame


def read_fields(
    path: Path, schema: pa.Schema, model: type[BaseModel], block_size: int = BLOCK_SIZE
) -> pa.Table:
    """Read some fields of a JSON Lines file, fast; on trouble read it again, slowly, to say where it is.

    Parameters
    ----------
    schema
        The fields that are read, and their types; other fields of the file are ignored.
    model
        What each line should be, for the message.

    Raises
    ------
    DataError
        Names the file, the line and the key.
    """
    try:
        if path.stat().st_size == 0:
            return schema.empty_table()
        return pyarrow.json.read_json(
            path,
            read_options=pyarrow.json.ReadOptions(block_size=block_size),
            parse_options=pyarrow.json.ParseOptions(
                explicit_schema=schema, unexpected_field_behavior="ignore"
            ),
        )
    except OSError as error:
        raise DataError(f"cannot be read ({error.strerror}).", path) from None
    except pa.ArrowInvalid as error:
        read_json_lines(path, model)
        with path.open("rb") as stream:
            longest = max(map(len, stream))
        if longest >= block_size:
            return read_fields(path, schema, model, longest + 1)
        raise DataError(f"cannot be read ({error}).", path) from None


def _refuse_repeats(table: pd.DataFrame, key: list[str], what: str) -> None:
    repeated = table[table.duplicated(key)]
    if len(repeated):
        first = repeated.iloc[0]
        where = ", ".join(str(first[name]) for name in key[1:])
        raise DataError(
            f"{len(repeated)} {what}s occur twice, first the one of {where}. Give each {what} once.",
            record=first["record_id"],
        )
