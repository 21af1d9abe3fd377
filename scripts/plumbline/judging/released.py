"""A run made of the authors' released files: its plans and verdicts, and whether their numbers are ours."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from plumbline.config.cells import Cell, asking, cells_of
from plumbline.config.released import Released
from plumbline.config.settings import RunConfig
from plumbline.judging.reading import read_verdict
from plumbline.judging.released_check import ReleasedCheck
from plumbline.judging.released_files import Account, Names, Placed, placed_rows, released_files
from plumbline.plans.parsing import read_plan
from plumbline.records import Plan, Record, ToolCall, Verdict
from plumbline.records.model import Tier

_FAILED = "the released files hold no verdict of this plan: an item that failed"
_SUFFIX = {"with_gt": "", "without_gt": "_no_gt", "corrupted": ""}


@dataclass
class ReleasedData:
    """The released files, read once: plans, and which files hold the verdicts of each judge.

    Attributes
    ----------
    plans
        By (generator, tier), in the order of the records; one for every record.
    judge_files
        Files with rows of each judge.
    notes
        Anything that a user should know, one line each.
    """

    config: RunConfig
    released: Released
    records: Sequence[Record]
    plans: dict[tuple[str, Tier], dict[str, Plan]] = field(default_factory=dict)
    judge_files: dict[str, list[Path]] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)

    @property
    def folder(self) -> Path:
        """The folder of the released files."""
        return Path(self.released.folder)

    def placed(self, path: Path, account: Account) -> Iterator[Placed]:
        """Give the plans and judged plans of a file."""
        aliases = self.released.aliases
        generators = Names(list(self.config.generators), aliases)
        judges = Names(list(self.config.judges), aliases)
        return placed_rows(path, self.folder, generators, judges, account)


def read_plans(config: RunConfig, released: Released, records: Sequence[Record]) -> ReleasedData:
    """Read the plans of all generators and tiers, and find the verdicts.

    Parameters
    ----------
    config, released
        The run, and its section `released`.
    records
        The records of the run.

    Returns
    -------
    ReleasedData
        A plan comes from the generators' own files, else from the rows of a judge. A record without any has
        the status `gave_up`: rows that failed were taken out before the release.

    Raises
    ------
    UserError, DataError
        If the folder holds no file, or a line is no JSON object.
    """
    data = ReleasedData(config, released, records)
    account = Account()
    known = {record.id: record for record in records}
    own: dict[tuple[str, Tier], dict[str, Plan]] = defaultdict(dict)
    judged: dict[tuple[str, Tier], dict[str, Plan]] = defaultdict(dict)
    foreign = 0
    for path in released_files(data.folder):
        judges = set()
        for placed in data.placed(path, account):
            foreign += placed.record_id not in known
            judges |= {placed.judge} - {None}
            plans = (own if placed.judge is None else judged)[placed.generator, placed.tier]
            if placed.record_id in known and placed.record_id not in plans:
                plans[placed.record_id] = _plan(placed, known[placed.record_id])
        for judge in sorted(name for name in judges if name is not None):
            data.judge_files.setdefault(judge, []).append(path)
    for generator in config.generators:
        for tier in config.tiers:
            found = {**judged[generator, tier], **own[generator, tier]}
            data.plans[generator, tier] = {
                record.id: found.get(record.id) or _no_plan(record.id, tier, generator) for record in records
            }
            if not found:
                data.notes.append(f"no plan of {generator}, {tier}, in {data.folder}")
    data.notes += account.lines()
    if foreign:
        data.notes.append(f"{foreign} rows belong to no record of this run and were left out")
    return data


def read_verdicts(
    data: ReleasedData, judge: str, check: ReleasedCheck
) -> Iterator[tuple[Cell, list[Verdict]]]:
    """Give the verdicts of all cells of one judge.

    Parameters
    ----------
    data
        As `read_plans` gave it.
    judge
        A judge of the run.
    check
        Every judged row is compared with our own numbers.

    Yields
    ------
    cell, verdicts
        One verdict for every record and replicate. Released verdicts are one replicate; further ones, plans
        that cannot be judged and cells that were not released are `not_asked`, and items that a released
        cell lacks have failed (`gave_up`).
    """
    blocks = [cell for block in data.config.blocks for cell in cells_of(data.config, block)]
    cells = [cell for cell in dict.fromkeys(blocks) if cell.judge == judge]
    found = _responses(data, judge, check)
    absent: list[str] = []
    for cell in cells:
        kind = data.released.conditions.get(cell.condition)
        responses = {} if kind is None else found.get((cell.generator, cell.tier, kind), {})
        verdicts = [
            _verdict(data, cell, record.id, replicate, responses)
            for record in data.records
            for replicate in range(data.config.conditions[cell.condition].replicates)
        ]
        if not responses:
            absent.append(f"{cell.generator}, {cell.tier}, {cell.condition}")
        yield cell, verdicts
    if absent:
        data.notes.append(
            f"no verdicts of {judge} for {len(absent)} of {len(cells)} cells, first {absent[0]}"
        )


def _responses(
    data: ReleasedData, judge: str, check: ReleasedCheck
) -> Mapping[tuple[str, str, str], dict[str, str | None]]:
    """Collect a judge's answers as text, by (generator, tier, released condition) and record id."""
    found: dict[tuple[str, str, str], dict[str, str | None]] = defaultdict(dict)
    known = {record.id: record for record in data.records}
    repeated = unreadable = 0
    for path in data.judge_files.get(judge, ()):
        for placed in data.placed(path, Account()):
            if placed.judge != judge or placed.record_id not in known:
                continue
            plan = data.plans.get((placed.generator, placed.tier), {}).get(placed.record_id)
            unreadable += plan is not None and plan.calls is None
            kinds = ("corrupted",) if placed.is_corrupted else ("with_gt", "without_gt")
            for kind in kinds:
                answers = found[placed.generator, placed.tier, kind]
                repeated += placed.record_id in answers and kind == kinds[0]
                answers.setdefault(placed.record_id, _text(placed.row.get(f"judge_response{_SUFFIX[kind]}")))
            if plan is not None and plan.calls is not None:
                check.compare(placed, plan.calls, known[placed.record_id])
    if repeated:
        data.notes.append(f"{judge}: {repeated} plans are judged by several rows; the first one counts")
    if unreadable:
        data.notes.append(f"{judge}: {unreadable} verdicts on plans that cannot be read were left out")
    return found


