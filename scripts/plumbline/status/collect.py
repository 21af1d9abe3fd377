"""All that is to be said about a run as it is now."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from plumbline.config import paths
from plumbline.config.argument_cells import (
    ArgumentCell,
    every_argument_cell,
    needed_references,
    proposers_of,
    used_datasets,
)
from plumbline.config.cells import Cell, cells_of, plan_cells
from plumbline.config.resolved import Workspace
from plumbline.config.settings import RunConfig
from plumbline.judging.verdicts import cell_label
from plumbline.models.account import read_accounts
from plumbline.status.ask_jobs import JobStatus, ask_jobs, job_statuses
from plumbline.status.failures import Failure, failures
from plumbline.status.slurm import accounted_jobs, queued_jobs
from plumbline.status.spending import Spending, spending

_WORST_FIRST = ("failed", "running", "queued", "waiting")


@dataclass(frozen=True)
class CellStatus:
    """How a plan cell or an argument cell is.

    Its state is `read` once its verdicts or judgments are a file, `asked` before that, or as its jobs are.
    `done` counts items that are settled, `total` all of them; None where no job has started on the cell.
    """

    cell: Cell | ArgumentCell
    state: str
    done: int | None = None
    total: int | None = None


@dataclass
class Status:
    """A run as it is now.

    Attributes
    ----------
    run, moment
        Its name, and seconds since 1970.
    jobs
        Jobs that ask models.
    cells
        Plan cells, then argument cells.
    files
        For each stage, the files that are there and all of them.
    failures
        Other jobs that failed in the last start of Snakemake.
    spending
        What each model took, beside the estimate.
    """

    run: str
    moment: float
    jobs: list[JobStatus] = field(default_factory=list)
    cells: list[CellStatus] = field(default_factory=list)
    files: dict[str, tuple[int, int]] = field(default_factory=dict)
    failures: list[Failure] = field(default_factory=list)
    spending: list[Spending] = field(default_factory=list)


def status_of(workspace: Workspace, with_estimate: bool = True) -> Status:
    """Find out how a run is. Nothing is changed, and verdicts and answers are not read.

    Parameters
    ----------
    workspace
        The run.
    with_estimate
        Whether to estimate what the run takes, from a few records; that is the slowest part.
    """
    config, root = workspace.settings, workspace.root
    project = root.parent
    accounts = read_accounts(root / "journal", config.run)
    numbers = {account.slurm_job for account in accounts if account.slurm_job}
    by_number = accounted_jobs(numbers)
    starts = root / config.run / "slurm_starts.txt"
    names = starts.read_text(encoding="utf-8").split() if starts.exists() else ()
    queue = queued_jobs(project, names)
    jobs = job_statuses(ask_jobs(config, root), accounts, by_number, queue)
    return Status(
        config.run,
        time.time(),
        jobs,
        _cells(config, root, jobs),
        _files(config, root),
        _other_failures(failures(project / ".snakemake", root / config.run), jobs, project),
        spending(config, root, jobs, accounts, by_number, with_estimate),
    )


def _cells(config: RunConfig, root: Path, jobs: Sequence[JobStatus]) -> list[CellStatus]:
    of_cell: dict[Cell | ArgumentCell, list[JobStatus]] = {}
    for job in jobs:
        for cell in job.job.cells:
            of_cell.setdefault(cell, []).append(job)
    labels = {id(job): job.cells for job in jobs}
    cells: list[Cell | ArgumentCell] = [*_plan_cells(config), *every_argument_cell(config)]
    return [
        _cell(config, root, cell, [(job, labels[id(job)]) for job in of_cell.get(cell, [])]) for cell in cells
    ]


def _plan_cells(config: RunConfig) -> list[Cell]:
    return list(dict.fromkeys(cell for block in config.blocks for cell in cells_of(config, block)))


Counts = Mapping[str, tuple[int, int | None]]


def _cell(
    config: RunConfig,
    root: Path,
    cell: Cell | ArgumentCell,
    jobs: Sequence[tuple[JobStatus, Counts]],
) -> CellStatus:
    if isinstance(cell, ArgumentCell):
        label, file = cell.label, paths.judgments(config.run, cell.judge, cell.dataset, cell.input, root)
    else:
        label = cell_label(cell.judge, cell.tier, cell.generator, cell.condition)
        file = paths.verdicts(config.run, cell.judge, cell.generator, cell.tier, cell.condition, root)
    counts = [found[label] for _, found in jobs if label in found]
    totals = [total for _, total in counts if total is not None]
    done = sum(done for done, _ in counts) if counts else None
    total = sum(totals) if totals and len(totals) == len(jobs) else None
    states = {job.state for job, _ in jobs}
    state = "read" if Path(file).exists() else next((s for s in _WORST_FIRST if s in states), "asked")
    return CellStatus(cell, state if jobs or state == "read" else "waiting", done, total)


def _files(config: RunConfig, root: Path) -> dict[str, tuple[int, int]]:
    run = config.run
    plans = list(dict.fromkeys(cell for block in config.blocks for cell in plan_cells(config, block)))
    cells = _plan_cells(config)
    stages = {
        "records": [paths.records(run, root)] if config.judges_plans else [],
        "rewrites": [paths.rewrites(run, config.rewrites.model, root)] if config.rewrites else [],
        "plans": [paths.plans(run, generator, tier, root) for generator, tier in plans],
        "scores": [paths.scores(run, generator, tier, root) for generator, tier in plans],
        "verdicts": [paths.verdicts(run, c.judge, c.generator, c.tier, c.condition, root) for c in cells],
        **_argument_files(config, root),
        "front page": [str(root / run / "tables" / "overview.html")] if config.judges_plans else [],
    }
    return {
        stage: (sum(Path(file).exists() for file in files), len(files))
        for stage, files in stages.items()
        if files
    }


def _argument_files(config: RunConfig, root: Path) -> dict[str, list[str]]:
    run, cells, datasets = config.run, every_argument_cell(config), used_datasets(config)
    if not cells:
        return {}
    proposed = [(dataset, name) for dataset in datasets for name in proposers_of(config, dataset)]
    made = needed_references(config, cells)
    return {
        "proposals": [paths.proposals(run, dataset, name, root) for dataset, name in proposed],
        "argument data sets": [paths.argument_items(run, dataset, root) for dataset in datasets],
        "value references": [paths.value_references(run, f.dataset, f.name, f.model, root) for f in made],
        "judgments": [paths.judgments(run, cell.judge, cell.dataset, cell.input, root) for cell in cells],
        "argument page": [str(root / run / "tables" / "arguments.html")],
    }


def _other_failures(found: Sequence[Failure], jobs: Sequence[JobStatus], project: Path) -> list[Failure]:
    """Leave out what the account of a job tells better, or what runs again."""
    stamps = {job.job.stamp.resolve() for job in jobs if job.attempts or job.state == "queued"}
    return [one for one in found if not {(project / file).resolve() for file in one.outputs} & stamps]


def job_counts(jobs: Sequence[JobStatus]) -> dict[tuple[str, str], Counter[str]]:
    """Count the jobs of each model and role by their state."""
    counts: dict[tuple[str, str], Counter[str]] = {}
    for job in jobs:
        counts.setdefault((job.job.model, job.job.role), Counter())[job.state] += 1
    return counts
