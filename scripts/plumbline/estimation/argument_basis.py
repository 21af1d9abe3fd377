"""What the estimate of argument judging is measured on: built data sets, and a shipped one for the others."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from plumbline.arguments.datasets import BaseData, build_calls, build_states
from plumbline.arguments.items import build_items
from plumbline.arguments.ladder import fit_states
from plumbline.arguments.material import DatasetFiles
from plumbline.config import paths
from plumbline.config.argument_cells import (
    ValueReferenceFile,
    arguments_of,
    every_argument_cell,
    needed_references,
    rewriter_model,
    used_datasets,
)
from plumbline.config.argument_datasets import TaubenchDataset
from plumbline.config.settings import RunConfig
from plumbline.models.prompts import PromptSet
from plumbline.records import read_json_lines
from plumbline.records.arguments import ArgumentItem, ProposedCall, State, StateContext

PAPER_ITEMS = {"fcrb": 2488, "cfb": 2638, "fintrace": 10224}
"""Argument values of the paper's data sets, correct and wrong (D4, D5, D6)."""

_STAND_IN = TaubenchDataset(kind="taubench")


@dataclass(frozen=True)
class CharacterCounter:
    """Counts tokens by characters, so that no tokenizer has to be there."""

    characters_per_token: float

    @property
    def name(self) -> str:
        """What it goes by."""
        return f"{self.characters_per_token:g} characters a token"

    def count(self, text: str) -> int:
        """Give the number of tokens of a text."""
        return round(len(text) / self.characters_per_token)


@dataclass(frozen=True)
class DatasetBasis:
    """A sample of a data set's states with all at them.

    Attributes
    ----------
    files
        The states of the sample, and their calls, items and contexts.
    items
        Items of the whole data set, counted or assumed.
    states
        States of the whole data set; None if it is not built.
    """

    files: DatasetFiles
    items: float
    states: int | None = None

    @property
    def is_built(self) -> bool:
        """Whether the sample is of the data set itself."""
        return self.states is not None

    @property
    def scale(self) -> float:
        """Items of the run for each item of the sample."""
        return self.items / max(len(self.files.items), 1)

    @property
    def state_ids(self) -> frozenset[str]:
        """The states of the sample."""
        return frozenset(state.state_id for state in self.files.states)


@dataclass(frozen=True)
class ArgumentBasis:
    """The material of an estimate of argument judging."""

    root: Path
    datasets: Mapping[str, DatasetBasis]
    prompts: PromptSet
    counter: CharacterCounter


def argument_basis_of(config: RunConfig, root: Path, notes: list[str]) -> ArgumentBasis | None:
    """Find out what can be measured; None if the run judges no arguments.

    Parameters
    ----------
    config, root
        The run, and the folder of all runs.
    notes
        Receives what stood in for what.
    """
    names = used_datasets(config)
    if not names:
        return None
    prompts = PromptSet(Path(config.prompts.folder))
    counter = CharacterCounter(config.estimate.characters_per_token)
    found: dict[str, DatasetBasis] = {}
    for name in names:
        built = _built(config, root, name)
        found[name] = built or _stand_in(config, name, prompts, counter)
    notes += _notes(config, root, found)
    return ArgumentBasis(root, found, prompts, counter)


def _built(config: RunConfig, root: Path, name: str) -> DatasetBasis | None:
    run = config.run
    states, calls = Path(paths.states(run, name, root)), Path(paths.proposed_calls(run, name, root))
    contexts, items = Path(paths.state_contexts(run, name, root)), Path(paths.argument_items(run, name, root))
    if not all(file.exists() for file in (states, calls, contexts, items)):
        return None
    every = read_json_lines(states, State)
    sample = _spread(every, config)
    whole = DatasetFiles(
        name,
        every,
        read_json_lines(calls, ProposedCall),
        read_json_lines(items, ArgumentItem),
        read_json_lines(contexts, StateContext),
    )
    return DatasetBasis(_kept(whole, sample), len(whole.items), len(every))


