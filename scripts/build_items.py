"""List the argument items of a data set with their paths, and show where each was matched."""

from __future__ import annotations

from pathlib import Path

import click

from plumbline.arguments.items import build_items
from plumbline.command import Writable, config_option, without_traceback
from plumbline.config.argument_cells import arguments_of
from plumbline.config.resolved import Workspace
from plumbline.records import read_json_lines, write_json_lines, write_text
from plumbline.records.arguments import ProposedCall, State, StateContext
from plumbline.report.items_page import items_page


@click.command()
@config_option
@click.option("--dataset", required=True, help="A data set of `arguments.datasets`.")
@click.option("--output", type=Writable, required=True, help="Items, JSON Lines.")
@click.option("--page", type=Writable, required=True, help="The items with the place of each match, HTML.")
@without_traceback
def main(workspace: Workspace, dataset: str, output: Path, page: Path) -> None:
    """Give each argument value its path by text matching (D1 to D3, D8)."""
    settings = arguments_of(workspace.settings)
    states = read_json_lines(workspace.path("states", dataset), State)
    calls = read_json_lines(workspace.path("proposed_calls", dataset), ProposedCall)
    contexts = read_json_lines(workspace.path("state_contexts", dataset), StateContext)
    items = build_items(states, calls, contexts, settings)
    write_text(items_page(states, items, contexts, settings, workspace.run, dataset), page)
    write_json_lines(items, output)


if __name__ == "__main__":
    main()
