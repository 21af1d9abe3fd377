"""Draw the triplets of queries that meta-judges are asked about."""

from __future__ import annotations

from pathlib import Path

import click

from plumbline.command import Writable, config_option, without_traceback
from plumbline.config.resolved import Workspace
from plumbline.corpora.rewriting import load_rewrites
from plumbline.judging.triplets import draw_triplets
from plumbline.records import Record, read_json_lines, write_json_lines


@click.command()
@config_option
@click.option("--output", type=Writable, required=True, help="Triplets, JSON Lines.")
@without_traceback
def main(workspace: Workspace, output: Path) -> None:
    """Draw the triplets (A49); standard error says where a topology has too few."""
    records = read_json_lines(workspace.path("records"), Record)
    assert workspace.settings.validation is not None
    draw = draw_triplets(records, load_rewrites(workspace), workspace.settings.validation)
    click.echo("\n".join([*draw.warnings, f"{len(draw.triplets)} triplets drawn"]), err=True)
    write_json_lines(draw.triplets, output)


if __name__ == "__main__":
    main()
