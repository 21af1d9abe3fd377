"""Ask a model for the references of a data set of argument judging; answers go to the journal."""

from __future__ import annotations

import click

from plumbline.arguments.reference_asking import ask_value_references, load_stage
from plumbline.command import config_option, without_traceback
from plumbline.config.argument_cells import ValueReferenceFile
from plumbline.config.cells import lane_holds
from plumbline.config.resolved import Workspace


@click.command()
@config_option
@click.option("--dataset", required=True, help="A data set of `arguments.datasets`.")
@click.option("--reference", required=True, help="A reference that a model writes.")
@click.option("--model", required=True, help="The model that writes.")
@click.option("--lane", required=True, help="The lane: all, or a shard.")
@without_traceback
def main(workspace: Workspace, dataset: str, reference: str, model: str, lane: str) -> None:
    """Ask for all references of a lane that the journal does not hold yet (D14, D36 to D41)."""
    file = ValueReferenceFile(dataset, reference, model)
    ask_value_references(
        workspace.settings,
        load_stage(workspace, file, lambda state_id: lane_holds(lane, state_id)),
        journal=workspace.journal(model),
        lane=f"{workspace.run}.{model}.{reference}.{dataset}.{lane}",
        log=workspace.log(model, "value_references", reference, dataset, lane),
    )


if __name__ == "__main__":
    main()
