"""Make one table of an argument block."""

from __future__ import annotations

from pathlib import Path

import click

from plumbline.command import Readable, Writable, config_option, without_traceback
from plumbline.config.resolved import Workspace
from plumbline.records import write_table, write_text
from plumbline.report.page import table_page
from plumbline.tables.argument_beside import with_deref
from plumbline.tables.argument_inputs import ArgumentInputs
from plumbline.tables.argument_origin import with_argument_origin
from plumbline.tables.registry import TABLES
from plumbline.tables.result import TableResult

NAMES = [name for name, spec in TABLES.items() if spec.kind == "table" and spec.unit == "argument"]


@click.command()
@config_option
@click.option("--block", required=True, help="A block of `arguments.blocks`.")
@click.option("--table", type=click.Choice(NAMES), required=True, help="Which table.")
@click.option("--judgments", type=Readable, required=True, help="Judgments of the block, Parquet.")
@click.option("--references", type=Readable, required=True, help="References of the block, Parquet.")
@click.option("--csv", type=Writable, required=True, help="The table, CSV.")
@click.option("--html", type=Writable, required=True, help="The table as a page of its own, HTML.")
@without_traceback
def main(
    workspace: Workspace, block: str, table: str, judgments: Path, references: Path, csv: Path, html: Path
) -> None:
    """Make one table of a block, as CSV and as a page."""
    spec = TABLES[table]
    inputs = ArgumentInputs.read(workspace.settings, block, judgments, references, workspace.root)
    result = spec.build(inputs)
    assert isinstance(result, TableResult)
    result = with_argument_origin(with_deref(result, table, inputs), inputs)
    write_table(result.frame, csv)
    write_text(table_page(result, spec, workspace.run, block), html)


if __name__ == "__main__":
    main()
