"""What models wrote as references, read: a derived value, a revised call, evidence (D16, D39, D40)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Any

from plumbline.answers import clean, without_surrogates
from plumbline.arguments.contexts import full_context
from plumbline.arguments.inputs import NO_EVIDENCE
from plumbline.arguments.question_text import call_line, function_named, schema_of
from plumbline.arguments.references.evidence import evidence_text
from plumbline.arguments.references.parser import stated_value
from plumbline.arguments.references.requests import ReferenceStage, Wanted, asked_references
from plumbline.config.argument_references import Evidence, RevisedCall
from plumbline.models import Failure, Reply, Request
from plumbline.plans.parsing import read_plan
from plumbline.records.arguments import ValueReference

_CLOSING = re.compile(r"</(?:think|thinking|reasoning)>", re.IGNORECASE)
_CUT = "the token limit cut the text; what was written is kept"


def is_readable(stage: ReferenceStage, reply: Reply) -> bool:
    """Whether an answer can be used, or asking again would not change that: for `models.ask`."""
    if isinstance(stage.settings, RevisedCall):
        reading = read_plan(reply.text, finish_reason=reply.finish_reason, refusal=reply.refusal)
        return reading.status in ("ok", "refused")
    return _text(stage, reply)["status"] in ("ok", "refused")


def read_references(
    stage: ReferenceStage, outcomes: Iterable[tuple[Request, Reply | Failure | None]]
) -> Iterator[ValueReference]:
    """Give the references of a stage; no model is asked.

    Parameters
    ----------
    stage
        As it was asked.
    outcomes
        What `models.find_outcomes` gives for `reference_requests(stage)`.

    Yields
    ------
    ValueReference
        One a slot, an item or a call, in the order of the states. One without usable text has a status that
        says why; evidence without a passage in the history has `no_evidence`, and its item is then
        judged as Plain. Lines of items carry the id of their call as well.
    """
    answered = iter(outcomes)
    for wanted, request in asked_references(stage):
        if request is None:
            reading: dict[str, Any] = {
                "status": "overflow",
                "detail": "the history does not fit the model's context",
            }
        else:
            _, outcome = next(answered)
            reading = _reading(stage, wanted, outcome)
        for item_id, call_id in wanted.readers:
            yield ValueReference(
                state_id=wanted.state.state_id,
                function=wanted.function,
                parameter=wanted.parameter,
                item_id=item_id,
                call_id=call_id,
                dataset=stage.dataset,
                reference=stage.name,
                kind=stage.arguments.references[stage.name].kind,
                model=stage.slug,
                seed=stage.decoding.seed,
                **reading,
            )


def _reading(stage: ReferenceStage, wanted: Wanted, outcome: Reply | Failure | None) -> dict[str, Any]:
    if outcome is None:
        return {"status": "not_asked", "detail": "the journal holds no answer; run the ask rule again"}
    if isinstance(outcome, Failure):
        return {"status": outcome.status, "detail": outcome.detail}
    cost = {"usage": outcome.usage, "seconds": outcome.seconds}
    if isinstance(stage.settings, RevisedCall):
        return {**_revised(wanted, outcome), **cost}
    reading = _text(stage, outcome)
    if reading["status"] == "ok" and isinstance(stage.settings, Evidence):
        reading |= _evidence(stage, stage.settings, wanted, reading["text"])
    elif reading["status"] == "ok":
        schema = schema_of(function_named(wanted.state, wanted.function), wanted.parameter or "")
        found = stated_value(reading["text"], wanted.parameter or "", schema, stage.arguments.parser)
        if found is not None:
            reading |= _stated(found.value)
    return {**reading, **cost}


def _text(stage: ReferenceStage, reply: Reply) -> dict[str, Any]:
    """Give the text after the thinking; one that the token limit cut is read as it stands (D41)."""
    cut = reply.finish_reason == "length"
    text = reply.text or ""
    thought_on = cut and stage.decoding.thinking and reply.reasoning is None and not _CLOSING.search(text)
    answer = clean(None if thought_on else text, refusal=reply.refusal or _filtered(reply))
    if answer.status is not None:
        status = "truncated" if cut and answer.status == "empty" else answer.status
        return {"status": status, "text": reply.text, "detail": answer.detail}
    return {"status": "ok", "text": answer.text, "detail": _CUT if cut else None}


def _filtered(reply: Reply) -> str | None:
    return "the provider's content filter stopped the reply" if reply.is_refused else None


def _revised(wanted: Wanted, reply: Reply) -> dict[str, Any]:
    """Read the one call of an answer; it must call the function under judgment."""
    reading = read_plan(reply.text, finish_reason=reply.finish_reason, refusal=reply.refusal)
    if reading.calls is None:
        return {"status": reading.status, "text": reply.text, "detail": reading.detail}
    if len(reading.calls) != 1 or reading.calls[0].name != wanted.function:
        names = ", ".join(call.name for call in reading.calls) or "nothing"
        detail = f"one call of {wanted.function} was asked for, and the answer calls {names}"
        return {"status": "malformed", "text": reply.text, "detail": detail}
    call = reading.calls[0]
    return {"status": "ok", "text": call_line(call.name, call.arguments), **_stated(call.arguments)}


def _stated(value: Any) -> dict[str, Any]:
    return {"parsed": True, "parsed_value": value}


def _evidence(stage: ReferenceStage, settings: Evidence, wanted: Wanted, answer: str) -> dict[str, Any]:
    named = settings.around_by_dataset
    around = named.get(stage.arguments.known_as(stage.dataset, named), settings.around)
    found = evidence_text(answer, full_context(wanted.state), settings, stage.arguments.snippets, around)
    if found is None:
        detail = f"no quote stands in the history; the answer was: {without_surrogates(answer)}"
        return {"status": NO_EVIDENCE, "text": None, "detail": detail[:2000]}
    return {"text": found}
