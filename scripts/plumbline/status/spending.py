"""What each model of a run took so far, beside what it is estimated to take."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from plumbline.config.settings import RunConfig
from plumbline.estimation.basis import basis_of
from plumbline.estimation.counting import Load, count, dollars, hours
from plumbline.estimation.stage import Role
from plumbline.models.account import Account
from plumbline.status.ask_jobs import JobStatus
from plumbline.status.job import Role as JobRole
from plumbline.status.slurm import SlurmJob

_SAMPLE = 6
"""Records whose prompts are written for the estimate: fewer than `plumbline estimate` takes, to be quick."""

_ROLES: dict[JobRole, Role] = {
    "stages": "stage",
    "rewrites": "rewrite",
    "opinions": "opinion",
    "plans": "plan",
    "references": "reference",
    "verdicts": "verdict",
    "relocations": "relocation",
    "proposals": "proposal",
    "value_references": "value_reference",
    "judgments": "judgment",
}


@dataclass
class Spending:
    """What one model took in one role, all attempts together.

    Attributes
    ----------
    model, role
        The model by its name in the configuration, and for what it was asked.
    settled, total
        Items that are settled in jobs that have started, and all items of these.
    failed
        Requests without an answer in the last attempts, by status.
    load
        New replies and their tokens.
    gpu_hours, dollars
        What they took; None without GPUs, or without a price.
    estimated, estimated_gpu_hours, estimated_dollars
        The same for the whole run; None where there is no estimate.
    """

    model: str
    role: Role
    load: Load
    settled: int = 0
    total: int = 0
    failed: Counter[str] = field(default_factory=Counter)
    gpu_hours: float | None = None
    dollars: float | None = None
    estimated: Load | None = None
    estimated_gpu_hours: float | None = None
    estimated_dollars: float | None = None


def spending(
    config: RunConfig,
    root: Path,
    jobs: Sequence[JobStatus],
    accounts: Sequence[Account],
    by_number: Mapping[str, SlurmJob],
    with_estimate: bool,
) -> list[Spending]:
    """Add up what each model took.

    Parameters
    ----------
    config, root
        The run, and the folder of all runs.
    jobs, accounts
        Jobs of the run, and the accounts of all attempts; those of jobs that the configuration no longer
        has count for their model.
    by_number
        What Slurm's accounting knows, by Slurm's number of the job.
    with_estimate
        Whether to estimate what the run takes.
    """
    found: dict[tuple[str, Role], Spending] = {}
    role_of = {job.job.lane: _ROLES[job.job.role] for job in jobs}
    for job in jobs:
        _add_items(_entry(found, job.job.model, _ROLES[job.job.role]), job)
    counted: set[str] = set()
    for account in accounts:
        entry = _entry(found, account.model, role_of.get(account.lane, "verdict"))
        _add_tokens(entry.load, account)
        slurm = by_number.get(account.slurm_job or "")
        if account.gpus:
            entry.gpu_hours = (entry.gpu_hours or 0.0) + _gpu_hours(account, slurm, counted)
    for entry in found.values():
        if entry.model in config.models:
            entry.dollars = dollars(entry.load, config.models[entry.model])
    if with_estimate:
        _add_estimates(found, config, root)
    return list(found.values())


def _entry(found: dict[tuple[str, Role], Spending], model: str, role: Role) -> Spending:
    return found.setdefault((model, role), Spending(model, role, Load(model, role, 0)))


def _add_items(entry: Spending, job: JobStatus) -> None:
    if job.last is not None:
        entry.settled += job.done
        entry.total += job.last.total
        entry.failed.update(job.last.failed)


def _add_tokens(load: Load, account: Account) -> None:
    load.requests += account.answered
    load.prompt += account.prompt_tokens
    load.cached += account.cached_tokens
    load.output += account.completion_tokens


def _gpu_hours(account: Account, slurm: SlurmJob | None, counted: set[str]) -> float:
    """Give the GPU hours of an attempt: Slurm's, which hold all attempts under one number, or its own."""
    if slurm is None:
        return account.gpus * account.seconds / 3600
    if slurm.number in counted:
        return 0.0
    counted.add(slurm.number)
    return (slurm.gpus or account.gpus) * slurm.seconds / 3600


def _add_estimates(found: dict[tuple[str, Role], Spending], config: RunConfig, root: Path) -> None:
    sample = min(config.estimate.sample, _SAMPLE)
    smaller = config.estimate.model_copy(update={"sample": sample})
    basis = basis_of(config.model_copy(update={"estimate": smaller}), root)
    for load in count(basis, root, compare=False):
        entry = _entry(found, load.model, load.role)
        model = config.models[load.model]
        time = hours(load, config)
        entry.estimated = load
        entry.estimated_dollars = dollars(load, model)
        entry.estimated_gpu_hours = time * model.gpus if time is not None and model.gpus else None
