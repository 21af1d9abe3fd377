"""Argument cells, their lanes and the files they rest on: which values a run judges, and which job asks."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from plumbline.config.argument_datasets import CfbDataset, FcrbDataset, RelocateDataset
from plumbline.config.argument_references import (
    ArgumentInput,
    ArgumentJudge,
    ModelReference,
)
from plumbline.config.arguments import Arguments
from plumbline.config.cells import sharded, used_models
from plumbline.config.models import Decoding, DecodingChanges
from plumbline.config.settings import RunConfig
from plumbline.records.errors import UserError


@dataclass(frozen=True)
class ArgumentCell:
    """All judgments of a judge on the items of a data set, read with one input."""

    judge: str
    dataset: str
    input: str

    @property
    def label(self) -> str:
        """Its name in the progress and the account of the job that asks for it."""
        return f"{self.judge}: {self.dataset}, {self.input}"


@dataclass(frozen=True)
class ValueReferenceFile:
    """One file of made references of a data set; `model` wrote it, or wrote what it is made from."""

    dataset: str
    name: str
    model: str


def arguments_of(config: RunConfig) -> Arguments:
    """Give the section `arguments`.

    Raises
    ------
    UserError
        If the run has none.
    """
    if config.arguments is None:
        raise UserError(f"run {config.run} judges no arguments: it has no section `arguments`.")
    return config.arguments


def argument_cells(config: RunConfig, block: str) -> list[ArgumentCell]:
    """List the cells of a block, each once, in the order judge, data set, input.

    Cells that cannot be are left out: a typed-question judge has no thinking and writes no reference of its
    own, the free baseline judges values and reads no input's text, so it judges no whole calls.
    """
    settings = arguments_of(config)
    chosen = settings.blocks[block]
    judges = list(settings.judges) if chosen.judges == "all" else dict.fromkeys(chosen.judges)
    datasets = list(settings.datasets) if chosen.datasets == "all" else dict.fromkeys(chosen.datasets)
    return [
        ArgumentCell(judge, dataset, name)
        for judge in judges
        for dataset in datasets
        for name in dict.fromkeys(chosen.inputs)
        if name not in chosen.leave_out.get(judge, ()) and _can_read(config, judge, name)
    ]


def _can_read(config: RunConfig, judge: str, name: str) -> bool:
    settings = arguments_of(config)
    chosen, entry = settings.judges[judge], settings.inputs[name]
    if chosen.model is None:
        return entry.unit == "value"
    if config.models[chosen.model].engine != "decisions":
        return True
    writes_itself = entry.reference is not None and _author(settings, entry.reference) is None
    return not writes_itself and entry.decoding.thinking is not True


def _author(settings: Arguments, reference: str) -> str | None:
    """Name the model that writes a reference, or what it is made from; None for each judge's own."""
    chosen = settings.references[reference]
    return chosen.model if isinstance(chosen, ModelReference) else _author(settings, chosen.of)


def argument_owner(config: RunConfig, cell: ArgumentCell) -> str:
    """Name the block that asks for a cell: the first in file order that lists it.

    Raises
    ------
    UserError
        If no block lists the cell.
    """
    for block in arguments_of(config).blocks:
        if cell in argument_cells(config, block):
            return block
    raise UserError(
        f"no block of run {config.run} lists judge {cell.judge} on {cell.dataset} with input {cell.input}. "
        f"Add it to one of arguments.blocks: {', '.join(arguments_of(config).blocks)}."
    )


def argument_lane(config: RunConfig, cell: ArgumentCell) -> str:
    """Name the lane that asks for a cell, without its shards: all, a data set, or one cell."""
    if config.jobs.lane == "judge":
        return "all"
    return cell.dataset if config.jobs.lane == "generator" else f"value.{cell.dataset}.{cell.input}"


def argument_lanes(config: RunConfig, judge: str, block: str) -> list[str]:
    """List the ask jobs of a judge in a block, shards included; none if other blocks own all its cells."""
    lanes = dict.fromkeys(argument_lane(config, cell) for cell in _owned(config, judge, block))
    return [name for lane in lanes for name in sharded(config, lane)]


def argument_lane_cells(config: RunConfig, judge: str, block: str, lane: str) -> list[ArgumentCell]:
    """List the cells that an ask job answers; all shards of a lane have the same cells.

    Raises
    ------
    UserError
        If the block has no such lane for this judge.
    """
    known = argument_lanes(config, judge, block)
    if lane not in known:
        raise UserError(
            f"judge {judge} has no lane `{lane}` in block {block}. Its lanes: {', '.join(known) or 'none'}."
        )
    owned = _owned(config, judge, block)
    return [cell for cell in owned if lane in sharded(config, argument_lane(config, cell))]


def _owned(config: RunConfig, judge: str, block: str) -> list[ArgumentCell]:
    cells = dict.fromkeys(cell for cell in argument_cells(config, block) if cell.judge == judge)
    for earlier in arguments_of(config).blocks:
        if earlier == block:
            break
        for cell in argument_cells(config, earlier):
            cells.pop(cell, None)
    return list(cells)


def judge_decoding(config: RunConfig, judge: str, name: str) -> Decoding:
    """Give how a judge answers an input: one greedy token, unless the input lets it think first (D13, D35).

    Raises
    ------
    UserError
        If the judge asks no model.
    """
    settings = arguments_of(config)
    chosen = settings.judges[judge]
    if chosen.model is None:
        raise UserError(f"judge {judge} compares values; it has no model and no decoding.")
    model = config.models[chosen.model]
    decoding = settings.inputs[name].decoding.applied_to(chosen.decoding.applied_to(model.decoding))
    if decoding.thinking:
        return decoding
    # the probability is read before anything is drawn, so that one greedy token says it all
    return DecodingChanges(temperature=0.0, max_tokens=1).applied_to(decoding)


