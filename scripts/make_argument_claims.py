"""List every claim of the DeRef paper with the number that the run gets."""

from __future__ import annotations

from pathlib import Path

import click

from plumbline.command import Writable, config_option, without_traceback
from plumbline.config.resolved import Workspace
from plumbline.records import write_table, write_text
from plumbline.report.argument_page import argument_claims_page
from plumbline.report.frames import named_tables
from plumbline.tables.argument_claims import argument_answers


@click.command()
@config_option
@click.option("--table", "tables", multiple=True, metavar="NAME=CSV", help="A table; once for each block.")
@click.option("--csv", type=Writable, required=True, help="The claims, CSV.")
@click.option("--html", type=Writable, required=True, help="The claims as a page of their own, HTML.")
@without_traceback
def main(workspace: Workspace, tables: tuple[str, ...], csv: Path, html: Path) -> None:
    """Compare every claim of the DeRef paper with the tables of a run."""
    answers = argument_answers(workspace.settings, named_tables(tables))
    frame, page = argument_claims_page(workspace.settings, answers)
    write_table(frame, csv)
    write_text(page, html)


if __name__ == "__main__":
    main()
