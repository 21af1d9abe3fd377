"""Odd material, from a user's file to the judge's text: nothing is lost, what is not asked says why."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from plumbline.arguments.datasets import Account, build_calls, build_states
from plumbline.arguments.inputs import NotAsked, Renderer
from plumbline.arguments.items import build_items
from plumbline.arguments.ladder import fit_states
from plumbline.config.argument_datasets import FintraceDataset
from plumbline.config.arguments import Arguments
from plumbline.models.prompts import PromptSet
from plumbline.records import DataError, UserError
from plumbline.records.arguments import ProposedCall, State
from plumbline.report.items_page import items_page

ROOT = Path(__file__).parents[2]

VALUES: dict[str, Any] = {
    "nothing": None,
    "empty": "",
    "list": ["a", [1, None], {"deep": {"er": "</script>\n=== end"}}],
    "nested": {"k": {"l": []}},
    "no": False,
    "cut": "half \U0001f468\u200d\U0001f469\u200d\U0001f467 family",
    "long": "x" * 50_000,
}
BEFORE = "A" * 199_000 + "\U0001f468\u200d\U0001f469\u200d\U0001f467" + "needle" + "B" * 1_000


class Characters:
    """Four characters a token."""

    name = "characters"

    def count(self, text: str) -> int:
        return len(text) // 4


def written(folder: Path, limit: int = 2048) -> Arguments:
    """Settings of a run on a user's file with one state and one call."""
    calls = [{"name": "look", "returns": BEFORE}, {"name": "dangling"}]
    turns = [{"role": "user", "text": "Go on."}, {"role": "assistant", "calls": calls}]
    state = {
        "state_id": "s",
        "query_id": "q",
        "dataset": "mine",
        "turns": turns,
        "functions": [{"name": "act", "parameters": {"properties": {"nothing": True, "list": {}}}}],
        "gold": [{"name": "act", "arguments": VALUES}],
    }
    right = {
        "call_id": "s.right",
        "state_id": "s",
        "query_id": "q",
        "dataset": "mine",
        "function": "act",
        "arguments": VALUES,
        "label": "correct",
        "made_by": "gold",
    }
    for name, row in (("states", state), ("calls", right)):
        (folder / f"{name}.jsonl").write_text(json.dumps(row) + "\n", encoding="utf-8")
    local = {"kind": "local", "states": f"{folder}/states.jsonl", "calls": f"{folder}/calls.jsonl"}
    return Arguments.model_validate(
        {
            "datasets": {"mine": local},
            "judges": {"judge": {"model": "model"}},
            "inputs": {
                "plain": {},
                "full": {"context": "full"},
                "snippets": {"add": "snippets"},
                "facts": {"add": "schema_facts"},
            },
            "blocks": {"main": {"inputs": ["plain"]}},
            "ladder": {"limit": limit, "full_limit": 200_000},
        }
    )


def built(arguments: Arguments) -> tuple[list[State], list[ProposedCall]]:
    dataset = arguments.datasets["mine"]
    states = build_states("mine", dataset, files={}, seed=1, account=Account())
    return states, build_calls(dataset, states, (), 1, account=Account())


@pytest.mark.parametrize("limit", [2048, 200_000])
def test_each_value_of_odd_material_is_an_item_and_is_asked_or_says_why_not(
    tmp_path: Path, limit: int
) -> None:
    arguments = written(tmp_path, limit)
    states, calls = built(arguments)
    prompts, counter = PromptSet(ROOT / "prompts"), Characters()
    contexts = fit_states(states, calls, arguments, counter, prompts)
    items = build_items(states, calls, contexts, arguments)
    assert {item.parameter: item.value for item in items} == VALUES
    for name in arguments.inputs:
        renderer = Renderer(
            arguments, name, states=states, calls=calls, contexts=contexts, prompts=prompts, counter=counter
        )
        for item in items:
            found = renderer.render(item)
            if limit == 2048 and name != "full":
                assert isinstance(found, NotAsked)  # one value alone is longer than the ladder's limit
                assert found.status == "overflow"
                assert "tokens" in found.detail
            else:
                assert not isinstance(found, NotAsked)
                value = json.dumps(item.value, ensure_ascii=False)[:9]
                assert f"Proposed value: {value}" in found.state_text
                assert "\n=== end" not in found.state_text
    page = items_page(states, items, contexts, arguments, "small", "mine")
    assert all(name in page for name in VALUES)
    assert "</script>\\n=== end" not in page


def test_a_data_set_whose_calls_no_rule_can_change_is_an_error_that_says_why(tmp_path: Path) -> None:
    call = {"id": "c", "function": {"name": "get", "arguments": json.dumps({"flag": True})}}
    talk = [{"role": "user", "content": "Get it."}, {"role": "assistant", "tool_calls": [call]}]
    (tmp_path / "testset.json").write_text(json.dumps([{"id": "1", "messages": talk}]), encoding="utf-8")
    tool = {"type": "function", "function": {"name": "get"}}
    (tmp_path / "functions.json").write_text(json.dumps([tool]), encoding="utf-8")
    dataset = FintraceDataset(
        kind="fintrace", path=f"{tmp_path}/testset.json", functions=f"{tmp_path}/functions.json"
    )
    states = build_states("fin", dataset, files={}, seed=1, account=Account())
    with pytest.raises(UserError, match="gold calls that no rule can make wrong"):
        build_calls(dataset, states, (), 1, account=Account())


def test_an_empty_file_is_an_error_that_names_it(tmp_path: Path) -> None:
    arguments = written(tmp_path)
    (tmp_path / "states.jsonl").write_text("\n", encoding="utf-8")
    with pytest.raises(DataError, match=r"states\.jsonl.*no state"):
        built(arguments)
