"""Read one cell's verdicts from the journal; no model is asked."""

from __future__ import annotations

from pathlib import Path

import click

from plumbline.command import Writable, config_option, without_traceback
from plumbline.config.cells import Cell
from plumbline.config.resolved import Workspace
from plumbline.judging.material import load_material
from plumbline.judging.verdicts import read_cell, warnings_of
from plumbline.records import write_json_lines


@click.command()
@config_option
@click.option("--judge", required=True, help="A judge of the run.")
@click.option("--generator", required=True, help="The generator whose plans were judged.")
@click.option("--tier", required=True, help="easy, medium or hard.")
@click.option("--condition", required=True, help="The condition under which it was asked.")
@click.option("--output", type=Writable, required=True, help="Verdicts, JSON Lines.")
@without_traceback
def main(workspace: Workspace, judge: str, generator: str, tier: str, condition: str, output: Path) -> None:
    """Read one cell's verdicts, one line for every plan and replicate (A16)."""
    cell = Cell(judge, generator, tier, condition)
    material = load_material(workspace, [cell])
    journal = workspace.journal(workspace.settings.judges[judge].model)
    verdicts = list(read_cell(material, cell, journal=journal))
    for warning in warnings_of(workspace.settings, cell, verdicts):
        click.echo(warning, err=True)
    write_json_lines(verdicts, output)


if __name__ == "__main__":
    main()
