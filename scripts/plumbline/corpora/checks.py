"""Structural check of records: every problem, with a code and what would mend it (gate 1, A4)."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from typing import Any

import jsonschema
from referencing import Registry
from referencing.exceptions import Unresolvable

from plumbline.corpora.aliases import ACCEPTED
from plumbline.corpora.problems import Problem
from plumbline.corpora.topology import label_mismatch
from plumbline.corpora.values import Text, leaves, token_of, tokens_of
from plumbline.records import TIERS, ExpectedCall, Record, Tool


def check_records(records: Iterable[Record], *, loop_repeats: int = 2) -> list[Problem]:
    """Check the structure of records (A4).

    Parameters
    ----------
    records
        Read already, so ids of calls and `needs` are known to be sound.
    loop_repeats
        See `topology_of`.

    Returns
    -------
    list of Problem
        All of them, in the order of the records.
    """
    problems: list[Problem] = []
    seen: set[str] = set()
    for record in records:
        found = list(record_problems(record, loop_repeats))
        if record.id in seen:
            found.insert(0, ("duplicate_id", "another record has this id; give each its own."))
        seen.add(record.id)
        problems += [Problem(record.id, code, message) for code, message in found]
    return problems


def call_problems(call: ExpectedCall, tools: Mapping[str, Tool]) -> Iterator[tuple[str, str]]:
    """Give (code, message) of everything in which an expected call contradicts its tool's schema."""
    tool = tools.get(call.name)
    if tool is None:
        yield (
            "unknown_tool",
            f"expected call {call.id} names the tool `{call.name}`, which the record does not offer.",
        )
        return
    properties = tool.parameters.get("properties", {})
    for key in call.arguments:
        if key not in properties:
            yield (
                "undeclared_argument",
                f"expected call {call.id} passes `{key}`, which the tool `{call.name}` does not declare. "
                f"It declares {', '.join(properties) or 'nothing'}.",
            )
    for key in tool.parameters.get("required", ()):
        if key not in call.arguments and key not in call.optional:
            yield (
                "missing_argument",
                f"expected call {call.id} lacks `{key}`, which the tool `{call.name}` requires.",
            )
    schema = json.dumps(tool.parameters, sort_keys=True)
    for key, value in call.arguments.items():
        reason = _misfit(value, properties[key], schema) if key in properties else None
        if reason:
            yield (
                "wrong_argument",
                f"expected call {call.id} passes `{key}` = {_short(value)} to the tool `{call.name}`: "
                f"{reason}. Change the value or the tool's schema.",
            )
    for key in call.optional:
        if key not in properties:
            yield (
                "unknown_optional",
                f"expected call {call.id} lists `{key}` as optional, which `{call.name}` does not declare.",
            )


def check_provenance(records: Iterable[Record]) -> list[Problem]:
    """Check that every value has a source and every edge a value (for our own corpus; A5's grounding).

    A value of an argument must stand in every query that the record has, or be a leaf of the return of a call
    that is needed. A needed call must return a value that the call passes on. Booleans and nulls are not
    looked for.

    Returns
    -------
    list of Problem
        Codes `empty_edge` and `unsourced_value`.
    """
    problems: list[Problem] = []
    for record in records:
        texts = {tier: Text(query) for tier in TIERS if (query := getattr(record.queries, tier))}
        returned = {call.id: tokens_of(call.returns) for call in record.expected_calls}
        for call in record.expected_calls:
            found = _provenance_problems(call, texts, returned)
            problems += [Problem(record.id, code, message) for code, message in found]
    return problems


def edge_problems(record: Record) -> Iterator[tuple[str, str]]:
    """Give (code, message) of every edge of an ordered record that carries no value (A4)."""
    needed = {source for call in record.expected_calls for source in call.needs}
    returned = {call.id: tokens_of(call.returns) for call in record.expected_calls if call.id in needed}
    for call in record.expected_calls:
        yield from _empty_edges(call, returned)


def _empty_edges(call: ExpectedCall, returned: Mapping[str, set[Any]]) -> Iterator[tuple[str, str]]:
    passed = tokens_of(call.arguments)
    for source in call.needs:
        if not passed & returned[source]:
            yield (
                "empty_edge",
                f"expected call {call.id} needs {source}, but passes no value that {source} returns. "
                "Pass one, or drop the edge.",
            )


def _provenance_problems(
    call: ExpectedCall, texts: Mapping[str, Text], returned: Mapping[str, set[Any]]
) -> Iterator[tuple[str, str]]:
    yield from _empty_edges(call, returned)
    supplied: set[Any] = set().union(*(returned[source] for source in call.needs))
    for key, value in call.arguments.items():
        for leaf in leaves(value):
            if token_of(leaf) in supplied:
                continue
            lacking = [tier for tier, text in texts.items() if not text.holds(leaf)]
            if lacking:
                yield (
                    "unsourced_value",
                    f"expected call {call.id} passes `{key}` = {_short(leaf)}, which no needed call returns "
                    f"and the {' and '.join(lacking)} query does not hold. Name it there, or add the edge.",
                )


