"""Ask a model for one stage of the records of one domain; answers go to the journal."""

from __future__ import annotations

from pathlib import Path

import click

from plumbline.command import Readable, config_option, without_traceback
from plumbline.config.resolved import Workspace
from plumbline.corpora.synthesis.conversations import ask_stage
from plumbline.corpora.synthesis.loading import load_synthesis


@click.command()
@config_option
@click.option("--source", required=True, help="A synthesised source of the run's corpus.")
@click.option("--domain", required=True, help="One of its domains.")
@click.option("--stage", required=True, help="The stage that is asked for.")
@click.option("--before", type=Readable, multiple=True, help="Files of the stages before, in any order.")
@without_traceback
def main(workspace: Workspace, source: str, domain: str, stage: str, before: tuple[Path, ...]) -> None:
    """Ask for a stage (A2); an answer that fails its check is asked for again with what was wrong."""
    synthesis = load_synthesis(workspace, source, domain, stage, before)
    model = synthesis.source.model
    ask_stage(
        synthesis,
        journal=workspace.journal(model),
        lane=f"{workspace.run}.{model}.{source}.{domain}.{stage}",
        log=workspace.log(model, source, domain, stage),
    )


if __name__ == "__main__":
    main()
