"""Read the references that a model wrote for a data set from the journal; no model is asked."""

from __future__ import annotations

from pathlib import Path

import click

from plumbline.arguments.reference_asking import load_stage
from plumbline.arguments.references.reading import read_references
from plumbline.arguments.references.requests import reference_requests
from plumbline.command import Writable, config_option, without_traceback
from plumbline.config.argument_cells import ValueReferenceFile
from plumbline.config.resolved import Workspace
from plumbline.models import find_outcomes
from plumbline.records import write_json_lines


@click.command()
@config_option
@click.option("--dataset", required=True, help="A data set of `arguments.datasets`.")
@click.option("--reference", required=True, help="A reference that a model writes.")
@click.option("--model", required=True, help="The model that wrote.")
@click.option("--output", type=Writable, required=True, help="References, JSON Lines.")
@without_traceback
def main(workspace: Workspace, dataset: str, reference: str, model: str, output: Path) -> None:
    """Read a model's references of a data set, with the value that each states (D15, D16)."""
    stage = load_stage(workspace, ValueReferenceFile(dataset, reference, model))
    outcomes = find_outcomes(
        reference_requests(stage),
        model,
        stage.model,
        journal=workspace.journal(model),
        attempts=workspace.settings.verdicts.attempts,
    )
    write_json_lines(read_references(stage, outcomes), output)


if __name__ == "__main__":
    main()
