"""A copy of the project in a folder of its own, and the real snakemake in it."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parent.parent
PARTS = ("Snakefile", "rules", "scripts", "config", "envs", "prompts", "profiles", "resources", "slurm")


def copy_project(target: Path) -> Path:
    """Copy what a run needs into a folder of its own, so that tests never touch the real results."""
    for part in PARTS:
        source = ROOT / part
        if source.is_dir():
            shutil.copytree(source, target / part, ignore=shutil.ignore_patterns("__pycache__", "*.egg-info"))
        else:
            shutil.copy(source, target / part)
    return target


def run_snakemake(
    folder: Path, *arguments: str, env: dict[str, str] | None = None, check: bool = True
) -> subprocess.CompletedProcess[str]:
    """Run the real snakemake in a copied project; its output is in the result."""
    done = subprocess.run(
        [sys.executable, "-m", "snakemake", "--cores", "2", *arguments],
        cwd=folder,
        env={**os.environ, **(env or {})},
        text=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
    )
    assert not check or done.returncode == 0, done.stdout[-6000:]
    return done


def planned_jobs(output: str) -> dict[str, int]:
    """Read the job counts of a dry run."""
    table = re.search(r"^job +count\n-+ +-+\n(.*?)\n\n", output, re.M | re.S)
    assert table, output[-3000:]
    rows = (line.split() for line in table[1].splitlines())
    return {name: int(count) for name, count in rows if name != "total"}
