"""Judges are asked state by state, each answer once; what they say becomes a judgment or a status."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from statistics import NormalDist
from typing import Any

import pytest
import yaml
from standin import StandIn
from standin_decisions import TypedServer, answer

from plumbline.arguments import sampling
from plumbline.arguments.asking import ask_judgments
from plumbline.arguments.items import build_items
from plumbline.arguments.ladder import fit_states
from plumbline.arguments.matching import match_judgments
from plumbline.arguments.material import DatasetFiles
from plumbline.arguments.questions import JudgeMaterial, asked_units, questions, unit_id
from plumbline.arguments.reading import read_judgments, typed_probability
from plumbline.arguments.sampling import draw_units, drawn_units
from plumbline.config.argument_cells import ArgumentCell
from plumbline.config.resolved import Workspace
from plumbline.config.settings import RunConfig
from plumbline.models.prompts import PromptSet
from plumbline.models.requests import Reply, Request
from plumbline.models.simulated import value_score
from plumbline.models.tokens import load_counter
from plumbline.records import read_json_lines, write_json_lines
from plumbline.records.arguments import (
    ArgumentItem,
    Judgment,
    ProposedCall,
    Shortened,
    State,
    StateContext,
    ValueReference,
)

RUN = """\
run: trial
models_from: null
models:
  chat: {engine: endpoint, model: judge, base_url: URL, concurrency: 1, max_attempts: 1}
  typed: {engine: decisions, model: jev-1, base_url: URL, api_key_env: TYPED_KEY, concurrency: 1}
  drawn: {engine: simulated, simulation: {seed: 5, failures: 0.0}}
jobs: {failed_share: 1.0}
arguments:
  datasets: {odd: {kind: local, states: s, calls: c}}
  judges: {chat: {model: chat}, typed: {model: typed}, drawn: {model: drawn}, match: {match: deref}}
  references: {deref: {kind: derive_value, model: drawn}}
  inputs:
    plain: {}
    deref: {reference: deref}
    call: {unit: call}
    twice: {replicates: 2}
  ladder: {tokenizer: characters}
  blocks: {main: {inputs: [plain, deref, call, twice]}}
