"""Asking a model for texts that become data: next calls, rewritten requests (D5, D22)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from plumbline.config.settings import RunConfig
from plumbline.models import Reply, Report, Request, ask


def ask_texts(
    config: RunConfig,
    model: str,
    requests: Sequence[Request],
    readable: Callable[[Request, Reply], bool],
    *,
    journal: Path,
    lane: str,
    log: Path | None = None,
) -> Report:
    """Ask a model some requests, such as for next calls or rewritten requests (D5, D22)."""
    return ask(
        requests,
        model,
        config.models[model],
        journal=journal,
        lane=lane,
        total=len(requests),
        readable=readable,
        attempts=config.verdicts.attempts,
        failed_share=config.jobs.failed_share,
        log=log,
    )
