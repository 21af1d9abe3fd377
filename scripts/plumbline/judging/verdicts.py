"""Asking a lane of verdicts, and reading a cell's verdicts from the journal (A16)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from plumbline.answers import reasoned
from plumbline.config.cells import Cell, resolved_decoding
from plumbline.config.settings import RunConfig
from plumbline.judging.prometheus import merged, read_rating
from plumbline.judging.reading import VerdictReading, read_verdict
from plumbline.judging.requests import Material, Question, asks_by_metric, condition_of, count, questions
from plumbline.models import Failure, Reply, Report, Request, ask, find_outcomes
from plumbline.records import METRICS, Usage, Verdict

Outcome = Reply | Failure | None
"""What came back: a reply, why there is none, or None if it was never asked."""


def ask_verdicts(
    material: Material,
    judge: str,
    cells: Sequence[Cell],
    *,
    journal: Path,
    lane: str,
    log: Path | None = None,
) -> Report:
    """Ask one lane's questions; every answer goes to the journal.

    Parameters
    ----------
    material
        Records (those of the shard), rewrites, plans, prompts.
    judge, cells
        The judge and its cells.
    journal
        Folder of the journal of the judge's model.
    lane
        Name of the journal file that this job appends to.
    log
        Where a server of our own writes its log.

    Raises
    ------
    UserError
        If the cell stops: a permanent error, a dead server, too many failed items.
    """
    config = material.config
    slug = config.judges[judge].model

    def status(request: Request, reply: Reply) -> str:
        return _status(config, judge, request, reply)

    def ask_again(request: Request, reply: Reply) -> bool:
        return status(request, reply) in config.verdicts.ask_again

    return ask(
        (request for q in questions(material, cells) for request in q.requests),
        slug,
        config.models[slug],
        journal=journal,
        lane=lane,
        total=count(material, cells),
        readable=lambda request, reply: status(request, reply) in ("ok", "refused"),
        attempts=config.verdicts.attempts,
        label=lambda request: _label_of(judge, request),
        totals=_totals(material, judge, cells),
        ask_again=ask_again if config.verdicts.ask_again else None,
        failed_share=config.jobs.failed_share,
        log=log,
    )


def cell_label(judge: str, tier: str, generator: str, condition: str) -> str:
    """Name a cell in the progress and the account of the job that asks for it."""
    return f"{judge} on {generator}, {tier}, {condition}"


def _label_of(judge: str, request: Request) -> str:
    _, tier, generator, _ = request.item.rsplit("|", 3)
    return cell_label(judge, tier, generator, condition_of(request))


def _totals(material: Material, judge: str, cells: Sequence[Cell]) -> dict[str, int]:
    return {cell_label(judge, c.tier, c.generator, c.condition): count(material, [c]) for c in cells}


def read_cell(material: Material, cell: Cell, *, journal: Path) -> Iterator[Verdict]:
    """Give the verdicts of one cell, read from the journal.

    Yields
    ------
    Verdict
        One for every plan and replicate, in the order of the records; what has no answer has a status.
    """
    config = material.config
    slug = config.judges[cell.judge].model
    asked = list(questions(material, [cell]))
    outcomes = iter(
        find_outcomes(
            (request for q in asked for request in q.requests),
            slug,
            config.models[slug],
            journal=journal,
            attempts=config.verdicts.attempts,
        )
    )
    for q in asked:
        if not q.requests:
            yield _verdict(q, status="not_asked", detail=q.reason)
        elif asks_by_metric(config, cell.judge, cell.condition):
            found = {metric: next(outcomes) for metric in METRICS}
            yield _verdict(
                q,
                **_of_metrics(config, {metric: outcome for metric, (_, outcome) in found.items()}),
                attempts=_attempts(found.values()),
            )
        else:
            last = next(outcomes)
            yield _verdict(q, **_of_one(config, cell.condition, last[1]), attempts=_attempts([last]))


def warnings_of(config: RunConfig, cell: Cell, verdicts: Iterable[Verdict]) -> list[str]:
    """Say of a cell that is asked without thinking how many replies came with reasoning (A39)."""
    if resolved_decoding(config, cell.judge, cell.condition).thinking is not False:
        return []
    replies = [verdict.reasoned for verdict in verdicts if verdict.reasoned is not None]
    if not any(replies):
        return []
    return [
        f"warning: {sum(replies)} of {len(replies)} replies hold reasoning, though thinking is off in "
        f"condition {cell.condition}. The chat template of judge {cell.judge} must close the reasoning when "
        "`enable_thinking` is false."
    ]


def read_reply(config: RunConfig, condition: str, reply: Reply) -> VerdictReading:
    """Read a judge's reply on the scale of its condition."""
    return read_verdict(
        reply.text,
        finish_reason=reply.finish_reason,
        refusal=reply.refusal,
        scale=config.conditions[condition].scale,
        missing_metric=config.verdicts.missing_metric,
        off_scale=config.verdicts.off_scale,
    )


