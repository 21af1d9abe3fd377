"""What argument judging asks of models, for the states of a sample."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from plumbline.arguments.datasets import Account
from plumbline.arguments.datasets.moves import plan_moves
from plumbline.arguments.datasets.relocation import relocation_requests
from plumbline.arguments.datasets.rules import ValuePool
from plumbline.arguments.judge_material import shown_files
from plumbline.arguments.proposals import proposal_request
from plumbline.arguments.questions import JudgeMaterial, questions
from plumbline.arguments.references.requests import ReferenceStage, reference_requests, wanted_references
from plumbline.arguments.sampling import draw_units
from plumbline.config.argument_cells import (
    ArgumentCell,
    ValueReferenceFile,
    arguments_of,
    every_argument_cell,
    input_of,
    judge_decoding,
    made_from,
    needed_references,
    proposers_of,
    reference_decoding,
    rewriter_model,
    sampled_datasets,
    used_datasets,
)
from plumbline.config.argument_datasets import RelocateDataset
from plumbline.config.argument_files import ArgumentFiles
from plumbline.config.settings import RunConfig
from plumbline.estimation.argument_basis import ArgumentBasis, base_data, reference_path
from plumbline.estimation.stage import Stage
from plumbline.records import read_json_lines
from plumbline.records.arguments import ValueReference


def argument_stages(config: RunConfig, basis: ArgumentBasis) -> Iterator[Stage]:
    """Give all that argument judging asks of models, in the order of the run."""
    return _Writer(config, basis).stages()


@dataclass(frozen=True)
class _Writer:
    config: RunConfig
    basis: ArgumentBasis

    def stages(self) -> Iterator[Stage]:
        for dataset in used_datasets(self.config):
            yield from self._relocations(dataset)
            yield from self._proposals(dataset)
        for file in needed_references(self.config, every_argument_cell(self.config)):
            if made_from(self.config, file) is None:
                scale = self.basis.datasets[file.dataset].scale
                asked = reference_requests(self._reference_stage(file))
                yield Stage(file.model, "value_reference", asked, 1, times=scale, is_scaled=False)
        for judge, settings in arguments_of(self.config).judges.items():
            if settings.model is not None:
                yield from self._judgments(judge, settings.model)

    def _relocations(self, dataset: str) -> Iterator[Stage]:
        model, chosen = rewriter_model(self.config, dataset), arguments_of(self.config).datasets[dataset]
        if model is None or not isinstance(chosen, RelocateDataset):
            return
        moves = plan_moves(chosen, base_data(self.config, self.basis, dataset), Account())
        asked = relocation_requests(moves, self.config.models[model], self.basis.prompts)
        scale = self.basis.datasets[chosen.of].scale
        yield Stage(model, "relocation", asked, 1, times=scale, is_scaled=False)

    def _proposals(self, dataset: str) -> Iterator[Stage]:
        sample = self.basis.datasets[dataset]
        pool = ValuePool.of(sample.files.states)
        for name in proposers_of(self.config, dataset):
            asked = (
                proposal_request(self.config, name, state, self.basis.prompts, pool)
                for state in sample.files.states
            )
            model = arguments_of(self.config).proposers[name].model
            yield Stage(model, "proposal", asked, 1, times=sample.scale, is_scaled=False)

    def _judgments(self, judge: str, model: str) -> Iterator[Stage]:
        files = ArgumentFiles(self.config)
        # cells of a block are asked together; without thinking one token is the answer
        groups: dict[tuple[str, str, bool], list[ArgumentCell]] = {}
        for cell in every_argument_cell(self.config):
            if cell.judge == judge:
                thinks = judge_decoding(self.config, judge, cell.input).thinking is True
                groups.setdefault((files.owner(cell), cell.dataset, thinks), []).append(cell)
        for (_, dataset, thinks), cells in groups.items():
            sample = self.basis.datasets[dataset]
            asked = (
                question.request
                for question in questions(self._material(dataset, cells), cells)
                if question.request is not None
            )
            yield Stage(
                model,
                "judgment",
                asked,
                len(cells),
                times=sample.scale,
                is_scaled=False,
                answer=None if thinks else 1,
            )

    def _material(self, dataset: str, cells: Sequence[ArgumentCell]) -> JudgeMaterial:
        references, bases = (
            {name: self._lines(file) for name, file in each.items()}
            for each in shown_files(self.config, cells)
        )
        files = self.basis.datasets[dataset].files
        prompts, counter = self.basis.prompts, self.basis.counter
        drawn = {cell.input: ids for cell in cells if (ids := self._drawn(cell)) is not None}
        return JudgeMaterial(self.config, files, references, prompts, counter, bases, drawn)

    def _drawn(self, cell: ArgumentCell) -> set[str] | None:
        """Give as large a share of the measured items as the run's sample has of all; None if it asks all."""
        chosen = input_of(self.config, cell)
        if chosen.sample is None:
            return None
        every = sum(self.basis.datasets[name].items for name in sampled_datasets(self.config, cell))
        files = self.basis.datasets[cell.dataset].files
        ids = [item.item_id for item in files.items]
        if chosen.unit == "call":
            ids = [call.call_id for call in files.calls]
        share = min(1.0, chosen.sample / max(every, 1))
        wanted = {cell.dataset: ids}
        return draw_units(self.config.seed, cell.input, math.ceil(share * len(ids)), wanted)[cell.dataset]

    def _lines(self, file: ValueReferenceFile) -> list[ValueReference]:
        """Give references of the sample; where they are not made yet, as many letters as are assumed."""
        path, sample = reference_path(self.config, self.basis.root, file), self.basis.datasets[file.dataset]
        if path.exists() and sample.is_built:
            lines = read_json_lines(path, ValueReference)
            return [line for line in lines if line.state_id in sample.state_ids]
        written = file
        while (source := made_from(self.config, written)) is not None:
            written = source
        tokens = self.config.estimate.answer_tokens.value_reference
        text = "x" * round(tokens * self.config.estimate.characters_per_token)
        return [
            ValueReference(
                state_id=wanted.state.state_id,
                function=wanted.function,
                parameter=wanted.parameter,
                item_id=item_id,
                call_id=call_id,
                dataset=file.dataset,
                reference=file.name,
                kind=arguments_of(self.config).references[file.name].kind,
                model=file.model,
                status="ok",
                text=text,
                parsed=True,
                parsed_value="x",
            )
            for wanted in wanted_references(self._reference_stage(written))
            for item_id, call_id in wanted.readers
        ]

    def _reference_stage(self, file: ValueReferenceFile) -> ReferenceStage:
        files = self.basis.datasets[file.dataset].files
        return ReferenceStage(
            arguments=arguments_of(self.config),
            name=file.name,
            slug=file.model,
            model=self.config.models[file.model],
            decoding=reference_decoding(self.config, file.name, file.model),
            dataset=file.dataset,
            states=files.states,
            calls=files.calls,
            items=files.items,
            contexts=files.contexts,
            prompts=self.basis.prompts,
            counter=self.basis.counter,
        )
