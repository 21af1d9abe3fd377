"""The jobs of a run that ask models, and how each of them is."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from plumbline.config.cells import Cell, cells_of, lane_of, owner_of, sharded
from plumbline.config.references import reference_files, reference_lane
from plumbline.config.settings import DerivedReference, RunConfig
from plumbline.models.account import EVERY_S, Account
from plumbline.status.argument_jobs import argument_jobs
from plumbline.status.corpus_jobs import corpus_jobs
from plumbline.status.job import AskJob, ask_job
from plumbline.status.slurm import SlurmJob

State = Literal["done", "running", "queued", "failed", "waiting"]

SILENT_S = 8 * EVERY_S
"""A running job that gave no sign of life for so long has died, unless Slurm knows better."""


@dataclass
class JobStatus:
    """How a job is.

    Attributes
    ----------
    job, state
        The job, and the state of its last attempt.
    attempts
        Accounts of all its attempts, oldest first.
    reason
        Why it failed or what it waits for, if that is known.
    slurm_job
        Slurm's number of the last attempt.
    """

    job: AskJob
    state: State
    attempts: list[Account] = field(default_factory=list)
    reason: str | None = None
    slurm_job: str | None = None

    @property
    def last(self) -> Account | None:
        """Account of the last attempt."""
        return self.attempts[-1] if self.attempts else None

    @property
    def cells(self) -> dict[str, tuple[int, int | None]]:
        """Items that are done, and all of them, by the cell's label; an attempt loses no answer."""
        found: dict[str, tuple[int, int | None]] = {}
        for attempt in self.attempts:
            for label, (done, total) in attempt.cells.items():
                before, known = found.get(label, (0, None))
                found[label] = (max(before, done), known if total is None else total)
        return found

    @property
    def total(self) -> int | None:
        """Items of the job; None as long as it has not started."""
        return self.last.total if self.last else None

    @property
    def done(self) -> int:
        """Items that are settled, those without an answer included."""
        return sum(done for done, _ in self.cells.values())


def ask_jobs(config: RunConfig, root: Path) -> list[AskJob]:
    """List the jobs of a run that ask models, in the order of the run.

    Parameters
    ----------
    config, root
        The run, and the folder of all runs.
    """
    if config.released is not None:
        return list(argument_jobs(config, root))
    return [
        *corpus_jobs(config, root),
        *_plan_jobs(config, root),
        *_reference_jobs(config, root),
        *_verdict_jobs(config, root),
        *argument_jobs(config, root),
    ]


def job_statuses(
    jobs: Sequence[AskJob],
    accounts: Sequence[Account],
    by_number: Mapping[str, SlurmJob],
    queue: Mapping[str, SlurmJob],
    now: float | None = None,
) -> list[JobStatus]:
    """Say how each job is.

    Parameters
    ----------
    jobs
        Jobs of the run.
    accounts
        Accounts of the run, oldest first.
    by_number
        What Slurm's accounting knows, by Slurm's number of the job.
    queue
        What waits or runs in Slurm, by the comment of the job.
    now
        Seconds since 1970.
    """
    attempts: dict[str, list[Account]] = {}
    for account in accounts:
        attempts.setdefault(account.lane, []).append(account)
    moment = time.time() if now is None else now
    return [_status(job, attempts.get(job.lane, []), by_number, queue, moment) for job in jobs]


def _status(
    job: AskJob,
    attempts: list[Account],
    by_number: Mapping[str, SlurmJob],
    queue: Mapping[str, SlurmJob],
    now: float,
) -> JobStatus:
    last = attempts[-1] if attempts else None
    number = last.slurm_job if last else None
    queued = queue.get(job.comment)
    found = JobStatus(job, "waiting", attempts, slurm_job=queued.number if queued else number)
    slurm = by_number.get(number or "")
    if job.stamp.exists():
        found.state = "done"
    elif queued is not None and queued.state != "RUNNING":
        found.state, found.reason = "queued", queued.reason
    elif queued is not None or (last and last.outcome == "running" and _lives(last, slurm, now)):
        found.state = "running"
    elif last is not None and last.outcome != "done":
        found.state, found.reason = "failed", _why(last, slurm)
    elif last is not None and slurm is not None and slurm.is_bad:
        found.state, found.reason = "failed", slurm.text
    return found


def _lives(account: Account, slurm: SlurmJob | None, now: float) -> bool:
    return slurm.is_alive if slurm is not None else now - account.seen < SILENT_S


def _why(account: Account, slurm: SlurmJob | None) -> str:
    """Give the reason of a failure: the job's own words, Slurm's state, or that it fell silent."""
    if slurm is not None and slurm.is_bad and account.outcome != "failed":
        return slurm.text
    if account.reason is not None:
        return account.reason
    seen = time.strftime("%Y-%m-%d %H:%M:%S", time.localtime(account.seen))
    return f"no sign of life on {account.host} since {seen}: killed, or its node is lost"


def _plan_jobs(config: RunConfig, root: Path) -> Iterator[AskJob]:
    for generator, chosen in config.generators.items():
        if chosen.model is None:
            continue
        for base in config.tiers if config.jobs.lane == "cell" else ["all"]:
            for lane in sharded(config, base):
                asked = (generator, "plans", lane)
                wildcards = (generator, lane)
                yield ask_job(
                    config, root, "plans", chosen.model, wildcards=wildcards, lane=asked, asked=asked
                )


def _reference_jobs(config: RunConfig, root: Path) -> Iterator[AskJob]:
    cells = [cell for block in config.blocks for cell in cells_of(config, block)]
    derived = [
        (file.model, file.name, lane)
        for file in reference_files(config, cells)
        if isinstance(config.references[file.name], DerivedReference)
        for lane in reference_lane(config, file.tier)
    ]
    for model, reference, lane in dict.fromkeys(derived):
        yield ask_job(
            config,
            root,
            "references",
            model,
            wildcards=(model, reference, lane),
            lane=(model, "references", reference, lane),
            asked=(model, f"references/{reference}", lane),
        )


def _verdict_jobs(config: RunConfig, root: Path) -> Iterator[AskJob]:
    lanes: dict[tuple[str, str, str], list[Cell]] = {}
    for cell in dict.fromkeys(cell for block in config.blocks for cell in cells_of(config, block)):
        block = owner_of(config, cell)
        lanes.setdefault((cell.judge, block, lane_of(config, block, cell)), []).append(cell)
    for (judge, block, base), cells in lanes.items():
        for lane in sharded(config, base):
            asked = (judge, block, lane)
            model = config.judges[judge].model
            yield ask_job(
                config, root, "verdicts", model, wildcards=asked, lane=asked, asked=asked, cells=cells
            )
