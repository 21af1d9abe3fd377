"""What a judge is asked: one request for each plan, condition and replicate (A14, A15)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from plumbline.config.cells import Cell, resolved_decoding
from plumbline.config.settings import Condition, RunConfig
from plumbline.corpora.rewrites import tier_query
from plumbline.judging.blocks import expected_block, judged_blocks
from plumbline.models.prompts import PromptSet
from plumbline.models.requests import Request
from plumbline.plans.scoring import score_plan
from plumbline.records import METRICS, Plan, Record, Rewrite
from plumbline.records.model import Tier

Plans = Mapping[tuple[str, Tier], Mapping[str, Plan]]
"""Plans by (generator, tier) and record id."""


@dataclass(frozen=True, slots=True)
class Question:
    """One plan before one judge under one condition; without a `request` where there is nothing to ask."""

    cell: Cell
    record_id: str
    replicate: int
    request: Request | None
    reason: str | None = None


@dataclass(frozen=True)
class Material:
    """What the questions of a run are made of."""

    config: RunConfig
    records: Sequence[Record]
    rewrites: Mapping[str, Rewrite]
    plans: Plans
    prompts: PromptSet


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
    """Count the questions of `cells` that will be asked, without writing a prompt."""
    return sum(
        material.config.conditions[cell.condition].replicates
        for cell in cells
        for record in material.records
        if _reason(material, cell, record) is None
    )


def question(material: Material, cell: Cell, record: Record, replicate: int) -> Question:
    """Ask about one record's plan: the request, or the reason why there is none."""
    reason = _reason(material, cell, record)
    request = _request(material, cell, record, replicate) if reason is None else None
    return Question(cell, record.id, replicate, request, reason)


def _reason(material: Material, cell: Cell, record: Record) -> str | None:
    """Say why a plan is not judged; None if it is."""
    plan = material.plans[cell.generator, cell.tier].get(record.id)
    if plan is None:
        return "the generator's file holds no plan of this record"
    if plan.calls is None:
        return f"the plan's status is {plan.status}"
    if not plan.calls and material.config.plans.zero_calls == "exclude":
        return "the plan holds no call (plans.zero_calls: exclude)"
    return None


def _request(material: Material, cell: Cell, record: Record, replicate: int) -> Request:
    config = material.config
    condition = config.conditions[cell.condition]
    calls = material.plans[cell.generator, cell.tier][record.id].calls or ()
    item = f"{record.id}|{cell.tier}|{cell.generator}|{cell.condition}"
    decoding = resolved_decoding(config, cell.judge, cell.condition)
    model = config.models[config.judges[cell.judge].model]
    if model.engine == "simulated":
        scores = score_plan(calls, record.expected_calls, config.scoring, record.tools)
        simulation = {"kind": "verdict", "condition": cell.condition, "scores": scores}
        return Request(item, (), decoding, replicate=replicate, simulation=simulation)
    query, _ = tier_query(record, material.rewrites.get(record.id), cell.tier)
    reference = expected_block(record, config.prompts) if condition.reference == "expected" else None
    blocks = judged_blocks(record, query, calls, reference=reference, settings=config.prompts)
    messages = material.prompts.messages(condition.prompt, blocks=blocks)
    return Request(item, messages, decoding, schema=answer_schema(condition), replicate=replicate)


def answer_schema(condition: Condition) -> dict[str, Any] | None:
    """Give the JSON Schema that constrains a verdict, or None if the condition leaves the answer free."""
    if condition.output != "structured":
        return None
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
