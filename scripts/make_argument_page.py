"""Make the front page of argument judging."""

from __future__ import annotations

from pathlib import Path

import click

from plumbline.command import Writable, config_option, without_traceback
from plumbline.config.resolved import Workspace
from plumbline.records import write_text
from plumbline.report.argument_page import argument_page
from plumbline.report.frames import named_tables


@click.command()
@config_option
@click.option("--table", "tables", multiple=True, metavar="NAME=CSV", help="A table; once for each block.")
@click.option("--output", type=Writable, required=True, help="The page, HTML.")
@without_traceback
def main(workspace: Workspace, tables: tuple[str, ...], output: Path) -> None:
    """Answer the three questions of argument judging from the tables of a run."""
    write_text(argument_page(workspace.settings, named_tables(tables)), output)


if __name__ == "__main__":
    main()
