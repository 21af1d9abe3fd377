"""The words for how an answer was read, one list for all stages; a failure is a word, never a score."""

from __future__ import annotations

from typing import Literal

VerdictStatus = Literal[
    "refused", "empty", "truncated", "malformed", "ambiguous", "missing_metric", "off_scale", "ok"
]
PlanStatus = Literal["ok", "malformed", "truncated", "empty", "refused"]
NoAnswerStatus = Literal["overflow", "rejected", "gave_up", "not_asked"]
JudgmentReason = Literal["no_logprobs", "token_missing", "non_finite", "wrong_model"]
RewriteReason = Literal["unchanged", "values_lost"]
ReferenceReason = Literal["own_kept"]
OpinionReason = Literal["missing_answer"]
ValueReferenceReason = Literal["no_evidence", "not_swapped"]
JudgmentStatus = JudgmentReason | VerdictStatus | NoAnswerStatus
RewriteStatus = RewriteReason | VerdictStatus | NoAnswerStatus
ReferenceStatus = ReferenceReason | PlanStatus | NoAnswerStatus
ValueReferenceStatus = ValueReferenceReason | PlanStatus | NoAnswerStatus
OpinionStatus = OpinionReason | VerdictStatus | NoAnswerStatus

NO_ANSWER: dict[NoAnswerStatus, str] = {
    "overflow": "the prompt is longer than the context",
    "rejected": "a permanent error of this request",
    "gave_up": "the attempts are used up",
    "not_asked": "nothing to ask about: the plan, reference or rewrite it needs is not ok",
}
"""Why there is no answer to read, for verdicts, plans, rewrites and judgments alike."""

VERDICT: dict[VerdictStatus, str] = {
    "refused": "the judge, or its provider's filter, declined",
    "empty": "nothing is left after the reasoning is cut",
    "truncated": "the token limit cut the answer, or it ends inside an open JSON value",
    "malformed": "there is text but no readable verdict object",
    "ambiguous": "there is more than one verdict and they do not agree",
    "missing_metric": "one verdict; at least one of the four metrics has no value",
    "off_scale": "one verdict, all four valued; at least one value is not 0, 0.5 or 1",
    "ok": "one verdict, four values, each exactly 0, 0.5 or 1",
}
"""A judge's answer, in the order in which the words are tried: the first that applies is the status."""

PLAN: dict[PlanStatus, str] = {
    "ok": "a plan, possibly of zero calls",
    "malformed": "there is text but no plan that can be read whole",
    "truncated": "the token limit cut the answer, or it ends inside an open JSON value",
    "empty": "nothing is left after the reasoning is cut",
    "refused": "the generator, or its provider's filter, declined",
}
"""A generator's answer."""

JUDGMENT: dict[JudgmentReason | Literal["ok"], str] = {
    "ok": "a probability was read",
    "no_logprobs": "the server gave no log-probabilities",
    "token_missing": "the token of the answer is not among those the server reported",
    "non_finite": "the log-probability is not a finite number",
    "wrong_model": "the server answered with another model than the one asked for",
}
"""An argument judge's answer; the words of `VERDICT` and `NO_ANSWER` are used as well."""

REWRITE: dict[RewriteReason | Literal["ok"], str] = {
    "ok": "a rewrite that keeps every value",
    "unchanged": "the rewrite is the original query",
    "values_lost": "a value of the original query is gone",
}
"""A rewritten query; the words of `VERDICT` and `NO_ANSWER` are used as well."""

REFERENCE: dict[ReferenceReason | Literal["ok"], str] = {
    "ok": "calls to show as the reference",
    "own_kept": "no shuffle gave the record the calls of another one",
}
"""A made reference; the words of `PLAN` and `NO_ANSWER` are used as well."""

VALUE_REFERENCE: dict[ValueReferenceReason | Literal["ok"], str] = {
    "ok": "a text to show as the reference of an argument",
    "no_evidence": "no quote stands in the history: the argument is judged as Plain",
    "not_swapped": "the swap left the argument out; the detail says why",
}
"""A made reference of an argument; the words of `PLAN` and `NO_ANSWER` are used as well."""

OPINION: dict[OpinionReason | Literal["ok"], str] = {
    "ok": "four answers, each yes or no",
    "missing_answer": "one object; at least one of the four questions has no yes or no",
}
"""A meta-judge's answer on a triplet of queries; the words of `VERDICT` and `NO_ANSWER` are used as well."""
