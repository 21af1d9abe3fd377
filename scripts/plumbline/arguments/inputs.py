"""What a judge reads of an item: one text for every judge (D9 to D12, D26, D27, D29, D40, D42)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Literal

from plumbline.arguments.contexts import full_context, full_losses, plain_losses, window_kind
from plumbline.arguments.drafts import Draft, Drafter
from plumbline.arguments.ladder import Fit, calls_by_state, fit_full, fit_plain, overflow_detail
from plumbline.arguments.occurrences import passage_texts, value_passages
from plumbline.arguments.tokens import TokenCounter
from plumbline.config.arguments import Arguments
from plumbline.models.prompts import PromptSet
from plumbline.models.requests import Message
from plumbline.records.arguments import (
    ArgumentItem,
    ProposedCall,
    Shortened,
    State,
    StateContext,
    ValueReference,
)
from plumbline.records.statuses import ValueReferenceReason

NO_EVIDENCE: ValueReferenceReason = "no_evidence"
"""Status of evidence without a passage: its item is asked word for word as Plain, and so has its score."""


@dataclass(frozen=True, slots=True)
class Rendered:
    """An item as judges read it.

    Attributes
    ----------
    messages
        For a chat model, which is told to answer Yes or No.
    state_text, question
        For a judge that takes a state and a question; the chat's text holds the same.
    tokens
        Tokens of state and question, within a few.
    shortened
        What the ladder took from the history; None if it took nothing.
    """

    messages: tuple[Message, ...]
    state_text: str
    question: str
    tokens: int
    shortened: Shortened | None = None


@dataclass(frozen=True, slots=True)
class NotAsked:
    """Why an item is not asked."""

    status: Literal["overflow", "not_asked"]
    detail: str


@dataclass(frozen=True, slots=True)
class Taken:
    """How far down the ladder the inputs of a state are taken, and where they start."""

    fit: Fit
    start: Fit | StateContext

    @property
    def further(self) -> int:
        """Rungs between the two; more of the request's middle on the same rung counts as one."""
        rungs = self.fit.rung - self.start.rung
        kept, before = self.fit.kept, self.start.kept
        return rungs + (rungs == 0 and kept is not None and before is not None and kept < before)


