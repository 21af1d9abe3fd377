"""Judge values by comparing them with those that a reference states; no model is asked."""

from __future__ import annotations

from pathlib import Path

import click

from plumbline.arguments.matching import match_judgments
from plumbline.arguments.material import load_references
from plumbline.command import Writable, config_option, without_traceback
from plumbline.config.argument_cells import ArgumentCell, input_of, shown_reference
from plumbline.config.resolved import Workspace
from plumbline.records import UserError, read_json_lines, write_json_lines
from plumbline.records.arguments import ArgumentItem


@click.command()
@config_option
@click.option("--judge", required=True, help="A judge of `arguments.judges` with `match`.")
@click.option("--dataset", required=True, help="A data set of `arguments.datasets`.")
@click.option("--input", "name", required=True, help="An input of `arguments.inputs`.")
@click.option("--output", type=Writable, required=True, help="Judgments, JSON Lines.")
@without_traceback
def main(workspace: Workspace, judge: str, dataset: str, name: str, output: Path) -> None:
    """Give the free baseline's judgments of one cell."""
    cell = ArgumentCell(judge, dataset, name)
    matched = shown_reference(workspace.settings, cell)
    if matched is None:
        raise UserError(f"judge {judge} matches no reference that a model of its own writes.")
    items = read_json_lines(workspace.path("argument_items", dataset), ArgumentItem)
    replicates = input_of(workspace.settings, cell).replicates
    write_json_lines(match_judgments(cell, items, load_references(workspace, matched), replicates), output)


if __name__ == "__main__":
    main()