def _spread(states: Sequence[State], config: RunConfig) -> list[State]:
    """Take some states at equal distances."""
    count = min(max(config.estimate.sample // 3, 1), len(states))
    return [states[place * len(states) // count] for place in range(count)]


def _kept(files: DatasetFiles, states: list[State]) -> DatasetFiles:
    """Give what a data set has at some of its states."""
    names = {state.state_id for state in states}
    return DatasetFiles(
        files.dataset,
        states,
        [call for call in files.calls if call.state_id in names],
        [item for item in files.items if item.state_id in names],
        [context for context in files.contexts if context.state_id in names],
    )


def _stand_in(config: RunConfig, name: str, prompts: PromptSet, counter: CharacterCounter) -> DatasetBasis:
    files = _shipped(config, name, prompts, counter)
    sample = _kept(files, _spread(files.states, config))
    return DatasetBasis(sample, _items_of(config, name, files))


def _shipped(config: RunConfig, name: str, prompts: PromptSet, counter: CharacterCounter) -> DatasetFiles:
    """Build the shipped tau-bench excerpt under another data set's name."""
    settings = arguments_of(config)
    states = build_states(name, _STAND_IN, files={}, seed=config.seed)
    calls = build_calls(_STAND_IN, states, (), config.seed)
    contexts = fit_states(states, calls, settings, counter, prompts)
    return DatasetFiles(name, states, calls, build_items(states, calls, contexts, settings), contexts)


def _items_of(config: RunConfig, name: str, shipped: DatasetFiles) -> float:
    """Say how many items a data set will have, as far as that can be known before it is built."""
    dataset = arguments_of(config).datasets[name]
    of = getattr(dataset, "of", None)
    if dataset.count is not None:
        return len(shipped.items) / len({state.query_id for state in shipped.states}) * dataset.count
    if of is not None:
        return _items_of(config, of, shipped)
    if isinstance(dataset, TaubenchDataset):
        return len(shipped.items)
    return PAPER_ITEMS.get(dataset.kind, config.estimate.argument_items)


def base_data(config: RunConfig, basis: ArgumentBasis, dataset: str) -> BaseData:
    """Give the sample of the data set that another one is made of."""
    files = basis.datasets[arguments_of(config).datasets[dataset].of].files  # type: ignore[union-attr]
    return BaseData(files.states, files.calls, files.items, files.contexts, arguments_of(config))


def _notes(config: RunConfig, root: Path, found: Mapping[str, DatasetBasis]) -> Iterator[str]:
    sampled = [
        f"{len(one.files.states):,} of the {one.states:,} states of {name}"
        for name, one in found.items()
        if one.states is not None
    ]
    if sampled:
        yield f"Data sets of argument judging are the run's own; measured: {', '.join(sampled)}."
    lacking = [f"{name} {one.items:,.0f}" for name, one in found.items() if not one.is_built]
    if lacking:
        yield (
            "Data sets of argument judging that are not built yet, with the values that are assumed: "
            f"{', '.join(lacking)}. Their number is the paper's, or goes by `count`, or is "
            "estimate.argument_items; prompts are those of the shipped tau-bench excerpt. Once they are "
            "built (`snakemake arguments --until build_items`, which asks proposers and rewriters alone) "
            "they are counted themselves."
        )
    rewritten = [name for name in found if rewriter_model(config, name) is not None]
    for name in rewritten:
        of = getattr(arguments_of(config).datasets[name], "of", "")
        if not found[of].is_built:
            yield f"Rewritten requests of {name} are not counted before {of} is built."
    references = needed_references(config, every_argument_cell(config))
    if any(not reference_path(config, root, file).exists() for file in references):
        yield "References of argument judging that are not there yet are taken to be as long as assumed."


def reference_path(config: RunConfig, root: Path, file: ValueReferenceFile) -> Path:
    """Give the path of a file of references."""
    return Path(paths.value_references(config.run, file.dataset, file.name, file.model, root))
