"""Questions to judges without their history: what is put around it, and how long that is."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Literal

from plumbline.arguments.question_text import (
    call_line,
    fenced_passages,
    function_line,
    function_named,
    parameter_line,
    shown_schema,
    value_line,
)
from plumbline.arguments.schema_facts import schema_facts
from plumbline.arguments.tokens import TokenCounter
from plumbline.config.arguments import Arguments
from plumbline.models.prompts import PromptSet
from plumbline.records.arguments import State

HISTORY = "\x00\ufffehistory\ufffe\x00"
"""Stands for the history while the rest is rendered; no text of a data set holds it."""


@dataclass(frozen=True, slots=True)
class Draft:
    """A question of one item.

    Attributes
    ----------
    pieces
        Text of the state; the history stands between each two of them.
    question
        The question itself.
    """

    pieces: tuple[str, ...]
    question: str

    def state_text(self, history: str) -> str:
        """Put the history in."""
        return history.join(self.pieces)

    def tokens(self, history: str, counter: TokenCounter) -> int:
        """Count state and question: the history is counted once for all its items, so within a few tokens."""
        around = sum(counter.count(piece) for piece in self.pieces)
        history_tokens = (len(self.pieces) - 1) * counter.count(history)
        return around + history_tokens + counter.count(f"\n\n{self.question}")


class Drafter:
    """Writes questions about values and calls, all but their history.

    Parameters
    ----------
    arguments
        The section of the run.
    prompts
        Its prompt files: of a prompt NAME the user's message `NAME.user.md`, `NAME.state.md` and
        `NAME.question.md`; either of the last two, if missing, is that of `judge_value` or `judge_call`.
    prompt
        The prompt; None takes `judge_value` or `judge_call`.
    """

    def __init__(self, arguments: Arguments, prompts: PromptSet, prompt: str | None) -> None:
        self._arguments = arguments
        self._prompts = prompts
        self._prompt = prompt

    def value(
        self,
        state: State,
        function: str,
        parameter: str,
        value: Any,
        *,
        reference: str | None = None,
        snippets: Iterable[tuple[str, str]] = (),
        facts: bool = False,
    ) -> Draft:
        """Ask about one value of a call.

        Parameters
        ----------
        state, function, parameter, value
            What is judged.
        reference
            Text of the reference block.
        snippets
            Title and text of passages of the history.
        facts
            Whether the line of schema facts is added, where the parameter has a default (D26).
        """
        tool = function_named(state, function)
        passages = list(snippets)
        return self._draft(
            "value",
            function=function_line(tool),
            parameter=parameter_line(tool, parameter, shown_schema(self._arguments, state.dataset)),
            value=value_line(value),
            reference=_block(reference),
            snippets=fenced_passages(passages) if passages else "",
            facts=(schema_facts(state, tool, parameter, self._arguments.facts_around) or "") if facts else "",
        )

    def call(
        self, state: State, function: str, arguments: dict[str, Any], *, reference: str | None = None
    ) -> Draft:
        """Ask about a whole call (C-D8)."""
        return self._draft(
            "call",
            function=function_line(function_named(state, function)),
            call=call_line(function, arguments),
            reference=_block(reference),
        )

    def user_prompt(self, unit: Literal["value", "call"]) -> str:
        """Name the prompt whose user message holds state and question."""
        return self._prompt or f"judge_{unit}"

    def _draft(self, unit: Literal["value", "call"], **values: str) -> Draft:
        state = self._prompts.text(self._file(unit, "state"), history=HISTORY, **values).rstrip("\n")
        question = self._prompts.text(self._file(unit, "question"), **values).strip()
        return Draft(tuple(state.split(HISTORY)), question)

    def _file(self, unit: Literal["value", "call"], part: str) -> str:
        own = f"{self.user_prompt(unit)}.{part}.md"
        return own if (self._prompts.folder / own).exists() else f"judge_{unit}.{part}.md"


def _block(reference: str | None) -> str:
    return "" if reference is None else fenced_passages([("expected", reference)])
