"""What a job that asks a model needs of a cluster's scheduler."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from pydantic import Field, model_validator

from plumbline.config.section import Section

if TYPE_CHECKING:
    from plumbline.config.models import Model

PARTITION = "PLUMBLINE_SLURM_PARTITION"
"""Environment variable with the partition of jobs without a GPU; slurm/profile.yaml sets it."""
GPU_PARTITION = "PLUMBLINE_SLURM_GPU_PARTITION"
"""The same for jobs with GPUs."""

_CPUS_PER_GPU = 4
_GB_PER_GPU = 48
_GB_OF_A_CLIENT = 4


class Job(Section):
    """What a job of this model asks of the scheduler. On a laptop only `cpus` is used."""

    gpus: int | None = Field(default=None, ge=0)
    """GPUs. Null: as many as the `vllm` settings need, none for other engines. For an `embedded` model whose
    server was built for GPUs, write 1."""
    cpus: int | None = Field(default=None, ge=1)
    """Cores. Null: 4 for each GPU, `embedded.threads`, or 1 for a model that is served elsewhere."""
    memory_gb: int | None = Field(default=None, ge=1)
    """Memory of a first try, in GB; each further try asks for as much again. Null: 48 for each GPU; without
    one 4, plus `embedded.cache_gb`."""
    minutes: int = Field(default=240, ge=1)
    """Run time of a first try; each further try asks for as much again. Answers are kept as they come, so a
    try that was too short loses little but the server's start."""
    max_minutes: int = Field(default=1440, ge=1)
    """Longest run time that a try asks for: no more than the partition allows, or the job never starts."""
    constraint: str | None = Field(default=None, min_length=1)
    """Features that a node must have, as `sbatch --constraint` takes them, for instance `a100&80gb`."""

    @model_validator(mode="after")
    def _first_try_fits(self) -> Job:
        if self.minutes > self.max_minutes:
            raise ValueError(
                f"minutes ({self.minutes}) must not be more than max_minutes ({self.max_minutes})"
            )
        return self


def cpus(model: Model) -> int:
    """Give the cores that a job of a model asks for."""
    if model.job.cpus is not None:
        return model.job.cpus
    if model.engine == "embedded":
        return model.embedded.threads
    return max(1, _CPUS_PER_GPU * model.gpus)


def memory_mb(model: Model, attempt: int) -> int:
    """Give the memory, in MB, that a try of a job asks for; `attempt` counts from 1."""
    first = model.job.memory_gb
    if first is None:
        cache = model.embedded.cache_gb if model.engine == "embedded" else 0
        first = _GB_PER_GPU * model.gpus or _GB_OF_A_CLIENT + cache
    return first * 1000 * attempt


def minutes(model: Model, attempt: int) -> int:
    """Give the run time, in minutes, that a try of a job asks for; `attempt` counts from 1."""
    return min(model.job.minutes * attempt, model.job.max_minutes)


def partition(model: Model) -> str | None:
    """Give the partition of a model's jobs, by the environment; None leaves the choice to the scheduler."""
    cpu = os.environ.get(PARTITION)
    return (os.environ.get(GPU_PARTITION) or cpu if model.gpus else cpu) or None


def asking_resources(model_of: Callable[[Any], Model]) -> dict[str, Callable[[Any, int], int | str | None]]:
    """Give the resources of a rule that asks a model.

    Parameters
    ----------
    model_of
        The model's settings, by the wildcards of the rule.

    Returns
    -------
    dict
        Functions of the wildcards and the attempt, by the names that the Slurm executor knows. Outside a
        cluster they limit nothing. The partition is among them only where the environment names one, so that
        a default resource of the command line holds otherwise.
    """

    def resource(
        value: Callable[[Model, int], int | str | None],
    ) -> Callable[[Any, int], int | str | None]:
        return lambda wildcards, attempt: value(model_of(wildcards), attempt)

    resources = {
        "gpu": resource(lambda model, attempt: model.gpus),
        "gpu_model": resource(lambda model, attempt: model.vllm.gpu_type if model.gpus else None),
        "mem_mb": resource(memory_mb),
        "runtime": resource(minutes),
        "constraint": resource(lambda model, attempt: model.job.constraint),
    }
    if os.environ.get(PARTITION) or os.environ.get(GPU_PARTITION):
        resources["slurm_partition"] = resource(lambda model, attempt: partition(model))
    return resources
