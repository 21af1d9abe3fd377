"""The corrupted reference: each record gets the expected calls of another one (A25)."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence

from plumbline.config.settings import ShuffledReference
from plumbline.records import Record, Reference, ToolCall
from plumbline.records.model import Tier


def shuffle_references(
    records: Sequence[Record], settings: ShuffledReference, tier: Tier
) -> Iterator[Reference]:
    """Give each record the expected calls of another record.

    Parameters
    ----------
    records
        All records of the run.
    settings
        Among which records (C-A21), the seed, and how often to try.
    tier
        The tier whose file is made; which record gets which calls does not depend on it.

    Yields
    ------
    Reference
        One for every record, in their order. A record that no shuffle gave another one's calls, since it is
        the only one of its topology, has the status `own_kept` and no calls.

    Notes
    -----
    Item A25: within each group the order is shuffled until no record keeps its place. Each group has a random
    stream of its own, so that records of one topology do not move those of another.
    """
    groups: dict[str, list[Record]] = {}
    for record in records:
        groups.setdefault(record.topology if settings.within == "topology" else "all", []).append(record)
    others = {name: _deranged(len(group), settings, name) for name, group in groups.items()}
    givers = {
        record.id: group[other]
        for name, group in groups.items()
        for record, other in zip(group, others[name] or (), strict=False)
    }
    for record in records:
        giver = givers.get(record.id)
        about = {"record_id": record.id, "tier": tier, "kind": "shuffle", "seed": settings.seed}
        if giver is None:
            group = f"topology {record.topology}" if settings.within == "topology" else "the run"
            detail = f"no shuffle of the records of {group} gave it another record's calls"
            yield Reference.model_validate({**about, "status": "own_kept", "detail": detail})
            continue
        yield Reference.model_validate(
            {
                **about,
                "status": "ok",
                "other_record": giver.id,
                "calls": [ToolCall(name=c.name, arguments=c.arguments) for c in giver.expected_calls],
                "detail": "both records have the same expected calls" if _same(record, giver) else None,
            }
        )


def _deranged(count: int, settings: ShuffledReference, group: str) -> list[int] | None:
    """Shuffle the numbers below `count` until none is in its own place; None if no try succeeds."""
    stream = random.Random(f"{settings.seed}|{group}")  # noqa: S311 -- not for secrets
    order = list(range(count))
    for _ in range(settings.max_tries):
        stream.shuffle(order)
        if all(place != other for place, other in enumerate(order)):
            return order
    return None


def _same(record: Record, giver: Record) -> bool:
    mine, theirs = record.expected_calls, giver.expected_calls
    return [(c.name, c.arguments) for c in mine] == [(c.name, c.arguments) for c in theirs]
