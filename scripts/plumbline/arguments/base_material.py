"""The finished data set that a controlled one is made of, read for a job."""

from __future__ import annotations

from plumbline.arguments.datasets.base import BaseData
from plumbline.arguments.material import load_dataset
from plumbline.config.argument_cells import arguments_of
from plumbline.config.resolved import Workspace


def load_base(workspace: Workspace, dataset: str) -> BaseData | None:
    """Read the finished data set that another one is made of; None for a set of its own."""
    settings = arguments_of(workspace.settings)
    of = getattr(settings.datasets[dataset], "of", None)
    if of is None:
        return None
    files = load_dataset(workspace, of)
    return BaseData(files.states, files.calls, files.items, files.contexts, settings)
