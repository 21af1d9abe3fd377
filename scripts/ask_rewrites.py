"""Ask a model for the medium and hard queries that records lack; answers go to the journal."""

from __future__ import annotations

from pathlib import Path

import click

from plumbline.command import config_option, without_traceback
from plumbline.config.cells import rewriter_of
from plumbline.config.resolved import Workspace
from plumbline.corpora.rewriting import ask_rewrites
from plumbline.models.prompts import PromptSet
from plumbline.records import Record, read_json_lines


@click.command()
@config_option
@without_traceback
def main(workspace: Workspace) -> None:
    """Ask for both queries of each record in one request (A6)."""
    model = rewriter_of(workspace.settings).model
    ask_rewrites(
        read_json_lines(workspace.path("records"), Record),
        workspace.settings,
        PromptSet(Path(workspace.settings.prompts.folder)),
        journal=workspace.journal(model),
        lane=f"{workspace.run}.{model}.rewrites",
        log=workspace.log(model, "rewrites"),
    )


if __name__ == "__main__":
    main()
