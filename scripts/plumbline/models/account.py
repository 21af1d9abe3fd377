"""What a job that asks a model did, in a small file of its own beside the journal."""

from __future__ import annotations

import contextlib
import json
import os
import re
import socket
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from plumbline.records import Usage
from plumbline.records.files import write_text

FOLDER = "jobs"
"""Folder of the accounts, in a model's folder of the journal."""

EVERY_S = 15.0
"""Seconds between two signs of life of a running job."""

Outcome = Literal["running", "done", "failed", "ended"]


@dataclass
class Account:
    """One attempt of one job.

    Attributes
    ----------
    lane, model
        Name of the job, `RUN.JUDGE.BLOCK.LANE` and the like; the model by its name in the configuration.
    host, pid, slurm_job, gpus
        Where it runs; the number Slurm gave it, if it runs there; GPUs it asked for.
    started, seen, ended
        Seconds since 1970; `seen` is its last sign of life.
    outcome, reason
        `ended` is a job that a signal ended: cancelled, out of time, preempted.
    total, answered, reused, shared, failed
        Requests of the job; new replies (repeats of unreadable ones included); answers that the journal had;
        items that another item asked for; requests without an answer, by status.
    prompt_tokens, cached_tokens, completion_tokens
        Of the new replies, as the server counted them.
    cells
        For each cell, by its label: items done, and all of them if that is known.
    """

    lane: str
    model: str
    host: str = ""
    pid: int = 0
    slurm_job: str | None = None
    gpus: int = 0
    started: float = 0.0
    seen: float = 0.0
    ended: float | None = None
    outcome: Outcome = "running"
    reason: str | None = None
    total: int = 0
    answered: int = 0
    reused: int = 0
    shared: int = 0
    failed: dict[str, int] = field(default_factory=dict)
    prompt_tokens: int = 0
    cached_tokens: int = 0
    completion_tokens: int = 0
    cells: dict[str, tuple[int, int | None]] = field(default_factory=dict)

    @property
    def seconds(self) -> float:
        """How long the job has run, as far as it is known."""
        return (self.ended or self.seen) - self.started

    @property
    def usage(self) -> Usage:
        """Tokens of the new replies."""
        return Usage(
            prompt_tokens=self.prompt_tokens,
            completion_tokens=self.completion_tokens,
            cached_tokens=self.cached_tokens,
        )


@contextmanager
def keep_account(
    journal: Path, lane: str, model: str, gpus: int, figures: Callable[[], Mapping[str, Any]]
) -> Iterator[None]:
    """Keep the account of a job while the block runs, and write how it ended.

    Parameters
    ----------
    journal
        Folder of the model's journal.
    lane, model, gpus
        As in `Account`.
    figures
        Gives the present values of the account's counts.
    """
    now = time.time()
    account = Account(lane, model, socket.gethostname(), os.getpid(), gpus=gpus, started=now, seen=now)
    account.slurm_job = os.environ.get("SLURM_JOB_ID")
    name = re.sub(r"[^A-Za-z0-9_.-]+", "-", lane)[:150]
    file = journal / FOLDER / f"{name}.{time.time_ns()}.{os.getpid()}.json"
    done = threading.Event()

    def write() -> None:
        account.seen = time.time()
        # an account is worth no job: a full disk stops the journal's writer, which says so
        with contextlib.suppress(OSError, RuntimeError):  # counters may change while they are copied
            vars(account).update(figures())
            write_text(json.dumps(vars(account)), file)

    def live() -> None:
        while not done.wait(EVERY_S):
            write()

    write()
    thread = threading.Thread(target=live, daemon=True)
    thread.start()
    try:
        yield
        account.outcome = "done"
    except BaseException as error:
        account.outcome, account.reason = _reason(error)
        raise
    finally:
        done.set()
        thread.join()
        account.ended = time.time()
        write()


def read_accounts(journals: Path, run: str) -> list[Account]:
    """Read the accounts of a run's jobs, of all models, in the order in which they started.

    Parameters
    ----------
    journals
        Folder of the journals of all models.
    run
        Name of the run, the first part of its lanes.
    """
    found = []
    for file in journals.glob(f"*/{FOLDER}/{run}.*.json"):
        # a file that was just cleared away or is of another version is no reason to show nothing
        with contextlib.suppress(OSError, ValueError, TypeError):
            found.append(Account(**json.loads(file.read_text(encoding="utf-8"))))
    return sorted(found, key=lambda account: account.started)


def _reason(error: BaseException) -> tuple[Outcome, str]:
    if isinstance(error, SystemExit):
        return "ended", "a signal ended it: cancelled, out of time, or preempted"
    if isinstance(error, KeyboardInterrupt):
        return "ended", "interrupted at the keyboard"
    text = str(error) or type(error).__name__
    return "failed", text[:2000]
