"""Writing a run in the released layout, which the importer and Hugging Face `datasets` both read."""

from __future__ import annotations

import shutil
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

import pandas as pd

from plumbline.config.cells import Cell, cells_of
from plumbline.config.released import ReleasedCondition
from plumbline.config.resolved import Workspace
from plumbline.config.settings import ShuffledReference
from plumbline.corpora.released_rows import OWN_FOLDER
from plumbline.corpora.rewriting import load_rewrites
from plumbline.corpora.tier_queries import tier_query
from plumbline.records import (
    METRICS,
    Plan,
    Record,
    Reference,
    Rewrite,
    UserError,
    Verdict,
    read_json_lines,
    write_json_lines,
    write_text,
)
from plumbline.records.model import Tier
from plumbline.release.card import Part, data_card
from plumbline.release.rebuild import rebuild_file
from plumbline.release.rows import (
    Row,
    corrupted_row,
    generated_row,
    judged_row,
    plan_row,
    record_row,
    tier_row,
)

NO_MODEL = "none"


@dataclass
class Export:
    """One run on its way into a folder.

    Attributes
    ----------
    workspace
        The run, finished: its plans, scores and verdicts are there.
    folder
        Where it goes.
    parts
        What was written so far, for the data card.
    """

    workspace: Workspace
    folder: Path
    parts: list[Part] = field(default_factory=list)

    @cached_property
    def records(self) -> dict[str, Record]:
        """Records of the run by id."""
        found = read_json_lines(self.workspace.path("records"), Record)
        return {record.id: record for record in found}

    @cached_property
    def rewrites(self) -> Mapping[str, Rewrite]:
        """The rewriter's queries by record id."""
        return load_rewrites(self.workspace)

    @cached_property
    def cells(self) -> list[Cell]:
        """Every plan cell of the run, once."""
        config = self.workspace.settings
        return list(dict.fromkeys(cell for block in config.blocks for cell in cells_of(config, block)))

    def condition_that_shows(self, reference: str) -> str | None:
        """Name the condition that shows the expected calls, or none, as the release has it."""
        conditions = self.workspace.settings.conditions
        usual = {"expected": "with_gt", "none": "without_gt"}[reference]
        fitting = [name for name, chosen in conditions.items() if chosen.reference == reference]
        return usual if usual in fitting else next(iter(fitting), None)


def export_run(workspace: Workspace, folder: Path, manifest: str) -> list[Part]:
    """Write a run in the released layout (A57).

    Parameters
    ----------
    workspace
        A finished run.
    folder
        A folder that does not exist yet, or is empty.
    manifest
        Text of the run's manifest.

    Returns
    -------
    list of Part
        What was written, all of it JSON Lines: records, tier inputs, plans, one file of judged plans a judge
        (and one of those that saw another record's calls), and every verdict of each condition and replicate.
        Beside these: prompts, tables, figures, the manifest, the data card, and, where a block has verdicts
        that the layout holds, `rebuild.yaml`, a configuration that makes the tables again from these files.

    Raises
    ------
    UserError
        If the folder holds something, or a file of the run is missing.
    """
    if folder.exists() and any(folder.iterdir()):
        raise UserError(f"{folder} is not empty; name a new folder, so that nothing in it is overwritten.")
    _refuse_unfinished(workspace)
    export = Export(workspace, folder)
    _write_records(export)
    _write_plans(export)
    _write_judged(export)
    _write_verdicts(export)
    _copy_files(export)
    write_text(manifest, folder / "manifest.json")
    rebuild = rebuild_file(workspace.settings, _kinds(export), folder.resolve().name)
    if rebuild is not None:
        write_text(rebuild, folder / "rebuild.yaml")
    card = data_card(workspace, export.records.values(), export.parts, rebuilds=rebuild is not None)
    write_text(card, folder / "README.md")
    return export.parts


