"""Loading what the questions to a judge are made of."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from plumbline.config.cells import Cell
from plumbline.config.resolved import Workspace
from plumbline.corpora.rewriting import load_rewrites
from plumbline.judging.requests import Material
from plumbline.models.prompts import PromptSet
from plumbline.records import Plan, Record, read_json_lines


def load_material(
    workspace: Workspace, cells: Sequence[Cell], keep: Callable[[Record], bool] | None = None
) -> Material:
    """Load records, rewrites and the plans of some cells.

    Parameters
    ----------
    workspace
        The run.
    cells
        The cells whose plans are needed.
    keep
        Which records are kept; all if None.
    """
    records = read_json_lines(workspace.path("records"), Record)
    pairs = dict.fromkeys((cell.generator, cell.tier) for cell in cells)
    plans = {pair: _by_record(read_json_lines(workspace.path("plans", *pair), Plan)) for pair in pairs}
    return Material(
        config=workspace.settings,
        records=[record for record in records if keep is None or keep(record)],
        rewrites=load_rewrites(workspace),
        plans=plans,
        prompts=PromptSet(Path(workspace.settings.prompts.folder)),
    )


def _by_record(plans: Sequence[Plan]) -> Mapping[str, Plan]:
    return {plan.record_id: plan for plan in plans}
