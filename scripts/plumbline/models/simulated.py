"""Answers drawn from a stated error model: no server, no prompt."""

from __future__ import annotations

import hashlib
import json
from typing import Any

from plumbline.config.models import Simulation
from plumbline.models.requests import Reply, Request
from plumbline.records import METRICS

MARKS = (0.0, 0.5, 1.0)
"""The marks of the rubric."""

UNREADABLE = "The plan looks reasonable on the whole."
"""What a simulated model says where it fails: no JSON."""


def simulated_reply(request: Request, simulation: Simulation) -> Reply:
    """Draw an answer.

    Parameters
    ----------
    request
        Its `simulation` holds what the answer depends on: for a verdict the programmatic scores and the
        condition, for a text the text itself.
    simulation
        The error model. Each metric's mark is the one nearest to its score (the lower of two that are
        equally near) with probability `agreement`, else the mark next to it, upwards with probability
        `leniency` where both directions are open. A share `failures` of the answers cannot be read.

    Returns
    -------
    Reply
        The same for the same seed, item, replicate and attempt, whatever else is asked before.
    """
    payload = request.simulation or {}
    fails, _ = _uniforms(request, simulation, "answer")
    if fails < simulation.failures:
        return Reply(UNREADABLE, finish_reason="stop")
    if payload["kind"] == "text":
        return Reply(str(payload["text"]), finish_reason="stop")
    agreement = simulation.agreement_by_condition.get(payload["condition"], simulation.agreement)
    verdict: dict[str, Any] = {}
    for metric in METRICS:
        errs, upwards = _uniforms(request, simulation, metric)
        mark = _nearest(payload["scores"][metric])
        if errs >= agreement:
            mark = _neighbour(mark, upwards < simulation.leniency)
        verdict[metric] = {"accuracy": MARKS[mark], "justification": "drawn from the stated error model"}
    verdict["overall_assessment"] = "simulated"
    return Reply(json.dumps(verdict), finish_reason="stop")


def _nearest(score: float) -> int:
    return min(range(len(MARKS)), key=lambda mark: abs(MARKS[mark] - score))


def _neighbour(mark: int, upwards: bool) -> int:
    if mark in (0, len(MARKS) - 1):
        return 1
    return mark + 1 if upwards else mark - 1


def _uniforms(request: Request, simulation: Simulation, part: str) -> tuple[float, float]:
    """Give two numbers in [0, 1) that depend on nothing but their name."""
    name = json.dumps([simulation.seed, request.item, request.replicate, request.attempt, part])
    digest = hashlib.blake2b(name.encode("ascii"), digest_size=16).digest()
    first, second = int.from_bytes(digest[:8], "big"), int.from_bytes(digest[8:], "big")
    return (first >> 11) / 2.0**53, (second >> 11) / 2.0**53
