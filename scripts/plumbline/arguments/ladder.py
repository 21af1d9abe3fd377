"""The ladder: what a state loses until its longest input fits (D10 to D12, C-D19)."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass

from plumbline.arguments.contexts import (
    Context,
    full_context,
    hollowed,
    ladder_length,
    plain_context,
    window_kind,
)
from plumbline.arguments.drafts import Draft, Drafter
from plumbline.arguments.tokens import TokenCounter
from plumbline.config.arguments import Arguments
from plumbline.models.prompts import PromptSet
from plumbline.records.arguments import ProposedCall, Role, State, StateContext

# How far a count by pieces can be off: a tokenizer may join what the pieces part.
_SLACK = 8


@dataclass(frozen=True)
class Fit:
    """The first rung on which the longest draft of a state fits.

    Attributes
    ----------
    history
        What is shown there, as text; None if no rung fits.
    rung, kept
        As `plain_context` or `full_context` takes them.
    tokens
        Tokens of the longest draft on it, or on the last rung tried.
    """

    history: str | None
    rung: int
    kept: int | None
    tokens: int


def fit_states(
    states: Iterable[State],
    calls: Iterable[ProposedCall],
    arguments: Arguments,
    counter: TokenCounter,
    prompts: PromptSet,
) -> list[StateContext]:
    """Find for each state the rung on which its longest Plain input fits.

    Parameters
    ----------
    states, calls
        All states of a data set and all proposed calls at them. Each argument and each whole call is an
        input: all of them share what is shown of the history.
    arguments
        Window, ladder and inputs of the run.
    counter
        Counts tokens of state and question (C-D18).
    prompts
        The run's prompt files.

    Returns
    -------
    list of StateContext
        One a state, in their order; `overflow` where even the last rung is too long.
    """
    by_state = calls_by_state(calls)
    drafters = _plain_drafters(arguments, prompts)
    fitted = []
    for state in states:
        drafts = [
            draft
            for drafter in drafters
            for call in by_state.get(state.state_id, ())
            for draft in _plain_drafts(drafter, state, call)
        ]
        fit = fit_plain(state, drafts, arguments, counter)
        fits = fit.history is not None
        fitted.append(
            StateContext(
                state_id=state.state_id,
                dataset=state.dataset,
                status="ok" if fits else "overflow",
                rung=fit.rung,
                kept=fit.kept,
                tokens=fit.tokens,
                tokenizer=counter.name,
                detail=None if fits else overflow_detail(fit, arguments.ladder.limit),
            )
        )
    return fitted


def calls_by_state(calls: Iterable[ProposedCall]) -> dict[str, list[ProposedCall]]:
    """Group calls by their state."""
    by_state: dict[str, list[ProposedCall]] = {}
    for call in calls:
        by_state.setdefault(call.state_id, []).append(call)
    return by_state


def overflow_detail(fit: Fit, limit: int) -> str:
    """Say why a state is not judged."""
    return f"the longest input has {fit.tokens} tokens on the last rung of the ladder; the limit is {limit}"


def fit_plain(
    state: State,
    drafts: Sequence[Draft],
    arguments: Arguments,
    counter: TokenCounter,
    start: StateContext | Fit | None = None,
) -> Fit:
    """Go down the ladder until the longest draft fits.

    Parameters
    ----------
    state
        What the drafts ask about.
    drafts
        Inputs that share the history; without any, the history alone is to fit.
    arguments
        Window and ladder.
    counter
        Counts tokens.
    start
        The rung to begin on; None is the top.
    """
    kind = window_kind(arguments, state.dataset)
    roles = arguments.paths.roles_in_view()

    def shown(rung: int, kept: int | None) -> Context:
        return plain_context(state, arguments.window, kind, rung, kept=kept, roles=roles)

    limit, last = arguments.ladder.limit, ladder_length(state, arguments.window, kind)
    kept = start.kept if start else None
    rungs = range(start.rung if start else 0, last + 1) if kept is None else ()
    fit = _first_fit(((rung, shown(rung, None)) for rung in rungs), drafts, counter, limit)
    if fit is not None and fit.history is not None:
        return fit
    return _hollowed_fit(
        state, lambda kept: shown(last + 1, kept), drafts, arguments, counter, rung=last + 1, most=kept
    )


def fit_full(
    state: State,
    drafts: Sequence[Draft],
    counter: TokenCounter,
    limit: int,
    *,
    roles: Collection[Role],
    start: int = 0,
) -> Fit:
    """Drop the oldest returns, then the oldest steps, until the longest draft fits (D12).

    Parameters
    ----------
    state, drafts, counter
        As `fit_plain` takes them.
    limit
        Most tokens of the longest draft.
    roles
        Whose text is shown.
    start
        The rung to begin on.

    Returns
    -------
    Fit
        Without a history if even a context without any step is too long.
    """
    returns = sum(call.returns is not None for turn in state.turns for call in turn.calls)
    steps = sum(turn.is_step for turn in state.turns)
    contexts = ((rung, full_context(state, rung, roles=roles)) for rung in range(start, returns + steps + 1))
    fit = _first_fit(contexts, drafts, counter, limit)
    assert fit is not None
    return fit


def _first_fit(
    contexts: Iterator[tuple[int, Context]], drafts: Sequence[Draft], counter: TokenCounter, limit: int
) -> Fit | None:
    """Give the first rung that fits, else the last one without its history; None if there is none."""
    fit = None
    for rung, context in contexts:
        history = context.text()
        tokens = _longest(drafts, history, counter, limit)
        fit = Fit(history if tokens <= limit else None, rung, None, tokens)
        if fit.history is not None:
            return fit
    return fit


def _hollowed_fit(
    state: State,
    shown: Callable[[int], Context],
    drafts: Sequence[Draft],
    arguments: Arguments,
    counter: TokenCounter,
    *,
    rung: int,
    most: int | None,
) -> Fit:
    """Leave out as little of the request's middle as makes the longest draft fit."""
    limit = arguments.ladder.limit
    hollow = arguments.paths.roles_in_view() - {"assistant"}
    texts = [turn.text for turn in state.turns if turn.text and turn.role in hollow]
    least = max((_least_kept(text, arguments.ladder.request_left, counter) for text in texts), default=0)
    highest = max((len(text) for text in texts), default=0)
    low, high = least, max(least, highest if most is None else min(most, highest))

    def tried(kept: int) -> Fit:
        history = shown(kept).text()
        tokens = _longest(drafts, history, counter, limit)
        return Fit(history if tokens <= limit else None, rung, kept, tokens)

    best = tried(low)
    if best.history is None:
        return best
    while low < high:
        middle = (low + high + 1) // 2
        fit = tried(middle)
        if fit.history is None:
            high = middle - 1
        else:
            low, best = middle, fit
    return best


