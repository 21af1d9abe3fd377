"""What can be wrong with a record: codes, the gate that finds each, and the problem itself."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Gate = Literal["file", "structure", "query"]

FILE_CODES = {
    "unreadable": "the file cannot be read",
    "not_utf8": "a line is not UTF-8",
    "not_json": "a line is not JSON",
    "wrong_shape": "a key of a record is missing, unknown or of the wrong kind",
    "no_record": "the file holds no record",
}
"""What keeps a line from being a record at all."""

STRUCTURE_CODES = {
    "duplicate_id": "two records have one id",
    "empty_query": "a query is blank",
    "duplicate_tool": "two tools of a record have one name",
    "tool_name": "a tool's name is refused by model APIs",
    "tool_schema": "a tool's parameters are no JSON Schema of an object",
    "return_schema": "a tool's `returns` is no JSON Schema",
    "duplicate_call": "two expected calls of a record have one id",
    "dangling_output": "a call needs the output of a call that is not there",
    "cycle": "calls need each other's outputs in a circle",
    "late_source": "a call needs the output of a call that runs later",
    "unknown_tool": "an expected call names a tool that is not offered",
    "undeclared_argument": "an expected call passes an argument that its tool does not declare",
    "missing_argument": "an expected call lacks a required argument",
    "wrong_argument": "an argument does not fit its schema",
    "unknown_optional": "a key that may be left out is declared nowhere",
    "no_return": "a call is needed but has no return",
    "wrong_return": "a return does not fit the schema that its tool declares",
    "topology_label": "the topology label contradicts the edges",
    "empty_edge": "an edge carries no value",
}
"""What the structure gate finds (A4)."""

QUERY_CODES = {
    "insufficient_argument": "a required argument has a value that the query, the earlier returns and the "
    "defaults do not give",
    "unsourced_value": "a value of an optional argument has no source",
    "missing_edge": "a value comes from the return of a call that the record does not list as needed",
    "names_tool": "a query names a tool",
    "names_parameter": "a medium or hard query spells a parameter as the schema does",
    "key_value": "a query holds `key=value`",
    "json_in_query": "a query holds JSON",
    "unfilled_template": "a query holds a template's place that was not filled",
    "too_short": "a query is too short to be a request",
}
"""What the query gate finds (A5)."""

CODES = FILE_CODES | STRUCTURE_CODES | QUERY_CODES
"""What each code means."""


def gate_of(code: str) -> Gate:
    """Name the gate that a code belongs to."""
    if code in FILE_CODES:
        return "file"
    return "structure" if code in STRUCTURE_CODES else "query"


@dataclass(frozen=True)
class Problem:
    """Something wrong with a record.

    Attributes
    ----------
    record_id
        The record, or None if its line gives no id.
    code
        A key of `CODES`.
    message
        What is wrong and what would mend it.
    line
        Line of the file, from 1, if the record comes from one.
    """

    record_id: str | None
    code: str
    message: str
    line: int | None = None

    def __str__(self) -> str:
        return f"{self.record_id}: {self.message} [{self.code}]"
