"""config/paper.yaml is the papers' experiment: its cells, its models and their decoding, its ablations."""

from __future__ import annotations

import csv
import os
import re
import subprocess
import sys
from itertools import product
from pathlib import Path

import pytest
import yaml

from plumbline.config.cells import cells_of, owner_of, resolved_decoding, used_models
from plumbline.config.comparisons import arm_of, comparisons
from plumbline.config.loading import load_config, require_environment
from plumbline.config.settings import RunConfig
from plumbline.records import TIERS, UserError
from plumbline.tables.registry import TABLES

SIX = ["gpt_5_4", "claude_sonnet_4_5", "gemini_2_5_pro", "qwq_32b", "gpt_oss_120b", "gpt_oss_20b"]
FIVE = ["llama_3_3_70b", "llama_3_1_8b", "qwen3_32b", "smollm3_3b", "gpt_5_4"]
OPEN = FIVE[:4]
ABLATIONS = ("temperature", "thinking", "format", "c2", "c3", "derived_gt")


@pytest.fixture(scope="module")
def paper() -> RunConfig:
    root = Path(__file__).parents[2]
    here = Path.cwd()
    os.chdir(root)
    try:
        return load_config(yaml.safe_load(Path("config/paper.yaml").read_text()), ["config/paper.yaml"])
    finally:
        os.chdir(here)


@pytest.fixture(scope="module")
def published_models() -> list[dict[str, str]]:
    path = Path(__file__).parents[2] / "resources" / "published" / "models.csv"
    return list(csv.DictReader(path.open(encoding="utf-8", newline="")))


def asked(config: RunConfig, block: str) -> set[tuple[str, str, str, str]]:
    return {(cell.judge, cell.generator, cell.tier, cell.condition) for cell in cells_of(config, block)}


def test_main_is_every_judge_on_every_generator_and_tier_under_both_conditions(paper: RunConfig) -> None:
    assert asked(paper, "main") == set(product(SIX, FIVE, TIERS, ["with_gt", "without_gt"]))
    assert len(cells_of(paper, "main")) == 180


def test_prometheus_is_a_seventh_judge_of_a_block_of_its_own(paper: RunConfig) -> None:
    added = set(product(["prometheus_2"], FIVE, TIERS, ["with_gt", "without_gt"]))
    assert asked(paper, "prometheus") == asked(paper, "main") | added
    assert paper.agreement.outside == ["prometheus_2"]


def test_each_ablation_has_the_pairings_of_the_paper(paper: RunConfig) -> None:
    arms = ["t_0_3", "t_0_7", "t_1_0"]
    sides = [f"{side}_{arm}" for side in ("with_gt", "without_gt") for arm in arms]
    temperature = set(product(["qwen3_32b"], ["llama_3_3_70b"], TIERS, sides))
    temperature |= set(product(["gpt_oss_120b"], ["llama_3_1_8b"], TIERS, sides[:3]))
    assert asked(paper, "ablation_temperature") == temperature
    thinking = [f"{side}{arm}" for side in ("with_gt", "without_gt") for arm in ("", "_no_thinking")]
    main_arms = {cell for cell in asked(paper, "ablation_thinking") if not cell[3].endswith("_equal")}
    assert main_arms == set(product(["qwq_32b"], OPEN, TIERS, thinking))
    formats = ["with_gt_t_0_3", "without_gt_t_0_3", "with_gt_free_form", "without_gt_free_form"]
    assert asked(paper, "ablation_format") == (
        set(product(["qwen3_32b"], ["llama_3_3_70b"], TIERS, formats))
        | set(product(["qwq_32b"], ["smollm3_3b"], TIERS, ["with_gt", "with_gt_free_form"]))
    )
    half = ["without_gt", "without_gt_half_default"]
    assert asked(paper, "ablation_c2") == set(product(SIX, FIVE, TIERS, half))
    c3 = ["with_gt", "without_gt", "corrupted_gt"]
    assert asked(paper, "ablation_c3") == set(product(["qwq_32b", "gemini_2_5_pro"], FIVE[:1], TIERS, c3))


def test_what_main_has_asked_no_ablation_asks_again(paper: RunConfig) -> None:
    cells = {cell for block in paper.blocks for cell in cells_of(paper, block)}
    shared = [cell for cell in cells if cell.condition in ("with_gt", "without_gt")]
    assert {owner_of(paper, cell) for cell in shared} == {"main", "prometheus"}
    assert {cell.judge for cell in shared if owner_of(paper, cell) == "prometheus"} == {"prometheus_2"}


def test_the_decoding_of_judges_and_generators_is_that_of_the_released_pipeline(
    paper: RunConfig, published_models: list[dict[str, str]]
) -> None:
    checked = 0
    for row in published_models:
        if row["role"] not in ("generator", "judge") or row["slug"] == "qwq_32b_thinking_off":
            continue
        known = dict(part.split("=") for part in row["decoding_in_released_pipeline"].split() if "=" in part)
        if row["slug"] in OPEN:
            # the text says 0 for generators, the pipeline 0.01 (C-A25); the ablations set their own
            known.pop("temperature", None)
        decoding = paper.models[row["slug"]].decoding
        for key, value in known.items():
            found = decoding.extra.get(key, getattr(decoding, key, None))
            assert found == pytest.approx(float(value)), (row["slug"], key)
            checked += 1
    assert checked > 15


