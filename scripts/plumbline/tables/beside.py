"""Putting the paper's figures beside ours, where the cell is the same experiment."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
import pandas as pd

from plumbline.config.settings import RunConfig
from plumbline.records import TIERS
from plumbline.tables.experiment import COMPARED, HELP, Experiment, Same, chosen_pool
from plumbline.tables.paper_readings import other_readings
from plumbline.tables.published import GENERATORS, JUDGES, Beside, published_rows
from plumbline.tables.published_map import BESIDE, ELSEWHERE
from plumbline.tables.result import REASON, Column, TableResult

SAME = "same_experiment"
"""Column that says whether a row's published figures are of the same experiment."""


NO_FIGURE = "the paper has no figure here"
NO_VALUE = "this run has no value here"
OTHER_JUDGE = "another judge than the paper's"


@dataclass(frozen=True)
class Pair:
    """A cell of a table of ours and the published row that belongs to it.

    Parameters
    ----------
    row, column
        The cell.
    printed, theirs
        The paper's figure, and its whole row.
    same, compared
        Whether it is the same experiment, and whether the figure may stand beside ours.
    leader, led
        Whose number it is in the paper, and in ours, where that is itself found out.
    """

    row: int
    column: str
    printed: str
    theirs: dict[str, str]
    same: Same
    compared: bool
    leader: str | None = None
    led: str | None = None

    @property
    def one_leader(self) -> bool:
        """Whether both numbers are of one judge; of several that lead together the paper's is among them."""
        return self.leader is None or self.leader in (self.led or "").split(", ")


class Described(Protocol):
    """What must be known of a run to compare it with the paper."""

    @property
    def config(self) -> RunConfig:
        """The run."""

    @property
    def plans(self) -> pd.DataFrame:
        """Scored plans, as `collect_plans` gives them, or the sources of its records in that form."""

    @property
    def block(self) -> str | None:
        """The block that the table is of; None for a table of the corpus."""


def with_published(result: TableResult, table: str, inputs: Described) -> TableResult:
    """Add what the paper prints, and the difference, to a table of ours.

    Parameters
    ----------
    result
        The table as its builder gave it.
    table
        Its name; a table without published figures stays as it is.
    inputs
        What it was built from.

    Returns
    -------
    TableResult
        After each compared column `X` the columns `X.paper` and `X.difference` (ours minus theirs), and
        `same_experiment` at the end. Where nothing is the same experiment there is a note instead. Where the
        best judge is another one than the paper's, that is named and there is no difference.
    """
    entries = [entry for entry in BESIDE if entry.table == table]
    if not entries and table not in ELSEWHERE:
        return result
    experiment = Experiment.of(inputs.config, inputs.plans, inputs.block)
    if table in ELSEWHERE:
        return _noted(result, _elsewhere(experiment, *ELSEWHERE[table]))
    files = sorted({f"{entry.file}.csv" for entry in entries})
    if experiment.other_corpus:
        return _noted(result, other_corpus(experiment, files))
    of_entries = [
        (entry, pair) for entry in entries for pair in pairs(entry, result.frame, inputs.config, experiment)
    ]
    found = [pair for _, pair in of_entries]
    compared = [pair for pair in found if pair.compared]
    if not compared:
        return _noted(result, _nothing(found, files))
    frame, columns = result.frame.copy(), dict(result.columns)
    for column in dict.fromkeys(pair.column for pair in compared):
        of_column = {pair.row: pair for pair in compared if pair.column == column}
        _insert(frame, columns, column, of_column)
    for name in dict.fromkeys(entry.leader[0] for entry in entries if entry.leader is not None):
        wanted = {entry.ours for entry in entries if entry.leader is not None and entry.leader[0] == name}
        leaders = {pair.row: pair.leader for pair in compared if pair.column in wanted}
        if leaders:
            _insert_leaders(frame, columns, name, leaders)
    words = {pair.row: pair.same for pair in found}
    frame[SAME] = [words.get(row, "no figure") for row in range(len(frame))]
    columns[SAME] = Column("Same experiment", help=HELP)
    conflicts = [
        entry.conflict
        for entry, pair in of_entries
        if pair.compared and entry.conflict and entry.conflict_at in ("", *pair.theirs.values())
    ]
    notes = (*result.notes, _counted(list(frame[SAME]), files), *dict.fromkeys(conflicts))
    return TableResult(frame, columns, notes, result.bold)


