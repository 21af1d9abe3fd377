"""Read the next calls that a proposer wrote from the journal; no model is asked."""

from __future__ import annotations

from pathlib import Path

import click

from plumbline.arguments.proposing import load_proposing, read_proposals
from plumbline.command import Writable, config_option, without_traceback
from plumbline.config.resolved import Workspace
from plumbline.records import write_json_lines


@click.command()
@config_option
@click.option("--dataset", required=True, help="A data set of `arguments.datasets`.")
@click.option("--proposer", required=True, help="A proposer of the data set.")
@click.option("--output", type=Writable, required=True, help="Proposals, JSON Lines.")
@without_traceback
def main(workspace: Workspace, dataset: str, proposer: str, output: Path) -> None:
    """Read a proposer's next calls, one proposal for every state (D4, D5)."""
    proposing = load_proposing(workspace, dataset, proposer)
    write_json_lines(read_proposals(proposing, journal=workspace.journal(proposing.model)), output)


if __name__ == "__main__":
    main()