def _refuse_unfinished(workspace: Workspace) -> None:
    config = workspace.settings
    needed = [workspace.path("records")]
    needed += [
        workspace.path(kind, g, t)
        for kind in ("plans", "scores")
        for g in config.generators
        for t in config.tiers
    ]
    cells = dict.fromkeys(cell for block in config.blocks for cell in cells_of(config, block))
    needed += [workspace.path("verdicts", c.judge, c.generator, c.tier, c.condition) for c in cells]
    missing = [path for path in needed if not path.exists()]
    if missing:
        raise UserError(
            f"run {workspace.run} is not finished: {len(missing)} files are missing, first {missing[0]}. "
            "Run it to its end with snakemake, then export it."
        )


def _write_records(export: Export) -> None:
    rewrites, config = export.rewrites, export.workspace.settings
    rows = [record_row(record, rewrites.get(name)) for name, record in export.records.items()]
    _write(export, "records", "records/records.jsonl", rows, "train", "records with their three queries")
    for tier in config.tiers:
        rows = [tier_row(record, rewrites.get(name), tier) for name, record in export.records.items()]
        _write(
            export, "tier_inputs", f"tier_inputs/{tier}.jsonl", rows, tier, "what generators are asked with"
        )


def _plan_rows(export: Export, generator: str, tier: Tier) -> dict[str, Row]:
    rewrites = export.rewrites
    plans = {p.record_id: p for p in read_json_lines(export.workspace.path("plans", generator, tier), Plan)}
    return {
        name: plan_row(record, plans.get(name), tier, tier_query(record, rewrites.get(name), tier)[0])
        for name, record in export.records.items()
    }


def _write_plans(export: Export) -> None:
    for generator in export.workspace.settings.generators:
        for tier in export.workspace.settings.tiers:
            plans = _plan_rows(export, generator, tier)
            rows = [generated_row(plan, export.records[name]) for name, plan in plans.items()]
            name = f"generated_{generator}"
            _write(export, name, f"generated/{generator}/{tier}.jsonl", rows, tier, f"plans of {generator}")


def _write_judged(export: Export) -> None:
    """Write one file a judge with both conditions, and one with the verdicts on another record's calls."""
    with_gt, without_gt = (export.condition_that_shows(name) for name in ("expected", "none"))
    for judge in export.workspace.settings.judges:
        rows = list(_judged_rows(export, judge, with_gt, without_gt))
        if rows:
            file = f"judged/judge_{judge}.jsonl"
            _write(export, f"judged_{judge}", file, rows, "train", f"plans as {judge} judges them")
        for condition, reference in _shuffled(export).items():
            rows = list(_corrupted_rows(export, judge, condition, reference))
            if rows:
                file = f"corrupted/{condition}/judge_{judge}.jsonl"
                about = f"plans as {judge} judges them by another record's calls ({condition})"
                _write(export, f"{condition}_{judge}", file, rows, "train", about)


def _judged_rows(export: Export, judge: str, with_gt: str | None, without_gt: str | None) -> Iterator[Row]:
    wanted = {with_gt, without_gt} - {None}
    pairs = dict.fromkeys(
        (cell.generator, cell.tier)
        for cell in export.cells
        if cell.judge == judge and cell.condition in wanted
    )
    for generator, tier in pairs:
        scores = _scores(export, generator, tier)
        sides = [_verdicts(export, judge, generator, tier, name) for name in (with_gt, without_gt)]
        for name, about in _plan_rows(export, generator, tier).items():
            yield judged_row(about, scores.get(name), sides[0].get(name), sides[1].get(name))


