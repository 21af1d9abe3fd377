"""Make one figure of an argument block."""

from __future__ import annotations

from pathlib import Path

import click
from matplotlib.figure import Figure

from plumbline.command import Readable, Writable, config_option, without_traceback
from plumbline.config.resolved import Workspace
from plumbline.records import write_text
from plumbline.tables.argument_inputs import ArgumentInputs
from plumbline.tables.argument_origin import stamp_argument_origin
from plumbline.tables.drawing import svg_text
from plumbline.tables.registry import TABLES

NAMES = [name for name, spec in TABLES.items() if spec.kind == "figure" and spec.unit == "argument"]


@click.command()
@config_option
@click.option("--block", required=True, help="A block of `arguments.blocks`.")
@click.option("--figure", type=click.Choice(NAMES), required=True, help="Which figure.")
@click.option("--judgments", type=Readable, required=True, help="Judgments of the block, Parquet.")
@click.option("--references", type=Readable, required=True, help="References of the block, Parquet.")
@click.option("--svg", type=Writable, required=True, help="The figure, SVG.")
@without_traceback
def main(workspace: Workspace, block: str, figure: str, judgments: Path, references: Path, svg: Path) -> None:
    """Make one figure of a block; equal frames give equal bytes."""
    inputs = ArgumentInputs.read(workspace.settings, block, judgments, references)
    drawn = TABLES[figure].build(inputs)
    assert isinstance(drawn, Figure)
    stamp_argument_origin(drawn, inputs)
    write_text(svg_text(drawn), svg)


if __name__ == "__main__":
    main()