def _verdict(
    data: ReleasedData, cell: Cell, record_id: str, replicate: int, responses: Mapping[str, str | None]
) -> Verdict:
    plan = data.plans[cell.generator, cell.tier][record_id]
    found: dict[str, Any]
    if plan.calls is None:
        found = {"status": "not_asked", "detail": f"the plan's status is {plan.status}"}
    elif not plan.calls and data.config.plans.zero_calls == "exclude":
        found = {"status": "not_asked", "detail": "the plan holds no call (plans.zero_calls: exclude)"}
    elif not responses:
        found = {"status": "not_asked", "detail": "no verdicts of this cell were released"}
    elif replicate:
        found = {"status": "not_asked", "detail": "the released verdicts are one replicate"}
    elif responses.get(record_id) is None:
        found = {"status": "gave_up", "detail": _FAILED}
    else:
        found = _read(data.config, cell, responses[record_id])
    return Verdict.model_validate(
        {
            "record_id": record_id,
            "tier": cell.tier,
            "generator": cell.generator,
            "judge": cell.judge,
            "condition": cell.condition,
            "replicate": replicate,
            **found,
        }
    )


def _read(config: RunConfig, cell: Cell, text: str | None) -> dict[str, Any]:
    by_metric = asking(config, cell.judge, cell.condition).output == "prometheus"
    reading = read_verdict(
        text,
        scale="unit" if by_metric else config.conditions[cell.condition].scale,
        missing_metric=config.verdicts.missing_metric,
        off_scale=config.verdicts.off_scale,
    )
    # a missing metric that the run lets pass stays null: its match is 0, whatever the reference (C-A7)
    scores = {m: score for m, score in (reading.scores or {}).items() if m not in reading.missing}
    return {
        "status": reading.status,
        "detail": reading.detail,
        "justifications": reading.justifications,
        "overall_assessment": reading.overall_assessment,
        "text": text,
        **scores,
    }


def _text(response: Any) -> str | None:
    """Give a released answer as text; a blank one counts as none."""
    if response is None or isinstance(response, str):
        return response or None
    return json.dumps(response, ensure_ascii=False)


def _plan(placed: Placed, record: Record) -> Plan:
    generated = placed.row.get("generated_tool_calls")
    text = generated if isinstance(generated, str) else json.dumps(generated, ensure_ascii=False)
    reading = read_plan("" if generated is None else text)
    calls = None if reading.calls is None else tuple(_renamed(call, record) for call in reading.calls)
    return Plan.model_validate(
        {
            "record_id": record.id,
            "tier": placed.tier,
            "generator": placed.generator,
            "status": reading.status,
            "calls": calls,
            "text": text,
            "detail": reading.detail,
        }
    )


def _renamed(call: ToolCall, record: Record) -> ToolCall:
    """Call a tool by the name that the record offers it under."""
    names = {tool.original_name: tool.name for tool in record.tools if tool.original_name is not None}
    return call.model_copy(update={"name": names[call.name]}) if call.name in names else call


def _no_plan(record_id: str, tier: Tier, generator: str) -> Plan:
    return Plan(
        record_id=record_id,
        tier=tier,
        generator=generator,
        status="gave_up",
        detail="the released files hold no plan of this record",
    )
