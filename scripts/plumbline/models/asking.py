"""Ask a lane of requests: what the journal has is not asked again, each reply is kept at once."""

from __future__ import annotations

import asyncio
import signal
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import replace
from itertools import chain
from pathlib import Path
from types import FrameType

from plumbline.config.models import Model
from plumbline.models.account import keep_account
from plumbline.models.clock import Clock
from plumbline.models.engines import Endpoint, serve
from plumbline.models.journal import Journal
from plumbline.models.lane import Lane, Question, Report
from plumbline.models.limits import limits_of
from plumbline.models.progress import Progress
from plumbline.models.requests import Failure, Reply, Request
from plumbline.models.simulated import simulated_reply
from plumbline.records import UserError


def ask(
    requests: Iterable[Request],
    slug: str,
    model: Model,
    *,
    journal: Path,
    lane: str,
    total: int,
    readable: Callable[[Request, Reply], bool] | None = None,
    attempts: int = 0,
    label: Callable[[Request], str] | None = None,
    totals: Mapping[str, int] | None = None,
    ask_again: Callable[[Request, Reply], bool] | None = None,
    follow_up: Callable[[Request, Reply], Request | None] | None = None,
    failed_share: float = 0.05,
    log: Path | None = None,
    clock: Clock | None = None,
) -> Report:
    """Ask a model all requests that its journal has no reply for.

    Parameters
    ----------
    requests
        In the order they are asked; taken one by one, so that a lane of many prompts needs little memory.
    slug, model
        The model by its name in the configuration, and its settings.
    journal
        Folder of the model's journal.
    lane
        Name of the job: in messages, in the progress, in the journal's file name.
    total
        Number of requests, for the progress and the share that failed.
    readable
        Whether an answer can be used. One that cannot is asked for up to `attempts` more times, each under
        its own key, if the answer is sampled; never after a refusal (an answer that refuses in prose
        should pass as readable).
    label, totals
        The cell of a request, and the number of requests of each cell, for the progress.
    ask_again
        Whether a reply of the journal is asked for once more; the new one takes its place.
    follow_up
        The question that an answer leads to, another prompt under a key of its own, or None; instead of
        `readable` and `attempts`.
    failed_share
        The job stops when more than this share of its requests, or of a cell's, failed for good.
    log
        A file for the output of a server that is started.
    clock
        Waiting goes by it.

    Returns
    -------
    Report
        What was asked, taken over and lost. If the journal holds everything, no server is started. A
        simulated model is asked nothing here: its answers cost nothing, so `find_outcomes` draws them.

    Raises
    ------
    UserError
        The server cannot be used, or too much failed; what was answered is in the journal.
    """
    if model.engine == "simulated":
        return Report(total)
    clock = clock or Clock()
    progress = Progress(f"{slug} {lane}", total, totals)
    held = Journal(journal)
    with _ends_on_sigterm(), held.writer(lane) as writer, closing(progress):
        state = Lane(
            slug,
            model,
            held,
            writer,
            name=lane,
            total=total,
            readable=readable,
            attempts=attempts,
            label=label,
            ask_again=ask_again,
            follow_up=follow_up,
            failed_share=failed_share,
            progress=progress,
        )
        with keep_account(journal, lane, slug, model.gpus, state.figures):
            open_questions = state.open_questions(requests)
            first = next(open_questions, None)
            if first is not None:
                questions = chain((first,), open_questions)
                with serve(slug, model, log, clock) as endpoint:
                    asyncio.run(_ask_all(questions, state, slug, model, endpoint, clock, journal / "limits"))
            return state.finish()


