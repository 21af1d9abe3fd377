"""Asking a model to rewrite the requests of a relocated data set, and reading what it wrote (D22)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from plumbline.arguments.base_material import load_base
from plumbline.arguments.datasets.account import Account
from plumbline.arguments.datasets.move import Move
from plumbline.arguments.datasets.moves import plan_moves
from plumbline.arguments.datasets.relocation import read_relocation, relocation_requests
from plumbline.arguments.material import load_prompts
from plumbline.arguments.text_asking import ask_texts
from plumbline.config.argument_cells import arguments_of
from plumbline.config.argument_datasets import RelocateDataset
from plumbline.config.resolved import Workspace
from plumbline.config.settings import RunConfig
from plumbline.models import Reply, Report, Request, find_outcomes
from plumbline.records import UserError
from plumbline.records.arguments import RelocatedRequest


@dataclass(frozen=True)
class Relocating:
    """The values that move in a relocated data set, and what its rewriter is asked."""

    config: RunConfig
    model: str
    moves: list[Move]
    requests: list[Request]


def load_relocating(workspace: Workspace, dataset: str) -> Relocating:
    """Plan the moves of a relocated data set.

    Raises
    ------
    UserError
        If the data set has no rewriter.
    """
    config = workspace.settings
    settings = arguments_of(config).datasets[dataset]
    base = load_base(workspace, dataset)
    if not isinstance(settings, RelocateDataset) or settings.rewriter is None or base is None:
        raise UserError(f"arguments.datasets.{dataset} names no rewriter.")
    moves = plan_moves(settings, base, Account())
    requests = relocation_requests(moves, config.models[settings.rewriter], load_prompts(workspace))
    return Relocating(config, settings.rewriter, moves, list(requests))


def ask_relocations(relocating: Relocating, *, journal: Path, lane: str, log: Path | None = None) -> Report:
    """Ask for all rewritten requests that the journal does not hold yet."""
    moves = {move.state.state_id: move for move in relocating.moves}

    def readable(request: Request, reply: Reply) -> bool:
        read = read_relocation(moves[request.item], relocating.model, reply)
        return read.status in ("ok", "refused")

    return ask_texts(
        relocating.config,
        relocating.model,
        relocating.requests,
        readable,
        journal=journal,
        lane=lane,
        log=log,
    )


def read_relocations(relocating: Relocating, *, journal: Path) -> Iterator[RelocatedRequest]:
    """Give one rewritten request for each move, checked by code; no model is asked."""
    outcomes = find_outcomes(
        relocating.requests,
        relocating.model,
        relocating.config.models[relocating.model],
        journal=journal,
        attempts=relocating.config.verdicts.attempts,
    )
    for move, (_, outcome) in zip(relocating.moves, outcomes, strict=True):
        yield read_relocation(move, relocating.model, outcome)
