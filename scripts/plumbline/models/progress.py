"""How far a job is: lines on standard error, per cell and in all."""

from __future__ import annotations

import sys
import time
from collections import Counter
from collections.abc import Callable, Mapping
from typing import TextIO

from plumbline.records import Usage

EVERY_S = 10.0
"""Seconds between two lines where the stream is no terminal."""

_TERMINAL_EVERY_S = 0.2


class Progress:
    """Counts items as they are done.

    Parameters
    ----------
    title
        The job, first in each line.
    total
        Items of the job.
    totals
        Items of each cell, where they are known; a cell's last line then comes when it is finished.
    stream
        Standard error if None. In a terminal one line is written over and over.
    every_s
        Seconds between two lines; the default depends on the stream.
    now
        Gives the time in seconds.
    """

    def __init__(
        self,
        title: str,
        total: int,
        totals: Mapping[str, int] | None = None,
        stream: TextIO | None = None,
        every_s: float | None = None,
        now: Callable[[], float] = time.monotonic,
    ) -> None:
        self._title, self._total, self._totals = title, total, dict(totals or {})
        self._stream = sys.stderr if stream is None else stream
        self._in_place = self._stream.isatty()
        self._every_s = every_s or (_TERMINAL_EVERY_S if self._in_place else EVERY_S)
        self._now = now
        self._start = self._last = self._previous = now()
        self._done: Counter[str] = Counter()
        self._started: dict[str, float] = {}
        self._closed: set[str] = set()
        self._reused = 0
        self._tokens = [0, 0]
        self._width = 0

    def item_done(self, cell: str, usage: Usage | None = None, reused: bool = False) -> None:
        """Count one item, with the tokens it cost; `reused` if the journal had its answer."""
        moment = self._now()
        # a cell's first item was under way since the item before it was done
        self._started.setdefault(cell, self._previous)
        self._previous = moment
        self._done[cell] += 1
        self._reused += reused
        self.count_tokens(usage)
        if self._done[cell] == self._totals.get(cell):
            self._finish(cell, moment)
        if moment - self._last >= self._every_s:
            self._last = moment
            of_cell = f"  [{self._of_cell(cell, moment)}]" if len(self._done) > 1 or self._totals else ""
            self._write(self._in_all(moment) + of_cell)

    def count_tokens(self, usage: Usage | None) -> None:
        """Count the tokens of a reply that finishes no item."""
        if usage is not None:
            self._tokens[0] += usage.prompt_tokens
            self._tokens[1] += usage.completion_tokens

    def counts(self) -> dict[str, tuple[int, int | None]]:
        """Give the items of each cell that are done, and all of them where that is known."""
        return {cell: (self._done[cell], self._totals.get(cell)) for cell in {**self._totals, **self._done}}

    def close(self) -> None:
        """Write a last line for each cell that has none yet (if there are several), and one for the job."""
        moment = self._now()
        for cell in self._done:
            if cell not in self._closed and len(self._done) > 1:
                self._finish(cell, moment)
        self._write(self._in_all(moment), last=True)

    def _finish(self, cell: str, moment: float) -> None:
        self._closed.add(cell)
        self._write(f"{self._title}: {self._of_cell(cell, moment)}", last=True)

    def _of_cell(self, cell: str, moment: float) -> str:
        done, total = self._done[cell], self._totals.get(cell)
        text = f"{cell} {done}" if total is None else f"{cell} {done}/{total}"
        rate = _rate(done, moment - self._started[cell])
        left = f", {_duration((total - done) / rate)} left" if total and rate and total > done else ""
        return f"{text}, {rate:.2g}/s{left}" if rate else text

    def _in_all(self, moment: float) -> str:
        done = self._done.total()
        rate = _rate(done - self._reused, moment - self._start)
        parts = [f"{self._title}: {done}/{self._total} items"]
        if self._reused:
            parts.append(f"{self._reused} from the journal")
        if rate:
            parts.append(f"{rate:.2g}/s")
        if rate and done < self._total:
            parts.append(f"{_duration((self._total - done) / rate)} left")
        if any(self._tokens):
            parts.append(f"{self._tokens[0]:,} prompt and {self._tokens[1]:,} answer tokens")
        return ", ".join(parts)

    def _write(self, line: str, last: bool = False) -> None:
        if not self._in_place:
            self._stream.write(f"{line}\n")
        else:
            self._stream.write(f"\r{line.ljust(self._width)}" + ("\n" if last else ""))
            self._width = 0 if last else len(line)
        self._stream.flush()


def _rate(count: int, seconds: float) -> float:
    return count / seconds if count and seconds > 0 else 0.0


def _duration(seconds: float) -> str:
    if seconds < 90:
        return f"{seconds:.0f} s"
    if seconds < 5400:
        return f"{seconds / 60:.0f} min"
    return f"{seconds / 3600:.1f} h"