def find_outcomes(
    requests: Iterable[Request], slug: str, model: Model, *, journal: Path, attempts: int = 0
) -> list[tuple[Request, Reply | Failure | None]]:
    """Look up what a model answered; nothing is asked. The answers of a simulated model are drawn.

    Parameters
    ----------
    requests
        As they were given to `ask`, in any order.
    slug, model
        The model by its name in the configuration, and its settings.
    journal
        Folder of the model's journal.
    attempts
        As it was given to `ask`.

    Returns
    -------
    list of tuple
        The last attempt of each request that was asked, with its outcome; the request itself with None if
        none was.
    """
    if model.engine == "simulated":
        return [(request, simulated_reply(request, model.simulation)) for request in requests]
    asked: list[tuple[Request, list[tuple[int, str]]]] = []
    for request in requests:
        repeats = attempts if request.is_sampled else 0
        keys = [(request.attempt, request.key(slug, model))]
        following = request
        for _ in range(repeats):
            following = following.next_attempt()
            keys.append((following.attempt, following.key(slug, model)))
        asked.append((request, keys))
    found = Journal(journal).find({key for _, keys in asked for _, key in keys})
    outcomes: list[tuple[Request, Reply | Failure | None]] = []
    for request, keys in asked:
        last = next(((attempt, key) for attempt, key in reversed(keys) if key in found), None)
        if last is None:
            outcomes.append((request, None))
        else:
            outcomes.append((replace(request, attempt=last[0]), found[last[1]]))
    return outcomes


def find_conversations(
    requests: Iterable[Request],
    slug: str,
    model: Model,
    *,
    journal: Path,
    follow_up: Callable[[Request, Reply], Request | None],
) -> list[list[tuple[Request, Reply | Failure | None]]]:
    """Look up what a model answered to questions that depend on the answers before them; nothing is asked.

    Parameters
    ----------
    requests, follow_up
        As they were given to `ask`.
    slug, model
        The model by its name in the configuration, and its settings.
    journal
        Folder of the model's journal.

    Returns
    -------
    list of list of tuple
        For each request its conversation: every question with its outcome, None where the journal has none,
        which ends it.
    """
    held = Journal(journal)
    open_now = list(enumerate(requests))
    conversations: list[list[tuple[Request, Reply | Failure | None]]] = [[] for _ in open_now]
    while open_now:
        keys = {place: request.key(slug, model) for place, request in open_now}
        found = held.find(set(keys.values()))
        following = []
        for place, request in open_now:
            outcome = found.get(keys[place])
            conversations[place].append((request, outcome))
            further = follow_up(request, outcome) if isinstance(outcome, Reply) else None
            if further is not None:
                following.append((place, further))
        open_now = following
    return conversations


async def _ask_all(
    questions: Iterator[Question],
    state: Lane,
    slug: str,
    model: Model,
    endpoint: Endpoint,
    clock: Clock,
    limits: Path,
) -> None:
    """Keep `model.concurrency` requests in flight until the questions end or the job stops."""
    # takes most of a second to load, which jobs that only read need not wait for
    from plumbline.models.client import Client

    async with (
        limits_of(slug, model, endpoint, limits, clock) as shared,
        Client(slug, model, endpoint, clock, shared) as client,
    ):
        await client.check_model()

        async def work() -> None:
            # all workers draw from the one iterator; a question is taken when a worker is free
            for question in questions:
                open_question: Question | None = question
                while open_question is not None:
                    outcome = await client.outcome(open_question.request)
                    open_question = state.settle(open_question, outcome)

        workers = [asyncio.create_task(work()) for _ in range(model.concurrency)]
        watcher = asyncio.create_task(_watch(endpoint))
        crew = asyncio.gather(*workers)
        try:
            await asyncio.wait((crew, watcher), return_when=asyncio.FIRST_COMPLETED)
            for ended in (watcher, crew):
                if ended.done():
                    ended.result()
        finally:
            for task in (watcher, *workers):
                task.cancel()
            await asyncio.gather(watcher, crew, *workers, return_exceptions=True)


async def _watch(endpoint: Endpoint) -> None:
    """Notice the death of a server of our own, even while every request waits."""
    while True:
        dead = endpoint.check()
        if dead:
            raise UserError(dead)
        await asyncio.sleep(1.0)


@contextmanager
def _ends_on_sigterm() -> Iterator[None]:
    """Turn SIGTERM into an exit that runs all clean-up: schedulers end a job this way."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    def leave(number: int, frame: FrameType | None) -> None:
        raise SystemExit(128 + number)

    before = signal.signal(signal.SIGTERM, leave)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)
