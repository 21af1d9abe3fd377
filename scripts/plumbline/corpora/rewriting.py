"""Asking a model for rewrites, and reading them from the journal (A6)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from plumbline.config.cells import rewriter_of
from plumbline.config.resolved import Workspace
from plumbline.config.settings import RunConfig
from plumbline.corpora.rewrites import needs_rewrite, read_rewrite, rewrite_requests
from plumbline.models import Reply, Report, Request, ask, find_outcomes
from plumbline.models.prompts import PromptSet
from plumbline.records import Record, Rewrite, read_json_lines


def ask_rewrites(
    records: Sequence[Record],
    config: RunConfig,
    prompts: PromptSet,
    *,
    journal: Path,
    lane: str,
    log: Path | None = None,
) -> Report:
    """Ask for the rewrites of all records that lack a query; every answer goes to the journal.

    Parameters
    ----------
    records
        All records of the run.
    config, prompts
        The run and its prompt files.
    journal
        Folder of the journal of the rewriter's model.
    lane
        Name of the journal file that this job appends to.
    log
        Where a server of our own writes its log.

    Raises
    ------
    UserError
        If there is no rewriter, or the job stops: a permanent error, a dead server, too many failed items.
    """
    model = rewriter_of(config).model
    by_id = {record.id: record for record in records}

    def readable(request: Request, reply: Reply) -> bool:
        return set(read_rewrite(by_id[request.item], model, reply).status.values()) == {"ok"}

    return ask(
        rewrite_requests(records, config, prompts),
        model,
        config.models[model],
        journal=journal,
        lane=lane,
        total=sum(needs_rewrite(record, config.tiers) for record in records),
        readable=readable,
        attempts=config.verdicts.attempts,
        label=lambda request: f"{model}: rewrites",
        failed_share=config.jobs.failed_share,
        log=log,
    )


def read_rewrites(
    records: Sequence[Record], config: RunConfig, prompts: PromptSet, *, journal: Path
) -> Iterator[Rewrite]:
    """Give the rewrites of all records that lack a query, read from the journal; no model is asked.

    Yields
    ------
    Rewrite
        In the order of the records; one without an answer has a status that says why.

    Raises
    ------
    UserError
        If there is no rewriter.
    """
    model = rewriter_of(config).model
    by_id = {record.id: record for record in records}
    outcomes = find_outcomes(
        rewrite_requests(records, config, prompts),
        model,
        config.models[model],
        journal=journal,
        attempts=config.verdicts.attempts,
    )
    for request, outcome in outcomes:
        yield read_rewrite(by_id[request.item], model, outcome)


def load_rewrites(workspace: Workspace) -> Mapping[str, Rewrite]:
    """Load the rewrites of the run by record id; none if no model writes any."""
    rewrites = workspace.settings.rewrites
    if rewrites is None:
        return {}
    read = read_json_lines(workspace.path("rewrites", rewrites.model), Rewrite)
    return {rewrite.record_id: rewrite for rewrite in read}
