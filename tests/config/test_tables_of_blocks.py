"""A block of plans cannot ask for a table of arguments, nor the other way round."""

from pathlib import Path

import pytest
import yaml

from plumbline.config.loading import load_config
from plumbline.records.errors import UserError
from plumbline.tables.registry import ARGUMENT_TABLES, KINDS, PLAN_TABLES

RUN = """
run: small
models: {m: {engine: simulated}}
corpus: {sources: {starter: {kind: starter}}}
generators: {gen: {model: m}}
judges: {ada: {model: m}}
conditions: {without_gt: {reference: none, prompt: without_gt}}
blocks: {main: {conditions: [without_gt], tables: [PLAN]}}
arguments:
  datasets: {own: {kind: local, states: s.jsonl, calls: c.jsonl}}
  judges: {ada: {model: m}}
  inputs: {plain: {}}
  blocks: {values: {inputs: [plain], tables: [VALUE]}}
"""


def load(folder: Path, plan: str, value: str) -> None:
    file = folder / "run.yaml"
    file.write_text(RUN.replace("PLAN", plan).replace("VALUE", value))
    load_config(yaml.safe_load(file.read_text()), [file], KINDS)


def test_each_block_asks_for_its_own_tables(tmp_path):
    load(tmp_path, "alignment", "derivation_gaps")


@pytest.mark.parametrize(
    ("plan", "value", "said"),
    [
        (
            "derivation_gaps",
            "argument_auroc",
            "blocks.main.tables: `derivation_gaps` is not a table",
        ),
        ("alignment", "alignment", "arguments.blocks.values.tables: `alignment` is not a table"),
    ],
)
def test_a_table_of_the_other_kind_is_told_with_its_key(tmp_path, plan, value, said):
    with pytest.raises(UserError, match="is not a table or figure") as raised:
        load(tmp_path, plan, value)
    assert said in str(raised.value)


def test_every_table_is_of_one_kind():
    assert sorted([*PLAN_TABLES, *ARGUMENT_TABLES]) == sorted(KINDS)
