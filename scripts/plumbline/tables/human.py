"""Judges against people: how they rank when people correct the program's scores (A45)."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd
from scipy.stats import rankdata

from plumbline.statistics import Interval, matches, spearman
from plumbline.statistics.human import human_corrected
from plumbline.study.consensus import Study
from plumbline.study.files import AGREES, PROGRAM
from plumbline.study.reading import PRINTED
from plumbline.tables.alignment import NAMES
from plumbline.tables.annotators import UNSET, notes_of, sample_of, study_of
from plumbline.tables.grid import REASONS, grid
from plumbline.tables.inputs import REFERENCES, VERDICTS, Inputs
from plumbline.tables.notes import interval_notes, verdict_notes
from plumbline.tables.result import Column, TableResult

JURY = "jury"
MEAN = "mean of judges"

NOTHING = Interval(None, None, None, "empty")
DIFFERENCE = ["human_minus_programmatic", "lo", "hi"]
NUMBERS = ["vs_programmatic", "vs_human", *DIFFERENCE, "rank_programmatic", "rank_human", "spearman"]
ALIGNMENT_COLUMNS = {
    "condition": NAMES["condition"],
    "judge": NAMES["judge"],
    "vs_programmatic": Column("With the program", "%", 1, "Alignment with the program's scores."),
    "vs_human": Column("With people", "%", 1, "Alignment with the scores as people correct them."),
    "human_minus_programmatic": Column("People − program", "pp", 2),
    "lo": Column("From", "pp", 2, "Lower bound of the difference."),
    "hi": Column("To", "pp", 2, "Upper bound of the difference."),
    "rank_programmatic": Column("Rank, program", help="1 is the best judge; ties share the mean rank."),
    "rank_human": Column("Rank, people", help="1 is the best judge; ties share the mean rank."),
    "spearman": Column("Spearman", digits=2, help="Of the two rankings, over all judges."),
    "n": Column("N", digits=0, help="Annotated plans with an ok verdict."),
}


def alignment_table(inputs: Inputs) -> TableResult:
    """Alignment of judges with the program and with people, on the annotated plans (A45).

    Returns
    -------
    TableResult
        One row per condition and judge, one for the jury (mean of the judges' scores) and one for the mean of
        the judges: `vs_programmatic`, `vs_human` (percent), `human_minus_programmatic`, `lo`, `hi` (points),
        `rank_programmatic`, `rank_human`, `spearman` (of the two rankings, in the row of the mean), `n`,
        `reason`.
    """
    study = study_of(inputs)
    if study is None:
        frame = pd.DataFrame(columns=[*ALIGNMENT_COLUMNS, "reason"])
        return TableResult(frame, ALIGNMENT_COLUMNS, (UNSET,))
    chosen, notes = _annotated_plans(inputs, study)
    part = _restricted(inputs, chosen)
    rows = _matched(part, chosen)
    frame = pd.concat([_of_condition(part, rows, name) for name in inputs.conditions], ignore_index=True)
    reasons = [name for name in frame if name not in ALIGNMENT_COLUMNS]
    frame = frame[[*ALIGNMENT_COLUMNS, *reasons]]
    notes = [*notes_of(study, inputs), *notes, *verdict_notes(part), *interval_notes(part)]
    return TableResult(frame, ALIGNMENT_COLUMNS, tuple(notes))


def _annotated_plans(inputs: Inputs, study: Study) -> tuple[pd.DataFrame, list[str]]:
    """Find the plan of each record whose four scores people marked.

    It is the plan that annotators saw or, of a sheet that was made elsewhere, that of the first generator
    whose scores are the sheet's.
    """
    settings = inputs.config.human
    order = settings.generators or inputs.generators
    marks = pd.DataFrame(study.consensus(settings.ties), columns=AGREES)
    sheet = pd.concat([study.records.drop(columns="topology"), marks], axis=1)
    complete = sheet[AGREES].notna().all(axis=1)
    plans = inputs.usable_plans
    plans = plans[(plans["tier"] == settings.tier) & plans["generator"].isin(order)]
    found = plans.merge(sheet[complete], on="record_id")
    sample = sample_of(inputs)
    if sample is not None:
        seen = found["record_id"].map({name: item.generator for name, item in sample.items()})
        found = found[found["generator"] == seen]
    apart = np.abs(found[REFERENCES].to_numpy(float) - found[PROGRAM].to_numpy(float))
    found = found[(apart <= PRINTED + 1e-9).all(axis=1)]
    rank = found["generator"].map({name: place for place, name in enumerate(order)})
    found = found.assign(rank=rank).sort_values(["record_id", "rank"]).drop_duplicates("record_id")
    shares = ", ".join(f"{name} {count:,}" for name, count in found["generator"].value_counts().items())
    notes = [f"Annotated plans, tier {settings.tier}: {shares or 'none'}."]
    where = f"no plan of {', '.join(order)} on tier {settings.tier} has the sheet's scores"
    lost = [name for name in sheet.loc[complete, "record_id"] if name not in set(found["record_id"])]
    for names, why in (
        (lost, where),
        (list(sheet.loc[~complete, "record_id"]), "a score has no mark, or is a tie that is left out"),
    ):
        if names:
            named = ", ".join(names[:5]) + (", ..." if len(names) > 5 else "")
            notes.append(f"Left out, because {why}: {len(names):,} records ({named}).")
    return found, notes


def _restricted(inputs: Inputs, chosen: pd.DataFrame) -> Inputs:
    """Give the block as if it had only the annotated plans, so that records are drawn from these alone."""
    key = ["record_id", "tier", "generator"]
    wanted = pd.MultiIndex.from_frame(chosen[key])
    frames = [
        frame[pd.MultiIndex.from_frame(frame[key]).isin(wanted)] for frame in (inputs.verdicts, inputs.plans)
    ]
    return replace(inputs, verdicts=frames[0], plans=frames[1])


def _matched(part: Inputs, chosen: pd.DataFrame) -> pd.DataFrame:
    """Match each judge, and the jury, with the program (`match`) and with people (`human`)."""
    flip = part.config.human.flip_at_half
    corrected = human_corrected(chosen[REFERENCES], chosen[AGREES], flip)
    scores = chosen[["record_id"]].assign(**dict(zip(REFERENCES, corrected.T, strict=True)))
    verdicts = part.verdicts.drop(columns=REFERENCES).merge(scores, on="record_id", how="left")
    by_people = replace(part, verdicts=verdicts).matched
    names = ["record_id", "judge", "condition", "match"]
    rows = part.matched[names].merge(
        by_people[names].rename(columns={"match": "human"}), on=names[:3], validate="one_to_one"
    )
    jury = _jury(part)
    if len(jury):
        truth = chosen.set_index("record_id").loc[jury["record_id"], REFERENCES].to_numpy(float)
        people = scores.set_index("record_id").loc[jury["record_id"]].to_numpy(float)
        means = jury[VERDICTS].to_numpy(float)
        jury = jury.assign(
            judge=JURY,
            match=100 * matches(truth, means).mean(axis=1),
            human=100 * matches(people, means).mean(axis=1),
        )
        rows = pd.concat([rows, jury[[*names, "human"]]], ignore_index=True)
    return rows.assign(difference=rows["human"] - rows["match"])


def _jury(part: Inputs) -> pd.DataFrame:
    """Mean scores of the jury by record and condition: the plans that every member judged (C-A18)."""
    settings = part.config.jury
    members = [name for name in part.panel if settings.members == "all" or name in settings.members]
    rows = part.ok_verdicts
    rows = rows[rows["judge"].isin(members)]
    of_judge = rows.groupby(["record_id", "condition", "judge"], as_index=False)[VERDICTS].mean()
    groups = of_judge.dropna(subset=VERDICTS).groupby(["record_id", "condition"])
    found = groups[VERDICTS].mean()[groups.size() >= (len(members) if settings.require_all else 1)]
    return found.reset_index() if len(members) > 1 else found.iloc[:0].reset_index()


def _of_condition(part: Inputs, rows: pd.DataFrame, condition: str) -> pd.DataFrame:
    """Give the lines of one condition: judges, jury, mean of the judges."""
    judges = [*part.judges, *([JURY] if len(part.panel) > 1 else [])]
    keys = {"condition": [condition], "judge": judges}
    cells = {name: grid(part, rows, keys, value=name) for name in ("match", "human", "difference")}
    lines = pd.DataFrame({"condition": condition, "judge": judges})
    lines["vs_programmatic"], lines["vs_human"] = cells["match"].means, cells["human"].means
    lines["n"] = cells["match"].counts
    found = cells["difference"].intervals()
    ranked = (lines["judge"].isin(part.panel) & lines["vs_programmatic"].notna()).to_numpy()
    last = {"condition": condition, "judge": MEAN, "n": int(lines.loc[ranked, "n"].sum())}
    for name in ("programmatic", "human"):
        values = lines.loc[ranked, f"vs_{name}"]
        # equal up to rounding errors is a tie
        lines.loc[ranked, f"rank_{name}"] = rankdata(-values.round(9))
        last[f"vs_{name}"] = values.mean()
    weights = ranked / max(ranked.sum(), 1)
    found.append(cells["difference"].combined(weights) if ranked.any() else NOTHING)
    lines = pd.concat([lines, pd.DataFrame([last])], ignore_index=True)
    lines[DIFFERENCE] = [(interval.mean, interval.low, interval.high) for interval in found]
    lines["reason"] = [REASONS.get(interval.reason or "") for interval in found]
    _add_rank_correlation(lines, np.append(ranked, False))
    lines[NUMBERS] = lines[NUMBERS].astype(float)
    return lines


def _add_rank_correlation(lines: pd.DataFrame, ranked: np.ndarray) -> None:
    """Put the correlation of the two rankings into the last line, and say why the others have none."""
    by_program, by_people = (lines.loc[ranked, f"vs_{name}"].round(9) for name in ("programmatic", "human"))
    rho = spearman(by_program, by_people)
    words = {"constant": "all judges come out the same", "empty": REASONS["empty"]}
    others = len(lines) - 1
    lines["spearman"] = [None] * others + [rho.value]
    lines["spearman_reason"] = ["stands in the row of the mean"] * others + [words.get(rho.reason or "")]
    for name in ("rank_programmatic", "rank_human"):
        lines[f"{name}_reason"] = [None if flag else "not among the ranked judges" for flag in ranked]
