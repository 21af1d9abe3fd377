"""How far judges agree with each other: matrix, pairs, means, confusion (A30, A32, A33)."""

from __future__ import annotations

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from plumbline.statistics import Interval
from plumbline.statistics.agreement import LABELS
from plumbline.tables.alignment import NAMES
from plumbline.tables.drawing import heat_map
from plumbline.tables.grid import reasons
from plumbline.tables.inputs import Inputs
from plumbline.tables.pairs import WORDS, Measure, Pairs, pair_notes, pairs_of
from plumbline.tables.result import Column, TableResult

MEASURES: tuple[Measure, ...] = ("agreement", "kappa")
NUMBERS = ["agreement", "agreement_lo", "agreement_hi", "kappa", "kappa_lo", "kappa_hi"]
COLUMNS = {
    "condition": NAMES["condition"],
    "judge_a": Column("Judge A"),
    "judge_b": Column("Judge B"),
    "pairs": Column("Pairs", digits=0, help="Pairs of judges that the mean is over."),
    "agreement": Column("Agreement", "%", 1, "Scores on which both gave the same mark."),
    "agreement_lo": Column("Agreement, from", "%", 1, "Lower bound of its interval."),
    "agreement_hi": Column("Agreement, to", "%", 1, "Upper bound of its interval."),
    "kappa": Column("Kappa", digits=3, help="Cohen's kappa: 0 is chance, 1 is full agreement."),
    "kappa_lo": Column("Kappa, from", digits=3, help="Lower bound of its interval."),
    "kappa_hi": Column("Kappa, to", digits=3, help="Upper bound of its interval."),
    "half_share": Column("Touching 0.5", "%", 1, "Of the disagreements, those in which one mark is 0.5."),
    "n": Column("N", digits=0, help="Scores that both judges gave: plans times metrics."),
}
CONFUSED = {"b_0": "B says 0", "b_half": "B says 0.5", "b_1": "B says 1"}


def agreement_table(inputs: Inputs) -> TableResult:
    """Agreement and kappa of all judges as a matrix, one for each condition (A30).

    Returns
    -------
    TableResult
        One row per condition and judge: `condition`, `judge`, then `against.<judge>` for every judge, with
        agreement in percent above the diagonal and kappa below it. Bold: the highest pair.
    """
    frames: list[pd.DataFrame] = []
    bold = set()
    for condition, pairs in pairs_of(inputs).items():
        start = sum(len(frame) for frame in frames)
        matrix, why = _matrix(pairs), _matrix_reasons(pairs)
        frame = pd.DataFrame({"condition": condition, "judge": pairs.judges})
        for place, judge in enumerate(pairs.judges):
            frame[f"against.{judge}"] = matrix[:, place]
            frame[f"against.{judge}_reason"] = why[:, place]
        frames.append(frame)
        for word, place in pairs.extremes():
            if word == "highest":
                a, b = pairs.names[place]
                for judge, other in ((a, b), (b, a)):
                    bold.add((start + pairs.judges.index(judge), f"against.{other}"))
    table = pd.concat(frames, ignore_index=True)
    columns = {name: NAMES[name] for name in ("condition", "judge")}
    for name in table.columns[2::2]:
        judge = str(name).removeprefix("against.")
        columns[name] = Column(judge, digits=2, help="Above the diagonal agreement in %, below it kappa.")
    notes = ("Above the diagonal: agreement in percent; below it: Cohen's kappa.", *pair_notes(inputs, False))
    return TableResult(table, columns, notes, frozenset(bold))


def pair_table(inputs: Inputs) -> TableResult:
    """Agreement and kappa of every pair with their intervals (A30).

    Returns
    -------
    TableResult
        One row per condition and pair: `condition`, `judge_a`, `judge_b`, `agreement` (percent), `kappa`,
        `<either>_lo`, `<either>_hi`, `half_share` (percent of the disagreements), `n`, `reason`.
    """
    frame = _pair_frame(pairs_of(inputs))
    columns = {name: COLUMNS[name] for name in frame.columns if name in COLUMNS}
    return TableResult(frame, columns, tuple(pair_notes(inputs)))


