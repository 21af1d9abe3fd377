"""The stages of a synthesis: what each asks, and what its answer must hold (A2)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from plumbline.config.corpus import SynthesisedSource
from plumbline.config.gates import Gates
from plumbline.corpora.aliases import ACCEPTED
from plumbline.corpora.checks import schema_problem
from plumbline.corpora.spellings import QueryText
from plumbline.corpora.synthesis.pseudocode import Call, as_expected, read_pseudocode
from plumbline.corpora.synthesis.signatures import (
    PARAMETER_TYPES,
    RETURN_TYPES,
    Signature,
    SignatureError,
    read_signature,
)
from plumbline.corpora.synthesis.traces import trace_problems
from plumbline.corpora.synthesis.works import Work
from plumbline.corpora.topology import topology_of
from plumbline.corpora.values import leaves

Problems = list[tuple[str, str]]
Earlier = Mapping[str, Any]
"""Values of the stages before, by stage."""

SHAPES = {
    "linear": "one chain: each call after the first uses a value that the call just before it returned, and "
    "no other earlier return.",
    "fan_out": "one first call whose return is used by two or more later calls; these do not use each "
    "other's returns, and none of them joins two returns. With exactly two later branches, either both are "
    "single calls or both go on.",
    "fan_in": "two or more first calls that use no return; one later call uses the returns of all of them. "
    "No return is used by more than one call.",
    "diamond": "one first call; two calls that each use its return; a last call that uses both of their "
    "returns.",
    "optional_enrichment": "a chain of two or more calls, and beside it one call that uses no return and "
    "whose return nothing uses (an extra that only adds information).",
    "loop_like": "one chain in which the same tool is called at least twice, each time with a value that an "
    "earlier call of the chain returned.",
}
"""How each topology is described to the model; that it came out is told from the edges (C-A40)."""


@dataclass(frozen=True)
class Context:
    """What a check may look at besides the answer."""

    work: Work
    source: SynthesisedSource
    gates: Gates
    earlier: Earlier

    def signatures(self) -> dict[str, Signature]:
        """Give the inventory of the stage `tools`, by name."""
        found = [read_signature(entry["signature"]) for entry in self.earlier["tools"]["functions"]]
        return {signature.name: signature for signature in found}

    def calls(self) -> list[Call]:
        """Give the calls of the stage `pseudocode`."""
        return read_pseudocode(self.earlier["pseudocode"]["code"], self.signatures())[0]


@dataclass(frozen=True)
class Stage:
    """One stage: its name, the JSON Schema of its answer, its check."""

    name: str
    schema: Mapping[str, Any]
    check: Callable[[Any, Context], Problems]


def _object(**properties: Any) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


TEXT = {"type": "string"}
ANY_OBJECT = {"type": "object"}


def _check_scenario(value: Any, context: Context) -> Problems:
    problems = _texts(value, ("title", "situation", "goal"))
    goals = value.get("sub_goals")
    if not isinstance(goals, list) or not all(isinstance(goal, str) and goal.strip() for goal in goals):
        return [*problems, ("wrong_shape", "`sub_goals` must be a list of sentences")]
    if not context.source.fewest_calls <= len(goals) <= context.source.most_calls:
        problems.append(
            (
                "call_count",
                f"there are {len(goals)} sub-goals; {context.source.fewest_calls} to "
                f"{context.source.most_calls} are wanted",
            )
        )
    return problems


def _check_tools(value: Any, context: Context) -> Problems:
    functions = value.get("functions")
    if not isinstance(functions, list) or not all(isinstance(entry, dict) for entry in functions):
        return [("wrong_shape", "`functions` must be a list of objects with `signature` and `description`")]
    problems: Problems = []
    names: list[str] = []
    for entry in functions:
        try:
            signature = read_signature(entry.get("signature"))
        except SignatureError as error:
            problems.append(("signature", f"{error}"))
            continue
        if not ACCEPTED.fullmatch(signature.name):
            problems.append(("tool_name", f"`{signature.name}` is no name of up to 64 letters, digits and _"))
        if signature.name in names:
            problems.append(("duplicate_tool", f"`{signature.name}` occurs twice; rename one"))
        if not isinstance(entry.get("description"), str) or not entry["description"].strip():
            problems.append(("wrong_shape", f"`{signature.name}` has no description"))
        names.append(signature.name)
    least, most = context.source.fewest_tools, context.source.most_tools
    if not least <= len(functions) <= most:
        problems.append(("tool_count", f"there are {len(functions)} functions; {least} to {most} are wanted"))
    return problems


def _check_pseudocode(value: Any, context: Context) -> Problems:
    tools = context.signatures()
    calls, problems = read_pseudocode(value.get("code"), tools)
    if problems:
        return problems
    least, most = context.source.fewest_calls, context.source.most_calls
    if not least <= len(calls) <= most:
        problems.append(("call_count", f"there are {len(calls)} calls; {least} to {most} are wanted"))
    if len({call.tool for call in calls}) >= len(tools):
        problems.append(("no_distractor", "every tool is called; some of the inventory must stay unused"))
    found = topology_of(as_expected(calls))
    if found != context.work.topology:
        wanted = context.work.topology
        edges = ", ".join(f"{source}->{call.id}" for call in calls for source in call.needs) or "none"
        problems.append(
            (
                "topology",
                f"the values handed on ({edges}) make the shape {found}, not {wanted}: {SHAPES[wanted]}",
            )
        )
    return problems


def _check_utterance(value: Any, context: Context) -> Problems:
    problems = _texts(value, ("utterance",))
    if problems:
        return problems
    text = QueryText(value["utterance"])
    for call in context.calls():
        for key, literal in call.literals.items():
            lacking = [leaf for leaf in leaves(literal) if not text.says(leaf)]
            if lacking:
                problems.append(
                    (
                        "insufficient_argument",
                        f"the utterance lacks {lacking[0]!r}, which `{call.tool}` needs as `{key}`; say it",
                    )
                )
    return problems


def _check_schemas(value: Any, context: Context) -> Problems:
    tools = value.get("tools")
    if not isinstance(tools, list) or not all(isinstance(entry, dict) for entry in tools):
        return [("wrong_shape", "`tools` must be a list of objects")]
    signatures = context.signatures()
    problems: Problems = []
    names = [entry.get("name") for entry in tools]
    for name in signatures:
        if names.count(name) != 1:
            problems.append(("unknown_tool", f"`{name}` occurs {names.count(name)} times; once is wanted"))
    for entry in tools:
        if entry.get("name") not in signatures:
            problems.append(("unknown_tool", f"`{entry.get('name')}` is no function of the inventory"))
        else:
            problems += _schema_problems(entry, signatures[entry["name"]])
    return problems


def _schema_problems(entry: dict[str, Any], signature: Signature) -> Problems:
    parameters, returns = entry.get("parameters"), entry.get("returns")
    if not isinstance(parameters, dict) or not isinstance(returns, dict):
        return [("wrong_shape", f"`{signature.name}` needs `parameters` and `returns`, both JSON Schema")]
    fault = schema_problem(parameters)
    if fault:
        return [("tool_schema", f"the parameters of `{signature.name}` are no JSON Schema: {fault}")]
    declared = parameters.get("properties", {})
    if set(declared) != set(signature.parameters):
        keys = ", ".join(signature.parameters) or "nothing"
        return [("undeclared_argument", f"the schema of `{signature.name}` must declare {keys}")]
    problems: Problems = []
    if set(parameters.get("required", ())) != set(signature.required):
        keys = ", ".join(signature.required) or "nothing"
        problems.append(("wrong_required", f"`required` of `{signature.name}` must be {keys}"))
    for key, (kind, _) in signature.parameters.items():
        wanted = PARAMETER_TYPES[kind]
        if not isinstance(declared[key], dict) or declared[key].get("type") != wanted:
            problems.append(
                (
                    "wrong_type",
                    f"`{key}` of `{signature.name}` must have the type {wanted}, as in its signature",
                )
            )
    if returns.get("type") != RETURN_TYPES[signature.returns]:
        wanted = RETURN_TYPES[signature.returns]
        problems.append(("wrong_type", f"`returns` of `{signature.name}` must have the type {wanted}"))
    return problems


def _check_trace(value: Any, context: Context) -> Problems:
    return trace_problems(value, context.work, context.calls(), context.earlier, context.gates)


def _texts(value: Any, keys: tuple[str, ...]) -> Problems:
    return [
        ("wrong_shape", f"`{key}` must be a text that is not blank")
        for key in keys
        if not isinstance(value.get(key), str) or not value[key].strip()
    ]


STAGES = (
    Stage(
        "scenario",
        _object(title=TEXT, situation=TEXT, goal=TEXT, sub_goals={"type": "array", "items": TEXT}),
        _check_scenario,
    ),
    Stage(
        "tools",
        _object(functions={"type": "array", "items": _object(signature=TEXT, description=TEXT)}),
        _check_tools,
    ),
    Stage("pseudocode", _object(code=TEXT), _check_pseudocode),
    Stage("utterance", _object(utterance=TEXT), _check_utterance),
    Stage(
        "schemas",
        _object(
            tools={
                "type": "array",
                "items": _object(name=TEXT, description=TEXT, parameters=ANY_OBJECT, returns=ANY_OBJECT),
            }
        ),
        _check_schemas,
    ),
    Stage(
        "trace",
        _object(steps={"type": "array", "items": ANY_OBJECT}),
        _check_trace,
    ),
)
"""In order; each builds on all before it."""

NAMES = tuple(stage.name for stage in STAGES)


def stage_named(name: str) -> Stage:
    """Give a stage by its name."""
    return next(stage for stage in STAGES if stage.name == name)


def before(name: str) -> tuple[str, ...]:
    """Name the stages before one, in order."""
    return NAMES[: NAMES.index(name)]
