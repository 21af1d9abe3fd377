"""Reveal and placebo: the lost step that holds a value is shown, or a like step that lacks it (D25)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from plumbline.arguments.contexts import call_text, shown_context
from plumbline.arguments.datasets.account import Account
from plumbline.arguments.datasets.base import BaseData
from plumbline.arguments.datasets.stated import states_value, turn_texts, written
from plumbline.arguments.datasets.wrong_calls import gold_id
from plumbline.config.argument_datasets import RevealDataset
from plumbline.records.arguments import ArgumentItem, Found, ProposedCall, Revealed, State, Turn
from plumbline.records.revealed_ids import Source, revealed_id

SHORTEST = 4
"""Numbers and texts of fewer characters can match by chance and stay out."""


class RevealError(RuntimeError):
    """A revealed step does not hold what it must: an error of plumbline's, not of the data."""


@dataclass(frozen=True)
class Pair:
    """A value, the lost step that holds it, and the step shown in its place.

    Attributes
    ----------
    item
        The correct item of the base.
    source
        What of the step holds the value.
    reveal, placebo
        The two steps, with the characters that are shown of a return.
    """

    item: ArgumentItem
    source: Source
    reveal: Revealed
    placebo: Revealed


def plan_pairs(base: BaseData, account: Account) -> list[Pair]:
    """Find the values whose first occurrence the window lost, and a placebo for each (D25).

    Parameters
    ----------
    base
        The data set `of`, finished.
    account
        Counts values by what holds them, and those left out by reason.

    Returns
    -------
    list of Pair
        In the order of the items. Both versions have the same values: one without a placebo is in neither.
    """
    pairs: list[Pair] = []
    for item in base.items:
        if item.label != "correct" or item.path != "history_only":
            continue
        account.count("correct values on the path history_only")
        found = _pair(base, item)
        if isinstance(found, Pair):
            pairs.append(_sharing(found, pairs, base))
            account.count(f"values whose lost source is of the kind {found.source}")
        else:
            account.drop(found, item.item_id)
    return pairs


def reveal_states(name: str, dataset: RevealDataset, base: BaseData, account: Account) -> list[State]:
    """Build the states of one version: that of each value's state, with one step shown beside the window.

    Parameters
    ----------
    name, dataset, base, account
        As in `plan_pairs`; the kind of `dataset` says which step is shown.

    Returns
    -------
    list of State
        One for each base state and source step; reveal and placebo have the same ids, which say what holds
        the value (`source_of`).

    Raises
    ------
    RevealError
        If a revealed step does not show its value, or a placebo does.
    """
    states: dict[str, State] = {}
    for pair in plan_pairs(base, account):
        before = base.state_of[pair.item.state_id]
        shown = pair.reveal if dataset.kind == "reveal" else pair.placebo
        _assert_shown(before, pair, shown, dataset.kind)
        identifier = _state_id(pair)
        if identifier not in states:
            update = {"state_id": identifier, "dataset": name, "written": (), "reveal": shown}
            states[identifier] = before.model_copy(update=update)
    account.count("states", len(states))
    return list(states.values())


def reveal_calls(states: Sequence[State], base: BaseData) -> list[ProposedCall]:
    """Give the calls of the states that were drawn: the revealed values, and the wrong values beside them.

    Parameters
    ----------
    states
        As `reveal_states` gave them.
    base
        The same base: its wrong calls are judged in the new states, too.
    """
    labels: dict[str, dict[str, list[str]]] = {state.state_id: {} for state in states}
    by_state = {state.state_id: state for state in states}
    origin: dict[str, str] = {}
    for pair in plan_pairs(base, Account()):
        identifier = _state_id(pair)
        if identifier in labels:
            labels[identifier].setdefault(pair.item.call_id, []).append(pair.item.parameter)
            origin[identifier] = pair.item.state_id
    calls = []
    for identifier, revealed in labels.items():
        state = by_state[identifier]
        for call in base.calls_of[origin[identifier]]:
            common = {"state_id": identifier, "dataset": state.dataset}
            ending = call.call_id.removeprefix(call.state_id)
            if call.call_id in revealed:
                kept = {key: call.labels[key] for key in call.labels if key in revealed[call.call_id]}
            elif call.label == "wrong":
                kept = {key: label for key, label in call.labels.items() if label == "wrong"}
            else:
                continue
            twin = gold_id(state, call.position) if _twin_kept(call, revealed) else None
            update = {**common, "call_id": identifier + ending, "labels": kept, "twin": twin}
            calls.append(call.model_copy(update=update))
    return calls


def _sharing(pair: Pair, pairs: Sequence[Pair], base: BaseData) -> Pair:
    """Take the steps of an earlier value of the state if they serve this one too: both share a state then."""
    state, found = base.state_of[pair.item.state_id], pair.item.found
    for other in pairs:
        if other.item.state_id != pair.item.state_id or other.source != pair.source:
            continue
        placebo = turn_texts(state.turns[other.placebo.turn])
        if _holds(other.reveal, pair, found) and not any(
            states_value(text, pair.item.value) for text in placebo
        ):
            return Pair(pair.item, pair.source, other.reveal, other.placebo)
    return pair


