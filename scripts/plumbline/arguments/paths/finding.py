"""The derivation path of a value: where in the history, or in the schema, it comes from (D2, D3)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from plumbline.arguments.contexts import Context, Shown, full_context
from plumbline.arguments.paths.defaults import find_default
from plumbline.arguments.paths.formats import find_formatted
from plumbline.arguments.paths.literal import SHORT, comparable, find_value, written
from plumbline.arguments.paths.texts import Text, text_of
from plumbline.config.arguments import Paths
from plumbline.records.arguments import PATHS, Found, Path, State
from plumbline.records.model import Tool


@dataclass(frozen=True)
class PathMatch:
    """Where a value comes from.

    Attributes
    ----------
    path
        The first of `PATHS` that holds.
    short
        Whether the value has at most three characters; of a list or object, whether the leaf that decides
        has.
    found
        Where it was matched; None for `no_source`.
    cut
        For `history_only`: whether it stands in a return that is shown, but cut before it (D8).
    """

    path: Path
    short: bool
    found: Found | None
    cut: bool = False


class PathFinder:
    """Finds the paths of the values of one state.

    Parameters
    ----------
    state
        Its turns are the full history H.
    context
        What Plain shows of it (C-D6); steps that are shown only because the state reveals them do not count.
    settings
        How values are matched.
    """

    def __init__(self, state: State, context: Context, settings: Paths) -> None:
        self._state = state
        self._settings = settings
        self._shown = [part for part in context.parts if not part.revealed]
        self._shown_returns = {(part.turn, part.call) for part in self._shown if part.part == "return"}

    def match(self, value: Any, function: Tool, parameter: str) -> PathMatch:
        """Find the path of one argument value.

        Parameters
        ----------
        value
            Any JSON value. Of a list or an object every leaf must match, and the path of the worst one counts
            (C-D5); one without leaves can only be a default.
        function, parameter
            Whose schema may name the value as a default.

        Returns
        -------
        PathMatch
            With positions in the original text of the part: a turn's text, a return, or a call as
            `contexts.call_text` writes it.
        """
        properties = function.parameters.get("properties")
        schema = properties.get(parameter) if isinstance(properties, Mapping) else None
        matches = [self._scalar(leaf, inner) for leaf, inner in _leaves(value, schema)]
        worst = max(
            matches, key=lambda match: PATHS.index(match.path), default=PathMatch("no_source", True, None)
        )
        if isinstance(value, list | dict) and PATHS.index(worst.path) > PATHS.index("default"):
            whole = find_default(value, schema, self._settings)
            if whole is not None:
                return PathMatch("default", worst.short, whole)
        return worst

    def _scalar(self, value: Any, schema: Any) -> PathMatch:
        short = len(written(value)) <= SHORT
        found = self._among(self._shown, value)
        if found is not None:
            return PathMatch("visible", short, found)
        found = self._among(self._history, value)
        if found is not None:
            cut = found.part == "return" and (found.turn, found.call) in self._shown_returns
            return PathMatch("history_only", short, found, cut)
        found = self._formatted(value)
        if found is not None:
            return PathMatch("format", short, found)
        found = find_default(value, schema, self._settings)
        return PathMatch("default" if found else "no_source", short, found)

    @cached_property
    def _history(self) -> list[Shown]:
        """All texts of the history; first those that are shown in part, for D8 asks whether these hold it."""
        parts = full_context(self._state, roles=self._settings.roles_in_history()).parts
        return sorted(parts, key=lambda part: (part.turn, part.call) not in self._shown_returns)

    def _text(self, part: Shown) -> Text:
        return text_of(part.text, self._settings.normalise != "none")

    def _among(self, parts: Sequence[Shown], value: Any) -> Found | None:
        for part in parts:
            span = find_value(self._text(part), value, self._settings)
            if span is not None:
                return _found(part, span)
        return None

    def _formatted(self, value: Any) -> Found | None:
        if value is None or isinstance(value, bool) or not written(value).strip():
            return None
        needle = comparable(written(value), self._settings.normalise != "none")
        for part in self._history:
            text = self._text(part)
            spoken = part.part in ("user", "assistant")
            span = find_formatted(text, needle, self._settings.formats, spoken)
            if span is not None:
                return _found(part, text.original(span))
        return None


def value_path(
    value: Any, state: State, context: Context, function: Tool, parameter: str, settings: Paths
) -> PathMatch:
    """Find the path of one value, see `PathFinder.match`; for many values of a state keep the finder."""
    return PathFinder(state, context, settings).match(value, function, parameter)


def first_occurrence(value: Any, state: State, settings: Paths) -> Found | None:
    """Give the first place of the history, oldest first, that has a scalar as it stands (D25).

    Parameters
    ----------
    value
        A scalar; lists and objects have no place of their own.
    state
        Its turns are the full history; of a step come what was said, all its calls, then what they returned.
    settings
        How values are matched.

    Notes
    -----
    The place of `PathMatch.found` is another one where a return that is shown holds the value behind its cut:
    that one is looked through first, for D8.
    """
    parts = full_context(state, roles=settings.roles_in_history()).parts
    for part in sorted(parts, key=lambda part: (part.turn, _ORDER.get(part.part, 0))):
        span = find_value(text_of(part.text, settings.normalise != "none"), value, settings)
        if span is not None:
            return _found(part, span)
    return None


_ORDER = {"call": 1, "return": 2}


def _found(part: Shown, span: tuple[int, int]) -> Found:
    start, end = span
    return Found(
        part=part.part,
        turn=part.turn,
        call=part.call,
        start=part.start + start,
        end=part.start + end,
        text=part.text[start:end],
    )


def _leaves(value: Any, schema: Any) -> Iterator[tuple[Any, Any]]:
    """Give the scalars of a value, depth first, each with the part of the schema that describes it."""
    if isinstance(value, dict):
        properties = schema.get("properties") if isinstance(schema, Mapping) else None
        for key, member in value.items():
            inner = properties.get(key) if isinstance(properties, Mapping) else None
            yield from _leaves(member, inner)
    elif isinstance(value, list):
        items = schema.get("items") if isinstance(schema, Mapping) else None
        for member in value:
            yield from _leaves(member, items)
    else:
        yield value, schema
