"""Ask a judge for the judgments of one lane; answers go to the journal."""

from __future__ import annotations

import click

from plumbline.arguments.asking import ask_judgments
from plumbline.arguments.judge_material import load_judge_material
from plumbline.command import config_option, without_traceback
from plumbline.config.argument_cells import argument_lane_cells, arguments_of
from plumbline.config.cells import lane_holds
from plumbline.config.resolved import Workspace


@click.command()
@config_option
@click.option("--judge", required=True, help="A judge of `arguments.judges` that is a model.")
@click.option("--block", required=True, help="The block whose cells are asked.")
@click.option("--lane", required=True, help="The lane of the block: all, a data set, or one cell.")
@without_traceback
def main(workspace: Workspace, judge: str, block: str, lane: str) -> None:
    """Ask all questions of a lane that the journal does not answer yet (D13)."""
    cells = argument_lane_cells(workspace.settings, judge, block, lane)
    model = arguments_of(workspace.settings).judges[judge].model or ""
    ask_judgments(
        load_judge_material(workspace, cells, lambda state_id: lane_holds(lane, state_id)),
        cells,
        journal=workspace.journal(model),
        lane=f"{workspace.run}.{judge}.{block}.{lane}",
        log=workspace.log(judge, block, lane),
    )


if __name__ == "__main__":
    main()