def other_corpus(experiment: Experiment, files: Sequence[str]) -> str:
    """Say that the paper's figures are for another corpus."""
    return (
        f"The paper's figures ({', '.join(files)} in resources/published) are for another corpus, the 3,808 "
        f"records of AgentJudgeBench; the records here are {experiment.told}. They are not shown here."
    )


def pairs(entry: Beside, frame: pd.DataFrame, config: RunConfig, experiment: Experiment) -> Iterator[Pair]:
    """Find the published row of every cell of a table that has one.

    Parameters
    ----------
    entry
        Which columns belong together.
    frame
        The table of ours, or what its CSV holds.
    config, experiment
        The run.
    """
    index = _published_rows(entry)
    chosen = pd.Series(True, index=range(len(frame)))
    for name, value in entry.where.items():
        if name not in frame:
            return
        chosen &= frame[name].astype(str).to_numpy() == value
    columns = {str(column): said for column in frame if (said := entry.fields(str(column))) is not None}
    for column, said in columns.items():
        names = [name for name in entry.keys if name not in said]
        if any(name not in frame for name in names):
            continue
        texts = {name: frame[name].astype(str).tolist() for name in names}
        for row in range(len(frame)):  # a frame without columns has rows to iterate over in pandas 3 alone
            if not chosen[row]:
                continue
            values = (texts[name][row] for name in names)
            ours = said | dict(zip(names, values, strict=True))
            key = {theirs: entry.names.get(ours[name], ours[name]) for name, theirs in entry.keys.items()}
            theirs = index.get(tuple(key.values()))
            if theirs is not None:
                same = same_experiment(entry, key, config, experiment)
                if same == "yes" and not _as_many(entry, theirs, frame, row):
                    same = "other count"
                # a number of records or plans says nothing about another number of records
                compared = same in COMPARED and not (entry.counts == "records" and same == "other count")
                printed = theirs[entry.theirs]
                if entry.sign < 0:
                    printed = printed[1:] if printed.startswith("-") else f"-{printed}"
                whose: tuple[str, str] | tuple[None, None] = (None, None)
                if entry.leader is not None:
                    ours_by, theirs_by = entry.leader
                    whose = (theirs.get(theirs_by, theirs_by), str(frame[ours_by].iloc[row]))
                yield Pair(row, column, printed, theirs, same, compared, *whose)


def same_experiment(entry: Beside, key: dict[str, str], config: RunConfig, experiment: Experiment) -> Same:
    """Say whether a cell of ours is the same experiment as the published row with this key."""
    known = {**key, **entry.only}
    about = (*known.items(), *entry.where.items())
    named = {value for name, value in about if name.startswith("judge") and value in JUDGES}
    generators = frozenset({known.get("generator", "")} & set(GENERATORS)) | set(entry.generators)
    pooled = "all" if known.get("generator") == "all" else entry.pooled
    if pooled is not None:
        generators = experiment.pooled(chosen_pool(config, entry.pools))
    tiers = [known["tier"]] if known.get("tier") in TIERS else list(entry.tiers or TIERS)
    if entry.meta_judges and set(entry.meta_judges) != set(experiment.meta_judges):
        return "other corpus" if experiment.other_corpus else "other model"
    meta_judges = {*entry.meta_judges, *(value for name, value in known.items() if name == "meta_judge")}
    return experiment.same(
        named,
        generators,
        tiers,
        pooled,
        entry.counts,
        meta_judges=meta_judges,
        panel=entry.judges if entry.judges_of is None or entry.judges_of in key.values() else (),
        seats=entry.seats,
        readings=other_readings(config, entry.table),
    )


def _as_many(entry: Beside, theirs: dict[str, str], frame: pd.DataFrame, row: int) -> bool:
    """Whether a number rests on as many as the paper's, where a column of ours counts them."""
    if entry.size is None:
        return True
    column, *allowed = entry.size
    return int(frame[column].iloc[row]) in {int(theirs.get(text, text)) for text in allowed}


