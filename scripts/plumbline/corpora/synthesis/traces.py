"""The last stage: an executed trace, checked against the pseudocode, becomes a gated record."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from pydantic import ValidationError

from plumbline.config.gates import Gates
from plumbline.corpora.gates import put_through_gates
from plumbline.corpora.synthesis.pseudocode import Call
from plumbline.corpora.synthesis.works import Work
from plumbline.corpora.topology import topology_of
from plumbline.corpora.values import tokens_of
from plumbline.records import ExpectedCall, Queries, Record, Tool
from plumbline.records.files import explained

Problems = list[tuple[str, str]]


def trace_problems(
    value: Any, work: Work, calls: Sequence[Call], earlier: Mapping[str, Any], gates: Gates
) -> Problems:
    """Check an executed trace (A2, stage 6; A4, A5).

    Parameters
    ----------
    value
        The answer: `steps`, one a call of the pseudocode.
    work, calls, earlier
        The record that is written, its pseudocode, the values of all stages before.
    gates
        What the finished record must meet.

    Returns
    -------
    list of tuple
        (code, message): steps that are not the pseudocode's, values that no earlier step returned, and all
        that both gates find in the record.
    """
    steps = value.get("steps")
    if not isinstance(steps, list) or not all(isinstance(step, dict) for step in steps):
        return [("wrong_shape", "`steps` must be a list of objects")]
    if len(steps) != len(calls):
        return [("step_count", f"there are {len(steps)} steps; the pseudocode has {len(calls)} calls")]
    problems: Problems = []
    for step, call in zip(steps, calls, strict=True):
        problems += _step_problems(step, call, {c.id: s for c, s in zip(calls, steps, strict=True)})
    if problems:
        return problems
    try:
        record = record_of(work, calls, {**earlier, "trace": value}, source="synthesised")
    except ValidationError as error:
        return [("wrong_shape", explained(error))]
    found = [(p.code, p.message) for p in put_through_gates([record], gates).every_problem()]
    shape = topology_of(record.expected_calls)
    if shape != work.topology and not any(code == "topology_label" for code, _ in found):
        found.append(("topology", f"the edges make the shape {shape}, not {work.topology}"))
    return found


def record_of(work: Work, calls: Sequence[Call], values: Mapping[str, Any], source: str) -> Record:
    """Put a record together from the checked values of all stages.

    Raises
    ------
    ValidationError
        If a step has no proper arguments.
    """
    steps = values["trace"]["steps"]
    return Record.model_validate(
        {
            "id": work.work_id,
            "source": source,
            "domain": work.domain,
            "topology": work.topology,
            "queries": Queries(easy=values["utterance"]["utterance"].strip()),
            "tools": tuple(
                Tool(
                    name=tool["name"],
                    description=str(tool.get("description") or ""),
                    parameters=tool["parameters"],
                    returns=tool["returns"],
                )
                for tool in values["schemas"]["tools"]
            ),
            "expected_calls": tuple(
                ExpectedCall(
                    id=call.id,
                    name=call.tool,
                    arguments=step.get("arguments"),
                    needs=call.needs,
                    returns=step.get("returns"),
                    description=str(step.get("description") or "") or None,
                )
                for call, step in zip(calls, steps, strict=True)
            ),
        }
    )


def _step_problems(step: Mapping[str, Any], call: Call, steps: Mapping[str, Any]) -> Problems:
    arguments = step.get("arguments")
    if step.get("tool") != call.tool:
        return [("unknown_tool", f"step {call.id} must call `{call.tool}`, as the pseudocode does")]
    if not isinstance(arguments, dict):
        return [("wrong_shape", f"step {call.id} needs `arguments`, an object")]
    wanted = {*call.literals, *call.handed}
    if set(arguments) != wanted:
        keys = ", ".join([*call.literals, *call.handed]) or "nothing"
        return [("undeclared_argument", f"step {call.id} must pass {keys}, as the pseudocode does")]
    problems: Problems = [
        (
            "wrong_argument",
            f"step {call.id} passes `{key}` = {arguments[key]!r}; the pseudocode passes {literal!r}",
        )
        for key, literal in call.literals.items()
        if arguments[key] != literal
    ]
    for key, source in call.handed.items():
        returned = steps[source].get("returns")
        if arguments[key] != returned and not tokens_of(arguments[key]) <= tokens_of(returned):
            problems.append(
                (
                    "dangling_output",
                    f"step {call.id} passes `{key}` = {arguments[key]!r}, which {source} does not return; "
                    f"let {source} return it",
                )
            )
    if not isinstance(step.get("description"), str) or not step["description"].strip():
        problems.append(("wrong_shape", f"step {call.id} has no `description`"))
    return problems
