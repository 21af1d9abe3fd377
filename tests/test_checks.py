"""The checks that every change must pass, run as tests so that one command runs everything."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

CHECKS = {
    "ruff finds nothing": ["ruff", "check", "."],
    "ruff would format nothing": ["ruff", "format", "--check", "."],
    "mypy finds nothing": ["mypy"],
    "snakefmt would format nothing": ["snakefmt", "--check", "Snakefile", "rules"],
    "snakemake's linter finds nothing": ["snakemake", "--lint"],
}


@pytest.mark.parametrize("command", CHECKS.values(), ids=CHECKS.keys())
def test_the_code_passes(command: list[str], project_root: Path) -> None:
    program = Path(sys.executable).parent / command[0]
    done = subprocess.run([str(program), *command[1:]], cwd=project_root, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
