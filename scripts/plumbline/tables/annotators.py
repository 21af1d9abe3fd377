"""Annotators against the program and against each other (A44)."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from plumbline.config import paths
from plumbline.records import METRICS, read_json_lines
from plumbline.records.model import TOPOLOGIES
from plumbline.statistics import Value, cohen_kappa
from plumbline.statistics.raters import krippendorff_alpha, pairwise_agreement
from plumbline.study.consensus import Study, together
from plumbline.study.items import StudyItem
from plumbline.study.reading import read_annotations
from plumbline.tables.inputs import Inputs
from plumbline.tables.result import Column, TableResult

UNSET = (
    "There are no annotations. `snakemake study` draws a sample and writes the sheets; set "
    "`human.annotations` to the files that annotators send back (docs/study.md)."
)
ALL = "majority"
"""Stands for all annotators together."""

COUNTS = {
    "scope": Column("By"),
    "name": Column("Name"),
    "agree": Column("Agree", digits=0),
    "disagree": Column("Disagree", digits=0),
    "total": Column("Scores", digits=0, help="Scores that were annotated, four a record."),
    "agreement_pct": Column("Agreement", "%", 1),
    "blank": Column("Blank", digits=0, help="Scores of the sheet without a mark."),
}
UNDEFINED = {
    "empty": "no score was annotated by two",
    "single_class": "all marks are the same, so chance agreement is 1",
    "single_rater": "there is one annotator",
    "more_than_two": "there are more than two annotators",
}


def study_of(inputs: Inputs) -> Study | None:
    """Read the files of all annotators; None if the run has none."""
    human = inputs.config.human
    if not human.files:
        return None
    sample = sample_of(inputs)
    known = set(inputs.plans["record_id"]) | set(sample or ())
    return together([read_annotations(file, known, sample) for file in human.files])


def sample_of(inputs: Inputs) -> dict[str, StudyItem] | None:
    """Read what annotators saw, by record; None if the sheets were made elsewhere."""
    human = inputs.config.human
    if human.sheet == "own" or inputs.root is None:
        return None
    items = read_json_lines(paths.study_sample(inputs.config.run, inputs.root), StudyItem)
    return {item.id: item for item in items}


def notes_of(study: Study, inputs: Inputs) -> list[str]:
    """Say what was read, and what became of ties."""
    told = list(study.notes)
    if len(study.annotators) > 1:
        becomes = {"agree": "agreement", "disagree": "disagreement", "left_out": "no mark"}
        ties = inputs.config.human.ties
        told.append(
            f"Of several annotators the majority counts; {int(study.tied.sum()):,} scores are ties and "
            f"become {becomes[ties]} (human.ties: {ties})."
        )
    return told


def agreement_table(inputs: Inputs) -> TableResult:
    """Count how often annotators, or their majority, agree with the program (A44).

    Returns
    -------
    TableResult
        `scope` (metric, overall or topology), `name`, `agree`, `disagree`, `total`, `agreement_pct`,
        `blank` (not annotated).
    """
    study = study_of(inputs)
    if study is None:
        return TableResult(pd.DataFrame(columns=list(COUNTS)), COUNTS, (UNSET,))
    frame = _counted(study, study.consensus(inputs.config.human.ties))
    return TableResult(frame, COUNTS, tuple(notes_of(study, inputs)))


def annotators_table(inputs: Inputs) -> TableResult:
    """Count how often each annotator agrees with the program, and the majority if there are several (A44).

    Returns
    -------
    TableResult
        The columns of `agreement_table` with `annotator` before.
    """
    columns = {"annotator": Column("Annotator"), **COUNTS}
    study = study_of(inputs)
    if study is None:
        return TableResult(pd.DataFrame(columns=list(columns)), columns, (UNSET,))
    voices = dict(zip(study.annotators, study.marks, strict=True))
    if len(voices) > 1:
        voices[ALL] = study.consensus(inputs.config.human.ties)
    parts = [_counted(study, marks).assign(annotator=name) for name, marks in voices.items()]
    frame = pd.concat(parts, ignore_index=True) if parts else pd.DataFrame(columns=list(columns))
    frame = frame[[*columns, *(name for name in frame if name not in columns)]]
    return TableResult(frame, columns, tuple(notes_of(study, inputs)))


def between_table(inputs: Inputs) -> TableResult:
    """Tell how far annotators agree with each other (A44).

    Returns
    -------
    TableResult
        `scope`, `name`, `scores` (marked by two or more), `agreement_pct` (equal marks among pairs of
        annotators), `kappa` (Cohen, for two annotators), `alpha` (Krippendorff, any number), each null with a
        reason where it is undefined.
    """
    columns = {
        "scope": Column("By"),
        "name": Column("Name"),
        "annotators": Column("Annotators", digits=0),
        "scores": Column("Scores", digits=0, help="Scores that two or more annotators marked."),
        "agreement_pct": Column("Agreement", "%", 1, "Equal marks among all pairs of annotators."),
        "kappa": Column("Cohen's κ", digits=2, help="For two annotators: 0 is chance, 1 is always equal."),
        "alpha": Column("Krippendorff's α", digits=2, help="For any number: 0 is chance, 1 is always equal."),
    }
    study = study_of(inputs)
    if study is None:
        return TableResult(pd.DataFrame(columns=list(columns)), columns, (UNSET,))
    rows = []
    for scope, name, chosen in _groups(study):
        marks = study.marks[:, chosen]
        share, kappa, alpha = _between(marks)
        rows.append(
            {
                "scope": scope,
                "name": name,
                "annotators": len(marks),
                "scores": int(((~np.isnan(marks)).sum(axis=0) > 1).sum()),
                "agreement_pct": None if share.value is None else 100 * share.value,
                "kappa": kappa.value,
                "alpha": alpha.value,
                "agreement_pct_reason": UNDEFINED.get(share.reason or ""),
                "kappa_reason": UNDEFINED.get(kappa.reason or ""),
                "alpha_reason": UNDEFINED.get(alpha.reason or ""),
            }
        )
    frame = pd.DataFrame(rows)
    frame[["agreement_pct", "kappa", "alpha"]] = frame[["agreement_pct", "kappa", "alpha"]].astype(float)
    return TableResult(frame, columns, tuple(notes_of(study, inputs)))


def disagreements_table(inputs: Inputs) -> TableResult:
    """List every score that an annotator disagrees with, and the reason (A44).

    Returns
    -------
    TableResult
        `record_id`, `topology`, `metric`, `score`, `annotator`, `reason_given`, `others`.
    """
    columns = {
        "record_id": Column("Record"),
        "topology": Column("Topology"),
        "metric": Column("Metric"),
        "score": Column("Score", digits=2, help="The program's."),
        "annotator": Column("Annotator"),
        "reason_given": Column("Reason"),
        "others": Column("Others agree", digits=0, help="Annotators who agree with this score."),
    }
    study = study_of(inputs)
    if study is None:
        return TableResult(pd.DataFrame(columns=list(columns)), columns, (UNSET,))
    agree = (study.marks == 1).sum(axis=0)
    rows = [
        (
            *study.records.loc[record, ["record_id", "topology"]],
            METRICS[metric],
            study.records.loc[record, f"prog_{METRICS[metric]}"],
            study.annotators[voice],
            study.reasons[voice, record, metric] or None,
            agree[record, metric],
        )
        for record, metric, voice in np.argwhere((study.marks == 0).transpose(1, 2, 0))
    ]
    frame = pd.DataFrame(rows, columns=list(columns))
    frame["reason_given_reason"] = frame["reason_given"].isna().map({True: "none was given", False: None})
    return TableResult(frame, columns, tuple(notes_of(study, inputs)))


def _groups(study: Study) -> Iterator[tuple[str, str, NDArray[np.bool_]]]:
    """Give the scores of each metric, of all, and of each topology, as a mask (records, 4)."""
    shapes = study.records["topology"].to_numpy(str)
    size = (len(shapes), len(METRICS))
    for place, metric in enumerate(METRICS):
        yield "metric", metric, np.broadcast_to(np.arange(len(METRICS)) == place, size)
    yield "overall", "all", np.ones(size, dtype=bool)
    others = [shape for shape in dict.fromkeys(shapes) if shape not in TOPOLOGIES]
    for shape in (*TOPOLOGIES, *others):
        yield "topology", shape, np.broadcast_to((shapes == shape)[:, None], size)


def _counted(study: Study, marks: NDArray[np.float64]) -> pd.DataFrame:
    rows = []
    for scope, name, chosen in _groups(study):
        some = marks[chosen]
        agree, disagree = int((some == 1).sum()), int((some == 0).sum())
        rows.append((scope, name, agree, disagree, agree + disagree, some.size - agree - disagree))
    frame = pd.DataFrame(rows, columns=["scope", "name", "agree", "disagree", "total", "blank"])
    share = (100 * frame["agree"] / frame["total"]).where(frame["total"] > 0)
    reason = share.isna().map({True: "none annotated", False: None})
    return frame.assign(agreement_pct=share, agreement_pct_reason=reason)[[*COUNTS, "agreement_pct_reason"]]


def _between(marks: NDArray[np.float64]) -> tuple[Value, Value, Value]:
    """Give percent agreement, Cohen's kappa and Krippendorff's alpha of marks (annotators, scores)."""
    if len(marks) < 2:
        alone = Value(None, "single_rater")
        return alone, alone, alone
    kappa = Value(None, "more_than_two")
    if len(marks) == 2:
        both = ~np.isnan(marks).any(axis=0)
        kappa = cohen_kappa(marks[0, both], marks[1, both])
    return pairwise_agreement(marks), kappa, krippendorff_alpha(marks)
