"""Reading a judge's answers as probabilities that values are right, and a cell's judgments (D13)."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from plumbline.arguments.first_token import Probability, yes_probability
from plumbline.arguments.input_paths import InputPaths
from plumbline.arguments.questions import JudgeMaterial, Question, questions, unit_id, units_of
from plumbline.config.argument_cells import ArgumentCell, arguments_of, judge_of
from plumbline.config.settings import RunConfig
from plumbline.models import Failure, Reply, find_outcomes
from plumbline.models.wire import QUESTION
from plumbline.records.arguments import ArgumentItem, Judgment
from plumbline.records.arguments import Path as ValuePath


def read_judgments(material: JudgeMaterial, cell: ArgumentCell, *, journal: Path) -> Iterator[Judgment]:
    """Give the judgments of one cell, read from the journal; no model is asked.

    Parameters
    ----------
    material
        The whole data set.
    cell
        A cell of a judge that is a model.
    journal
        Folder of the journal of the judge's model.

    Yields
    ------
    Judgment
        One for every item, or proposed call, and replicate, in the order of their file. One without a
        probability has a status that says why, and no score.
    """
    config = material.config
    model = judge_of(config, cell).model or ""
    wanted = list(questions(material, [cell]))
    outcomes = find_outcomes(
        (question.request for question in wanted if question.request is not None),
        model,
        config.models[model],
        journal=journal,
        attempts=config.verdicts.attempts,
    )
    found = iter(outcomes)
    read: dict[str, list[Judgment]] = {}
    paths = _paths(material, cell, wanted)
    for question in wanted:
        outcome = None if question.request is None else next(found)[1]
        judgment = _judgment(config, model, question, outcome)
        path = paths.get(question.item_id)
        read.setdefault(question.item_id, []).append(judgment.model_copy(update={"path": path}))
    for unit in units_of(material, cell):
        yield from read.pop(unit_id(unit), ())


def _paths(material: JudgeMaterial, cell: ArgumentCell, wanted: Iterable[Question]) -> dict[str, ValuePath]:
    """Give the paths of values in what the cell's input shows; none where those of the items count (C-D6)."""
    if arguments_of(material.config).paths.context == "plain":
        return {}
    finder = InputPaths(material, cell)
    items = {unit_id(unit): unit for unit in units_of(material, cell)}
    found: dict[str, ValuePath] = {}
    for question in wanted:
        item = items[question.item_id]
        if question.not_asked is None and isinstance(item, ArgumentItem):
            found[question.item_id] = finder.find(item, question.shortened)
    return found


def read_judgment(config: RunConfig, model: str, reply: Reply) -> Probability:
    """Read the probability that a judge's reply gives to the value.

    Parameters
    ----------
    config
        The run: how Yes is read.
    model
        The judge's model by its name in the run; a typed-question server must have answered with its `model`.
    """
    settings = config.models[model]
    if settings.engine == "decisions":
        return typed_probability(reply, settings.model or model)
    return yes_probability(reply, arguments_of(config).yes_no)


def typed_probability(reply: Reply, pinned: str) -> Probability:
    """Read the probability from a typed-question server's reply.

    Parameters
    ----------
    reply
        Its text is the JSON of `model` and `answers`.
    pinned
        The model that was asked for, version included.

    Returns
    -------
    Probability
        `wrong_model` if the reply names another model or none; `malformed` if it holds no answer of the kind
        that was asked for, `non_finite` or `off_scale` if the number is no probability.
    """
    data = json.loads(reply.text or "{}")
    if data.get("model") != pinned:
        return Probability("wrong_model", detail=f"{data.get('model')!r} answered, not {pinned!r}")
    answers = data.get("answers")
    answer: Any = answers.get(QUESTION) if isinstance(answers, dict) else None
    value = answer.get("noul") if isinstance(answer, dict) else None
    if isinstance(value, bool) or not isinstance(value, int | float):
        return Probability("malformed", detail=f"the answer holds no probability: {json.dumps(answer)[:200]}")
    if not math.isfinite(value):
        return Probability("non_finite", detail=f"the probability is {value}")
    if not 0 <= value <= 1:
        return Probability("off_scale", detail=f"the probability is {value}")
    return Probability("ok", float(value), float(value), float(value))


def _judgment(config: RunConfig, model: str, question: Question, outcome: Reply | Failure | None) -> Judgment:
    cell = question.cell
    about: dict[str, Any] = {
        "item_id": question.item_id,
        "dataset": cell.dataset,
        "judge": cell.judge,
        "input": cell.input,
        "replicate": question.replicate,
        "shortened": question.shortened,
    }
    if question.not_asked is not None:
        return Judgment(**about, status=question.not_asked.status, detail=question.not_asked.detail)
    if outcome is None:
        detail = "the journal holds no answer; run the ask rule again"
        return Judgment(**about, status="not_asked", detail=detail)
    if isinstance(outcome, Failure):
        return Judgment(**about, status=outcome.status, detail=outcome.detail)
    read = read_judgment(config, model, outcome)
    assert question.request is not None
    return Judgment(
        **about,
        status=read.status,
        score=read.score,
        lower=read.lower,
        upper=read.upper,
        detail=read.detail,
        usage=outcome.usage,
        seconds=outcome.seconds,
        # enough of the journal's key to tell answers apart
        answer=question.request.key(model, config.models[model])[:16],
    )
