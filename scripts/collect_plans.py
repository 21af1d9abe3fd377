"""Put all plans of a block beside their records and programmatic scores."""

from __future__ import annotations

from pathlib import Path

import click

from plumbline.command import Writable, config_option, without_traceback
from plumbline.config.cells import plan_cells
from plumbline.config.resolved import Workspace
from plumbline.records import write_table
from plumbline.tables.collect import collect_plans


@click.command()
@config_option
@click.option("--block", required=True, help="A block of the run.")
@click.option("--output", type=Writable, required=True, help="Scored plans, Parquet.")
@without_traceback
def main(workspace: Workspace, block: str, output: Path) -> None:
    """Put records, plans and scores of every generator and tier of a block into one frame (A13)."""
    settings = workspace.settings
    cells = plan_cells(settings, block)
    table = collect_plans(
        workspace.path("records"),
        [workspace.path("plans", *cell) for cell in cells],
        [workspace.path("scores", *cell) for cell in cells],
        workspace.path("rewrites", settings.rewrites.model) if settings.rewrites else None,
    )
    write_table(table, output)


if __name__ == "__main__":
    main()
