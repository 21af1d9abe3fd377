"""Checks of the section `arguments`: every name that is used must be defined where it has a meaning."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Literal

from plumbline.config.argument_datasets import CfbDataset, FcrbDataset, RelocateDataset
from plumbline.config.argument_references import ModelReference
from plumbline.config.yaml_files import Key

if TYPE_CHECKING:
    from plumbline.config.arguments import ArgumentBlock, Arguments
    from plumbline.config.settings import RunConfig

Use = tuple[Key, str, Iterable[str], str]
"""A name that refers to another section: its key, the name, the names defined there, a noun."""

NO_REFERENCE = "none"
"""What an input without a reference would be taken for."""


def taken_names(config: RunConfig, arguments: Arguments, taken: Sequence[str]) -> Iterator[tuple[Key, str]]:
    """Give the names of argument blocks and references that mean something else already, with a remedy."""
    for slug in arguments.blocks:
        key = ("arguments", "blocks", slug)
        if slug in taken:
            yield key, "this name is taken by a stage. Choose another."
        if slug in config.blocks:
            yield key, "a block of judging plans has this name; both are targets. Choose another."
    for slug in arguments.references:
        if slug == NO_REFERENCE:
            yield ("arguments", "references", slug), "this name has a meaning of its own. Choose another."
    for slug, proposer in arguments.proposers.items():
        model = config.models.get(proposer.model)
        if model is not None and model.engine == "decisions":
            place = ("arguments", "proposers", slug, "model")
            yield (
                place,
                "engine `decisions` answers typed questions and writes no calls. Choose another model.",
            )
    yield from _derived_twice(arguments)


def _derived_twice(arguments: Arguments) -> Iterator[tuple[Key, str]]:
    """Give the controlled sets that are made of a data set without states of its own."""
    for slug, dataset in arguments.datasets.items():
        of = getattr(dataset, "of", None)
        if of is not None and getattr(arguments.datasets.get(of), "of", None) is not None:
            key = ("arguments", "datasets", slug, "of")
            yield key, f"`{of}` is itself made of another data set. Name that one."


def argument_uses(
    config: RunConfig, arguments: Arguments, results: Mapping[str, str] | None
) -> Iterator[Use]:
    """Give every name below `arguments` that refers to another section."""
    root: Key = ("arguments",)
    for slug, dataset in arguments.datasets.items():
        key = (*root, "datasets", slug)
        if isinstance(dataset, CfbDataset | FcrbDataset):
            yield from uses_of_list(
                (*key, "proposers"), dataset.proposers, arguments.proposers, "proposer of `arguments`"
            )
        of = getattr(dataset, "of", None)
        if of is not None:
            yield (
                (*key, "of"),
                of,
                [name for name in arguments.datasets if name != slug],
                "data set other than itself",
            )
        if isinstance(dataset, RelocateDataset) and dataset.rewriter is not None:
            yield (*key, "rewriter"), dataset.rewriter, config.models, "model"
    for slug, proposer in arguments.proposers.items():
        yield (*root, "proposers", slug, "model"), proposer.model, config.models, "model"
    for slug, reference in arguments.references.items():
        key = (*root, "references", slug)
        if isinstance(reference, ModelReference):
            if reference.model is not None:
                yield (*key, "model"), reference.model, config.models, "model"
        else:
            yield (*key, "of"), reference.of, _derived(arguments), "reference of kind `derive_value`"
    for slug, judge in arguments.judges.items():
        key = (*root, "judges", slug)
        if judge.model is not None:
            yield (*key, "model"), judge.model, config.models, "model"
        if judge.match is not None:
            yield (*key, "match"), judge.match, _matched(arguments), "reference with one value for each slot"
    for slug, chosen in arguments.inputs.items():
        if chosen.reference is not None:
            key = (*root, "inputs", slug, "reference")
            yield key, chosen.reference, arguments.references, "reference of `arguments`"
    for slug, block in arguments.blocks.items():
        yield from _uses_of_block((*root, "blocks", slug), block, arguments)
        known = block.tables if results is None else of_unit(results, "argument")
        yield from uses_of_list((*root, "blocks", slug, "tables"), block.tables, known, "table or figure")


def of_unit(results: Mapping[str, str], unit: Literal["plan", "argument"]) -> list[str]:
    """Give the tables and figures that a block of plans, or of arguments, can ask for."""
    return [name for name, kind in results.items() if kind.startswith("argument") == (unit == "argument")]


def uses_of_list(
    key: Key, names: Sequence[str] | Literal["all"], known: Iterable[str], what: str
) -> Iterator[Use]:
    """Give the names of a list; none if it is `all`."""
    for position, name in enumerate([] if names == "all" else names):
        yield (*key, position), name, known, what


def _uses_of_block(key: Key, block: ArgumentBlock, arguments: Arguments) -> Iterator[Use]:
    yield from uses_of_list((*key, "judges"), block.judges, arguments.judges, "judge of `arguments`")
    yield from uses_of_list((*key, "datasets"), block.datasets, arguments.datasets, "data set")
    yield from uses_of_list((*key, "inputs"), block.inputs, arguments.inputs, "input")
    for judge, inputs in block.leave_out.items():
        place = (*key, "leave_out", judge)
        yield place, judge, arguments.judges, "judge of `arguments`"
        yield from uses_of_list(place, inputs, block.inputs, "input of this block")
    averaged = "judge of this block that is a model"
    panel = _models_of(block, arguments)
    yield from uses_of_list((*key, "averaged"), block.averaged, panel, averaged)
    for name, judges in block.averaged_by_input.items():
        place = (*key, "averaged_by_input", name)
        yield place, name, block.inputs, "input of this block"
        yield from uses_of_list(place, judges, panel, averaged)
    for name, baselines in block.compare.items():
        place = (*key, "compare", name)
        yield place, name, block.inputs, "input of this block"
        if isinstance(baselines, str):
            yield place, baselines, block.inputs, "input of this block"
        else:
            yield from uses_of_list(place, baselines, block.inputs, "input of this block")


def _models_of(block: ArgumentBlock, arguments: Arguments) -> list[str]:
    """List the judges of a block that are no free baseline."""
    judges = arguments.judges if block.judges == "all" else block.judges
    return [name for name in judges if name in arguments.judges and arguments.judges[name].model is not None]


def _derived(arguments: Arguments) -> list[str]:
    return [name for name, chosen in arguments.references.items() if chosen.kind == "derive_value"]


def _matched(arguments: Arguments) -> list[str]:
    """List the references whose parsed value can be compared with any candidate."""
    return [
        name
        for name, chosen in arguments.references.items()
        if chosen.kind == "derive_value" and chosen.model is not None
    ]
