"""The released AgentJudgeBench records (Apache-2.0), read from a folder."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from plumbline.corpora.aliases import alias_names
from plumbline.corpora.checks import check_records
from plumbline.corpora.provenance import TracedCall, needs_of
from plumbline.corpora.reading import Reading
from plumbline.corpora.released_rows import (
    KNOWN_FIELDS,
    PLAN_FIELDS,
    RowError,
    calls_of,
    data_files,
    label_of,
    opened,
    own_of,
    rows_of,
    tools_of,
)
from plumbline.corpora.topology import topology_of
from plumbline.records import TIERS, ExpectedCall, Queries, Record, Tool, UserError
from plumbline.records.files import explained

_STATUS_FIELDS = {"medium": "rewrite_medium_status", "hard": "rewrite_hard_status"}
_QUERY_FIELDS = {"medium": "query_medium", "hard": "query_hard"}

Row = dict[str, Any]


@dataclass
class _Joined:
    """What the rows of one id say together; the row that came first gives all but the queries."""

    row: Row
    queries: dict[str, str] = field(default_factory=dict)
    statuses: dict[str, str] = field(default_factory=dict)
    conflicts: set[str] = field(default_factory=set)


def read_agentjudgebench(folder: Path | str, *, computed: bool = False) -> Reading:
    """Read the released records.

    Parameters
    ----------
    folder
        JSON Lines or JSON files, also in folders below: raw, rewritten or tier-input records. Rows of an id
        are joined, so the medium and hard queries may stand in `query_medium` and `query_hard` or in files of
        their own. Rows of plans and verdicts, and rows whose fields are all null, are counted and left alone.
    computed
        Use the topology of the edges even where there is a label.

    Returns
    -------
    Reading
        Records with dependencies recomputed from where values come from. Rows without expected calls or
        without an easy query are skipped; contradicting labels, unknown fields, and records that fail the
        structural check are counted, not mended.

    Raises
    ------
    UserError, DataError
        If the folder holds no such file, or a line is no JSON object.
    """
    paths = data_files(Path(folder))
    if not paths:
        raise UserError(f"{folder} holds no .jsonl or .json file; name the folder of the released records.")
    reading = Reading()
    joined: dict[str, _Joined] = {}
    for path in paths:
        _join_file(path, joined, reading)
    for identifier, entry in joined.items():
        try:
            reading.records.append(_record(identifier, entry, computed, reading))
        except RowError as error:
            reading.skipped.append((identifier, str(error)))
        except ValidationError as error:
            reading.skipped.append((identifier, explained(error)))
    conflicts = [identifier for identifier, entry in joined.items() if entry.conflicts]
    if conflicts:
        reading.notes.append(
            f"{len(conflicts)} ids have rows that differ; the first row counts: {_some(conflicts)}"
        )
    found = Counter(problem.code for problem in check_records(reading.records))
    reading.notes += [
        f"structural check: {code} {count} times"
        for code, count in sorted(found.items())
        if code != "topology_label"
    ]
    return reading


def _join_file(path: Path, joined: dict[str, _Joined], reading: Reading) -> None:
    others: Counter[str] = Counter()
    unknown: Counter[str] = Counter()
    for number, raw in rows_of(path):
        if all(value is None for value in raw.values()):
            others["rows are empty (failed items)"] += 1
        elif PLAN_FIELDS & raw.keys():
            others["rows hold plans or verdicts, no records"] += 1
        else:
            unknown.update(raw.keys() - KNOWN_FIELDS)
            try:
                _join(opened(raw), path, joined)
            except RowError as error:
                reading.skipped.append((str(raw.get("id") or f"{path.name}:{number}"), str(error)))
    reading.notes += [f"{path.name}: {count} {what}" for what, count in sorted(others.items())]
    reading.notes += [
        f"{path.name}: unknown field `{key}` in {count} rows" for key, count in sorted(unknown.items())
    ]


def _join(row: Row, path: Path, joined: dict[str, _Joined]) -> None:
    identifier = row.get("id")
    if not isinstance(identifier, str) or not identifier:
        raise RowError("has no id")
    label = label_of(row)
    if label and re.fullmatch(r"[0-9a-f]{32}", identifier):
        identifier = f"{label}_{identifier}"
    entry = joined.setdefault(identifier, _Joined(row))
    texts = {_tier(row, path): row.get("user_message") or row.get("query")}
    texts |= {tier: row[key] for tier, key in _QUERY_FIELDS.items() if row.get(key)}
    for tier, text in texts.items():
        if isinstance(text, str) and text.strip() and entry.queries.setdefault(tier, text) != text:
            entry.conflicts.add(tier)
    for tier, key in _STATUS_FIELDS.items():
        if isinstance(row.get(key), str):
            entry.statuses.setdefault(tier, row[key].casefold())


def _tier(row: Row, path: Path) -> str:
    """Tier of a row's own query: as it says, else as the name of its file says, else easy."""
    word = row.get("difficulty")
    if isinstance(word, str) and word.casefold() in TIERS:
        return word.casefold()
    if any(key in row for key in _QUERY_FIELDS.values()):
        return "easy"
    words = re.split(r"[^a-z]+", path.stem.casefold())
    return next((tier for tier in ("medium", "hard") if tier in words), "easy")


def _record(identifier: str, entry: _Joined, computed: bool, reading: Reading) -> Record:
    row = entry.row
    traced, messages = calls_of(row)
    if not traced:
        raise RowError("has no expected calls")
    if "easy" not in entry.queries:
        raise RowError("has no easy query")
    tools = tools_of(row)
    aliases = alias_names([tool.name for tool in tools] + [call["name"] for call in traced])
    own = own_of(row, len(traced))
    calls = _expected_calls(entry.queries["easy"], traced, aliases, own)
    by_edges = topology_of(calls)
    label = label_of(row)
    if label and label != by_edges:
        reading.mismatches.append((identifier, label, by_edges))
    metadata = row.get("metadata") if isinstance(row.get("metadata"), dict) else {}
    return Record.model_validate(
        {
            "id": identifier,
            "source": own.get("source", "agentjudgebench"),
            "domain": row.get("domain") or (metadata or {}).get("domain") or "unknown",
            "topology": by_edges if computed or not label else label,
            "family": own.get("family"),
            "system_prompt": row.get("system_prompt") or None,
            "queries": Queries(**entry.queries),
            "rewrite": entry.statuses,
            "tools": tuple(_aliased(tool, aliases) for tool in tools),
            "expected_calls": calls,
            "expected_messages": messages,
        }
    )


def _expected_calls(
    query: str, traced: Sequence[Row], aliases: dict[str, str], own: Row
) -> tuple[ExpectedCall, ...]:
    needs = own.get("needs") or needs_of(
        query, [TracedCall(call["id"], call["arguments"], call["returns"]) for call in traced]
    )
    optional = own.get("optional") or [()] * len(traced)
    return tuple(
        ExpectedCall(
            id=call["id"],
            name=aliases[call["name"]],
            arguments=call["arguments"],
            optional=may_lack,
            needs=sources,
            returns=call["returns"],
        )
        for call, sources, may_lack in zip(traced, needs, optional, strict=True)
    )


def _aliased(tool: Tool, aliases: dict[str, str]) -> Tool:
    if aliases[tool.name] == tool.name:
        return tool
    return tool.model_copy(update={"name": aliases[tool.name], "original_name": tool.name})


def _some(names: Sequence[str], shown: int = 5) -> str:
    return ", ".join(names[:shown]) + (", ..." if len(names) > shown else "")
