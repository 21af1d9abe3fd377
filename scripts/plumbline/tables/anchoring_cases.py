"""Three cases of over-anchoring in full: query, calls, scores, and what the judge said (A48)."""

from __future__ import annotations

import json
from collections.abc import Sequence

import pandas as pd

from plumbline.corpora.tier_queries import tier_query
from plumbline.records import ExpectedCall, Plan, Record, Rewrite, ToolCall
from plumbline.records.model import Tier
from plumbline.tables.inputs import Inputs
from plumbline.tables.lift import condition_pairs
from plumbline.tables.notes import verdict_notes
from plumbline.tables.over_anchoring import instances, listed_judge
from plumbline.tables.result import Column, TableResult
from plumbline.tables.texts import NO_FILE, file_of, justifications, pick

WANTED = ("sequence", "sequence", "query_coverage")
"""Metrics of the cases, as in the paper."""

LONGEST = 2000
"""Characters of a text that are shown."""


def cases_table(inputs: Inputs) -> TableResult:
    """Show three cases of the listed judge: two on sequence, one on coverage (A48, C-A13).

    Returns
    -------
    TableResult
        One row per part of a case: `case` (from 1), `metric`, `part`, `text`, `reason`. Parts: record,
        query, generated calls, expected calls, the three scores, and both justifications. The first of the
        list of instances is taken, each from another record.
    """
    judge = listed_judge(inputs)
    found = instances(inputs, judge)
    chosen = _choose(found)
    rows = _rows(inputs, str(judge), found.loc[chosen].reset_index(drop=True)) if chosen else []
    frame = pd.DataFrame(rows, columns=["case", "metric", "part", "text", "reason"])
    columns = {
        "case": Column("Case", digits=0),
        "metric": Column("Metric"),
        "part": Column("Part"),
        "text": Column("Text", help="As the run's files have it; a model's words are quoted as they are."),
    }
    notes = [f"Judge: {judge}."] if chosen else ["No instance of over-anchoring on sequence or coverage."]
    if chosen and len(chosen) < len(WANTED):
        notes.append(f"There are {len(chosen)} such cases instead of three.")
    return TableResult(frame, columns, (*notes, *verdict_notes(inputs)))


def _choose(found: pd.DataFrame) -> list[int]:
    """Give the rows of the cases: for each wanted metric the first one of a record not yet taken."""
    chosen: list[int] = []
    for metric in WANTED:
        taken = set(found.loc[chosen, "record_id"])
        rest = found[(found["metric"] == metric) & ~found["record_id"].isin(taken)]
        chosen += [int(rest.index[0])] if len(rest) else []
    return chosen


def _rows(inputs: Inputs, judge: str, cases: pd.DataFrame) -> list[tuple[object, ...]]:
    pair, tier = condition_pairs(inputs)[0][0], inputs.tiers[-1]
    said = [justifications(inputs, judge, tier, condition, cases) for condition in pair]
    records, rewrites = _records(inputs, set(cases["record_id"]))
    rows: list[tuple[object, ...]] = []
    for place, case in enumerate(cases.to_dict("records")):
        name, generator = str(case["record_id"]), str(case["generator"])
        record, plan = records.get(name), _plan(inputs, generator, tier, name)
        parts: list[tuple[str, str | None, str | None]] = [
            ("record", f"{name} ({case['topology']}), plan of {generator}", None),
            ("query", _query(record, rewrites.get(name), tier), NO_FILE),
            ("generated calls", None if plan is None else written(plan.calls or ()), NO_FILE),
            ("expected calls", None if record is None else written(record.expected_calls), NO_FILE),
            ("score of the program", f"{case['programmatic']:.2f}", None),
        ]
        for side, (texts, why) in enumerate(said):
            score = case[("score_with", "score_without")[side]]
            parts.append((f"score, {pair[side]}", f"{score:.2f}", None))
            parts.append((f"justification, {pair[side]}", texts[place], why[place]))
        rows += [
            (place + 1, case["metric"], part, _cut(text), why if text is None else None)
            for part, text, why in parts
        ]
    return rows


def written(calls: Sequence[ToolCall] | Sequence[ExpectedCall]) -> str:
    """Write calls one after another, arguments as JSON; `none` if there are none."""
    return (
        " → ".join(f"{call.name}({json.dumps(call.arguments, ensure_ascii=False)[1:-1]})" for call in calls)
        or "none"
    )


def _cut(text: str | None) -> str | None:
    return text if text is None or len(text) <= LONGEST else f"{text[:LONGEST]} …"


def _records(inputs: Inputs, ids: set[str]) -> tuple[dict[str, Record], dict[str, Rewrite]]:
    path = file_of(inputs, "records")
    writer = inputs.config.rewrites
    rewritten = None if writer is None else file_of(inputs, "rewrites", writer.model)
    return (
        {} if path is None else pick(path, Record, ids),
        {} if rewritten is None else pick(rewritten, Rewrite, ids),
    )


def _plan(inputs: Inputs, generator: str, tier: str, record: str) -> Plan | None:
    path = file_of(inputs, "plans", generator, tier)
    return None if path is None else pick(path, Plan, {record}).get(record)


def _query(record: Record | None, rewrite: Rewrite | None, tier: Tier | str) -> str | None:
    return None if record is None else tier_query(record, rewrite, tier)[0]  # type: ignore[arg-type]
