"""What models are asked for when they write references: one a slot, a candidate or a call (D14, D15)."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from plumbline.arguments.contexts import full_context, shown_context
from plumbline.arguments.drafts import HISTORY, Draft
from plumbline.arguments.ladder import fit_full
from plumbline.arguments.occurrences import value_passages
from plumbline.arguments.question_text import (
    call_line,
    function_line,
    function_named,
    parameter_line,
    shown_schema,
    value_line,
)
from plumbline.arguments.tokens import TokenCounter
from plumbline.config.argument_references import DerivedValue, Evidence, ModelReference, RevisedCall
from plumbline.config.arguments import Arguments
from plumbline.config.models import Decoding, Model
from plumbline.models import Request
from plumbline.models.prompts import PromptSet
from plumbline.models.requests import Message
from plumbline.records import UserError
from plumbline.records.arguments import ArgumentItem, ProposedCall, State, StateContext

_MARGIN = 0.95


@dataclass(frozen=True, eq=False)
class ReferenceStage:
    """The references of one data set that one model writes.

    Parameters
    ----------
    arguments
        The section of the run.
    name
        A reference that a model writes.
    slug, model, decoding
        The model by its name in the run, its settings, and how it decodes here.
    dataset
        The data set.
    states, calls, items, contexts
        Its files (those of a shard: all of a state together).
    prompts, counter
        The run's prompt files; what counts tokens.
    """

    arguments: Arguments
    name: str
    slug: str
    model: Model
    decoding: Decoding
    dataset: str
    states: Sequence[State]
    calls: Sequence[ProposedCall]
    items: Sequence[ArgumentItem]
    contexts: Sequence[StateContext]
    prompts: PromptSet
    counter: TokenCounter

    @cached_property
    def settings(self) -> ModelReference:
        """Settings of the reference."""
        settings = self.arguments.references[self.name]
        if not isinstance(settings, ModelReference):
            raise UserError(
                f"arguments.references.{self.name} is made of another reference; no model is asked."
            )
        return settings

    @cached_property
    def context_of(self) -> Mapping[str, StateContext]:
        """The states' rungs."""
        return {context.state_id: context for context in self.contexts}


@dataclass(frozen=True)
class Wanted:
    """A reference that is wanted, for all who read it.

    Attributes
    ----------
    state, function
        The call under judgment.
    parameter
        None for a whole call.
    readers
        (item id, call id) of each line that is written: (None, None) for a slot.
    candidate
        What the writer sees of the proposal: nothing, or a dictionary with `value` or `arguments`.
    """

    state: State
    function: str
    parameter: str | None
    readers: tuple[tuple[str | None, str | None], ...]
    candidate: Mapping[str, Any] = field(default_factory=dict)

    def item(self, stage: ReferenceStage) -> str:
        """Name the question in the journal."""
        shown = json.dumps(dict(self.candidate), sort_keys=True, ensure_ascii=False) if self.candidate else ""
        return "|".join((stage.name, self.state.state_id, self.function, self.parameter or "", shown))


def wanted_references(stage: ReferenceStage) -> Iterator[Wanted]:
    """List the references of a stage, by state: those of one state share the beginning of their prompts.

    Yields
    ------
    Wanted
        For `derive_value` one a slot (state, function, parameter) that any item fills; if the writer sees the
        candidate, and for `evidence`, one for each different value of a slot; for `revise_call` one a call.
    """
    items: dict[str, list[ArgumentItem]] = {}
    for item in stage.items:
        items.setdefault(item.state_id, []).append(item)
    calls: dict[str, list[ProposedCall]] = {}
    for call in stage.calls:
        calls.setdefault(call.state_id, []).append(call)
    for state in stage.states:
        if isinstance(stage.settings, RevisedCall):
            for call in calls.get(state.state_id, ()):
                yield Wanted(
                    state, call.function, None, ((None, call.call_id),), {"arguments": call.arguments}
                )
        else:
            yield from _of_values(state, items.get(state.state_id, ()), _sees_candidate(stage.settings))


def reference_requests(stage: ReferenceStage) -> Iterator[Request]:
    """Give the requests of a stage, in the order of `wanted_references`; what cannot be asked is left out."""
    for _, request in asked_references(stage):
        if request is not None:
            yield request


def asked_references(stage: ReferenceStage) -> Iterator[tuple[Wanted, Request | None]]:
    """Pair each reference with its request; None if the history does not fit the model.

    Notes
    -----
    The full history is uncut (D14) as long as it fits the model's context beside the answer; where it does
    not, the oldest returns go, then the oldest steps (D12), and the prompt says so.
    """
    group: list[Wanted] = []
    for wanted in wanted_references(stage):
        if group and group[0].state is not wanted.state:
            yield from _of_state(stage, group)
            group = []
        group.append(wanted)
    if group:
        yield from _of_state(stage, group)


def count_references(stage: ReferenceStage) -> int:
    """Count the references that are wanted, without writing a prompt."""
    return sum(1 for _ in wanted_references(stage))


