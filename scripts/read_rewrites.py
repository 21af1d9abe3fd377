"""Read the rewrites of a run from the journal; no model is asked."""

from __future__ import annotations

from pathlib import Path

import click

from plumbline.command import Writable, config_option, without_traceback
from plumbline.config.cells import rewriter_of
from plumbline.config.resolved import Workspace
from plumbline.corpora.rewriting import read_rewrites
from plumbline.models.prompts import PromptSet
from plumbline.records import Record, read_json_lines, write_json_lines


@click.command()
@config_option
@click.option("--output", type=Writable, required=True, help="Rewrites, JSON Lines.")
@without_traceback
def main(workspace: Workspace, output: Path) -> None:
    """Read the rewrites, each with its status (A6)."""
    records = read_json_lines(workspace.path("records"), Record)
    prompts = PromptSet(Path(workspace.settings.prompts.folder))
    journal = workspace.journal(rewriter_of(workspace.settings).model)
    write_json_lines(read_rewrites(records, workspace.settings, prompts, journal=journal), output)


if __name__ == "__main__":
    main()
