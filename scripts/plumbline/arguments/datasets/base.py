"""What a controlled set is made of: a data set that is finished, with its calls, items and contexts."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from plumbline.config.arguments import Arguments
from plumbline.records.arguments import ArgumentItem, ProposedCall, State, StateContext


@dataclass(frozen=True)
class BaseData:
    """The data set that a controlled set is made `of`.

    Attributes
    ----------
    states, calls, items, contexts
        Everything that was built of it.
    arguments
        The run's settings: the window that its contexts have.
    """

    states: Sequence[State]
    calls: Sequence[ProposedCall]
    items: Sequence[ArgumentItem]
    contexts: Sequence[StateContext]
    arguments: Arguments

    @cached_property
    def state_of(self) -> Mapping[str, State]:
        """States by id."""
        return {state.state_id: state for state in self.states}

    @cached_property
    def calls_of(self) -> Mapping[str, Sequence[ProposedCall]]:
        """Calls of each state, in their order."""
        calls: dict[str, list[ProposedCall]] = defaultdict(list)
        for call in self.calls:
            calls[call.state_id].append(call)
        return calls

    @cached_property
    def call_of(self) -> Mapping[str, ProposedCall]:
        """Calls by id."""
        return {call.call_id: call for call in self.calls}

    @cached_property
    def items_of(self) -> Mapping[str, Sequence[ArgumentItem]]:
        """Items of each state, in their order."""
        items: dict[str, list[ArgumentItem]] = defaultdict(list)
        for item in self.items:
            items[item.state_id].append(item)
        return items

    @cached_property
    def context_of(self) -> Mapping[str, StateContext]:
        """Contexts by state."""
        return {context.state_id: context for context in self.contexts}
