"""States of Slurm jobs as Snakemake's executor expects them."""

from __future__ import annotations

from types import ModuleType
from typing import Any


def read_first_word_of_states(plugin: ModuleType) -> None:
    """Let the executor see that a job was cancelled: to `sacct` its state is `CANCELLED by 1000`.

    The executor (2.8) knows the state `CANCELLED` alone and takes the other for one that runs, so that
    Snakemake would wait for the job for ever.

    Parameters
    ----------
    plugin
        The module `snakemake_executor_plugin_slurm`; left as it is if it asks for states in another way.
    """
    ask = getattr(plugin, "query_job_status", None)
    if ask is None:
        return

    async def states(command: str, logger: Any) -> tuple[dict[str, str] | None, float | None]:
        found, seconds = await ask(command, logger)
        if found is not None:
            found = {job: (state.split() or [""])[0] for job, state in found.items()}
        return found, seconds

    plugin.query_job_status = states  # type: ignore[attr-defined]
