"""Reading a judge's answer as a verdict: four values on the scale, or the reason why not."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

from plumbline.answers import VerdictStatus, clean, plain, shown
from plumbline.judging.verdict_objects import (
    NoVerdictError,
    VerdictObject,
    agreed_values,
    assessment,
    find_verdicts,
    justifications,
)
from plumbline.records import METRICS

Scale = Literal["rubric", "unit"]
MissingMetric = Literal["exclude", "zero"]
OffScale = Literal["reject", "keep", "snap"]

_MARKS = (0, 0.5, 1)


@dataclass(frozen=True)
class VerdictReading:
    """How a judge's answer was read.

    Attributes
    ----------
    status
        `ok`, or why there are no scores (records.statuses.VERDICT).
    scores
        The four metrics, each in [0, 1], if the status is ok; else None.
    raw
        The metrics that are off the scale with the values as read, if the status is off_scale.
    justifications, overall_assessment
        The judge's words, as far as one verdict was read and holds them.
    missing
        Metrics without a value; those of an ok verdict count 0 because the caller asked for it.
    detail
        A sentence that says what was found where, if the status is not ok.
    """

    status: VerdictStatus
    scores: dict[str, float] | None = None
    raw: dict[str, Any] | None = None
    justifications: dict[str, str] | None = None
    overall_assessment: str | None = None
    missing: tuple[str, ...] = ()
    detail: str | None = None


def read_verdict(
    text: str | None,
    *,
    finish_reason: str | None = None,
    refusal: str | None = None,
    scale: Scale = "rubric",
    missing_metric: MissingMetric = "exclude",
    off_scale: OffScale = "reject",
) -> VerdictReading:
    """Read the verdict that a judge answered.

    Parameters
    ----------
    text
        The reply; None is blank. A separate reasoning field is never read.
    finish_reason, refusal
        As the server reports them; None if it does not.
    scale
        `rubric`: each value must be 0, 0.5 or 1. `unit`: any number in [0, 1].
    missing_metric
        What to do with a verdict that values only some of the metrics: `exclude` it, or count the others
        as `zero`. A verdict that values none is always excluded.
    off_scale
        What to do with other numbers: `reject` the verdict, `keep` those in [0, 1], or `snap` each to the
        nearest mark (up from the middle) after moving it into [0, 1]. What is no finite number stays off
        the scale.

    Returns
    -------
    VerdictReading
        Several verdicts must agree in all four values; position decides nothing. Scores in prose are
        never read, and no verdict inside a string is.

    Notes
    -----
    Item A16; the options are choices C-A7 and C-A8.
    """
    answer = clean(text, finish_reason=finish_reason, refusal=refusal)
    if answer.status:
        return VerdictReading(answer.status, detail=answer.detail)
    try:
        verdicts = find_verdicts(answer.decoder)
        values = agreed_values(verdicts)
    except NoVerdictError as error:
        return VerdictReading(error.status, detail=str(error))
    missing = tuple(metric for metric in METRICS if values[metric] is None)
    if missing and (missing_metric == "exclude" or len(missing) == len(METRICS)):
        detail = ", ".join(f"`{metric}`" for metric in missing) + " without a value."
        return _reading("missing_metric", verdicts, missing, detail=detail)
    values |= dict.fromkeys(missing, 0)
    scores: dict[str, float] = {}
    raw: dict[str, Any] = {}
    for metric, value in values.items():
        score = _score(value, scale, off_scale)
        if score is None:
            raw[metric] = plain(value)
        else:
            scores[metric] = score
    if raw:
        found = ", ".join(f"`{metric}` is {shown(values[metric])}" for metric in raw)
        rubric = scale == "rubric" and off_scale == "reject"
        detail = f"{found}; {'0, 0.5 or 1' if rubric else 'a number from 0 to 1'} was due."
        return _reading("off_scale", verdicts, missing, raw=raw, detail=detail)
    return _reading("ok", verdicts, missing, scores=scores)


def _reading(
    status: VerdictStatus,
    verdicts: Sequence[VerdictObject],
    missing: tuple[str, ...],
    *,
    scores: dict[str, float] | None = None,
    raw: dict[str, Any] | None = None,
    detail: str | None = None,
) -> VerdictReading:
    """Add the judge's words: of equal verdicts, those of the first that says anything."""
    reasons = next(filter(None, map(justifications, verdicts)), None)
    words = next(filter(None, map(assessment, verdicts)), None)
    return VerdictReading(status, scores, raw, reasons, words, missing, detail)


def _score(value: Any, scale: Scale, off_scale: OffScale) -> float | None:
    """Give a value as a score, or None if it is off the scale."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    if off_scale == "snap":
        value = min(max(value, 0), 1)
        value = math.floor(value * 2 + 0.5) / 2 if scale == "rubric" else value
    anything = scale == "unit" or off_scale != "reject"
    on_scale = 0 <= value <= 1 if anything else value in _MARKS
    # adding 0.0 turns -0.0 into 0.0
    return float(value) + 0.0 if on_scale else None
