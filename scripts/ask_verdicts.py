"""Ask a judge for the verdicts of one lane; answers go to the journal."""

from __future__ import annotations

import click

from plumbline.command import config_option, without_traceback
from plumbline.config.cells import lane_cells, lane_holds
from plumbline.config.resolved import Workspace
from plumbline.judging.material import load_material
from plumbline.judging.verdicts import ask_verdicts


@click.command()
@config_option
@click.option("--judge", required=True, help="A judge of the run.")
@click.option("--block", required=True, help="The block whose cells are asked.")
@click.option("--lane", required=True, help="The lane of the block: all, a generator, or one cell.")
@without_traceback
def main(workspace: Workspace, judge: str, block: str, lane: str) -> None:
    """Ask all questions of a lane that the journal does not answer yet (A14, A15)."""
    cells = lane_cells(workspace.settings, judge, block, lane)
    material = load_material(workspace, cells, lambda record: lane_holds(lane, record.id))
    model = workspace.settings.judges[judge].model
    ask_verdicts(
        material,
        judge,
        cells,
        journal=workspace.journal(model),
        lane=f"{workspace.run}.{judge}.{block}.{lane}",
        log=workspace.log(judge, block, lane),
    )


if __name__ == "__main__":
    main()
