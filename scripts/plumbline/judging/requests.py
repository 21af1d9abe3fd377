"""What a judge is asked: one request for each plan, condition and replicate (A14, A15)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

from plumbline.config.cells import Cell, asking, resolved_decoding
from plumbline.config.references import ReferenceFile, reference_file
from plumbline.config.settings import Condition, RunConfig
from plumbline.corpora.tier_queries import tier_query
from plumbline.judging.blocks import expected_block, judged_blocks
from plumbline.judging.prometheus import metric_messages
from plumbline.judging.prometheus_template import Template
from plumbline.judging.simulation import Scores, agreement_for, resampled, target_of
from plumbline.models.prompts import PromptSet
from plumbline.models.requests import Request
from plumbline.plans.scoring import score_plan
from plumbline.records import METRICS, Plan, Record, Rewrite
from plumbline.records.model import Tier

Plans = Mapping[tuple[str, Tier], Mapping[str, Plan]]
"""Plans by (generator, tier) and record id."""


@dataclass(frozen=True, slots=True)
class Question:
    """One plan before one judge under one condition.

    Attributes
    ----------
    requests
        What is asked: one request, with Prometheus-2 one for each metric in their order; none where there is
        nothing to ask, and then `reason` says why.
    """

    cell: Cell
    record_id: str
    replicate: int
    requests: tuple[Request, ...] = ()
    reason: str | None = None


@dataclass(frozen=True, slots=True)
class Shown:
    """A made reference as the judge sees it, a JSON value; or the reason why there is none."""

    value: Any = None
    reason: str | None = None


@dataclass(frozen=True, eq=False)
class Material:
    """What the questions of a run are made of; `template` is there if Prometheus-2 is asked."""

    config: RunConfig
    records: Sequence[Record]
    rewrites: Mapping[str, Rewrite]
    plans: Plans
    prompts: PromptSet
    references: Mapping[ReferenceFile, Mapping[str, Shown]] = field(default_factory=dict)
    template: Template | None = None


def questions(material: Material, cells: Sequence[Cell]) -> Iterator[Question]:
    """Give the questions of cells of one judge, in the order that serves a prefix cache best.

    Conditions come first, then records, then the cells' tiers and generators: what recurs in neighbouring
    prompts (rubric, tools, query, expected calls) stands at their beginning.

    Yields
    ------
    Question
        One for every plan of a cell and every replicate, those that cannot be asked included.
    """
    for condition in dict.fromkeys(cell.condition for cell in cells):
        of_condition = [cell for cell in cells if cell.condition == condition]
        for record in material.records:
            for cell in of_condition:
                for replicate in range(material.config.conditions[condition].replicates):
                    yield question(material, cell, record, replicate)


def count(material: Material, cells: Sequence[Cell]) -> int:
    """Count the requests of `cells` that will be asked, without writing a prompt."""
    return sum(
        material.config.conditions[cell.condition].replicates
        * (len(METRICS) if asks_by_metric(material.config, cell.judge, cell.condition) else 1)
        for cell in cells
        for record in material.records
        if _reason(material, cell, record) is None
    )


def question(material: Material, cell: Cell, record: Record, replicate: int) -> Question:
    """Ask about one record's plan: the requests, or the reason why there is none."""
    reason = _reason(material, cell, record)
    requests = _requests(material, cell, record, replicate) if reason is None else ()
    return Question(cell, record.id, replicate, requests, reason)


def asks_by_metric(config: RunConfig, judge: str, condition: str) -> bool:
    """Whether a judge is asked for one metric at a time, as Prometheus-2 is (A17)."""
    simulated = config.models[config.judges[judge].model].engine == "simulated"
    return asking(config, judge, condition).output == "prometheus" and not simulated


def _reason(material: Material, cell: Cell, record: Record) -> str | None:
    """Say why a plan is not judged; None if it is."""
    plan = material.plans[cell.generator, cell.tier].get(record.id)
    if plan is None:
        return "the generator's file holds no plan of this record"
    if plan.calls is None:
        return f"the plan's status is {plan.status}"
    if not plan.calls and material.config.plans.zero_calls == "exclude":
        return "the plan holds no call (plans.zero_calls: exclude)"
    file = reference_file(material.config, cell)
    return None if file is None else _made(material, file, record).reason


