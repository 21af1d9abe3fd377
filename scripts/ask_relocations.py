"""Ask a model to rewrite the requests of a relocated data set; answers go to the journal."""

from __future__ import annotations

import click

from plumbline.arguments.relocating import ask_relocations, load_relocating
from plumbline.command import config_option, without_traceback
from plumbline.config.resolved import Workspace


@click.command()
@config_option
@click.option("--dataset", required=True, help="A data set of kind `relocate` with a rewriter.")
@without_traceback
def main(workspace: Workspace, dataset: str) -> None:
    """Ask for all rewritten requests that the journal does not hold yet (D22)."""
    relocating = load_relocating(workspace, dataset)
    ask_relocations(
        relocating,
        journal=workspace.journal(relocating.model),
        lane=f"{workspace.run}.{relocating.model}.relocations.{dataset}",
        log=workspace.log(relocating.model, "relocations", dataset),
    )


if __name__ == "__main__":
    main()
