"""Words that go with every table and figure whose numbers do not come from asking an LLM."""

from __future__ import annotations

from dataclasses import replace

from matplotlib.figure import Figure

from plumbline.tables.inputs import Inputs
from plumbline.tables.result import TableResult
from plumbline.tables.style import SOFT


def origin_notes(inputs: Inputs) -> list[str]:
    """Say that plans or verdicts of a block were simulated or were released by the authors; else nothing."""
    config = inputs.config
    if config.released is not None:
        return [
            "Plans and verdicts are those that the authors released; no model was asked.",
            *_released_rules(inputs),
        ]
    judges = [name for name in inputs.judges if _is_simulated(inputs, config.judges[name].model)]
    generators = [name for name in inputs.generators if _is_simulated(inputs, config.generators[name].model)]
    told = [
        f"{what} {', '.join(names) if len(names) < len(every) else '(all)'}"
        for what, names, every in (
            ("verdicts of", judges, inputs.judges),
            ("plans of", generators, inputs.generators),
        )
        if names
    ]
    if not told:
        return []
    return [
        f"Simulation: {' and '.join(told)} are drawn from a stated error model; no LLM was asked for them."
    ]


def with_origin(result: TableResult, inputs: Inputs) -> TableResult:
    """Give a table with these words as its first notes."""
    return replace(result, notes=(*origin_notes(inputs), *result.notes))


def stamp_origin(figure: Figure, inputs: Inputs) -> None:
    """Write these words below a figure, after what stands there already."""
    notes = origin_notes(inputs)[:1]
    if notes:
        below = "\n".join(filter(None, (figure.get_supxlabel(), *notes)))
        figure.supxlabel(below, fontsize=8.5, color=SOFT, x=0.01, ha="left")


def _is_simulated(inputs: Inputs, model: str | None) -> bool:
    return model is not None and inputs.config.models[model].engine == "simulated"


def _released_rules(inputs: Inputs) -> list[str]:
    """Name the readings of the authors' pipeline that the run takes over."""
    config = inputs.config
    rules = {
        "scores rounded to 4 decimals (scoring.rounding: released)": config.scoring.rounding == "released",
        "a missing metric counts as a match of 0 (verdicts.missing_metric: zero)": (
            config.verdicts.missing_metric == "zero"
        ),
        "any number from 0 to 1 counts (verdicts.off_scale: keep)": config.verdicts.off_scale == "keep",
        "a plan counts if it is ok under every condition (alignment.pairing: both)": (
            config.alignment.pairing == "both"
        ),
        "plans without calls are left out (plans.zero_calls: exclude)": config.plans.zero_calls == "exclude",
    }
    taken = [words for words, holds in rules.items() if holds]
    return [f"Rules of the authors' pipeline that hold here: {'; '.join(taken)}."] if taken else []