def outside_table(inputs: Inputs) -> TableResult:
    """Judges that stand outside the means against every other judge (A33); columns as in `pair_table`."""
    outside = inputs.config.agreement.outside
    frame = _pair_frame(pairs_of(inputs))
    # the outside judge comes first
    swap = ~frame["judge_a"].isin(outside)
    frame.loc[swap, ["judge_a", "judge_b"]] = frame.loc[swap, ["judge_b", "judge_a"]].to_numpy()
    frame = frame[frame["judge_a"].isin(outside)].sort_values(
        ["condition", "judge_a"], key=lambda names: _places(names, inputs), kind="stable", ignore_index=True
    )
    columns = {name: COLUMNS[name] for name in frame.columns if name in COLUMNS}
    columns |= {"judge_a": Column("Outside judge"), "judge_b": Column("Judge")}
    notes = pair_notes(inputs)
    if not set(inputs.judges) & set(outside):
        named = ", ".join(outside) or "none"
        notes.insert(0, f"No judge of this block stands outside (`agreement.outside`: {named}).")
    return TableResult(frame, columns, tuple(notes))


def summary_table(inputs: Inputs) -> TableResult:
    """Mean over pairs, highest and lowest pair, one row per condition (A30).

    Returns
    -------
    TableResult
        `condition`, `pairs`, `agreement`, `kappa` (means over the pairs inside) with `<either>_lo` and
        `<either>_hi`, `highest`, `highest_kappa`, `highest_agreement`, `lowest`, `lowest_kappa`,
        `lowest_agreement`, `half_lo`, `half_hi` (least and most of any pair's disagreements that touch 0.5,
        percent), `reason`.
    """
    rows, notes = [], []
    for condition, pairs in pairs_of(inputs).items():
        row: dict[str, object] = {"condition": condition, "pairs": int(pairs.inside.sum())}
        for measure in MEASURES:
            row |= _numbers(measure, pairs.mean(measure))
        row |= _extremes(pairs)
        half = pairs.half[pairs.inside & ~np.isnan(pairs.half)]
        if half.size:
            row |= {"half_lo": half.min(), "half_hi": half.max()}
        elif pairs.verdicts[pairs.inside].any():
            row |= dict.fromkeys(("half_lo_reason", "half_hi_reason"), "every pair agrees throughout")
        if pairs.inside.any():
            missing = int(np.isnan(pairs.values("kappa")[pairs.inside]).sum())
            notes += [f"{condition}: {missing} pairs have no kappa and are left out."] if missing else []
        row["reason"] = _why(pairs.mean("agreement"), pairs.mean("kappa"))
        if not pairs.inside.any():
            row["reason"] = "fewer than two judges inside the means"
        rows.append(row)
    reason_columns = ["half_lo_reason", "half_hi_reason", "reason"]
    frame = pd.DataFrame(rows, columns=[*COLUMNS_OF_SUMMARY, *reason_columns])
    numbers = [name for name, column in COLUMNS_OF_SUMMARY.items() if column.digits]
    frame[numbers] = frame[numbers].astype(float)
    return TableResult(frame, COLUMNS_OF_SUMMARY, (*notes, *pair_notes(inputs)))


COLUMNS_OF_SUMMARY = {name: COLUMNS[name] for name in ("condition", "pairs", *NUMBERS)} | {
    "highest": Column("Highest pair", help="By kappa."),
    "highest_kappa": Column("Highest, kappa", digits=3),
    "highest_agreement": Column("Highest, agreement", "%", 1),
    "lowest": Column("Lowest pair", help="By kappa."),
    "lowest_kappa": Column("Lowest, kappa", digits=3),
    "lowest_agreement": Column("Lowest, agreement", "%", 1),
    "half_lo": Column("Touching 0.5, least", "%", 1, "Pair whose disagreements touch 0.5 least."),
    "half_hi": Column("Touching 0.5, most", "%", 1, "Pair whose disagreements touch 0.5 most."),
}


def confusion_table(inputs: Inputs) -> TableResult:
    """Cross the marks of two judges, for the highest and for the lowest pair by kappa (A32).

    Returns
    -------
    TableResult
        Three rows per condition and pair, one for each mark of judge A: `condition`, `pair` (highest or
        lowest), `judge_a`, `judge_b`, `verdict_a`, and `b_0`, `b_half`, `b_1`: percent of all scores that
        both gave. `n` counts these; `agreement` (percent) and `kappa` follow from the pair's three rows.
    """
    rows: list[tuple[object, ...]] = []
    notes = []
    for condition, pairs in pairs_of(inputs).items():
        for word, place in pairs.extremes():
            table = pairs.tables[place]
            shares = 100 * table / table.sum()
            names = pairs.names[place]
            measured = [float(pairs.values(measure)[place]) for measure in MEASURES]
            rows += [
                (condition, word, *names, mark, *shares[row], int(table.sum()), *measured)
                for row, mark in enumerate(LABELS)
            ]
            notes.append(_said(condition, word, pairs, place))
        if not pairs.extremes():
            notes.append(f"{condition}: no pair of judges has a kappa.")
    head = ["condition", "pair", "judge_a", "judge_b", "verdict_a"]
    frame = pd.DataFrame(rows, columns=[*head, *CONFUSED, "n", *MEASURES])
    columns = {name: COLUMNS[name] for name in ("condition", "judge_a", "judge_b", "n", *MEASURES)}
    columns |= {"pair": Column("Pair", help="By kappa."), "verdict_a": Column("A says", digits=1)}
    columns |= {name: Column(label, "%", 1, "Of all scores of both.") for name, label in CONFUSED.items()}
    return TableResult(frame, columns, (*notes, *pair_notes(inputs, False)))


