"""Prometheus-2: one question a metric, in the model's own template, and a rating from 1 to 5 (A17, W.4)."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from plumbline.answers import clean, declines
from plumbline.config.settings import Prometheus
from plumbline.judging.blocks import as_json
from plumbline.judging.prometheus_template import Template, read_rubric
from plumbline.models.defusing import defused
from plumbline.models.prompts import PromptSet
from plumbline.models.requests import Message, Reply
from plumbline.records import METRICS, Record, ToolCall
from plumbline.records.statuses import VerdictStatus

MARKER = "[RESULT]"
RATINGS = (1, 2, 3, 4, 5)

# capitals of a text may be longer than the text, so the marker is looked for in the text itself
_MARKER = re.compile(re.escape(MARKER), re.IGNORECASE)
_SNAPPED = {1: 0.0, 2: 0.0, 3: 0.5, 4: 1.0, 5: 1.0}
# brackets, a colon or emphasis may stand around the number, and `/5` or `out of 5` behind it
_RATING = re.compile(
    r"[\s:(\[*]*(?:score\s*:?\s*)?(?P<number>[+-]?\d+(?:\.\d+)?)[)\]*]*"
    r"(?:\s*(?:/|out\s+of)\s*5)?[)\]*.]*[^\S\n]*(?:</s>)?(?P<rest>[^\n]*)",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class Rating:
    """How the answer to one metric's question was read; `score` is 1 to 5 if the status is ok, else None."""

    status: VerdictStatus
    score: int | None = None
    feedback: str | None = None
    detail: str | None = None


def metric_messages(
    template: Template,
    prompts: PromptSet,
    prompt: str,
    record: Record,
    query: str,
    calls: tuple[ToolCall, ...],
    reference: Any,
) -> dict[str, tuple[Message, ...]]:
    """Write the four questions about a plan; they differ in their rubric alone.

    Parameters
    ----------
    template
        The model's own prompts.
    prompts, prompt
        The run's prompts, and the folder in them that holds the instruction and the rubrics.
    record, query, calls
        The tools, the tier's query, the plan under judgment.
    reference
        JSON value of the answer that would get a 5, or None for the template without a reference (C-A22).

    Returns
    -------
    dict
        System and user message by metric.
    """
    tools = [tool.offered() for tool in record.tools]
    values = {
        "instruction": prompts.text(f"{prompt}/instruction.md", tools=tools, query=query).strip(),
        "response": defused(as_json([call.model_dump() for call in calls])),
    }
    if reference is not None:
        values["reference_answer"] = as_json(reference)
    return {
        metric: template.messages(values, read_rubric(prompts.folder / prompt / f"{metric}.yaml"))
        for metric in METRICS
    }


def read_rating(reply: Reply) -> Rating:
    """Read the rating of one metric: feedback, the marker, an integer from 1 to 5.

    Notes
    -----
    The last marker of the answer decides, whatever the feedback quotes. A number that is no integer from 1 to
    5 is off the scale; a number without the marker is never read.
    """
    answer = clean(reply.text, finish_reason=reply.finish_reason, refusal=reply.refusal)
    if answer.status:
        return Rating(answer.status, detail=answer.detail)
    markers = list(_MARKER.finditer(answer.text))
    if not markers:
        if declines(answer.text):
            return Rating("refused", detail="The answer declines the task.")
        return Rating("malformed", detail=f"The answer holds no {MARKER}.")
    feedback = answer.text[: markers[-1].start()].strip() or None
    behind = answer.text[markers[-1].end() :]
    found = _RATING.match(behind)
    if found is None or re.search(r"\d", found["rest"]):
        what = behind.strip()[:40] or "nothing"
        return Rating("malformed", feedback=feedback, detail=f"No single number follows {MARKER}: {what}")
    number = float(found["number"])
    if number not in RATINGS:
        detail = f"The rating is {found['number']}; an integer from 1 to 5 was due."
        return Rating("off_scale", feedback=feedback, detail=detail)
    return Rating("ok", int(number), feedback)


def as_score(rating: int, settings: Prometheus) -> float:
    """Map a rating to a score in [0, 1] (C-A22)."""
    return _SNAPPED[rating] if settings.map == "snap" else (rating - 1) / 4


def merged(ratings: Mapping[str, Rating], settings: Prometheus) -> dict[str, Any]:
    """Merge the ratings of the four metrics into the fields of one verdict.

    Returns
    -------
    dict
        `status`, `detail`, `justifications` (the feedback) and, only if all four are ok, the four scores.
        Else the status is that of the first metric that has none, and the detail names every such metric.
    """
    failed = {metric: rating for metric, rating in ratings.items() if rating.status != "ok"}
    words = {metric: rating.feedback for metric, rating in ratings.items() if rating.feedback}
    found: dict[str, Any] = {"justifications": words or None}
    if failed:
        first = next(iter(failed.values()))
        told = [f"{metric}: {rating.status} ({rating.detail})" for metric, rating in failed.items()]
        return found | {"status": first.status, "detail": "; ".join(told)}
    scores = {metric: as_score(r.score, settings) for metric, r in ratings.items() if r.score is not None}
    return found | {"status": "ok", **scores}
