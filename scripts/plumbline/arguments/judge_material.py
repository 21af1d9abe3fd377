"""What a judge's cells rest on, read from the run's files."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from plumbline.arguments.material import load_counter, load_dataset, load_prompts, load_references
from plumbline.arguments.questions import JudgeMaterial
from plumbline.arguments.sampling import drawn_units
from plumbline.config.argument_cells import ArgumentCell, ValueReferenceFile, made_from, shown_reference
from plumbline.config.resolved import Workspace
from plumbline.config.settings import RunConfig


def load_judge_material(
    workspace: Workspace, cells: Sequence[ArgumentCell], keeps: Callable[[str], bool] = lambda state_id: True
) -> list[JudgeMaterial]:
    """Read what cells of one judge rest on, one data set after another.

    Parameters
    ----------
    workspace, cells
        The run and cells of one judge.
    keeps
        Whether a job is about the state of this id (its shard).
    """
    prompts, counter = load_prompts(workspace), load_counter(workspace)
    drawn = drawn_units(workspace, cells)
    materials = []
    for dataset in dict.fromkeys(cell.dataset for cell in cells):
        read = shown_files(workspace.settings, [cell for cell in cells if cell.dataset == dataset])
        references, bases = (
            {
                name: [line for line in load_references(workspace, file) if keeps(line.state_id)]
                for name, file in each.items()
            }
            for each in read
        )
        files = load_dataset(workspace, dataset, keeps)
        sampled = {name: units[dataset] for name, units in drawn.items() if dataset in units}
        materials.append(
            JudgeMaterial(workspace.settings, files, references, prompts, counter, bases, sampled)
        )
    return materials


def shown_files(
    config: RunConfig, cells: Sequence[ArgumentCell]
) -> tuple[dict[str, ValueReferenceFile], dict[str, ValueReferenceFile]]:
    """Give the references that cells of a judge and data set show, by input, and what they are made from."""
    shown = {cell.input: shown_reference(config, cell) for cell in cells}
    found = {name: file for name, file in shown.items() if file is not None}
    bases = {name: made_from(config, file) for name, file in found.items()}
    return found, {name: file for name, file in bases.items() if file is not None}
