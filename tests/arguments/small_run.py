"""A small state by hand, settings around it, and a counter whose counts can be checked on paper."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from plumbline.arguments.inputs import Renderer
from plumbline.arguments.ladder import fit_states
from plumbline.config.arguments import Arguments
from plumbline.models.prompts import PromptSet
from plumbline.records import Tool, ToolCall
from plumbline.records.arguments import (
    ArgumentItem,
    HistoryCall,
    ProposedCall,
    State,
    Turn,
    ValueReference,
)

PROMPTS = Path(__file__).parent.parent.parent / "prompts"

BOOK = Tool(
    name="book_room",
    description="Books a room.",
    parameters={
        "type": "object",
        "properties": {
            "hotel_id": {"type": "string", "description": "Id of the hotel."},
            "board": {
                "type": "string",
                "description": "Meals.",
                "enum": ["none", "half_board"],
                "default": "none",
            },
        },
    },
)


class Words:
    """Counts words: what white space parts."""

    name = "words"

    def count(self, text: str) -> int:
        return len(text.split())


def step(name: str, returns: str | None, **arguments: Any) -> Turn:
    return Turn(role="assistant", calls=(HistoryCall(name=name, arguments=arguments, returns=returns),))


def state(*turns: Turn, dataset: str = "cfb", **more: Any) -> State:
    request = Turn(role="user", text="Book me the cheapest hotel in Lima, breakfast only.")
    gold = (ToolCall(name="book_room", arguments={"hotel_id": "h7", "board": "none"}),)
    return State(
        state_id="s1",
        query_id="q1",
        dataset=dataset,
        turns=(request, *turns),
        functions=(BOOK,),
        gold=gold,
        **more,
    )


def call(call_id: str = "c1", label: str = "correct", **arguments: Any) -> ProposedCall:
    return ProposedCall.model_validate(
        {
            "call_id": call_id,
            "state_id": "s1",
            "query_id": "q1",
            "dataset": "cfb",
            "function": "book_room",
            "arguments": arguments or {"hotel_id": "h7", "board": "none"},
            "label": label,
            "made_by": "gold",
        }
    )


def items_of(*calls: ProposedCall) -> list[ArgumentItem]:
    return [
        ArgumentItem(
            item_id=f"{one.call_id}.{parameter}",
            state_id=one.state_id,
            query_id=one.query_id,
            dataset=one.dataset,
            function=one.function,
            parameter=parameter,
            value=value,
            label=one.label,
            path="visible",
            call_id=one.call_id,
        )
        for one in calls
        for parameter, value in one.arguments.items()
    ]


def settings(**more: Any) -> Arguments:
    base: dict[str, Any] = {
        "datasets": {"cfb": {"kind": "cfb"}},
        "judges": {"judge": {"model": "m"}},
        "references": {"deref": {"kind": "derive_value", "model": "m"}},
        "inputs": {
            "plain": {},
            "full": {"context": "full"},
            "deref": {"reference": "deref"},
            "snippets": {"add": "snippets"},
            "facts": {"add": "schema_facts"},
            "call": {"unit": "call"},
        },
        "blocks": {"main": {"inputs": ["plain"]}},
    }
    return Arguments.model_validate({**base, **more})


def reference(
    text: str | None, parameter: str = "hotel_id", status: str = "ok", **more: Any
) -> ValueReference:
    about = {"kind": "derive_value", "reference": "deref", **more}
    return ValueReference(
        state_id="s1",
        function="book_room",
        parameter=parameter,
        dataset="cfb",
        status=status,
        text=text,
        **about,
    )


def renderer(
    arguments: Arguments,
    name: str,
    one: State,
    calls: list[ProposedCall],
    references: list[ValueReference] | None = None,
    base: list[ValueReference] | None = None,
    context_limit: int | None = None,
) -> Renderer:
    prompts, counter = PromptSet(PROMPTS), Words()
    return Renderer(
        arguments,
        name,
        states=[one],
        calls=calls,
        contexts=fit_states([one], calls, arguments, counter, prompts),
        references=references or [],
        base=base,
        prompts=prompts,
        counter=counter,
        context_limit=context_limit,
    )
