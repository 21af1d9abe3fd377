"""How long a server worked on a request that it answered beside others (D48)."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from plumbline.models.clock import Clock


@dataclass
class Share:
    """One request's part of the time; `seconds` is known when the block that it was given to has ended."""

    seconds: float = 0.0


class ServerTime:
    """Divides the time in which requests are in flight evenly among them.

    While `n` requests are in flight each is given `1/n` of every second, so the shares of a job's requests
    add up to the time during which its server had something to do, whatever the concurrency.

    Parameters
    ----------
    clock
        Gives the time.
    """

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._in_flight = 0
        self._seen = 0.0
        # seconds given so far to a request that was in flight all along: its difference is a share
        self._given = 0.0

    @contextmanager
    def request(self) -> Iterator[Share]:
        """Hold a request in flight while the block runs."""
        self._go_on()
        begun = self._given
        self._in_flight += 1
        share = Share()
        try:
            yield share
        finally:
            self._go_on()
            self._in_flight -= 1
            share.seconds = self._given - begun

    def _go_on(self) -> None:
        now = self._clock.now()
        if self._in_flight:
            self._given += (now - self._seen) / self._in_flight
        self._seen = now