def _published_rows(entry: Beside) -> dict[tuple[str, ...], dict[str, str]]:
    index: dict[tuple[str, ...], dict[str, str]] = {}
    for row in published_rows(entry.file, **entry.only):
        if row[entry.theirs] != "":
            # a figure that the paper prints stands before the one derived from its cells
            key = tuple(row[name] for name in entry.keys.values())
            index.setdefault(key, row)
            other = {name: row[partner] for a, b in entry.either for name, partner in ((a, b), (b, a))}
            index.setdefault(tuple(other.get(name, row[name]) for name in entry.keys.values()), row)
    return index


def _insert(frame: pd.DataFrame, columns: dict[str, Column], column: str, pairs: dict[int, Pair]) -> None:
    """Put the paper's figure and the difference after a column, by row."""
    printed = {row: pair.printed for row, pair in pairs.items()}
    apart = [row in pairs and not pairs[row].one_leader for row in range(len(frame))]
    paper = pd.Series([float(printed.get(row, "nan")) for row in range(len(frame))], index=frame.index)
    place = list(frame.columns).index(column) + 1
    frame.insert(place, f"{column}.paper", paper)
    difference = (frame[column].astype(float) - paper).mask(np.array(apart, dtype=bool))
    frame.insert(place + 1, f"{column}.difference", difference)
    missing = [None if row in printed else NO_FIGURE for row in range(len(frame))]
    if paper.isna().any():
        frame[f"{column}.paper_{REASON}"] = missing
    if frame[f"{column}.difference"].isna().any():
        ours = [NO_VALUE if gone else None for gone in frame[column].isna()]
        others = [OTHER_JUDGE if flag else None for flag in apart]
        reasons = zip(missing, ours, others, strict=True)
        frame[f"{column}.difference_{REASON}"] = [
            first or second or third for first, second, third in reasons
        ]
    head = columns.get(column, Column(column))
    digits = max(len(text.partition(".")[2]) for text in printed.values())
    unit = "pp" if head.unit == "%" else head.unit
    columns[f"{column}.paper"] = Column(f"{head.label}, paper", head.unit, digits, "As the paper prints it.")
    columns[f"{column}.difference"] = Column(
        f"{head.label}, difference", unit, max(digits, head.digits or 0), "Ours minus the paper's."
    )


def _insert_leaders(
    frame: pd.DataFrame, columns: dict[str, Column], name: str, leaders: dict[int, str | None]
) -> None:
    """Put whom the paper names after a column that names our judge."""
    named = [leaders.get(row) for row in range(len(frame))]
    frame.insert(list(frame.columns).index(name) + 1, f"{name}.paper", pd.Series(named, dtype=object))
    if None in named:
        frame[f"{name}.paper_{REASON}"] = [NO_FIGURE if who is None else None for who in named]
    label = columns[name].label if name in columns else name
    columns[f"{name}.paper"] = Column(f"{label}, paper", help="The judge that the paper's figure is of.")


def _nothing(found: list[Pair], files: Sequence[str]) -> str:
    """Say why no figure of the paper is shown."""
    reasons = sorted({pair.same for pair in found})
    why = f"not the same experiment ({', '.join(reasons)})" if reasons else "not for any row of this table"
    return (
        f"The paper's figures ({', '.join(files)} in resources/published) are {why}; they are not shown here."
    )


def _counted(words: list[str], files: Sequence[str]) -> str:
    told = ", ".join(f"{word} {count}" for word, count in Counter(words).most_common())
    named = ", ".join(files)
    return f"The paper's figures are those of {named} in resources/published. Same experiment: {told}."


def _elsewhere(experiment: Experiment, table: str, file: str) -> str:
    if experiment.other_corpus:
        return other_corpus(experiment, [f"{file}.csv"])
    return f"The paper's figures stand beside these, cell by cell, in the table {table}."


def _noted(result: TableResult, note: str) -> TableResult:
    return TableResult(result.frame, result.columns, (*result.notes, note), result.bold)