def test_all_meta_judges_are_asked_with_the_same_decoding(
    paper: RunConfig, published_models: list[dict[str, str]]
) -> None:
    rows = [row for row in published_models if row["role"] == "meta_judge"]
    assert {row["decoding_stated_in_text"] for row in rows} == {"same parameters for all three"}
    validation = paper.validation
    assert validation is not None and set(validation.models) == {row["slug"] for row in rows}
    found = [validation.decoding.applied_to(paper.models[slug].decoding) for slug in validation.models]
    assert found[0] == found[1] == found[2]
    # the only temperature that GPT-5.4 allows, and the name under which it takes a limit
    assert (found[0].temperature, found[0].extra) == (1.0, {"max_completion_tokens": found[0].max_tokens})
    assert validation.per_topology * 6 == 198


def test_the_temperature_arms_have_their_temperature_and_nothing_else_changes(paper: RunConfig) -> None:
    for judge in ("qwen3_32b", "gpt_oss_120b"):
        own = resolved_decoding(paper, judge, "with_gt")
        for name, temperature in (("t_0_3", 0.3), ("t_0_7", 0.7), ("t_1_0", 1.0)):
            arm = resolved_decoding(paper, judge, f"with_gt_{name}")
            assert arm == own.model_copy(update={"temperature": temperature})
            assert float(arm_of(paper, f"with_gt_{name}")) == temperature


def test_thinking_off_is_sampled_as_in_the_pipeline_and_once_more_as_with_thinking_on(
    paper: RunConfig,
) -> None:
    on = resolved_decoding(paper, "qwq_32b", "with_gt")
    off = resolved_decoding(paper, "qwq_32b", "with_gt_no_thinking")
    assert (off.thinking, off.temperature, off.top_p) == (False, 0.7, 0.8)
    equal = resolved_decoding(paper, "qwq_32b", "with_gt_no_thinking_equal")
    assert equal == on.model_copy(update={"thinking": False})


def test_both_formats_are_asked_with_the_same_decoding(paper: RunConfig) -> None:
    for judge, structured in (("qwen3_32b", "with_gt_t_0_3"), ("qwq_32b", "with_gt")):
        free = resolved_decoding(paper, judge, "with_gt_free_form")
        assert free == resolved_decoding(paper, judge, structured)


def test_every_ablation_compares_something_and_every_table_exists(paper: RunConfig) -> None:
    for name in ABLATIONS:
        block = f"ablation_{name}"
        assert comparisons(paper, block), block
        assert "condition_effects" in paper.blocks[block].tables
    named = {table for block in paper.blocks.values() for table in block.tables}
    assert named <= set(TABLES)
    items = [
        (block, table, condition)
        for block, section in paper.blocks.items()
        for table in section.tables
        for condition in (section.conditions if TABLES[table].by_condition else [None])
    ]
    assert len(items) < 100


def test_corrupted_and_derived_are_compared_with_both_conditions(paper: RunConfig) -> None:
    for block, condition in (("ablation_c3", "corrupted_gt"), ("ablation_derived_gt", "derived_gt")):
        found = {c.baseline for c in comparisons(paper, block) if c.condition == condition}
        assert found == {"with_gt", "without_gt"}


def test_hosted_judges_take_their_keys_from_the_environment(
    paper: RunConfig, monkeypatch: pytest.MonkeyPatch, project_root: Path
) -> None:
    monkeypatch.chdir(project_root)
    hosted = [slug for slug in used_models(paper) if paper.models[slug].engine == "endpoint"]
    assert sorted(hosted) == ["claude_sonnet_4_5", "gemini_2_5_pro", "gpt_5_4"]
    for slug in hosted:
        monkeypatch.delenv(paper.models[slug].api_key_env or "", raising=False)
    with pytest.raises(UserError) as caught:
        require_environment(paper)
    for slug in hosted:
        assert f"{paper.models[slug].api_key_env} is not set" in str(caught.value)


def test_it_is_planned_without_the_corpus_and_without_keys_in_under_15_seconds(
    project_root: Path, tmp_path: Path
) -> None:
    # in a folder of its own, so that nothing is locked and no result is looked at
    for part in ("Snakefile", "rules", "scripts", "config", "envs", "prompts", "resources"):
        (tmp_path / part).symlink_to(project_root / part)
    env = {key: value for key, value in os.environ.items() if not key.endswith("_API_KEY")}
    before = os.times()
    done = subprocess.run(
        [sys.executable, "-m", "snakemake", "-n", "--quiet", "rules", "--configfile", "config/paper.yaml"],
        cwd=tmp_path,
        env=env,
        text=True,
        capture_output=True,
    )
    after = os.times()
    assert done.returncode == 0, done.stdout + done.stderr
    # processor time: other work on this machine is not counted
    spent = after.children_user + after.children_system - before.children_user - before.children_system
    assert spent < 15
    assert "OPENAI_API_KEY is not set" in done.stderr
    assert "the folder data/agentjudgebench does not exist" in done.stderr
    # 180 of main, 30 of prometheus, 27 temperature, 48 thinking off, 15 free form, 90 c2, 6 c3, 18 derived
    jobs = dict(re.findall(r"^(\w+) +(\d+)$", done.stdout, re.M))
    assert (jobs["score_plans"], jobs["read_verdicts"]) == ("15", "408")
