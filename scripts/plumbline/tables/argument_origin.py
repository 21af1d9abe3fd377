"""Words that go with tables of argument judging whose judgments or data are stand-ins."""

from __future__ import annotations

import textwrap
from dataclasses import replace

from matplotlib.figure import Figure

from plumbline.config.argument_datasets import dataset_notes
from plumbline.tables.argument_inputs import ArgumentInputs
from plumbline.tables.result import TableResult
from plumbline.tables.style import SOFT


def simulated_judges(inputs: ArgumentInputs) -> list[str]:
    """Give the judges of the block whose answers are drawn from an error model."""
    models = {name: inputs.arguments.judges[name].model for name in inputs.judges}
    return [
        name
        for name, model in models.items()
        if model is not None and inputs.config.models[model].engine == "simulated"
    ]


def argument_origin_notes(inputs: ArgumentInputs) -> list[str]:
    """Say that judgments were simulated, and what data sets stand in for, and which judges have no model."""
    simulated, told = simulated_judges(inputs), []
    if simulated:
        named = ", ".join(simulated) if len(simulated) < len(inputs.panel) else "all judges"
        told.append(
            f"Simulation: judgments of {named} are drawn from a stated error model; no LLM was asked."
        )
    known = dataset_notes(inputs.arguments.datasets)
    for name in inputs.datasets:
        note = known.get(name)
        told += [f"Data set {name}: {note}."] if note else []
    free = [name for name in inputs.judges if name not in inputs.panel]
    if free:
        told.append(
            f"{', '.join(free)}: no model; 1 if the value equals the one that the reference states, else 0. "
            "Means of judges leave it out."
        )
    return told


def with_argument_origin(result: TableResult, inputs: ArgumentInputs) -> TableResult:
    """Give a table with these words as its first notes."""
    return replace(result, notes=(*argument_origin_notes(inputs), *result.notes))


def stamp_argument_origin(figure: Figure, inputs: ArgumentInputs) -> None:
    """Write these words below the last panel of a figure."""
    notes = argument_origin_notes(inputs)
    if notes and figure.axes:
        # a label of the axes: one of the figure would stand where the legend is
        width = min(110, int(14 * (figure.get_figwidth() - 0.8)))
        words = "\n".join(textwrap.fill(note, width) for note in notes)
        figure.axes[-1].set_xlabel(words, fontsize=8.5, color=SOFT, loc="left")
