"""Put the records of all sources together."""

from __future__ import annotations

from pathlib import Path

import click

from plumbline.command import Readable, Writable, without_traceback
from plumbline.corpora.sources import collect_records
from plumbline.records import Record, read_json_lines, write_json_lines


@click.command()
@click.argument("sources", type=Readable, nargs=-1, required=True)
@click.option("--system-prompt", type=Readable, required=True, help="For records without one of their own.")
@click.option("--output", type=Writable, required=True, help="Records, JSON Lines.")
@without_traceback
def main(sources: tuple[Path, ...], system_prompt: Path, output: Path) -> None:
    """Put SOURCES (records, JSON Lines) together; no id may occur twice."""
    parts = [read_json_lines(path, Record) for path in sources]
    write_json_lines(collect_records(parts, system_prompt.read_text(encoding="utf-8")), output)


if __name__ == "__main__":
    main()