def record_problems(
    record: Record, loop_repeats: int = 2, *, is_ordered: bool = True
) -> Iterator[tuple[str, str]]:
    """Give (code, message) of everything wrong with the structure of one record (A4).

    Parameters
    ----------
    record
        A record.
    loop_repeats
        See `topology_of`.
    is_ordered
        Whether its calls need earlier calls only; else its shape cannot be told and is not looked at.
    """
    for tier in TIERS:
        query = getattr(record.queries, tier)
        if query is not None and not query.strip():
            yield "empty_query", f"the {tier} query is blank; write it or leave the key out."
    tools = {tool.name: tool for tool in record.tools}
    names = [tool.name for tool in record.tools]
    for name in sorted({name for name in names if names.count(name) > 1}):
        yield "duplicate_tool", f"offers two tools named `{name}`; rename one."
    sound = {}
    for tool in record.tools:
        if not ACCEPTED.fullmatch(tool.name):
            yield (
                "tool_name",
                f"model APIs refuse the tool name `{tool.name}`; use up to 64 letters, digits, `_` and `-`.",
            )
        reason = schema_problem(tool.parameters)
        if reason:
            yield "tool_schema", f"the parameters of `{tool.name}` are no JSON Schema of an object: {reason}."
        else:
            sound[tool.name] = tool
        reason = None if tool.returns is None else schema_fault(tool.returns)
        if reason:
            yield "return_schema", f"`returns` of `{tool.name}` is no JSON Schema: {reason}."
    needed = {source for call in record.expected_calls for source in call.needs}
    for call in record.expected_calls:
        if call.name in sound or call.name not in tools:
            yield from call_problems(call, sound)
        if call.id in needed and call.returns is None:
            yield (
                "no_return",
                f"expected call {call.id} has no `returns`, but a later call needs a value of it; write what "
                "it returned.",
            )
        yield from _return_problems(call, tools)
    computed = label_mismatch(record, loop_repeats=loop_repeats) if is_ordered else None
    if computed:
        edges = ", ".join(f"{source}->{call.id}" for call in record.expected_calls for source in call.needs)
        yield (
            "topology_label",
            f"is labelled {record.topology}, but its edges ({edges or 'none'}) make it {computed}. "
            "Correct the label or the `needs`.",
        )


def schema_problem(parameters: Mapping[str, Any]) -> str | None:
    """Say why a tool's parameters are no JSON Schema of an object; None if they are."""
    if parameters.get("type") != "object":
        return f"`type` is {_short(parameters.get('type'))}; write object"
    return schema_fault(parameters)


def schema_fault(schema: Mapping[str, Any]) -> str | None:
    """Say why something is no JSON Schema; None if it is one."""
    if _plainly_sound(schema):
        return None
    try:
        jsonschema.Draft202012Validator.check_schema(schema)
    except jsonschema.SchemaError as error:
        return f"at {error.json_path}, {error.message}"
    return None


def _return_problems(call: ExpectedCall, tools: Mapping[str, Tool]) -> Iterator[tuple[str, str]]:
    """Say where a return contradicts what its tool declares; an absent one has no type to contradict."""
    schema = tools[call.name].returns if call.name in tools else None
    if call.returns is None or schema is None or schema_fault(schema):
        return
    reason = _misfit(call.returns, schema, json.dumps(schema, sort_keys=True))
    if reason:
        yield (
            "wrong_return",
            f"expected call {call.id} returns {_short(call.returns)}, but the tool `{call.name}` declares "
            f"otherwise: {reason}. Change the return or the tool's `returns`.",
        )


_TYPES = frozenset({"string", "integer", "number", "boolean", "array", "object", "null"})
_TEXTS = frozenset({"description", "title", "format"})


def _plainly_sound(schema: Any) -> bool:
    """Recognise the plain schemas that nearly all tools have; the full check takes far longer."""
    if not isinstance(schema, dict):
        return False
    for key, value in schema.items():
        if key == "type":
            sound = isinstance(value, str) and value in _TYPES
        elif key in _TEXTS:
            sound = isinstance(value, str)
        elif key == "properties":
            sound = isinstance(value, dict) and all(_plainly_sound(member) for member in value.values())
        elif key == "items":
            sound = _plainly_sound(value)
        elif key == "required":
            sound = isinstance(value, list) and all(isinstance(name, str) for name in value)
            sound = sound and len(set(value)) == len(value)
        elif key == "enum":
            sound = isinstance(value, list)
        elif key == "additionalProperties":
            sound = isinstance(value, bool)
        elif key in ("minimum", "maximum"):
            sound = isinstance(value, int | float) and not isinstance(value, bool)
        else:
            sound = key == "default"
        if not sound:
            return False
    return True


def _misfit(value: Any, schema: Any, whole: str) -> str | None:
    """Say why a value does not fit its schema; None if it does.

    Parameters
    ----------
    value, schema
        An argument, and what the tool's parameters say of it.
    whole
        The parameters as JSON text; a `$ref` is looked for in them and nowhere else.
    """
    validator = _validator(whole).evolve(schema=schema)
    try:
        error = next(validator.iter_errors(value), None)
    except Unresolvable as reference:
        return f"the schema refers to `{_short(str(reference.ref), plain=True)}`, which it does not hold"
    except RecursionError:
        return "the schema refers to itself without end, or the value is nested too deeply"
    return None if error is None else _short(error.message, plain=True)


@lru_cache(maxsize=4096)
def _validator(schema: str) -> jsonschema.Draft202012Validator:
    # an empty registry: by default jsonschema fetches what a `$ref` names from the network
    return jsonschema.Draft202012Validator(json.loads(schema), registry=Registry())


def _short(value: Any, *, plain: bool = False) -> str:
    text = value if plain else json.dumps(value, ensure_ascii=False, default=str)
    return text if len(text) <= 120 else text[:117] + "..."
