"""The small real cluster, one for all tests of this folder."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path

import pytest
from profile_run import ProfileRun
from project_copy import copy_project, run_snakemake
from slurm import Cluster, missing
from small_experiment import KEY, KEY_VARIABLE, TARGET, answering, results, write_config
from troubled_run import Troubles, suffer


@pytest.fixture(scope="session")
def cluster() -> Iterator[Cluster]:
    reason = missing()
    if reason:
        pytest.fail(reason) if os.environ.get("CI") == "true" else pytest.skip(reason)
    # the paths of sockets must be short
    with tempfile.TemporaryDirectory(prefix="slurm-") as folder, Cluster(Path(folder)) as started:
        yield started


@pytest.fixture(scope="session")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    """The experiment's results on this machine alone, with the same servers and no Slurm."""
    folder = copy_project(tmp_path_factory.mktemp("undisturbed"))
    with answering() as gamma:
        write_config(folder, gamma.url)
        run_snakemake(folder, TARGET, "--configfile", "run.yaml", env={KEY_VARIABLE: KEY})
    return results(folder)


@pytest.fixture(scope="session", autouse=True)
def coming_troubles(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Future[Troubles] | None]:
    """The run that meets every trouble; it waits most of the time, so it runs beside the other tests."""
    if not any("troubles" in getattr(item, "fixturenames", ()) for item in request.session.items):
        yield None
        return
    run = ProfileRun(request.getfixturevalue("cluster"), copy_project(tmp_path_factory.mktemp("troubled")))
    with ThreadPoolExecutor(1) as pool:
        yield pool.submit(suffer, run)


@pytest.fixture(scope="session")
def troubles(coming_troubles: Future[Troubles]) -> Troubles:
    return coming_troubles.result()
