"""Write down what a run was made with."""

from __future__ import annotations

from pathlib import Path

import click

from plumbline.command import Writable, config_option, without_traceback
from plumbline.config.resolved import Workspace
from plumbline.manifest import manifest_of
from plumbline.records import write_text


@click.command()
@config_option
@click.option("--output", type=Writable, required=True, help="The manifest, JSON.")
@without_traceback
def main(workspace: Workspace, output: Path) -> None:
    """Record versions, model revisions, digests of prompts and data, seeds and the configuration."""
    write_text(manifest_of(workspace), output)


if __name__ == "__main__":
    main()
