"""Read what a meta-judge said from the journal; no model is asked."""

from __future__ import annotations

from pathlib import Path

import click

from plumbline.command import Writable, config_option, without_traceback
from plumbline.config.resolved import Workspace
from plumbline.judging.meta_judging import load_triplets, read_opinions
from plumbline.records import write_json_lines


@click.command()
@config_option
@click.option("--model", required=True, help="A meta-judge of the run.")
@click.option("--output", type=Writable, required=True, help="Opinions, JSON Lines.")
@without_traceback
def main(workspace: Workspace, model: str, output: Path) -> None:
    """Read the four answers on each triplet, each with its status (A49)."""
    opinions = read_opinions(load_triplets(workspace, model), journal=workspace.journal(model))
    write_json_lines(opinions, output)


if __name__ == "__main__":
    main()
