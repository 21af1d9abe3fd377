"""Which triplets of queries the meta-judges see: a seeded draw of each topology (A49)."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from plumbline.config.validation import Validation
from plumbline.corpora.tier_queries import REWRITTEN, is_rewritten, tier_query
from plumbline.records import TOPOLOGIES, Record, Rewrite, Triplet


@dataclass(frozen=True)
class Draw:
    """Triplets that were drawn, topology by topology, and one line for each shortfall."""

    triplets: list[Triplet]
    warnings: list[str]


def draw_triplets(records: Iterable[Record], rewrites: Mapping[str, Rewrite], settings: Validation) -> Draw:
    """Draw the triplets that meta-judges are asked about.

    Parameters
    ----------
    records
        Records of the run.
    rewrites
        The rewriter's queries by record id.
    settings
        How many of each topology, and the seed.

    Returns
    -------
    Draw
        A record is eligible if it has a medium and a hard query, its own or an ok rewrite; one that fell back
        to its easy query is not. Records of other shapes than the six stay out.

    Notes
    -----
    Within a topology the order is that of SHA-256 over (seed, id), so a larger draw holds the smaller one and
    the order of the records does not matter. Item A49.
    """
    strata: dict[str, list[Triplet]] = {topology: [] for topology in TOPOLOGIES}
    for record in records:
        triplet = _triplet(record, rewrites.get(record.id))
        if triplet is not None and record.topology in strata:
            strata[record.topology].append(triplet)
    drawn: list[Triplet] = []
    warnings = []
    for topology, members in strata.items():
        members.sort(key=lambda triplet: _rank(settings.seed, triplet.record_id))
        drawn += members[: settings.per_topology]
        if len(members) < settings.per_topology:
            warnings.append(
                f"validation.per_topology: {settings.per_topology} {topology} triplets were asked for; "
                f"{len(members)} records have both rewrites and all of them are taken."
            )
    return Draw(drawn, warnings)


def _triplet(record: Record, rewrite: Rewrite | None) -> Triplet | None:
    queries = {"easy": record.queries.easy}
    for tier in REWRITTEN:
        if not is_rewritten(record, rewrite, tier):
            return None
        queries[tier] = tier_query(record, rewrite, tier)[0]
    return Triplet(record_id=record.id, topology=record.topology, **queries)


def _rank(seed: int, identifier: str) -> str:
    return hashlib.sha256(f"{seed}\x1f{identifier}".encode("utf-8", "surrogatepass")).hexdigest()
