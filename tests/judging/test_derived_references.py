"""The derived reference: the judge's own model writes it, without the plan and without the expected calls."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from judging_records import QUERIES, a_record
from standin import StandIn

from plumbline.config.cells import Cell
from plumbline.config.references import ReferenceFile, reference_file, reference_files
from plumbline.config.resolved import Workspace
from plumbline.config.settings import RunConfig
from plumbline.judging.derivation import Derivation, ask_references, read_references
from plumbline.judging.material import load_material
from plumbline.judging.requests import Material, Shown, questions
from plumbline.judging.shuffling import shuffle_references
from plumbline.judging.verdicts import read_cell
from plumbline.models.prompts import PromptSet
from plumbline.records import Plan, ToolCall, write_json_lines

CALLS = [{"name": "find_ticket", "arguments": {"text": "mine"}}]
PLAN = Plan(record_id="r1", tier="hard", generator="g", status="ok", calls=(ToolCall(name="planned_tool"),))


def material_of(config: RunConfig, **more: Any) -> Material:
    prompts = PromptSet(Path(config.prompts.folder))
    plans = {("g", "hard"): {"r1": PLAN}}
    return Material(config, [a_record("r1")], {}, plans, prompts, **more)


def derivation(config: RunConfig, model: str = "judge") -> Derivation:
    return Derivation(material_of(config), "derived", model)


def answer(text: str, **choice: Any) -> dict[str, Any]:
    return {"choice": {"message": {"content": text}, **choice}}


def test_the_model_sees_query_and_tools_but_neither_plan_nor_expected_calls(
    config_of: Callable[..., RunConfig],
) -> None:
    request = derivation(config_of()).request(a_record("r1"), "hard")
    prompt = "\n".join(message["content"] for message in request.messages)
    assert QUERIES["hard"] in prompt
    assert '"name": "close_ticket"' in prompt
    assert "planned_tool" not in prompt
    assert "T-r1" not in prompt


def test_each_judge_reads_what_its_own_model_derived_unless_a_model_is_named(
    config_of: Callable[..., RunConfig],
) -> None:
    cell = Cell("s", "g", "hard", "derived_gt")
    assert reference_file(config_of(), cell) == ReferenceFile("derived", "pretend", "hard")
    named = config_of(references={"derived": {"kind": "derive", "model": "judge"}}, conditions={
        "derived_gt": {"prompt": "judge_with_gt", "reference": "derived"}
    }, blocks={"b": {"conditions": ["derived_gt"]}})  # fmt: skip
    assert reference_file(named, cell) == ReferenceFile("derived", "judge", "hard")


def test_only_references_that_a_cell_shows_are_made_and_each_once(
    config_of: Callable[..., RunConfig],
) -> None:
    cells = [Cell(j, "g", "hard", c) for j in ("j", "p") for c in ("with_gt", "corrupted_gt", "derived_gt")]
    assert reference_files(config_of(), cells) == [
        ReferenceFile("corrupted", "none", "hard"),
        ReferenceFile("derived", "judge", "hard"),
    ]


@pytest.mark.parametrize(
    ("reply", "status", "calls"),
    [
        (answer(json.dumps(CALLS)), "ok", CALLS),
        (answer("[]"), "ok", []),
        (answer("[{"), "truncated", None),
        (answer("I would look it up."), "malformed", None),
        (answer(""), "empty", None),
        (answer("x", finish_reason="content_filter"), "refused", None),
    ],
)
def test_what_the_model_answers_is_read_as_a_plan_is(
    reply: dict[str, Any], status: str, calls: Any, config_of: Callable[..., RunConfig], tmp_path: Path
) -> None:
    with StandIn([reply]) as server:
        asked = derivation(config_of(server.url))
        ask_references(asked, ["hard"], journal=tmp_path, lane="l")
        assert len(server.bodies) == 1
    (found,) = read_references(asked, "hard", journal=tmp_path)
    assert (found.status, found.record_id, found.model, found.tier) == (status, "r1", "judge", "hard")
    assert (None if found.calls is None else [call.model_dump() for call in found.calls]) == calls
    assert (found.detail is None) == (status == "ok")


def test_a_reference_that_was_never_asked_for_says_so(
    config_of: Callable[..., RunConfig], tmp_path: Path
) -> None:
    (found,) = read_references(derivation(config_of()), "hard", journal=tmp_path)
    assert found.status == "not_asked"


def test_a_simulated_model_expects_what_is_expected(
    config_of: Callable[..., RunConfig], tmp_path: Path
) -> None:
    (found,) = read_references(derivation(config_of(), "pretend"), "hard", journal=tmp_path)
    assert [call.model_dump() for call in found.calls or ()] == [
        {"name": "close_ticket", "arguments": {"ticket_id": "T-r1"}}
    ]


def test_the_judge_sees_the_made_reference_and_not_the_expected_calls(
    config_of: Callable[..., RunConfig],
) -> None:
    cell = Cell("j", "g", "hard", "derived_gt")
    shown = {ReferenceFile("derived", "judge", "hard"): {"r1": Shown(CALLS)}}
    (asked,) = questions(material_of(config_of(), references=shown), [cell])
    prompt = asked.requests[0].messages[-1]["content"]
    assert '"text": "mine"' in prompt[prompt.index("# Expected calls") : prompt.index("# Generated calls")]
    assert "T-r1" not in prompt


@pytest.mark.parametrize(
    ("lines", "reason"),
    [
        (
            {"r1": Shown(reason="the reference's status is truncated (cut)")},
            "the reference's status is truncated",
        ),
        ({}, "reference derived has no line for this record"),
    ],
)
def test_a_verdict_without_a_reference_is_not_asked_with_the_reason(
    lines: dict[str, Shown], reason: str, config_of: Callable[..., RunConfig], tmp_path: Path
) -> None:
    cell = Cell("j", "g", "hard", "derived_gt")
    material = material_of(config_of(), references={ReferenceFile("derived", "judge", "hard"): lines})
    (verdict,) = read_cell(material, cell, journal=tmp_path)
    assert verdict.status == "not_asked"
    assert verdict.detail is not None and verdict.detail.startswith(reason)
    assert verdict.tool_selection is None


def workspace_of(config: RunConfig, folder: Path) -> Workspace:
    """Write a run's files as the rules do, with the references that a shuffle makes."""
    run = folder / config.run
    run.mkdir()
    (run / "config.json").write_text(config.model_dump_json())
    workspace = Workspace(run / "config.json")
    records = [a_record("r1"), a_record("r2"), a_record("alone", "fan_in")]
    write_json_lines(records, workspace.path("records"))
    plans = [PLAN.model_copy(update={"record_id": record.id}) for record in records]
    write_json_lines(plans, workspace.path("plans", "g", "hard"))
    made = shuffle_references(records, config.references["corrupted"], "hard")  # type: ignore[arg-type]
    write_json_lines(made, workspace.path("references", "corrupted", "none", "hard"))
    return workspace


