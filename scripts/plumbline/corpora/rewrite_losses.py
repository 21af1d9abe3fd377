"""What a rewrite lost, told by program: values, entities, sub-goals, and parameter names that stayed (A6)."""

from __future__ import annotations

import re
from collections.abc import Iterator

from plumbline.config.gates import Gates
from plumbline.corpora.naturalness import naturalness_problems
from plumbline.corpora.rewrites import lost_values
from plumbline.corpora.values import Text, leaves
from plumbline.records import ExpectedCall, Record
from plumbline.records.model import Tier

CHECKS = {
    "values": "a value of a required argument that the easy query holds is gone",
    "entities": "a name, a quotation or an identifier of the easy query is gone",
    "sub_goals": "nothing of the easy query that points to one of the expected calls is left",
    "parameter_names": "a parameter is still spelled as the schema spells it",
}
"""What each check looks for. All are text matching: a good paraphrase can trip `entities` and `sub_goals`."""

_QUOTED = re.compile(r"[\"\u201c\u2018']([^\"\u201d\u2019'\n]{2,60})[\"\u201d\u2019'](?!\w)")
_IDENTIFIER = re.compile(r"(?<![\w/])(?=[\w-]*\d)(?=[\w-]*[A-Za-z])[\w-]{3,}(?![\w/])")
_NAME = re.compile(r"(?<![.!?:]\s)(?<!^)(?<![\w-])([A-Z][\w&-]+(?:\s+[A-Z][\w&-]+)*)")
_WORD = re.compile(r"[a-z]{4,}")
# words of tool names that say nothing of what a call is for
_EMPTY = frozenset(
    ("with", "from", "into", "this", "that", "call", "tool", "data", "info", "item", "list", "value")
    + ("result", "results", "details", "request")
)
STEM = 5
"""Words that share so many first letters count as one: refund, refunded, refunding."""


def losses(record: Record, tier: Tier, query: str) -> dict[str, list[str]]:
    """Say what a rewritten query lost of the easy one.

    Parameters
    ----------
    record
        Gives the easy query, the expected calls and the tools.
    tier
        `medium` or `hard`.
    query
        The rewritten query.

    Returns
    -------
    dict
        A key of `CHECKS` -> what was lost or stayed, empty if nothing.
    """
    gates = Gates(naturalness=["names_parameter"])
    return {
        "values": [str(value) for value in lost_values(record, query)],
        "entities": list(_lost_entities(record, query)),
        "sub_goals": [call.id for call in record.expected_calls if _goal_is_lost(call, record, query)],
        "parameter_names": [text for _, text in naturalness_problems(record, tier, query, gates)],
    }


def entities(text: str) -> list[str]:
    """List names (capitalised words inside a sentence), quotations and identifiers of a text, each once."""
    found = [match[1] for match in _QUOTED.finditer(text)]
    found += [match[0] for match in _IDENTIFIER.finditer(text)]
    found += [match[1] for match in _NAME.finditer(text)]
    return list(dict.fromkeys(word.strip() for word in found if word.strip() != "I"))


def _lost_entities(record: Record, query: str) -> Iterator[str]:
    rewritten = Text(query)
    # a value is told by `values`, and one of an optional argument may go
    values = {str(leaf).casefold() for call in record.expected_calls for leaf in leaves(call.arguments)}
    for entity in entities(record.queries.easy):
        if entity.casefold() not in values and not rewritten.holds(entity):
            yield entity


def _goal_is_lost(call: ExpectedCall, record: Record, query: str) -> bool:
    """Whether words and values of the easy query that point to a call are all gone; False if it had none."""
    easy_words, words = _stems(record.queries.easy), _stems(query)
    tool = next((tool for tool in record.tools if tool.name == call.name), None)
    name = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", call.name).replace("_", " ")
    about = _stems(f"{name} {tool.description if tool else ''}")
    easy_text, text = Text(record.queries.easy), Text(query)
    values = [leaf for leaf in leaves(call.arguments) if leaf is not None and not isinstance(leaf, bool)]
    hints = about & easy_words
    kept_values = [value for value in values if easy_text.holds(value)]
    if not hints and not kept_values:
        return False
    return not hints & words and not any(text.holds(value) for value in kept_values)


def _stems(text: str) -> set[str]:
    return {word[:STEM] for word in _WORD.findall(text.casefold()) if word not in _EMPTY}
