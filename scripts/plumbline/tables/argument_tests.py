"""Controlled tests: relocated values, near candidates, snippets, defaults (D22 to D28)."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import Any

import numpy as np
from matplotlib.figure import Figure

from plumbline.arguments.equality import value_key
from plumbline.records.files import strict_json
from plumbline.statistics.scored import accepted, threshold
from plumbline.tables.argument_estimates import (
    NO_CLASS,
    NO_SCORE,
    NOT_PAIRED,
    Estimate,
    area_between,
    level,
    mean_estimate,
    notes,
    shown,
    table_of,
)
from plumbline.tables.argument_gaps import CELL
from plumbline.tables.argument_inputs import ArgumentInputs, Floats, Values, paired
from plumbline.tables.argument_roles import inputs_of, reference_role
from plumbline.tables.argument_separation import AGAINST, AREA, GAIN, SIZES, share_at_half
from plumbline.tables.drawing import grouped_bars, nothing
from plumbline.tables.result import Column, TableResult
from plumbline.tables.style import PALETTE

RULES = {
    "all": (),
    "H": ("rule:earlier_value", "rule:relocated_distractor"),
    "C": ("rule:control", "rule:relocated_control"),
}
"""Who made the wrong values of the controlled sets: H stands elsewhere in the history, C nowhere."""

CONTROLLED = ("relocate", "hc")


def relocation_table(inputs: ArgumentInputs) -> TableResult:
    """AUROC on the sets with values that were moved or have a near candidate (Table 6, D23, D28).

    Returns
    -------
    TableResult
        `judge`, `dataset`, `input`, `wrong` (all, H or C), AUROC × 100 with its interval, `n_correct`,
        `n_wrong`; `against` (the input that it is compared with) and the difference of the two AUROCs in
        points with its interval, on the values that both have a score for. Data sets of the kinds `relocate`
        and `hc` only. An input that is compared with several has a row for each.
    """
    rows = []
    for judge, dataset, name in inputs.listed(inputs.inputs):
        if inputs.arguments.datasets[dataset].kind not in CONTROLLED:
            continue
        values = inputs.cell(judge, dataset, name)
        about = {"judge": judge, "dataset": dataset, "input": inputs.arm(name)}
        others: list[str | None] = [other for first, other in inputs.pairs() if first == name]
        levels = {wrong: _level(inputs, dataset, values, rules) for wrong, rules in RULES.items()}
        for other, (wrong, rules) in product(others or [None], RULES.items()):
            gain = _gain_over(inputs, (judge, dataset, name), other, rules)
            rows.append(about | {"wrong": wrong} | levels[wrong] | gain)
    columns = {
        **CELL,
        "wrong": Column(
            "Wrong values", help="H: a value that stands elsewhere in the history. C: in no text."
        ),
        **AREA,
        **{name: SIZES[name] for name in ("n_correct", "n_wrong")},
        "against": AGAINST,
        **GAIN,
    }
    told = () if rows else ("No rows: the block has no data set of the kind relocate or hc.",)
    return table_of(rows, columns, (*told, *notes(inputs, inputs.inputs)))


def _level(inputs: ArgumentInputs, dataset: str, values: Values, rules: tuple[str, ...]) -> dict[str, Any]:
    """Give the AUROC against the wrong values of some rules, and what it rests on, as columns."""
    correct, part = values.of("correct"), _made_by(values, rules)
    counts = {"n_correct": correct.size, "n_wrong": part.size}
    return area_between(inputs, dataset, correct, part).row("auroc") | counts


def _gain_over(
    inputs: ArgumentInputs, cell: tuple[str, str, str], other: str | None, rules: tuple[str, ...]
) -> dict[str, Any]:
    """Give what an input gains over another against the wrong values of some rules, as columns."""
    judge, dataset, name = cell
    if other is None or not inputs.has(judge, dataset, other):
        why = (
            "what the others are compared with"
            if other is None
            else f"the judge does not read {inputs.arm(other)}"
        )
        names = ("against", *GAIN)
        return dict.fromkeys(names) | dict.fromkeys((f"{each}_reason" for each in names), why)
    a, b = paired(*(inputs.cell(judge, dataset, each) for each in (name, other)))
    areas = [area_between(inputs, dataset, side.of("correct"), _made_by(side, rules)) for side in (a, b)]
    gain = areas[0].minus(areas[1], NO_CLASS if a.size else NOT_PAIRED)
    return {"against": inputs.arm(other)} | gain.row("gain", test=True)


def relocation_figure(inputs: ArgumentInputs) -> Figure:
    """AUROC on the relocated sets, a panel for each (Figure 2a)."""
    frame = relocation_table(inputs).frame
    title = "A value in view, buried, and with a reference"
    if not len(frame):
        return nothing(title)
    frame = frame[(frame["wrong"] == "all") & frame["input"].isin(_drawn(inputs))]
    names = {"dataset": "panel", "judge": "group", "input": "series"}
    frame = frame.drop_duplicates(list(names))
    bars = frame.rename(columns=names | {"auroc": "value", "auroc_lo": "lo", "auroc_hi": "hi"})
    return grouped_bars(bars, ylabel="AUROC × 100", title=title, digits=0, bounds=(0, 100))


def _drawn(inputs: ArgumentInputs) -> list[str]:
    """Give the inputs that a figure has colours for."""
    return [inputs.arm(name) for name in inputs.inputs[: len(PALETTE)]]


def near_table(inputs: ArgumentInputs) -> TableResult:
    """Mean score of H minus that of C, the same call and state (D28).

    Returns
    -------
    TableResult
        `judge`, `dataset`, `input`, `h`, `c` (mean scores × 100), their difference with its interval,
        `pairs`, `queries`. A call with several changed values counts with their mean score.
    """
    rows = []
    for judge, dataset, name in inputs.listed(inputs.inputs):
        if inputs.arguments.datasets[dataset].kind not in CONTROLLED:
            continue
        values = inputs.cell(judge, dataset, name)
        h, c = (_by_state(_made_by(values, RULES[rule])) for rule in ("H", "C"))
        a, b = paired(h, c)
        both = mean_estimate(inputs, dataset, a), mean_estimate(inputs, dataset, b)
        about = {"judge": judge, "dataset": dataset, "input": inputs.arm(name)}
        about |= level("h", both[0]) | level("c", both[1])
        rows.append(
            about
            | both[0].minus(both[1], NOT_PAIRED).row("difference", test=True)
            | {"pairs": a.size, "queries": a.rows["query_id"].nunique()}
        )
    columns = {
        **CELL,
        "h": Column("H", "× 100", 2, "Mean score of wrong values that stand elsewhere in the history."),
        "c": Column("C", "× 100", 2, "Mean score of wrong values that stand nowhere."),
        **shown("difference", "H minus C", "× 100", "Above 0: having been seen earlier lifts it.", True),
        "pairs": Column("Pairs"),
        "queries": Column("Queries"),
    }
    told = () if rows else ("No rows: the block has no data set of the kind relocate or hc.",)
    return table_of(rows, columns, (*told, *notes(inputs, inputs.inputs)))


def _made_by(values: Values, rules: tuple[str, ...]) -> Values:
    wrong = values.of("wrong")
    return wrong.where(np.isin(wrong["made_by"], rules)) if rules else wrong


def _by_state(values: Values) -> Values:
    """Put the changed values of a state's call together."""
    rows = values.known.rows
    means = rows.groupby("state_id", sort=False)["score"].transform("mean")
    kept = rows.assign(score=means, item_id=rows["state_id"]).drop_duplicates("state_id")
    return Values.of_rows(kept)


