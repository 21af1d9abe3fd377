"""What a simulated judge's verdicts are drawn from: the scores, and how often they are right in a cell."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from pathlib import Path
from random import Random

from plumbline.config.cells import Cell
from plumbline.config.models import Simulation
from plumbline.models.simulated import MARKS, farthest_mark, nearest_mark
from plumbline.records import DataError, UserError

Scores = Mapping[str, float]


def target_of(cell: Cell, simulation: Simulation) -> float | None:
    """Alignment in percent that a cell is to have; None if the model has no target for it."""
    if simulation.targets is None:
        return None
    return read_targets(simulation.targets.file).get(cell)


@cache
def read_targets(file: str) -> Mapping[Cell, float]:
    """Read a file of targets: `generator`, `judge`, `tier`, `condition`, `alignment_pct`.

    Raises
    ------
    DataError
        If the file or a column is missing, or a number is not in 0 to 100.
    """
    path = Path(file)
    if not path.is_file():
        raise DataError("is not there; simulation.targets.file names a CSV file.", path)
    targets = {}
    with path.open(encoding="utf-8", newline="") as stream:
        for number, row in enumerate(csv.DictReader(stream), start=2):
            try:
                cell = Cell(row["judge"], row["generator"], row["tier"], row["condition"])  # type: ignore[arg-type]
                value = float(row["alignment_pct"])
            except (KeyError, TypeError, ValueError) as error:
                raise DataError(
                    "needs generator, judge, tier, condition and a number in alignment_pct "
                    f"({type(error).__name__}: {error}).",
                    path,
                    number,
                ) from None
            if not 0 <= value <= 100:
                raise DataError(f"alignment_pct is {value:g}; it is a percentage.", path, number)
            targets[cell] = value
    return targets


def resampled(references: Sequence[Scores], seed: int, cell: Cell) -> list[Scores]:
    """Draw as many references as there are, with replacement; the same for the same seed and cell.

    A target is the alignment over all records that there could be, of which a run has one draw. An agreement
    that was solved on just these records would leave that chance out, and intervals, which allow for it,
    would hold their target too often.
    """
    random = Random(repr((seed, cell)))  # noqa: S311 -- a simulation, no secret
    return random.choices(references, k=len(references)) if references else []


def agreement_for(target: float, references: Iterable[Scores], cell: Cell) -> float:
    """Probability of the nearest mark at which a cell's expected alignment is the target.

    Parameters
    ----------
    target
        Percent.
    references
        Programmatic scores of the plans of the cell that are judged.
    cell
        For the message.

    Returns
    -------
    float
        In [0, 1]. The expected match is a mixture of those of the nearest and of the farthest marks, so it is
        linear in this probability and solved without a search; 1 for a cell without plans.

    Raises
    ------
    UserError
        If no mixture reaches the target; says what can be reached.
    """
    scores = [score for reference in references for score in reference.values()]
    if not scores:
        return 1.0
    near = sum(1 - abs(score - MARKS[nearest_mark(score)]) for score in scores) / len(scores)
    far = sum(1 - abs(score - MARKS[farthest_mark(score)]) for score in scores) / len(scores)
    wanted = target / 100
    if not far <= wanted <= near:
        raise UserError(
            f"{cell.judge} on {cell.generator}, {cell.tier}, {cell.condition}: an alignment of {target:g} % "
            f"cannot be simulated; with these plans, marks of 0, 0.5 and 1 reach {100 * far:.1f} to "
            f"{100 * near:.1f} %. Change the target, or the generator's simulation.quality."
        )
    return (wanted - far) / (near - far)
