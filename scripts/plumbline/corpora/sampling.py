"""Seeded samples of a corpus, stratified by topology."""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass

from plumbline.config.corpus import Sized
from plumbline.records import TOPOLOGIES, Record
from plumbline.records.model import EXTRA_TOPOLOGIES


@dataclass(frozen=True)
class Sample:
    """Records that were drawn, and what could not be had as asked.

    Attributes
    ----------
    records
        Drawn records, topologies taking turns, so that any first part of them is stratified too.
    warnings
        One line for each wish that the source could not fill.
    """

    records: list[Record]
    warnings: list[str]


def sample(records: Iterable[Record], size: Sized, seed: int) -> Sample:
    """Draw records, stratified by topology.

    Within a topology the order is that of SHA-256 over (seed, source, id), so the same settings give the same
    records however the input is ordered, and a larger sample holds the smaller one.

    Parameters
    ----------
    records
        All records of one source; ids are unique.
    size
        `count`: records in all, the topologies taking turns until it is reached. `per_topology`: records of
        each topology that the source holds. Neither: all. `exclude`: ids that are left out.
    seed
        Seed of the run.

    Returns
    -------
    Sample
        The records and a warning for each wish that could not be filled.
    """
    excluded = set(size.exclude)
    strata: dict[str, list[Record]] = defaultdict(list)
    seen: set[str] = set()
    for record in records:
        seen.add(record.id)
        if record.id not in excluded:
            strata[record.topology].append(record)
    warnings = [f"exclude: no record has the id {name}." for name in sorted(excluded - seen)]
    for members in strata.values():
        members.sort(key=lambda record: _draw(seed, record))
    if size.per_topology is not None:
        for topology in _present(strata):
            if len(strata[topology]) < size.per_topology:
                warnings.append(
                    f"per_topology: {size.per_topology} {topology} records were asked for; "
                    f"the source has {len(strata[topology])} and all of them are taken."
                )
            strata[topology] = strata[topology][: size.per_topology]
    drawn = _take_turns(strata, size.count)
    if size.count is not None and len(drawn) < size.count:
        warnings.append(
            f"count: {size.count} records were asked for; the source has {len(drawn)} and all are taken."
        )
    return Sample(drawn, warnings)


def _present(strata: dict[str, list[Record]]) -> list[str]:
    return [name for name in (*TOPOLOGIES, *EXTRA_TOPOLOGIES) if strata.get(name)]


def _draw(seed: int, record: Record) -> str:
    return hashlib.sha256(f"{seed}\x1f{record.source}\x1f{record.id}".encode()).hexdigest()


def _take_turns(strata: dict[str, list[Record]], count: int | None) -> list[Record]:
    queues = [strata[name] for name in _present(strata)]
    longest = max((len(queue) for queue in queues), default=0)
    drawn = [queue[turn] for turn in range(longest) for queue in queues if turn < len(queue)]
    return drawn[:count]
