"""Asking a model for the references of a data set, with all that they rest on."""

from __future__ import annotations

from pathlib import Path

from plumbline.arguments.material import Keeps, load_counter, load_dataset, load_prompts
from plumbline.arguments.references.reading import is_readable
from plumbline.arguments.references.requests import ReferenceStage, count_references, reference_requests
from plumbline.config.argument_cells import ValueReferenceFile, arguments_of, reference_decoding
from plumbline.config.resolved import Workspace
from plumbline.config.settings import RunConfig
from plumbline.models import Report, ask


def load_stage(
    workspace: Workspace, file: ValueReferenceFile, keeps: Keeps = lambda state_id: True
) -> ReferenceStage:
    """Put together what a model is asked for when it writes the references of a data set."""
    config, files = workspace.settings, load_dataset(workspace, file.dataset, keeps)
    return ReferenceStage(
        arguments=arguments_of(config),
        name=file.name,
        slug=file.model,
        model=config.models[file.model],
        decoding=reference_decoding(config, file.name, file.model),
        dataset=file.dataset,
        states=files.states,
        calls=files.calls,
        items=files.items,
        contexts=files.contexts,
        prompts=load_prompts(workspace),
        counter=load_counter(workspace),
    )


def ask_value_references(
    config: RunConfig, stage: ReferenceStage, *, journal: Path, lane: str, log: Path | None = None
) -> Report:
    """Ask a model for the references of a data set; every answer goes to the journal (D14, D39, D40)."""
    return ask(
        reference_requests(stage),
        stage.slug,
        stage.model,
        journal=journal,
        lane=lane,
        total=count_references(stage),
        readable=lambda request, reply: is_readable(stage, reply),
        attempts=config.verdicts.attempts,
        failed_share=config.jobs.failed_share,
        log=log,
    )
