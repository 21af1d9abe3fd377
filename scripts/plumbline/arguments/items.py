"""Argument items: each value of each proposed call, with its label and its derivation path (D1, D2)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from plumbline.arguments.contexts import shown_context
from plumbline.arguments.paths import PathFinder
from plumbline.arguments.question_text import value_line
from plumbline.config.arguments import Arguments
from plumbline.records.arguments import ArgumentItem, ProposedCall, State, StateContext
from plumbline.records.errors import DataError
from plumbline.records.model import Tool


def item_id(call_id: str, parameter: str) -> str:
    """Name the item of one argument of a call."""
    return f"{call_id}|{parameter}"


def build_items(
    states: Sequence[State],
    calls: Sequence[ProposedCall],
    contexts: Sequence[StateContext],
    arguments: Arguments,
) -> list[ArgumentItem]:
    """Give an item for each argument of each proposed call, in the order of the calls.

    Parameters
    ----------
    states, calls
        Of one data set. An argument without a label of its own, where others of its call have one, makes no
        item: controlled sets test a few arguments of a call.
    contexts
        The rung of each state; a state without one is taken at the top of the ladder. Values of states that
        fit on no rung are items as well: they are counted, and not judged (D10).
    arguments
        Settings of the run: the window, how paths are found.

    Raises
    ------
    DataError
        If a call is of no state.

    Notes
    -----
    Items D1 to D3. Paths are computed on what Plain shows and hold for every input (C-D6). An unlabelled
    value has a twin only if the correct call's value is asked about in the same words (D44): of several
    spellings that BFCL accepts, one is the gold call's, and the others are scored themselves.
    """
    rungs = {context.state_id: context for context in contexts}
    by_state: dict[str, State] = {state.state_id: state for state in states}
    items: list[ArgumentItem] = []
    finder: PathFinder | None = None
    current = None
    by_id = {call.call_id: call for call in calls}
    for call in calls:
        state = by_state.get(call.state_id)
        if state is None:
            raise DataError(f"the call {call.call_id} is of the state {call.state_id}, which there is not.")
        if finder is None or call.state_id != current:
            context = shown_context(state, arguments, rungs.get(call.state_id))
            finder, current = PathFinder(state, context, arguments.paths), call.state_id
        items += _items_of(call, state, finder, by_id.get(call.twin or ""))
    return items


def _items_of(
    call: ProposedCall, state: State, finder: PathFinder, twin: ProposedCall | None
) -> Iterator[ArgumentItem]:
    function = next(
        (tool for tool in state.functions if tool.name == call.function), Tool(name=call.function)
    )
    for parameter, value in call.arguments.items():
        if call.labels and parameter not in call.labels:
            continue
        match = finder.match(value, function, parameter)
        label = call.labels.get(parameter, "unlabelled")
        paired = twin is not None and _is_twin(twin, call, parameter, alike=label == "unlabelled")
        yield ArgumentItem(
            item_id=item_id(call.call_id, parameter),
            state_id=call.state_id,
            query_id=call.query_id,
            dataset=call.dataset,
            function=call.function,
            parameter=parameter,
            value=value,
            label=label,
            path=match.path,
            call_id=call.call_id,
            short=match.short,
            cut=match.cut,
            found=match.found,
            made_by=call.made_by,
            twin_item=item_id(twin.call_id, parameter) if twin is not None and paired else None,
        )


def _is_twin(twin: ProposedCall, call: ProposedCall, parameter: str, *, alike: bool) -> bool:
    """Say whether a call has an item of a parameter; if `alike`, one asked about in the same words."""
    if parameter not in (twin.labels or twin.arguments) or parameter not in twin.arguments:
        return False
    same = value_line(twin.arguments[parameter]) == value_line(call.arguments[parameter])
    return not alike or (same and twin.function == call.function)
