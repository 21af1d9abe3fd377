"""What is written of one record: the work, and the file that each stage leaves of it (A2)."""

from __future__ import annotations

from typing import Any

from pydantic import Field

from plumbline.config.corpus import SynthesisedSource
from plumbline.records.model import Item, Topology, Usage


class StageProblem(Item):
    """What was wrong with one answer: the attempt, from 1, a code, and what would mend it."""

    attempt: int
    code: str
    message: str


class StageResult(Item):
    """What one stage has of one record.

    `status` is `ok`, `given_up` (no answer passed the checks), `not_asked` (an earlier stage gave up), or why
    there is no answer. `value` is the checked answer, None unless ok. `problems` are those of all attempts.
    """

    work_id: str
    domain: str
    topology: Topology
    stage: str
    status: str
    value: Any = None
    attempts: int = 0
    problems: tuple[StageProblem, ...] = ()
    detail: str | None = None
    usage: Usage | None = None


class Work(Item):
    """One record that is to be written; `number` counts those of the same domain and topology, from 1."""

    work_id: str = Field(min_length=1)
    domain: str
    topology: Topology
    number: int


def works_of(name: str, source: SynthesisedSource, domain: str) -> list[Work]:
    """List the records that are begun for one domain of a source."""
    return [
        Work(work_id=f"{name}_{domain}_{topology}_{number}", domain=domain, topology=topology, number=number)
        for topology in source.topologies
        for number in range(1, source.records + 1)
    ]
