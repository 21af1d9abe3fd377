"""The generated schema and reference are those of the code, and true."""

import re
import subprocess
import sys
from pathlib import Path

import jsonschema
import pytest
import yaml

from plumbline.config.documentation import reference_text, schema_text
from plumbline.config.loading import load_config
from plumbline.config.settings import RunConfig

CONFIG = Path(__file__).parents[2] / "config"


@pytest.mark.parametrize(
    ("name", "text"), [("schema.json", schema_text()), ("reference.yaml", reference_text())]
)
def test_the_committed_file_is_the_one_that_the_code_makes(name: str, text: str) -> None:
    same = (CONFIG / name).read_text(encoding="utf-8") == text
    assert same, f"config/{name} is out of date: run `python -m plumbline.config.documentation`"


def test_the_reference_names_every_setting_of_the_schema() -> None:
    schema = yaml.safe_load(schema_text())
    sections = [schema, *schema["$defs"].values()]
    names = {name for section in sections for name in section.get("properties", {})}
    told = set(re.findall(r"\w+", reference_text()))
    assert names and names <= told


def test_the_defaults_in_the_reference_are_those_that_a_run_gets() -> None:
    reference = yaml.safe_load(reference_text())
    sections = ("jobs", "prompts", "plans", "scoring", "verdicts", "alignment", "bootstrap")
    shown = {name: reference[name] for name in (*sections, "seed", "tiers", "models_from")}
    config = RunConfig.model_validate(
        {
            "run": "trial",
            "corpus": {"sources": {"starter": {"kind": "starter"}}},
            "models": {"m": {"engine": "simulated"}},
            "generators": {"g": {"model": "m"}},
            "judges": {"j": {"model": "m"}},
            "conditions": {"c": {"prompt": "p"}},
            "blocks": {"main": {"conditions": ["c"]}},
        }
    )
    assert shown == {name: config.model_dump()[name] for name in shown}


@pytest.mark.parametrize("name", ["config.yaml"])
def test_a_configuration_that_we_ship_fits_the_schema_and_loads(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(CONFIG.parent)
    data = yaml.safe_load((CONFIG / name).read_text(encoding="utf-8"))
    jsonschema.validate(data, yaml.safe_load(schema_text()))
    load_config(data, [CONFIG / name])


def test_reading_a_configuration_imports_no_heavy_library() -> None:
    code = (
        "import sys, plumbline.config.loading, plumbline.config.cells; "
        "print([m for m in ('pandas', 'numpy', 'matplotlib', 'openai', 'scipy') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
