"""The figures that the AgentJudgeBench paper prints, and which columns of our tables they belong to."""

from __future__ import annotations

import functools
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    import pandas as pd

FOLDER = Path("resources/published")
"""CSV files of published figures; their README says where each comes from."""

OPEN_WEIGHT = ("llama_3_3_70b", "llama_3_1_8b", "qwen3_32b", "smollm3_3b")
GENERATORS = (*OPEN_WEIGHT, "gpt_5_4")
SIX_JUDGES = ("gpt_5_4", "claude_sonnet_4_5", "gemini_2_5_pro", "qwq_32b", "gpt_oss_20b", "gpt_oss_120b")
JUDGES = (*SIX_JUDGES, "prometheus_2", "qwen3_32b")
"""Generators and judges of the paper, by their slugs in these files."""


@functools.cache
def published(name: str, folder: Path = FOLDER) -> pd.DataFrame:
    """Read a file of published figures; every field is text, as printed, and empty if not given.

    Parameters
    ----------
    name
        The file's name without its ending.
    folder
        Where the files are, from the project's root.
    """
    import pandas as pd

    return pd.read_csv(folder / f"{name}.csv", dtype=str, keep_default_na=False)


@dataclass(frozen=True)
class Beside:
    """A column of one of our tables, and the published column that belongs beside it.

    Parameters
    ----------
    table
        Name of our table.
    ours
        Its column, or a pattern with fields such as ``{tier}.{condition}`` for a table that is spread out.
    file, theirs
        Published file and its column.
    keys
        Column of theirs by column, or field of the pattern, of ours.
    only
        Rows of theirs: a value by column.
    where
        Rows of ours: a value by column.
    pooled
        Which generators the paper pools, where the number is not about a single one.
    pools
        Which ones our table pools, or the setting that says so, as a dotted path; empty for all.
    judges, seats
        Judges that the number is a mean or a ranking of, all that the block has in these seats.
    judges_of
        The one key that is about them together; None if every row is.
    generators, tiers
        What the number is about besides its keys, where it is neither about single ones nor pooled.
    meta_judges
        Meta-judges that the number is about together, besides one in the keys.
    names
        What a key's value is called there, where it is called otherwise here.
    counts
        What must be equal in number for the same experiment: the plans that are judged, or the records.
    either
        Pairs of their columns that may change places together, for instance two judges.
    size
        A column of ours that counts what the number rests on, and the counts that are the paper's: numbers,
        or a column of theirs; None if only the plans are compared.
    leader
        A column of ours that names whose number it is, and theirs, or the name itself; None if the keys
        say it.
    sign
        -1 where theirs is the difference the other way round.
    conflict, conflict_at
        Where the paper contradicts itself about these figures, for a note; and the one name that it is about,
        if it is not about all of them.
    claim
        Words of the claim that each published row makes, with its columns as fields; empty if it makes none.
    unit
        Unit of the claim's number, where neither its row nor its column's name tells it.
    interval
        Columns of ours that hold the interval of the number.
    """

    table: str
    ours: str
    file: str
    theirs: str = "value"
    keys: Mapping[str, str] = field(default_factory=dict)
    only: Mapping[str, str] = field(default_factory=dict)
    where: Mapping[str, str] = field(default_factory=dict)
    pooled: Literal["open_weight", "all"] | None = None
    pools: str = ""
    judges: tuple[str, ...] = ()
    seats: Literal["panel", "jury"] = "panel"
    judges_of: str | None = None
    generators: tuple[str, ...] = ()
    tiers: tuple[str, ...] = ()
    meta_judges: tuple[str, ...] = ()
    names: Mapping[str, str] = field(default_factory=dict)
    counts: Literal["plans", "records"] = "plans"
    either: tuple[tuple[str, str], ...] = ()
    size: tuple[str, ...] | None = None
    leader: tuple[str, str] | None = None
    sign: int = 1
    conflict: str = ""
    conflict_at: str = ""
    claim: str = ""
    unit: str = ""
    interval: tuple[str, ...] = ()

    def fields(self, column: str) -> dict[str, str] | None:
        """Give what a column's name says, if the column is one of these; else None."""
        pattern = re.sub(r"\\{(\w+)\\}", r"(?P<\1>\\w+?)", re.escape(self.ours))
        found = re.fullmatch(pattern, column)
        return None if found is None else found.groupdict()


def same_names(*names: str) -> dict[str, str]:
    """Name the keys that are called the same in both tables."""
    return {name: name for name in names}


def published_rows(file: str, **values: str) -> list[dict[str, str]]:
    """Give the rows of a published file that have these values."""
    rows = [
        {str(name): str(text) for name, text in row.items()} for row in published(file).to_dict("records")
    ]
    return [row for row in rows if all(row[column] == value for column, value in values.items())]


def only_row(file: str, **values: str) -> dict[str, str]:
    """Give the one row of a published file that has these values."""
    (row,) = published_rows(file, **values)
    return row
