"""Which earlier call supplied a value: dependency edges recomputed from where values come from."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from plumbline.corpora.values import Text, as_number, leaves, token_of


@dataclass(frozen=True)
class TracedCall:
    """A call whose values are traced.

    Attributes
    ----------
    id
        Identifier of the call.
    arguments
        Arguments with every reference replaced by its value.
    returns
        What the call returned, or None.
    marked
        Argument key -> id of the earlier call that a reference of the source names.
    chosen
        Argument keys whose values are choices from a fixed list; only a mark makes them a dependency.
    """

    id: str
    arguments: Mapping[str, Any]
    returns: Any = None
    marked: Mapping[str, str] = field(default_factory=dict)
    chosen: frozenset[str] = frozenset()


def needs_of(query: str, calls: Sequence[TracedCall]) -> list[tuple[str, ...]]:
    """Compute, for each call, the earlier calls whose returns supply one of its values.

    A value's source is the call that a reference of the source names; without one, the most recent earlier
    call whose return holds the value as a leaf, if the value is *traceable* (below) and does not stand in the
    query.

    * A call that was itself given the value only repeats it: the value's source is then the one it had there.
    * A value that an earlier call was given was known then and keeps the source that it had.
    * A value that a call needed anyway returns too adds no edge (longer values are placed first).

    Traceable are strings of four or more characters, numbers of four or more digits, and strings of three
    characters that mix letters with digits; parts between commas count too (``12,class::4``). Numbers and
    strings that are numbers compare by value, other strings exactly.

    Parameters
    ----------
    query
        The easy query.
    calls
        Calls in the order they run.

    Returns
    -------
    list of tuple of str
        For each call the ids it needs, in the order of the calls.
    """
    tracer = _Tracer(Text(query))
    return [tracer.needs(call) for call in calls]


class _Tracer:
    """What the calls so far were given and returned."""

    def __init__(self, query: Text) -> None:
        self._query = query
        self._returned: dict[str, set[Any]] = {}
        self._given: dict[str, dict[Any, str | None]] = {}

    def needs(self, call: TracedCall) -> tuple[str, ...]:
        """Give the ids of the earlier calls that supply a value, and remember what this call returns.

        Calls are given in the order in which they run.
        """
        given = self._marked(call)
        needs = {source for source in given.values() if source is not None}
        free = [
            pair
            for key, value in call.arguments.items()
            if key not in call.marked and key not in call.chosen
            for pair in _tokens(value)
        ]
        for leaf, token in sorted(free, key=lambda pair: -len(str(pair[0]))):
            if token in given:
                continue
            source = next((name for name in sorted(needs) if token in self._returned[name]), None)
            given[token] = source or self._source(leaf, token)
            if given[token] is not None:
                needs.add(str(given[token]))
        needed = tuple(name for name in self._returned if name in needs)
        self._given[call.id] = given
        self._returned[call.id] = {token_of(leaf) for leaf in leaves(call.returns)}
        return needed

    def _marked(self, call: TracedCall) -> dict[Any, str | None]:
        """Give the sources of the values that references of the source name."""
        given: dict[Any, str | None] = {}
        for key, name in call.marked.items():
            for leaf in leaves(call.arguments[key]):
                token = token_of(leaf)
                given[token] = self._given[name].get(token, name)
        return given

    def _source(self, leaf: Any, token: Any) -> str | None:
        for given in self._given.values():
            if token in given:
                return given[token]
        if self._query.holds(leaf):
            return None
        return next((name for name in reversed(self._returned) if token in self._returned[name]), None)


def _tokens(value: Any) -> Iterator[tuple[Any, Any]]:
    """Give each traceable scalar of an argument with what it is compared by."""
    for leaf in leaves(value):
        parts = [leaf]
        if isinstance(leaf, str) and "," in leaf and " " not in leaf:
            parts += leaf.split(",")
        for part in parts:
            if traceable(part):
                yield part, token_of(part)


def traceable(value: Any) -> bool:
    """Say whether a value is long enough to be told apart from one that is equal by chance (`needs_of`)."""
    if value is None or isinstance(value, bool):
        return False
    number = as_number(value)
    if number is not None:
        return len(number.as_tuple().digits) >= 4 or sum(map(str.isdigit, str(value))) >= 4
    text = value.strip()
    if len(text) >= 4:
        return True
    return len(text) == 3 and any(map(str.isdigit, text)) and any(map(str.isalpha, text))
