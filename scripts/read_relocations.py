"""Read the rewritten requests of a relocated data set from the journal; no model is asked."""

from __future__ import annotations

from pathlib import Path

import click

from plumbline.arguments.relocating import load_relocating, read_relocations
from plumbline.command import Writable, config_option, without_traceback
from plumbline.config.resolved import Workspace
from plumbline.records import write_json_lines


@click.command()
@config_option
@click.option("--dataset", required=True, help="A data set of kind `relocate` with a rewriter.")
@click.option("--output", type=Writable, required=True, help="Rewritten requests, JSON Lines.")
@without_traceback
def main(workspace: Workspace, dataset: str, output: Path) -> None:
    """Read the rewritten requests, each checked by code (D22)."""
    relocating = load_relocating(workspace, dataset)
    write_json_lines(read_relocations(relocating, journal=workspace.journal(relocating.model)), output)


if __name__ == "__main__":
    main()
