"""Make the report's front page."""

from __future__ import annotations

import json
from pathlib import Path

import click
import pandas as pd

from plumbline.command import Readable, Writable, config_option, without_traceback
from plumbline.config.resolved import Workspace
from plumbline.records import UserError, write_text
from plumbline.report.front_page import front_page


@click.command()
@config_option
@click.option("--manifest", type=Readable, required=True, help="The run's manifest, JSON.")
@click.option("--table", "tables", multiple=True, metavar="NAME=CSV", help="A table to take numbers from.")
@click.option("--output", type=Writable, required=True, help="The front page, HTML.")
@without_traceback
def main(workspace: Workspace, manifest: Path, tables: tuple[str, ...], output: Path) -> None:
    """Make the front page from the tables alignment, gt_lift, coverage and plan_status."""
    files = dict(_named_file(text) for text in tables)
    content = json.loads(manifest.read_text(encoding="utf-8"))
    frames = {name: _read(file) for name, file in files.items()}
    write_text(front_page(workspace.settings, content, frames), output)


def _named_file(text: str) -> tuple[str, str]:
    name, sign, file = text.partition("=")
    if not sign or not Path(file).is_file():
        raise UserError(f"--table {text}: write NAME=FILE with a CSV file that exists.")
    return name, file


def _read(file: str) -> pd.DataFrame:
    # a judge may be called `4` or `nan`: names are text, and only an empty field is missing
    names = dict.fromkeys(("judge", "generator", "tier", "condition"), str)
    return pd.read_csv(file, dtype=names, keep_default_na=False, na_values=[""])


if __name__ == "__main__":
    main()
