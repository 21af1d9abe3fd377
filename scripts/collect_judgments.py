"""Put all judgments of an argument block beside their items, and the references that its inputs show."""

from __future__ import annotations

from pathlib import Path

import click

from plumbline.command import Writable, config_option, without_traceback
from plumbline.config.argument_cells import argument_cells, needed_references
from plumbline.config.resolved import Workspace
from plumbline.records import write_table
from plumbline.tables.collect_arguments import JudgedFile, collect_judgments, collect_references


@click.command()
@config_option
@click.option("--block", required=True, help="A block of `arguments.blocks`.")
@click.option("--judgments", type=Writable, required=True, help="Judgments beside their items, Parquet.")
@click.option("--references", type=Writable, required=True, help="References, Parquet.")
@without_traceback
def main(workspace: Workspace, block: str, judgments: Path, references: Path) -> None:
    """Put the judgments and references of every cell of a block into two frames (D13, D21)."""
    cells = argument_cells(workspace.settings, block)
    datasets = list(dict.fromkeys(cell.dataset for cell in cells))
    files = [
        JudgedFile(*key, workspace.path("judgments", *key))
        for key in ((cell.judge, cell.dataset, cell.input) for cell in cells)
    ]
    judged = collect_judgments(
        workspace.settings,
        {name: workspace.path("argument_items", name) for name in datasets},
        {name: workspace.path("proposed_calls", name) for name in datasets},
        files,
    )
    made = [
        workspace.path("value_references", file.dataset, file.name, file.model)
        for file in needed_references(workspace.settings, cells)
    ]
    write_table(judged, judgments)
    write_table(collect_references(made), references)


if __name__ == "__main__":
    main()
