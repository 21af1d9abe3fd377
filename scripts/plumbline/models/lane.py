"""The state of one asking job: what is open, what was settled, when to stop."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, fields
from typing import Any

from plumbline.config.models import Model
from plumbline.models.journal import Journal, JournalWriter
from plumbline.models.progress import Progress
from plumbline.models.requests import Failure, Reply, Request
from plumbline.records import Usage, UserError


@dataclass(frozen=True, slots=True)
class Question:
    """A request that is to be asked, under its key; `again` if the journal's reply is to be replaced."""

    request: Request
    key: str
    again: bool = False


@dataclass(slots=True)
class Report:
    """What an asking job did.

    `answered` counts new replies (repeats of unreadable ones included), `reused` items whose answer the
    journal had, `shared` items that another item of the job asked for, `failed` items by status.
    """

    total: int
    answered: int = 0
    reused: int = 0
    shared: int = 0
    failed: Counter[str] = field(default_factory=Counter)
    prompt_tokens: int = 0
    completion_tokens: int = 0
    cached_tokens: int = 0

    def add_usage(self, usage: Usage | None) -> None:
        """Count the tokens of a reply."""
        if usage is not None:
            self.prompt_tokens += usage.prompt_tokens
            self.completion_tokens += usage.completion_tokens
            self.cached_tokens += usage.cached_tokens or 0


class Lane:
    """Decides which requests are open and what an outcome leads to; `ask` says what the settings mean."""

    def __init__(
        self,
        slug: str,
        model: Model,
        journal: Journal,
        writer: JournalWriter,
        *,
        name: str,
        total: int,
        readable: Callable[[Request, Reply], bool] | None,
        attempts: int,
        label: Callable[[Request], str] | None,
        ask_again: Callable[[Request, Reply], bool] | None,
        follow_up: Callable[[Request, Reply], Request | None] | None,
        failed_share: float,
        progress: Progress,
    ) -> None:
        self.report = Report(total)
        self._slug, self._model, self._name = slug, model, name
        self._journal, self._writer = journal, writer
        self._answered = journal.answered()
        self._taken: set[str] = set()
        self._readable, self._attempts = readable, attempts
        self._label = label or (lambda request: name)
        self._ask_again = ask_again
        self._follow_up = follow_up
        self._failed_share = failed_share
        self._items: Counter[str] = Counter()
        self._lost: Counter[str] = Counter()
        self._cause: dict[str, str] = {}
        self._progress = progress

    def open_questions(self, requests: Iterable[Request]) -> Iterator[Question]:
        """Give the requests that must be asked, each key once, reading `requests` as far as needed."""
        for request in requests:
            cell = self._label(request)
            self._items[cell] += 1
            key = request.key(self._slug, self._model)
            if key in self._taken:
                self.report.shared += 1
                self._progress.item_done(cell, reused=True)
                continue
            question = self._first_open(request, key)
            if question is None:
                self.report.reused += 1
                self._progress.item_done(cell, reused=True)
            else:
                self._taken.add(key)
                yield question

    def settle(self, question: Question, outcome: Reply | Failure) -> Question | None:
        """Keep an outcome.

        Returns
        -------
        Question or None
            The next attempt, if the answer cannot be read and may be asked for again.

        Raises
        ------
        UserError
            If more than the allowed share of the job's items failed.
        """
        request = question.request
        self._writer.append(question.key, request.item, outcome, question.again)
        cell = self._label(request)
        if isinstance(outcome, Failure):
            self._progress.item_done(cell)
            self._count_failure(cell, outcome)
            return None
        self.report.answered += 1
        self.report.add_usage(outcome.usage)
        following = self._repeat(request, outcome)
        if following is not None:
            self._progress.count_tokens(outcome.usage)
            return following
        self._progress.item_done(cell, outcome.usage)
        return None

    def finish(self) -> Report:
        """Give the account of a job whose questions are all settled.

        Raises
        ------
        UserError
            If more than the allowed share of a cell's items failed.
        """
        for cell, lost in self._lost.items():
            if lost > self._failed_share * self._items[cell]:
                raise self._stopped(f"cell {cell}: {lost} of {self._items[cell]} items", cell)
        return self.report

    def figures(self) -> dict[str, Any]:
        """Give the counts of the job's account, as they are now."""
        report = self.report
        counts = {field.name: getattr(report, field.name) for field in fields(report)}
        return counts | {"failed": dict(report.failed), "cells": self._progress.counts()}

    def _first_open(self, request: Request, key: str) -> Question | None:
        """Find the attempt that is to be asked, going past those that the journal has."""
        if key not in self._answered:
            return Question(request, key)
        if self._ask_again is None and not self._may_repeat(request):
            return None
        reply = self._journal.find({key})[key]
        assert isinstance(reply, Reply)
        if self._ask_again is not None and self._ask_again(request, reply):
            return Question(request, key, again=True)
        return self._repeat(request, reply)

    def _repeat(self, request: Request, reply: Reply) -> Question | None:
        if self._follow_up is not None:
            further = self._follow_up(request, reply)
            if further is None:
                return None
            return self._first_open(further, further.key(self._slug, self._model))
        if not self._may_repeat(request) or reply.is_refused:
            return None
        assert self._readable is not None
        if self._readable(request, reply):
            return None
        following = request.next_attempt()
        return self._first_open(following, following.key(self._slug, self._model))

    def _may_repeat(self, request: Request) -> bool:
        if self._follow_up is not None:
            return True
        return self._readable is not None and request.is_sampled and request.attempt < self._attempts

    def _count_failure(self, cell: str, failure: Failure) -> None:
        self.report.failed[failure.status] += 1
        if failure.status == "overflow":
            return
        self._lost[cell] += 1
        self._cause[cell] = failure.detail
        lost = self._lost.total()
        if lost > self._failed_share * self.report.total:
            raise self._stopped(f"{lost} of {self.report.total} items", cell)

    def _stopped(self, what: str, cell: str) -> UserError:
        return UserError(
            f"{self._slug}, {self._name}: {what} failed, more than the allowed share of"
            f" {self._failed_share:g} (jobs.failed_share). The last cause: {self._cause[cell]}."
            " What was answered is kept; run again to ask for the rest."
        )
