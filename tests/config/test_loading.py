"""Bad configurations get one clear message each, with file, line, key and remedy."""

import re
from pathlib import Path

import pytest
import yaml

from plumbline.config.checks import RESERVED_BLOCKS
from plumbline.config.loading import load_config, require_environment
from plumbline.config.settings import RunConfig
from plumbline.records.errors import UserError
from plumbline.tables.registry import KINDS

MODELS = """\
models:
  small:
    engine: embedded
  remote:
    engine: endpoint
    base_url: https://host.example/v1
    api_key_env: PLUMBLINE_TEST_KEY
"""

GOOD = """\
run: trial
corpus:
  sources:
    starter: {kind: starter, per_topology: 1}
tiers: [easy, hard]
models_from: models.yaml
generators:
  small: {model: small}
  faults: {faults: [none, drop_call]}
judges:
  qwq:
    model: small
conditions:
  with_gt:
    prompt: judge_with_gt
    reference: expected
blocks:
  main:
    conditions: [with_gt]
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("PLUMBLINE_TEST_KEY", raising=False)
    Path("models.yaml").write_text(MODELS)
    return tmp_path


def load(text: str) -> RunConfig:
    Path("run.yaml").write_text(text)
    return load_config(yaml.safe_load(text), ["run.yaml"], KINDS)


def complaint(text: str) -> str:
    with pytest.raises(UserError) as caught:
        load(text)
    return str(caught.value)


def line_of(text: str, part: str) -> int:
    return next(number for number, line in enumerate(text.splitlines(), start=1) if part in line)


def test_models_of_the_file_and_of_the_run_are_put_together_and_the_run_wins(folder: Path) -> None:
    config = load(GOOD + "models:\n  small: {engine: simulated}\n  other: {engine: simulated}\n")
    assert set(config.models) == {"small", "remote", "other"}
    assert config.models["small"].engine == "simulated"


def test_an_unknown_setting_is_named_with_its_line_and_written_as_it_should_be(folder: Path) -> None:
    text = GOOD.replace("    model: small\n", "    model: small\n    temprature: 0.6\n")
    line = line_of(text, "temprature")
    assert complaint(text) == (
        f"run.yaml, line {line}: judges.qwq.temprature is not a setting. "
        "Did you mean `decoding.temperature`?\n"
        "    judges:\n      qwq:\n        decoding:\n          temperature: 0.6"
    )


def test_a_misspelt_required_setting_is_told_once(folder: Path) -> None:
    said = complaint(GOOD.replace("prompt: judge", "promt: judge"))
    assert "conditions.with_gt.promt is not a setting. Did you mean `prompt`?" in said
    assert "missing" not in said


def test_a_setting_like_no_other_gets_the_list_of_settings(folder: Path) -> None:
    said = complaint(GOOD + "jobs:\n  zzz: 1\n")
    assert "jobs.zzz is not a setting. Settings here: lane, shards, failed_share." in said


def test_a_missing_setting_is_explained_at_the_section_that_lacks_it(folder: Path) -> None:
    said = complaint(GOOD.replace("    model: small\n", "    decoding: {}\n"))
    assert said.startswith(f"run.yaml, line {line_of(GOOD, 'qwq')}: judges.qwq.model is missing")


def test_an_unknown_model_is_named_with_the_nearest(folder: Path) -> None:
    text = GOOD.replace("    model: small\n", "    model: smal\n")
    said = complaint(text)
    assert (
        f"run.yaml, line {line_of(text, '    model: smal')}: judges.qwq.model: `smal` is not a model." in said
    )
    assert said.endswith("    judges:\n      qwq:\n        model: small")


@pytest.mark.parametrize(
    ("section", "names", "noun"),
    [
        ("judges", "[qwk]", "judge"),
        ("generators", "[smal]", "generator"),
        ("conditions", "[with_g]", "condition"),
    ],
)
def test_a_block_may_only_use_names_that_are_defined(
    folder: Path, section: str, names: str, noun: str
) -> None:
    block = f"blocks:\n  main:\n    {section}: {names}\n"
    if section != "conditions":
        block += "    conditions: [with_gt]\n"
    said = complaint(GOOD[: GOOD.index("blocks:")] + block)
    assert f"blocks.main.{section}: `{names[1:-1]}` is not a {noun}. Did you mean" in said


def test_a_tier_that_does_not_exist_lists_the_tiers(folder: Path) -> None:
    said = complaint(GOOD.replace("[easy, hard]", "[easy, impossible]"))
    assert '"impossible"; it must be one of `easy`, `medium`, `hard`' in said
    assert f"line {line_of(GOOD, 'tiers')}" in said


def test_a_tier_stands_once(folder: Path) -> None:
    assert "tiers must name each tier once" in complaint(GOOD.replace("[easy, hard]", "[easy, easy]"))


def test_an_empty_section_is_called_one(folder: Path) -> None:
    said = complaint(GOOD.replace("judges:\n  qwq:\n    model: small", "judges: {}"))
    assert "judges is an empty section; it must be a section with at least one entry" in said


def test_a_block_cannot_have_a_tier_that_the_run_leaves_out(folder: Path) -> None:
    said = complaint(GOOD + "    tiers: [medium]\n")
    assert "blocks.main.tiers: `medium` is not a tier of this run. Known: easy, hard." in said


@pytest.mark.parametrize("name", ["plans", "rewrites", "table_alignment", "figure_degradation"])
def test_a_block_may_not_take_the_name_of_a_stage(folder: Path, name: str) -> None:
    said = complaint(GOOD.replace("  main:", f"  {name}:"))
    assert f"blocks.{name}: this name is taken by a stage" in said


def test_a_block_may_not_take_the_name_of_a_rule(project_root: Path) -> None:
    written = [
        (project_root / "Snakefile").read_text(),
        *(f.read_text() for f in project_root.glob("rules/*")),
    ]
    rules = set(re.findall(r"^ *rule (\w+):", "\n".join(written), re.MULTILINE))
    assert rules | {"plans", "rewrites", "references", "synthesis"} == set(RESERVED_BLOCKS)


@pytest.mark.parametrize("name", ["journal", "sources"])
def test_a_run_may_not_take_a_folder_that_all_runs_share(folder: Path, name: str) -> None:
    said = complaint(GOOD.replace("run: trial", f"run: {name}"))
    assert said == f"run.yaml, line 1: run: results/{name} is shared by all runs. Choose another name."


def test_a_table_that_does_not_exist_is_named_with_the_nearest(folder: Path) -> None:
    said = complaint(GOOD + "    tables: [coverage, alignmnt]\n")
    assert "blocks.main.tables: `alignmnt` is not a table or figure. Did you mean `alignment`?" in said
    assert said.endswith("tables:\n        - coverage\n        - alignment")


@pytest.mark.parametrize(("name", "shown"), [("1", "1"), ("yes", "true"), ("null", "null")])
def test_a_name_that_yaml_does_not_read_as_text_is_shown_as_yaml_reads_it(
    folder: Path, name: str, shown: str
) -> None:
    said = complaint(GOOD.replace("  qwq:", f"  {name}:"))
    assert f"judges: the name {shown} is not text for YAML; put it in quotes" in said


def test_a_name_that_is_too_long_for_a_file_is_an_error(folder: Path) -> None:
    load(GOOD.replace("  qwq:", f"  {'q' * 60}:"))
    assert f"Write `{'q' * 60}`." in complaint(GOOD.replace("  qwq:", f"  {'q' * 61}:"))


def test_what_may_be_a_key_is_not_printed(folder: Path) -> None:
    said = complaint(GOOD + "models:\n  small: {engine: embedded, api_key_env: sk-secret-123}\n")
    assert "models.small.api_key_env is not the name of an environment variable" in said
    assert "secret" not in said


def test_a_name_that_cannot_stand_in_a_path_is_written_so_that_it_can(folder: Path) -> None:
    said = complaint(GOOD.replace("  qwq:", "  QwQ-32B:"))
    assert "judges.QwQ-32B is not a name of lower-case letters, digits and underscores" in said
    assert "Write `qwq_32b`." in said


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("jobs: {shards: two}", 'jobs.shards is "two"; it must be a whole number'),
        ("jobs: {shards: 0}", "jobs.shards is 0; it must be at least 1"),
        ("jobs: 5", "jobs is 5; it must be a section"),
        ("scoring: {rounding: up}", 'scoring.rounding is "up"; it must be one of `none`, `released`'),
        ("bootstrap: {level: 1}", "bootstrap.level is 1; it must be less than 1"),
        ("verdicts: {ask_again: ok}", 'verdicts.ask_again is "ok"; it must be a list'),
        ("seed: [1]", "seed is a list; it must be a whole number"),
        ("bootstrap: {seed: -1}", "bootstrap.seed is -1; it must be at least 0"),
        ("models: {small: {engine: endpoint, base_url: host}}", "models.small base_url must be an address"),
        ("models: {small: {engine: yes}}", "models.small.engine is true; it must be one of"),
        ("verdicts: {ask_again: [gone]}", 'verdicts.ask_again is "gone"; it must be one of `refused`'),
        (
            "prompts: {block_order: [tools, tools, tools, tools]}",
            "prompts.block_order must name each of tools, query, expected and plan once",
        ),
        (
            "models: {small: {engine: embedded, decoding: {extra: {when: 2031-01-01}}}}",
            "models.small.decoding.extra.when is 2031-01-01; it must be",
        ),
    ],
)
def test_a_wrong_value_says_what_is_expected(folder: Path, line: str, said: str) -> None:
    assert said in complaint(GOOD + line + "\n")


def test_a_block_takes_all_or_a_list_and_says_so(folder: Path) -> None:
    said = complaint(GOOD + "    judges: some\n")
    assert said.count("blocks.main.judges") == 1
    assert '"some"; it must be `all` or a list of names' in said


def test_an_unknown_kind_of_source_gets_the_nearest(folder: Path) -> None:
    said = complaint(GOOD.replace("kind: starter", "kind: startr"))
    assert 'corpus.sources.starter.kind is "startr"; it must be one of `starter`, `bfcl`' in said
    assert "Did you mean `starter`?" in said


def test_all_problems_are_told_together(folder: Path) -> None:
    text = GOOD.replace("    model: small\n", "    model: smal\n") + "shards: 2\njobs: {lane: cells}\n"
    said = complaint(text)
    assert "shards is not a setting. Did you mean `jobs.shards`?" in said
    assert "jobs.lane" in said
    assert "`smal` is not a model" in said


def test_a_key_that_stands_twice_is_an_error(folder: Path) -> None:
    text = GOOD + "run: again\n"
    assert (
        complaint(text)
        == f"run.yaml, line {line_of(text, 'again')}: run stands twice (first on line 1); keep one."
    )


def test_a_key_that_stands_twice_on_one_line_is_an_error(folder: Path) -> None:
    assert "jobs.shards stands twice" in complaint(GOOD + "jobs: {shards: 1, shards: 2}\n")


def test_a_file_that_is_no_yaml_names_the_line(folder: Path) -> None:
    Path("run.yaml").write_text("run: trial\ncorpus: [\n")
    with pytest.raises(UserError, match=r"run\.yaml, line 3, column 1: is not valid YAML"):
        load_config({"run": "trial"}, ["run.yaml"])


def test_a_missing_file_of_models_is_named_with_the_line_that_asks_for_it(folder: Path) -> None:
    said = complaint(GOOD.replace("models.yaml", "nowhere.yaml"))
    assert said.startswith(f"run.yaml, line {line_of(GOOD, 'models_from')}: models_from: nowhere.yaml")


def test_a_problem_in_the_file_of_models_names_that_file(folder: Path) -> None:
    Path("models.yaml").write_text(MODELS + "    max_tokens: 5\n")
    said = complaint(GOOD)
    assert said.startswith("models.yaml, line 8: models.remote.max_tokens is not a setting.")
    assert "Did you mean `decoding.max_tokens`?" in said


def test_the_last_file_that_has_a_key_is_named(folder: Path) -> None:
    Path("base.yaml").write_text(GOOD)
    Path("more.yaml").write_text("jobs:\n  shards: 0\n")
    data = {**yaml.safe_load(GOOD), "jobs": {"shards": 0}}
    with pytest.raises(UserError, match=r"^more\.yaml, line 2: jobs\.shards"):
        load_config(data, ["base.yaml", "more.yaml"])


def test_a_file_below_the_working_folder_is_called_by_its_short_name(folder: Path) -> None:
    Path("run.yaml").write_text("run: trial\n")
    with pytest.raises(UserError, match=r"^run\.yaml"):
        load_config({"run": "trial", "models_from": None}, [folder / "run.yaml"])


def test_an_endpoint_without_its_url_is_told_what_it_needs(folder: Path) -> None:
    said = complaint(GOOD + "models:\n  api: {engine: endpoint}\n")
    assert "models.api engine `endpoint` needs a base_url" in said


def test_an_empty_configuration_points_to_the_reference(folder: Path) -> None:
    with pytest.raises(UserError, match=r"config/reference\.yaml"):
        load_config({})


def lacks(config: RunConfig) -> str:
    with pytest.raises(UserError) as caught:
        require_environment(config, ["run.yaml"])
    return str(caught.value)


def make_prompts() -> None:
    Path("prompts").mkdir()
    for name in ("judge_with_gt.user.md", "generator.system.md", "generator.user.md"):
        Path("prompts", name).write_text("text")


def test_a_missing_key_variable_is_named_with_the_models_line(folder: Path, monkeypatch) -> None:
    make_prompts()
    config = load(GOOD.replace("    model: small\n", "    model: remote\n"))
    said = lacks(config)
    assert said.startswith("models.yaml, line 7: models.remote.api_key_env: ")
    assert "PLUMBLINE_TEST_KEY is not set" in said
    monkeypatch.setenv("PLUMBLINE_TEST_KEY", "secret")
    require_environment(config)


def test_the_key_of_a_model_that_no_block_uses_is_not_asked_for(folder: Path) -> None:
    make_prompts()
    require_environment(load(GOOD))


def test_a_chat_template_that_is_not_there_is_named_with_the_flags_of_its_model(folder: Path) -> None:
    make_prompts()
    flags = "models:\n  small: {engine: vllm, vllm: {flags: [--chat-template, %s]}}\n"
    said = lacks(load(GOOD + flags % "mine.jinja"))
    assert "models.small.vllm.flags: the file mine.jinja does not exist." in said
    require_environment(load(GOOD + flags % '"{{ messages[0].content }}"'))
    Path("mine.jinja").write_text("{{ messages[0].content }}")
    require_environment(load(GOOD + flags % "mine.jinja"))


def test_a_missing_data_file_folder_and_prompt_are_told_together(folder: Path) -> None:
    make_prompts()
    Path("prompts/generator.user.md").unlink()
    Path("prompts/judge_with_gt.user.md").unlink()
    sources = "    mine: {kind: local, path: mine.jsonl}\n    released: {kind: agentjudgebench, path: ajb}\n"
    said = lacks(load(GOOD.replace("tiers:", sources + "tiers:")))
    assert "corpus.sources.mine.path: the file mine.jsonl does not exist" in said
    assert "corpus.sources.released.path: the folder ajb does not exist" in said
    assert "generators.small.prompt: missing prompts/generator.user.md" in said
    assert "conditions.with_gt.prompt: missing prompts/judge_with_gt.user.md" in said


def test_a_run_whose_models_are_simulated_needs_no_prompts_but_their_folder(folder: Path) -> None:
    config = load(GOOD + "models:\n  small: {engine: simulated}\n")
    assert lacks(config) == "run.yaml: prompts.folder: the folder prompts does not exist."
    Path("prompts").mkdir()
    require_environment(config)


def test_an_unknown_kind_of_reference_gets_the_nearest(folder: Path) -> None:
    said = complaint(GOOD + "references:\n  other: {kind: shufle}\n")
    assert 'references.other.kind is "shufle"; it must be one of `shuffle`, `derive`' in said
    assert said.endswith("    references:\n      other:\n        kind: shuffle")


def test_a_wrong_setting_of_a_reference_is_named_without_its_kind(folder: Path) -> None:
    said = complaint(GOOD + "references:\n  other: {kind: shuffle, max_tries: 0, sead: 1}\n")
    assert "references.other.max_tries is 0; it must be at least 1" in said
    assert "references.other.sead is not a setting. Did you mean `seed`?" in said


def test_a_condition_with_an_unknown_reference_is_written_as_it_should_be(folder: Path) -> None:
    text = GOOD.replace("reference: expected", "reference: expcted")
    said = complaint(text)
    assert f"run.yaml, line {line_of(text, 'expcted')}: conditions.with_gt.reference: `expcted`" in said
    assert said.endswith("        reference: expected")


def test_the_files_of_prometheus_and_of_a_derived_reference_are_asked_for(folder: Path) -> None:
    make_prompts()
    text = GOOD.replace("    model: small\n", "    model: small\n    prompt: prom\n    output: prometheus\n")
    text = text.replace("reference: expected", "reference: own")
    text += "references:\n  own: {kind: derive}\nprometheus: {template: mine.py}\n"
    said = lacks(load(text))
    assert "prometheus.template: the file mine.py does not exist" in said
    assert (
        "judges.qwq.prompt: missing prompts/prom/instruction.md and prompts/prom/tool_selection.yaml" in said
    )
    assert "references.own.prompt: missing prompts/derive_calls.user.md" in said
