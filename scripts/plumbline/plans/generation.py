"""Asking a model for a plan, and reading what it answers (A8)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from plumbline.config.cells import generator_decoding
from plumbline.config.settings import Generator, RunConfig
from plumbline.models.prompts import PromptSet
from plumbline.models.requests import Failure, Reply, Request
from plumbline.plans.parsing import read_plan
from plumbline.records.errors import UserError
from plumbline.records.model import Plan, Record, Tier, Tool


def plan_item(record_id: str, tier: str) -> str:
    """Name the item of a plan in a generator's journal."""
    return f"{record_id}|{tier}"


def generation_request(
    config: RunConfig, generator: str, record: Record, tier: Tier, query: str, prompts: PromptSet
) -> Request:
    """Ask a generator for the plan of one record and tier.

    Parameters
    ----------
    config, generator
        The run, and the slug of a generator that is a model.
    record
        Gives the call format (its system prompt) and the tools.
    tier, query
        The tier and its query.
    prompts
        The run's prompts; `system_prompt`, `tools` and `query` may be used in the files.

    Returns
    -------
    Request
        A system message with the rules, the record's own system prompt and the tools, the same for all tiers;
        a user message that is the query and nothing else (W.1). For a simulated model no prompt, but the
        expected calls that its answer starts from.

    Raises
    ------
    UserError
        If the generator applies faults, or a prompt file is missing.
    """
    settings = config.generators[generator]
    decoding = generator_decoding(config, generator)
    item = plan_item(record.id, tier)
    if settings.model is None:
        raise UserError(f"generator {generator} applies faults and asks no model.")
    if config.models[settings.model].engine == "simulated":
        calls = [{"name": call.name, "arguments": call.arguments} for call in record.expected_calls]
        return Request(item, (), decoding, simulation={"kind": "plan", "tier": tier, "calls": calls})
    messages = prompts.messages(
        settings.prompt,
        system_prompt=record.system_prompt or "",
        tools=[tool.offered() for tool in record.tools],
        query=query,
    )
    return Request(item, messages, decoding, schema=plan_schema(record, settings))


def plan_schema(record: Record, settings: Generator) -> dict[str, Any] | None:
    """Give the JSON Schema that constrains a plan, or None if the generator leaves the answer free.

    Names are those of the record's tools; arguments may be any object, so that a generator can still get
    their keys wrong. No plan may hold more calls than the record offers tools.
    """
    return calls_schema(record) if settings.output == "structured" else None


def calls_schema(record: Record) -> dict[str, Any]:
    """Give the JSON Schema of an array of calls of tools that the record offers."""
    return tool_calls_schema(record.tools)


def tool_calls_schema(tools: Sequence[Tool]) -> dict[str, Any]:
    """Give the JSON Schema of an array of calls of some tools, no more calls than tools."""
    call = {
        "type": "object",
        "properties": {
            "name": {"enum": [tool.name for tool in tools]},
            "arguments": {"type": "object"},
        },
        "required": ["name", "arguments"],
        "additionalProperties": False,
    }
    return {"type": "array", "items": call, "maxItems": len(tools)}


def read_reply(outcome: Reply | Failure | None, record_id: str, tier: Tier, generator: str) -> Plan:
    """Turn what came back into a plan.

    Parameters
    ----------
    outcome
        The reply, why there is none, or None if the question was never asked.

    Returns
    -------
    Plan
        With calls if they can be read, else with a status that says why not; never without a status.
    """
    found = fields_of(outcome, "the generator was not asked about this record")
    return Plan(record_id=record_id, tier=tier, generator=generator, **found)


def fields_of(outcome: Reply | Failure | None, not_asked: str) -> dict[str, Any]:
    """Read an answer that should be a plan into the fields that a plan and a proposal share.

    Parameters
    ----------
    outcome
        The reply, why there is none, or None if the question was never asked.
    not_asked
        What to say in that case.
    """
    if outcome is None:
        return {"status": "not_asked", "detail": not_asked}
    if isinstance(outcome, Failure):
        return {"status": outcome.status, "detail": outcome.detail}
    reading = read_plan(outcome.text or "", finish_reason=outcome.finish_reason, refusal=outcome.refusal)
    return {
        "status": reading.status,
        "calls": reading.calls,
        "detail": reading.detail,
        "text": outcome.text,
        "usage": outcome.usage,
    }
