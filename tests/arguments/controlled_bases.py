"""Small data sets, written by hand, that the controlled sets of the tests are made of."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from plumbline.arguments.datasets.account import Account
from plumbline.arguments.datasets.base import BaseData
from plumbline.arguments.datasets.wrong_calls import proposed_calls
from plumbline.arguments.items import build_items
from plumbline.config.arguments import Arguments
from plumbline.records import Tool, ToolCall
from plumbline.records.arguments import HistoryCall, State, Turn, WrittenCalls

CITIES = (
    *("Oslo", "Lisbon", "Vienna", "Prague", "Warsaw", "Athens", "Dublin"),
    *("Helsinki", "Tallinn", "Bergen", "Zagreb", "Madrid", "Geneva", "Naples"),
)


def settings(datasets: Mapping[str, Any], **other: Any) -> Arguments:
    """Settings of argument judging with these data sets."""
    return Arguments.model_validate(
        {
            "datasets": datasets,
            "judges": {"judge": {"model": "model"}},
            "inputs": {"plain": {}},
            "blocks": {"main": {"inputs": ["plain"]}},
            **other,
        }
    )


def base_of(states: Sequence[State], arguments: Arguments, rules: Sequence[Any] = ()) -> BaseData:
    """The finished data of hand-written states; wrong calls are those that came with them, or of rules."""
    calls = proposed_calls(states, (), rules, 1, Account(), paired=False)
    return BaseData(states, calls, build_items(states, calls, (), arguments), (), arguments)


def weather_states(request: str = "What is the weather in {city} on day {day}?") -> list[State]:
    """One state for each city, without earlier calls; the wrong call asks for Atlantis."""
    tool = Tool(
        name="get_weather",
        description="The weather of a city.",
        parameters={
            "type": "object",
            "properties": {"city": {"type": "string"}, "day": {"type": "integer"}},
            "required": ["city", "day"],
        },
    )
    return [
        State(
            state_id=f"base.{place}",
            query_id=f"q{place}",
            dataset="base",
            turns=(Turn(role="user", text=request.format(city=city, day=100 + place)),),
            functions=(tool,),
            gold=(ToolCall(name="get_weather", arguments={"city": city, "day": 100 + place}),),
            written=(
                WrittenCalls(
                    made_by="import:someone",
                    calls=(ToolCall(name="get_weather", arguments={"city": "Atlantis", "day": 100 + place}),),
                ),
            ),
        )
        for place, city in enumerate(CITIES)
    ]


def step(name: str, arguments: Mapping[str, Any], returns: str | None, text: str | None = None) -> Turn:
    """A step of the history with one call."""
    call = HistoryCall(name=name, arguments=dict(arguments), returns=returns)
    return Turn(role="assistant", text=text, calls=(call,))


def state(
    name: str,
    turns: Sequence[Turn],
    function: str,
    arguments: Mapping[str, Any],
    wrong: Mapping[str, Any] | None = None,
    *,
    query: str = "q",
    made_by: str = "import:someone",
) -> State:
    """A state with one gold call and, if one is given, one wrong call of it."""
    tool = Tool(name=function, parameters={"type": "object", "properties": {key: {} for key in arguments}})
    written = (
        ()
        if wrong is None
        else (
            WrittenCalls(made_by=made_by, calls=(ToolCall(name=function, arguments={**arguments, **wrong}),)),
        )
    )
    return State(
        state_id=name,
        query_id=query,
        dataset="base",
        turns=tuple(turns),
        functions=(tool,),
        gold=(ToolCall(name=function, arguments=dict(arguments)),),
        written=written,
    )
