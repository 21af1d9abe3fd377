"""The jobs of argument judging that ask models."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from plumbline.config.argument_cells import (
    ArgumentCell,
    argument_lane,
    arguments_of,
    every_argument_cell,
    made_from,
    needed_references,
    proposers_of,
    rewriter_model,
    used_datasets,
)
from plumbline.config.argument_files import NO_LANE, ArgumentFiles
from plumbline.config.cells import sharded
from plumbline.config.settings import RunConfig
from plumbline.status.job import AskJob, ask_job


def argument_jobs(config: RunConfig, root: Path) -> Iterator[AskJob]:
    """List the jobs that ask for argument judging, in the order of the run."""
    if config.arguments is None:
        return
    for dataset in used_datasets(config):
        yield from _dataset_jobs(config, root, dataset)
    yield from _reference_jobs(config, root)
    yield from _judgment_jobs(config, root)


def _dataset_jobs(config: RunConfig, root: Path, dataset: str) -> Iterator[AskJob]:
    rewriter = rewriter_model(config, dataset)
    if rewriter is not None:
        yield ask_job(
            config,
            root,
            "relocations",
            rewriter,
            wildcards=(dataset,),
            lane=(rewriter, "relocations", dataset),
            asked=("relocations", dataset, NO_LANE),
        )
    for proposer in proposers_of(config, dataset):
        model = arguments_of(config).proposers[proposer].model
        for lane in sharded(config, NO_LANE):
            yield ask_job(
                config,
                root,
                "proposals",
                model,
                wildcards=(model, proposer, dataset, lane),
                lane=(proposer, "proposals", dataset, lane),
                asked=(model, f"proposals/{proposer}/{dataset}", lane),
            )


def _reference_jobs(config: RunConfig, root: Path) -> Iterator[AskJob]:
    for file in needed_references(config, every_argument_cell(config)):
        if made_from(config, file) is not None:
            continue
        for lane in sharded(config, NO_LANE):
            yield ask_job(
                config,
                root,
                "value_references",
                file.model,
                wildcards=(file.model, file.name, file.dataset, lane),
                lane=(file.model, file.name, file.dataset, lane),
                asked=(file.model, f"value_references/{file.name}/{file.dataset}", lane),
            )


def _judgment_jobs(config: RunConfig, root: Path) -> Iterator[AskJob]:
    files, judges = ArgumentFiles(config), arguments_of(config).judges
    lanes: dict[tuple[str, str, str], list[ArgumentCell]] = {}
    for cell in every_argument_cell(config):
        if judges[cell.judge].model is not None:
            lanes.setdefault((cell.judge, files.owner(cell), argument_lane(config, cell)), []).append(cell)
    for (judge, block, base), cells in lanes.items():
        for lane in sharded(config, base):
            asked = (judge, block, lane)
            model = judges[judge].model or ""
            yield ask_job(
                config, root, "judgments", model, wildcards=asked, lane=asked, asked=asked, cells=cells
            )
