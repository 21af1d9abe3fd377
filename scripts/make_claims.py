"""List every claim of the paper with the number that the run gets."""

from __future__ import annotations

from pathlib import Path

import click
import pandas as pd

from plumbline.command import Readable, Writable, config_option, without_traceback
from plumbline.config.resolved import Workspace
from plumbline.records import write_table, write_text
from plumbline.report.claims_page import claims_page, claims_result
from plumbline.report.frames import named_tables
from plumbline.tables.claim_list import all_claims
from plumbline.tables.claims import Results, answers
from plumbline.tables.collect import PLAN_KEY


@click.command()
@config_option
@click.option(
    "--plans", type=Readable, multiple=True, required=True, help="Scored plans, Parquet; once for each block."
)
@click.option("--table", "tables", multiple=True, metavar="NAME=CSV", help="A table; once for each block.")
@click.option("--csv", type=Writable, required=True, help="The claims, CSV.")
@click.option("--html", type=Writable, required=True, help="The claims as a page of their own, HTML.")
@without_traceback
def main(
    workspace: Workspace, plans: tuple[Path, ...], tables: tuple[str, ...], csv: Path, html: Path
) -> None:
    """Compare every claim of the paper with the tables of a run."""
    scored = pd.concat([pd.read_parquet(file) for file in plans]).drop_duplicates(PLAN_KEY)
    results = Results.of(workspace.settings, scored, named_tables(tables))
    result = claims_result(answers(all_claims(), results))
    write_table(result.frame, csv)
    write_text(claims_page(workspace.settings, results.experiment, result), html)


if __name__ == "__main__":
    main()
