"""The derived reference: a model writes the calls that it would expect, before it sees any plan."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from plumbline.config.references import derivation_decoding, derived
from plumbline.config.settings import RunConfig
from plumbline.corpora.tier_queries import tier_query
from plumbline.judging.requests import Material
from plumbline.models import Failure, Reply, Report, Request, ask, find_outcomes
from plumbline.plans.generation import calls_schema
from plumbline.plans.parsing import read_plan
from plumbline.records import Record, Reference
from plumbline.records.model import Tier


@dataclass(frozen=True)
class Derivation:
    """The references that one model derives.

    Parameters
    ----------
    material
        The run's records (those of the shard), rewrites and prompts; no plans are needed.
    name
        A reference of kind `derive`.
    model
        The model that derives.
    """

    material: Material
    name: str
    model: str

    @property
    def config(self) -> RunConfig:
        """The run."""
        return self.material.config

    def request(self, record: Record, tier: Tier) -> Request:
        """Ask for the calls that a query needs; the prompt holds neither a plan nor the expected calls."""
        settings = derived(self.config, self.name)
        decoding = derivation_decoding(self.config, self.name, self.model)
        item = f"{record.id}|{tier}|{self.name}"
        if self.config.models[self.model].engine == "simulated":
            calls = [{"name": call.name, "arguments": call.arguments} for call in record.expected_calls]
            return Request(item, (), decoding, simulation={"kind": "plan", "tier": tier, "calls": calls})
        query, _ = tier_query(record, self.material.rewrites.get(record.id), tier)
        tools = [tool.offered() for tool in record.tools]
        messages = self.material.prompts.messages(settings.prompt, tools=tools, query=query)
        schema = calls_schema(record) if settings.output == "structured" else None
        return Request(item, messages, decoding, schema=schema)


def ask_references(
    derivation: Derivation, tiers: Sequence[Tier], *, journal: Path, lane: str, log: Path | None = None
) -> Report:
    """Ask a model for the references of some tiers; every answer goes to the journal.

    Parameters
    ----------
    derivation, tiers
        What is derived, by whom, for which tiers. The tiers of a record are asked one after another.
    journal
        Folder of the journal of the model.
    lane
        Name of the journal file that this job appends to.
    log
        Where a server of our own writes its log.

    Raises
    ------
    UserError
        If the job stops: a permanent error, a dead server, too many failed items.
    """
    config, records = derivation.config, derivation.material.records

    def readable(request: Request, reply: Reply) -> bool:
        return _reading(reply)["status"] in ("ok", "refused")

    return ask(
        (derivation.request(record, tier) for record in records for tier in tiers),
        derivation.model,
        config.models[derivation.model],
        journal=journal,
        lane=lane,
        total=len(records) * len(tiers),
        readable=readable,
        attempts=config.verdicts.attempts,
        label=lambda request: _label(derivation, request.item.rsplit("|", 2)[1]),
        totals={_label(derivation, tier): len(records) for tier in tiers},
        failed_share=config.jobs.failed_share,
        log=log,
    )


def read_references(derivation: Derivation, tier: Tier, *, journal: Path) -> Iterator[Reference]:
    """Give the references of one tier, read from the journal; no model is asked.

    Yields
    ------
    Reference
        One for every record, in their order; one without readable calls has a status that says why.
    """
    config, records = derivation.config, derivation.material.records
    outcomes = find_outcomes(
        (derivation.request(record, tier) for record in records),
        derivation.model,
        config.models[derivation.model],
        journal=journal,
        attempts=config.verdicts.attempts,
    )
    seed = derivation_decoding(config, derivation.name, derivation.model).seed
    for record, (_, outcome) in zip(records, outcomes, strict=True):
        about = {"record_id": record.id, "tier": tier, "kind": "derive", "model": derivation.model}
        yield Reference.model_validate({**about, "seed": seed, **_reading(outcome)})


def _reading(outcome: Reply | Failure | None) -> dict[str, Any]:
    """Read what came back as a plan is read (A8)."""
    if outcome is None:
        return {"status": "not_asked", "detail": "the journal holds no answer; run the ask rule again"}
    if isinstance(outcome, Failure):
        return {"status": outcome.status, "detail": outcome.detail}
    reading = read_plan(outcome.text, finish_reason=outcome.finish_reason, refusal=outcome.refusal)
    return {
        "status": reading.status,
        "calls": reading.calls,
        "text": outcome.text,
        "detail": reading.detail,
        "usage": outcome.usage,
    }


def _label(derivation: Derivation, tier: str) -> str:
    return f"{derivation.model}: {derivation.name}, {tier}"