"""


def run_at(url: str = "http://127.0.0.1:9/v1") -> RunConfig:
    return RunConfig.model_validate(yaml.safe_load(RUN.replace("URL", url)))


def data() -> tuple[list[State], list[ProposedCall]]:
    tool = {"name": "book", "parameters": {"properties": {"city": {"type": "string"}, "day": {}}}}
    states, calls = [], []
    for number in range(3):
        about = {"state_id": f"s{number}", "query_id": f"q{number}", "dataset": "odd"}
        right = {"city": "Oslo", "day": number}
        turns = [{"role": "user", "text": f"To Oslo on day {number}."}]
        gold = [{"name": "book", "arguments": right}]
        states.append(State.model_validate({**about, "turns": turns, "functions": [tool], "gold": gold}))
        wrong = {"city": "Rome", "day": number}
        for made_by, values, label in (("gold", right, "correct"), ("import:x", wrong, "wrong")):
            made = {"call_id": f"s{number}.{label}", "function": "book", "arguments": values}
            calls.append(ProposedCall.model_validate({**about, **made, "label": label, "made_by": made_by}))
    return states, calls


def material(config: RunConfig, root: Path, references: dict[str, list[ValueReference]]) -> JudgeMaterial:
    states, calls = data()
    assert config.arguments is not None
    prompts, counter = PromptSet(root / "prompts"), load_counter("characters")
    contexts = fit_states(states, calls, config.arguments, counter, prompts)
    items = build_items(states, calls, contexts, config.arguments)
    files = DatasetFiles("odd", states, calls, items, contexts)
    return JudgeMaterial(config, files, references, prompts, counter)


def reference(state: str, parameter: str, value: Any, status: str = "ok") -> ValueReference:
    about = {"state_id": state, "function": "book", "parameter": parameter, "dataset": "odd"}
    about |= {"reference": "deref", "kind": "derive_value", "status": status, "text": "It should be so."}
    parsed = {"parsed": True, "parsed_value": value} if value is not None else {}
    return ValueReference.model_validate({**about, **parsed})


def yes(probability: float) -> dict[str, Any]:
    top = [{"token": "Yes", "logprob": math.log(probability)}]
    logprobs = {"content": [{"token": "Yes", "logprob": math.log(probability), "top_logprobs": top}]}
    return {
        "choice": {"message": {"content": "Yes"}, "finish_reason": "length", "logprobs": logprobs},
    }


def judged(
    config: RunConfig, root: Path, journal: Path, judge: str, names: list[str], lines: list[ValueReference]
) -> dict[str, list[Judgment]]:
    cells = [ArgumentCell(judge, "odd", name) for name in names]
    found = material(config, root, {"deref": lines})
    ask_judgments([found], cells, journal=journal, lane="test")
    return {cell.input: list(read_judgments(found, cell, journal=journal)) for cell in cells}


@pytest.fixture(autouse=True)
def _key(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setenv("TYPED_KEY", "secret")
    yield


def test_questions_go_state_by_state_and_share_the_text_of_the_state(project_root: Path) -> None:
    config = run_at()
    lines = [reference(f"s{n}", key, "x") for n in range(3) for key in ("city", "day")]
    cells = [ArgumentCell("chat", "odd", name) for name in ("plain", "deref", "call")]
    asked = list(questions(material(config, project_root, {"deref": lines}), cells))
    states = [question.item_id.partition(".")[0] for question in asked]
    assert states == sorted(states)
    of_first = [q for q in asked if q.item_id.startswith("s0")]
    assert [q.cell.input for q in of_first] == ["plain"] * 4 + ["deref"] * 4 + ["call"] * 2
    # candidates of a slot stand beside each other
    assert [q.item_id for q in of_first[:4]] == [
        "s0.correct|city",
        "s0.wrong|city",
        "s0.correct|day",
        "s0.wrong|day",
    ]
    texts = [q.request.messages[-1]["content"] for q in of_first[:8] if q.request]
    shared = texts[0].partition("# The argument")[0].partition("# What the argument")[0]
    assert "To Oslo on day 0." in shared
    assert all(text.startswith(shared) for text in texts)
    requests = [q.request for q in asked if q.request]
    assert all(r.decoding.max_tokens == 1 and r.top_logprobs == 20 and r.answers for r in requests)


def test_each_item_and_call_has_one_judgment_and_equal_prompts_one_answer(
    project_root: Path, tmp_path: Path
) -> None:
    lines = [reference(f"s{n}", key, "x") for n in range(3) for key in ("city", "day")]
    lines[0] = reference("s0", "city", None, status="truncated")
    with StandIn([yes(0.25)]) as server:
        config = run_at(server.url)
        names = ["plain", "deref", "call", "twice"]
        found = judged(config, project_root, tmp_path, "chat", names, lines)
        before = len(server.bodies)
        judged(config, project_root, tmp_path, "chat", names, lines)
    # 9 different (state, parameter, value): both calls pass the same day
    assert len(server.bodies) == before == 9 + (9 - 2) + 6 + 9
    assert [row.item_id for row in found["plain"]][:4] == [
        "s0.correct|city",
        "s0.correct|day",
        "s0.wrong|city",
        "s0.wrong|day",
    ]
    assert [row.score for row in found["plain"]] == [pytest.approx(0.25)] * 12
    assert [row.status for row in found["deref"]].count("not_asked") == 2
    assert [row.item_id for row in found["call"]] == [call.call_id for call in data()[1]]
    assert [row.replicate for row in found["twice"]] == [0, 1] * 12


def test_a_judgment_says_what_the_ladder_took_from_its_input(project_root: Path, tmp_path: Path) -> None:
    config = yaml.safe_load(RUN.replace("URL", "http://127.0.0.1:9/v1"))
    # a return of 2,000 characters is 500 tokens here
    config["arguments"] |= {"ladder": {"tokenizer": "characters", "full_limit": 600}}
    config["arguments"]["inputs"]["full"] = {"context": "full"}
    config["arguments"]["judges"]["small"] = {"model": "drawn", "context_limit": 260}
    config["arguments"]["blocks"]["main"]["inputs"].append("full")
    run = RunConfig.model_validate(config)
    assert run.arguments is not None
    states, calls = data()
    asked = states[0].turns[0]
    step = {"role": "assistant", "calls": [{"name": "find", "arguments": {}, "returns": "x " * 1000}]}
    short = {"role": "assistant", "calls": [{"name": "find", "arguments": {}, "returns": "y " * 300}]}
    turns = [asked.model_dump(), step, short]
    states[0] = State.model_validate({**states[0].model_dump(), "turns": turns})
    prompts, counter = PromptSet(project_root / "prompts"), load_counter("characters")
    contexts = fit_states(states, calls, run.arguments, counter, prompts)
    files = DatasetFiles("odd", states, calls, build_items(states, calls, contexts, run.arguments), contexts)
    found = JudgeMaterial(run, files, {}, prompts, counter)
    told = {
        judge: [row.shortened for row in read_judgments(found, cell, journal=tmp_path)]
        for judge in ("drawn", "small")
        for cell in [ArgumentCell(judge, "odd", "full")]
    }
    # four items a state; the returns are 500 and 150 tokens, the rest of an input is 110 to 260, so that 600
    # hold the second return and 260 hold none; the states without a step lose nothing
    assert told["drawn"] == [Shortened(rung=1, returns=1)] * 4 + [None] * 8
    assert told["small"] == [Shortened(rung=2, returns=2, further=1)] * 4 + [None] * 8


@pytest.mark.parametrize("context", ["plain", "input"])
def test_a_value_may_have_a_path_for_each_input(context: str, project_root: Path, tmp_path: Path) -> None:
    config = yaml.safe_load(RUN.replace("URL", "http://127.0.0.1:9/v1"))
    config["arguments"] |= {"ladder": {"tokenizer": "characters", "full_limit": 2000}, "window": {"cut": 50}}
    config["arguments"]["paths"] = {"context": context}
    config["arguments"]["inputs"]["full"] = {"context": "full"}
    config["arguments"]["judges"]["small"] = {"model": "drawn", "context_limit": 300}
    config["arguments"]["blocks"]["main"]["inputs"].append("full")
    run = RunConfig.model_validate(config)
    assert run.arguments is not None
    states, calls = data()
    # behind the cut of Plain; what the assistant said is history, whatever an input shows of it
    step = {"role": "assistant", "text": "Rome?", "calls": [{"name": "f", "returns": "x " * 1000 + "Oslo"}]}
    turns = [{"role": "user", "text": "Where I went before, please."}, step]
    states = [State.model_validate({**states[0].model_dump(), "turns": turns})]
    calls = [call for call in calls if call.state_id == "s0"]
    prompts, counter = PromptSet(project_root / "prompts"), load_counter("characters")
    contexts = fit_states(states, calls, run.arguments, counter, prompts)
    items = build_items(states, calls, contexts, run.arguments)
    found = JudgeMaterial(run, DatasetFiles("odd", states, calls, items, contexts), {}, prompts, counter)

    def paths(judge: str, name: str) -> list[str | None]:
        rows = list(read_judgments(found, ArgumentCell(judge, "odd", name), journal=tmp_path))
        return [row.path for row in rows if row.item_id.endswith("|city")]

    assert [item.path for item in items if item.parameter == "city"] == ["history_only", "history_only"]
    if context == "plain":
        assert paths("drawn", "full") == [None, None]
        return
    assert paths("drawn", "plain") == ["history_only", "history_only"]
    assert paths("drawn", "full") == ["visible", "history_only"]
    # the small judge's context has lost the return
    assert paths("small", "full") == ["history_only", "history_only"]


def test_a_sample_is_asked_and_the_other_items_are_not_asked_with_a_word(
    project_root: Path, tmp_path: Path
) -> None:
    config = yaml.safe_load(RUN)
    config["arguments"]["inputs"]["few"] = {"replicates": 2, "sample": 3}
    config["arguments"]["blocks"]["main"]["inputs"].append("few")
    with StandIn([yes(0.25)]) as server:
        run = RunConfig.model_validate(yaml.safe_load(json.dumps(config).replace("URL", server.url)))
        drawn = {"s0.wrong|city", "s1.correct|day", "s2.wrong|city"}
        found = replace(material(run, project_root, {}), drawn={"few": drawn})
        cell = ArgumentCell("chat", "odd", "few")
        report = ask_judgments([found], [cell], journal=tmp_path, lane="test")
        rows = list(read_judgments(found, cell, journal=tmp_path))
    assert report.total == report.answered == len(server.bodies) == 6
    assert len(rows) == 2 * 12
    assert {row.item_id for row in rows if row.status == "ok"} == drawn
    left = [row for row in rows if row.item_id not in drawn]
    assert {(row.status, row.detail) for row in left} == {
        ("not_asked", "it is not in the sample that the input asks about")
    }


def test_a_sample_is_drawn_over_all_data_sets_at_once_and_again_the_same() -> None:
    units = {"large": [f"l{n}" for n in range(900)], "small": [f"s{n}" for n in range(100)]}
    drawn = draw_units(7, "again", 500, units)
    assert len(drawn["large"]) + len(drawn["small"]) == 500
    assert drawn["large"] <= set(units["large"]) and drawn["small"] <= set(units["small"])
    # 50 of the small one are expected, 4.7 is a standard deviation: sqrt(500 * 0.1 * 0.9 * 500 / 999)
    assert abs(len(drawn["small"]) - 50) < 5 * 4.7
    backwards = {name: units[name][::-1] for name in ("small", "large")}
    assert draw_units(7, "again", 500, backwards) == drawn
    assert draw_units(8, "again", 500, units) != drawn
    assert draw_units(7, "again", 5000, units) == {name: set(ids) for name, ids in units.items()}


def test_a_judge_s_samples_read_each_data_set_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    config = yaml.safe_load(RUN.replace("URL", "http://127.0.0.1:9/v1"))
    settings = config["arguments"]
    settings["datasets"]["even"] = {"kind": "local", "states": "s", "calls": "c"}
    settings["inputs"] |= {
        "few": {"sample": 3},
        "fewer": {"sample": 2},
        "calls": {"unit": "call", "sample": 2},
    }
    settings["blocks"]["main"]["inputs"] += ["few", "fewer", "calls"]
    run = RunConfig.model_validate(config)
    (tmp_path / "trial").mkdir()
    (tmp_path / "trial/config.json").write_text(run.model_dump_json(), encoding="utf-8")
    workspace = Workspace(tmp_path / "trial/config.json")
    items, calls = {}, {}
    for dataset in ("odd", "even"):
        states, proposed = data()
        contexts = [
            StateContext(
                state_id=one.state_id,
                dataset=dataset,
                status="overflow" if one.state_id == "s0" else "ok",
                tokens=9,
                tokenizer="characters",
            )
            for one in states
        ]
        rows = [
            ArgumentItem(
                item_id=f"{dataset}.{one.call_id}",
                **{
                    name: getattr(one, name)
                    for name in ("state_id", "query_id", "function", "call_id", "label")
                },
                dataset=dataset,
                parameter="city",
                value="Oslo",
                path="visible",
            )
            for one in proposed
        ]
        write_json_lines(contexts, workspace.path("state_contexts", dataset))
        write_json_lines(rows, workspace.path("argument_items", dataset))
        write_json_lines(proposed, workspace.path("proposed_calls", dataset))
        items[dataset] = [row.item_id for row in rows if row.state_id != "s0"]
        calls[dataset] = [one.call_id for one in proposed if one.state_id != "s0"]
    files: list[Path] = []

    def counted(path: Path, model: Any) -> Any:
        files.append(path)
        return read_json_lines(path, model)

    monkeypatch.setattr(sampling, "read_json_lines", counted)
    cells = [
        ArgumentCell("drawn", dataset, name)
        for dataset in ("odd", "even")
        for name in ("plain", "few", "fewer", "calls")
    ]
    assert drawn_units(workspace, cells) == {
        "few": draw_units(run.seed, "few", 3, items),
        "fewer": draw_units(run.seed, "fewer", 2, items),
        "calls": draw_units(run.seed, "calls", 2, calls),
    }
    # contexts for items and for calls, items, calls, of two data sets
    assert len(files) == 2 * 4


def test_a_failed_request_is_a_status_and_is_asked_again_next_time(
    project_root: Path, tmp_path: Path
) -> None:
    with StandIn([{"http": 400, "body": {"error": {"message": "odd"}}}, yes(0.5)]) as server:
        config = run_at(server.url)
        first = judged(config, project_root, tmp_path, "chat", ["call"], [])["call"]
        second = judged(config, project_root, tmp_path, "chat", ["call"], [])["call"]
    assert [row.status for row in first].count("rejected") == 1
    assert [row.status for row in second] == ["ok"] * 6
    assert len(server.bodies) == 7


def test_a_typed_question_judge_is_held_to_its_model_and_asked_again_if_another_answered(
    project_root: Path, tmp_path: Path
) -> None:
    with TypedServer(answer(0.9, model="jev-2"), answer(0.75)) as server:
        config = run_at(f"{server.root}/v1")
        first = judged(config, project_root, tmp_path, "typed", ["call"], [])["call"]
        second = judged(config, project_root, tmp_path, "typed", ["call"], [])["call"]
    assert [row.status for row in first].count("wrong_model") == 1
    assert next(row for row in first if row.status == "wrong_model").score is None
    assert {row.score for row in second} == {0.75}
    assert len(server.bodies) == 7
    assert all(set(body) == {"model", "state", "questions"} for body in server.bodies)


@pytest.mark.parametrize(
    ("noul", "status"),
    [
        (0.5, "ok"),
        (1, "ok"),
        (1.5, "off_scale"),
        (True, "malformed"),
        (None, "malformed"),
        ("1", "malformed"),
    ],
)
def test_a_typed_answer_that_is_no_probability_is_a_status(noul: Any, status: str) -> None:
    text = json.dumps({"model": "m", "answers": {"q": {"type": "noul", "noul": noul}}})
    assert typed_probability(Reply(text), "m").status == status


def test_the_baseline_compares_values_whatever_their_case_and_kind() -> None:
    cell = ArgumentCell("match", "odd", "plain")
    about = {"state_id": "s", "query_id": "s", "dataset": "odd", "function": "book", "label": "correct"}
    pairs = [
        ("Oslo ", "oslo", 1.0),
        (5, 5.0, 1.0),
        ("a", "b", 0.0),
        ([1, "X"], [1, "x"], 1.0),
        (None, "n", 0.0),
    ]
    items = [
        ArgumentItem.model_validate(
            {**about, "item_id": str(n), "parameter": str(n), "value": one, "path": "visible", "call_id": "c"}
        )
        for n, (one, _, _) in enumerate(pairs)
    ]
    lines = [reference("s", str(n), stated) for n, (_, stated, _) in enumerate(pairs)]
    rows = list(match_judgments(cell, items, lines, 1))
    assert [row.score for row in rows] == [score for *_, score in pairs]
    (unstated,) = match_judgments(cell, items[:1], [reference("s", "0", None)], 1)
    assert (unstated.status, unstated.score) == ("not_asked", None)


def test_a_simulated_judge_has_the_auroc_and_the_shift_that_its_settings_state() -> None:
    simulation = run_at().models["drawn"].simulation

    def scores(label: str, path: str, count: int = 4000) -> list[float]:
        about = {"kind": "value", "judge": "drawn", "input": "plain", "label": label, "path": path}
        decoding = run_at().models["drawn"].decoding
        asked = (Request(f"{label}{path}{n}", (), decoding, simulation=about) for n in range(count))
        return sorted(value_score(request, simulation) for request in asked)

    wrong, seen, hidden = (
        scores("wrong", "visible"),
        scores("correct", "visible"),
        scores("correct", "default"),
    )

    def auroc(right: list[float]) -> float:
        pairs = [a > b for a in right[::20] for b in wrong[::20]]
        return sum(pairs) / len(pairs)

    normal = NormalDist()
    assert auroc(seen) == pytest.approx(normal.cdf(2 / math.sqrt(2)), abs=0.02)
    assert auroc(hidden) == pytest.approx(normal.cdf(1 / math.sqrt(2)), abs=0.02)
    # the median of each is its own centre, put through the normal curve
    assert seen[2000] == pytest.approx(normal.cdf(2), abs=0.01)
    assert hidden[2000] == pytest.approx(normal.cdf(1), abs=0.02)


def test_the_progress_expects_as_many_answers_as_are_asked_for(project_root: Path) -> None:
    config = run_at()
    lines = [
        reference("s0", "city", "Oslo"),
        reference("s0", "day", 0, status="empty"),
        reference("s1", "city", None),
    ]
    found = material(config, project_root, {"deref": lines})
    for name, count in (("plain", 12), ("deref", 4), ("call", 6), ("twice", 12)):
        cell = ArgumentCell("chat", "odd", name)
        asked = [question for question in questions(found, [cell]) if question.request is not None]
        units = asked_units(found, cell)
        assert len(units) == count
        assert {question.item_id for question in asked} == {unit_id(unit) for unit in units}
    no_room = [replace_status(context) for context in found.files.contexts]
    found = replace(found, files=replace(found.files, contexts=no_room))
    assert asked_units(found, ArgumentCell("chat", "odd", "plain")) == []


def replace_status(context: StateContext) -> StateContext:
    return context.model_copy(update={"status": "overflow"})