def _made(material: Material, file: ReferenceFile, record: Record) -> Shown:
    known = material.references.get(file, {}).get(record.id)
    return known or Shown(reason=f"reference {file.name} has no line for this record")


def _shown(material: Material, cell: Cell, record: Record) -> Any:
    """Give the JSON value that the judge sees as the reference; None if it sees none."""
    file = reference_file(material.config, cell)
    if file is not None:
        return _made(material, file, record).value
    shows = material.config.conditions[cell.condition].reference == "expected"
    return expected_block(record, material.config.prompts) if shows else None


def _requests(material: Material, cell: Cell, record: Record, replicate: int) -> tuple[Request, ...]:
    config = material.config
    condition = config.conditions[cell.condition]
    asked = asking(config, cell.judge, cell.condition)
    calls = material.plans[cell.generator, cell.tier][record.id].calls or ()
    item = f"{record.id}|{cell.tier}|{cell.generator}|{cell.condition}"
    decoding = resolved_decoding(config, cell.judge, cell.condition)
    model = config.models[config.judges[cell.judge].model]
    if model.engine == "simulated":
        simulation = _simulation(material, cell, record.id)
        return (Request(item, (), decoding, replicate=replicate, simulation=simulation),)
    query, _ = tier_query(record, material.rewrites.get(record.id), cell.tier)
    reference = _shown(material, cell, record)
    if asks_by_metric(config, cell.judge, cell.condition):
        assert material.template is not None
        metrics = metric_messages(
            material.template, material.prompts, asked.prompt, record, query, calls, reference
        )
        return tuple(
            Request(f"{item}.{metric}", messages, decoding, replicate=replicate)
            for metric, messages in metrics.items()
        )
    blocks = judged_blocks(record, query, calls, reference=reference, settings=config.prompts)
    messages = material.prompts.messages(asked.prompt, blocks=blocks)
    schema = answer_schema(condition) if asked.output == "structured" else None
    return (Request(item, messages, decoding, schema=schema, replicate=replicate),)


def condition_of(request: Request) -> str:
    """Give the condition under which a judge is asked."""
    return request.item.rsplit("|", 1)[1].partition(".")[0]


def _simulation(material: Material, cell: Cell, record_id: str) -> dict[str, Any]:
    scores, agreement = _simulated_cell(material, cell)
    known = {} if agreement is None else {"agreement": agreement}
    return {
        "kind": "verdict",
        "judge": cell.judge,
        "condition": cell.condition,
        "scores": scores[record_id],
        **known,
    }


@lru_cache(maxsize=8)
def _simulated_cell(material: Material, cell: Cell) -> tuple[Mapping[str, Scores], float | None]:
    """Scores of a cell's judged plans, and the agreement that its target needs, if it has one."""
    config = material.config
    plans = material.plans[cell.generator, cell.tier]
    scores = {
        record.id: score_plan(
            plans[record.id].calls or (), record.expected_calls, config.scoring, record.tools
        )
        for record in material.records
        if _reason(material, cell, record) is None
    }
    simulation = config.models[config.judges[cell.judge].model].simulation
    target = target_of(cell, simulation)
    if target is None:
        return scores, None
    drawn = resampled(list(scores.values()), simulation.seed, cell)
    return scores, agreement_for(target, drawn, cell)


def answer_schema(condition: Condition) -> dict[str, Any]:
    """Give the JSON Schema that constrains a verdict to the scale of its condition."""
    marks: dict[str, Any] = {"enum": [0, 0.5, 1]}
    accuracy = marks if condition.scale == "rubric" else {"type": "number", "minimum": 0, "maximum": 1}
    # bounded, so that a weak model cannot fill its budget inside one string
    sentence = {"type": "string", "maxLength": 80}
    metric = {
        "type": "object",
        "properties": {"accuracy": accuracy, "justification": sentence},
        "required": ["accuracy", "justification"],
        "additionalProperties": False,
    }
    names = [f"{name}_accuracy" for name in METRICS]
    return {
        "type": "object",
        "properties": {**dict.fromkeys(names, metric), "overall_assessment": sentence},
        "required": [*names, "overall_assessment"],
        "additionalProperties": False,
    }
