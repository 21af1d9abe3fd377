"""Make the corrupted references of one tier: each record gets another record's expected calls."""

from __future__ import annotations

from pathlib import Path

import click

from plumbline.command import Writable, config_option, without_traceback
from plumbline.config.references import shuffled, tiers_derived
from plumbline.config.resolved import Workspace
from plumbline.judging.shuffling import shuffle_references
from plumbline.records import Record, read_json_lines, write_json_lines


@click.command()
@config_option
@click.option("--reference", required=True, help="A reference of the run of kind `shuffle`.")
@click.option("--tier", required=True, help="easy, medium or hard.")
@click.option("--output", type=Writable, required=True, help="References, JSON Lines.")
@without_traceback
def main(workspace: Workspace, reference: str, tier: str, output: Path) -> None:
    """Shuffle the expected calls among the records (A25)."""
    records = read_json_lines(workspace.path("records"), Record)
    settings = shuffled(workspace.settings, reference)
    write_json_lines(
        shuffle_references(records, settings, tiers_derived(workspace.settings, tier)[0]), output
    )


if __name__ == "__main__":
    main()
