"""Jobs that failed in the last start of Snakemake, from its own log."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

_BLOCK = re.compile(r"^ *Error in rule (\S+?):\n((?: {4,}.*\n)+)", re.M)
_FIELD = re.compile(r"^ *(output|log|external_jobid): (.*)$", re.M)
_LARGEST = 50_000_000
"""Bytes of a log that are looked at, from its end."""


@dataclass(frozen=True)
class Failure:
    """One job that failed: its rule, what it should have made, its logs, Slurm's number."""

    rule: str
    outputs: tuple[str, ...]
    logs: tuple[str, ...]
    slurm_job: str | None


def failures(snakemake: Path, run: Path) -> list[Failure]:
    """List the jobs that failed in the last start of Snakemake and whose output is still missing.

    Parameters
    ----------
    snakemake
        Snakemake's own folder, `.snakemake` of the project.
    run
        Folder of the run; jobs of other runs are left out.

    Returns
    -------
    list of Failure
        One for each job; its last failure counts.
    """
    logs = sorted((snakemake / "log").glob("*.snakemake.log"), key=lambda path: path.name)
    if not logs:
        return []
    found: dict[tuple[str, ...], Failure] = {}
    for rule, block in _BLOCK.findall(_end_of(logs[-1])):
        fields = dict(_FIELD.findall(block))
        outputs = tuple(_files(fields.get("output", "")))
        home = snakemake.resolve().parent
        of_run = any((home / output).is_relative_to(run.resolve()) for output in outputs)
        if of_run and not all((home / output).exists() for output in outputs):
            words = fields.get("log", "").partition(" (check log file")[0]
            found[outputs] = Failure(rule, outputs, tuple(_files(words)), fields.get("external_jobid"))
    return list(found.values())


def last_lines(log: Path, count: int = 3) -> list[str]:
    """Give the last lines of a log that say something; none if it is not there."""
    try:
        lines = [line.rstrip() for line in _end_of(log, 20_000).splitlines()]
    except OSError:
        return []
    return [line for line in lines if line.strip()][-count:]


def _files(text: str) -> Sequence[str]:
    return [name for name in text.split(", ") if name]


def _end_of(file: Path, largest: int = _LARGEST) -> str:
    with file.open("rb") as stream:
        size = stream.seek(0, 2)
        stream.seek(max(0, size - largest))
        return stream.read().decode("utf-8", "replace").replace("\r", "\n")
