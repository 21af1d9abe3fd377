"""Slurm jobs that outlived the Snakemake that sent them: they would ask beside those that are sent anew."""

from __future__ import annotations

import subprocess
from collections.abc import Sequence
from pathlib import Path

from plumbline.models import Clock
from plumbline.records import UserError, write_text

_LIMIT_S = 300.0
_POLL_S = 1.0


def cancel_leftovers(starts: Path, this_start: str, locks: Path, clock: Clock | None = None) -> list[str]:
    """Cancel the jobs of earlier starts of a run, wait until they are gone, and note this start.

    Parameters
    ----------
    starts
        File that remembers the run's starts: one name of Slurm jobs a line, as the executor gave it.
    this_start
        Name of the jobs of this start.
    locks
        Snakemake's folder of locks. While another Snakemake holds one, no job is cancelled: it may be alive,
        and what it makes is something else, or Snakemake would not have begun.
    clock
        Waiting goes by it.

    Returns
    -------
    list of str
        Numbers of the cancelled jobs.

    Raises
    ------
    UserError
        If Slurm does not answer, or the jobs are still there after five minutes.
    """
    known = starts.read_text(encoding="utf-8").split() if starts.exists() else []
    if len(list(locks.glob("*.output.lock"))) > 1:
        write_text("\n".join([*known, this_start]) + "\n", starts)
        return []
    found = _jobs(known)
    if found:
        _slurm("scancel", *found)
        _wait_until_gone(known, clock or Clock())
    write_text(this_start + "\n", starts)
    return found


def _jobs(names: Sequence[str]) -> list[str]:
    """Numbers of the jobs of these names that wait, run or are about to end."""
    return _slurm("squeue", "--noheader", "--format=%i", f"--name={','.join(names)}").split() if names else []


def _wait_until_gone(names: Sequence[str], clock: Clock) -> None:
    deadline = clock.now() + _LIMIT_S
    while remaining := _jobs(names):
        if clock.now() > deadline:
            raise UserError(
                f"jobs {', '.join(remaining)} of an earlier start are still in the queue {_LIMIT_S:g} s after"
                " they were cancelled (`squeue --me`). Start again when they are gone."
            )
        clock.pause(_POLL_S)


def _slurm(*command: str) -> str:
    try:
        done = subprocess.run(command, text=True, capture_output=True, check=True)
    except (OSError, subprocess.CalledProcessError) as error:
        detail = str(getattr(error, "stderr", None) or error).strip()
        raise UserError(
            f"`{command[0]}` failed, so it is not known whether jobs of an earlier start still run: {detail}."
            " Start again when Slurm answers."
        ) from None
    return done.stdout
