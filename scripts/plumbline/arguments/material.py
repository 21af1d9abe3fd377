"""The files of a data set of argument judging, read for a job: all of it, or the states of its shard."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from plumbline.arguments.tokens import TokenCounter, token_counter
from plumbline.config.argument_cells import ValueReferenceFile, arguments_of
from plumbline.config.resolved import Workspace
from plumbline.models.prompts import PromptSet
from plumbline.records import read_json_lines
from plumbline.records.arguments import (
    ArgumentItem,
    ProposedCall,
    State,
    StateContext,
    ValueReference,
)

Keeps = Callable[[str], bool]
"""Whether a job is about the state of this id."""


@dataclass(frozen=True)
class DatasetFiles:
    """States, calls, items and contexts of one data set, each in the order of its file."""

    dataset: str
    states: list[State]
    calls: list[ProposedCall]
    items: list[ArgumentItem]
    contexts: list[StateContext]


def load_dataset(workspace: Workspace, dataset: str, keeps: Keeps = lambda state_id: True) -> DatasetFiles:
    """Read the files of a data set, for the states that a job is about."""
    states = read_json_lines(workspace.path("states", dataset), State)
    calls = read_json_lines(workspace.path("proposed_calls", dataset), ProposedCall)
    items = read_json_lines(workspace.path("argument_items", dataset), ArgumentItem)
    contexts = read_json_lines(workspace.path("state_contexts", dataset), StateContext)
    return DatasetFiles(
        dataset,
        [state for state in states if keeps(state.state_id)],
        [call for call in calls if keeps(call.state_id)],
        [item for item in items if keeps(item.state_id)],
        [context for context in contexts if keeps(context.state_id)],
    )


def load_references(workspace: Workspace, file: ValueReferenceFile) -> list[ValueReference]:
    """Read one file of made references."""
    return read_json_lines(
        workspace.path("value_references", file.dataset, file.name, file.model), ValueReference
    )


def load_prompts(workspace: Workspace) -> PromptSet:
    """Open the run's prompts."""
    return PromptSet(Path(workspace.settings.prompts.folder))


def load_counter(workspace: Workspace) -> TokenCounter:
    """Load what counts the tokens of the run's inputs."""
    return token_counter(arguments_of(workspace.settings), workspace.settings.models)
