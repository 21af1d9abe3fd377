"""Read the references of one tier that a model derived from the journal; no model is asked."""

from __future__ import annotations

from pathlib import Path

import click

from plumbline.command import Writable, config_option, without_traceback
from plumbline.config.references import tiers_derived
from plumbline.config.resolved import Workspace
from plumbline.judging.derivation import Derivation, read_references
from plumbline.judging.material import load_material
from plumbline.records import write_json_lines


@click.command()
@config_option
@click.option("--reference", required=True, help="A reference of the run of kind `derive`.")
@click.option("--model", required=True, help="The model that derived.")
@click.option("--tier", required=True, help="easy, medium or hard.")
@click.option("--output", type=Writable, required=True, help="References, JSON Lines.")
@without_traceback
def main(workspace: Workspace, reference: str, model: str, tier: str, output: Path) -> None:
    """Read a model's references, one for every record."""
    derivation = Derivation(load_material(workspace, []), reference, model)
    tier_of_run = tiers_derived(workspace.settings, tier)[0]
    write_json_lines(read_references(derivation, tier_of_run, journal=workspace.journal(model)), output)


if __name__ == "__main__":
    main()