def _corrupted_rows(export: Export, judge: str, condition: str, reference: str) -> Iterator[Row]:
    for cell in export.cells:
        if (cell.judge, cell.condition) != (judge, condition):
            continue
        scores = _scores(export, cell.generator, cell.tier)
        verdicts = _verdicts(export, judge, cell.generator, cell.tier, condition)
        path = export.workspace.path("references", reference, NO_MODEL, cell.tier)
        shown = {item.record_id: item for item in read_json_lines(path, Reference)}
        for name, about in _plan_rows(export, cell.generator, cell.tier).items():
            judged = judged_row(about, scores.get(name), verdicts.get(name), None)
            yield corrupted_row(judged, export.records[name], shown.get(name), export.records)


def _kinds(export: Export) -> dict[str, ReleasedCondition]:
    """Give the conditions whose verdicts `judged` and `corrupted` hold, with their names in the release."""
    sides: dict[str | None, ReleasedCondition] = {
        export.condition_that_shows("expected"): "with_gt",
        export.condition_that_shows("none"): "without_gt",
        # the layout has one kind of wrong reference
        next(iter(_shuffled(export)), None): "corrupted",
    }
    asked = {cell.condition for cell in export.cells}
    return {name: kind for name, kind in sides.items() if name is not None and name in asked}


def _shuffled(export: Export) -> dict[str, str]:
    """Give the conditions that show another record's calls, with their reference."""
    config = export.workspace.settings
    return {
        name: chosen.reference
        for name, chosen in config.conditions.items()
        if isinstance(config.references.get(chosen.reference), ShuffledReference)
    }


def _write_verdicts(export: Export) -> None:
    """Write every verdict as it was read, failures and replicates included."""
    for condition in dict.fromkeys(cell.condition for cell in export.cells):
        rows = [
            _flat(verdict)
            for cell in export.cells
            if cell.condition == condition
            for verdict in read_json_lines(
                export.workspace.path("verdicts", cell.judge, cell.generator, cell.tier, condition), Verdict
            )
        ]
        about = f"every verdict under {condition}, with status, text and tokens"
        # JSON Lines like the rest: `datasets` loads a folder with one reader
        _write(export, f"verdicts_{condition}", f"{OWN_FOLDER}/{condition}.jsonl", rows, "train", about)


def _flat(verdict: Verdict) -> Row:
    row = verdict.model_dump(exclude={"usage", "justifications"})
    said = verdict.justifications or {}
    row |= {f"{metric}_justification": said.get(metric) for metric in METRICS}
    usage = verdict.usage
    row |= {
        "prompt_tokens": usage.prompt_tokens if usage else None,
        "completion_tokens": usage.completion_tokens if usage else None,
    }
    return row


def _scores(export: Export, generator: str, tier: Tier) -> dict[str, Mapping[str, float]]:
    frame = pd.read_parquet(export.workspace.path("scores", generator, tier))
    return {str(row["record_id"]): {m: float(row[m]) for m in METRICS} for row in frame.to_dict("records")}


def _verdicts(
    export: Export, judge: str, generator: str, tier: Tier, condition: str | None
) -> dict[str, Verdict]:
    """Give the first replicate of a cell's verdicts by record; nothing if the run has no such cell."""
    if condition is None or Cell(judge, generator, tier, condition) not in export.cells:
        return {}
    path = export.workspace.path("verdicts", judge, generator, tier, condition)
    return {v.record_id: v for v in read_json_lines(path, Verdict) if v.replicate == 0}


def _copy_files(export: Export) -> None:
    """Copy prompts, tables and figures."""
    prompts = Path(export.workspace.settings.prompts.folder)
    results = export.workspace.path("records").parent
    for source, target, endings in (
        (prompts, "prompts", (".md", ".yaml")),
        (results / "tables", "tables", (".csv", ".html")),
        (results / "figures", "figures", (".svg",)),
    ):
        for file in sorted(path for path in source.rglob("*") if path.suffix in endings):
            place = export.folder / target / file.relative_to(source)
            place.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(file, place)


def _write(export: Export, config: str, name: str, rows: list[Row], split: str, about: str) -> None:
    write_json_lines(rows, export.folder / name)
    export.parts.append(Part(config, split, name, len(rows), about))
