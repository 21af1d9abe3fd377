"""Rows in the layout of the released files; structured fields whose keys vary are JSON text."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from plumbline.corpora.released_rows import OWN_FIELD
from plumbline.corpora.tier_queries import REWRITTEN, is_rewritten, tier_query
from plumbline.records import METRICS, Plan, Record, Reference, Rewrite, Tool, ToolCall, Verdict
from plumbline.records.model import ExpectedCall, Tier

Row = dict[str, Any]

PLAN_ROW = ("id", "dag_type", "difficulty", "generator", "user_message", "generated_tool_calls")
GENERATED_ROW = (*PLAN_ROW, "system_prompt", "available_tools", "expected_responses")
JUDGED_ROW = (
    *PLAN_ROW,
    "judge_response",
    "judge_response_no_gt",
    "programmatic_judge_response",
    "per_metric_comparison",
    "per_metric_comparison_no_gt",
    "overall_llm_alignment_percentage",
    "overall_llm_alignment_percentage_no_gt",
)
CORRUPTED = ("corrupted_expected_responses", "true_expected_responses")


def record_row(record: Record, rewrite: Rewrite | None) -> Row:
    """Give a record with all three queries; a query that no one wrote is null and its status says so (A7).

    `OK`: a rewrite that was checked, or a query that the source gives; `UNKNOWN`: a query of the source whose
    own status is another; `FAILED`: the original query stands in its place.
    """
    row: Row = {
        "id": record.id,
        "dag_type": record.topology,
        "domain": record.domain,
        "user_message": record.queries.easy,
    }
    for tier in REWRITTEN:
        query, status = tier_query(record, rewrite, tier)
        written = is_rewritten(record, rewrite, tier)
        known = "OK" if status.casefold() in ("given", "ok") else "UNKNOWN"
        row[f"query_{tier}"] = query if written else None
        row[f"rewrite_{tier}_status"] = known if written else "FAILED"
    return row | _shared(record)


def tier_row(record: Record, rewrite: Rewrite | None, tier: Tier) -> Row:
    """Give what a generator is asked with in one tier (A7)."""
    row = {"id": record.id, "dag_type": record.topology, "difficulty": tier}
    return row | {"user_message": tier_query(record, rewrite, tier)[0]} | _shared(record)


def plan_row(record: Record, plan: Plan | None, tier: Tier, query: str) -> Row:
    """Give a generator's plan; all fields are null if there is no readable one, as in the release."""
    if plan is None or plan.calls is None:
        return dict.fromkeys(PLAN_ROW)
    return {
        "id": record.id,
        "dag_type": record.topology,
        "difficulty": tier,
        "generator": plan.generator,
        "user_message": query,
        "generated_tool_calls": _text(_calls(plan.calls, record)),
    }


def generated_row(plan: Row, record: Record) -> Row:
    """Add to a plan's row what its generator was asked with; a null row stays null."""
    if plan["id"] is None:
        return dict.fromkeys(GENERATED_ROW)
    shared = _shared(record)
    return {name: plan[name] if name in plan else shared[name] for name in GENERATED_ROW}


def judged_row(
    about: Row, scores: Mapping[str, float] | None, with_gt: Verdict | None, without_gt: Verdict | None
) -> Row:
    """Give a plan with what a judge says of it under both conditions.

    Parameters
    ----------
    about
        The plan's row.
    scores
        Its programmatic scores by metric.
    with_gt, without_gt
        The verdicts; one that is not ok counts as none.

    Returns
    -------
    dict
        Scores with four decimals and percentages with two, as in the release. All fields are null if the plan
        is, or if neither verdict is ok.
    """
    verdicts = {"": _ok(with_gt), "_no_gt": _ok(without_gt)}
    if about["id"] is None or scores is None or not any(verdicts.values()):
        return dict.fromkeys(JUDGED_ROW)
    program = {metric: round(scores[metric], 4) for metric in METRICS}
    row = {
        **about,
        "programmatic_judge_response": {_key(m): {"accuracy": program[m]} for m in METRICS},
    }
    for suffix, verdict in verdicts.items():
        row[f"judge_response{suffix}"] = None if verdict is None else _response(verdict)
        row[f"per_metric_comparison{suffix}"] = None if verdict is None else _comparison(program, verdict)
        row[f"overall_llm_alignment_percentage{suffix}"] = (
            None if verdict is None else _percentage(program, verdict)
        )
    return {name: row[name] for name in JUDGED_ROW}