def reference_decoding(config: RunConfig, name: str, model: str) -> Decoding:
    """Give the decoding of a reference that a model writes: the model's own, changed by the reference."""
    chosen = arguments_of(config).references[name]
    changes = chosen.decoding if isinstance(chosen, ModelReference) else DecodingChanges()
    return changes.applied_to(config.models[model].decoding)


def proposer_decoding(config: RunConfig, proposer: str) -> Decoding:
    """Give the decoding of a proposer: the model's own, changed by the proposer."""
    chosen = arguments_of(config).proposers[proposer]
    return chosen.decoding.applied_to(config.models[chosen.model].decoding)


def reference_model(config: RunConfig, name: str, judge: str) -> str | None:
    """Name the model in the path of a reference that a judge reads; None if nobody can write it."""
    settings = arguments_of(config)
    return _author(settings, name) or settings.judges[judge].model


def shown_reference(config: RunConfig, cell: ArgumentCell) -> ValueReferenceFile | None:
    """Name the references that a cell reads; None if it reads none.

    The free baseline reads those that it compares values with, whatever the input shows.
    """
    settings = arguments_of(config)
    name = settings.judges[cell.judge].match or settings.inputs[cell.input].reference
    model = None if name is None else reference_model(config, name, cell.judge)
    return None if name is None or model is None else ValueReferenceFile(cell.dataset, name, model)


def shown_references(config: RunConfig, cells: Iterable[ArgumentCell]) -> list[ValueReferenceFile]:
    """List the references that cells read, each once, in their order."""
    found = (shown_reference(config, cell) for cell in cells)
    return list(dict.fromkeys(file for file in found if file is not None))


def made_from(config: RunConfig, file: ValueReferenceFile) -> ValueReferenceFile | None:
    """Name the references that others are made from; None if a model writes them."""
    chosen = arguments_of(config).references[file.name]
    if isinstance(chosen, ModelReference):
        return None
    return ValueReferenceFile(file.dataset, chosen.of, file.model)


def needed_references(config: RunConfig, cells: Iterable[ArgumentCell]) -> list[ValueReferenceFile]:
    """List the references that cells read, and those that they are made from, the latter first."""
    found: dict[ValueReferenceFile, None] = {}

    def add(file: ValueReferenceFile) -> None:
        source = made_from(config, file)
        if source is not None:
            add(source)
        found[file] = None

    for file in shown_references(config, cells):
        add(file)
    return list(found)


def every_argument_cell(config: RunConfig) -> list[ArgumentCell]:
    """List the cells of all argument blocks, each once; none if the run judges no arguments."""
    blocks = [] if config.arguments is None else list(config.arguments.blocks)
    return list(dict.fromkeys(cell for block in blocks for cell in argument_cells(config, block)))


def used_datasets(config: RunConfig) -> list[str]:
    """List the data sets that argument cells rest on, those that others are made of first."""
    found: dict[str, None] = {}
    for cell in every_argument_cell(config):
        of = getattr(arguments_of(config).datasets[cell.dataset], "of", None)
        found |= dict.fromkeys([of, cell.dataset] if of else [cell.dataset])
    return list(found)


def proposers_of(config: RunConfig, dataset: str) -> list[str]:
    """List the proposers that are asked at the states of a data set."""
    chosen = arguments_of(config).datasets[dataset]
    if isinstance(chosen, FcrbDataset) and chosen.path is not None:
        return []  # the file has wrong calls of its own
    return list(dict.fromkeys(chosen.proposers)) if isinstance(chosen, CfbDataset | FcrbDataset) else []


def rewriter_model(config: RunConfig, dataset: str) -> str | None:
    """Name the model that rewrites the requests of a relocated set; None if a template does, or none is."""
    chosen = arguments_of(config).datasets[dataset]
    return chosen.rewriter if isinstance(chosen, RelocateDataset) else None


def argument_models(config: RunConfig) -> list[str]:
    """List the models that judging arguments asks, each once."""
    return list(dict.fromkeys(_asked(config)))


def _asked(config: RunConfig) -> Iterator[str]:
    cells = every_argument_cell(config)
    for dataset in used_datasets(config):
        yield from (arguments_of(config).proposers[name].model for name in proposers_of(config, dataset))
        rewriter = rewriter_model(config, dataset)
        if rewriter is not None:
            yield rewriter
    yield from (file.model for file in needed_references(config, cells))
    models = (arguments_of(config).judges[cell.judge].model for cell in cells)
    yield from (model for model in models if model is not None)


def all_models(config: RunConfig) -> list[str]:
    """List every model that the run asks, for plans and for arguments, each once."""
    return list(dict.fromkeys([*used_models(config), *argument_models(config)]))


def judge_of(config: RunConfig, cell: ArgumentCell) -> ArgumentJudge:
    """Give the settings of a cell's judge."""
    return arguments_of(config).judges[cell.judge]


def input_of(config: RunConfig, cell: ArgumentCell) -> ArgumentInput:
    """Give the settings of a cell's input."""
    return arguments_of(config).inputs[cell.input]


def sampled_datasets(config: RunConfig, cell: ArgumentCell) -> list[str]:
    """List the data sets that the sample of a cell is drawn over; none if it asks about all items."""
    if input_of(config, cell).sample is None:
        return []
    alike = (each for each in every_argument_cell(config) if each.judge == cell.judge)
    return list(dict.fromkeys(each.dataset for each in alike if each.input == cell.input))
