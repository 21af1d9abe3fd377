"""Meta-judges: four yes-or-no questions on each triplet of queries, asked and read (A49)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from plumbline.answers import (
    Decoder,
    DecodingError,
    MalformedError,
    TruncatedError,
    clean,
    declines,
    openings,
    scan,
    shown,
)
from plumbline.config.resolved import Workspace
from plumbline.config.settings import RunConfig
from plumbline.config.validation import Validation
from plumbline.judging.blocks import as_json
from plumbline.models import Failure, Reply, Report, Request, ask, find_outcomes
from plumbline.models.defusing import defused
from plumbline.models.prompts import PromptSet
from plumbline.records import CRITERIA, Opinion, Record, Triplet, UserError, read_json_lines

SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {criterion: {"type": "boolean"} for criterion in CRITERIA},
    "required": list(CRITERIA),
    "additionalProperties": False,
}
"""JSON Schema of the answer."""

_YES_NO = {"yes": True, "true": True, "no": False, "false": False}


@dataclass(frozen=True)
class MetaJudging:
    """What one meta-judge is asked.

    Parameters
    ----------
    config, prompts
        The run and its prompt files.
    model
        The meta-judge.
    records
        Records of the run by id; they give tools and expected calls.
    triplets
        The triplets, in the order in which they are asked.
    """

    config: RunConfig
    prompts: PromptSet
    model: str
    records: Mapping[str, Record]
    triplets: Sequence[Triplet]

    @property
    def settings(self) -> Validation:
        """The run's section `validation`.

        Raises
        ------
        UserError
            If the run has none.
        """
        if self.config.validation is None:
            raise UserError("this run has no section `validation`; name its meta-judges there.")
        return self.config.validation

    def requests(self) -> Iterator[Request]:
        """Give one request for each triplet; its item is the record's id."""
        settings = self.settings
        decoding = settings.decoding.applied_to(self.config.models[self.model].decoding)
        for triplet in self.triplets:
            if self.config.models[self.model].engine == "simulated":
                text = as_json(dict.fromkeys(CRITERIA, True))
                simulation = {"kind": "text", "text": text}
                yield Request(triplet.record_id, (), decoding, simulation=simulation)
                continue
            record = self.records[triplet.record_id]
            messages = self.prompts.messages(
                settings.prompt,
                tools=as_json([tool.offered() for tool in record.tools]),
                expected_calls=as_json(
                    [{"name": call.name, "arguments": call.arguments} for call in record.expected_calls]
                ),
                # the rewrites are a model's words: they must not be able to open the meta-judge's own turn
                **{tier: defused(getattr(triplet, tier)) for tier in ("easy", "medium", "hard")},
            )
            schema = SCHEMA if settings.output == "structured" else None
            yield Request(triplet.record_id, messages, decoding, schema=schema)


def load_triplets(workspace: Workspace, model: str) -> MetaJudging:
    """Load what a meta-judge is asked."""
    records = read_json_lines(workspace.path("records"), Record)
    return MetaJudging(
        config=workspace.settings,
        prompts=PromptSet(Path(workspace.settings.prompts.folder)),
        model=model,
        records={record.id: record for record in records},
        triplets=read_json_lines(workspace.path("triplets"), Triplet),
    )


def ask_opinions(judging: MetaJudging, *, journal: Path, lane: str, log: Path | None = None) -> Report:
    """Ask a meta-judge about all triplets; every answer goes to the journal.

    Raises
    ------
    UserError
        If the job stops: a permanent error, a dead server, too many failed items.
    """
    config = judging.config

    def readable(request: Request, reply: Reply) -> bool:
        return _reading(reply)["status"] in ("ok", "refused")

    return ask(
        judging.requests(),
        judging.model,
        config.models[judging.model],
        journal=journal,
        lane=lane,
        total=len(judging.triplets),
        readable=readable,
        attempts=config.verdicts.attempts,
        label=lambda request: f"{judging.model}: triplets",
        failed_share=config.jobs.failed_share,
        log=log,
    )


def read_opinions(judging: MetaJudging, *, journal: Path) -> Iterator[Opinion]:
    """Give what a meta-judge said of each triplet, read from the journal; no model is asked.

    Yields
    ------
    Opinion
        One for every triplet, in their order; one without four answers has a status that says why.
    """
    outcomes = find_outcomes(
        judging.requests(),
        judging.model,
        judging.config.models[judging.model],
        journal=journal,
        attempts=judging.config.verdicts.attempts,
    )
    for triplet, (_, outcome) in zip(judging.triplets, outcomes, strict=True):
        about = {"record_id": triplet.record_id, "topology": triplet.topology, "model": judging.model}
        yield Opinion.model_validate({**about, **_reading(outcome)})


def read_answer(
    text: str | None, *, finish_reason: str | None = None, refusal: str | None = None
) -> tuple[str, dict[str, bool] | None, str | None]:
    """Read the four answers of a meta-judge (A49).

    Parameters
    ----------
    text
        The reply; None is blank.
    finish_reason, refusal
        As the server reports them.

    Returns
    -------
    status
        `ok`, `refused`, `empty`, `truncated`, `malformed`, `ambiguous` or `missing_answer`.
    answers
        Criterion -> answer; None unless ok.
    detail
        What is wrong; None if nothing is.

    Notes
    -----
    Several objects must agree in all that they answer. `true`, `false`, and the words yes and no in any case
    are answers; a number is not.
    """
    answer = clean(text, finish_reason=finish_reason, refusal=refusal)
    if answer.status is not None:
        return answer.status, None, answer.detail
    try:
        found = _objects(answer.decoder)
    except TruncatedError as error:
        return "truncated", None, f"The answer is cut: {error}."
    except DecodingError as error:
        return "malformed", None, f"The answer does not decode: {error}."
    if not found:
        status = "refused" if declines(answer.text) else "malformed"
        return status, None, f"There is no object with {', '.join(CRITERIA)}."
    answers: dict[str, bool] = {}
    for criterion in CRITERIA:
        values = [_boolean(entry[criterion]) for entry in found if criterion in entry]
        if len(set(values)) > 1:
            return "ambiguous", None, f"The answers on `{criterion}` do not agree."
        if not values or values[0] is None:
            said = shown(found[0][criterion]) if criterion in found[0] else "missing"
            return "missing_answer", None, f"`{criterion}` is {said}; true or false was due."
        answers[criterion] = values[0]
    return "ok", answers, None


def _objects(decoder: Decoder) -> list[dict[str, Any]]:
    """Give the objects of an answer that hold one of the four keys."""
    return [
        value
        for _, value in scan(decoder, openings("{"))
        if not isinstance(value, MalformedError)
        and isinstance(value, dict)
        and any(criterion in value for criterion in CRITERIA)
    ]


def _boolean(value: Any) -> bool | None:
    if isinstance(value, str):
        return _YES_NO.get(value.strip().casefold())
    return value if isinstance(value, bool) else None


def _reading(outcome: Reply | Failure | None) -> dict[str, Any]:
    if outcome is None:
        return {"status": "not_asked", "detail": "the journal holds no answer; run the ask rule again"}
    if isinstance(outcome, Failure):
        return {"status": outcome.status, "detail": outcome.detail}
    status, answers, detail = read_answer(
        outcome.text, finish_reason=outcome.finish_reason, refusal=outcome.refusal
    )
    return {
        "status": status,
        "text": outcome.text,
        "detail": detail,
        "usage": outcome.usage,
        **(answers or {}),
    }
