"""The limits on a model's requests hold for all jobs together, whatever becomes of single ones."""

import asyncio
import errno
import json
import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest
from standin import StandIn, endpoint

from plumbline.models import Clock, claims, limits
from plumbline.models.claims import Claims, is_dead
from plumbline.models.engines import Endpoint
from plumbline.models.limits import SharedLimits
from plumbline.records import UserError

JOB = """
import json, sys
from pathlib import Path
sys.path.insert(0, sys.argv[1])
from standin import ScaledClock, endpoint, questions
from plumbline.models import Clock, ask
job = json.loads(sys.argv[2])
clock = ScaledClock() if job["scaled"] else Clock()
items = questions(job["items"], text=job["text"])
model = endpoint(job["url"], read_timeout_s=20, **job["limits"])
ask(items, "judge", model, journal=Path(job["journal"]), lane="l", total=len(items), clock=clock)
"""


class Counting(StandIn):
    """Notes when each request came and the most that were in flight, by job."""

    def __init__(self, latency_s, **settings):
        super().__init__([self.answer], **settings)
        self.held_s = latency_s
        self.arrived = []
        self.flying = self.most = 0
        self.counting = threading.Lock()

    def answer(self, body):
        with self.counting:
            self.arrived.append((time.time(), body["messages"][-1]["content"].split()[0]))
            self.flying += 1
            self.most = max(self.most, self.flying)
        time.sleep(self.held_s)
        with self.counting:
            self.flying -= 1
        return {"good": True}

    def of(self, job):
        return [moment for moment, name in self.arrived if name == job]


def start(server, folder, name, items, scaled=False, **limits):
    job = {"url": server.url, "journal": str(folder), "items": items, "text": f"{name} {{}}"}
    job |= {"scaled": scaled, "limits": limits}
    command = [sys.executable, "-c", JOB, str(Path(__file__).parents[1]), json.dumps(job)]
    return subprocess.Popen(command, stderr=subprocess.PIPE, text=True)


def finish(*jobs):
    for job in jobs:
        _, told = job.communicate(timeout=120)
        assert job.returncode == 0, told


def wait_for(condition):
    while not condition():
        time.sleep(0.005)


def test_several_jobs_have_no_more_requests_in_flight_than_the_model_allows(tmp_path):
    with Counting(0.05) as server:
        finish(*(start(server, tmp_path, name, 40, concurrency=5) for name in ("a", "b", "c")))
    assert len(server.arrived) == 3 * 40
    assert server.most == 5


def test_several_jobs_keep_one_pace_and_a_repeated_request_waits_too(tmp_path):
    refused = {"http": 429, "body": {"error": {"message": "slow down"}}}
    asked = []

    def every_fifth_fails(body):
        asked.append(time.time())
        return refused if len(asked) % 5 == 0 else {"good": True}

    with StandIn([every_fifth_fails]) as server:
        began = time.time()
        settings = {"concurrency": 8, "requests_per_minute": 20, "max_attempts": 9, "scaled": True}
        finish(*(start(server, tmp_path, name, 30, **settings) for name in ("a", "b")))
        took = 60 * (time.time() - began)
    assert len(asked) > 2 * 30  # two jobs of thirty questions, and the repeats
    # a minute of the jobs' clock is a second of ours; a request may arrive later than it left, never earlier
    for place, moment in enumerate(asked):
        assert moment - began >= (place - 1) * 61 / 20 / 60
        # late ones stand closer together than they left: half as many again would be no pace
        assert sum(moment <= other < moment + 1.0 for other in asked[place:]) <= 20 + 10
    assert took >= (len(asked) - 1) * 61 / 20 - 1


def test_a_killed_job_s_share_goes_to_the_others(tmp_path):
    with Counting(0.05) as server:
        first = start(server, tmp_path, "first", 10_000, concurrency=4)
        wait_for(lambda: len(server.of("first")) > 20)
        first.send_signal(signal.SIGKILL)
        first.communicate()
        wait_for(lambda: server.flying == 0)
        server.most = 0
        finish(start(server, tmp_path, "second", 60, concurrency=4))
    assert server.most == 4


def test_a_job_that_comes_later_gets_its_share_of_a_running_one(tmp_path):
    with Counting(0.05) as server:
        first = start(server, tmp_path, "first", 10_000, concurrency=4)
        wait_for(lambda: len(server.of("first")) > 20)
        finish(start(server, tmp_path, "second", 20, concurrency=4))
        assert first.poll() is None
        first.send_signal(signal.SIGTERM)
        first.communicate()
    assert server.most == 4
    began, ended = server.of("second")[0], server.of("second")[-1]
    assert sum(began <= moment <= ended for moment in server.of("first")) > 0


class Steps(Clock):
    """A clock that stands until it is moved."""

    def __init__(self):
        self.time = 1_000_000.0

    def wall(self):
        return self.time


async def until(condition):
    while not condition():
        await asyncio.sleep(0.005)


def held(some):
    return set(some._seats._until)


