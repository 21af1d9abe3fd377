"""Read the judgments of one cell from the journal; no model is asked."""

from __future__ import annotations

from pathlib import Path

import click

from plumbline.arguments.judge_material import load_judge_material
from plumbline.arguments.reading import read_judgments
from plumbline.command import Writable, config_option, without_traceback
from plumbline.config.argument_cells import ArgumentCell, judge_of
from plumbline.config.resolved import Workspace
from plumbline.records import write_json_lines


@click.command()
@config_option
@click.option("--judge", required=True, help="A judge of `arguments.judges` that is a model.")
@click.option("--dataset", required=True, help="A data set of `arguments.datasets`.")
@click.option("--input", "name", required=True, help="An input of `arguments.inputs`.")
@click.option("--output", type=Writable, required=True, help="Judgments, JSON Lines.")
@without_traceback
def main(workspace: Workspace, judge: str, dataset: str, name: str, output: Path) -> None:
    """Read a cell's judgments, one for every item or call and replicate (D13)."""
    cell = ArgumentCell(judge, dataset, name)
    (material,) = load_judge_material(workspace, [cell])
    journal = workspace.journal(judge_of(workspace.settings, cell).model or "")
    write_json_lines(read_judgments(material, cell, journal=journal), output)


if __name__ == "__main__":
    main()