def snippet_table(inputs: ArgumentInputs) -> TableResult:
    """Show what snippets of the history do to wrong values that stand in it out of view (D27).

    Returns
    -------
    TableResult
        `judge`, `dataset`, `input`, `against`, `before`, `after` (mean scores × 100), the rise with its
        interval, `accepted` (number at 0.5), `n`; wrong values of the path history_only.
    """
    rows = []
    chosen = set(inputs_of(inputs, "snippets", "full_snippets"))
    for name, other, dataset, judge in inputs.compared():
        if name not in chosen:
            continue
        a, b = paired(inputs.cell(judge, dataset, name), inputs.cell(judge, dataset, other))
        a, b = a.of("wrong", "history_only"), b.of("wrong", "history_only")
        sides = mean_estimate(inputs, dataset, a), mean_estimate(inputs, dataset, b)
        about = {"judge": judge, "dataset": dataset, "input": inputs.arm(name), "against": inputs.arm(other)}
        row = about | level("before", sides[1]) | level("after", sides[0])
        row |= sides[0].minus(sides[1], NOT_PAIRED).row("rise", test=True)
        rows.append(row | {"accepted": int((a["score"] >= 0.5).sum()), "n": a.size})
    columns = {
        **CELL,
        "against": AGAINST,
        "before": Column("Before", "× 100", 2, "Mean score without the snippets."),
        "after": Column("After", "× 100", 2, "Mean score with them."),
        **shown("rise", "Rise", "× 100", "Above 0: snippets lift wrong values.", True),
        "accepted": Column("Accepted", help="Values with a score of at least 0.5, snippets shown."),
        "n": Column("Wrong values", help="Wrong values of the path history_only, scored under both."),
    }
    told = () if rows else ("No rows: the block has no input with snippets beside another one.",)
    return table_of(rows, columns, (*told, *notes(inputs, inputs.inputs)))


