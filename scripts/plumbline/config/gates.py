"""Settings of the quality gates of a corpus (A4, A5, C-A40)."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from plumbline.config.models import Section

NaturalnessRule = Literal[
    "names_tool", "names_parameter", "key_value", "json_in_query", "unfilled_template", "too_short"
]


class Gates(Section):
    """What a record must meet; both gates work without a model."""

    argument_sources: list[Literal["query", "returns", "default", "enum"]] = Field(
        default=["query", "returns", "default"], min_length=1
    )
    """Where the value of an argument may come from: the query, an earlier return, the schema's default, or
    the schema's list of allowed values, from which a model may choose."""
    naturalness: list[NaturalnessRule] = [
        "names_tool",
        "names_parameter",
        "key_value",
        "json_in_query",
        "unfilled_template",
        "too_short",
    ]
    """Rules that a query must keep to sound like a person."""
    min_words: int = Field(default=4, ge=1)
    """Fewest words of a query."""
