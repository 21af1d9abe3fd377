"""Plans with one known fault each: a generator without a model (A8).

`balanced_faults` decides which fault each record and tier gets; `perturbed` makes it. Both depend on the
seed, the ids and the tiers alone: the same input gives the same bytes, in whatever order it comes.
"""

from __future__ import annotations

import hashlib
from collections import Counter, deque
from collections.abc import Iterable, Mapping, Sequence

from plumbline.plans.faults import possible_faults, with_fault
from plumbline.plans.written import plan_text
from plumbline.records.model import Plan, Record, Tier

Slot = tuple[str, str]
"""A record's id and a tier."""


def perturb(
    records: Iterable[Record],
    tier: Tier,
    kinds: Sequence[str],
    seed: int,
    generator: str,
    tiers: Sequence[Tier],
) -> list[Plan]:
    """Make one plan for each record: its expected calls with one fault.

    Parameters
    ----------
    records
        All records of the run: the kinds are balanced over all of them and all its tiers.
    tier
        The tier whose plans are wanted.
    kinds
        Faults to choose from (`config.settings.FAULTS`); how many plans have each differs by at most one, or
        as little as the records allow, for not every fault is possible everywhere.
    seed
        Of the choice of faults and of their place.
    generator
        Slug that the plans carry.
    tiers
        All tiers of the run.

    Returns
    -------
    list of Plan
        In the order of the records; `fault` names the kind. A record that allows none of the kinds gets the
        status `not_asked` and no calls.
    """
    records = list(records)
    possible = {record.id: possible_faults(record, kinds) for record in records}
    faults = balanced_faults(possible, tiers, seed)
    plans = []
    for record in records:
        kind = faults.get((record.id, tier))
        if kind is not None:
            plans.append(perturbed(record, tier, kind, seed, generator))
            continue
        detail = f"no call of this record allows {' or '.join(kinds)}"
        plans.append(
            Plan(record_id=record.id, tier=tier, generator=generator, status="not_asked", detail=detail)
        )
    return plans


def perturbed(record: Record, tier: Tier, kind: str, seed: int, generator: str) -> Plan:
    """Make the plan of a record and tier with a fault that is possible for it."""

    def draw(what: str) -> int:
        return drawn(seed, record.id, tier, kind, what)

    calls = with_fault(record, kind, draw)
    return Plan(
        record_id=record.id,
        tier=tier,
        generator=generator,
        status="ok",
        calls=tuple(calls),
        text=plan_text(calls),
        fault=kind,
    )


def balanced_faults(
    possible: Mapping[str, Sequence[str]], tiers: Sequence[str], seed: int
) -> dict[Slot, str]:
    """Assign each record and tier one of its possible faults, so that all kinds are as frequent as can be.

    Parameters
    ----------
    possible
        Faults that each record allows, by record id; a record without any gets none.
    tiers
        Tiers of the run; each gets its share of every kind where the records allow it.

    Returns
    -------
    dict
        The fault of each (record id, tier).

    Notes
    -----
    The rarest choices come first, each slot takes the kind with the fewest plans so far; then plans move
    along chains of exchanges from frequent to rare kinds until no chain is left, which makes the counts as
    even as they can be (optimal semi-matching).
    """
    slots = sorted(
        ((name, tier) for name in possible for tier in tiers if possible[name]),
        key=lambda slot: (len(possible[slot[0]]), tiers.index(slot[1]), drawn(seed, *slot, "order"), slot),
    )
    counts = Counter({kind: 0 for kinds in possible.values() for kind in kinds})
    chosen: dict[Slot, str] = {}
    for slot in slots:
        kind = min(possible[slot[0]], key=lambda kind: (counts[kind], drawn(seed, *slot, kind)))
        chosen[slot] = kind
        counts[kind] += 1
    while _exchange(chosen, counts, possible):
        pass
    return chosen


def _exchange(chosen: dict[Slot, str], counts: Counter[str], possible: Mapping[str, Sequence[str]]) -> bool:
    """Move a plan along a chain from a kind to one with at least two fewer; say whether there was one."""
    movers: dict[str, dict[str, Slot]] = {kind: {} for kind in counts}
    for slot, kind in chosen.items():
        for other in possible[slot[0]]:
            movers[kind].setdefault(other, slot)
    for start, _ in counts.most_common():
        came: dict[str, str] = {start: start}
        queue = deque([start])
        while queue:
            kind = queue.popleft()
            if counts[kind] + 2 <= counts[start]:
                counts[start] -= 1
                counts[kind] += 1
                while kind != start:
                    chosen[movers[came[kind]][kind]] = kind
                    kind = came[kind]
                return True
            for other in sorted(movers[kind]):
                if other not in came:
                    came[other] = kind
                    queue.append(other)
    return False


def drawn(*parts: object) -> int:
    """Give a number that depends on the parts alone: the same on every machine and in every version."""
    text = "\x1f".join(map(str, parts)).encode("utf-8", "surrogatepass")
    return int.from_bytes(hashlib.sha256(text).digest()[:8], "big")
