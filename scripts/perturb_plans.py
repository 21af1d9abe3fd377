"""Make plans with known faults: a generator without a model."""

from __future__ import annotations

from pathlib import Path

import click

from plumbline.command import Writable, config_option, without_traceback
from plumbline.config.resolved import Workspace
from plumbline.plans.perturb import perturb
from plumbline.records import Record, UserError, read_json_lines, write_json_lines


@click.command()
@config_option
@click.option("--generator", required=True, help="A generator of the run that has faults.")
@click.option("--tier", required=True, help="easy, medium or hard.")
@click.option("--output", type=Writable, required=True, help="Plans, JSON Lines.")
@without_traceback
def main(workspace: Workspace, generator: str, tier: str, output: Path) -> None:
    """Apply one fault to the expected calls of each record, balanced over the kinds."""
    settings = workspace.settings
    faults = settings.generators[generator].faults
    if faults is None:
        raise UserError(f"generator {generator} is a model; ask_plans.py and read_plans.py make its plans.")
    records = read_json_lines(workspace.path("records"), Record)
    plans = perturb(records, tier, faults, settings.seed, generator, settings.tiers)
    write_json_lines(plans, output)


if __name__ == "__main__":
    main()
