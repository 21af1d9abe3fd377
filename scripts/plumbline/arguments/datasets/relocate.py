"""FCRB-Relocate: a value that the request stated now stands in what an earlier call returned (D22)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from plumbline.arguments.contexts import shown_context
from plumbline.arguments.datasets.account import Account
from plumbline.arguments.datasets.base import BaseData
from plumbline.arguments.datasets.move import Move, request_problem, template_request
from plumbline.arguments.datasets.moves import plan_moves
from plumbline.arguments.datasets.saved_items import (
    FUNCTION,
    PLACEMENTS,
    Placement,
    assert_placement,
    saved_items_tool,
)
from plumbline.arguments.datasets.stated import turn_texts
from plumbline.arguments.datasets.wrong_calls import gold_id
from plumbline.arguments.paths import PathFinder
from plumbline.config.argument_datasets import RelocateDataset
from plumbline.records.arguments import (
    HistoryCall,
    ProposedCall,
    RelocatedRequest,
    State,
    Turn,
    WrittenCalls,
)
from plumbline.records.model import Tool, ToolCall

H_RULE, C_RULE = "rule:relocated_distractor", "rule:relocated_control"
"""Who made the wrong calls: H takes the value of the first distractor, C a value that is in no text."""


def relocated_states(
    name: str,
    dataset: RelocateDataset,
    base: BaseData,
    rewritten: Mapping[str, RelocatedRequest] | None,
    account: Account,
) -> list[State]:
    """Build the states of one version, visible or buried.

    Parameters
    ----------
    name
        The data set's name in the run.
    dataset
        Its settings.
    base
        The data set `of`, finished.
    rewritten
        The rewriter's requests by the id of the state of `base`; None or one that is not ok: the template.
    account
        Counts what was moved and how the request was rewritten, and what was left out and why.

    Returns
    -------
    list of State
        Both versions have the same states under the same ids, and differ in the order of the entries alone.
        `gold` is the one call whose value moved; `written` are the wrong calls H and, where there is one, C.

    Raises
    ------
    PlacementError
        If a promise of D22 is broken.

    Notes
    -----
    Item D22, C-D17. The template puts "the PARAMETER of my saved item NAME" where the value stood.
    """
    states = []
    for move in plan_moves(dataset, base, account):
        text, how = _request(move, rewritten)
        built = {placement: _state(name, placement, base, move, text) for placement in PLACEMENTS}
        problem = _path_problem(built, base)
        if problem:
            account.drop(problem, move.state.state_id)
            continue
        account.count(f"requests rewritten by the {how}")
        account.count("values H")
        account.count("values C", len(built[dataset.placement].written) - 1)
        states.append(built[dataset.placement])
    account.count("states", len(states))
    return states


def relocated_calls(states: Sequence[State]) -> list[ProposedCall]:
    """Give the calls of relocated states; the moved value is the only argument with a label.

    Parameters
    ----------
    states
        As `relocated_states` gives them.
    """
    calls = []
    for state in states:
        gold = state.gold[0]
        parameter = moved_parameter(state)
        twin = gold_id(state, 0)
        calls.append(_call(state, gold, parameter, twin, "gold", None))
        for wrong in state.written:
            identifier = f"{state.state_id}|{wrong.made_by}|0"
            calls.append(_call(state, wrong.calls[0], parameter, identifier, wrong.made_by, twin))
    return calls


def _request(move: Move, rewritten: Mapping[str, RelocatedRequest] | None) -> tuple[str, str]:
    """Give the rewriter's request if it is sound, else the template's, and which it is."""
    if rewritten is None:
        return template_request(move), "template"
    answer = rewritten.get(move.state.state_id)
    status = answer.status if answer is not None else "not_asked"
    if answer is not None and status == "ok" and answer.text:
        problem = request_problem(move, answer.text)
        if problem is None:
            return answer.text, "model"
        status = problem[0]
    return template_request(move), f"template, as the model's was {status}"


def _state(name: str, placement: Placement, base: BaseData, move: Move, text: str) -> State:
    before = move.with_request(text)
    returns = move.items.text(placement)
    assert_placement(
        move.items,
        placement,
        text,
        [part for index, turn in enumerate(before.turns) if index != move.turn for part in turn_texts(turn)],
        move.control,
        base.arguments.window.cut,
    )
    step = Turn(role="assistant", calls=(HistoryCall(name=FUNCTION, returns=returns),))
    wrong = [(H_RULE, move.items.values[1]), (C_RULE, move.control)]
    return before.model_copy(
        update={
            "state_id": f"{move.state.state_id}.moved",
            "dataset": name,
            "turns": (*before.turns, step),
            "functions": (*before.functions, saved_items_tool()),
            "gold": (move.call,),
            "accepted": None,
            "written": tuple(
                WrittenCalls(made_by=made_by, calls=(_with(move.call, move.item.parameter, value),))
                for made_by, value in wrong
                if value is not None
            ),
        }
    )


def _path_problem(built: Mapping[Placement, State], base: BaseData) -> str | None:
    """Say which value is not where the judges' context has it by the rules of paths (D2); None if all are."""
    for placement, state in built.items():
        gold = state.gold[0]
        function = next((tool for tool in state.functions if tool.name == gold.name), Tool(name=gold.name))
        finder = PathFinder(state, shown_context(state, base.arguments), base.arguments.paths)
        parameter = moved_parameter(state)
        correct = finder.match(gold.arguments[parameter], function, parameter).path
        if correct != ("visible" if placement == "visible" else "history_only"):
            return f"the {placement} value is on the path {correct}"
        for wrong in state.written:
            path = finder.match(wrong.calls[0].arguments[parameter], function, parameter).path
            if wrong.made_by == H_RULE and path != "visible":
                return f"H is on the path {path}"
            if wrong.made_by == C_RULE and path not in ("no_source", "default"):
                return f"C is on the path {path}"
    return None


def moved_parameter(state: State) -> str:
    """Name the parameter whose value was moved: the one in which H differs from gold."""
    first = state.written[0].calls[0]
    return next(key for key, value in state.gold[0].arguments.items() if first.arguments[key] != value)


def _with(call: ToolCall, parameter: str, value: Any) -> ToolCall:
    return call.model_copy(update={"arguments": {**call.arguments, parameter: value}})


def _call(
    state: State, call: ToolCall, parameter: str, identifier: str, made_by: str, twin: str | None
) -> ProposedCall:
    correct = twin is None or made_by == "gold"
    return ProposedCall(
        call_id=identifier,
        state_id=state.state_id,
        query_id=state.query_id,
        dataset=state.dataset,
        function=call.name,
        arguments=call.arguments,
        label="correct" if correct else "wrong",
        made_by=made_by,
        changed=() if correct else (parameter,),
        labels={parameter: "correct" if correct else "wrong"},
        twin=None if correct else twin,
    )
