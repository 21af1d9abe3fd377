"""Gate 2: every value has a source, and the query sounds like a person (A5); no model is asked."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import takewhile
from typing import Any

from plumbline.config.gates import Gates
from plumbline.corpora.naturalness import naturalness_problems
from plumbline.corpora.provenance import traceable
from plumbline.corpora.spellings import QueryText, is_no_text
from plumbline.corpora.values import leaves, token_of, tokens_of
from plumbline.records import TIERS, ExpectedCall, Record
from plumbline.records.model import Tier


@dataclass(frozen=True)
class QueryScores:
    """What gate 2 measures of one record.

    Attributes
    ----------
    sufficiency
        Tier -> share of the required arguments all of whose values can be had: from the query, from any
        earlier return or from the schema, as `gates.argument_sources` says. None without such arguments.
    grounding
        Tier -> share of all values of all arguments that the query, a call that is listed as needed, or the
        schema gives. None without values.
    natural
        Tier -> whether the query keeps the rules of naturalness.
    """

    sufficiency: dict[Tier, float | None]
    grounding: dict[Tier, float | None]
    natural: dict[Tier, bool]


def check_query(record: Record, gates: Gates) -> tuple[QueryScores, list[tuple[str, str]]]:
    """Put one record through gate 2.

    Parameters
    ----------
    record
        Its calls need earlier calls only. A blank query is the structure gate's finding and is passed over.
    gates
        The rules.

    Returns
    -------
    scores
        See `QueryScores`; tiers that the record lacks are left out.
    problems
        (code, message) in the order of the calls, then of the tiers.

    Notes
    -----
    What a query says, see `QueryText`. Item A5.
    """
    texts: dict[Tier, QueryText] = {}
    natural: dict[Tier, bool] = {}
    prose: list[tuple[str, str]] = []
    for tier in TIERS:
        query = getattr(record.queries, tier)
        if query is None or not query.strip():
            continue
        texts[tier] = QueryText(query)  # type: ignore[index]
        found = list(naturalness_problems(record, tier, query, gates))  # type: ignore[arg-type]
        natural[tier] = not found  # type: ignore[index]
        prose += found
    tally = _Tally(record, gates, texts)
    problems = [problem for call in record.expected_calls for problem in tally.problems(call)]
    return QueryScores(tally.sufficiency(), tally.grounding(), natural), problems + prose


class _Tally:
    """Counts, call by call, which values have a source; calls come in the order they run."""

    def __init__(self, record: Record, gates: Gates, texts: Mapping[Tier, QueryText]) -> None:
        self._gates, self._texts = gates, texts
        self._schemas = {tool.name: tool.parameters for tool in record.tools}
        self._returned = _Returns(record)
        self._required: dict[Tier, list[bool]] = {tier: [] for tier in texts}
        self._grounded: dict[Tier, list[bool]] = {tier: [] for tier in texts}

    def problems(self, call: ExpectedCall) -> Iterator[tuple[str, str]]:
        """Give what gate 2 finds of a call's arguments, and count them."""
        schema = self._schemas.get(call.name, {})
        for key, value in call.arguments.items():
            required = key in schema.get("required", ())
            declared = schema.get("properties", {}).get(key, {})
            lacking: dict[Any, list[Tier]] = {}
            for tier, text in self._texts.items():
                sources = [self._source(leaf, value, text, declared, call) for leaf in leaves(value)]
                self._grounded[tier] += [source in ("text", "needed", "schema") for source in sources]
                if required:
                    self._required[tier].append(None not in sources)
                for leaf, source in zip(leaves(value), sources, strict=True):
                    if source in (None, "earlier"):
                        lacking.setdefault((json.dumps(leaf), source), []).append(tier)
            yield from _told(call, key, required, lacking)

    def sufficiency(self) -> dict[Tier, float | None]:
        return {tier: _share(found) for tier, found in self._required.items()}

    def grounding(self) -> dict[Tier, float | None]:
        return {tier: _share(found) for tier, found in self._grounded.items()}

    def _source(
        self, leaf: Any, value: Any, text: QueryText, declared: Any, call: ExpectedCall
    ) -> str | None:
        """Name a value's source: text, needed, schema, or earlier (a call not listed); None if nowhere."""
        allowed = self._gates.argument_sources
        if is_no_text(leaf) or ("query" in allowed and text.says(leaf)):
            return "text"
        token = token_of(leaf)
        if "returns" in allowed and any(token in self._returned.of(source) for source in call.needs):
            return "needed"
        declared = declared if isinstance(declared, dict) else {}
        if "default" in allowed and "default" in declared and declared["default"] == value:
            return "schema"
        if "enum" in allowed and value in declared.get("enum", ()):
            return "schema"
        # a short value may be in any return by chance, so it proves no edge
        if "returns" in allowed and traceable(leaf) and self._returned.hold_before(call, token):
            return "earlier"
        return None


class _Returns:
    """What the calls of a record returned, each looked through once and only if it is asked for."""

    def __init__(self, record: Record) -> None:
        self._calls = {call.id: call for call in record.expected_calls}
        self._tokens: dict[str, set[Any]] = {}

    def of(self, identifier: str) -> set[Any]:
        """Give the tokens of a call's return."""
        if identifier not in self._tokens:
            self._tokens[identifier] = tokens_of(self._calls[identifier].returns)
        return self._tokens[identifier]

    def hold_before(self, call: ExpectedCall, token: Any) -> bool:
        """Say whether a call before this one returned a token."""
        return any(token in self.of(earlier) for earlier in takewhile(call.id.__ne__, self._calls))


def _told(
    call: ExpectedCall, key: str, required: bool, lacking: Mapping[Any, list[Tier]]
) -> Iterator[tuple[str, str]]:
    for (leaf, source), tiers in lacking.items():
        passes = f"expected call {call.id} passes `{key}` = {leaf[:120]}"
        if source == "earlier":
            yield (
                "missing_edge",
                f"{passes}, which an earlier call returns that it does not list under `needs`; add the edge.",
            )
        else:
            code = "insufficient_argument" if required else "unsourced_value"
            yield (
                code,
                f"{passes}, which no earlier return and no default gives and the {' and '.join(tiers)} query "
                "does not hold. Name it there, or pass another value.",
            )


def _share(found: list[bool]) -> float | None:
    return sum(found) / len(found) if found else None
