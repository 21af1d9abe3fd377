"""Time is shared among the requests in flight: against an integral over moments, and on a real connection."""

from __future__ import annotations

import random
import time
from contextlib import ExitStack
from pathlib import Path

import pytest
from standin import StandIn, endpoint, questions

from plumbline.models import Reply, ask, find_outcomes
from plumbline.models.clock import Clock
from plumbline.models.server_time import ServerTime


class SetClock(Clock):
    at = 0.0

    def now(self) -> float:
        return self.at


def shares_of(spans: list[tuple[int, int]]) -> list[float]:
    clock = SetClock()
    shared = ServerTime(clock)
    stacks = [ExitStack() for _ in spans]
    found = [0.0] * len(spans)
    events = [(start, True, k) for k, (start, _) in enumerate(spans)]
    events += [(end, False, k) for k, (_, end) in enumerate(spans)]
    shares = {}
    # at one moment requests begin before others end, so that a request without length begins first
    for moment, begins, k in sorted(events, key=lambda event: (event[0], not event[1])):
        clock.at = float(moment)
        if begins:
            shares[k] = stacks[k].enter_context(shared.request())
        else:
            stacks[k].close()
            found[k] = shares[k].seconds
    return found


@pytest.mark.parametrize("seed", range(50))
def test_a_request_s_time_is_the_integral_of_its_part(seed: int) -> None:
    draw = random.Random(seed)
    starts = [draw.randrange(40) for _ in range(draw.randrange(1, 9))]
    spans = [(start, start + draw.randrange(20)) for start in starts]
    expected = [0.0] * len(spans)
    for moment in range(60):
        flying = [k for k, (start, end) in enumerate(spans) if start <= moment < end]
        for k in flying:
            expected[k] += 1 / len(flying)
    assert shares_of(spans) == pytest.approx(expected)


def test_two_that_overlap_halve_the_seconds_they_share() -> None:
    assert shares_of([(0, 10), (6, 12)]) == pytest.approx([8, 4])


def test_the_times_of_a_job_add_up_to_what_its_server_was_busy(tmp_path: Path) -> None:
    items, delay = questions(8), 0.15
    with StandIn(latency_s=delay) as server:
        model = endpoint(server.url, read_timeout_s=30)  # four at a time
        begun = time.monotonic()
        ask(items, "judge", model, journal=tmp_path, lane="l", total=len(items))
        took = time.monotonic() - begun
    replies = [reply for _, reply in find_outcomes(items, "judge", model, journal=tmp_path)]
    seconds = [reply.seconds for reply in replies if isinstance(reply, Reply) and reply.seconds is not None]
    assert len(seconds) == 8
    # eight answers, four at a time, keep it busy for two delays at least; one by one it would be eight
    assert 2 * delay <= sum(seconds) <= took


def test_an_attempt_that_failed_counts_and_the_wait_after_it_does_not(tmp_path: Path) -> None:
    items = questions(1)
    with StandIn([{"http": 503}, {"good": True}], latency_s=0.2) as server:
        model = endpoint(server.url, read_timeout_s=30)
        begun = time.monotonic()
        ask(items, "judge", model, journal=tmp_path, lane="l", total=1)
        took = time.monotonic() - begun
    ((_, reply),) = find_outcomes(items, "judge", model, journal=tmp_path)
    assert isinstance(reply, Reply) and reply.seconds is not None
    assert 0.4 <= reply.seconds <= took - 1.0  # the back-off waits for a second at least
