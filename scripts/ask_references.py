"""Ask a model for the references that it derives; answers go to the journal."""

from __future__ import annotations

import click

from plumbline.command import config_option, without_traceback
from plumbline.config.cells import lane_holds
from plumbline.config.references import tiers_derived
from plumbline.config.resolved import Workspace
from plumbline.judging.derivation import Derivation, ask_references
from plumbline.judging.material import load_material


@click.command()
@config_option
@click.option("--reference", required=True, help="A reference of the run of kind `derive`.")
@click.option("--model", required=True, help="The model that derives.")
@click.option("--lane", required=True, help="The lane: all, or a tier.")
@without_traceback
def main(workspace: Workspace, reference: str, model: str, lane: str) -> None:
    """Ask for all references of a lane that the journal does not hold yet."""
    material = load_material(workspace, [], lambda record: lane_holds(lane, record.id))
    ask_references(
        Derivation(material, reference, model),
        tiers_derived(workspace.settings, lane),
        journal=workspace.journal(model),
        lane=f"{workspace.run}.{model}.references.{reference}.{lane}",
        log=workspace.log(model, "references", reference, lane),
    )


if __name__ == "__main__":
    main()
