"""Ask a model for the plans of one lane; answers go to the journal."""

from __future__ import annotations

from pathlib import Path

import click

from plumbline.command import config_option, without_traceback
from plumbline.config.cells import lane_holds
from plumbline.config.resolved import Workspace
from plumbline.corpora.rewriting import load_rewrites
from plumbline.models.prompts import PromptSet
from plumbline.plans.lanes import ask_plans, tiers_of_lane
from plumbline.records import Record, read_json_lines


@click.command()
@config_option
@click.option("--generator", required=True, help="A generator of the run that is a model.")
@click.option("--lane", required=True, help="The lane: all, or a tier.")
@without_traceback
def main(workspace: Workspace, generator: str, lane: str) -> None:
    """Ask for all plans of a lane that the journal does not hold yet (A8)."""
    settings = workspace.settings
    records = read_json_lines(workspace.path("records"), Record)
    ask_plans(
        settings,
        generator,
        tiers_of_lane(settings, lane),
        [record for record in records if lane_holds(lane, record.id)],
        load_rewrites(workspace),
        PromptSet(Path(settings.prompts.folder)),
        journal=workspace.journal(settings.generators[generator].model or ""),
        lane=f"{workspace.run}.{generator}.plans.{lane}",
        log=workspace.log(generator, "plans", lane),
    )


if __name__ == "__main__":
    main()
