"""The probability that a judge gives to an answer, read from the tokens reported for it (D13)."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from plumbline.config.argument_references import YesNo
from plumbline.models.first_token import MISSING, NO, YES, answer_position, spellings
from plumbline.models.requests import Reply
from plumbline.records.statuses import JudgmentStatus


@dataclass(frozen=True)
class Probability:
    """A probability with its bounds, or why there is none.

    `score` is None unless the status is ok; `lower` and `upper` hold the probability wherever the server's
    list allows to say so.
    """

    status: JudgmentStatus
    score: float | None = None
    lower: float | None = None
    upper: float | None = None
    detail: str | None = None


@dataclass(frozen=True)
class _Mass:
    """Probability of an answer: what the server reported of it, and the most that it may have left out."""

    reported: float
    unseen: float
    is_reported: bool


def yes_probability(reply: Reply, settings: YesNo) -> Probability:
    """Read P("Yes") at the answer's first token.

    Parameters
    ----------
    reply
        Its text is not looked at, nor is its finish reason: one token always ends at the limit.
    settings
        Which tokens are Yes, and whether P(Yes) is divided by P(Yes) + P(No).

    Returns
    -------
    Probability
        `no_logprobs` without log-probabilities, `non_finite` if one that counts is no finite number,
        `token_missing` if the server reported no token that is the answer. A list of the k likeliest
        tokens leaves out none that is likelier than its last one, and all that it leaves out share the rest:
        with n spellings unseen the probability lies between what was reported and that plus the smaller of
        n times the last and the rest.

    Notes
    -----
    Item D13, choice C-D7.
    """
    if reply.is_refused:
        return Probability("refused", detail="the judge or its provider's filter declined")
    if not reply.logprobs:
        status: JudgmentStatus = "no_logprobs"
        if reply.logprobs is not None and reply.finish_reason == "length":
            status = "truncated"  # the limit was reached in the thinking
        return Probability(status, detail=_why_none(reply))
    position = answer_position(reply) if len(reply.logprobs) > 1 else 0
    if position is None:
        return Probability("no_logprobs", detail=_why_none(reply))
    entry = reply.logprobs[position]
    listed = _listed(entry)
    casefold = settings.tokens == "casefold"
    counted = [value for text, value in listed if _is(text, YES, casefold) or _is(text, NO, casefold)]
    if any(not _is_finite(value) for value in counted):
        return Probability("non_finite", detail=f"a log-probability is {counted}")
    yes = _mass(entry, listed, YES, casefold)
    if not settings.normalise:
        if not yes.is_reported:
            return _missing(yes.reported, yes.reported + yes.unseen, entry)
        return Probability("ok", yes.reported, yes.reported, min(1.0, yes.reported + yes.unseen))
    return _share(yes, _mass(entry, listed, NO, casefold), entry)


def _share(yes: _Mass, no: _Mass, entry: dict[str, Any]) -> Probability:
    """Divide P(Yes) by P(Yes) + P(No), with the bounds of both."""

    def share(of_yes: float, of_no: float) -> float:
        return of_yes / (of_yes + of_no) if of_yes + of_no > 0 else 0.5

    lower = share(yes.reported, no.reported + no.unseen)
    upper = share(yes.reported + yes.unseen, no.reported)
    if not (yes.is_reported and no.is_reported):
        return _missing(lower, upper, entry)
    return Probability("ok", share(yes.reported, no.reported), lower, upper)


def _mass(entry: dict[str, Any], listed: list[tuple[str, Any]], word: str, casefold: bool) -> _Mass:
    known = [(text, math.exp(value)) for text, value in listed if _is_finite(value) and value != MISSING]
    spelt = {text: probability for text, probability in known if _is(text, word, casefold)}
    reported = min(1.0, math.fsum(probability for text, probability in known if text in spelt))
    rest = max(0.0, 1.0 - math.fsum(probability for _, probability in known))
    asked = {text for text in entry.get("asked") or () if _is(text, word, casefold)}
    if asked:  # the list is of these tokens, not of the likeliest
        return _Mass(reported, 0.0 if asked <= spelt.keys() else rest, bool(spelt))
    least = min((probability for _, probability in known), default=1.0)
    unseen = sum(spelling not in spelt for spelling in spellings(word, casefold))
    return _Mass(reported, min(rest, unseen * least), bool(spelt))


def _listed(entry: dict[str, Any]) -> list[tuple[str, Any]]:
    """Give the reported tokens with their log-probabilities, the one that was drawn among them."""
    listed = [(str(text), value) for text, value in entry.get("top") or ()]
    drawn = (str(entry.get("token")), entry.get("logprob"))
    return listed if any(text == drawn[0] for text, _ in listed) else [*listed, drawn]


def _is(text: str, word: str, casefold: bool) -> bool:
    stripped = text.strip()
    return stripped.casefold() == word.casefold() if casefold else stripped == word


def _is_finite(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)


def _missing(lower: float, upper: float, entry: dict[str, Any]) -> Probability:
    shown = ", ".join(repr(text) for text in _texts(entry))
    detail = f"the server reported {shown or 'nothing'}"
    return Probability("token_missing", None, lower, min(1.0, upper), detail)


def _texts(entry: dict[str, Any]) -> Iterable[str]:
    return [str(text) for text, _ in (entry.get("top") or ())][:5]


def _why_none(reply: Reply) -> str:
    if reply.logprobs is None:
        return "the server gave no log-probabilities; embedded models give them with `backend: llamacpp`"
    return "the answer's first token cannot be told from the thinking"
