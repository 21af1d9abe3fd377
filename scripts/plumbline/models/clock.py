"""Time as the client sees it, so that tests need not wait."""

from __future__ import annotations

import asyncio
import time


class Clock:
    """The real clock, in seconds."""

    def now(self) -> float:
        """Seconds since some fixed moment."""
        return time.monotonic()

    def wall(self) -> float:
        """Seconds since 1970, as other machines have them too."""
        return time.time()

    def pause(self, seconds: float) -> None:
        """Wait, blocking."""
        time.sleep(seconds)

    async def sleep(self, seconds: float) -> None:
        """Wait, letting other requests go on."""
        await asyncio.sleep(seconds)
