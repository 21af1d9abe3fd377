"""Make the report's front page."""

from __future__ import annotations

import json
from pathlib import Path

import click

from plumbline.command import Readable, Writable, config_option, without_traceback
from plumbline.config.resolved import Workspace
from plumbline.records import write_text
from plumbline.report.frames import named_tables
from plumbline.report.front_page import front_page


@click.command()
@config_option
@click.option("--manifest", type=Readable, required=True, help="The run's manifest, JSON.")
@click.option("--table", "tables", multiple=True, metavar="NAME=CSV", help="A table to take numbers from.")
@click.option("--output", type=Writable, required=True, help="The front page, HTML.")
@without_traceback
def main(workspace: Workspace, manifest: Path, tables: tuple[str, ...], output: Path) -> None:
    """Make the front page from the tables alignment, gt_lift, coverage, plan_status and claims."""
    content = json.loads(manifest.read_text(encoding="utf-8"))
    frames = {name: found[0] for name, found in named_tables(tables).items()}
    write_text(front_page(workspace.settings, content, frames), output)


if __name__ == "__main__":
    main()