def _holds(shown: Revealed, pair: Pair, found: Found | None) -> bool:
    """Whether a revealed step shows the occurrence of a value."""
    if found is None or (shown.turn, shown.call) != (pair.reveal.turn, pair.reveal.call):
        return False
    if shown.start is None or shown.end is None:
        return True
    return shown.start <= found.start and found.end <= shown.end


def _twin_kept(call: ProposedCall, revealed: dict[str, list[str]]) -> bool:
    return call.twin is not None and call.twin in revealed


def _state_id(pair: Pair) -> str:
    return revealed_id(pair.item.state_id, pair.source, pair.reveal, pair.placebo)


def _pair(base: BaseData, item: ArgumentItem) -> Pair | str:
    """Plan one value; a text says why it stays out."""
    if isinstance(item.value, bool | list | dict) or item.value is None:
        return "booleans, null, lists and objects"
    if len(written(item.value)) < SHORTEST:
        return "values so short that they match by chance"
    state, cut = base.state_of[item.state_id], base.arguments.window.cut
    context = shown_context(state, base.arguments, base.context_of.get(state.state_id))
    in_view = {part.turn for part in context.parts if part.part != "assistant"}
    lost = [
        index for index, turn in enumerate(state.turns) if turn.role == "assistant" and index not in in_view
    ]
    source = _first_source(state, item)
    if source is None:
        return "values whose first occurrence is in another spelling, or in no step"
    turn, call, kind, start, end = source
    if turn not in lost:
        return "values whose first occurrence is in a step that is shown"
    reveal = _revealed(state, turn, call, kind, cut, (start, end))
    placebo = _placebo(state, item, lost, turn, kind, cut, _shown_length(state, reveal, cut))
    if placebo is None:
        return "no lost step of the same kind lacks the value"
    return Pair(item, kind, reveal, placebo)


def _first_source(state: State, item: ArgumentItem) -> tuple[int, int | None, Source, int, int] | None:
    """Give turn, call, kind and characters of the first occurrence, as the path's matching found it."""
    found = item.found
    if found is None or found.turn is None or found.part not in ("return", "call", "assistant"):
        return None
    kind: Source = "return" if found.part == "return" else "call" if found.part == "call" else "assistant"
    earlier = [
        index
        for index, turn in enumerate(state.turns[: found.turn])
        if turn.role == "assistant" and any(states_value(text, item.value) for text in turn_texts(turn))
    ]
    return None if earlier else (found.turn, found.call, kind, found.start, found.end)


def _revealed(
    state: State, turn: int, call: int | None, kind: Source, cut: int, place: tuple[int, int]
) -> Revealed:
    """Give the step as it is shown: of a long return the `cut` characters around the value."""
    if kind == "assistant" or call is None:
        return Revealed(turn=turn)
    if kind == "call":
        return Revealed(turn=turn, call=call)
    length = len(state.turns[turn].calls[call].returns or "")
    middle = (place[0] + place[1]) // 2
    start = max(0, min(middle - cut // 2, length - cut))
    return Revealed(turn=turn, call=call, start=start, end=min(length, start + cut))


def _placebo(
    state: State, item: ArgumentItem, lost: Sequence[int], source: int, kind: Source, cut: int, length: int
) -> Revealed | None:
    """Give the lost step of the same kind that lacks the value and is closest in shown length."""
    options: list[tuple[int, int, Revealed]] = []
    for index in lost:
        turn = state.turns[index]
        if index == source or any(states_value(text, item.value) for text in turn_texts(turn)):
            continue
        for shown in _options(turn, index, kind, cut):
            options.append((abs(_shown_length(state, shown, cut) - length), abs(index - source), shown))
    return min(options, key=lambda option: option[:2])[2] if options else None


def _options(turn: Turn, index: int, kind: Source, cut: int) -> list[Revealed]:
    if kind == "assistant":
        return [Revealed(turn=index)] if turn.text else []
    if kind == "call":
        return [Revealed(turn=index, call=place) for place in range(len(turn.calls))]
    return [
        Revealed(turn=index, call=place, start=0, end=min(len(call.returns), cut))
        for place, call in enumerate(turn.calls)
        if call.returns
    ]


def shown_texts(state: State, shown: Revealed, cut: int) -> list[str]:
    """Give what is shown of a revealed step, as `contexts` shows it."""
    turn = state.turns[shown.turn]
    texts = [turn.text] if turn.text and shown.call is None else []
    for place, call in enumerate(turn.calls):
        if shown.call is None or shown.call == place:
            start = shown.start or 0
            texts.append(call_text(call.name, call.arguments))
            texts.append((call.returns or "")[start : shown.end if shown.end is not None else start + cut])
    return texts


def _shown_length(state: State, shown: Revealed, cut: int) -> int:
    return sum(len(text) for text in shown_texts(state, shown, cut))


def _assert_shown(state: State, pair: Pair, shown: Revealed, kind: str) -> None:
    """Check that the revealed step shows the value's occurrence, or that the placebo lacks the value."""
    turn = state.turns[shown.turn]
    if kind == "placebo":
        if any(states_value(text, pair.item.value) for text in turn_texts(turn)):
            raise RevealError(f"the placebo of {pair.item.item_id} holds the value")
        return
    if not _holds(shown, pair, pair.item.found):
        raise RevealError(f"the revealed step of {pair.item.item_id} does not show the value")
