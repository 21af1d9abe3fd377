"""Which objects of an answer are verdicts, and the value that they give each metric."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from plumbline.answers import (
    Decoder,
    DecodingError,
    MalformedError,
    TruncatedError,
    VerdictStatus,
    alternatives,
    check_end,
    declines,
    number_of,
    openings,
    same_value,
    scan,
    shown,
)
from plumbline.records import METRICS

_ASSESSMENT = "overall_assessment"
_NAMES = {metric: metric for metric in METRICS} | dict.fromkeys(
    ("sequence_dependency", "sequence_and_dependency", "sequence_&_dependency"), "sequence"
)
_ENDING = re.compile(r"_(?:accuracy|score)\Z")
# whatever a broken key is quoted in, or nothing
_QUOTE = r"[\"'\u201c\u201d\u201e\u201f\u2018\u2019\u201a\u00ab\u00bb`\\]"
_OBJECTS = openings("{", besides=rf"\{{(?=\s*+(?:{_QUOTE}|[A-Za-z]))")
_KEY = re.compile(rf"{_QUOTE}*+([A-Za-z][\w&\- ]{{0,60}})({_QUOTE}*+)\s*+([:=]?)")


@dataclass(frozen=True)
class VerdictObject:
    """One verdict of an answer: its members, and those of the object that it stands in, if any."""

    members: dict[str, Any]
    around: dict[str, Any] = field(default_factory=dict)


class NoVerdictError(ValueError):
    """An answer gives no single verdict; the message is a sentence, `status` the word for it."""

    def __init__(self, status: VerdictStatus, detail: str) -> None:
        super().__init__(detail)
        self.status = status


def metric_named(key: str) -> str | None:
    """Give the metric that a key names, or None: `Tool Selection Score` names `tool_selection`."""
    return _NAMES.get(_ENDING.sub("", _spelled(key)))


def find_verdicts(decoder: Decoder) -> list[VerdictObject]:
    """Find the verdicts of an answer, at least one.

    Raises
    ------
    NoVerdictError
        If there is none, the text ends inside an object, or an object that begins like a verdict does not
        decode: what such an object quotes must not pass for the verdict.
    """
    verdicts: list[VerdictObject] = []
    try:
        check_end(decoder)
        for position, value in scan(decoder, _OBJECTS):
            if not isinstance(value, MalformedError):
                verdicts += _verdicts_in(value)
            elif _verdict_key_at(decoder, position + 1):
                where = f"The verdict that begins at character {position + 1}"
                raise NoVerdictError("malformed", f"{where} does not decode: {value}.")
    except TruncatedError as error:
        raise NoVerdictError("truncated", f"The answer is cut: {error}.") from None
    except DecodingError as error:
        raise NoVerdictError("malformed", f"The answer does not decode: {error}.") from None
    if verdicts:
        return verdicts
    if declines(decoder.text):
        raise NoVerdictError("refused", "The answer declines the task.")
    raise NoVerdictError("malformed", "The answer holds no object with a metric.")


def agreed_values(verdicts: list[VerdictObject]) -> dict[str, Any]:
    """Give the value of each metric that all verdicts agree on; None if a metric has no value.

    Numbers in quotes are converted; what is no number stays as it is.

    Raises
    ------
    NoVerdictError
        If one verdict values a metric twice, or two verdicts value it differently.
    """
    values = [_values(verdict) for verdict in verdicts]
    for metric in METRICS:
        first = values[0][metric]
        for number, other in enumerate(values[1:], start=2):
            if not same_value(first, other[metric]):
                given = f"`{metric}` is {shown(first)} in verdict 1 and {shown(other[metric])} in verdict"
                raise NoVerdictError("ambiguous", f"{given} {number}.")
    return values[0]


def justifications(verdict: VerdictObject) -> dict[str, str]:
    """Give a verdict's justification of each metric that it justifies, nested or under a key of its own."""
    texts: dict[str, str] = {}
    for key, member in verdict.members.items():
        nested = metric_named(key)
        flat = metric_named(_spelled(key).removesuffix("_justification"))
        if nested and isinstance(member, dict):
            for name, text in member.items():
                if _spelled(name) == "justification" and isinstance(text, str):
                    texts[nested] = text
        elif flat and not nested and isinstance(member, str):
            texts[flat] = member
    return texts


def assessment(verdict: VerdictObject) -> str | None:
    """Give a verdict's overall assessment, its own or the one beside it; None if there is no text."""
    for members in (verdict.members, verdict.around):
        for key, member in members.items():
            if _spelled(key) == _ASSESSMENT and isinstance(member, str):
                return member
    return None


def _spelled(key: str) -> str:
    return re.sub(r"[\s-]", "_", key.strip().lower())


def _has_metric(members: dict[str, Any]) -> bool:
    return any(metric_named(key) for key in members)


def _verdicts_in(members: dict[str, Any]) -> list[VerdictObject]:
    if _has_metric(members):
        return [VerdictObject(members)]
    inner = [value for member in members.values() for value in alternatives(member)]
    wrapped = [value for value in inner if isinstance(value, dict) and _has_metric(value)]
    if wrapped:
        return [VerdictObject(value, around=members) for value in wrapped]
    return [VerdictObject(members)] if any(_spelled(key) == _ASSESSMENT for key in members) else []


def _verdict_key_at(decoder: Decoder, position: int) -> bool:
    """Tell whether a verdict key stands here, in whatever quotes, or in none before a colon."""
    found = _KEY.match(decoder.text, decoder.skip(position))
    if not found or not (found.group(2) or found.group(3)):
        return False
    key = found.group(1)
    return metric_named(key) is not None or _spelled(key) == _ASSESSMENT


def _values(verdict: VerdictObject) -> dict[str, Any]:
    values: dict[str, Any] = dict.fromkeys(METRICS)
    for key, member in verdict.members.items():
        metric = metric_named(key)
        if metric is None:
            continue
        for value in _candidates(member):
            known = values[metric]
            if known is None:
                values[metric] = value
            elif not same_value(known, value):
                detail = f"`{metric}` is both {shown(known)} and {shown(value)} in one verdict."
                raise NoVerdictError("ambiguous", detail)
    return values


def _candidates(member: Any) -> Iterator[Any]:
    """Give the values of a metric's member: those under `accuracy` if it is an object, else itself."""
    for option in alternatives(member):
        found = [option]
        if isinstance(option, dict):
            inner = [value for key, value in option.items() if key.strip().lower() == "accuracy"]
            found = [value for conflict in inner for value in alternatives(conflict)]
        yield from (_converted(value) for value in found if value is not None)


def _converted(value: Any) -> Any:
    number = number_of(value.strip()) if isinstance(value, str) else None
    return value if number is None else number
