"""Read one stage of the records of one domain from the journal; no model is asked."""

from __future__ import annotations

from pathlib import Path

import click

from plumbline.command import Readable, Writable, config_option, without_traceback
from plumbline.config.resolved import Workspace
from plumbline.corpora.synthesis.conversations import read_stage
from plumbline.corpora.synthesis.loading import load_synthesis
from plumbline.records import write_json_lines


@click.command()
@config_option
@click.option("--source", required=True, help="A synthesised source of the run's corpus.")
@click.option("--domain", required=True, help="One of its domains.")
@click.option("--stage", required=True, help="The stage that is read.")
@click.option("--before", type=Readable, multiple=True, help="Files of the stages before, in any order.")
@click.option("--output", type=Writable, required=True, help="Results of the stage, JSON Lines.")
@without_traceback
def main(
    workspace: Workspace, source: str, domain: str, stage: str, before: tuple[Path, ...], output: Path
) -> None:
    """Read a stage (A2): a line for every record that was begun, with its status and all that was wrong."""
    synthesis = load_synthesis(workspace, source, domain, stage, before)
    write_json_lines(read_stage(synthesis, journal=workspace.journal(synthesis.source.model)), output)


if __name__ == "__main__":
    main()
