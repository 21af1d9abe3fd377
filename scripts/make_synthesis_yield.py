"""Count what came through each stage of a synthesis."""

from __future__ import annotations

from pathlib import Path

import click

from plumbline.command import Readable, Writable, without_traceback
from plumbline.corpora.synthesis.reading import load_stages
from plumbline.records import write_table, write_text
from plumbline.report.page import table_page
from plumbline.tables.corpus_inputs import CORPUS
from plumbline.tables.synthesis import YIELD, yield_table


@click.command()
@click.argument("files", type=Readable, nargs=-1, required=True)
@click.option("--run", required=True, help="Name of the run.")
@click.option("--source", required=True, help="Name of the source.")
@click.option("--csv", type=Writable, required=True, help="The table, CSV.")
@click.option("--html", type=Writable, required=True, help="The table as a page of its own, HTML.")
@without_traceback
def main(files: tuple[Path, ...], run: str, source: str, csv: Path, html: Path) -> None:
    """Count the records of all stage FILES of one source by stage and reason (A2, A5)."""
    results = [result for stages in load_stages(files).values() for result in stages.values()]
    table = yield_table(results, source)
    write_table(table.frame, csv)
    write_text(table_page(table, YIELD, run, CORPUS), html)


if __name__ == "__main__":
    main()
