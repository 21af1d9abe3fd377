"""One job that asks a model: its names, and where what it makes and says stands."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from plumbline.config import paths
from plumbline.config.argument_cells import ArgumentCell
from plumbline.config.cells import Cell
from plumbline.config.settings import RunConfig

Role = Literal[
    "stages",
    "rewrites",
    "opinions",
    "plans",
    "references",
    "verdicts",
    "relocations",
    "proposals",
    "value_references",
    "judgments",
]


@dataclass(frozen=True)
class AskJob:
    """One job that asks a model.

    Attributes
    ----------
    rule, wildcards
        As Snakemake names them.
    model, role
        The model that is asked, by its name in the configuration, and for what.
    lane
        The job's name in the journal and in its accounts.
    stamp, log
        What it makes, and where its words are.
    cells
        Plan cells or argument cells that it answers, if it asks for verdicts or judgments.
    """

    rule: str
    wildcards: tuple[str, ...]
    model: str
    role: Role
    lane: str
    stamp: Path
    log: Path
    cells: tuple[Cell | ArgumentCell, ...] = ()

    @property
    def comment(self) -> str:
        """The comment by which the Slurm plugin marks the job."""
        return f"rule_{self.rule}_wildcards_{'_'.join(self.wildcards).replace('/', '_')}"


def ask_job(
    config: RunConfig,
    root: Path,
    role: Role,
    model: str,
    *,
    wildcards: Sequence[str],
    lane: Sequence[str],
    asked: tuple[str, str, str],
    rule: str | None = None,
    cells: Sequence[Cell | ArgumentCell] = (),
) -> AskJob:
    """Name a job that asks a model.

    Parameters
    ----------
    config, root
        The run, and the folder of all runs.
    role, model
        For what the model is asked.
    wildcards
        Those of the rule, in the order of its output; its log is named by them.
    lane
        Parts of the job's name in the journal, after the run's.
    asked
        Parts of its stamp's path.
    rule
        The rule, where it is not called after what is asked for.
    cells
        Cells that it answers.
    """
    name = rule or f"ask_{role}"
    return AskJob(
        name,
        tuple(wildcards),
        model,
        role,
        ".".join((config.run, *lane)),
        Path(paths.asked(config.run, *asked, root=root)),
        Path(paths.log(config.run, name, *wildcards, root=root)),
        tuple(cells),
    )
