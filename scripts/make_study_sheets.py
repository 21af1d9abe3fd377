"""Write the annotation sheets of a sample."""

from __future__ import annotations

from pathlib import Path

import click

from plumbline.command import Writable, config_option, without_traceback
from plumbline.config.resolved import Workspace
from plumbline.records import read_json_lines, write_text
from plumbline.study.items import StudyItem
from plumbline.study.sheet import sheet_csv, sheet_page


@click.command()
@config_option
@click.option("--html", type=Writable, required=True, help="The sheet as a page that works offline.")
@click.option("--csv", type=Writable, required=True, help="The same for a spreadsheet.")
@without_traceback
def main(workspace: Workspace, html: Path, csv: Path) -> None:
    """Write the sheets that annotators fill in (A44)."""
    items = read_json_lines(workspace.path("study_sample"), StudyItem)
    write_text(sheet_page(items, workspace.run, workspace.settings.scoring), html)
    # a spreadsheet takes a CSV for UTF-8 only if it begins with this mark
    write_text("\ufeff" + sheet_csv(items), csv)


if __name__ == "__main__":
    main()
