"""Answers drawn from a stated error model: no server, no prompt, nothing to keep."""

from __future__ import annotations

import hashlib
import json
import math
from statistics import NormalDist
from typing import Any

from plumbline.config.models import Simulation
from plumbline.models.requests import Reply, Request
from plumbline.records import METRICS

MARKS = (0.0, 0.5, 1.0)
"""The marks of the rubric."""

_NORMAL = NormalDist()

UNREADABLE = "The plan looks reasonable on the whole."
"""What a simulated model says where it fails: no JSON."""

SLIPS = ("drop_call", "other_tool", "drop_argument", "add_argument", "repeat_call")
"""What a simulated generator does to a call that does not come out right, each as often."""

_REASONS = ", ".join(
    f'"{metric}": {{{{"accuracy": {{}}, "justification": "drawn from the stated error model"}}}}'
    for metric in METRICS
)
_VERDICT = f'{{{{{_REASONS}, "overall_assessment": "simulated"}}}}'


def simulated_reply(request: Request, simulation: Simulation) -> Reply:
    """Draw an answer.

    Parameters
    ----------
    request
        Its `simulation` holds what the answer depends on: for a verdict the programmatic scores and the
        condition, for a plan the expected calls and the tier, for a text the text itself.
    simulation
        The error model.

        A verdict: each metric's mark is the one nearest to its score (the lower of two that are equally
        near) with probability `agreement`, else the mark next to it, upwards with probability `leniency`
        where both directions are open. If the request itself states an `agreement` (which a target sets),
        a metric that errs gets the mark farthest from its score.

        A plan: each expected call comes out right with the tier's `quality`, else with one of `SLIPS`.

        A value: a draw around 0 if it is wrong, else around `values.separation` less the shift of its path
        (of which the input leaves the share `values.shift_left`); the score is its normal probability.

        A share `failures` of the answers (`failures_by_tier` for plans) cannot be read.

    Returns
    -------
    Reply
        The same for the same seed, judge, item, replicate and attempt, whatever else is asked before.
    """
    payload = request.simulation or {}
    kind = payload["kind"]
    failures = simulation.failures
    if kind == "plan":
        failures = simulation.failures_by_tier.get(payload["tier"], failures)
    if failures and _uniforms(request, simulation, "answer")[0] < failures:
        return Reply(UNREADABLE, finish_reason="stop")
    if kind == "value":
        return _judgment(value_score(request, simulation))
    if kind == "text":
        return Reply(str(payload["text"]), finish_reason="stop")
    if kind == "plan":
        quality = simulation.quality.get(payload["tier"], 1.0)
        return Reply(json.dumps(_plan(request, simulation, quality)), finish_reason="stop")
    marks = [MARKS[_mark(request, simulation, metric)] for metric in METRICS]
    return Reply(_VERDICT.format(*marks), finish_reason="stop")


def value_score(request: Request, simulation: Simulation) -> float:
    """Draw a simulated judge's score of an argument value, in (0, 1); see `simulated_reply`."""
    payload, values = request.simulation or {}, simulation.values
    centre = 0.0
    if payload["label"] == "correct":
        left = values.shift_left.get(payload["input"], 1.0)
        shift = values.shift_by_path.get(payload["path"], 0.0)
        centre = values.separation - left * shift
    place, _ = _uniforms(request, simulation, "value")
    drawn = _NORMAL.inv_cdf(min(max(place, 2.0**-53), 1 - 2.0**-53))
    return _NORMAL.cdf(centre + drawn)


def _judgment(score: float) -> Reply:
    """Write a score as a server would: as the log-probability of the answer's first token."""
    logprob = math.log(score) if score > 0 else -745.0
    token = {"token": "Yes", "logprob": logprob, "top": [["Yes", logprob]], "asked": ["Yes"]}
    return Reply("Yes", finish_reason="length", logprobs=[token])


def nearest_mark(score: float) -> int:
    """Position in `MARKS` of the mark nearest to a score; the lower of two that are equally near."""
    return min(range(len(MARKS)), key=lambda mark: abs(MARKS[mark] - score))


def farthest_mark(score: float) -> int:
    """Position in `MARKS` of the mark farthest from a score; the lower of two that are equally far."""
    return max(range(len(MARKS)), key=lambda mark: abs(MARKS[mark] - score))


def _mark(request: Request, simulation: Simulation, metric: str) -> int:
    payload = request.simulation or {}
    score = payload["scores"][metric]
    errs, upwards = _uniforms(request, simulation, metric)
    if "agreement" in payload:
        return nearest_mark(score) if errs < payload["agreement"] else farthest_mark(score)
    mark = nearest_mark(score)
    if errs < simulation.agreement_by_condition.get(payload["condition"], simulation.agreement):
        return mark
    if mark in (0, len(MARKS) - 1):
        return 1
    return mark + 1 if upwards < simulation.leniency else mark - 1


def _plan(request: Request, simulation: Simulation, quality: float) -> list[dict[str, Any]]:
    payload = request.simulation or {}
    plan: list[dict[str, Any]] = []
    for place, call in enumerate(payload["calls"]):
        errs, which = _uniforms(request, simulation, f"call {place}")
        plan += [call] if errs < quality else _slipped(call, SLIPS[int(which * len(SLIPS))])
    return plan


def _slipped(call: dict[str, Any], slip: str) -> list[dict[str, Any]]:
    name, arguments = call["name"], call["arguments"]
    match slip:
        case "drop_call":
            return []
        case "other_tool":
            return [{"name": f"{name}_v2", "arguments": arguments}]
        case "drop_argument":
            return [{"name": name, "arguments": dict(list(arguments.items())[:-1])}]
        case "add_argument":
            return [{"name": name, "arguments": {**arguments, "note": ""}}]
        case _:
            return [call, call]


def _uniforms(request: Request, simulation: Simulation, part: str) -> tuple[float, float]:
    """Give two numbers in [0, 1) that depend on nothing but their name."""
    judge = (request.simulation or {}).get("judge")
    name = repr((simulation.seed, judge, request.item, request.replicate, request.attempt, part))
    digest = hashlib.blake2b(name.encode("utf-8", "surrogatepass"), digest_size=16).digest()
    first, second = int.from_bytes(digest[:8], "big"), int.from_bytes(digest[8:], "big")
    return (first >> 11) / 2.0**53, (second >> 11) / 2.0**53
