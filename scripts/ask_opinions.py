"""Ask a meta-judge about the triplets of queries; answers go to the journal."""

from __future__ import annotations

import click

from plumbline.command import config_option, without_traceback
from plumbline.config.resolved import Workspace
from plumbline.judging.meta_judging import ask_opinions, load_triplets


@click.command()
@config_option
@click.option("--model", required=True, help="A meta-judge of the run.")
@without_traceback
def main(workspace: Workspace, model: str) -> None:
    """Ask the four questions on each triplet that the journal does not answer yet (A49)."""
    ask_opinions(
        load_triplets(workspace, model),
        journal=workspace.journal(model),
        lane=f"{workspace.run}.{model}.validation",
        log=workspace.log(model, "validation"),
    )


if __name__ == "__main__":
    main()
