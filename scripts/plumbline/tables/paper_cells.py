"""Every cell of the paper's table of alignment beside ours, one line each (A19)."""

from __future__ import annotations

import numpy as np
import pandas as pd

from plumbline.tables.alignment import NAMES, interval_table
from plumbline.tables.beside import SAME, other_corpus, pairs
from plumbline.tables.experiment import HELP, Experiment
from plumbline.tables.inputs import Inputs
from plumbline.tables.published import Beside
from plumbline.tables.published_main import CELL
from plumbline.tables.result import Column, TableResult

ALIGNMENT = Beside("alignment_beside_paper", "ours", "alignment", "alignment_pct", keys=CELL)

NO_CELL = "No cell of this run is one of the paper's Table 2: its judges or generators are others."

NOT_PRINTED = "the paper has no figure for this cell"


def beside_table(inputs: Inputs) -> TableResult:
    """Alignment of every cell, the paper's, and the difference (A19).

    Returns
    -------
    TableResult
        One row per cell: `generator`, `judge`, `tier`, `condition`, `ours`, `lo`, `hi`, `n`, `paper`,
        `difference`, `inside` (whether our interval, widened by the paper's rounding, holds its figure),
        `same_experiment`. Without a cell that can be compared, a note stands instead of the last columns.
    """
    built = interval_table(inputs)
    names = ["generator", "judge", "tier", "condition", "mean", "lo", "hi", "n", "reason"]
    frame = built.frame[names].rename(columns={"mean": "ours"})
    columns = {name: NAMES[name] for name in names[:4]}
    columns |= {"ours": Column("Ours", "%", 2)} | {name: built.columns[name] for name in ("lo", "hi", "n")}
    experiment = Experiment.of(inputs.config, inputs.plans, inputs.block)
    if experiment.other_corpus:
        return TableResult(frame, columns, (other_corpus(experiment, ["alignment.csv"]), *built.notes))
    found = list(pairs(ALIGNMENT, frame, inputs.config, experiment))
    printed = {pair.row: float(pair.printed) for pair in found if pair.compared}
    if not printed:
        return TableResult(frame, columns, (NO_CELL, *built.notes))
    words = {pair.row: pair.same for pair in found}
    paper = np.array([printed.get(row, np.nan) for row in range(len(frame))])
    frame["paper"] = paper
    frame["difference"] = frame["ours"] - paper
    known = frame[["lo", "hi", "paper"]].notna().all(axis=1)
    inside = (frame["lo"] - 0.05 <= paper) & (paper <= frame["hi"] + 0.05)
    frame["inside"] = inside.astype(object).where(known, None)
    frame[SAME] = [words.get(row, "no figure") for row in range(len(frame))]
    frame["reason"] = frame["reason"].where(frame["reason"].notna() | ~np.isnan(paper), NOT_PRINTED)
    columns |= {
        "paper": Column("Paper", "%", 1, "As its Table 2 prints it."),
        "difference": Column("Difference", "pp", 2, "Ours minus the paper's."),
        "inside": Column("Inside", help="Whether our interval, with 0.05 for rounding, holds the figure."),
        SAME: Column("Same experiment", help=HELP),
    }
    return TableResult(frame, columns, (*_summary(frame), *built.notes))


def _summary(frame: pd.DataFrame) -> list[str]:
    compared = frame[frame["difference"].notna()]
    inside = sum(value is True for value in compared["inside"])
    apart = compared["difference"].abs()
    words = ", ".join(f"{word} {count}" for word, count in frame[SAME].value_counts().items())
    if compared.empty:
        return ["None of the paper's 180 cells has a verdict here.", f"Same experiment: {words}."]
    return [
        f"{len(compared)} of the paper's 180 cells are compared; our interval holds its figure in {inside}.",
        f"Mean absolute difference {apart.mean():.2f} pp, largest {apart.max():.2f} pp.",
        f"Same experiment: {words}.",
    ]
