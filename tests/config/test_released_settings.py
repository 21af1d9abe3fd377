"""Runs that ask no model need no keys, and say which of their files are missing."""

from __future__ import annotations

import pytest

from plumbline.config.loading import load_config, require_environment
from plumbline.config.settings import RunConfig
from plumbline.records.errors import UserError


def run(**changes):
    return {
        "run": "r",
        "models_from": None,
        "corpus": {"sources": {"starter": {"kind": "starter"}}},
        "models": {
            "far": {"engine": "endpoint", "base_url": "http://x/v1", "api_key_env": "PLUMBLINE_NO_KEY"}
        },
        "generators": {"g": {"model": "far"}},
        "judges": {"j": {"model": "far"}},
        "conditions": {"with_gt": {"prompt": "no_such_prompt"}},
        "blocks": {"main": {"conditions": ["with_gt"]}},
        **changes,
    }


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("PLUMBLINE_NO_KEY", raising=False)
    (tmp_path / "prompts").mkdir()
    return tmp_path


def missing(**changes):
    with pytest.raises(UserError) as caught:
        require_environment(load_config(run(**changes)))
    return str(caught.value)


def test_a_run_of_released_files_needs_no_key_and_no_prompt(folder):
    (folder / "data").mkdir()
    require_environment(load_config(run(released={"folder": "data"})))
    assert "PLUMBLINE_NO_KEY" in missing()


def test_a_released_folder_that_is_not_there_is_named():
    assert missing(released={"folder": "data"}) == "released.folder: the folder data does not exist."


def test_released_models_need_the_released_section():
    told = missing(models={"far": {"engine": "released"}})
    assert "models.far.engine: `released` needs a section `released`" in told


def test_a_missing_file_of_targets_is_named():
    simulated = {"engine": "simulated", "simulation": {"targets": {"file": "targets.csv"}}}
    told = missing(models={"far": simulated})
    assert told == "models.far.simulation.targets.file: the file targets.csv does not exist."


def test_a_released_condition_is_one_of_three():
    with pytest.raises(UserError, match=r"released\.conditions\.with_gt"):
        load_config(run(released={"folder": "data", "conditions": {"with_gt": "easy"}}))
    assert isinstance(load_config(run(released={"folder": "data"})), RunConfig)
