"""Read the plans of one generator and tier from the journal; no model is asked."""

from __future__ import annotations

from pathlib import Path

import click

from plumbline.command import Writable, config_option, without_traceback
from plumbline.config.resolved import Workspace
from plumbline.corpora.rewriting import load_rewrites
from plumbline.models.prompts import PromptSet
from plumbline.plans.lanes import read_plans, tiers_of_lane
from plumbline.records import Record, read_json_lines, write_json_lines


@click.command()
@config_option
@click.option("--generator", required=True, help="A generator of the run that is a model.")
@click.option("--tier", required=True, help="easy, medium or hard.")
@click.option("--output", type=Writable, required=True, help="Plans, JSON Lines.")
@without_traceback
def main(workspace: Workspace, generator: str, tier: str, output: Path) -> None:
    """Read a generator's plans, one for every record (A8)."""
    settings = workspace.settings
    plans = read_plans(
        settings,
        generator,
        tiers_of_lane(settings, tier)[0],
        read_json_lines(workspace.path("records"), Record),
        load_rewrites(workspace),
        PromptSet(Path(settings.prompts.folder)),
        journal=workspace.journal(settings.generators[generator].model or ""),
    )
    write_json_lines(plans, output)


if __name__ == "__main__":
    main()
