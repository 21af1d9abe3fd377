"""The status of a run as text for a person, and as an object for a program."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from plumbline.config.argument_cells import ArgumentCell
from plumbline.config.cells import Cell
from plumbline.status.ask_jobs import JobStatus
from plumbline.status.collect import CellStatus, Status, job_counts
from plumbline.status.failures import last_lines
from plumbline.status.spending import Spending

_STATES = ("done", "running", "queued", "waiting", "failed")
_LINES_OF_A_REASON = 4


def status_text(status: Status, with_cells: bool = False) -> str:
    """Write a status for a terminal.

    Parameters
    ----------
    status
        The run as it is.
    with_cells
        Whether every cell gets a line; else only their number by state.
    """
    moment = time.strftime("%Y-%m-%d %H:%M:%S", time.localtime(status.moment))
    files = ", ".join(f"{stage} {there:,}/{every:,}" for stage, (there, every) in status.files.items())
    parts = [f"Run {status.run}, {moment}", f"Files: {files}", ""]
    parts += _jobs(status)
    parts += _active(status.jobs, status.moment)
    parts += _failed(status)
    parts += _cells(status, with_cells)
    parts += _spending(status.spending)
    return "\n".join(_plain(part) for part in parts)


def status_data(status: Status) -> dict[str, Any]:
    """Give a status as JSON values; counts, seconds since 1970, US dollars."""
    return {
        "run": status.run,
        "time": status.moment,
        "files": {stage: {"there": there, "all": every} for stage, (there, every) in status.files.items()},
        "jobs": [_job_data(job) for job in status.jobs],
        "cells": [
            {**vars(cell.cell), "state": cell.state, "done": cell.done, "total": cell.total}
            for cell in status.cells
        ],
        "failures": [
            {"rule": one.rule, "output": one.outputs, "log": one.logs, "slurm_job": one.slurm_job}
            for one in status.failures
        ],
        "models": [_spending_data(entry) for entry in status.spending],
    }


def _job_data(job: JobStatus) -> dict[str, Any]:
    last = job.last
    return {
        "rule": job.job.rule,
        "wildcards": job.job.wildcards,
        "model": job.job.model,
        "state": job.state,
        "reason": job.reason,
        "log": str(job.job.log),
        "slurm_job": job.slurm_job,
        "host": last.host if last else None,
        "attempts": len(job.attempts),
        "started": last.started if last else None,
        "seconds": last.seconds if last else None,
        "done": job.done if last else None,
        "total": job.total,
        "failed": last.failed if last else {},
    }


def _spending_data(entry: Spending) -> dict[str, Any]:
    load, estimated = entry.load, entry.estimated
    return {
        "model": entry.model,
        "asked_for": f"{entry.role}s",
        "settled": entry.settled,
        "total": entry.total,
        "failed": entry.failed,
        "replies": load.requests,
        "prompt_tokens": load.prompt,
        "cached_tokens": load.cached,
        "answer_tokens": load.output,
        "gpu_hours": entry.gpu_hours,
        "dollars": entry.dollars,
        "estimate": estimated
        and {
            "requests": estimated.requests,
            "prompt_tokens": estimated.prompt,
            "answer_tokens": estimated.output,
            "gpu_hours": entry.estimated_gpu_hours,
            "dollars": entry.estimated_dollars,
        },
    }


def _jobs(status: Status) -> Iterator[str]:
    """Give the jobs and the coverage of each model."""
    counts = job_counts(status.jobs)
    items = {(entry.model, f"{entry.role}s"): entry for entry in status.spending}
    rows = []
    for (model, role), states in counts.items():
        entry = items[model, role]
        share = f"{100 * entry.settled / entry.total:.0f} %" if entry.total else "–"
        rows.append(
            (
                model,
                role,
                *(f"{states[state]:,}" for state in _STATES),
                f"{entry.settled:,} of {entry.total:,}" if entry.total else "–",
                share,
                _failures_by_status(entry.failed),
            )
        )
    heads = ("model", "asked for", *_STATES, "items settled", "", "no answer")
    yield "Jobs that ask, and how many of their items are settled (jobs that have not started have none)"
    yield from _table(heads, rows, left=(0, 1, 9))
    yield ""


def _failures_by_status(failed: Counter[str]) -> str:
    return ", ".join(f"{count:,} {status}" for status, count in failed.most_common()) or "–"


def _active(jobs: Sequence[JobStatus], moment: float) -> Iterator[str]:
    shown = [job for job in jobs if job.state in ("running", "queued")]
    if not shown:
        return
    yield "Running and queued"
    for job in shown:
        last = job.last
        told: list[str] = [job.state]
        if job.state == "running" and last is not None and last.ended is None:
            told.append(
                f"{job.done:,} of {last.total:,} items in {_duration(moment - last.started)} on {last.host}"
            )
        if job.slurm_job:
            told.append(f"Slurm job {job.slurm_job}")
        if job.reason:
            told.append(job.reason)
        yield f"  {_name(job)}: {', '.join(told)}"
        yield f"    log: {job.job.log}"
    yield ""


def _failed(status: Status) -> Iterator[str]:
    failed = [job for job in status.jobs if job.state == "failed"]
    if failed or status.failures:
        yield "Failed (start the same command again: what was answered is kept)"
    for job in failed:
        words = (job.reason or "unknown").splitlines()
        yield f"  {_name(job)}, attempt {len(job.attempts)}: {words[0]}"
        yield from (f"    {word}" for word in words[1:_LINES_OF_A_REASON])
        yield from _log(job.job.log, [] if job.last and job.last.outcome == "failed" else None)
    for one in status.failures:
        number = f", Slurm job {one.slurm_job}" if one.slurm_job else ""
        yield f"  {one.rule}{number}: {', '.join(one.outputs)} was not made"
        for log in one.logs:
            yield from _log(Path(log), None)
    if failed or status.failures:
        yield ""


def _log(log: Path, lines: list[str] | None) -> Iterator[str]:
    yield f"    log: {log}"
    yield from (f"      | {line[:200]}" for line in (last_lines(log) if lines is None else lines))


def _cells(status: Status, with_cells: bool) -> Iterator[str]:
    states = Counter(cell.state for cell in status.cells)
    if not with_cells:
        told = ", ".join(f"{count:,} {state}" for state, count in states.most_common())
        yield f"Cells: {told} of {len(status.cells):,} (--cells lists them)"
        yield ""
        return
    plans = [(vars(found.cell), found) for found in status.cells if isinstance(found.cell, Cell)]
    values = [(vars(found.cell), found) for found in status.cells if isinstance(found.cell, ArgumentCell)]
    for cells in (plans, values):
        if cells:
            heads = tuple(cells[0][0])
            rows = [(*names.values(), found.state, *_settled(found)) for names, found in cells]
            left = tuple(range(len(heads) + 1))
            yield from _table((*heads, "state", "settled", "of"), rows, left=left)
            yield ""


def _settled(found: CellStatus) -> tuple[str, str]:
    done, total = ("–" if count is None else f"{count:,}" for count in (found.done, found.total))
    return done, total


def _spending(entries: Sequence[Spending]) -> Iterator[str]:
    yield "Spent so far, all attempts, of the estimate for the whole run"
    rows: list[tuple[str, ...]] = [
        (
            entry.model,
            f"{entry.role}s",
            *_figures([entry]),
        )
        for entry in entries
    ]
    rows.append(("total", "", *_figures(entries)))
    heads = ("model", "asked for", "replies", "prompt tokens", "answer tokens", "GPU hours", "US $")
    yield from _table(heads, rows, left=(0, 1))


def _figures(entries: Sequence[Spending]) -> tuple[str, ...]:
    """Give what some models took of what they are estimated to take."""
    estimated = [entry.estimated for entry in entries if entry.estimated is not None]
    return (
        _of(sum(e.load.requests for e in entries), _sum([load.requests for load in estimated])),
        _of(sum(e.load.prompt for e in entries), _sum([load.prompt for load in estimated])),
        _of(sum(e.load.output for e in entries), _sum([load.output for load in estimated])),
        _of(_sum([e.gpu_hours for e in entries]), _sum([e.estimated_gpu_hours for e in entries]), 1),
        _of(_sum([e.dollars for e in entries]), _sum([e.estimated_dollars for e in entries]), 2),
    )


def _sum(values: Sequence[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return sum(known) if known else None


def _of(value: float | None, estimated: float | None, digits: int | None = None) -> str:
    if not value and not estimated:
        return "–"
    return _number(value or 0, digits) + (f" of {_number(estimated, digits)}" if estimated else "")


def _number(value: float, digits: int | None) -> str:
    if digits is not None:
        return f"{value:,.{digits}f}"
    for size, unit in ((1e9, "G"), (1e6, "M"), (1e4, "k")):
        if value >= size:
            return f"{value / (size if unit != 'k' else 1e3):.3g} {unit}"
    return f"{value:,.0f}"


def _table(heads: tuple[str, ...], rows: Sequence[tuple[str, ...]], left: tuple[int, ...]) -> Iterator[str]:
    widths = [max(len(row[place]) for row in (heads, *rows)) for place in range(len(heads))]
    for row in (heads, *rows):
        cells = [
            text.ljust(width) if place in left else text.rjust(width)
            for place, (text, width) in enumerate(zip(row, widths, strict=True))
        ]
        yield "  " + "  ".join(cells).rstrip()


def _name(job: JobStatus) -> str:
    return f"{job.job.role} of {', '.join(job.job.wildcards)}"


def _duration(seconds: float) -> str:
    if seconds < 90:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 5400 else f"{seconds / 3600:.1f} h"


def _plain(text: str) -> str:
    """Show control characters as escapes: no server's message may drive the reader's terminal."""
    return "".join(c if c.isprintable() or c == "\n" else repr(c)[1:-1] for c in text)
