"""Put all verdicts of a block beside the programmatic scores of the plans they judge."""

from __future__ import annotations

from pathlib import Path

import click
import pandas as pd

from plumbline.command import Readable, Writable, config_option, without_traceback
from plumbline.config.cells import cells_of
from plumbline.config.resolved import Workspace
from plumbline.records import write_table
from plumbline.tables.collect import collect_verdicts


@click.command()
@config_option
@click.option("--block", required=True, help="A block of the run.")
@click.option("--plans", type=Readable, required=True, help="Scored plans of the block, Parquet.")
@click.option("--output", type=Writable, required=True, help="Scored verdicts, Parquet.")
@without_traceback
def main(workspace: Workspace, block: str, plans: Path, output: Path) -> None:
    """Put the verdicts of every cell of a block into one frame (A16, A18)."""
    files = [
        workspace.path("verdicts", cell.judge, cell.generator, cell.tier, cell.condition)
        for cell in cells_of(workspace.settings, block)
    ]
    write_table(collect_verdicts(pd.read_parquet(plans), files), output)


if __name__ == "__main__":
    main()
