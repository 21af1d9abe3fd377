"""Make one table of a block."""

from __future__ import annotations

from pathlib import Path

import click

from plumbline.command import Readable, Writable, config_option, without_traceback
from plumbline.config.resolved import Workspace
from plumbline.records import write_table, write_text
from plumbline.report.page import table_page
from plumbline.tables.beside import with_published
from plumbline.tables.inputs import Inputs
from plumbline.tables.origin import with_origin
from plumbline.tables.registry import TABLES
from plumbline.tables.result import TableResult

NAMES = [name for name, spec in TABLES.items() if spec.kind == "table" and spec.unit == "plan"]


@click.command()
@config_option
@click.option("--block", required=True, help="A block of the run.")
@click.option("--table", type=click.Choice(NAMES), required=True, help="Which table.")
@click.option("--condition", help="The one condition that a table by condition shows.")
@click.option("--verdicts", type=Readable, required=True, help="Scored verdicts of the block, Parquet.")
@click.option("--plans", type=Readable, required=True, help="Scored plans of the block, Parquet.")
@click.option("--csv", type=Writable, required=True, help="The table, CSV.")
@click.option("--html", type=Writable, required=True, help="The table as a page of its own, HTML.")
@without_traceback
def main(
    workspace: Workspace,
    block: str,
    table: str,
    condition: str | None,
    verdicts: Path,
    plans: Path,
    csv: Path,
    html: Path,
) -> None:
    """Make one table of a block, as CSV and as a page."""
    spec = TABLES[table]
    inputs = Inputs.read(workspace.settings, block, verdicts, plans, condition, workspace.root)
    result = spec.build(inputs)
    assert isinstance(result, TableResult)
    result = with_origin(with_published(result, table, inputs), inputs)
    write_table(result.frame, csv)
    write_text(table_page(result, spec, workspace.run, block, condition), html)


if __name__ == "__main__":
    main()
