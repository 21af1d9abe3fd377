"""Find the rung of the ladder on which each state of a data set fits."""

from __future__ import annotations

from pathlib import Path

import click

from plumbline.arguments.ladder import fit_states
from plumbline.arguments.material import load_counter, load_prompts
from plumbline.command import Writable, config_option, without_traceback
from plumbline.config.argument_cells import arguments_of
from plumbline.config.resolved import Workspace
from plumbline.records import read_json_lines, write_json_lines
from plumbline.records.arguments import ProposedCall, State


@click.command()
@config_option
@click.option("--dataset", required=True, help="A data set of `arguments.datasets`.")
@click.option("--output", type=Writable, required=True, help="Contexts, JSON Lines.")
@without_traceback
def main(workspace: Workspace, dataset: str, output: Path) -> None:
    """Say what Plain shows of each state: its window, made to fit (D9, D10)."""
    contexts = fit_states(
        read_json_lines(workspace.path("states", dataset), State),
        read_json_lines(workspace.path("proposed_calls", dataset), ProposedCall),
        arguments_of(workspace.settings),
        load_counter(workspace),
        load_prompts(workspace),
    )
    write_json_lines(contexts, output)


if __name__ == "__main__":
    main()
