"""Fixtures that several test folders share."""

from __future__ import annotations

from pathlib import Path

import pytest
from browser import browser

__all__ = ["browser", "project_root"]


@pytest.fixture(scope="session")
def project_root() -> Path:
    return Path(__file__).parent.parent
