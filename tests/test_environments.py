"""The environments of the rules ask for the same versions as the package."""

from __future__ import annotations

import tomllib
from pathlib import Path

import yaml

SERVERS = ("clm.yaml",)
"""Environments of model servers, which hold nothing of the package."""


def test_every_package_of_an_environment_has_the_package_s_own_pin(project_root: Path) -> None:
    project = tomllib.loads((project_root / "pyproject.toml").read_text())["project"]
    known = {*project["dependencies"], *project["optional-dependencies"]["cluster"]}
    for file in sorted((project_root / "envs").glob("*.yaml")):
        if file.name in SERVERS:
            continue
        pinned = yaml.safe_load(file.read_text())["dependencies"][-1]["pip"]
        assert set(pinned) <= known, file.name
