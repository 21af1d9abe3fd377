"""Asking a model for the next call at a gold state, and reading what it answers (D4, D5)."""

from __future__ import annotations

import json
import random

from plumbline.arguments.contexts import full_context
from plumbline.arguments.datasets.rules import ValuePool, make_wrong
from plumbline.config.argument_datasets import Proposer, Rule
from plumbline.config.models import Decoding, Simulation
from plumbline.config.settings import RunConfig
from plumbline.judging.blocks import as_json
from plumbline.models.defusing import defused
from plumbline.models.prompts import PromptSet
from plumbline.models.requests import Failure, Reply, Request
from plumbline.plans.generation import fields_of, tool_calls_schema
from plumbline.plans.perturb import drawn
from plumbline.records.arguments import Proposal, State
from plumbline.records.errors import UserError
from plumbline.records.model import Tool

_SLIPS: tuple[Rule, ...] = ("swap_value", "shift_number", "shift_date")


def proposal_item(state: State) -> str:
    """Name the item of a proposal in a proposer's journal."""
    return f"{state.dataset}|{state.state_id}|next"


def proposer_of(config: RunConfig, name: str) -> Proposer:
    """Give the settings of a proposer.

    Raises
    ------
    UserError
        If the run has none of that name.
    """
    known = config.arguments.proposers if config.arguments is not None else {}
    if name not in known:
        raise UserError(
            f"arguments.proposers has no `{name}`; it has {', '.join(sorted(known)) or 'no entry'}."
        )
    return known[name]


def proposer_decoding(config: RunConfig, name: str) -> Decoding:
    """Give the decoding of a proposer: its model's own, changed by the proposer."""
    chosen = proposer_of(config, name)
    return chosen.decoding.applied_to(config.models[chosen.model].decoding)


def proposal_request(
    config: RunConfig, name: str, state: State, prompts: PromptSet, pool: ValuePool | None = None
) -> Request:
    """Ask a proposer for the next call at a state.

    Parameters
    ----------
    config, name
        The run and the proposer.
    state
        With its full history and the functions that are offered.
    prompts
        The run's prompts; `tools` and `history` may be used in the files.
    pool
        Values of the data set, for the wrong calls of a simulated model.

    Returns
    -------
    Request
        The functions stand first and the history last, so that the states of a query share their prefix. The
        history is written with markers that no return can imitate. No gold call is in it. A simulated model
        gets no prompt but its answer: the gold calls with the model's `quality` of the tier easy, else
        one of them with a wrong value.

    Raises
    ------
    UserError
        If the run has no such proposer, or a prompt file is missing.
    """
    settings = proposer_of(config, name)
    model = config.models[settings.model]
    decoding = proposer_decoding(config, name)
    item = proposal_item(state)
    if model.engine == "simulated":
        text = _simulated(state, name, model.simulation, pool or ValuePool())
        return Request(item, (), decoding, simulation={"kind": "text", "text": text})
    messages = prompts.messages(
        settings.prompt,
        tools=defused(as_json([tool.offered() for tool in state.functions])),
        history=full_context(state).text(),
    )
    schema = tool_calls_schema(state.functions) if settings.output == "structured" else None
    return Request(item, messages, decoding, schema=schema)


def read_proposal(outcome: Reply | Failure | None, state: State, name: str) -> Proposal:
    """Turn what came back into a proposal.

    Parameters
    ----------
    outcome
        The reply, why there is none, or None if the question was never asked.

    Returns
    -------
    Proposal
        With calls if they can be read as a plan can (`plans.parsing`), else with a status that says why not.
    """
    found = fields_of(outcome, "the proposer was not asked at this state")
    return Proposal(state_id=state.state_id, dataset=state.dataset, proposer=name, **found)


def _simulated(state: State, name: str, simulation: Simulation, pool: ValuePool) -> str:
    """Write the gold calls of a state or, with the stated probability, one of them with a wrong value."""
    calls = [{"name": call.name, "arguments": call.arguments} for call in state.gold]
    share = drawn(simulation.seed, name, state.state_id, "proposal") / 2**64
    if calls and share >= simulation.quality.get("easy", 1.0):
        rng = random.Random(f"{simulation.seed}|{name}|{state.state_id}")  # noqa: S311, a reproducible draw
        place = rng.randrange(len(calls))
        gold = state.gold[place]
        tools = {tool.name: tool for tool in state.functions}
        made = make_wrong(gold, tools.get(gold.name, Tool(name=gold.name)), state, _SLIPS, rng, pool)
        if made is not None:
            calls[place] = {"name": gold.name, "arguments": made[0]}
    return json.dumps(calls, ensure_ascii=False)
