"""Limits on the requests to one model that hold for all jobs together, on whatever machines they run.

Jobs share a folder. Time is cut into periods, and each request in flight needs a **seat** of the present
period, a name that one job at a time can claim; a job renews its seats for the next period while it lives,
so those of a killed job are free again when their period ends. A request must also leave in a **slot** of
time that its job has claimed. A claim is the exclusive creation of a file (`claims`): there is no lock that a
dead job could hold, and two runs that are started apart share the limits too.
"""

from __future__ import annotations

import asyncio
import contextlib
import math
import shutil
import sys
import threading
from collections import deque
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from plumbline.config.models import Model
from plumbline.models.claims import Claims, is_dead
from plumbline.models.clock import Clock
from plumbline.records import UserError

PERIOD_S = 20.0
"""Seats are claimed for so long; those of a job that died on another machine are free after twice this."""

MINUTE_S = 61.0
"""The minute that the pace goes by: a second longer, as a request may arrive later than it left."""

_BATCH_S = 0.25
"""A slot holds one request, or as many as are due in this time."""

_SKEW_S = 2.0
"""So far apart may the clocks of two machines be."""


class SharedLimits:
    """The limits of one model as one job sees them; use it with `async with`.

    Parameters
    ----------
    slug
        The model's name, for messages.
    folder
        A folder that all jobs of the model share.
    in_flight
        Most requests at a time, of all jobs together.
    per_minute
        Most requests a minute, of all jobs together; no limit if None.
    clock
        Waiting for a slot goes by it.
    period_s
        Length of a period, in seconds.
    """

    def __init__(
        self,
        slug: str,
        folder: Path,
        in_flight: int,
        per_minute: int | None,
        clock: Clock,
        period_s: float = PERIOD_S,
    ) -> None:
        claims = Claims(folder)
        skew = claims.clock_skew()
        self._seats = _Seats(slug, claims, in_flight, clock, skew, period_s)
        self._pace = None if per_minute is None else _Pace(claims, per_minute, clock, skew, period_s)

    async def __aenter__(self) -> SharedLimits:
        self._keeper = asyncio.create_task(self._seats.keep())
        return self

    async def __aexit__(self, *error: object) -> None:
        self._keeper.cancel()
        await asyncio.gather(self._keeper, return_exceptions=True)
        self._seats.leave()

    @asynccontextmanager
    async def turn(self) -> AsyncIterator[None]:
        """Wait until a request may be sent; it is in flight until the block ends."""
        seat = await self._seats.take()
        try:
            if self._pace is not None:
                await self._pace.wait()
            yield
        finally:
            self._seats.give_back(seat)


@asynccontextmanager
async def limits_of(
    slug: str, model: Model, folder: Path, clock: Clock
) -> AsyncIterator[SharedLimits | NoLimits]:
    """Give the limits of a model's requests while the block runs; a job's own server has none to share."""
    if model.engine != "endpoint":
        yield NoLimits()
        return
    limits = SharedLimits(slug, folder, model.concurrency, model.requests_per_minute, clock)
    async with limits:
        yield limits


class NoLimits:
    """For a server that one job alone asks: that job has no more requests in flight than it has workers."""

    @asynccontextmanager
    async def turn(self) -> AsyncIterator[None]:
        """Send at once."""
        yield


