"""Put the correct and wrong calls of one data set together."""

from __future__ import annotations

from pathlib import Path

import click

from plumbline.arguments.base_material import load_base
from plumbline.arguments.datasets import Account, build_calls
from plumbline.command import Writable, config_option, without_traceback
from plumbline.config.argument_cells import arguments_of, proposers_of
from plumbline.config.resolved import Workspace
from plumbline.records import read_json_lines, write_json_lines
from plumbline.records.arguments import Proposal, State


@click.command()
@config_option
@click.option("--dataset", required=True, help="A data set of `arguments.datasets`.")
@click.option("--output", type=Writable, required=True, help="Proposed calls, JSON Lines.")
@without_traceback
def main(workspace: Workspace, dataset: str, output: Path) -> None:
    """Put the proposed calls of a data set together, with the label of each argument (D4 to D6)."""
    proposals = [
        proposal
        for proposer in proposers_of(workspace.settings, dataset)
        for proposal in read_json_lines(workspace.path("proposals", dataset, proposer), Proposal)
    ]
    account = Account()
    calls = build_calls(
        arguments_of(workspace.settings).datasets[dataset],
        read_json_lines(workspace.path("states", dataset), State),
        proposals,
        workspace.settings.seed,
        load_base(workspace, dataset),
        account=account,
    )
    for line in account.lines():
        click.echo(f"{dataset}: {line}")
    write_json_lines(calls, output)


if __name__ == "__main__":
    main()