def corrupted_row(judged: Row, record: Record, shown: Reference | None, records: Mapping[str, Record]) -> Row:
    """Add to a judged row the calls of another record that the judge saw, and the true ones (A25)."""
    other = records.get(shown.other_record or "") if shown else None
    if judged["id"] is None or other is None:
        return dict.fromkeys((*JUDGED_ROW, *CORRUPTED))
    return judged | {
        "corrupted_expected_responses": _text(messages_of(other)),
        "true_expected_responses": _text(messages_of(record)),
    }


def messages_of(record: Record) -> list[Row]:
    """Give the expected trace as messages: one assistant and one tool message a call, or the source's own."""
    if record.expected_messages is not None:
        return record.expected_messages
    names = _names(record)
    messages: list[Row] = []
    for call in record.expected_calls:
        function = {"name": names.get(call.name, call.name), "arguments": call.arguments}
        made = [{"function": function, "type": "function", "id": call.id}]
        said = call.description or ""
        messages.append(
            {"role": "assistant", "tool_calls": _text(made), "reasoning_content": said, "content": ""}
        )
        if call.returns is not None:
            output = [{"output": {"function": call.id, "output": call.returns}}]
            told = {"role": "tool", "content": _text(output), "tool_call_id": call.id}
            messages.append(told | {"name": function["name"]})
    return messages


def _shared(record: Record) -> Row:
    return {
        "system_prompt": record.system_prompt,
        "available_tools": _text([_tool(tool) for tool in record.tools]),
        "expected_responses": _text(messages_of(record)),
        "expected_tool_calls": _text(_calls(record.expected_calls, record)),
        OWN_FIELD: _text(_own(record)),
    }


def _own(record: Record) -> Row:
    """Give what the released layout has no field for, so that a record comes back with the same scores."""
    return {
        "source": record.source,
        "family": record.family,
        "optional": [list(call.optional) for call in record.expected_calls],
        "needs": [list(call.needs) for call in record.expected_calls],
    }


def _tool(tool: Tool) -> Row:
    function = {
        "name": tool.original_name or tool.name,
        "description": tool.description,
        "parameters": tool.parameters,
    }
    return {"type": "function", "function": function}


def _calls(calls: Sequence[ToolCall | ExpectedCall], record: Record) -> list[Row]:
    names = _names(record)
    return [{"name": names.get(call.name, call.name), "arguments": call.arguments} for call in calls]


def _names(record: Record) -> dict[str, str]:
    """Give the source's names of tools that are offered under others."""
    return {tool.name: tool.original_name for tool in record.tools if tool.original_name is not None}


def _ok(verdict: Verdict | None) -> Verdict | None:
    return verdict if verdict is not None and verdict.status == "ok" else None


def _key(metric: str) -> str:
    return f"{metric}_accuracy"


def _response(verdict: Verdict) -> Row:
    said = verdict.justifications or {}
    found: Row = {
        _key(metric): {"accuracy": getattr(verdict, metric), "justification": said.get(metric, "")}
        for metric in METRICS
    }
    return found | {"overall_assessment": verdict.overall_assessment or ""}


def _comparison(program: Mapping[str, float], verdict: Verdict) -> Row:
    found = {}
    for metric in METRICS:
        said = getattr(verdict, metric)
        error = None if said is None else round(abs(program[metric] - said), 4)
        found[_key(metric)] = {
            "programmatic_accuracy": program[metric],
            "llm_accuracy": said,
            "absolute_error": error,
            # a metric that the judge left out counts as a match of 0 in the release
            "match_score": 0.0 if error is None else round(1 - error, 4),
        }
    return found


def _percentage(program: Mapping[str, float], verdict: Verdict) -> float:
    said = {metric: getattr(verdict, metric) for metric in METRICS}
    matches = [0.0 if said[m] is None else 1 - abs(program[m] - said[m]) for m in METRICS]
    return round(100 * sum(matches) / len(METRICS), 2)


def _text(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)
