"""Reading a generator's answer as a plan: whole or not at all."""

from __future__ import annotations

from dataclasses import dataclass

from plumbline.answers import (
    Answer,
    Decoder,
    DecodingError,
    MalformedError,
    PlanStatus,
    TruncatedError,
    check_end,
    clean,
    declines,
    openings,
    scan,
)
from plumbline.plans.call_objects import UnreadableCallError, read_call, read_plans, same_plan
from plumbline.plans.marked import (
    MARKER,
    TAG,
    addressed_calls,
    drop_tokens,
    has_addressed_call,
    marked_calls,
    tagged_calls,
)
from plumbline.plans.pythonic import python_calls
from plumbline.records import ToolCall

_VALUES = openings("{[", besides="[\\[{](?=\\s*[\u201c\u201d\u201e\u201f\u2018\u2019])")
_QUOTES = tuple("\"'\u201c\u201d\u201e\u201f\u2018\u2019")
_LOOKS_LIKE_JSON = {"{": (*_QUOTES, "}"), "[": (*_QUOTES, "{", "[", "]")}


@dataclass(frozen=True)
class PlanReading:
    """How a generator's answer was read.

    Attributes
    ----------
    status
        `ok`, or why there is no plan (records.statuses.PLAN).
    calls
        The calls in order if the status is ok, possibly none; else None.
    detail
        A sentence that says what was found, if the status is not ok.
    """

    status: PlanStatus
    calls: tuple[ToolCall, ...] | None = None
    detail: str | None = None


def read_plan(
    text: str | None, *, finish_reason: str | None = None, refusal: str | None = None
) -> PlanReading:
    """Read the plan that a generator answered.

    Parameters
    ----------
    text
        The reply; None is blank. A separate reasoning field is never read.
    finish_reason, refusal
        As the server reports them.

    Returns
    -------
    PlanReading
        `[]` is ok with zero calls. An answer with one call that cannot be read, with two different plans,
        or with a plan and calls beside it is malformed: nothing is repaired and no part of it is kept.

    Notes
    -----
    Item A8. Read are JSON (arrays, single calls, OpenAI messages), `<tool_call>`, `[TOOL_CALLS]`, harmony
    calls and Python calls. Names are not checked against the tools of the record.
    """
    answer = clean(text, finish_reason=finish_reason, refusal=refusal, leave=has_addressed_call)
    if answer.status:
        return PlanReading(answer.status, detail=answer.detail)
    try:
        calls = _calls(answer)
    except TruncatedError as error:
        return PlanReading("truncated", detail=f"The answer is cut: {error}.")
    except DecodingError as error:
        return PlanReading("malformed", detail=f"The answer does not decode: {error}.")
    except UnreadableCallError as error:
        return PlanReading("malformed", detail=str(error))
    if calls is not None:
        return PlanReading("ok", tuple(calls))
    if declines(answer.text):
        return PlanReading("refused", detail="The answer declines the task.")
    return PlanReading("malformed", detail="The answer holds no call and no list of calls.")


def _calls(answer: Answer) -> list[ToolCall] | None:
    """Read the first form that is present; None if there is none."""
    if answer.whole:
        return _json_calls(answer.decoder)
    if answer.uncut:
        return addressed_calls(answer.text)
    if TAG in answer.text:
        return tagged_calls(answer.text)
    if MARKER in answer.text:
        return marked_calls(answer.text)
    text = drop_tokens(answer.text)
    calls = python_calls(text)
    if calls is not None:
        return calls
    return _json_calls(answer.decoder if text == answer.text else Decoder(text))


def _json_calls(decoder: Decoder) -> list[ToolCall] | None:
    """Collect the plan, or the loose calls, among the JSON values of a text."""
    plans: list[list[ToolCall]] = []
    loose: list[ToolCall] = []
    check_end(decoder)
    for position, value in scan(decoder, _VALUES):
        if isinstance(value, MalformedError):
            ahead = decoder.skip(position + 1)
            if decoder.text.startswith(_LOOKS_LIKE_JSON[decoder.text[position]], ahead):
                raise value
            continue
        call = read_call(value)
        if call is not None:
            loose.append(call)
        else:
            plans += read_plans(value)
    if plans and loose:
        raise UnreadableCallError("The answer holds both a list of calls and calls outside it.")
    if any(not same_plan(plans[0], plan) for plan in plans[1:]):
        raise UnreadableCallError("The answer holds two different lists of calls.")
    return plans[0] if plans else loose or None