@pytest.mark.parametrize("block", ["calls", "raw"])
def test_a_shuffled_reference_looks_like_the_records_own(
    block: str, config_of: Callable[..., RunConfig], tmp_path: Path, project_root: Path
) -> None:
    prompts = {"folder": str(project_root / "prompts"), "expected_block": block}
    workspace = workspace_of(config_of(prompts=prompts), tmp_path)
    cell = Cell("j", "g", "hard", "corrupted_gt")
    # a shard that holds one record still shows the other record's calls
    material = load_material(workspace, [cell], lambda record: record.id != "r2")
    (asked, flagged) = questions(material, [cell])
    prompt = asked.requests[0].messages[-1]["content"]
    expected = prompt[prompt.index("# Expected calls") :]
    assert ("raw T-r2" if block == "raw" else '"ticket_id": "T-r2"') in expected
    assert "T-r1" not in prompt
    assert flagged.requests == ()
    assert flagged.reason is not None and "own_kept" in flagged.reason


def test_a_made_reference_leaves_the_true_one_for_the_scores(config_of: Callable[..., RunConfig]) -> None:
    shown = {ReferenceFile("derived", "pretend", "hard"): {"r1": Shown(CALLS)}}
    material = material_of(config_of(), references=shown)
    (asked,) = questions(material, [Cell("s", "g", "hard", "derived_gt")])
    (same,) = questions(dataclasses.replace(material), [Cell("s", "g", "hard", "with_gt")])
    assert asked.requests[0].simulation["scores"] == same.requests[0].simulation["scores"]  # type: ignore[index]
