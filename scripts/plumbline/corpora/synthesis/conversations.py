"""Asking for one stage: the first question, and the next one with what was wrong with the answer (A2)."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from plumbline.answers import DecodingError, MalformedError, TruncatedError, clean, openings, scan
from plumbline.config.corpus import SynthesisedSource
from plumbline.config.gates import Gates
from plumbline.config.models import Decoding
from plumbline.config.settings import RunConfig
from plumbline.corpora.synthesis.stages import SHAPES, Context, Problems, Stage, before
from plumbline.corpora.synthesis.works import StageProblem, StageResult, Work
from plumbline.models import Failure, Message, Reply, Report, Request, ask, find_conversations
from plumbline.models.defusing import defused
from plumbline.models.prompts import PromptSet
from plumbline.records import Usage, UserError


@dataclass(frozen=True)
class Synthesis:
    """One stage of one domain.

    Parameters
    ----------
    config, prompts
        The run and its prompt files.
    name
        The source in `corpus.sources`.
    stage
        The stage.
    works
        The records that are begun in the domain.
    earlier
        Values of the stages before, by record and stage; a record that lacks one is not asked about.
    """

    config: RunConfig
    prompts: PromptSet
    name: str
    stage: Stage
    works: Sequence[Work]
    earlier: Mapping[str, Mapping[str, Any]]

    @property
    def source(self) -> SynthesisedSource:
        """The source's settings.

        Raises
        ------
        UserError
            If it is no synthesised source.
        """
        chosen = self.config.corpus.sources[self.name]
        if not isinstance(chosen, SynthesisedSource):
            raise UserError(f"corpus.sources.{self.name} is of kind {chosen.kind}, not synthesised.")
        return chosen

    @property
    def decoding(self) -> Decoding:
        """How answers are sampled."""
        return self.source.decoding.applied_to(self.config.models[self.source.model].decoding)

    def open_works(self) -> list[Work]:
        """List the records whose earlier stages all came through."""
        needed = before(self.stage.name)
        return [work for work in self.works if all(s in self.earlier.get(work.work_id, {}) for s in needed)]

    def requests(self) -> Iterator[Request]:
        """Give the first question about each open record."""
        for work in self.open_works():
            yield self._request(work, self._first_messages(work), attempt=0)

    def follow_up(self, request: Request, reply: Reply) -> Request | None:
        """Ask again with what was wrong, or None: the answer passes, or the attempts are used up."""
        work = self._work_of(request)
        _, problems = self.judged(work, reply)
        if not problems or request.attempt + 1 >= self.source.attempts:
            return None
        told = defused("\n".join(f"- {message}." for _, message in problems[:20]))
        again = self.prompts.messages(f"{self.source.prompt}_again", problems=told)
        # the last answer alone is repeated: what was wrong with those before is mended or told anew
        answer = Message(role="assistant", content=defused(reply.text or "(no answer)"))
        messages = (*self._first_messages(work), answer, *again)
        return self._request(work, messages, attempt=request.attempt + 1)

    def judged(self, work: Work, reply: Reply) -> tuple[Any, Problems]:
        """Read and check an answer: its value, and (code, message) of all that is wrong with it."""
        value, problems = read_object(reply)
        if problems:
            return None, problems
        context = Context(work, self.source, self.gates, self.earlier.get(work.work_id, {}))
        found = self.stage.check(value, context)
        return (None if found else value), found

    @property
    def gates(self) -> Gates:
        """What finished records must meet."""
        return self.config.corpus.gates

    def _request(self, work: Work, messages: tuple[Message, ...], attempt: int) -> Request:
        schema = self.stage.schema if self.source.output == "structured" else None
        item = f"{work.work_id}|{self.stage.name}"
        return Request(item, messages, self.decoding, schema=schema, attempt=attempt)

    def _first_messages(self, work: Work) -> tuple[Message, ...]:
        source = self.source
        values = {name: _shown(value) for name, value in self.earlier.get(work.work_id, {}).items()}
        return self.prompts.messages(
            f"{source.prompt}_{self.stage.name}",
            domain=work.domain.replace("_", " "),
            topology=work.topology.replace("_", " "),
            shape=SHAPES[work.topology],
            number=work.number,
            count=source.records,
            fewest_tools=source.fewest_tools,
            most_tools=source.most_tools,
            fewest_calls=source.fewest_calls,
            most_calls=source.most_calls,
            **{name: values.get(name, "") for name in before(self.stage.name)},
        )

    def _work_of(self, request: Request) -> Work:
        name = request.item.rsplit("|", 1)[0]
        return next(work for work in self.works if work.work_id == name)


def ask_stage(synthesis: Synthesis, *, journal: Path, lane: str, log: Path | None = None) -> Report:
    """Ask for one stage of a domain, and again where an answer fails; every answer goes to the journal.

    Raises
    ------
    UserError
        If the job stops: a permanent error, a dead server, too many failed items.
    """
    model = synthesis.source.model
    return ask(
        synthesis.requests(),
        model,
        synthesis.config.models[model],
        journal=journal,
        lane=lane,
        total=len(synthesis.open_works()),
        follow_up=synthesis.follow_up,
        label=lambda request: f"{synthesis.name}: {synthesis.stage.name}",
        failed_share=synthesis.config.jobs.failed_share,
        log=log,
    )


def read_stage(synthesis: Synthesis, *, journal: Path) -> Iterator[StageResult]:
    """Give what a stage has of each record, read from the journal; no model is asked.

    Yields
    ------
    StageResult
        One for every record that was begun, in order.
    """
    model = synthesis.source.model
    conversations = find_conversations(
        synthesis.requests(),
        model,
        synthesis.config.models[model],
        journal=journal,
        follow_up=synthesis.follow_up,
    )
    found = dict(zip((work.work_id for work in synthesis.open_works()), conversations, strict=True))
    for work in synthesis.works:
        about = {
            "work_id": work.work_id,
            "domain": work.domain,
            "topology": work.topology,
            "stage": synthesis.stage.name,
        }
        yield StageResult.model_validate(about | _outcome(synthesis, work, found.get(work.work_id)))


def read_object(reply: Reply) -> tuple[dict[str, Any], Problems]:
    """Read the one JSON object of an answer; (code, message) if there is none or more than one."""
    answer = clean(reply.text, finish_reason=reply.finish_reason, refusal=reply.refusal)
    if answer.status is not None:
        return {}, [(answer.status, (answer.detail or answer.status).rstrip("."))]
    try:
        found = [
            value
            for _, value in scan(answer.decoder, openings("{"))
            if not isinstance(value, MalformedError) and isinstance(value, dict)
        ]
    except TruncatedError as error:
        return {}, [("truncated", f"the answer is cut ({error}); make it shorter")]
    except DecodingError as error:
        return {}, [("malformed", f"the answer is no JSON ({error})")]
    if len(found) != 1:
        return {}, [("malformed", f"the answer holds {len(found)} JSON objects; one alone is wanted")]
    return json.loads(json.dumps(found[0], default=str)), []


def _outcome(
    synthesis: Synthesis,
    work: Work,
    conversation: Sequence[tuple[Request, Reply | Failure | None]] | None,
) -> dict[str, Any]:
    if conversation is None:
        return {"status": "not_asked", "detail": "an earlier stage gave this record up"}
    problems: list[StageProblem] = []
    usage = Usage()
    for attempt, (_, outcome) in enumerate(conversation, start=1):
        told = {"attempts": attempt, "problems": tuple(problems), "usage": usage}
        if outcome is None:
            detail = "the journal holds no answer; run the ask rule again"
            return {**told, "status": "not_asked", "detail": detail}
        if isinstance(outcome, Failure):
            return {**told, "status": outcome.status, "detail": outcome.detail}
        usage = _added(usage, outcome.usage)
        value, found = synthesis.judged(work, outcome)
        if not found:
            return {**told, "usage": usage, "status": "ok", "value": value}
        problems += [StageProblem(attempt=attempt, code=code, message=message) for code, message in found]
    return {
        "status": "given_up",
        "attempts": len(conversation),
        "problems": tuple(problems),
        "detail": f"no answer of {len(conversation)} passed; the last: {problems[-1].message}",
        "usage": usage,
    }


def _added(first: Usage, second: Usage | None) -> Usage:
    if second is None:
        return first
    cached = (first.cached_tokens or 0) + (second.cached_tokens or 0)
    known = first.cached_tokens is not None or second.cached_tokens is not None
    return Usage(
        prompt_tokens=first.prompt_tokens + second.prompt_tokens,
        completion_tokens=first.completion_tokens + second.completion_tokens,
        cached_tokens=cached if known else None,
    )


def _shown(value: Any) -> str:
    # what an earlier stage answered is data: it must not open a turn of its own
    return defused(json.dumps(value, indent=2, ensure_ascii=False))
