"""Reveal and placebo: the lost step that holds a value is shown, or a like step that lacks it (D25)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

from plumbline.arguments.contexts import call_text, shown_context
from plumbline.arguments.datasets.account import Account
from plumbline.arguments.datasets.base import BaseData
from plumbline.arguments.datasets.stated import states_value, written
from plumbline.arguments.datasets.wrong_calls import gold_id
from plumbline.arguments.paths import first_occurrence
from plumbline.arguments.paths.literal import find_value
from plumbline.arguments.paths.texts import text_of
from plumbline.arguments.shown import Context
from plumbline.config.argument_datasets import RevealDataset
from plumbline.config.arguments import Paths
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
    found
        Its first occurrence in the history.
    reveal, placebo
        The two steps, with the characters that are shown of a return.
    """

    item: ArgumentItem
    source: Source
    found: Found
    reveal: Revealed
    placebo: Revealed


@dataclass(frozen=True)
class _Lost:
    """What of a history the window lost.

    A call is lost that Plain does not show, also one of a step that is shown in part (by a window that counts
    calls); what the assistant said is lost if neither it nor a call of its step is shown.
    """

    state: State
    context: Context

    @cached_property
    def calls(self) -> dict[int, list[int]]:
        """Places of the lost calls, by turn."""
        shown = {(part.turn, part.call) for part in self.context.parts if part.part == "call"}
        lost = {
            index: [place for place in range(len(turn.calls)) if (index, place) not in shown]
            for index, turn in enumerate(self.state.turns)
        }
        return {index: places for index, places in lost.items() if places}

    @cached_property
    def said(self) -> list[int]:
        """Turns whose text is lost."""
        shown = {part.turn for part in self.context.parts}
        return [
            index
            for index, turn in enumerate(self.state.turns)
            if turn.role == "assistant" and turn.text and index not in shown
        ]

    def has(self, found: Found, source: Source) -> bool:
        """Whether an occurrence is in what was lost."""
        if source == "assistant":
            return found.turn in self.said
        return found.turn is not None and found.call in self.calls.get(found.turn, [])


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
        identifier = _state_id(pair)
        update = {"state_id": identifier, "dataset": name, "written": (), "reveal": shown}
        made = before.model_copy(update=update)
        _assert_shown(made, pair, base, dataset.kind)
        states.setdefault(identifier, made)
    account.count("states", len(states))
    return list(states.values())


def reveal_calls(states: Sequence[State], base: BaseData) -> list[ProposedCall]:
    """Give the calls of the states that were drawn: the revealed values, and the wrong values beside them.

    Parameters
    ----------
    states
        As `reveal_states` gave them.
    base
        The same base: its wrong calls are judged in the new states, too. Where several steps are revealed for
        a state of the base, its wrong calls are judged in the first of the states made of it, so that each
        wrong value counts once.
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
    done: set[str] = set()
    for identifier, revealed in labels.items():
        state = by_state[identifier]
        is_first = origin[identifier] not in done
        done.add(origin[identifier])
        for call in base.calls_of[origin[identifier]]:
            common = {"state_id": identifier, "dataset": state.dataset}
            ending = call.call_id.removeprefix(call.state_id)
            if call.call_id in revealed:
                kept = {key: call.labels[key] for key in call.labels if key in revealed[call.call_id]}
            elif call.label == "wrong" and is_first:
                kept = {key: label for key, label in call.labels.items() if label == "wrong"}
            else:
                continue
            twin = gold_id(state, call.position) if _twin_kept(call, revealed) else None
            update = {**common, "call_id": identifier + ending, "labels": kept, "twin": twin}
            calls.append(call.model_copy(update=update))
    return calls


def _sharing(pair: Pair, pairs: Sequence[Pair], base: BaseData) -> Pair:
    """Take the steps of an earlier value of the state if they serve this one too: both share a state then."""
    state = base.state_of[pair.item.state_id]
    for other in pairs:
        if other.item.state_id != pair.item.state_id or other.source != pair.source:
            continue
        placebo = _texts(state.turns[other.placebo.turn])
        if _holds(other.reveal, pair) and not _is_in(placebo, pair.item, base.arguments.paths):
            return Pair(pair.item, pair.source, pair.found, other.reveal, other.placebo)
    return pair


def _holds(shown: Revealed, pair: Pair) -> bool:
    """Whether a revealed step shows the occurrence of a value."""
    if (shown.turn, shown.call) != (pair.reveal.turn, pair.reveal.call):
        return False
    if shown.start is None or shown.end is None:
        return True
    return shown.start <= pair.found.start and pair.found.end <= shown.end


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
    lost = _Lost(state, shown_context(state, base.arguments, base.context_of.get(state.state_id)))
    first = _first_source(state, item, base.arguments.paths)
    if first is None:
        return "values whose first occurrence is in another spelling, or in no step"
    found, source = first
    if not lost.has(found, source):
        return "values whose first occurrence is in a step that is shown"
    reveal = _revealed(state, found, source, cut)
    placebo = _placebo(lost, item, reveal, source, base)
    if placebo is None:
        return "no lost step of the same kind lacks the value"
    return Pair(item, source, found, reveal, placebo)


def _first_source(state: State, item: ArgumentItem, settings: Paths) -> tuple[Found, Source] | None:
    """Give a value's first occurrence and what holds it; None if an earlier step spells it otherwise."""
    found = first_occurrence(item.value, state, settings)
    if found is None or found.turn is None or state.turns[found.turn].role != "assistant":
        return None
    source: Source = "return" if found.part == "return" else "call" if found.part == "call" else "assistant"
    earlier = (turn for turn in state.turns[: found.turn] if turn.role == "assistant")
    if any(states_value(text, item.value) for turn in earlier for text in _texts(turn)):
        return None
    return found, source


