"""Argument cells, their lanes and references, and what a configuration of argument judging must get right."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from plumbline.config.argument_cells import (
    ArgumentCell,
    ValueReferenceFile,
    all_models,
    argument_cells,
    argument_lane_cells,
    argument_lanes,
    argument_owner,
    judge_decoding,
    needed_references,
    sampled_datasets,
    used_datasets,
)
from plumbline.config.argument_files import ArgumentFiles
from plumbline.config.argument_identity import ArgumentIdentity
from plumbline.config.cells import lane_holds
from plumbline.config.loading import load_config, require_environment
from plumbline.config.settings import RunConfig
from plumbline.records.errors import UserError
from plumbline.tables.registry import KINDS

RUN = """\
run: trial
models_from: null
models:
  chat: {engine: embedded, embedded: {backend: llamacpp}, decoding: {temperature: 0.7, max_tokens: 900}}
  fast: {engine: embedded}
  typed: {engine: decisions, base_url: "http://127.0.0.1:9/v1"}
  drawn: {engine: simulated}
arguments:
  datasets:
    cfb: {kind: cfb, rules: [shift_date]}
    moved: {kind: relocate, of: cfb, placement: buried}
  judges:
    chat: {model: chat}
    typed: {model: typed}
    match: {match: deref}
  references:
    deref: {kind: derive_value, model: drawn}
    own: {kind: derive_value, context: plain}
    alone: {kind: value_only, of: deref}
  inputs:
    plain: {}
    deref: {reference: deref}
    own: {reference: own}
    alone: {reference: alone}
    thought: {decoding: {thinking: true, max_tokens: 700}}
    call: {unit: call}
  blocks:
    first: {datasets: [moved], inputs: [plain, deref]}
    second: {inputs: [plain, own, alone, thought, call], leave_out: {chat: [thought]}}
