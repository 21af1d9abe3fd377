"""Asking a model to rewrite requests whose value is moved, and reading what it wrote (D22, C-D17)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from plumbline.answers import clean
from plumbline.arguments.datasets.move import Move, request_problem, template_request
from plumbline.arguments.datasets.stated import written
from plumbline.config.models import Model
from plumbline.models.defusing import defused
from plumbline.models.prompts import PromptSet
from plumbline.models.requests import Failure, Reply, Request
from plumbline.records.arguments import RelocatedRequest

PROMPT = "relocate"
"""Prompt files `relocate.system.md` and `relocate.user.md`."""


def relocation_requests(moves: Iterable[Move], model: Model, prompts: PromptSet) -> Iterator[Request]:
    """Give one request for each move; the item is the id of the state whose value moves.

    Parameters
    ----------
    moves
        As `plan_moves` gives them. Where the value stands plays no part: both versions ask the same.
    model
        The rewriter's settings; its own decoding is used. A simulated one answers with the template.
    prompts
        `request`, `value`, `parameter`, `description` and `entry` may be used in the files.
    """
    for move in moves:
        if model.engine == "simulated":
            simulation = {"kind": "text", "text": template_request(move)}
            yield Request(move.state.state_id, (), model.decoding, simulation=simulation)
            continue
        messages = prompts.messages(
            PROMPT,
            request=defused(move.message),
            value=defused(written(move.item.value)),
            parameter=move.item.parameter,
            description=defused(_description(move)),
            entry=move.name,
        )
        yield Request(move.state.state_id, messages, model.decoding)


def read_relocation(move: Move, model: str, outcome: Reply | Failure | None) -> RelocatedRequest:
    """Read the rewriter's answer and check it by code.

    Parameters
    ----------
    move
        What was asked about.
    model
        The rewriter's slug.
    outcome
        What the journal holds.

    Returns
    -------
    RelocatedRequest
        `ok` only if the text states the value nowhere, names the entry, and still states the other values
        of the gold call that the request stated; else a status, and the template takes its place.
    """
    common = {"state_id": move.state.state_id, "dataset": move.state.dataset, "model": model}
    if outcome is None:
        detail = "the journal holds no answer; run the ask rule again"
        return RelocatedRequest(**common, status="not_asked", detail=detail)
    if isinstance(outcome, Failure):
        return RelocatedRequest(**common, status=outcome.status, detail=outcome.detail)
    answer = clean(outcome.text, finish_reason=outcome.finish_reason, refusal=outcome.refusal)
    if answer.status is not None:
        return RelocatedRequest(
            **common, status=answer.status, detail=answer.detail or None, usage=outcome.usage
        )
    text = answer.text.strip()
    problem = request_problem(move, text)
    if problem is not None:
        return RelocatedRequest(**common, status=problem[0], detail=problem[1], usage=outcome.usage)
    return RelocatedRequest(**common, status="ok", text=text, usage=outcome.usage)


def _description(move: Move) -> str:
    tool = next((tool for tool in move.state.functions if tool.name == move.item.function), None)
    schema = (tool.parameters.get("properties") or {}).get(move.item.parameter) if tool else None
    return str(schema.get("description") or "").strip() if isinstance(schema, dict) else ""