def _revealed(state: State, found: Found, source: Source, cut: int) -> Revealed:
    """Give the step as it is shown: of a long return the `cut` characters around the value."""
    turn = found.turn or 0
    if source == "assistant" or found.call is None:
        return Revealed(turn=turn)
    if source == "call":
        return Revealed(turn=turn, call=found.call)
    length = len(state.turns[turn].calls[found.call].returns or "")
    middle = (found.start + found.end) // 2
    start = max(0, min(middle - cut // 2, length - cut))
    return Revealed(turn=turn, call=found.call, start=start, end=min(length, start + cut))


def _placebo(
    lost: _Lost, item: ArgumentItem, reveal: Revealed, source: Source, base: BaseData
) -> Revealed | None:
    """Give the lost step of the same kind that lacks the value and is closest in shown length."""
    cut = base.arguments.window.cut
    length = _shown_length(lost.state, reveal, cut)
    options: list[tuple[int, int, Revealed]] = []
    for shown in _options(lost, source, cut):
        turn = lost.state.turns[shown.turn]
        if shown.turn == reveal.turn or _is_in(_texts(turn), item, base.arguments.paths):
            continue
        difference = abs(_shown_length(lost.state, shown, cut) - length)
        options.append((difference, abs(shown.turn - reveal.turn), shown))
    return min(options, key=lambda option: option[:2])[2] if options else None


def _options(lost: _Lost, source: Source, cut: int) -> Iterable[Revealed]:
    if source == "assistant":
        yield from (Revealed(turn=index) for index in lost.said)
        return
    for index, places in lost.calls.items():
        for place in places:
            returns = lost.state.turns[index].calls[place].returns
            if source == "call":
                yield Revealed(turn=index, call=place)
            elif returns:
                yield Revealed(turn=index, call=place, start=0, end=min(len(returns), cut))


def _texts(turn: Turn) -> list[str]:
    """Give all texts of a turn as contexts show them: what is said, the calls, the returns."""
    texts = [turn.text] if turn.text else []
    for call in turn.calls:
        texts += [call_text(call.name, call.arguments), call.returns or ""]
    return texts


def _is_in(texts: Iterable[str], item: ArgumentItem, settings: Paths) -> bool:
    """Whether a text has a value as it stands, or in any common spelling."""
    return any(_stands_in(text, item, settings) or states_value(text, item.value) for text in texts)


def _stands_in(text: str, item: ArgumentItem, settings: Paths) -> bool:
    return find_value(text_of(text, settings.normalise != "none"), item.value, settings) is not None


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


def _assert_shown(made: State, pair: Pair, base: BaseData, kind: str) -> None:
    """Check that a reveal shows the value's occurrence, and that nothing a placebo shows has the value."""
    if kind == "reveal":
        if made.reveal is None or not _holds(made.reveal, pair):
            raise RevealError(f"the revealed step of {pair.item.item_id} does not show the value")
        return
    context = shown_context(made, base.arguments, base.context_of.get(pair.item.state_id))
    if any(_stands_in(part.text, pair.item, base.arguments.paths) for part in context.parts):
        raise RevealError(f"what the placebo of {pair.item.item_id} shows holds the value")
