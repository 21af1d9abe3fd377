"""The page that lists every claim of the paper with the number that the run gets."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import get_args

import pandas as pd

from plumbline.config.settings import RunConfig
from plumbline.report.page import table_words
from plumbline.report.templating import number, render
from plumbline.tables.claims import DERIVED, SMALLEST, TOLERANCES, Answer, Figure, Found, Outcome, Setting
from plumbline.tables.experiment import HELP, Experiment
from plumbline.tables.result import Column, TableResult

TITLE = "Claims of the paper"

UNITS = {"pct": "%", "pp": "pp", "count": "", "bool": "", "rank": ""}
"""How units are shown; others are words already."""

COLUMNS = {
    "item": Column("Item", help="Item of the specification."),
    "claim": Column("Claim"),
    "unit": Column("Unit"),
    "paper": Column("Paper", help="As printed; at most and at least mark bounds."),
    "ours": Column("Ours", help="Two numbers: the range over what the claim says each or every of."),
    "lo": Column("From", digits=2, help="Lower bound of our interval."),
    "hi": Column("To", digits=2, help="Upper bound of our interval."),
    "difference": Column("Difference", digits=2, help="Ours minus the paper's, where both are one number."),
    "result": Column(
        "Result",
        help="reproduced: our interval, widened by the paper's rounding, holds the value or meets the "
        "bounds; or ours is within the bounds as printed, or differs by no more than the tolerance. "
        "differs: neither. not run: no such number, or "
        "another experiment. same setting, other setting: what the paper states is set, not measured.",
    ),
    "why": Column("Why", help="What decided, or why it was not run."),
    "same_experiment": Column("Same experiment", help=HELP),
    "note": Column("Note", help="Where the paper contradicts itself about the number."),
    "table": Column("Table", help="Table of this run that our number comes from."),
    "source": Column(
        "Source",
        help="paper: stated in its text. draft: a table of the earlier public draft. derived: follows from "
        "other figures of the paper, which does not print it.",
    ),
}


def claims_result(answers: Sequence[Answer]) -> TableResult:
    """Put the answers to all claims into one table.

    Parameters
    ----------
    answers
        In the order of the page.

    Returns
    -------
    TableResult
        One row per claim with the columns of `COLUMNS`; `paper` and `ours` are text, as printed.
    """
    frame = pd.DataFrame([_row(answer) for answer in answers], columns=[*COLUMNS, "reason"])
    numeric = ["lo", "hi", "difference"]
    frame[numeric] = frame[numeric].astype(float)
    tolerances = ", ".join(
        f"{value:g} {UNITS.get(unit, unit)}" for unit, value in TOLERANCES.items() if value > 0
    )
    notes = (
        f"Tolerance where no other is named: {tolerances}; of a small percentage or difference a fifth, at "
        f"least {SMALLEST:g}. Counts and ranks must be equal; of bounds only the rounding is tolerated.",
        "With few records intervals are wide, and hold almost any value: look at their width first.",
        "Many claims are compared at once: with intervals of 95 %, some differ by chance alone.",
    )
    return TableResult(frame, COLUMNS, notes)


def claims_page(config: RunConfig, experiment: Experiment, result: TableResult) -> str:
    """Write the page of claims as one self-contained HTML page.

    Parameters
    ----------
    config
        The run.
    experiment
        What it shares with the paper's.
    result
        As `claims_result` gives it.

    Returns
    -------
    str
        HTML. All text is escaped; the page's policy forbids any connection.
    """
    return render(
        "claims.html",
        lead=claims_told(outcomes(result.frame)),
        tiles=[{"value": str(count), "label": word} for word, count in outcomes(result.frame).items()],
        warnings=_warnings(experiment),
        **table_words(result, TITLE, config.run, ["plumbline", f"run {config.run}"]),
    )


def outcomes(frame: pd.DataFrame) -> dict[str, int]:
    """Count the claims by what became of them; settings, and numbers that are derived, where there are any.

    A number that follows from others, and would count them twice, is counted as `derived` alone.
    """
    derived = frame["source"].eq(DERIVED) if "source" in frame else pd.Series(False, index=frame.index)
    counts = Counter(frame["result"][~derived])
    settings = [word for word in get_args(Setting) if counts[word]]
    found = {word: counts[word] for word in (*get_args(Outcome), *settings)}
    return found | ({DERIVED: int(derived.sum())} if derived.any() else {})


def claims_told(counts: dict[str, int]) -> str:
    """Say in a sentence how many claims were reproduced."""
    stated = {outcome: count for outcome, count in counts.items() if outcome != DERIVED}
    told = ", ".join(f"{count} {outcome}" for outcome, count in stated.items())
    text = f"Of {sum(stated.values())} numbers that the paper states: {told}."
    if DERIVED in counts:
        text += f" {counts[DERIVED]} more follow from its figures, and are not in this count."
    return text


def _warnings(experiment: Experiment) -> list[str]:
    if experiment.other_corpus:
        return [
            f"The paper's records are 3,808 of AgentJudgeBench; the records here are {experiment.told}. So "
            "no claim is tested: where this run has a number of the same kind, it is shown as that of "
            "another experiment."
        ]
    if experiment.simulated:
        return [
            "Simulation: answers here were drawn from a stated error model. What is called reproduced tests "
            "the statistics of this software, not the paper."
        ]
    return []


def _row(answer: Answer) -> tuple[object, ...]:
    claim, found = answer.claim, answer.found
    return (
        claim.item,
        claim.words,
        UNITS.get(claim.figure.unit, claim.figure.unit),
        _printed(claim.figure),
        None if found is None else _ours(found, claim.figure),
        None if found is None else found.low,
        None if found is None else found.high,
        answer.difference,
        answer.outcome,
        answer.why,
        answer.same,
        claim.conflict,
        claim.table or None,
        claim.figure.source,
        answer.why if found is None or answer.outcome == "not run" else None,
    )


def _printed(figure: Figure) -> str:
    def said(value: float) -> str:
        return _word(value, figure, figure.digits)

    if figure.value is not None:
        return said(figure.value)
    if figure.low is None:
        return "" if figure.high is None else f"at most {said(figure.high)}"
    return (
        f"at least {said(figure.low)}"
        if figure.high is None
        else f"{said(figure.low)} to {said(figure.high)}"
    )


def _ours(found: Found, figure: Figure) -> str:
    digits = figure.digits if figure.unit in ("count", "rank", "bool") else figure.digits + 1
    ends = [_word(value, figure, digits) for value in (found.least, found.most)]
    return ends[0] if found.least == found.most else f"{ends[0]} to {ends[1]}"


def _word(value: float, figure: Figure, digits: int) -> str:
    if figure.unit == "bool":
        return "yes" if value else "no"
    return f"{value:,.0f}" if figure.unit == "count" and value == int(value) else number(value, digits)
