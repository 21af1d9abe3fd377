"""Ask a proposer for the next call at each gold state of a data set; answers go to the journal."""

from __future__ import annotations

import click

from plumbline.arguments.proposing import ask_proposals, load_proposing
from plumbline.command import config_option, without_traceback
from plumbline.config.cells import lane_holds
from plumbline.config.resolved import Workspace


@click.command()
@config_option
@click.option("--dataset", required=True, help="A data set of `arguments.datasets`.")
@click.option("--proposer", required=True, help="A proposer of the data set.")
@click.option("--lane", required=True, help="The lane: all, or a shard.")
@without_traceback
def main(workspace: Workspace, dataset: str, proposer: str, lane: str) -> None:
    """Ask for all next calls that the journal does not hold yet (D4, D5)."""
    proposing = load_proposing(workspace, dataset, proposer)
    ask_proposals(
        proposing.kept(lambda state_id: lane_holds(lane, state_id)),
        journal=workspace.journal(proposing.model),
        lane=f"{workspace.run}.{proposer}.proposals.{dataset}.{lane}",
        log=workspace.log(proposing.model, "proposals", proposer, dataset, lane),
    )


if __name__ == "__main__":
    main()
