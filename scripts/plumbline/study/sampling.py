"""Which plans annotators see: a seeded draw of each topology, with and without a flaw (A44)."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from plumbline.config.human import StudySample
from plumbline.corpora.tier_queries import tier_query
from plumbline.records import METRICS, TOPOLOGIES, Plan, Record, Rewrite
from plumbline.study.items import StudyItem

Scores = Mapping[str, float]
"""Programmatic score of a plan by metric."""


@dataclass(frozen=True)
class ScoredPlans:
    """The plans of one generator that can be scored, with their scores, by record id."""

    generator: str
    plans: Mapping[str, Plan]
    scores: Mapping[str, Scores]


@dataclass(frozen=True)
class StudyDraw:
    """Plans that were drawn, in the order in which annotators see them, and a line for each shortfall."""

    items: list[StudyItem]
    warnings: list[str]


def draw_study(
    records: Iterable[Record],
    rewrites: Mapping[str, Rewrite],
    generators: Sequence[ScoredPlans],
    settings: StudySample,
    *,
    with_empty: bool = True,
) -> StudyDraw:
    """Draw the plans that annotators are asked about.

    Parameters
    ----------
    records
        Records of the run; those of other shapes than the six stay out.
    rewrites
        The rewriter's queries by record id.
    generators
        Plans of one tier. A later generator fills only what the earlier ones leave open.
    settings
        How many of each topology, and the seed.
    with_empty
        Whether plans without a call count.

    Returns
    -------
    StudyDraw
        At most one plan a record.

    Notes
    -----
    Items A44, C-A19. The order is that of SHA-256 over (seed, id), within a topology and in the sheet, so a
    larger draw holds the smaller one and nobody sees from the order which plans have a flaw.
    """
    known = {record.id: record for record in records if record.topology in TOPOLOGIES}
    ranked = sorted(known, key=lambda name: _rank(settings.seed, name))
    wanted = {(shape, flawed): _size(settings, flawed) for shape in TOPOLOGIES for flawed in (True, False)}
    found: dict[str, StudyItem] = {}
    fallbacks: Counter[str] = Counter()
    for place, source in enumerate(generators):
        for name in ranked:
            plan, scores = source.plans.get(name), source.scores.get(name)
            if name in found or plan is None or scores is None or not (plan.calls or with_empty):
                continue
            stratum = (known[name].topology, any(scores[metric] < 1 - 1e-9 for metric in METRICS))
            if wanted[stratum]:
                wanted[stratum] -= 1
                found[name] = _item(known[name], rewrites.get(name), plan, scores)
                fallbacks[source.generator] += place > 0
    told = [f"{count} plans of {name}: those before it have too few." for name, count in fallbacks.items()]
    warnings = [*_shortfalls(wanted, settings), *(line for line in told if line[0] != "0")]
    return StudyDraw([found[name] for name in ranked if name in found], warnings)


def _item(record: Record, rewrite: Rewrite | None, plan: Plan, scores: Scores) -> StudyItem:
    query, _ = tier_query(record, rewrite, plan.tier)
    return StudyItem(
        id=record.id,
        topology=record.topology,
        tier=plan.tier,
        generator=plan.generator,
        query=query,
        tools=record.tools,
        calls=plan.calls or (),
        expected_calls=record.expected_calls,
        **{metric: float(scores[metric]) for metric in METRICS},
    )


def _size(settings: StudySample, flawed: bool) -> int:
    return settings.flawed if flawed else settings.perfect


def _shortfalls(missing: Mapping[tuple[str, bool], int], settings: StudySample) -> Iterator[str]:
    for (topology, flawed), lack in missing.items():
        if lack:
            key, kind = ("flawed", "with a flaw") if flawed else ("perfect", "without a flaw")
            size = _size(settings, flawed)
            yield (
                f"human.sample.{key}: {size} {topology} plans {kind} were asked for; there are {size - lack}."
            )


def _rank(seed: int, identifier: str) -> str:
    return hashlib.sha256(f"{seed}\x1f{identifier}".encode("utf-8", "surrogatepass")).hexdigest()
