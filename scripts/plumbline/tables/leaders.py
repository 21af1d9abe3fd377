"""Which judge leads: by condition and tier (A26, Table 6), and in every cell."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

import numpy as np
import pandas as pd

from plumbline.tables.alignment import NAMES
from plumbline.tables.grid import REASONS, Floats, Grid, grid
from plumbline.tables.inputs import Inputs
from plumbline.tables.notes import interval_notes, verdict_notes
from plumbline.tables.result import Column, TableResult

MEASURES = ["best", "best_alignment", "runner_up", "runner_up_alignment", "margin", "lo", "hi"]

COLUMNS = NAMES | {
    "generators": Column("Generators", help="Averaged over those with open weights, or over all."),
    "best": Column("Best", help="Several names: equal at one decimal."),
    "best_alignment": Column("Best alignment", "%", 1),
    "runner_up": Column(
        "Runner-up",
        help="Next below the best; with a tie for the best, next below all of these. Several: equal at one "
        "decimal; the margin is to the first.",
    ),
    "runner_up_alignment": Column("Next alignment", "%", 1),
    "margin": Column("Margin", "pp", 2, "Best minus runner-up."),
    "lo": Column("Margin from", "pp", 2, "Lower bound of the margin's interval."),
    "hi": Column("Margin to", "pp", 2, "Upper bound; if the interval holds 0, the order cannot be told."),
}


def guide_table(inputs: Inputs) -> TableResult:
    """Best judge and runner-up by condition and tier, generators weighing the same (A26, C-A3).

    Returns
    -------
    TableResult
        One row per choice of generators (`open_weight`, `all`; one of them if they are the same), condition
        and tier: `generators`, `condition`, `tier`, `best`, `best_alignment` (percent), `runner_up`,
        `runner_up_alignment`, `margin` (pp), `lo`, `hi`, and reasons. A judge that lacks a cell which others
        have is left out and named in a note.
    """
    cells = _cells(inputs)
    rows, left_out = [], set()
    for label, generators in inputs.generator_choices(inputs.config.decision_guide):
        for condition in inputs.conditions:
            for tier in inputs.tiers:
                lead = _lead(cells, inputs, generators, tier, condition)
                rows.append((label, condition, tier, *lead.row))
                left_out |= {f"{judge} ({condition}, {tier})" for judge in lead.left_out}
    frame = _frame(rows, ["generators", "condition", "tier"])
    notes = [f"Left out, since a cell that others have is missing: {', '.join(sorted(left_out))}."]
    notes = (notes if left_out else []) + [*verdict_notes(inputs), *interval_notes(inputs)]
    return TableResult(frame, _columns(frame), tuple(notes))


def winners_table(inputs: Inputs) -> TableResult:
    """Who leads each cell of generator, tier and condition (A26, C-A34).

    Returns
    -------
    TableResult
        One row per cell: `condition`, `generator`, `tier`, then as in `guide_table`, and `tie` (whether
        several lead, equal at one decimal). Notes count the cells that each judge leads.
    """
    cells = _cells(inputs)
    rows = [
        (condition, generator, tier, *_lead(cells, inputs, [generator], tier, condition).row)
        for condition in inputs.conditions
        for generator in inputs.generators
        for tier in inputs.tiers
    ]
    frame = _frame(rows, ["condition", "generator", "tier"])
    frame["tie"] = frame["best"].str.contains(",").where(frame["best"].notna(), None)
    columns = _columns(frame) | {"tie": Column("Tie", help="Whether several judges lead.")}
    return TableResult(frame, columns, (*_counts(frame), *verdict_notes(inputs), *interval_notes(inputs)))


@dataclass(frozen=True)
class _Lead:
    """The measures of a row, with reasons, and the judges that were left out."""

    row: tuple[object, ...]
    left_out: tuple[str, ...] = ()


def _cells(inputs: Inputs) -> Grid:
    keys = {
        "condition": inputs.conditions,
        "tier": inputs.tiers,
        "generator": inputs.generators,
        "judge": inputs.panel,
    }
    return grid(inputs, inputs.matched, keys)


def _lead(cells: Grid, inputs: Inputs, generators: list[str], tier: str, condition: str) -> _Lead:
    """Compare the panel on the mean over some generators of one tier and condition."""
    place = {cell: number for number, cell in enumerate(cells.cells)}
    wanted = [[(condition, tier, name, judge) for judge in inputs.panel] for name in generators]
    places = np.array([[place[cell] for cell in row] for row in wanted], dtype=int)
    present = ~np.isnan(cells.means[places])
    places = places[present.any(axis=1)]
    complete = ~np.isnan(cells.means[places]).any(axis=0) & (len(places) > 0)
    left_out = tuple(np.array(inputs.panel, dtype=object)[~complete & present.any(axis=0)])
    judges = [judge for judge, whole in zip(inputs.panel, complete, strict=True) if whole]
    if not judges:
        return _Lead((*(None,) * 9, REASONS["empty"]), left_out)
    return _Lead(_ranked(cells, judges, places[:, complete]), left_out)


def _ranked(cells: Grid, judges: list[str], places: np.ndarray) -> tuple[object, ...]:
    values = cells.means[places].mean(axis=0)
    shown = values.round(1)
    order = np.argsort(-values, kind="stable")
    top = [int(place) for place in order if shown[place] == shown.max()]
    below = [int(place) for place in order if shown[place] < shown.max()]
    best = ", ".join(judges[place] for place in top)
    if not below:
        why = "no other judge" if len(judges) == 1 else "all judges are equal at one decimal"
        return best, values[top[0]], *(None,) * 7, why
    second = below[0]
    next_best = ", ".join(judges[place] for place in below if shown[place] == shown[second])

    def margin(means: Floats) -> Floats:
        of_judges = means[:, places].mean(axis=1)
        found: Floats = of_judges[:, top[0]] - of_judges[:, second]
        return found

    used = np.isin(np.arange(len(cells.cells)), places[:, [top[0], second]])
    apart = cells.interval_of(margin, used)
    why_open = REASONS.get(apart.reason or "", apart.reason)
    return (
        *(best, values[top[0]], next_best, values[second], apart.mean, apart.low, apart.high),
        *(why_open, why_open, None),
    )


def _frame(rows: list[tuple[object, ...]], keys: list[str]) -> pd.DataFrame:
    frame = pd.DataFrame(rows, columns=[*keys, *MEASURES, "lo_reason", "hi_reason", "reason"])
    numeric = ["best_alignment", "runner_up_alignment", "margin", "lo", "hi"]
    frame[numeric] = frame[numeric].astype(float)
    frame[["best", "runner_up"]] = frame[["best", "runner_up"]].astype(object)
    return frame


def _columns(frame: pd.DataFrame) -> dict[str, Column]:
    return {name: COLUMNS[name] for name in frame.columns if name in COLUMNS}


def _counts(frame: pd.DataFrame) -> list[str]:
    """Count the cells that each judge leads alone and with others, and those that cannot be told apart."""
    notes = []
    for condition, rows in frame.groupby("condition", sort=False):
        led = rows[rows["best"].notna()]
        alone = Counter(led[led["tie"].eq(False)]["best"])
        shared = Counter(name for names in led[led["tie"].eq(True)]["best"] for name in names.split(", "))
        judges = sorted({*alone, *shared}, key=lambda name: (-alone[name], -shared[name], name))
        words = ", ".join(
            f"{judge} {alone[judge]}" + (f" (and {shared[judge]} tied)" if shared[judge] else "")
            for judge in judges
        )
        if words:
            notes.append(f"{condition}, cells led of {len(led)}: {words}.")
        open_cells = int(((led["lo"] <= 0) & (led["hi"] >= 0)).sum())
        if led["lo"].notna().any():
            notes.append(f"{condition}: in {open_cells} of {len(led)} cells the margin's interval holds 0.")
    return notes
