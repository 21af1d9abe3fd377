"""Score the plans of one generator and tier."""

from __future__ import annotations

from pathlib import Path

import click

from plumbline.command import Readable, Writable, config_option, without_traceback
from plumbline.config.resolved import Workspace
from plumbline.plans.scoring import score_plans
from plumbline.records import Plan, Record, read_json_lines, write_table


@click.command()
@config_option
@click.option("--records", type=Readable, required=True, help="Records, JSON Lines.")
@click.option("--plans", type=Readable, required=True, help="Plans of one generator and tier, JSON Lines.")
@click.option("--output", type=Writable, required=True, help="Scores, Parquet.")
@without_traceback
def main(workspace: Workspace, records: Path, plans: Path, output: Path) -> None:
    """Score each ok plan against its record's expected calls (A9 to A13)."""
    table = score_plans(
        read_json_lines(plans, Plan), read_json_lines(records, Record), workspace.settings.scoring
    )
    write_table(table, output)


if __name__ == "__main__":
    main()