"""


def load(text: str) -> RunConfig:
    return load_config(yaml.safe_load(text), [], KINDS)


def changed(path: str, value: Any) -> str:
    data = yaml.safe_load(RUN)
    *place, last = path.split(".")
    section = data
    for part in place:
        section = section[part]
    section[last] = value
    return yaml.safe_dump(data)


def complaint(path: str, value: Any) -> str:
    with pytest.raises(UserError) as caught:
        load(changed(path, value))
    return str(caught.value)


def test_a_run_that_judges_arguments_alone_needs_no_plan_side() -> None:
    config = load(RUN)
    assert not config.judges_plans
    assert RunConfig.model_validate_json(config.model_dump_json()) == config


def test_a_plan_side_that_is_begun_must_be_whole() -> None:
    told = complaint("generators", {"small": {"model": "chat"}})
    for section in ("corpus", "judges", "conditions", "blocks"):
        assert f"{section} is missing" in told


def identities(dataset: str, place: str, value: Any) -> list[bool]:
    """Whether a changed setting makes the states, and the calls, of a data set again."""
    before, after = (ArgumentIdentity(load(text), str) for text in (RUN, changed(place, value)))
    return [
        before.states(dataset) != after.states(dataset),
        before.calls(dataset) != after.calls(dataset),
    ]


def test_a_setting_of_a_data_set_makes_again_what_it_changes_and_nothing_else() -> None:
    assert identities("cfb", "arguments.datasets.cfb.later_gold", "all") == [False, True]
    assert identities("cfb", "arguments.datasets.cfb.path", "cfb.jsonl") == [True, True]


def test_the_spellings_of_periods_make_again_the_calls_and_the_values_h_of_fintrace_hc() -> None:
    data = yaml.safe_load(RUN)
    base = {"kind": "fintrace", "path": "x.json"}
    made = {}
    for name, synonyms in (("before", {}), ("after", {"synonyms": {"quarter": ["q"]}})):
        data["arguments"]["datasets"] |= {"trace": base | synonyms, "hc": {"kind": "hc", "of": "trace"}}
        made[name] = ArgumentIdentity(load(yaml.safe_dump(data)), str)
    before, after = made["before"], made["after"]
    assert before.states("trace") == after.states("trace")
    assert before.calls("trace") != after.calls("trace")
    assert before.states("hc") != after.states("hc")


def test_cells_that_cannot_be_are_left_out() -> None:
    cells = argument_cells(load(RUN), "second")
    inputs = {
        judge: [cell.input for cell in cells if (cell.judge, cell.dataset) == (judge, "cfb")]
        for judge in ("chat", "typed", "match")
    }
    assert inputs == {
        "chat": ["plain", "own", "alone", "call"],  # `thought` is left out by the block
        "typed": ["plain", "alone", "call"],  # a typed-question judge neither writes nor thinks
        "match": ["plain", "own", "alone", "thought"],  # the baseline judges values
    }


def test_a_cell_is_asked_once_by_the_block_that_lists_it_first() -> None:
    config = load(RUN)
    assert argument_owner(config, ArgumentCell("chat", "moved", "plain")) == "first"
    assert argument_owner(config, ArgumentCell("chat", "cfb", "plain")) == "second"
    asked = argument_lane_cells(config, "chat", "second", "all")
    assert ArgumentCell("chat", "moved", "plain") not in asked
    with pytest.raises(UserError, match="Its lanes: all"):
        argument_lane_cells(config, "chat", "second", "cfb")


@pytest.mark.parametrize(
    ("lane", "names"),
    [
        ("judge", ["all.1of2", "all.2of2"]),
        ("generator", ["moved.1of2", "moved.2of2"]),
        ("cell", [f"value.moved.{name}.{k}of2" for name in ("plain", "deref") for k in (1, 2)]),
    ],
)
def test_lanes_are_split_by_state_and_every_state_has_one_shard(lane: str, names: list[str]) -> None:
    config = load(changed("jobs", {"lane": lane, "shards": 2}))
    assert argument_lanes(config, "chat", "first") == names
    for state in map(str, range(20)):
        assert sum(lane_holds(name, state) for name in names[:2]) == 1


def test_a_reference_that_a_judge_writes_is_in_a_file_of_its_model() -> None:
    cells = [ArgumentCell("chat", "cfb", name) for name in ("plain", "own", "alone")]
    assert needed_references(load(RUN), cells) == [
        ValueReferenceFile("cfb", "own", "chat"),
        ValueReferenceFile("cfb", "deref", "drawn"),  # what the value alone is taken from
        ValueReferenceFile("cfb", "alone", "drawn"),
    ]


def test_a_judge_answers_with_one_greedy_token_unless_it_thinks() -> None:
    config = load(RUN)
    plain = judge_decoding(config, "chat", "plain")
    assert (plain.temperature, plain.max_tokens) == (0.0, 1)
    thought = judge_decoding(config, "chat", "thought")
    assert (thought.temperature, thought.max_tokens, thought.thinking) == (0.7, 700, True)


def test_whose_mean_is_shown_remakes_tables_and_not_what_they_are_made_of() -> None:
    named = changed("arguments.blocks.first.averaged", ["chat", "typed"])
    before, after = (ArgumentIdentity(load(text), str) for text in (RUN, named))
    assert before.block("first") == after.block("first")
    assert before.tables("first") != after.tables("first")
    assert before.tables("second") == after.tables("second")


def test_what_others_are_made_of_comes_first_and_every_model_is_counted() -> None:
    config = load(RUN)
    assert used_datasets(config) == ["cfb", "moved"]
    assert set(all_models(config)) == {"chat", "typed", "drawn"}


@pytest.mark.parametrize(
    ("path", "value", "told"),
    [
        ("arguments.judges.chat.model", "chta", "arguments.judges.chat.model: `chta` is not a model"),
        ("arguments.judges.match.match", "alone", "`alone` is not a reference with one value for each slot"),
        ("arguments.inputs.deref.reference", "derf", "Did you mean `deref`?"),
        ("arguments.references.alone.of", "alone", "is not a reference of kind `derive_value`"),
        ("arguments.datasets.moved.of", "moved", "`moved` is not a data set other than itself"),
        ("arguments.datasets.cfb.kind", "cbf", "arguments.datasets.cfb.kind is \"cbf\""),
        ("arguments.datasets.cfb.kuont", 3, "arguments.datasets.cfb.kuont is not a setting"),
        ("arguments.blocks.first.inputs", ["plian"], "`plian` is not an input. Did you mean `plain`?"),
        ("arguments.blocks.second.leave_out", {"chat": ["deref"]}, "is not an input of this block"),
        ("arguments.blocks.first.averaged", ["chta"], "Did you mean `chat`?"),
        ("arguments.blocks.first.averaged", ["match"], "is not a judge of this block that is a model"),
        ("arguments.blocks.first.averaged_by_input", {"own": ["chat"]}, "is not an input of this block"),
        ("arguments.blocks.first.averaged_by_input", {"deref": ["match"]}, "judge of this block"),
        ("arguments.blocks.first.tables", ["alignment"], "`alignment` is not a table or figure"),
        ("arguments.blocks.ask_judgments", {"inputs": ["plain"]}, "taken by a stage"),
        ("arguments.blocks.derivation_gaps", {"inputs": ["plain"]}, "taken by a stage"),
    ],
)  # fmt: skip
def test_a_wrong_name_is_told_with_its_key_and_the_right_one(path: str, value: Any, told: str) -> None:
    assert told in complaint(path, value)


def test_a_set_made_of_a_made_set_is_refused() -> None:
    value = {"kind": "hc", "of": "moved"}
    assert "`moved` is itself made of another data set" in complaint("arguments.datasets.hc", value)


def test_a_decision_model_writes_no_plans_and_no_calls() -> None:
    proposers = complaint("arguments.proposers", {"p": {"model": "typed"}})
    assert "arguments.proposers.p.model: engine `decisions`" in proposers
    data = yaml.safe_load(RUN) | {
        "corpus": {"sources": {"s": {"kind": "starter"}}},
        "generators": {"g": {"model": "typed"}},
        "judges": {"j": {"model": "chat"}},
        "conditions": {"c": {"prompt": "judge_with_gt"}},
        "blocks": {"main": {"conditions": ["c"]}},
    }
    with pytest.raises(UserError, match="generators.g.model: engine `decisions`.*writes no plans"):
        load(yaml.safe_dump(data))


def test_what_is_missing_for_a_real_run_is_told_together(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "prompts").mkdir()
    config = load(changed("arguments.judges.fast", {"model": "fast"}))
    local = {"kind": "local", "states": "s.jsonl", "calls": "c.jsonl"}
    with_local = load(changed("arguments.datasets.cfb", local))
    with pytest.raises(UserError) as caught:
        require_environment(config)
    assert "arguments.judges.fast.model: the openvino backend of `fast` tells no probability" in str(
        caught.value
    )
    assert "arguments.inputs.plain.prompt: missing prompts/judge_value.user.md" in str(caught.value)
    with pytest.raises(UserError, match="arguments.datasets.cfb.states: s.jsonl does not exist"):
        require_environment(with_local)


def test_the_papers_configuration_has_every_judge_and_every_table(
    project_root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(project_root)
    text = Path("config/paper_arguments.yaml").read_text(encoding="utf-8")
    config = load_config(yaml.safe_load(text), ["config/paper_arguments.yaml"], KINDS)
    assert config.arguments is not None
    tables = {name for block in config.arguments.blocks.values() for name in block.tables}
    assert tables == {name for name, kind in KINDS.items() if kind.startswith("argument")}
    main = argument_cells(config, "arguments_main")
    seven = {cell.judge for cell in main} - {"match"}
    assert len(seven) == 7
    # Table 2: four judges on three data sets; those with the full history are three
    assert sum(cell.input == "full" for cell in main) == 3 * 3
    assert sum(cell.input == "self_generated" for cell in main) == 2 * 3
    four = ["clm_8b", "jev_1_13", "qwen3_8b", "qwen3_8_27b"]
    with_means = {"argument_auroc", "argument_effects", "call_auroc", "call_levels"}
    for block in config.arguments.blocks.values():
        if with_means.intersection(block.tables):
            assert block.averaged == four
            assert all(chosen == four[1:] for chosen in block.averaged_by_input.values())


def test_a_cell_with_a_reference_made_from_another_waits_for_the_other_as_well() -> None:
    files = ArgumentFiles(load(RUN)).cells_data([ArgumentCell("chat", "cfb", "alone")])
    assert [Path(file).parts[-2:] for file in files if "/references/" in file] == [
        ("deref", "drawn.jsonl"),
        ("alone", "drawn.jsonl"),
    ]


def test_a_judge_s_own_limit_reruns_its_cells_with_the_full_history_alone() -> None:
    inputs = {**yaml.safe_load(RUN)["arguments"]["inputs"], "full": {"context": "full"}}

    def cells(limit: int | None) -> dict[tuple[str, str], Any]:
        data = yaml.safe_load(changed("arguments.inputs", inputs))
        data["arguments"]["judges"]["typed"]["context_limit"] = limit
        identity = ArgumentIdentity(load(yaml.safe_dump(data)), lambda name: name)
        pairs = [(judge, name) for judge in ("chat", "typed") for name in ("plain", "deref", "full")]
        return {(judge, name): identity.cell(ArgumentCell(judge, "cfb", name)) for judge, name in pairs}

    without, limited = cells(None), cells(30000)
    assert [key for key in without if without[key] != limited[key]] == [("typed", "full")]


def test_a_judge_that_matches_values_has_no_limit_of_a_history() -> None:
    told = complaint("arguments.judges.match", {"match": "deref", "context_limit": 2048})
    assert "leave context_limit out" in told


def test_table_3_has_a_row_whose_reference_is_asked_for_without_its_quoting_sentence(
    project_root: Path,
) -> None:
    text = (project_root / "config" / "paper_arguments.yaml").read_text(encoding="utf-8")
    arguments = yaml.safe_load(text)["arguments"]
    without = arguments["references"][arguments["inputs"]["deref_no_quote"]["reference"]]
    assert "deref_no_quote" in arguments["blocks"]["ablation_reference"]["inputs"]
    assert {**without, "prompt": "derive_value"} == {
        **arguments["references"]["deref"],
        "prompt": "derive_value",
    }

    def prompt(name: str, role: str) -> str:
        return (project_root / "prompts" / f"{name}.{role}.md").read_text(encoding="utf-8")

    assert prompt(without["prompt"], "system") == prompt("derive_value", "system")
    sentence = " If a passage states or implies it, quote that passage."
    assert "quote" not in prompt(without["prompt"], "user").replace("double quotes", "")
    assert prompt(without["prompt"], "user") == prompt("derive_value", "user").replace(sentence, "")


def test_a_sample_is_drawn_over_the_data_sets_that_the_judge_reads_the_input_on() -> None:
    data = yaml.safe_load(RUN)
    data["arguments"]["inputs"]["few"] = {"sample": 5}
    data["arguments"]["blocks"]["third"] = {
        "datasets": ["moved", "cfb"],
        "judges": ["chat"],
        "inputs": ["few"],
    }
    config, cell = load(yaml.safe_dump(data)), ArgumentCell("chat", "cfb", "few")
    assert sampled_datasets(config, cell) == ["moved", "cfb"]
    assert sampled_datasets(config, ArgumentCell("chat", "cfb", "plain")) == []
    # what is drawn from must be there before anything is asked
    files = ArgumentFiles(config).cells_data([cell])
    for dataset in ("moved", "cfb"):
        assert {f"results/trial/arguments/{dataset}/{name}.jsonl" for name in ("items", "contexts")} <= set(
            files
        )
    other = load(yaml.safe_dump({**data, "seed": 99}))

    def identity(one: RunConfig, name: str) -> Any:
        return ArgumentIdentity(one, str).cell(ArgumentCell("chat", "cfb", name))

    assert identity(config, "few") != identity(other, "few")
    assert identity(config, "plain") == identity(other, "plain")


def test_thinking_that_no_server_bounds_or_that_leaves_no_answer_is_told_before_anything_is_asked(
    project_root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(project_root)
    data = yaml.safe_load(changed("arguments.inputs.thought.decoding.thinking_tokens", 700))
    data["models"]["fast"] = {"engine": "endpoint", "base_url": "http://127.0.0.1:9/v1"}
    own = data["arguments"]["references"]["own"]
    own |= {"model": "fast", "decoding": {"thinking": True, "thinking_tokens": 64}}
    data["arguments"]["blocks"]["second"].pop("leave_out")
    with pytest.raises(UserError) as caught:
        require_environment(load(yaml.safe_dump(data)))
    told = str(caught.value)
    key = "arguments.inputs.thought.decoding.thinking_tokens"
    assert f"{key}: 700 tokens of thinking leave no answer: `max_tokens` is 700" in told
    assert "arguments.references.own.decoding.thinking_tokens: model `fast`: its server has no field" in told
    data["arguments"]["inputs"]["thought"]["decoding"]["thinking_tokens"] = 600
    data["models"]["fast"]["thinking_field"] = "max_thinking_tokens"
    require_environment(load(yaml.safe_dump(data)))


def test_the_characters_around_a_passage_are_none_or_more() -> None:
    data = yaml.safe_load(RUN)
    quoted = {"kind": "evidence", "model": "drawn", "around_by_dataset": {"cfb": -1}}
    data["arguments"]["references"]["quoted"] = quoted
    with pytest.raises(UserError, match=r"around_by_dataset\.cfb is -1; it must be at least 0"):
        load(yaml.safe_dump(data))
    quoted["around_by_dataset"] = {"cfb": 0, "moved": None}
    assert load(yaml.safe_dump(data)).arguments is not None


@pytest.mark.parametrize(
    ("dataset", "wheels"),
    [
        ({"kind": "cfb"}, ["results/sources/complexfuncbench.whl"]),
        ({"kind": "cfb", "path": "released.jsonl"}, []),
        ({"kind": "fcrb", "rules": ["shift_number"]}, ["results/sources/bfcl.whl"]),
        # the released calls are judged at BFCL's states
        ({"kind": "fcrb", "path": "released.parquet"}, ["results/sources/bfcl.whl"]),
        ({"kind": "taubench"}, []),
    ],
    ids=str,
)
def test_a_job_reads_the_wheel_that_its_data_set_stands_in(
    dataset: dict[str, Any], wheels: list[str]
) -> None:
    assert ArgumentFiles(load(changed("arguments.datasets.cfb", dataset))).wheel("cfb") == wheels


def test_paths_for_each_input_change_what_is_read_and_neither_items_nor_what_is_asked() -> None:
    both = [
        ArgumentIdentity(load(changed("arguments.paths", {"context": c})), str) for c in ("plain", "input")
    ]
    cell = ArgumentCell("chat", "cfb", "plain")
    for same in ("items", "states"):
        found = [getattr(one, same)(*(["moved"] if same == "states" else [])) for one in both]
        assert found[0] == found[1]
    assert both[0].lane([cell]) == both[1].lane([cell])
    assert both[0].cell(cell) != both[1].cell(cell)
    assert both[0].tables("first") != both[1].tables("first")