class _Seats:
    """The seats that this job holds. Only `keep` touches files, so a slow file system stops no request."""

    def __init__(
        self, slug: str, claims: Claims, count: int, clock: Clock, skew: float, period_s: float
    ) -> None:
        self._slug, self._claims, self._count = slug, claims, count
        self._clock, self._skew, self._period_s = clock, skew, period_s
        self._idle: deque[int] = deque()
        self._busy: set[int] = set()
        self._retired: list[int] = []
        self._until: dict[int, int] = {}
        self._files: dict[tuple[int, int], Path] = {}
        self._enrolled: dict[int, Path | None] = {}
        self._share = count
        self._waits = False
        self._failure: OSError | None = None
        self._files_lock = threading.Lock()
        self._has_left = False
        self._wake = asyncio.Event()
        self._changed = asyncio.Event()

    async def take(self) -> int:
        """Wait for a seat."""
        while True:
            present = self._present()
            # a file system that hangs for a while stops nobody whose seats are still good
            if self._failure is not None and max(self._until.values(), default=-1) < present:
                raise UserError(f"{self._slug}: the limits of its requests cannot be kept: {self._failure}.")
            for _ in range(len(self._idle)):
                seat = self._idle.popleft()
                if self._until.get(seat, -1) >= present:
                    self._busy.add(seat)
                    return seat
                self._idle.append(seat)
                self._wake.set()
            self._changed.clear()
            await self._changed.wait()

    def give_back(self, seat: int) -> None:
        """End a request."""
        self._busy.discard(seat)
        if len(self._until) > self._share:
            self._retire(seat)
        else:
            self._idle.append(seat)
        self._changed.set()

    async def keep(self) -> None:
        """Renew what this job holds, give up what is others' share, take what is free, again and again."""
        while True:
            self._wake.clear()
            while self._idle and len(self._until) > self._share:
                self._retire(self._idle.pop())
            retired, self._retired = self._retired, []
            try:
                self._until = await asyncio.to_thread(self._renew, retired, [*self._busy, *self._idle])
                self._failure = None
            except OSError as error:
                self._failure = error
            self._idle = deque(self._until.keys() - self._busy - {*self._retired})
            if self._idle and len(self._until) > self._share:
                self._wake.set()
            self._changed.set()
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self._wake.wait(), self._period_s / 4)

    def leave(self) -> None:
        """Free all that this job holds, at once."""
        with self._files_lock:  # a refresh that was under way ends first
            self._has_left = True
            for path in (*self._files.values(), *filter(None, self._enrolled.values())):
                with contextlib.suppress(OSError):
                    path.unlink()

    def _present(self) -> int:
        return math.floor((self._clock.wall() + self._skew) / self._period_s)

    def _retire(self, seat: int) -> None:
        """Use a seat no more; `keep` frees it for other jobs."""
        self._until.pop(seat, None)
        self._retired.append(seat)
        self._wake.set()

    def _renew(self, retired: list[int], held: list[int]) -> dict[int, int]:
        """Bring the claims up to date; give the last period of each seat that is held."""
        with self._files_lock:
            return {} if self._has_left else self._refresh(retired, held)

    def _refresh(self, retired: list[int], held: list[int]) -> dict[int, int]:
        now = self._clock.wall() + self._skew
        present = math.floor(now / self._period_s)
        since = now - present * self._period_s
        for key in [key for key in self._files if key[1] in retired or key[0] < present - 1]:
            with contextlib.suppress(OSError):
                self._files.pop(key).unlink()
        periods = [present, present + 1] if since >= self._period_s / 2 else [present]
        for period in periods:
            if period not in self._enrolled:
                self._enrolled = {k: path for k, path in self._enrolled.items() if k >= present - 1}
                self._enrolled[period] = self._claims.take(f"p{period}/job.{self._claims.owner}")
                self._sweep(present)
        self._share = self._fair_share(present)
        for seat in held:
            for period in periods:
                self._claim(period, seat)
        self._grow(present, periods, since)
        return {
            seat: present + ((present + 1, seat) in self._files)
            for period, seat in self._files
            if period == present
        }

    def _claim(self, period: int, seat: int) -> bool:
        if (period, seat) not in self._files:
            path = self._claims.take(f"p{period}/seat.{seat}", passes_on=True)
            if path is None:
                return False
            self._files[period, seat] = path
        return True

    def _grow(self, present: int, periods: list[int], since: float) -> None:
        """Take free seats up to this job's share."""
        mine = {seat for period, seat in self._files if period == present}
        if len(mine) >= self._share:
            return
        taken = self._seats_of_others(present)
        if since < _SKEW_S:  # their holders may be a little behind us, and renew them still
            taken |= self._seats_of_others(present - 1)
        for seat in range(self._count):
            if len(mine) >= self._share:
                return
            if seat not in mine and seat not in taken and all(self._claim(p, seat) for p in periods):
                mine.add(seat)

    def _seats_of_others(self, period: int) -> set[int]:
        found = set()
        for path in self._claims.folder.glob(f"p{period}/seat.*"):
            holder = self._claims.holder(path)
            if holder is not None and holder != self._claims.owner and not is_dead(holder):
                found.add(int(path.name.split(".")[1]))
        return found

    def _fair_share(self, period: int) -> int:
        """Seats of this job: as many as of any other; the oldest jobs get what does not come out even."""
        jobs = {path.name[4:] for path in self._claims.folder.glob(f"p{period}/job.*")} | {self._claims.owner}
        living = sorted(job for job in jobs if not is_dead(job))
        share, rest = divmod(self._count, len(living))
        share += living.index(self._claims.owner) < rest
        if not share and not self._waits:
            print(
                f"{self._slug}: {len(living)} jobs share {self._count} requests in flight (concurrency);"
                " this one waits until another has ended.",
                file=sys.stderr,
            )
        self._waits = not share
        return share

    def _sweep(self, present: int) -> None:
        """Remove the folders of periods that have long passed."""
        for folder in self._claims.folder.glob("p*"):
            if folder.name[1:].isdecimal() and int(folder.name[1:]) < present - 3:
                shutil.rmtree(folder, ignore_errors=True)


class _Pace:
    """Slots of time, each claimed by one job; a request leaves at the beginning of a slot.

    Where several requests are due in a quarter of a second, a slot holds as many, and they may leave at any
    time of it. Slots are so long that no 60 seconds see more than `per_minute` requests.
    """

    def __init__(self, claims: Claims, per_minute: int, clock: Clock, skew: float, period_s: float) -> None:
        self._claims, self._per_minute = claims, per_minute
        self._clock, self._skew, self._period_s = clock, skew, period_s
        self._size = max(1, int(_BATCH_S * per_minute / MINUTE_S))
        self._slot_s = MINUTE_S * self._size / per_minute
        self._lock = asyncio.Lock()
        self._slot = -1
        self._left = 0

    async def wait(self) -> None:
        """Wait until a request may leave."""
        async with self._lock:  # waiting inside keeps the order, and no job claims far ahead
            if self._left == 0 or self._now() >= (self._slot + 1) * self._slot_s:
                self._slot = await asyncio.to_thread(self._next_slot)
                self._left = self._size
                ahead = self._slot * self._slot_s - self._now()
                if ahead > 0:
                    await self._clock.sleep(ahead)
            self._left -= 1

    def _now(self) -> float:
        return self._clock.wall() + self._skew

    def _next_slot(self) -> int:
        slot = max(self._slot + 1, math.ceil(self._now() / self._slot_s - 1e-9))
        while True:
            period = int(slot * self._slot_s / self._period_s)
            if self._claims.take(f"p{period}/slot.{self._per_minute}.{slot}") is not None:
                return slot
            slot += 1