def _least_kept(text: str, tokens: int, counter: TokenCounter) -> int:
    """Give the fewest characters around the hole of a text that hold so many tokens."""

    def left(kept: int) -> int:
        head, tail = hollowed(text, kept)
        return counter.count(text[:head]) + counter.count(text[tail:])

    low, high = 0, len(text)
    while low < high:
        middle = (low + high) // 2
        low, high = (low, middle) if left(middle) >= tokens else (middle + 1, high)
    return low


def _longest(drafts: Sequence[Draft], history: str, counter: TokenCounter, limit: int) -> int:
    """Count the longest draft; near the limit, and wherever it fits, as one text."""
    if not drafts:
        return counter.count(history)
    counts = [draft.tokens(history, counter) for draft in drafts]
    longest = max(counts)
    if longest > limit + _SLACK:
        return longest
    least = longest - _SLACK if longest > limit - _SLACK else longest
    near = [draft for draft, count in zip(drafts, counts, strict=True) if count >= least]
    if least == longest:
        near = near[:1]  # far from the limit one of them tells
    return max(counter.count(f"{draft.state_text(history)}\n\n{draft.question}") for draft in near)


def _plain_drafters(arguments: Arguments, prompts: PromptSet) -> list[tuple[str, Drafter]]:
    """Give (unit, drafter) of each prompt that Plain is asked with; the standard ones if there is none."""
    asked = dict.fromkeys(
        (settings.unit, settings.prompt)
        for settings in arguments.inputs.values()
        if settings.context == "plain" and settings.reference is None and settings.add == "none"
    )
    return [(unit, Drafter(arguments, prompts, prompt)) for unit, prompt in asked or {("value", None): None}]


def _plain_drafts(drafter: tuple[str, Drafter], state: State, call: ProposedCall) -> Iterator[Draft]:
    unit, write = drafter
    if unit == "call":
        yield write.call(state, call.function, call.arguments)
        return
    for parameter, value in call.arguments.items():
        yield write.value(state, call.function, parameter, value)
