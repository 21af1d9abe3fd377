"""Asking a lane of verdicts, and reading a cell's verdicts from the journal (A16)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from plumbline.config.cells import Cell
from plumbline.config.settings import RunConfig
from plumbline.judging.reading import VerdictReading, read_verdict
from plumbline.judging.requests import Material, Question, count, questions
from plumbline.models import Failure, Reply, Report, Request, ask, find_outcomes
from plumbline.records import Verdict


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
        return read_reply(config, request.item.rsplit("|", 1)[1], reply).status

    def ask_again(request: Request, reply: Reply) -> bool:
        return status(request, reply) in config.verdicts.ask_again

    return ask(
        (q.request for q in questions(material, cells) if q.request is not None),
        slug,
        config.models[slug],
        journal=journal,
        lane=lane,
        total=count(material, cells),
        readable=lambda request, reply: status(request, reply) in ("ok", "refused"),
        attempts=config.verdicts.attempts,
        label=lambda request: _label(judge, *request.item.rsplit("|", 3)[1:]),
        totals=_totals(material, judge, cells),
        ask_again=ask_again if config.verdicts.ask_again else None,
        failed_share=config.jobs.failed_share,
        log=log,
    )


def _label(judge: str, tier: str, generator: str, condition: str) -> str:
    return f"{judge} on {generator}, {tier}, {condition}"


def _totals(material: Material, judge: str, cells: Sequence[Cell]) -> dict[str, int]:
    return {_label(judge, c.tier, c.generator, c.condition): count(material, [c]) for c in cells}


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
            (q.request for q in asked if q.request is not None),
            slug,
            config.models[slug],
            journal=journal,
            attempts=config.verdicts.attempts,
        )
    )
    for q in asked:
        if q.request is None:
            yield _verdict(q, status="not_asked", detail=q.reason)
            continue
        _, outcome = next(outcomes)
        if outcome is None:
            yield _verdict(
                q, status="not_asked", detail="the journal holds no answer; run the ask rule again"
            )
        elif isinstance(outcome, Failure):
            yield _verdict(q, status=outcome.status, detail=outcome.detail)
        else:
            yield _read_verdict(config, q, outcome)


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


def _read_verdict(config: RunConfig, question: Question, reply: Reply) -> Verdict:
    reading = read_reply(config, question.cell.condition, reply)
    # a missing metric that the run lets pass stays null: its match is 0, whatever the reference (C-A7)
    scores = {m: score for m, score in (reading.scores or {}).items() if m not in reading.missing}
    return _verdict(
        question,
        status=reading.status,
        detail=reading.detail,
        justifications=reading.justifications,
        overall_assessment=reading.overall_assessment,
        text=reply.text,
        usage=reply.usage,
        **scores,
    )


def _verdict(question: Question, **found: object) -> Verdict:
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