def test_seats_of_a_job_that_is_not_heard_of_are_free_two_periods_later(tmp_path, monkeypatch):
    async def scenario():
        clock = Steps()
        lost = SharedLimits("judge", tmp_path, 3, None, clock)
        lost._seats._renew([], [])  # takes all seats, and is never heard of again
        assert len(list(tmp_path.glob("p*/seat.*"))) == 3
        async with SharedLimits("judge", tmp_path, 3, None, clock) as later:
            got = asyncio.create_task(later._seats.take())
            await until(lambda: later._seats._share < 3)
            for _ in range(20):
                later._seats._wake.set()
                await asyncio.sleep(0.005)
            assert not got.done()
            clock.time += 2 * limits.PERIOD_S
            later._seats._wake.set()
            assert await got in range(3)
            assert held(later) == {0, 1, 2}

    # both are this process, so nothing but the period tells that one has ended
    asyncio.run(scenario())


def test_a_living_job_keeps_its_seats_over_many_periods(tmp_path):
    async def scenario():
        clock = Steps()
        async with (
            SharedLimits("judge", tmp_path, 4, None, clock) as one,
            SharedLimits("judge", tmp_path, 4, None, clock) as two,
        ):
            for _ in range(100):
                clock.time += limits.PERIOD_S / 4
                for some in (one, two):
                    some._seats._wake.set()
                await asyncio.sleep(0.01)
                assert not held(one) & held(two)
            await until(lambda: len(held(one)) == len(held(two)) == 2)
            folders = [path.name for path in tmp_path.glob("p*")]
            assert len(folders) <= 5  # what is past is cleared away
        assert not list(tmp_path.glob("p*/seat.*"))

    asyncio.run(scenario())


def test_a_clock_that_is_a_little_ahead_takes_no_seat_that_is_still_to_be_renewed(tmp_path):
    async def scenario():
        slow, fast = Steps(), Steps()
        first = SharedLimits("judge", tmp_path, 2, None, slow)
        first._seats._renew([], [])
        fast.time += limits.PERIOD_S - slow.time % limits.PERIOD_S + 1.0  # a second into the next period
        second = SharedLimits("judge", tmp_path, 2, None, fast)
        assert second._seats._renew([], []) == {}

    asyncio.run(scenario())


@pytest.mark.parametrize("per_minute", [1, 7, 60, 121, 123, 200, 488, 3000, 100_000])
def test_no_sixty_seconds_hold_more_slots_than_requests_are_allowed(tmp_path, per_minute):
    pace = limits._Pace(Claims(tmp_path), per_minute, Clock(), 0.0, limits.PERIOD_S)
    length, size = pace._slot_s, pace._size
    assert size / length * 60 > 0.98 * per_minute  # and they are nearly all used
    # from half a second on a request leaves at the beginning of its slot, give or take half a second; in a
    # shorter slot it may leave at any time
    touched = -(-60.5 // length) if length > 0.5 else 60 // length + 2
    assert touched * size <= per_minute


def test_a_slot_has_one_owner_for_good(tmp_path):
    one, two = Claims(tmp_path), Claims(tmp_path)
    assert one.take("p1/slot.60.1") is not None
    assert two.take("p1/slot.60.1") is None
    ended = subprocess.run([sys.executable, "-c", "import os; print(os.getpid())"], capture_output=True)
    dead = f"1-{claims._machine()}-{int(ended.stdout)}"
    assert is_dead(dead)
    assert not is_dead(f"1-{claims._machine()}-{os.getpid()}")
    assert not is_dead(f"1-otherhost-{int(ended.stdout)}")
    (tmp_path / "p1" / "slot.60.2").write_text(dead)
    assert two.take("p1/slot.60.2") is None
    (tmp_path / "p1" / "seat.2").write_text(dead)
    assert two.take("p1/seat.2", passes_on=True) is not None
    assert one.take("p1/seat.2", passes_on=True) is None


def test_a_job_s_own_server_shares_no_limits(tmp_path):
    async def scenario():
        model = endpoint("http://host.example/v1")
        ours = Endpoint("http://127.0.0.1:1/v1", "key", "judge", is_own=True)
        async with limits.limits_of("judge", model, ours, tmp_path, Clock()) as own, own.turn(), own.turn():
            assert list(tmp_path.iterdir()) == []

    asyncio.run(scenario())


def test_a_folder_that_cannot_be_written_is_told_and_a_short_trouble_stops_nobody(tmp_path, monkeypatch):
    async def scenario():
        clock = Steps()
        async with SharedLimits("judge", tmp_path, 2, None, clock) as some:
            seat = await some._seats.take()
            take = some._seats._claims.take
            monkeypatch.setattr(some._seats._claims, "take", full)
            clock.time += limits.PERIOD_S / 2
            some._seats._wake.set()
            await until(lambda: some._seats._failure is not None)
            some._seats.give_back(seat)
            some._seats.give_back(await some._seats.take())  # its seats are good until the period ends
            monkeypatch.setattr(some._seats._claims, "take", take)
            some._seats._wake.set()
            await until(lambda: some._seats._failure is None)
            monkeypatch.setattr(some._seats._claims, "take", full)
            clock.time += 2 * limits.PERIOD_S
            with pytest.raises(UserError, match=r"judge: the limits .* cannot be kept: .*No space left"):
                while True:
                    some._seats.give_back(await some._seats.take())

    def full(*_, **__):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    asyncio.run(scenario())
