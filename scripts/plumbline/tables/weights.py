"""Alignment and ranking of the judges with metrics that weigh differently (A27, A46)."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pandas as pd

from plumbline.records import METRICS
from plumbline.tables.alignment import NAMES, highest
from plumbline.tables.grid import reasons
from plumbline.tables.inputs import MATCHES, Inputs
from plumbline.tables.judge_means import (
    RANK_REASONS,
    Averaging,
    averaging_note,
    judge_means,
    of_condition,
    panel_values,
    rank_agreement,
)
from plumbline.tables.notes import verdict_notes
from plumbline.tables.result import Column, TableResult

EQUAL = "equal"
PARAMETER_WEIGHTS = {"1": 1.0, "1/2": 0.5, "0": 0.0}
"""Weights of parameter structure, the first being that of all other tables (A46)."""

Schemes = Mapping[str, Mapping[str, float]]


def scheme_table(inputs: Inputs) -> TableResult:
    """Alignment of each judge with metrics that weigh differently (A27, C-A45).

    Returns
    -------
    TableResult
        One row per condition and scheme, first `equal`: `condition`, `scheme`, `alignment.<judge>` in
        percent, `spearman` (with the ranking of `equal`), `largest_shift` (pp, over judges), `same_ranking`,
        and reasons. Judges outside the panel are shown but not ranked.
    """
    schemes: dict[str, Mapping[str, float]] = {EQUAL: {}}
    for name, weights in inputs.config.weights.schemes.items():
        schemes[name] = weights.model_dump()
    return _table(inputs, "scheme", schemes, inputs.config.tables.weight_schemes)


def parameter_table(inputs: Inputs) -> TableResult:
    """Alignment of each judge with a lower weight for parameter structure (A46).

    Returns
    -------
    TableResult
        As `scheme_table`, with `weight` (1, 1/2, 0) instead of `scheme`.
    """
    schemes = {name: {"parameter_structure": weight} for name, weight in PARAMETER_WEIGHTS.items()}
    return _table(inputs, "weight", schemes, inputs.config.tables.parameter_weight)


def _table(inputs: Inputs, key: str, schemes: Schemes, option: Averaging) -> TableResult:
    means = judge_means(inputs, inputs.matched, option, MATCHES)
    names = {judge: f"alignment.{judge}" for judge in inputs.judges}
    rows = []
    for condition in inputs.conditions:
        # alignment is linear in the matches, so metrics can be weighed after averaging
        by_metric = of_condition(means, condition).reindex(inputs.judges)[MATCHES]
        plain = _weighed(by_metric, next(iter(schemes.values())))
        for scheme, weights in schemes.items():
            values = _weighed(by_metric, weights)
            compared = _compared(panel_values(inputs, plain), panel_values(inputs, values))
            rows.append({"condition": condition, key: scheme} | values.rename(names).to_dict() | compared)
    measures = ["spearman", "spearman_reason", "largest_shift", "same_ranking"]
    frame = pd.DataFrame(rows, columns=["condition", key, *names.values(), *measures, "reason"])
    numeric = [*names.values(), "spearman", "largest_shift"]
    frame[numeric] = frame[numeric].astype(float)
    frame["reason"] = reasons(frame[list(names.values())].isna().any(axis=1))
    columns = {"condition": NAMES["condition"], key: Column(key.capitalize(), help=_help(key, schemes))}
    columns |= {name: Column(judge, "%", 2) for judge, name in names.items()}
    columns |= {
        "spearman": Column(
            "Spearman", digits=3, help=f"Rank correlation with the first row, {next(iter(schemes))}."
        ),
        "largest_shift": Column("Largest shift", "pp", 2, "Of any judge, against the first row."),
        "same_ranking": Column("Same ranking", help="Whether no two judges change places."),
    }
    bold = frozenset((row, name) for row, name in _best(frame, [names[judge] for judge in inputs.panel]))
    return TableResult(frame, columns, (averaging_note(inputs, option), *verdict_notes(inputs)), bold)


def _weighed(by_metric: pd.DataFrame, weights: Mapping[str, float]) -> pd.Series:
    """Weighted mean of the four metrics by judge (A27); a metric without a weight counts 1."""
    vector = np.array([weights.get(metric, 1.0) for metric in METRICS])
    return pd.Series(by_metric.to_numpy() @ vector / vector.sum(), index=by_metric.index)


def _compared(plain: pd.Series, values: pd.Series) -> dict[str, object]:
    found = rank_agreement(plain, values)
    shift = (values - plain).abs().max()
    return {
        "spearman": found.value,
        "spearman_reason": RANK_REASONS.get(found.reason or ""),
        "largest_shift": shift,
        "same_ranking": None if np.isnan(shift) else _order(plain) == _order(values),
    }


def _order(values: pd.Series) -> list[str]:
    """Judges from best to worst; the order of the run decides between equals."""
    return list(values.dropna().sort_values(ascending=False, kind="stable").index)


def _best(frame: pd.DataFrame, names: list[str]) -> frozenset[tuple[int, str]]:
    """Find the highest judge of each row."""
    turned = frame[names].T
    turned.columns = turned.columns.map(str)
    found = highest(turned, list(turned.columns), pd.Series("all", index=turned.index))
    return frozenset((int(row), names[place]) for place, row in found)


def _help(key: str, schemes: Schemes) -> str:
    if key == "weight":
        return "Weight of parameter structure; the other metrics weigh 1."
    words = [
        f"{name}: {', '.join(f'{metric} {weight:g}' for metric, weight in weights.items() if weight != 1)}"
        for name, weights in schemes.items()
        if weights
    ]
    return f"Weights of the metrics, 1 where none is given. {'; '.join(words)}."