def default_table(inputs: ArgumentInputs) -> TableResult:
    """Show how often right defaults are accepted, all of them and those that a reference states (D26).

    Returns
    -------
    TableResult
        `judge`, `dataset`, `input`, `subset` (`all`, or `reference agrees`: DeRef states the value),
        `accepted` in percent at the threshold with its interval, `at_half`, `n`.
    """
    stated = {name: stated_items(inputs, name) for name in inputs.datasets}
    rows = []
    for judge, dataset, name in inputs.listed(inputs.inputs):
        values = inputs.cell(judge, dataset, name)
        correct = values.of("correct")
        defaults = correct.of("correct", "default")
        if not len(defaults):
            continue
        agreed = defaults.where([item in stated[dataset] for item in defaults["item_id"]])
        about = {"judge": judge, "dataset": dataset, "input": inputs.arm(name)}
        for subset, part in (("all", defaults), ("reference agrees", agreed)):
            row = about | {"subset": subset} | _at_tau(inputs, dataset, correct, part).row("accepted")
            rows.append(row | level("at_half", share_at_half(inputs, dataset, part)) | {"n": part.size})
    rate = 100 * inputs.arguments.gap.rate
    columns = {
        **CELL,
        "subset": Column("Values", help="reference agrees: the DeRef reference states the value."),
        **shown("accepted", "Accepted", "%", f"At the threshold that accepts {rate:g} % of right values."),
        "at_half": Column("Accepted at 0.5", "%", 2),
        "n": Column("Right defaults"),
    }
    return table_of(rows, columns, notes(inputs, inputs.inputs))


def default_figure(inputs: ArgumentInputs) -> Figure:
    """Draw how often right defaults are accepted that a reference states (Figure 2b)."""
    frame = default_table(inputs).frame
    title = "Right default values that judges accept"
    if not len(frame):
        return nothing(title)
    frame = frame[(frame["subset"] == "reference agrees") & frame["input"].isin(_drawn(inputs))]
    names = {"dataset": "panel", "judge": "group", "input": "series"}
    bars = frame.rename(columns=names | {"accepted": "value", "accepted_lo": "lo", "accepted_hi": "hi"})
    return grouped_bars(bars, ylabel="accepted (%)", title=title, digits=0, bounds=(0, 100))


def _at_tau(inputs: ArgumentInputs, dataset: str, correct: Values, part: Values) -> Estimate:
    every, some, rate = correct.scored, part.scored, inputs.arguments.gap.rate

    def statistic(weights: Floats) -> Floats:
        return 100 * accepted(some, weights, threshold(every, weights, rate))

    found = inputs.resampled(dataset, statistic)
    return Estimate(found, part.queries, inputs.arguments.bootstrap.level, NO_SCORE)


def stated_items(inputs: ArgumentInputs, dataset: str) -> set[str]:
    """Give the items whose value a DeRef reference of the block states."""
    return {row["item_id"] for row in stated_values(inputs, dataset) if row["same"]}


def stated_values(inputs: ArgumentInputs, dataset: str) -> Iterator[dict[str, Any]]:
    """Compare every value with the one that DeRef's reference of its slot states, where it states one.

    Yields
    ------
    dict
        `item_id`, `label`, `reference`, `same`.
    """
    items = inputs.rows[(inputs.rows["dataset"] == dataset) & (inputs.rows["unit"] == "value")]
    items = items.drop_duplicates("item_id")
    made = inputs.references
    named = [name for name in made["reference"].unique() if reference_role(inputs.arguments, name) == "deref"]
    made = made[(made["dataset"] == dataset) & made["parsed"] & made["reference"].isin(named)]
    slots = items[["item_id", "label", "state_id", "function", "parameter", "value"]].merge(
        made[["state_id", "function", "parameter", "item_id", "reference", "parsed_value"]],
        on=["state_id", "function", "parameter"],
        suffixes=("", "_made"),
    )
    slots = slots[slots["item_id_made"].isna() | (slots["item_id_made"] == slots["item_id"])]
    keys = {text: value_key(strict_json(text)) for text in {*slots["value"], *slots["parsed_value"]}}
    for row in slots.to_dict("records"):
        same = keys[row["value"]] == keys[row["parsed_value"]]
        yield {str(k): row[k] for k in ("item_id", "label", "reference")} | {"same": same}
