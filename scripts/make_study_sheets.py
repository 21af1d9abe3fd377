"""Write the annotation sheets of a sample."""

from __future__ import annotations

from pathlib import Path

import click

from plumbline.command import Readable, Writable, without_traceback
from plumbline.records import read_json_lines, write_text
from plumbline.study.items import StudyItem
from plumbline.study.sheet import sheet_csv, sheet_page


@click.command()
@click.option("--sample", type=Readable, required=True, help="The sample, JSON Lines.")
@click.option("--run", "run_name", required=True, help="Name of the run, for the heading.")
@click.option("--html", type=Writable, required=True, help="The sheet as a page that works offline.")
@click.option("--csv", type=Writable, required=True, help="The same for a spreadsheet.")
@without_traceback
def main(sample: Path, run_name: str, html: Path, csv: Path) -> None:
    """Write the sheets that annotators fill in (A44)."""
    items = read_json_lines(sample, StudyItem)
    write_text(sheet_page(items, run_name), html)
    # a spreadsheet takes a CSV for UTF-8 only if it begins with this mark
    write_text("\ufeff" + sheet_csv(items), csv)


if __name__ == "__main__":
    main()