class Renderer:
    """Writes the items of one data set under one input.

    Parameters
    ----------
    arguments
        The section of the run.
    name
        The input.
    states, calls
        All states of the data set and all proposed calls at them: the longest input of a state decides
        what all of them show of the history.
    contexts
        The states' rungs.
    references
        Lines of the reference that the input shows.
    base
        Lines of the reference that it is made from (`value_only`, `swap`): the input then shows the history
        that the one with this reference shows, so that nothing but the reference differs (D32, D42).
    prompts
        The run's prompt files.
    counter
        Counts tokens.
    context_limit
        Most tokens of an input with the full history, if the judge has a limit of its own (D12).
    """

    def __init__(
        self,
        arguments: Arguments,
        name: str,
        *,
        states: Iterable[State],
        calls: Iterable[ProposedCall],
        contexts: Iterable[StateContext],
        references: Iterable[ValueReference] = (),
        base: Iterable[ValueReference] | None = None,
        prompts: PromptSet,
        counter: TokenCounter,
        context_limit: int | None = None,
    ) -> None:
        self._arguments = arguments
        self._settings = arguments.inputs[name]
        self._states = {state.state_id: state for state in states}
        self._calls = calls_by_state(calls)
        self._contexts = {context.state_id: context for context in contexts}
        self._references = ReferenceLines(self._settings.reference, references)
        self._base = None if base is None else ReferenceLines(self._settings.reference, base)
        self._context_limit = context_limit
        self._prompts = prompts
        self._counter = counter
        self._drafter = Drafter(arguments, prompts, self._settings.prompt)
        self._fits: dict[str, Taken] = {}
        self._plain: dict[str, Taken] = {}

    def render(self, item: ArgumentItem | ProposedCall) -> Rendered | NotAsked:
        """Write what is asked of an item, or of a call if the input's unit is `call`.

        Returns
        -------
        Rendered or NotAsked
            Not asked is an item whose state does not fit, or whose reference is not ok. Evidence without a
            passage leaves Plain's text.
        """
        state = self._states[item.state_id]
        context = self._contexts.get(item.state_id)
        if self._settings.context == "plain" and (context is None or context.status != "ok"):
            return NotAsked("overflow", (context and context.detail) or "the state has no rung")
        if isinstance(item, ProposedCall):
            drafted = self._call(state, item, self._references)
        else:
            about = (item.call_id, item.function, item.parameter, item.value)
            drafted = self._value(state, *about, self._references)
        if isinstance(drafted, NotAsked):
            return drafted
        draft, adds = drafted
        taken = self._fit(state) if adds else self._plain_fit(state)
        fit = taken.fit
        if fit.history is None:
            return NotAsked("overflow", overflow_detail(fit, self._limit))
        state_text = draft.state_text(fit.history)
        messages = self._prompts.messages(
            self._drafter.user_prompt(self._settings.unit), state=state_text, question=draft.question
        )
        tokens = draft.tokens(fit.history, self._counter)
        return Rendered(messages, state_text, draft.question, tokens, self._shortened(state, taken))

    @property
    def _limit(self) -> int:
        ladder = self._arguments.ladder
        if self._settings.context == "plain":
            return ladder.limit
        return min(ladder.full_limit, self._context_limit or ladder.full_limit)

    def _shortened(self, state: State, taken: Taken) -> Shortened | None:
        fit = taken.fit
        if fit.rung == 0 and fit.kept is None:
            return None
        if self._settings.context == "full":
            returns, steps = full_losses(state, fit.rung)
        else:
            kind = window_kind(self._arguments, state.dataset)
            returns, steps = plain_losses(state, self._arguments.window, kind, fit.rung)
        return Shortened(rung=fit.rung, kept=fit.kept, returns=returns, steps=steps, further=taken.further)

    def _fit(self, state: State) -> Taken:
        """Find the rung of a state: its longest input decides, and Plain's rung is the first one tried."""
        if state.state_id not in self._fits:
            _make_room(self._fits)
            drafts = list(self._drafts(state, self._references))
            if self._base is None:
                self._fits[state.state_id] = self._fitted(state, drafts)
            else:
                base = self._fitted(state, list(self._drafts(state, self._base))).fit
                self._fits[state.state_id] = Taken(self._from(state, drafts, base), base)
        return self._fits[state.state_id]

    def _plain_fit(self, state: State) -> Taken:
        """Give what the state shows where nothing is added to it."""
        if state.state_id not in self._plain:
            _make_room(self._plain)
            self._plain[state.state_id] = self._fitted(state, list(self._bare(state)))
        return self._plain[state.state_id]

    def _fitted(self, state: State, drafts: list[Draft]) -> Taken:
        """Go down from Plain's rung; or from the full history, by all judges' limit and then our own."""
        if self._settings.context == "plain":
            start = self._contexts[state.state_id]
            return Taken(fit_plain(state, drafts, self._arguments, self._counter, start), start)
        roles = self._arguments.paths.roles_in_history()
        shared = fit_full(state, drafts, self._counter, self._arguments.ladder.full_limit, roles=roles)
        is_same = self._limit == self._arguments.ladder.full_limit
        return Taken(shared if is_same else self._from(state, drafts, shared), shared)

    def _from(self, state: State, drafts: list[Draft], start: Fit) -> Fit:
        """Go on from where other inputs end; what is not judged there is not judged here."""
        if start.history is None:
            return start
        if self._settings.context == "plain":
            return fit_plain(state, drafts, self._arguments, self._counter, start)
        roles = self._arguments.paths.roles_in_history()
        return fit_full(state, drafts, self._counter, self._limit, roles=roles, start=start.rung)

    def _drafts(self, state: State, references: ReferenceLines) -> Iterable[Draft]:
        for call in self._calls.get(state.state_id, ()):
            if self._settings.unit == "call":
                found = [self._call(state, call, references)]
            else:
                found = [
                    self._value(state, call.call_id, call.function, parameter, value, references)
                    for parameter, value in call.arguments.items()
                ]
            yield from (one[0] for one in found if not isinstance(one, NotAsked))

    def _bare(self, state: State) -> Iterable[Draft]:
        for call in self._calls.get(state.state_id, ()):
            if self._settings.unit == "call":
                yield self._drafter.call(state, call.function, call.arguments)
            else:
                for parameter, value in call.arguments.items():
                    yield self._drafter.value(state, call.function, parameter, value)

    def _value(
        self,
        state: State,
        call_id: str,
        function: str,
        parameter: str,
        value: Any,
        references: ReferenceLines,
    ) -> tuple[Draft, bool] | NotAsked:
        """Draft a value's question; says as well whether anything is added to Plain."""
        reference = references.find(state.state_id, function, parameter, call_id)
        if isinstance(reference, NotAsked):
            return reference
        snippets: list[tuple[str, str]] = []
        if reference is not None and reference.kind == "evidence":
            snippets = [("passage", reference.text or "")]
        elif self._settings.add == "snippets":
            history = full_context(state)
            passages = value_passages(value, history, self._arguments.snippets)
            snippets = list(passage_texts(passages, history))
        text = reference.text if reference is not None and not snippets else None
        facts = self._settings.add == "schema_facts"
        draft = self._drafter.value(
            state, function, parameter, value, reference=text, snippets=snippets, facts=facts
        )
        return draft, bool(text or snippets or facts)

    def _call(
        self, state: State, call: ProposedCall, references: ReferenceLines
    ) -> tuple[Draft, bool] | NotAsked:
        reference = references.find_of_call(call)
        if isinstance(reference, NotAsked):
            return reference
        draft = self._drafter.call(state, call.function, call.arguments, reference=reference)
        return draft, reference is not None


