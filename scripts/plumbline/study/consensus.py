"""What annotators say together: the majority of their marks, score by score."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from plumbline.records import METRICS
from plumbline.study.files import AGREES, PROGRAM
from plumbline.study.reading import PRINTED, Annotations

TIES = {"agree": 1.0, "disagree": 0.0, "left_out": np.nan}
"""The mark that a tie becomes."""


@dataclass(frozen=True)
class Study:
    """The marks of all annotators.

    Parameters
    ----------
    annotators
        Their names, in the order of their files.
    records
        `record_id`, `topology`, `prog_<metric>` of every record that has a line in some file.
    marks
        Of each annotator, record and metric: 1 agrees, 0 disagrees, NaN if not annotated; (annotators,
        records, 4).
    reasons
        Text of the same shape.
    notes
        What was read, what is wrong with the files.
    """

    annotators: list[str]
    records: pd.DataFrame
    marks: NDArray[np.float64]
    reasons: NDArray[np.object_]
    notes: tuple[str, ...]

    @property
    def tied(self) -> NDArray[np.bool_]:
        """Where as many annotators agree as disagree, (records, 4)."""
        agree, disagree = (self.marks == 1).sum(axis=0), (self.marks == 0).sum(axis=0)
        return np.asarray((agree == disagree) & (agree > 0))

    def consensus(self, ties: Literal["agree", "disagree", "left_out"]) -> NDArray[np.float64]:
        """Give the majority of the marks, (records, 4): 1, 0, or NaN where there is none."""
        agree, disagree = (self.marks == 1).sum(axis=0), (self.marks == 0).sum(axis=0)
        majority = np.where(agree > disagree, 1.0, np.where(agree < disagree, 0.0, np.nan))
        return np.where(self.tied, TIES[ties], majority)


def together(files: Sequence[Annotations]) -> Study:
    """Put the files of all annotators together.

    A second file of the same annotator is left out and told, and so is a line whose scores are others than
    those that an earlier annotator saw: it is about another plan.
    """
    kept: list[Annotations] = []
    notes: list[str] = []
    for file in files:
        same = next((other for other in kept if other.annotator == file.annotator), None)
        if same is None:
            kept.append(file)
            notes += file.notes
        else:
            notes.append(
                f"{file.path}: is left out, because `{file.annotator}` is the annotator of {same.path} "
                "already; give one file of each, under different names."
            )
    frames = [file.frame.set_index("record_id") for file in kept]
    lines = pd.concat(frames) if frames else pd.DataFrame(columns=["topology", *PROGRAM, *AGREES])
    records = lines[~lines.index.duplicated()][["topology", *PROGRAM]]
    shape = (len(kept), len(records), len(METRICS))
    marks, reasons = np.full(shape, np.nan), np.full(shape, "", dtype=object)
    for place, (file, frame) in enumerate(zip(kept, frames, strict=True)):
        seen = records.loc[frame.index, PROGRAM].to_numpy(float)
        apart = (np.abs(frame[PROGRAM].to_numpy(float) - seen) > 2 * PRINTED + 1e-9).any(axis=1)
        if apart.any():
            named = ", ".join(frame.index[apart][:5])
            notes.append(f"{file.path}: other scores were annotated than in the files before it: {named}.")
        rows = records.index.get_indexer(frame.index[~apart])
        marks[place, rows] = frame.loc[~apart, AGREES].to_numpy(float)
        reasons[place, rows] = frame.loc[~apart, [f"reason_{metric}" for metric in METRICS]].to_numpy(object)
    names = [file.annotator for file in kept]
    return Study(names, records.rename_axis("record_id").reset_index(), marks, reasons, tuple(notes))
