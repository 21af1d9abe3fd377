"""Asking a lane of plans, and reading a generator's plans from the journal (A8)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from plumbline.config.settings import RunConfig
from plumbline.corpora.tier_queries import tier_query
from plumbline.models import Reply, Report, Request, ask, find_outcomes
from plumbline.models.prompts import PromptSet
from plumbline.plans.generation import generation_request, read_reply
from plumbline.records import Plan, Record, Rewrite, UserError
from plumbline.records.model import Tier


def tiers_of_lane(config: RunConfig, lane: str) -> list[Tier]:
    """Give the tiers that a lane of plans covers: one if it has a tier's name, else all of the run."""
    base = lane.split(".")[0]
    return [tier for tier in config.tiers if base in ("all", tier)]


def plan_requests(
    config: RunConfig,
    generator: str,
    tiers: Sequence[Tier],
    records: Sequence[Record],
    rewrites: Mapping[str, Rewrite],
    prompts: PromptSet,
) -> Iterator[tuple[Record, Tier, Request]]:
    """Give a generator's requests, record by record: the tiers of a record share their system message."""
    for record in records:
        for tier in tiers:
            query, _ = tier_query(record, rewrites.get(record.id), tier)
            yield record, tier, generation_request(config, generator, record, tier, query, prompts)


def ask_plans(
    config: RunConfig,
    generator: str,
    tiers: Sequence[Tier],
    records: Sequence[Record],
    rewrites: Mapping[str, Rewrite],
    prompts: PromptSet,
    *,
    journal: Path,
    lane: str,
    log: Path | None = None,
) -> Report:
    """Ask a generator for its plans; every answer goes to the journal.

    Parameters
    ----------
    config, generator, tiers
        The run, a generator that is a model, and the tiers to ask for.
    records, rewrites, prompts
        The records (those of the shard), rewrites by record id, and the prompt files.
    journal
        Folder of the journal of the generator's model.
    lane
        Name of the journal file that this job appends to.
    log
        Where a server of our own writes its log.

    Raises
    ------
    UserError
        If the job stops: a permanent error, a dead server, too many failed items.
    """
    slug = _model_of(config, generator)
    planned = plan_requests(config, generator, tiers, records, rewrites, prompts)

    def readable(request: Request, reply: Reply) -> bool:
        return read_reply(reply, request.item, tiers[0], generator).status in ("ok", "refused")

    return ask(
        (request for _, _, request in planned),
        slug,
        config.models[slug],
        journal=journal,
        lane=lane,
        total=len(records) * len(tiers),
        readable=readable,
        attempts=config.verdicts.attempts,
        label=lambda request: f"{generator}: {request.item.rsplit('|', 1)[1]} plans",
        totals={f"{generator}: {tier} plans": len(records) for tier in tiers},
        failed_share=config.jobs.failed_share,
        log=log,
    )


def read_plans(
    config: RunConfig,
    generator: str,
    tier: Tier,
    records: Sequence[Record],
    rewrites: Mapping[str, Rewrite],
    prompts: PromptSet,
    *,
    journal: Path,
) -> Iterator[Plan]:
    """Give a generator's plans of one tier, read from the journal; no model is asked.

    Yields
    ------
    Plan
        One for every record, in their order; one without an answer has a status that says why.
    """
    slug = _model_of(config, generator)
    planned = plan_requests(config, generator, [tier], records, rewrites, prompts)
    outcomes = find_outcomes(
        (request for _, _, request in planned),
        slug,
        config.models[slug],
        journal=journal,
        attempts=config.verdicts.attempts,
    )
    for record, (_, outcome) in zip(records, outcomes, strict=True):
        yield read_reply(outcome, record.id, tier, generator)


def _model_of(config: RunConfig, generator: str) -> str:
    model = config.generators[generator].model
    if model is None:
        raise UserError(f"generator {generator} applies faults and asks no model.")
    return model
