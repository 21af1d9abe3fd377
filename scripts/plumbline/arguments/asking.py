"""Asking a judge for its judgments of argument values, one lane at a time (D13)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain
from pathlib import Path

from plumbline.arguments.questions import JudgeMaterial, Question, asked_units, questions
from plumbline.arguments.reading import read_judgment
from plumbline.config.argument_cells import ArgumentCell, input_of, judge_of
from plumbline.models import Reply, Report, Request, ask
from plumbline.records import UserError

UNFINISHED = ("truncated", "empty")
"""What a sampled judgment may come to at another attempt."""


def ask_judgments(
    materials: Sequence[JudgeMaterial],
    cells: Sequence[ArgumentCell],
    *,
    journal: Path,
    lane: str,
    log: Path | None = None,
) -> Report:
    """Ask one judge's questions on some data sets; every answer goes to the journal (D13).

    Parameters
    ----------
    materials
        One for each data set of the cells.
    cells
        Cells of one judge.
    journal
        Folder of the journal of the judge's model.
    lane
        Name of the journal file that this job appends to.
    log
        Where a server of our own writes its log.

    Raises
    ------
    UserError
        If the job stops: a permanent error, a dead server, too many failed items.
    """
    config, judge = materials[0].config, cells[0].judge
    model = judge_of(config, cells[0]).model
    if model is None:
        raise UserError(f"judge {judge} compares values; no model is asked.")
    totals = {
        cell.label: len(asked_units(material, cell)) * input_of(config, cell).replicates
        for material in materials
        for cell in _of(material, cells)
    }
    settings = config.models[model]

    def status(request: Request, reply: Reply) -> str:
        return read_judgment(config, model, reply).status

    def wrong_model(request: Request, reply: Reply) -> bool:
        return status(request, reply) == "wrong_model"

    def readable(request: Request, reply: Reply) -> bool:
        return status(request, reply) not in UNFINISHED

    asked = chain.from_iterable(questions(material, _of(material, cells)) for material in materials)
    return ask(
        _requests(asked),
        model,
        settings,
        journal=journal,
        lane=lane,
        total=sum(totals.values()),
        readable=readable,
        attempts=config.verdicts.attempts,
        label=lambda request: _label_of(judge, request),
        totals=totals,
        ask_again=wrong_model if settings.engine == "decisions" else None,
        failed_share=config.jobs.failed_share,
        log=log,
    )


def _of(material: JudgeMaterial, cells: Sequence[ArgumentCell]) -> list[ArgumentCell]:
    return [cell for cell in cells if cell.dataset == material.files.dataset]


def _requests(asked: Iterator[Question]) -> Iterator[Request]:
    return (question.request for question in asked if question.request is not None)


def _label_of(judge: str, request: Request) -> str:
    dataset, _, rest = request.item.partition("|")
    return ArgumentCell(judge, dataset, rest.rpartition("|")[2]).label
