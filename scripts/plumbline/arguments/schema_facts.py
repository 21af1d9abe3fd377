"""The schema-facts line: a parameter's default, and what the request says of its words (D26)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from plumbline.arguments.occurrences import places_of
from plumbline.arguments.question_text import schema_of, value_line
from plumbline.arguments.shown import boundary
from plumbline.records import Tool
from plumbline.records.arguments import State


def schema_facts(state: State, function: Tool, parameter: str, around: int) -> str | None:
    """Write the line of facts that stands after the proposed value.

    Parameters
    ----------
    state
        Its user turns are the request.
    function, parameter
        What is judged.
    around
        Characters on each side of a word that a quotation reaches.

    Returns
    -------
    str or None
        The default, then for each check word that the request contains a quotation around its first place,
        or the list of check words if it contains none. None if the schema declares no default.
    """
    schema = schema_of(function, parameter)
    if "default" not in schema:
        return None
    words = check_words(schema, parameter)
    requests = [turn.text for turn in state.turns if turn.role == "user" and turn.text]
    quotations = [
        f"{value_line(word)} in {value_line(quotation)}"
        for word in words
        if (quotation := _quotation(word, requests, around)) is not None
    ]
    start = f"The schema's default for {value_line(parameter)} is {value_line(schema['default'])}."
    if quotations:
        return f"{start} The request contains {'; '.join(quotations)}."
    return f"{start} The request contains none of these words: {', '.join(map(value_line, words))}."


def check_words(schema: dict[str, Any], parameter: str) -> list[str]:
    """Give the words that the request is searched for: name, name with blanks, default, enum (D26)."""
    options = schema.get("enum")
    values = [schema["default"]] if "default" in schema else []
    values += options if isinstance(options, list) else []
    words = [parameter, parameter.replace("_", " "), *map(_word, values)]
    return [word for word in dict.fromkeys(words) if word.strip()]


def _word(value: Any) -> str:
    if isinstance(value, str):
        return value
    return "" if isinstance(value, list | dict) else value_line(value)


def _quotation(word: str, requests: Iterable[str], around: int) -> str | None:
    for text in requests:
        places = places_of(word, text)
        if places:
            start, end = places[0]
            return text[boundary(text, max(0, start - around)) : boundary(text, min(len(text), end + around))]
    return None
