"""Make one figure of a block."""

from __future__ import annotations

from pathlib import Path

import click
from matplotlib.figure import Figure

from plumbline.command import Readable, Writable, config_option, without_traceback
from plumbline.config.resolved import Workspace
from plumbline.records import write_text
from plumbline.tables.drawing import svg_text
from plumbline.tables.inputs import Inputs
from plumbline.tables.origin import stamp_origin
from plumbline.tables.registry import TABLES

NAMES = [name for name, spec in TABLES.items() if spec.kind == "figure" and spec.unit == "plan"]


@click.command()
@config_option
@click.option("--block", required=True, help="A block of the run.")
@click.option("--figure", type=click.Choice(NAMES), required=True, help="Which figure.")
@click.option("--condition", help="The one condition that a figure by condition shows.")
@click.option("--verdicts", type=Readable, required=True, help="Scored verdicts of the block, Parquet.")
@click.option("--plans", type=Readable, required=True, help="Scored plans of the block, Parquet.")
@click.option("--svg", type=Writable, required=True, help="The figure, SVG.")
@without_traceback
def main(
    workspace: Workspace,
    block: str,
    figure: str,
    condition: str | None,
    verdicts: Path,
    plans: Path,
    svg: Path,
) -> None:
    """Make one figure of a block; equal frames give equal bytes."""
    inputs = Inputs.read(workspace.settings, block, verdicts, plans, condition)
    drawn = TABLES[figure].build(inputs)
    assert isinstance(drawn, Figure)
    stamp_origin(drawn, inputs)
    write_text(svg_text(drawn), svg)


if __name__ == "__main__":
    main()
