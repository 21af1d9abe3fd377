"""Loading what the questions to a judge are made of."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from plumbline.config import paths
from plumbline.config.cells import Cell
from plumbline.config.references import ReferenceFile, reference_files
from plumbline.config.resolved import Workspace
from plumbline.config.settings import Prompts
from plumbline.corpora.rewriting import load_rewrites
from plumbline.judging.blocks import expected_block
from plumbline.judging.prometheus_template import Template, read_template
from plumbline.judging.requests import Material, Shown, asks_by_metric
from plumbline.models.prompts import PromptSet
from plumbline.records import Plan, Record, Reference, read_json_lines


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
    settings = workspace.settings
    records = read_json_lines(workspace.path("records"), Record)
    pairs = dict.fromkeys((cell.generator, cell.tier) for cell in cells)
    plans = {pair: _by_record(read_json_lines(workspace.path("plans", *pair), Plan)) for pair in pairs}
    by_id = {record.id: record for record in records}
    return Material(
        config=settings,
        records=[record for record in records if keep is None or keep(record)],
        rewrites=load_rewrites(workspace),
        plans=plans,
        prompts=PromptSet(Path(settings.prompts.folder)),
        references={file: _references(workspace, file, by_id) for file in reference_files(settings, cells)},
        template=_template(workspace, cells),
    )


def _references(
    workspace: Workspace, file: ReferenceFile, records: Mapping[str, Record]
) -> Mapping[str, Shown]:
    path = workspace.path("references", file.name, file.model, file.tier)
    found = read_json_lines(path, Reference)
    return {item.record_id: _shown(item, records, workspace.settings.prompts) for item in found}


def _shown(reference: Reference, records: Mapping[str, Record], settings: Prompts) -> Shown:
    """Give a made reference as a judge sees it; the calls of another record look like the record's own."""
    if reference.status != "ok":
        return Shown(reason=f"the reference's status is {reference.status} ({reference.detail})")
    if reference.other_record is not None:
        other = records.get(reference.other_record)
        known = Shown(reason=f"the record {reference.other_record} that lends its calls is not in this run")
        return known if other is None else Shown(expected_block(other, settings))
    return Shown([call.model_dump() for call in reference.calls or ()])


def _template(workspace: Workspace, cells: Sequence[Cell]) -> Template | None:
    if not any(asks_by_metric(workspace.settings, cell.judge, cell.condition) for cell in cells):
        return None
    own = workspace.settings.prometheus.template
    return read_template(own or paths.prometheus_template(workspace.root))


def _by_record(plans: Sequence[Plan]) -> Mapping[str, Plan]:
    return {plan.record_id: plan for plan in plans}
