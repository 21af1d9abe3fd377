"""All that a run knows about one record, as text for a person."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from plumbline.config.resolved import Workspace
from plumbline.corpora.rewriting import load_rewrites
from plumbline.corpora.tier_queries import tier_query
from plumbline.plans.scoring import score_plan
from plumbline.records import METRICS, Plan, Record, ToolCall, UserError, Verdict, read_json_lines


def find_run(results: Path, run: str | None) -> Workspace:
    """Open a run under the results folder.

    Parameters
    ----------
    results
        The folder of all runs.
    run
        Its name; None takes the only one there is.

    Raises
    ------
    UserError
        If there is no such run, or several and none was named.
    """
    runs = sorted(path.parent.name for path in results.glob("*/config.json"))
    if run is None and len(runs) == 1:
        run = runs[0]
    if run not in runs:
        if not runs:
            raise UserError(
                f"There is no run in {results} yet: Snakemake starts one, in the project's folder."
            )
        asked = f"There is no run {run} in {results}." if run else f"Say which run of {results} is meant."
        raise UserError(f"{asked} Runs: {', '.join(runs)}.")
    return Workspace(results / run / "config.json")


def describe(workspace: Workspace, record_id: str) -> str:
    """Describe one record: queries, tools, expected calls, plans, scores, each judge's verdict and words.

    Raises
    ------
    UserError
        If the run has no such record.
    """
    records = {record.id: record for record in read_json_lines(workspace.path("records"), Record)}
    if record_id not in records:
        near = [name for name in records if record_id in name][:5]
        hint = f" Did you mean {', '.join(near)}?" if near else ""
        raise UserError(f"run {workspace.run} has no record {record_id}.{hint}")
    return _escaped("\n".join(_lines(workspace, records[record_id])))


def _lines(workspace: Workspace, record: Record) -> Iterator[str]:
    yield f"{record.id}   {record.source}, {record.domain}, {record.topology}"
    rewrites = workspace.settings.rewrites
    written = rewrites is None or workspace.path("rewrites", rewrites.model).exists()
    rewrite = load_rewrites(workspace).get(record.id) if written else None
    for tier in workspace.settings.tiers:
        query, status = tier_query(record, rewrite, tier)
        yield f"\n{tier} query ({status})\n  {_plain(query)}"
    yield "\ntools"
    for tool in record.tools:
        names = ", ".join(tool.parameters.get("properties", {}))
        yield f"  {tool.name}({names})"
    yield "\nexpected calls"
    for call in record.expected_calls:
        needs = f"   needs {', '.join(call.needs)}" if call.needs else ""
        yield f"  {call.id}  {_call(call.name, call.arguments)}{needs}"
    for generator in workspace.settings.generators:
        for tier in workspace.settings.tiers:
            yield from _plan_lines(workspace, record, generator, tier)


def _plan_lines(workspace: Workspace, record: Record, generator: str, tier: str) -> Iterator[str]:
    plan = _find(workspace.path("plans", generator, tier), Plan, record.id)
    yield f"\nplan of {generator}, {tier}: {_said(plan)}"
    if plan is None:
        return
    if plan.fault is not None:
        yield f"  fault: {plan.fault}"
    if plan.calls is None:
        yield f"  {_plain(plan.text or '')}"
        return
    for call in plan.calls:
        yield f"  {_call(call.name, call.arguments)}"
    yield f"  programmatic  {_scores(_programmatic(workspace, record, plan.calls))}"
    for judge in workspace.settings.judges:
        for condition in workspace.settings.conditions:
            file = workspace.path("verdicts", judge, generator, tier, condition)
            yield from _verdict_lines(judge, condition, _find(file, Verdict, record.id))


def _verdict_lines(judge: str, condition: str, verdict: Verdict | None) -> Iterator[str]:
    if verdict is None:
        return
    scores = {metric: getattr(verdict, metric) for metric in METRICS}
    found = _scores(scores) if verdict.status == "ok" else _said(verdict)
    yield f"  {judge}, {condition}  {found}"
    for metric, words in (verdict.justifications or {}).items():
        yield f"    {metric}: {_plain(words)}"
    if verdict.overall_assessment:
        yield f"    overall: {_plain(verdict.overall_assessment)}"
    if verdict.status != "ok" and verdict.text:
        yield f"    answer: {_plain(verdict.text)}"


def _find(file: Path, model: Any, record_id: str) -> Any:
    if not file.exists():
        return None
    return next((item for item in read_json_lines(file, model) if item.record_id == record_id), None)


def _programmatic(workspace: Workspace, record: Record, calls: tuple[ToolCall, ...]) -> dict[str, float]:
    return score_plan(calls, record.expected_calls, workspace.settings.scoring, record.tools)


def _scores(scores: dict[str, float]) -> str:
    return "  ".join(f"{metric} {scores[metric]:.2f}" for metric in METRICS)


def _said(item: Plan | Verdict | None) -> str:
    if item is None:
        return "not there yet"
    return f"{item.status} ({item.detail})" if item.detail else item.status


def _call(name: str, arguments: dict[str, Any]) -> str:
    return _plain(f"{name}({json.dumps(arguments, ensure_ascii=False)})")


def _plain(text: str) -> str:
    """Indent every further line of a text."""
    return text.replace("\n", "\n    ")


def _escaped(text: str) -> str:
    """Show control characters as escapes: no record and no answer may drive the reader's terminal."""
    return "".join(c if c.isprintable() or c == "\n" else repr(c)[1:-1] for c in text)