def _status(config: RunConfig, judge: str, request: Request, reply: Reply) -> str:
    condition = condition_of(request)
    if asks_by_metric(config, judge, condition):
        return read_rating(reply).status
    return read_reply(config, condition, reply).status


def _of_one(config: RunConfig, condition: str, outcome: Outcome) -> dict[str, Any]:
    """Give the fields of a verdict that one answer holds whole."""
    if not isinstance(outcome, Reply):
        return _unanswered(outcome)
    reading = read_reply(config, condition, outcome)
    # a missing metric that the run lets pass stays null: its match is 0, whatever the reference (C-A7)
    scores = {m: score for m, score in (reading.scores or {}).items() if m not in reading.missing}
    return {
        "status": reading.status,
        "detail": reading.detail,
        "justifications": reading.justifications,
        "overall_assessment": reading.overall_assessment,
        "reasoned": reasoned(outcome.text, outcome.reasoning),
        "text": outcome.text,
        "usage": outcome.usage,
        **scores,
    }


def _of_metrics(config: RunConfig, outcomes: Mapping[str, Outcome]) -> dict[str, Any]:
    """Give the fields of a verdict whose metrics were asked one by one; tokens are summed."""
    for metric, outcome in outcomes.items():
        if not isinstance(outcome, Reply):
            found = _unanswered(outcome)
            return found | {"detail": f"{metric}: {found['detail']}"}
    replies = {metric: reply for metric, reply in outcomes.items() if isinstance(reply, Reply)}
    counts = [reply.usage for reply in replies.values() if reply.usage is not None]
    cached = [usage.cached_tokens for usage in counts if usage.cached_tokens is not None]
    usage = Usage(
        prompt_tokens=sum(usage.prompt_tokens for usage in counts),
        completion_tokens=sum(usage.completion_tokens for usage in counts),
        cached_tokens=sum(cached) if cached else None,
    )
    text = "\n\n".join(f"{metric}: {(reply.text or '').strip()}" for metric, reply in replies.items())
    ratings = {metric: read_rating(reply) for metric, reply in replies.items()}
    thought = any(reasoned(reply.text, reply.reasoning) for reply in replies.values())
    found = merged(ratings, config.prometheus)
    return found | {"reasoned": thought, "text": text, "usage": usage if counts else None}


def _attempts(outcomes: Iterable[tuple[Request, Outcome]]) -> int | None:
    """Give how often a verdict was asked for, of several metrics the most; None if it never was."""
    return max((request.attempt + 1 for request, outcome in outcomes if outcome is not None), default=None)


def _unanswered(outcome: Failure | None) -> dict[str, Any]:
    if outcome is None:
        return {"status": "not_asked", "detail": "the journal holds no answer; run the ask rule again"}
    return {"status": outcome.status, "detail": outcome.detail}


def _verdict(question: Question, **found: Any) -> Verdict:
    cell = question.cell
    return Verdict.model_validate(
        {
            "record_id": question.record_id,
            "tier": cell.tier,
            "generator": cell.generator,
            "judge": cell.judge,
            "condition": cell.condition,
            "replicate": question.replicate,
            **found,
        }
    )
