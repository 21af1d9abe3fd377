"""Pins environments completely: `NAME.in` is what is asked for, `NAME.txt` is for pip, `NAME.yaml` for conda.

    python envs/lock.py [NAME ...]

pip works the versions out, for the Python that runs this (3.11) on Linux; nothing is installed.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from pathlib import Path

ENVS = Path(__file__).parent
MADE = "# Made by `python envs/lock.py`; what is asked for stands in {name}.in."


def pins(requirements: Path) -> list[str]:
    """Work out every package that some requirements bring along, each with its version."""
    with tempfile.NamedTemporaryFile(suffix=".json") as report:
        command = [sys.executable, "-m", "pip", "install", "--quiet", "--dry-run", "--ignore-installed"]
        subprocess.run([*command, "--report", report.name, "-r", str(requirements)], check=True)
        found = json.load(report)["install"]
    # a local version (+cpu) is one of this machine's own wheels, not one that others get
    versions = {each["metadata"]["name"]: each["metadata"]["version"].split("+")[0] for each in found}
    return sorted(f"{name.lower().replace('_', '-')}=={version}" for name, version in versions.items())


def about(requirements: Path) -> list[str]:
    """Give the comment that says what an environment is for."""
    lines = requirements.read_text(encoding="utf-8").splitlines()
    return [line for line in lines if line.startswith("#")]


def write(name: str) -> None:
    """Write both files of one environment."""
    requirements = ENVS / f"{name}.in"
    pinned = pins(requirements)
    head = [*about(requirements), MADE.format(name=name)]
    (ENVS / f"{name}.txt").write_text("\n".join([*head, *pinned]) + "\n", encoding="utf-8")
    conda = ["channels: [conda-forge]", "dependencies:", "  - python=3.11", "  - pip", "  - pip:"]
    listed = [f"      - {pin}" for pin in pinned]
    (ENVS / f"{name}.yaml").write_text("\n".join([*head, *conda, *listed]) + "\n", encoding="utf-8")


if __name__ == "__main__":
    for chosen in sys.argv[1:] or sorted(file.stem for file in ENVS.glob("*.in")):
        write(chosen)
