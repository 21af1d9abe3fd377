"""Asking a proposer for the next call at the states of a data set, and reading its answers (D4, D5)."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from plumbline.arguments.datasets.rules import ValuePool
from plumbline.arguments.material import load_prompts
from plumbline.arguments.proposals import proposal_request, proposer_of, read_proposal
from plumbline.arguments.text_asking import ask_texts
from plumbline.config.resolved import Workspace
from plumbline.config.settings import RunConfig
from plumbline.models import Reply, Report, Request, find_outcomes
from plumbline.models.prompts import PromptSet
from plumbline.records import read_json_lines
from plumbline.records.arguments import Proposal, State


@dataclass(frozen=True)
class Proposing:
    """What one proposer is asked on one data set.

    Parameters
    ----------
    config, name
        The run and the proposer.
    states
        Those at which it is asked.
    pool
        Values of the whole data set, for what a simulated model gets wrong.
    prompts
        The run's prompt files.
    """

    config: RunConfig
    name: str
    states: list[State]
    pool: ValuePool
    prompts: PromptSet

    @property
    def model(self) -> str:
        """Name of the model that is asked."""
        return proposer_of(self.config, self.name).model

    def kept(self, keeps: Callable[[str], bool]) -> Proposing:
        """Give the same for the states of a shard."""
        return replace(self, states=[state for state in self.states if keeps(state.state_id)])

    def requests(self) -> list[Request]:
        """Give one request for each state, in their order."""
        return [
            proposal_request(self.config, self.name, state, self.prompts, self.pool) for state in self.states
        ]


def load_proposing(workspace: Workspace, dataset: str, name: str) -> Proposing:
    """Read what a proposer is asked about."""
    states = read_json_lines(workspace.path("states", dataset), State)
    return Proposing(workspace.settings, name, states, ValuePool.of(states), load_prompts(workspace))


def ask_proposals(proposing: Proposing, *, journal: Path, lane: str, log: Path | None = None) -> Report:
    """Ask for all proposals that the journal does not hold yet."""
    state = proposing.states[0] if proposing.states else None

    def readable(request: Request, reply: Reply) -> bool:
        return state is None or read_proposal(reply, state, proposing.name).status in ("ok", "refused")

    return ask_texts(
        proposing.config,
        proposing.model,
        proposing.requests(),
        readable,
        journal=journal,
        lane=lane,
        log=log,
    )


def read_proposals(proposing: Proposing, *, journal: Path) -> Iterator[Proposal]:
    """Give one proposal for each state; no model is asked."""
    outcomes = find_outcomes(
        proposing.requests(),
        proposing.model,
        proposing.config.models[proposing.model],
        journal=journal,
        attempts=proposing.config.verdicts.attempts,
    )
    for state, (_, outcome) in zip(proposing.states, outcomes, strict=True):
        yield read_proposal(outcome, state, proposing.name)