def _make_room(fits: dict[str, Taken]) -> None:
    """Forget the histories of earlier states: items come state by state, and histories are long."""
    if len(fits) >= 100:
        fits.clear()


class ReferenceLines:
    """The lines of one reference, found by the item that reads them.

    Parameters
    ----------
    name
        The reference; None if the input shows none.
    lines
        Its lines: for an argument of a call, for a whole call, or for a slot (D15).
    """

    def __init__(self, name: str | None, lines: Iterable[ValueReference]) -> None:
        self._name = name
        self._by_argument: dict[tuple[str, str], ValueReference] = {}
        self._by_call: dict[str, ValueReference] = {}
        self._by_slot: dict[tuple[str, str, str], ValueReference] = {}
        for line in lines:
            if line.call_id is not None and line.parameter is not None:
                self._by_argument[line.call_id, line.parameter] = line
            elif line.call_id is not None:
                self._by_call[line.call_id] = line
            elif line.parameter is not None:
                self._by_slot[line.state_id, line.function, line.parameter] = line

    def find(
        self, state_id: str, function: str, parameter: str, call_id: str
    ) -> ValueReference | None | NotAsked:
        """Give the reference of an argument; None if the input shows none, or evidence has no passage."""
        if self._name is None:
            return None
        line = (
            self._by_argument.get((call_id, parameter))
            or self._by_call.get(call_id)
            or self._by_slot.get((state_id, function, parameter))
        )
        if line is None:
            return NotAsked("not_asked", f"the reference {self._name} has no line for this item")
        if line.status == NO_EVIDENCE:
            return None
        if line.status != "ok":
            return NotAsked("not_asked", f"the reference's status is {line.status}")
        return line

    def find_of_call(self, call: ProposedCall) -> str | None | NotAsked:
        """Give the text of a whole call's reference: its own, or those of all its arguments."""
        if self._name is None:
            return None
        if call.call_id in self._by_call or not call.arguments:
            line = self.find(call.state_id, call.function, "", call.call_id)
            return line.text if isinstance(line, ValueReference) else line
        texts = []
        for parameter in call.arguments:
            line = self.find(call.state_id, call.function, parameter, call.call_id)
            if isinstance(line, NotAsked):
                return line
            if line is not None:
                texts.append(f"{parameter}: {line.text}")
        return "\n".join(texts) or None
