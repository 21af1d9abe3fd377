"""What of a history a judge is shown: the window of Plain, or all of it (D9, D12, D25)."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Sequence
from typing import get_args

from plumbline.arguments.shown import Context, Part, Shown, boundary, is_inside
from plumbline.config.arguments import Arguments, Window
from plumbline.records.arguments import HistoryCall, Revealed, Role, State, StateContext, Turn

__all__ = ["Context", "Shown", "full_context", "plain_context", "shown_context", "window_kind"]

DIALOGUE: frozenset[Role] = frozenset(["user"])
EVERYONE: frozenset[Role] = frozenset(get_args(Role))


def plain_context(
    state: State,
    window: Window,
    kind: str,
    rung: int = 0,
    *,
    kept: int | None = None,
    roles: Collection[Role] = DIALOGUE,
) -> Context:
    """Give what Plain shows: the request and the most recent steps, their returns cut (D9).

    Parameters
    ----------
    state
        With its full history.
    window
        Number of steps and length of returns.
    kind
        Key of the data set in the window's settings, see `window_kind`; its own name goes first.
    rung
        Steps taken down the ladder (D10, C-D19): the returns of the earliest shown step go, one a rung, then
        the shown steps, earliest first, one a rung. Those beyond them are taken by `kept`.
    kept
        Characters that stay of each message of the request; the middle of a longer one is left out.
    roles
        Whose text is shown (C-D2); a system message is history and no dialogue.

    Returns
    -------
    Context
        What the state reveals (D25), a step or a single call, is shown on every rung, at its place; calls of
        the same step that are in the window stand beside a single call.
    """
    steps = shown_calls(state, window, kind)
    lost_returns, lost_steps = _losses(state, steps, rung)
    dropped = {turn for turn, _ in steps[:lost_steps]}
    shown = {turn: calls for turn, calls in steps if turn not in dropped}
    parts: list[Shown] = []
    for index, turn in enumerate(state.turns):
        reveal = state.reveal if state.reveal is not None and state.reveal.turn == index else None
        if reveal is not None and reveal.call is None:
            parts.extend(_said(turn, index, revealed=True))
        elif turn.text and turn.role in roles:
            parts.extend(_hollow(turn.text, index, kept) if turn.role != "assistant" else _said(turn, index))
        for place, call in enumerate(turn.calls):
            if reveal is not None and reveal.call in (None, place):
                parts.extend(_revealed(call, index, place, reveal, window.cut))
                continue
            if place not in shown.get(index, ()):
                continue
            parts.append(_call(call, index, place))
            if call.returns is not None and (index, place) not in lost_returns:
                parts.append(_return(call.returns, index, place, 0, window.cut))
    return Context(state, tuple(parts))


def full_context(state: State, rung: int = 0, *, roles: Collection[Role] = EVERYONE) -> Context:
    """Give the full history: every earlier call and return, uncut (D12).

    Parameters
    ----------
    state
        With its full history.
    rung
        Steps taken where it is too long: the oldest returns go, one a rung, then the oldest steps.
    roles
        Whose text is shown.
    """
    returns = [
        (index, place)
        for index, turn in enumerate(state.turns)
        for place, call in enumerate(turn.calls)
        if call.returns is not None
    ]
    steps = [index for index, turn in enumerate(state.turns) if turn.is_step]
    lost_returns = set(returns[:rung])
    lost_steps = set(steps[: max(0, rung - len(returns))])
    parts: list[Shown] = []
    for index, turn in enumerate(state.turns):
        if index in lost_steps:
            continue
        if turn.role in roles:
            parts.extend(_said(turn, index))
        for place, call in enumerate(turn.calls):
            parts.append(_call(call, index, place))
            if call.returns is not None and (index, place) not in lost_returns:
                parts.append(_return(call.returns, index, place, 0, len(call.returns)))
    return Context(state, tuple(parts))


def shown_context(state: State, arguments: Arguments, fitted: StateContext | None = None) -> Context:
    """Give what Plain shows of a state under the run's settings, on the rung on which it fits.

    Parameters
    ----------
    state
        Its `dataset` names an entry of `arguments.datasets`.
    arguments
        Window, and whose text is dialogue.
    fitted
        The state's rung; None is the top of the ladder.
    """
    return plain_context(
        state,
        arguments.window,
        window_kind(arguments, state.dataset),
        fitted.rung if fitted else 0,
        kept=fitted.kept if fitted else None,
        roles=arguments.paths.roles_in_view(),
    )


def window_kind(arguments: Arguments, dataset: str) -> str:
    """Name the key under which the window's settings hold for a data set: its name or its kind.

    A controlled set goes by the data set that it was made of.
    """
    window = arguments.window
    return arguments.known_as(dataset, {*window.steps_by_dataset, *window.count_calls})


def shown_calls(state: State, window: Window, kind: str) -> list[tuple[int, tuple[int, ...]]]:
    """Give the calls in the window of Plain.

    Returns
    -------
    list of tuple
        (turn, places of its shown calls), oldest first.
    """
    wanted = window.steps_by_dataset.get(state.dataset, window.steps_by_dataset.get(kind, window.steps))
    steps = [(index, tuple(range(len(turn.calls)))) for index, turn in enumerate(state.turns) if turn.is_step]
    if not {state.dataset, kind} & set(window.count_calls):
        return steps[len(steps) - wanted :] if wanted < len(steps) else steps
    shown: list[tuple[int, tuple[int, ...]]] = []
    for index, places in reversed(steps):
        left = wanted - sum(len(taken) for _, taken in shown)
        if left <= 0:
            break
        shown.append((index, places[-left:]))
    return shown[::-1]


def ladder_length(state: State, window: Window, kind: str) -> int:
    """Count the rungs of `plain_context`, before the request is hollowed."""
    steps = shown_calls(state, window, kind)
    return len(_first_returns(state, steps)) + len(steps)


def plain_losses(state: State, window: Window, kind: str, rung: int) -> tuple[int, int]:
    """Count the returns and the steps that a rung of `plain_context` takes from what Plain shows."""
    returns, steps = _losses(state, shown_calls(state, window, kind), rung)
    return len(returns), steps


def full_losses(state: State, rung: int) -> tuple[int, int]:
    """Count the returns and the steps that a rung of `full_context` takes from the full history."""
    returns = sum(call.returns is not None for turn in state.turns for call in turn.calls)
    return min(rung, returns), max(0, rung - returns)


def call_text(name: str, arguments: object) -> str:
    """Write a call on one line: its name, and its arguments as JSON."""
    return f"{name} {json.dumps(arguments, ensure_ascii=False)}"


def _first_returns(state: State, steps: Sequence[tuple[int, tuple[int, ...]]]) -> list[tuple[int, int]]:
    """Places of the returns of the earliest shown step."""
    return [
        (turn, place)
        for turn, places in steps[:1]
        for place in places
        if state.turns[turn].calls[place].returns is not None
    ]


def _losses(
    state: State, steps: Sequence[tuple[int, tuple[int, ...]]], rung: int
) -> tuple[set[tuple[int, int]], int]:
    returns = _first_returns(state, steps)
    return set(returns[:rung]), min(len(steps), max(0, rung - len(returns)))


def hollowed(text: str, kept: int) -> tuple[int, int]:
    """Give where the hole in a text begins and ends, if `kept` characters stay around its middle."""
    if len(text) <= kept:
        return len(text), len(text)
    head = boundary(text, (kept + 1) // 2)
    tail = len(text) - kept // 2
    while tail < len(text) and is_inside(text, tail):
        tail += 1
    return head, tail


def _hollow(text: str, turn: int, kept: int | None) -> Iterator[Shown]:
    head, tail = hollowed(text, kept) if kept is not None else (len(text), len(text))
    yield Shown("user", turn, None, text[:head], 0, len(text))
    if tail > head:
        yield Shown("user", turn, None, text[tail:], tail, len(text))


def _said(turn: Turn, index: int, revealed: bool = False) -> Iterator[Shown]:
    if turn.text:
        part: Part = "assistant" if turn.role == "assistant" else "user"
        yield Shown(part, index, None, turn.text, 0, len(turn.text), revealed)


def _call(call: HistoryCall, turn: int, place: int, revealed: bool = False) -> Shown:
    text = call_text(call.name, call.arguments)
    return Shown("call", turn, place, text, 0, len(text), revealed)


def _return(text: str, turn: int, place: int, start: int, end: int, revealed: bool = False) -> Shown:
    first, last = boundary(text, min(start, len(text))), boundary(text, min(end, len(text)))
    return Shown("return", turn, place, text[first:last], first, len(text), revealed)


def _revealed(call: HistoryCall, turn: int, place: int, reveal: Revealed, cut: int) -> Iterator[Shown]:
    yield _call(call, turn, place, True)
    if call.returns is not None:
        start = reveal.start or 0
        end = reveal.end if reveal.end is not None else start + cut
        yield _return(call.returns, turn, place, start, end, True)