def _sees_candidate(settings: ModelReference) -> bool:
    return isinstance(settings, Evidence) or (isinstance(settings, DerivedValue) and settings.sees_candidate)


def _of_values(state: State, items: Sequence[ArgumentItem], sees_candidate: bool) -> Iterator[Wanted]:
    slots: dict[tuple[str, str, str], list[ArgumentItem]] = {}
    for item in items:
        value = json.dumps(item.value, sort_keys=True) if sees_candidate else ""
        slots.setdefault((item.function, item.parameter, value), []).append(item)
    for (function, parameter, _), members in slots.items():
        if sees_candidate:
            readers = tuple((item.item_id, item.call_id) for item in members)
            yield Wanted(state, function, parameter, readers, {"value": members[0].value})
        else:
            yield Wanted(state, function, parameter, ((None, None),))


def _of_state(stage: ReferenceStage, group: Sequence[Wanted]) -> Iterator[tuple[Wanted, Request | None]]:
    if stage.model.engine == "simulated":
        for wanted in group:
            simulation = {"kind": "text", "text": simulated_text(stage, wanted)}
            yield wanted, Request(wanted.item(stage), (), stage.decoding, simulation=simulation)
        return
    messages = [_messages(stage, wanted, None) for wanted in group]
    history, left_out = _history(stage, group[0].state, messages)
    for wanted, written in zip(group, messages, strict=True):
        if history is None:
            yield wanted, None
            continue
        if left_out is not None:
            written = _messages(stage, wanted, left_out)
        filled = tuple(
            Message(role=message["role"], content=message["content"].replace(HISTORY, history))
            for message in written
        )
        yield wanted, Request(wanted.item(stage), filled, stage.decoding)


def _messages(stage: ReferenceStage, wanted: Wanted, left_out: str | None) -> tuple[Message, ...]:
    """Render a prompt, all but its history. A slot's prompt is made of state and schema alone (D14)."""
    settings, tool = stage.settings, function_named(wanted.state, wanted.function)
    shows = shown_schema(stage.arguments, stage.dataset)
    assert isinstance(settings, DerivedValue | RevisedCall | Evidence)
    values: dict[str, Any] = {"history": HISTORY, "function": function_line(tool), "left_out": left_out}
    if isinstance(settings, RevisedCall):
        arguments = wanted.candidate["arguments"]
        declared = tool.parameters.get("properties")
        names = [*(declared if isinstance(declared, dict) else ()), *arguments]
        values["parameters"] = [parameter_line(tool, name, shows) for name in dict.fromkeys(names)]
        values["call"] = call_line(wanted.function, arguments)
    else:
        parameter = wanted.parameter or ""
        values["parameter"] = parameter_line(tool, parameter, shows)
        values["parameter_name"] = value_line(parameter)
        values["candidate"] = value_line(wanted.candidate["value"]) if wanted.candidate else None
        values["complete"] = not _is_plain(stage)
    return stage.prompts.messages(settings.prompt, **values)


def _history(
    stage: ReferenceStage, state: State, prompts: Sequence[tuple[Message, ...]]
) -> tuple[str | None, str | None]:
    """Give the history as text, and what it lacks of the full one; no text if it does not fit."""
    if _is_plain(stage):
        context = stage.context_of.get(state.state_id)
        if context is None or context.status != "ok":
            return None, None
        return shown_context(state, stage.arguments, context).text(), None
    drafts = [
        Draft(tuple("\n".join(message["content"] for message in messages).split(HISTORY)), "")
        for messages in prompts
    ]
    room = stage.model.context_length - min(stage.decoding.max_tokens, stage.model.context_length // 2)
    roles = stage.arguments.paths.roles_in_history()
    fit = fit_full(state, drafts, stage.counter, int(_MARGIN * room), roles=roles)
    lost = "the oldest parts are left out, for they do not fit" if fit.rung else None
    return fit.history, lost


def _is_plain(stage: ReferenceStage) -> bool:
    return isinstance(stage.settings, DerivedValue) and stage.settings.context == "plain"


def simulated_text(stage: ReferenceStage, wanted: Wanted) -> str:
    """Write what a simulated model answers: right with the probability `simulation.agreement`."""
    draw = random.Random(f"{stage.model.simulation.seed}|{wanted.item(stage)}")  # noqa: S311, no secret
    right = draw.random() < stage.model.simulation.agreement
    gold = next((call for call in wanted.state.gold if call.name == wanted.function), None)
    arguments = gold.arguments if gold is not None else {}
    if isinstance(stage.settings, RevisedCall):
        return call_line(wanted.function, arguments if right and gold else wanted.candidate["arguments"])
    if isinstance(stage.settings, Evidence):
        history = full_context(wanted.state)
        found = value_passages(wanted.candidate["value"], history, stage.arguments.snippets) if right else []
        texts = [history.parts[place.part].text[place.start : place.end] for place in found]
        return json.dumps(texts, ensure_ascii=False)
    if right and wanted.parameter in arguments:
        return f"The value should be {value_line(arguments[wanted.parameter])}."
    return "The value is not determined by the material."
