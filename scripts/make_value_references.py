"""Make references of a data set from those of another kind: the value alone, or a wrong one."""

from __future__ import annotations

from pathlib import Path

import click

from plumbline.arguments.material import load_references
from plumbline.arguments.references.made import made_references
from plumbline.command import Writable, config_option, without_traceback
from plumbline.config.argument_cells import ValueReferenceFile, arguments_of, made_from
from plumbline.config.resolved import Workspace
from plumbline.records import UserError, read_json_lines, write_json_lines
from plumbline.records.arguments import ArgumentItem


@click.command()
@config_option
@click.option("--dataset", required=True, help="A data set of `arguments.datasets`.")
@click.option("--reference", required=True, help="A reference of kind `value_only` or `swap`.")
@click.option("--model", required=True, help="The model that wrote what it is made from.")
@click.option("--output", type=Writable, required=True, help="References, JSON Lines.")
@without_traceback
def main(workspace: Workspace, dataset: str, reference: str, model: str, output: Path) -> None:
    """Make references from others, without a model (D32, D42)."""
    source = made_from(workspace.settings, ValueReferenceFile(dataset, reference, model))
    if source is None:
        raise UserError(f"the reference {reference} is written by a model, not made from another one.")
    items = read_json_lines(workspace.path("argument_items", dataset), ArgumentItem)
    base = load_references(workspace, source)
    settings = arguments_of(workspace.settings)
    write_json_lines(made_references(settings, reference, dataset, base=base, items=items), output)


if __name__ == "__main__":
    main()
