"""Which query a tier gets, and where it comes from (A7)."""

from __future__ import annotations

from plumbline.records import Record, Rewrite
from plumbline.records.model import Tier

REWRITTEN: tuple[Tier, ...] = ("medium", "hard")
"""Tiers whose queries a rewriter writes, both in one answer."""


def tier_query(record: Record, rewrite: Rewrite | None, tier: Tier) -> tuple[str, str]:
    """Give the query of a tier (A7).

    Parameters
    ----------
    record
        Its own queries come first.
    rewrite
        The rewriter's queries for this record, if there are any.
    tier
        The tier.

    Returns
    -------
    query
        The record's own query, else the rewrite's if it is ok, else the easy one.
    status
        `original` (easy), `given` or the source's own word (the record has it), `ok` (the rewrite's), else
        why the easy query stands in its place: the rewrite's status, or `not_asked`.
    """
    easy = record.queries.easy
    if tier == "easy":
        return easy, "original"
    own = own_query(record, tier)
    if own is not None:
        return own, record.rewrite.get(tier, "given")
    if rewrite is None:
        return easy, record.rewrite.get(tier, "not_asked")
    status = rewrite.status.get(tier, "not_asked")
    written: str | None = getattr(rewrite, tier)
    return (written, status) if status == "ok" and written else (easy, status)


def is_rewritten(record: Record, rewrite: Rewrite | None, tier: Tier) -> bool:
    """Say whether a tier has its own query: the record's, whatever its status, or an ok rewrite (A7).

    A source that keeps the original query where its rewrite failed has none of its own.
    """
    if tier == "easy":
        return True
    query, status = tier_query(record, rewrite, tier)
    if own_query(record, tier) is None:
        return rewrite is not None and status == "ok" and query == getattr(rewrite, tier)
    return status.casefold() in ("given", "ok") or query.strip() != record.queries.easy.strip()


def own_query(record: Record, tier: Tier) -> str | None:
    """Give the query that a record itself has for a tier; None if it is blank or not there."""
    query: str | None = getattr(record.queries, tier)
    return query if query is not None and query.strip() else None
