"""Which items an input asks about that asks a sample of them (D13)."""

from __future__ import annotations

import random
from collections.abc import Iterable, Mapping, Sequence

from plumbline.config.argument_cells import ArgumentCell, input_of, sampled_datasets
from plumbline.config.resolved import Workspace
from plumbline.records import read_json_lines
from plumbline.records.arguments import ArgumentItem, ProposedCall, StateContext


def draw_units(seed: int, name: str, count: int, units: Mapping[str, Sequence[str]]) -> dict[str, set[str]]:
    """Draw items, or calls, over several data sets at once: each of all of them is as likely as any other.

    Parameters
    ----------
    seed, name
        Seed of the run, and the input.
    count
        How many are drawn; all if there are fewer.
    units
        Their ids by data set, in any order.

    Returns
    -------
    dict
        The drawn ids by data set.
    """
    pool = sorted((dataset, unit) for dataset, ids in units.items() for unit in ids)
    draw = random.Random(f"{seed}|sample|{name}")  # noqa: S311, a reproducible draw, no secret
    found: dict[str, set[str]] = {dataset: set() for dataset in units}
    for dataset, unit in draw.sample(pool, min(count, len(pool))):
        found[dataset].add(unit)
    return found


def drawn_units(workspace: Workspace, cells: Iterable[ArgumentCell]) -> dict[str, dict[str, set[str]]]:
    """Give the ids that cells of one judge ask about, where their inputs ask a sample.

    Parameters
    ----------
    workspace, cells
        The run and cells of one judge.

    Returns
    -------
    dict
        By input and data set: the items (or calls) that are drawn, of states that fit on a rung of Plain,
        over all data sets on which the run asks the judge with this input. An input that asks about all is
        missing.
    """
    found: dict[str, dict[str, set[str]]] = {}
    pools: dict[tuple[str, bool], list[str]] = {}  # a large data set is read once, whatever asks about it
    for cell in cells:
        chosen = input_of(workspace.settings, cell)
        if chosen.sample is None or cell.input in found:
            continue
        of_values = chosen.unit == "value"
        units = {}
        for dataset in sampled_datasets(workspace.settings, cell):
            if (dataset, of_values) not in pools:
                pools[dataset, of_values] = _units(workspace, dataset, of_values)
            units[dataset] = pools[dataset, of_values]
        found[cell.input] = draw_units(workspace.settings.seed, cell.input, chosen.sample, units)
    return found


def _units(workspace: Workspace, dataset: str, of_values: bool) -> list[str]:
    contexts = read_json_lines(workspace.path("state_contexts", dataset), StateContext)
    fits = {context.state_id for context in contexts if context.status == "ok"}
    if of_values:
        items = read_json_lines(workspace.path("argument_items", dataset), ArgumentItem)
        return [item.item_id for item in items if item.state_id in fits]
    calls = read_json_lines(workspace.path("proposed_calls", dataset), ProposedCall)
    return [call.call_id for call in calls if call.state_id in fits]
