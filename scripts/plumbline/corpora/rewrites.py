"""The medium and hard queries that a model writes (A6)."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from plumbline.answers import Decoder, DecodingError, TruncatedError, clean, declines, openings, scan
from plumbline.config.cells import rewriter_decoding, rewriter_of
from plumbline.config.settings import RunConfig
from plumbline.corpora.tier_queries import REWRITTEN, own_query
from plumbline.corpora.values import Text, leaves
from plumbline.models.prompts import PromptSet
from plumbline.models.requests import Failure, Reply, Request
from plumbline.records import Record, Rewrite
from plumbline.records.model import Tier

CALLS_LIMIT, TOOLS_LIMIT = 2000, 4000
"""Characters of the expected calls and of the tools that the rewriter sees, pretty-printed."""

_KEYS = {"medium": "query_medium", "hard": "query_hard"}

SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {key: {"type": "string"} for key in _KEYS.values()},
    "required": list(_KEYS.values()),
    "additionalProperties": False,
}
"""JSON Schema of the answer; without lengths, whose grammars take an embedded server minutes to compile."""


def needs_rewrite(record: Record, tiers: Iterable[Tier]) -> bool:
    """Say whether a record lacks the query of one of the tiers."""
    return any(tier in tiers and own_query(record, tier) is None for tier in REWRITTEN)


def rewrite_requests(records: Iterable[Record], config: RunConfig, prompts: PromptSet) -> Iterator[Request]:
    """Give one request for each record that lacks a query of the run's tiers; the item is the record's id.

    Raises
    ------
    UserError
        If the run has no rewriter, or a prompt file is missing or broken.
    """
    rewriter = rewriter_of(config)
    model = config.models[rewriter.model]
    decoding = rewriter_decoding(config)
    schema = SCHEMA if rewriter.output == "structured" else None
    for record in records:
        if not needs_rewrite(record, config.tiers):
            continue
        if model.engine == "simulated":
            simulation = {"kind": "text", "text": _simulated_answer(record)}
            yield Request(record.id, (), decoding, simulation=simulation)
            continue
        calls = [{"name": call.name, "arguments": call.arguments} for call in record.expected_calls]
        tools = [tool.model_dump(include={"name", "description", "parameters"}) for tool in record.tools]
        messages = prompts.messages(
            rewriter.prompt,
            query=record.queries.easy,
            expected_calls=_pretty(calls)[:CALLS_LIMIT],
            tools=_pretty(tools)[:TOOLS_LIMIT],
        )
        yield Request(record.id, messages, decoding, schema=schema)


def read_rewrite(record: Record, model: str, outcome: Reply | Failure | None) -> Rewrite:
    """Read a rewriter's answer.

    Parameters
    ----------
    record
        The record that was asked about.
    model
        The rewriter's slug.
    outcome
        What the journal holds.

    Returns
    -------
    Rewrite
        A status for each tier; its query only if that is `ok`. `unchanged`: the query is the original but for
        case and punctuation. `values_lost`: a required argument's value that the original query holds is
        gone.

    Notes
    -----
    Item A6. The two fields of a JSON object; if there is none, the two fields by pattern.
    """
    if outcome is None:
        return _failed(
            record, model, "not_asked", "the journal holds no answer; run the ask rule again", None
        )
    if isinstance(outcome, Failure):
        return _failed(record, model, outcome.status, outcome.detail, None)
    answer = clean(outcome.text, finish_reason=outcome.finish_reason, refusal=outcome.refusal)
    if answer.status is not None:
        return _failed(record, model, answer.status, answer.detail or "", outcome)
    fields, failure = _fields_of(answer.decoder)
    if not fields:
        return _failed(
            record, model, failure, "the answer holds neither query_medium nor query_hard", outcome
        )
    found: dict[str, Any] = {"status": {}}
    details = []
    for tier in REWRITTEN:
        status, detail = judged_query(record, fields.get(_KEYS[tier]))
        found["status"][tier] = status
        if status == "ok":
            found[tier] = fields[_KEYS[tier]].strip()
        elif detail:
            details.append(f"{tier}: {detail}")
    return Rewrite(
        record_id=record.id,
        model=model,
        text=outcome.text,
        detail="; ".join(details) or None,
        usage=outcome.usage,
        **found,
    )


def judged_query(record: Record, query: Any) -> tuple[str, str | None]:
    """Check a rewritten query by program (A6).

    Returns
    -------
    status
        `ok`, `malformed` (no text), `empty`, `unchanged` or `values_lost`.
    detail
        What is wrong, or None.
    """
    if not isinstance(query, str):
        return "malformed", "there is no such text in the answer"
    if not query.strip():
        return "empty", "the query is blank"
    if _words(query) == _words(record.queries.easy):
        return "unchanged", "the query is the original one"
    lost = lost_values(record, query)
    if lost:
        return "values_lost", f"the query lacks {', '.join(json.dumps(v, ensure_ascii=False) for v in lost)}"
    return "ok", None


def lost_values(record: Record, query: str) -> list[Any]:
    """Give the values of required arguments that the easy query holds and another query does not.

    Numbers are looked for by value, strings in any case, dates and times in any common spelling; booleans are
    not looked for. See `values.Text`.
    """
    original, rewritten = Text(record.queries.easy), Text(query)
    tools = {tool.name: tool for tool in record.tools}
    lost: list[Any] = []
    for call in record.expected_calls:
        tool = tools.get(call.name)
        required = tool.parameters.get("required", ()) if tool else ()
        for key in required:
            if key in call.optional:
                continue
            for value in leaves(call.arguments.get(key)):
                if original.holds(value) and not rewritten.holds(value) and value not in lost:
                    lost.append(value)
    return lost


def _fields_of(decoder: Decoder) -> tuple[dict[str, Any], str]:
    """Give the two fields of an answer; if there are none, the status that says why."""
    failure = "refused" if declines(decoder.text) else "malformed"
    try:
        for _, value in scan(decoder, openings("{")):
            if isinstance(value, dict) and any(key in value for key in _KEYS.values()):
                return {key: value[key] for key in _KEYS.values() if key in value}, failure
    except TruncatedError:
        failure = "truncated"
    except DecodingError:
        pass
    fields: dict[str, Any] = {}
    for key in _KEYS.values():
        match = re.search(rf'"?{key}"?\s*[:=]\s*("(?:[^"\\]|\\.)*")', decoder.text, re.DOTALL)
        if match:
            try:
                fields[key] = Decoder(match[1]).decode(0)[0]
            except DecodingError:
                continue
    return fields, failure


def _failed(record: Record, model: str, status: str, detail: str, reply: Reply | None) -> Rewrite:
    return Rewrite(
        record_id=record.id,
        model=model,
        status=dict.fromkeys(REWRITTEN, status),
        text=reply.text if reply else None,
        detail=detail or None,
        usage=reply.usage if reply else None,
    )


def _simulated_answer(record: Record) -> str:
    """Give what the simulated engine answers: the original query, marked, so that no value is lost."""
    answer = {key: f"({tier}) {record.queries.easy}" for tier, key in _KEYS.items()}
    return json.dumps(answer, ensure_ascii=False)


def _pretty(value: Any) -> str:
    return json.dumps(value, indent=2, ensure_ascii=False)


def _words(text: str) -> Sequence[str]:
    return re.findall(r"\w+", text.casefold())
