"""What a known record looks like as the answers of the stages: for estimates before anything was written."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from plumbline.corpora.synthesis.signatures import PARAMETER_TYPES, RETURN_TYPES
from plumbline.corpora.values import token_of, tokens_of
from plumbline.records import ExpectedCall, Record, Tool

_TYPES = {kind: name for name, kind in PARAMETER_TYPES.items()}
_RETURNS = {kind: name for name, kind in RETURN_TYPES.items()}


def answers_of(record: Record) -> dict[str, Any]:
    """Write a record as the checked answers of all six stages would have it.

    Parameters
    ----------
    record
        Any record; what it lacks (a scenario, types of returns) is filled in by the plainest text.

    Returns
    -------
    dict
        Stage -> value; as long as a model's own would be, not fit to be checked.
    """
    calls = record.expected_calls
    return {
        "scenario": {
            "title": record.domain.replace("_", " "),
            "situation": record.queries.easy,
            "goal": record.queries.easy,
            "sub_goals": [call.description or call.name.replace("_", " ") for call in calls],
        },
        "tools": {"functions": [_function(tool) for tool in record.tools]},
        "pseudocode": {"code": "\n".join(_line(call, record) for call in calls)},
        "utterance": {"utterance": record.queries.easy},
        "schemas": {
            "tools": [
                {**tool.offered(), "returns": tool.returns or {"type": "object", "properties": {}}}
                for tool in record.tools
            ]
        },
        "trace": {
            "steps": [
                {
                    "tool": call.name,
                    "arguments": call.arguments,
                    "returns": call.returns,
                    "description": call.description or f"Calls {call.name}.",
                }
                for call in calls
            ]
        },
    }


def _function(tool: Tool) -> dict[str, str]:
    properties: Mapping[str, Any] = tool.parameters.get("properties", {})
    required = tool.parameters.get("required", ())
    words = [
        f"{key}: {_TYPES.get(_kind(schema), 'str')}{'' if key in required else ' = None'}"
        for key, schema in properties.items()
    ]
    returned = _RETURNS.get(_kind(tool.returns or {}), "dict")
    signature = f"def {tool.name}({', '.join(words)}) -> {returned}"
    return {"signature": signature, "description": tool.description}


def _line(call: ExpectedCall, record: Record) -> str:
    returned = {c.id: tokens_of(c.returns) for c in record.expected_calls if c.id in call.needs}
    words = []
    for key, value in call.arguments.items():
        scalar = not isinstance(value, dict | list)
        source = next((n for n, found in returned.items() if scalar and token_of(value) in found), None)
        literal = json.dumps(value, ensure_ascii=False)
        words.append(f'{key}={source}["{key}"]' if source else f"{key}={literal}")
    return f"{call.id} = {call.name}({', '.join(words)})"


def _kind(schema: Any) -> str:
    kind = schema.get("type") if isinstance(schema, dict) else None
    return kind if isinstance(kind, str) else "object"
