"""The programmatic reference: four scores of a plan against the expected calls (A9 to A13)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from plumbline.config.settings import Scoring
from plumbline.records.errors import DataError
from plumbline.records.model import METRICS, READINGS, ExpectedCall, Plan, Record, Tool, ToolCall

if TYPE_CHECKING:
    import pandas as pd

PAPER = Scoring()
"""The equations as the paper has them."""


def tool_selection(plan: Sequence[ToolCall], expected: Sequence[ExpectedCall]) -> float:
    """Say how far the set of called tools is the set of expected tools.

    Returns
    -------
    float
        In [0, 1]: 1 less the missing and surplus tools over the expected ones; 1 if both sets are empty.

    Notes
    -----
    Equation 1a, item A9.
    """
    called, wanted = _names(plan), _names(expected)
    return max(0.0, 1 - len(called ^ wanted) / max(len(wanted), 1))


def sequence_accuracy(plan: Sequence[ToolCall], expected: Sequence[ExpectedCall]) -> float:
    """Give the share of expected positions at which the plan calls the expected tool.

    Returns
    -------
    float
        In [0, 1]; 1 if nothing is expected. Surplus calls at the end cost nothing.

    Notes
    -----
    Equation 1b, item A10.
    """
    if not expected:
        return 1.0
    hits = sum(call.name == wanted.name for call, wanted in zip(plan, expected, strict=False))
    return hits / len(expected)


def parameter_structure(
    plan: Sequence[ToolCall],
    expected: Sequence[ExpectedCall],
    settings: Scoring = PAPER,
    tools: Sequence[Tool] = (),
) -> float:
    """Give the mean over the plan's calls of how well their argument keys are the expected ones.

    Parameters
    ----------
    settings
        `repeated_expected` decides whose keys count if the expected calls name a tool more than once:
        `in_order` takes the expected call of the same rank among the tool's calls (the last one for
        surplus calls), `best` the one that fits best. `extra_keys: schema_aware` forgives surplus keys
        that the tool declares.
    tools
        The record's inventory; only read if `schema_aware`.

    Returns
    -------
    float
        In [0, 1]; a call counts 1 if its keys are the expected ones, 0.5 if it has surplus keys only, 0 if
        one is missing or the tool is not expected; 1 for a plan without calls. Values are never looked at,
        and keys that the expected call marks as optional count on neither side.

    Notes
    -----
    Equation 2, item A11; C-A10, C-A53.
    """
    return _mean(key_scores(plan, expected, settings, tools))


def key_scores(
    plan: Sequence[ToolCall],
    expected: Sequence[ExpectedCall],
    settings: Scoring = PAPER,
    tools: Sequence[Tool] = (),
) -> list[float]:
    """Give the score of each of the plan's calls that `parameter_structure` is the mean of.

    Returns
    -------
    list of float
        One of 0, 0.5 and 1 for each call, in the order of the plan.
    """
    wanted: dict[str, list[ExpectedCall]] = {}
    for expectation in expected:
        wanted.setdefault(expectation.name, []).append(expectation)
    forgiven = _declared(tools) if settings.extra_keys == "schema_aware" else {}
    seen: Counter[str] = Counter()
    scores = []
    for call in plan:
        rivals = _comparable(wanted.get(call.name, []), seen[call.name], settings)
        scores.append(
            max((_key_score(call, rival, forgiven.get(call.name)) for rival in rivals), default=0.0)
        )
        seen[call.name] += 1
    return scores


def extra_key_readings(
    plan: Sequence[ToolCall],
    expected: Sequence[ExpectedCall],
    settings: Scoring = PAPER,
    tools: Sequence[Tool] = (),
) -> dict[str, float]:
    """Give other readings of the calls whose only fault is extra keys (A47, C-A53).

    Returns
    -------
    dict of str to float
        `parameter_structure_lenient`, where each such call counts 1; `parameter_structure_schema_aware`,
        where it counts 1 if its tool declares all of the extra keys; `extra_key_calls`, how many there are,
        whatever `settings.extra_keys` says.
    """
    strict = key_scores(plan, expected, settings.model_copy(update={"extra_keys": "penalise"}))
    aware = settings.model_copy(update={"extra_keys": "schema_aware"})
    readings = {
        "parameter_structure_lenient": _mean([1.0 if score == 0.5 else score for score in strict]),
        "parameter_structure_schema_aware": _mean(key_scores(plan, expected, aware, tools)),
    }
    if settings.rounding == "released":
        readings = {name: round(score, 4) for name, score in readings.items()}
    return readings | {"extra_key_calls": float(strict.count(0.5))}


def query_coverage(
    plan: Sequence[ToolCall], expected: Sequence[ExpectedCall], settings: Scoring = PAPER
) -> float:
    """Give the share of expected tools that the plan calls.

    Returns
    -------
    float
        In [0, 1]; 1 if nothing is expected. With `coverage_extras: penalise` the share of called tools that
        are expected.

    Notes
    -----
    Equations 3 and 4, item A12; C-A12.
    """
    called, wanted = _names(plan), _names(expected)
    if not wanted:
        return 1.0
    hits = len(called & wanted)
    if not hits:
        return 0.0
    return hits / len(called if settings.coverage_extras == "penalise" else wanted)


def score_plan(
    plan: Sequence[ToolCall],
    expected: Sequence[ExpectedCall],
    settings: Scoring = PAPER,
    tools: Sequence[Tool] = (),
) -> dict[str, float]:
    """Give the four scores of a plan by metric, in the order of `METRICS` (A13).

    Parameters
    ----------
    plan, expected
        Calls in the order they run.
    settings
        Readings of the equations; the default is the paper's.
    tools
        The record's inventory, for `extra_keys: schema_aware`.
    """
    scores = {
        "tool_selection": tool_selection(plan, expected),
        "parameter_structure": parameter_structure(plan, expected, settings, tools),
        "sequence": sequence_accuracy(plan, expected),
        "query_coverage": query_coverage(plan, expected, settings),
    }
    if settings.rounding == "released":
        return {metric: round(score, 4) for metric, score in scores.items()}
    return scores


def score_plans(
    plans: Iterable[Plan], records: Mapping[str, Record] | Iterable[Record], settings: Scoring = PAPER
) -> pd.DataFrame:
    """Score all readable plans.

    Parameters
    ----------
    plans
        Of any records, tiers and generators; those that are not `ok` have no scores and are left out.
    records
        By id, or as they were read.

    Returns
    -------
    DataFrame
        One row for each ok plan: `record_id`, `tier`, `generator`, the four metrics, each in [0, 1], their
        `mean` (A13), and the readings of `extra_key_readings`.

    Raises
    ------
    DataError
        If a plan's record is not among `records`.
    """
    import pandas as pd

    known = records if isinstance(records, Mapping) else {record.id: record for record in records}
    rows = []
    for plan in plans:
        if plan.status != "ok":
            continue
        if plan.record_id not in known:
            raise DataError(
                f"a plan of {plan.generator} ({plan.tier}) belongs to no record. Take the plans and the "
                "records of the same run.",
                record=plan.record_id,
            )
        record = known[plan.record_id]
        given = (plan.calls or (), record.expected_calls, settings, record.tools)
        scores = score_plan(*given)
        numbers = (*scores.values(), _mean(list(scores.values())), *extra_key_readings(*given).values())
        rows.append((plan.record_id, plan.tier, plan.generator, *numbers))
    names = [*METRICS, "mean", *READINGS]
    columns = ["record_id", "tier", "generator", *names]
    return pd.DataFrame(rows, columns=columns).astype(dict.fromkeys(names, float))


def _mean(scores: Sequence[float]) -> float:
    return sum(scores) / len(scores) if scores else 1.0


def _names(calls: Sequence[ToolCall] | Sequence[ExpectedCall]) -> set[str]:
    return {call.name for call in calls}


def _declared(tools: Sequence[Tool]) -> dict[str, frozenset[str]]:
    """Give the argument keys that each tool's schema declares."""
    return {tool.name: frozenset(tool.parameters.get("properties") or ()) for tool in tools}


def _comparable(wanted: list[ExpectedCall], rank: int, settings: Scoring) -> list[ExpectedCall]:
    """Give the expected calls of a tool that the plan's call of this rank (from 0) is compared with."""
    if settings.repeated_expected == "best" or not wanted:
        return wanted
    if settings.repeated_expected == "first":
        return wanted[:1]
    if settings.repeated_expected == "in_order" and rank < len(wanted):
        return wanted[rank : rank + 1]
    return wanted[-1:]


def _key_score(call: ToolCall, wanted: ExpectedCall, forgiven: frozenset[str] | None) -> float:
    given = call.arguments.keys() - wanted.optional
    needed = wanted.arguments.keys() - wanted.optional
    if needed - given:
        return 0.0
    surplus = given - needed - (forgiven or frozenset())
    return 0.5 if surplus else 1.0
