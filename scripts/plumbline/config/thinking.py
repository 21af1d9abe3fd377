"""Bounds on thinking that a run sets, for whoever it asks: each must be kept, and leave an answer (D35)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from plumbline.config.argument_cells import (
    arguments_of,
    every_argument_cell,
    judge_decoding,
    judge_of,
    needed_references,
    proposer_decoding,
    proposers_of,
    reference_decoding,
    rewriter_model,
    used_datasets,
)
from plumbline.config.argument_references import ModelReference
from plumbline.config.cells import (
    cells_of,
    generator_decoding,
    resolved_decoding,
    rewriter_decoding,
    rewriter_of,
)
from plumbline.config.checks import WRITING_ENGINES
from plumbline.config.models import NO_BOUND, Decoding, DecodingChanges
from plumbline.config.references import derivation_decoding, derived, reference_files
from plumbline.config.settings import DerivedReference, RunConfig
from plumbline.config.yaml_files import Key


@dataclass(frozen=True)
class Asked:
    """How a model decodes in one place of a run.

    Parameters
    ----------
    model, decoding
        The model's name, and the settings that a request carries.
    changes
        Where these were changed from the model's own, the last word first: key of the section, and changes.
    one_token
        Whether the answer has one token because thinking was not switched on.
    """

    model: str
    decoding: Decoding
    changes: dict[Key, DecodingChanges] = field(default_factory=dict)
    one_token: bool = False

    @property
    def key(self) -> Key:
        """The setting that bounds the thinking."""
        naming = (key for key, changes in self.changes.items() if changes.thinking_tokens is not None)
        return (*next(naming, ("models", self.model)), "decoding", "thinking_tokens")


def unbounded_thinking(config: RunConfig) -> Iterator[tuple[Key, str]]:
    """Give the settings that bound a model's thinking where its server cannot, or leave no answer.

    Parameters
    ----------
    config
        The run; all that it asks is looked at, for plans, texts and arguments alike.

    Yields
    ------
    tuple
        The setting's key, and what is wrong with it; each once.
    """
    found: dict[tuple[Key, str], None] = {}
    for asked in asked_models(config):
        tokens, most = asked.decoding.thinking_tokens, _most_tokens(asked.decoding)
        # thinking that is not switched off may happen, so the bound is sent
        if tokens is None or asked.decoding.thinking is False:
            continue
        model = config.models[asked.model]
        if model.engine not in WRITING_ENGINES:
            continue
        if model.bound_on_thinking is None:
            found[asked.key, f"model `{asked.model}`: {NO_BOUND}"] = None
        elif asked.one_token:
            told = (
                f"model `{asked.model}`: without `thinking: true` the answer is one token, which thinking "
                "would take. Write `thinking: true`, or `thinking: false` where it is not to think."
            )
            found[asked.key, told] = None
        elif most is not None and tokens >= most:
            found[asked.key, f"{tokens} tokens of thinking leave no answer: `max_tokens` is {most}."] = None
    yield from found


def _most_tokens(decoding: Decoding) -> int | None:
    """Give the tokens of thinking and answer that a request allows; None if it names none."""
    for name in ("max_completion_tokens", "max_tokens"):  # `extra` has the last word
        if name in decoding.extra:
            own = decoding.extra[name]
            return own if isinstance(own, int) else None
    return decoding.max_tokens


def asked_models(config: RunConfig) -> Iterator[Asked]:
    """Give how each model decodes wherever the run asks it."""
    if config.released is None:  # else plans and verdicts stand in files
        yield from _of_plans(config)
        yield from _of_texts(config)
    if config.arguments is not None:
        yield from _of_arguments(config)


def _of_plans(config: RunConfig) -> Iterator[Asked]:
    """Give generators, judges, and who derives what the judges see."""
    cells = list(dict.fromkeys(cell for block in config.blocks for cell in cells_of(config, block)))
    for name in dict.fromkeys(cell.generator for cell in cells):
        generator = config.generators[name]
        if generator.model is not None:
            changes: dict[Key, DecodingChanges] = {("generators", name): generator.decoding}
            yield Asked(generator.model, generator_decoding(config, name), changes)
    for name, condition in dict.fromkeys((cell.judge, cell.condition) for cell in cells):
        judge = config.judges[name]
        changes = {
            ("conditions", condition): config.conditions[condition].decoding,
            ("judges", name): judge.decoding,
        }
        yield Asked(judge.model, resolved_decoding(config, name, condition), changes)
    for file in reference_files(config, cells):
        if isinstance(config.references[file.name], DerivedReference):
            changes = {("references", file.name): derived(config, file.name).decoding}
            yield Asked(file.model, derivation_decoding(config, file.name, file.model), changes)


def _of_texts(config: RunConfig) -> Iterator[Asked]:
    """Give whoever writes the queries or the records, or validates them."""
    if config.rewrites is not None:
        rewriter = rewriter_of(config)
        yield Asked(rewriter.model, rewriter_decoding(config), {("rewrites",): rewriter.decoding})
    if config.validation is not None:
        own = config.validation.decoding
        for model in config.validation.models:
            yield Asked(model, own.applied_to(config.models[model].decoding), {("validation",): own})
    for name, source in config.corpus.sources.items():
        if source.kind == "synthesised":
            decoding = source.decoding.applied_to(config.models[source.model].decoding)
            yield Asked(source.model, decoding, {("corpus", "sources", name): source.decoding})


def _of_arguments(config: RunConfig) -> Iterator[Asked]:
    """Give proposers, rewriters of relocated requests, writers of references, and judges of values."""
    settings, cells = arguments_of(config), every_argument_cell(config)
    for dataset in used_datasets(config):
        for name in proposers_of(config, dataset):
            proposer = settings.proposers[name]
            changes: dict[Key, DecodingChanges] = {("arguments", "proposers", name): proposer.decoding}
            yield Asked(proposer.model, proposer_decoding(config, name), changes)
        rewriter = rewriter_model(config, dataset)
        if rewriter is not None:
            yield Asked(rewriter, config.models[rewriter].decoding)
    for file in needed_references(config, cells):
        reference = settings.references[file.name]
        if isinstance(reference, ModelReference):
            changes = {("arguments", "references", file.name): reference.decoding}
            yield Asked(file.model, reference_decoding(config, file.name, file.model), changes)
    for cell in cells:
        judge = judge_of(config, cell)
        if judge.model is not None:
            decoding = judge_decoding(config, cell.judge, cell.input)
            changes = {
                ("arguments", "inputs", cell.input): settings.inputs[cell.input].decoding,
                ("arguments", "judges", cell.judge): judge.decoding,
            }
            yield Asked(judge.model, decoding, changes, one_token=not decoding.thinking)