def agreement_figure(inputs: Inputs) -> Figure:
    """Draw the matrix of the shown condition, kappa times 100 so that one scale serves both halves (A30)."""
    (condition, pairs), *_ = pairs_of(inputs).items()
    matrix = _matrix(pairs)
    below = np.tril_indices(len(matrix), -1)
    matrix[below] *= 100
    frame = pd.DataFrame(matrix, index=pairs.judges, columns=pairs.judges)
    title = f"Agreement (above the diagonal) and kappa (below), {condition}"
    return heat_map(frame, title=title, label="agreement (%), kappa × 100", vmin=0, vmax=100)


def _matrix(pairs: Pairs) -> np.ndarray:
    """Agreement above the diagonal, kappa below, (judges, judges); NaN on the diagonal."""
    matrix = np.full((len(pairs.judges),) * 2, np.nan)
    above = np.triu_indices(len(matrix), 1)
    matrix[above] = pairs.values("agreement")
    matrix.T[above] = pairs.values("kappa")
    return matrix


def _matrix_reasons(pairs: Pairs) -> np.ndarray:
    matrix = _matrix(pairs)
    why = np.full(matrix.shape, None, dtype=object)
    why[np.isnan(matrix)] = WORDS["single_class"]
    np.fill_diagonal(why, "a judge and itself")
    above = np.triu_indices(len(matrix), 1)
    for half in (why, why.T):
        half[above] = np.where(pairs.verdicts == 0, WORDS["empty"], half[above])
    return why


def _pair_frame(found: dict[str, Pairs]) -> pd.DataFrame:
    rows = []
    for condition, pairs in found.items():
        agreement, kappa = pairs.intervals("agreement"), pairs.intervals("kappa")
        for place, (a, b) in enumerate(pairs.names):
            row: dict[str, object] = {"condition": condition, "judge_a": a, "judge_b": b}
            row |= _numbers("agreement", agreement[place]) | _numbers("kappa", kappa[place])
            row |= {"half_share": pairs.half[place], "n": int(pairs.verdicts[place])}
            rows.append(row | {"reason": _why(agreement[place], kappa[place])})
    names = ["condition", "judge_a", "judge_b", *NUMBERS, "half_share", "half_share_reason", "n", "reason"]
    frame = pd.DataFrame(rows, columns=names)
    frame[[*NUMBERS, "half_share"]] = frame[[*NUMBERS, "half_share"]].astype(float)
    agree = frame["half_share"].isna() & (frame["n"] > 0)
    frame["half_share_reason"] = reasons(agree, "both agree throughout")
    return frame


def _numbers(measure: Measure, found: Interval) -> dict[str, object]:
    return {measure: found.mean, f"{measure}_lo": found.low, f"{measure}_hi": found.high}


def _why(agreement: Interval, kappa: Interval) -> str | None:
    reason = agreement.reason or kappa.reason
    return WORDS[reason] if reason else None


def _extremes(pairs: Pairs) -> dict[str, object]:
    found: dict[str, object] = {}
    # a single pair is both
    for word, place in [("lowest", place) for _, place in pairs.extremes()] + pairs.extremes():
        found |= {
            word: " and ".join(pairs.names[place]),
            f"{word}_kappa": pairs.values("kappa")[place],
            f"{word}_agreement": pairs.values("agreement")[place],
        }
    return found


def _said(condition: str, word: str, pairs: Pairs, place: int) -> str:
    a, b = pairs.names[place]
    half = pairs.half[place]
    touching = "they agree throughout" if np.isnan(half) else f"{half:.1f} % of the disagreements touch 0.5"
    return (
        f"{condition}, {word} pair, {a} and {b}: agreement {pairs.values('agreement')[place]:.1f} %, "
        f"kappa {pairs.values('kappa')[place]:.3f}; {touching}."
    )


def _places(names: pd.Series, inputs: Inputs) -> pd.Series:
    """Place of each condition, or of each judge, in the configuration."""
    known = inputs.conditions if names.name == "condition" else inputs.judges
    return names.map({name: place for place, name in enumerate(known)})
