"""The configuration that rebuilds an export loads, whatever of the run the released layout leaves out."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from plumbline.config.loading import load_config
from plumbline.config.released import ReleasedCondition
from plumbline.config.resolved import Workspace
from plumbline.config.settings import RunConfig
from plumbline.release.card import data_card
from plumbline.release.rebuild import rebuild_file
from plumbline.tables.registry import KINDS

RUN = """
run: shared
models_from: null
corpus: {sources: {starter: {kind: starter, per_topology: 2}}}
models: {sim: {engine: simulated}}
generators: {sim: {model: sim}}
judges: {sim: {model: sim}}
references: {derived: {kind: derive}}
conditions:
  with_gt: {prompt: judge_with_gt, reference: expected}
  without_gt: {prompt: judge_without_gt}
  derived_gt: {prompt: judge_with_gt, reference: derived}
blocks:
  main: {conditions: [with_gt, without_gt], tables: [alignment, self_bias]}
  derived: {conditions: [derived_gt], tables: [self_bias]}
"""

STORED: dict[str, ReleasedCondition] = {"with_gt": "with_gt", "without_gt": "without_gt"}


def run(self_bias: str) -> RunConfig:
    return load_config({**yaml.safe_load(RUN), "self_bias": {"condition": self_bias}}, results=KINDS)


@pytest.mark.parametrize("condition", ["derived_gt", "with_gt", "all"])
def test_a_rebuild_names_no_condition_that_it_lacks(condition: str) -> None:
    text = rebuild_file(run(condition), STORED, "export")
    assert text is not None
    rebuilt = load_config(yaml.safe_load(text), results=KINDS)
    assert list(rebuilt.conditions) == ["with_gt", "without_gt"]
    assert rebuilt.self_bias.condition == ("all" if condition == "derived_gt" else condition)
    assert ("The tables of self-bias show all conditions." in text) == (condition == "derived_gt")


@pytest.mark.parametrize("kinds", [{}, STORED], ids=["none", "both"])
def test_the_card_promises_a_rebuild_where_there_is_one(
    kinds: dict[str, ReleasedCondition], tmp_path: Path
) -> None:
    config = run("all")
    (tmp_path / "config.json").write_text(config.model_dump_json(), encoding="utf-8")
    rebuild = rebuild_file(config, kinds, "export")
    card = data_card(Workspace(tmp_path / "config.json"), [], [], rebuilds=rebuild is not None)
    assert ("With `rebuild.yaml` plumbline makes the tables again" in card) == bool(kinds)
    assert ("There is no `rebuild.yaml`" in card) == (not kinds)
