"""FCRB-Relocate: a value that the request stated now stands in what an earlier call returned (D22)."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from plumbline.arguments.datasets.account import Account
from plumbline.arguments.datasets.base import BaseData
from plumbline.arguments.datasets.moves import Move, plan_moves
from plumbline.arguments.datasets.saved_items import FUNCTION, assert_placement, saved_items_tool
from plumbline.arguments.datasets.stated import places, states_value, turn_texts, written
from plumbline.arguments.datasets.wrong_calls import gold_id
from plumbline.config.argument_datasets import RelocateDataset
from plumbline.corpora.values import leaves
from plumbline.records.arguments import (
    HistoryCall,
    ProposedCall,
    RelocatedRequest,
    State,
    Turn,
    WrittenCalls,
)
from plumbline.records.model import ToolCall

H_RULE, C_RULE = "rule:relocated_distractor", "rule:relocated_control"
"""Who made the wrong calls: H takes the value of the first distractor, C a value that is in no text."""

_QUOTES = {'"': '"', "'": "'", "`": "`", "“": "”", "‘": "’"}


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
        problem = request_problem(move, text)
        if problem:
            account.drop(f"even the template fails: {problem[1]}", move.state.state_id)
            continue
        account.count(f"requests rewritten by the {how}")
        states.append(_state(name, dataset, base, move, text))
        account.count("values H")
        account.count("values C", int(move.control is not None))
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
        first = state.written[0].calls[0]
        parameter = next(key for key, value in gold.arguments.items() if first.arguments[key] != value)
        twin = gold_id(state, 0)
        calls.append(_call(state, gold, parameter, twin, "gold", None))
        for wrong in state.written:
            identifier = f"{state.state_id}|{wrong.made_by}|0"
            calls.append(_call(state, wrong.calls[0], parameter, identifier, wrong.made_by, twin))
    return calls


def template_request(move: Move) -> str:
    """Rewrite the message by template: its value is named by the entry that holds it.

    Quotation marks around the value, and a currency sign before it, go with it.
    """
    phrase = f'the {_words(move.item.parameter)} of my saved item "{move.name}"'
    text = move.state.turns[move.turn].text or ""
    for start, end in reversed(places(text, move.stated)):
        if text[start - 1 : start] in _QUOTES and text[end : end + 1] == _QUOTES[text[start - 1]]:
            start, end = start - 1, end + 1
        elif start and text[start - 1] in "$€£¥":
            start -= 1
        text = text[:start] + phrase + text[end:]
    return text


def request_problem(move: Move, text: str) -> tuple[str, str] | None:
    """Say what is wrong with a rewritten request, as a status and in words; None if nothing is.

    Statuses: `empty`; `value_kept`, it still states the value; `entry_missing`, it does not name the entry;
    `values_lost`, it lacks another value of the gold call that the request stated before.
    """
    if not text.strip():
        return "empty", "the request is blank"
    if states_value(text, move.item.value):
        return "value_kept", f"the request still states {written(move.item.value)}"
    if not places(text, move.name):
        return "entry_missing", f"the request does not name the entry {move.name}"
    before = move.state.turns[move.turn].text or ""
    kept = [value for key, value in move.call.arguments.items() if key != move.item.parameter]
    for leaf in leaves(kept):
        if states_value(before, leaf) and not states_value(text, leaf):
            return "values_lost", f"the request no longer states {written(leaf)}"
    return None


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


def _state(name: str, dataset: RelocateDataset, base: BaseData, move: Move, text: str) -> State:
    before = move.with_request(text)
    returns = move.items.text(dataset.placement)
    assert_placement(
        move.items,
        dataset.placement,
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


def _words(parameter: str) -> str:
    """Write a parameter's name as words: `hotelName` and `hotel_name` are hotel name."""
    parted = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", " ", parameter)
    return " ".join(re.split(r"[\W_]+", parted)).strip().lower() or parameter
