"""What Slurm knows about jobs, where there is a Slurm."""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path

_ALIVE = {"PENDING", "RUNNING", "SUSPENDED", "COMPLETING", "CONFIGURING", "REQUEUED", "RESIZING", "STOPPED"}
_GOOD = _ALIVE | {"COMPLETED"}
_WORDS = {
    "TIMEOUT": "out of time",
    "OUT_OF_MEMORY": "out of memory",
    "NODE_FAIL": "its node failed",
    "PREEMPTED": "preempted by another job",
    "CANCELLED": "cancelled",
    "DEADLINE": "past its deadline",
    "BOOT_FAIL": "its node did not start",
    "FAILED": "the job ended with an error",
}
_ANSWERS_WITHIN_S = 20


@dataclass(frozen=True)
class SlurmJob:
    """One job as Slurm has it.

    Attributes
    ----------
    number, state
        Slurm's number and state, for instance `TIMEOUT`.
    seconds, gpus
        How long it has run, and GPUs that it was given.
    reason
        Why it is in its state, in Slurm's words.
    """

    number: str
    state: str
    seconds: float = 0.0
    gpus: int = 0
    reason: str | None = None

    @property
    def is_alive(self) -> bool:
        """Whether it waits or runs."""
        return self.state in _ALIVE

    @property
    def is_bad(self) -> bool:
        """Whether it ended, and not well."""
        return self.state not in _GOOD

    @property
    def text(self) -> str:
        """Its end in words."""
        return f"{self.state} ({_WORDS.get(self.state, 'see sacct')}), Slurm job {self.number}"


def accounted_jobs(numbers: Iterable[str]) -> dict[str, SlurmJob]:
    """Ask Slurm's accounting about jobs; empty where there is none.

    Parameters
    ----------
    numbers
        Slurm's numbers of the jobs.
    """
    wanted = sorted({number for number in numbers if number.isdecimal()}, key=int)
    options = ["-X", "-n", "-P", "--duplicates", "--format=JobIDRaw,State,ElapsedRaw,AllocTRES"]
    lines = chain.from_iterable(
        _lines(["sacct", *options, "-j", ",".join(some)]) for some in _batches(wanted, 500)
    )
    found: dict[str, SlurmJob] = {}
    for line in lines:
        number, state, seconds, resources = (line.split("|") + [""] * 4)[:4]
        # a job that was put back into the queue has a line for each time that it ran
        before = found[number].seconds if number in found else 0.0
        found[number] = SlurmJob(number, _state(state), before + float(seconds or 0), _gpus(resources))
    return found


def queued_jobs(project: Path, names: Collection[str] = ()) -> dict[str, SlurmJob]:
    """Give this user's jobs that wait or run, by the comment that the Slurm plugin gave them.

    Parameters
    ----------
    project
        The folder in which Snakemake was started; jobs of other folders are left out.
    names
        Names of the run's jobs, one for each start of Snakemake; if there are some, jobs of other names are
        left out.
    """
    found = {}
    for line in _lines(["squeue", "--me", "--noheader", "--format=%i|%T|%r|%k|%j|%Z"]):
        number, state, reason, comment, name, folder = (line.split("|", 5) + [""] * 6)[:6]
        if Path(folder).resolve() == project.resolve() and (not names or name in names):
            found[comment] = SlurmJob(number, _state(state), reason=None if reason == "None" else reason)
    return found


def _batches(values: Sequence[str], size: int) -> Iterator[Sequence[str]]:
    return (values[start : start + size] for start in range(0, len(values), size))


def _lines(command: list[str]) -> list[str]:
    if shutil.which(command[0]) is None:
        return []
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=_ANSWERS_WITHIN_S, check=True)
    except (OSError, subprocess.SubprocessError):  # Slurm is down, or keeps no accounts
        return []
    return [line for line in done.stdout.splitlines() if line.strip()]


def _state(text: str) -> str:
    # `CANCELLED by 1000`
    return text.split(" ")[0].rstrip("+")


def _gpus(resources: str) -> int:
    found = re.search(r"(?:^|,)gres/gpu=(\d+)", resources)
    return int(found[1]) if found else 0
