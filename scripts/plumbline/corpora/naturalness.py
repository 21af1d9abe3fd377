"""Whether a query sounds like a person: stated rules, no model (A5, C-A40)."""

from __future__ import annotations

import re
from collections.abc import Iterator

from plumbline.config.gates import Gates
from plumbline.corpora.spellings import word_count
from plumbline.corpora.values import leaves
from plumbline.records import Record
from plumbline.records.model import Tier

_IDENTIFIER = re.compile(r"[_\d]|[a-z][A-Z]")
_KEY_VALUE = re.compile(r"(?<![\w/?&.:])([A-Za-z_]\w*)\s?=\s?[\w\"'\[{-]")
_JSON = re.compile(r"[{\[]\s*(?:\"[^\"\n]*\"\s*[:,\]}]|[{\[]\s*\")")
_TEMPLATE = re.compile(
    r"\{\{[^{}]*\}\}|\$\{[^{}]*\}|<[A-Za-z][\w ]*>|\[(?:[A-Z][A-Z_ ]+|insert[^\]]*|your [^\]]*)\]"
)


def naturalness_problems(record: Record, tier: Tier, query: str, gates: Gates) -> Iterator[tuple[str, str]]:
    """Give (code, message) of everything in a query that no person would write.

    Parameters
    ----------
    record
        Gives the tools, whose names and parameters a query should not spell.
    tier
        Parameters may be spelled in an easy query (A6).
    query
        The tier's query, not blank.
    gates
        Which rules hold.

    Notes
    -----
    A name that is an ordinary word (`search`) does not count: only one that no prose has, with an underscore,
    a digit or a capital inside. What the expected calls pass as a value may stand in the query as it is.
    """
    rules = gates.naturalness
    passed = {str(leaf) for call in record.expected_calls for leaf in leaves(call.arguments)}
    bare = _without(query, passed)
    if "names_tool" in rules:
        for name in _spelled(bare, (tool.name for tool in record.tools)):
            yield "names_tool", f"the {tier} query names the tool `{name}`; say what is wanted instead."
    if "names_parameter" in rules and tier != "easy":
        keys = {key for tool in record.tools for key in tool.parameters.get("properties", {})}
        for name in _spelled(bare, sorted(keys)):
            yield "names_parameter", f"the {tier} query spells the parameter `{name}`; say it in plain words."
    # a value that is an equation itself may stand in the query; a plain one does not excuse its key
    if "key_value" in rules and (match := _KEY_VALUE.search(_without(query, _with_sign(passed)))):
        yield "key_value", f"the {tier} query holds `{match[0]}`; write it as prose."
    if "json_in_query" in rules and (match := _JSON.search(query)):
        yield "json_in_query", f"the {tier} query holds JSON ({match[0][:40]!r}); write it as prose."
    if "unfilled_template" in rules and (match := _TEMPLATE.search(bare)):
        yield "unfilled_template", f"the {tier} query holds {match[0]!r}; fill it in."
    words = word_count(query)
    if "too_short" in rules and words < gates.min_words:
        yield (
            "too_short",
            f"the {tier} query has {words} words, fewer than {gates.min_words}; write a request that "
            "a person could send.",
        )


def _spelled(text: str, names: Iterator[str] | list[str]) -> Iterator[str]:
    for name in names:
        if _IDENTIFIER.search(name) and re.search(rf"(?<![\w-]){re.escape(name)}(?![\w-])", text):
            yield name


def _with_sign(values: set[str]) -> set[str]:
    return {value for value in values if "=" in value}


def _without(text: str, values: set[str]) -> str:
    """Take out of a text the values that the calls pass, which may look like anything."""
    for value in sorted(values, key=len, reverse=True):
        if len(value) > 3:
            text = text.replace(value, " ")
    return text
