"""What a table of argument judging is made of: a block's judgments, its references, the draw of queries."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from plumbline.config.argument_cells import ArgumentCell, argument_cells
from plumbline.config.arguments import ArgumentBlock, Arguments
from plumbline.config.settings import RunConfig
from plumbline.statistics.queries import QueryDraw, Stream
from plumbline.statistics.scored import Scored

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Values:
    """Items of one cell (judge, data set, input) with their score, one row an item.

    Parameters
    ----------
    frame
        The columns of `collect_judgments`, replicates put together: `score` is the mean over ok replicates,
        NaN without one; plus `unit_code`, the row of the item's query (or state, `bootstrap.cluster`) in the
        draw.
    columns
        Those that are filtered by, as arrays: `item_id`, `label`, `path`, `made_by`, `score`, `unit_code`.
    places
        Rows of the frame that belong to it.
    """

    frame: pd.DataFrame
    columns: Mapping[str, NDArray[Any]]
    places: NDArray[np.intp]

    @classmethod
    def of_rows(cls, frame: pd.DataFrame) -> Values:
        """Take all rows of a frame."""
        names = ("item_id", "label", "path", "made_by")
        columns: dict[str, NDArray[Any]] = {name: frame[name].to_numpy(dtype=object) for name in names}
        columns["score"] = frame["score"].to_numpy(dtype=float)
        columns["unit_code"] = frame["unit_code"].to_numpy(dtype=np.intp)
        return cls(frame, columns, np.arange(len(frame)))

    def __getitem__(self, name: str) -> NDArray[Any]:
        """Give one of the columns that are filtered by."""
        chosen: NDArray[Any] = self.columns[name][self.places]
        return chosen

    def on_plain_paths(self) -> Values:
        """Give the same items with their paths on Plain, by which two inputs are compared (C-D6)."""
        path = self.frame["plain_path"].to_numpy(dtype=object)
        return Values(self.frame, {**self.columns, "path": path}, self.places)

    @property
    def rows(self) -> pd.DataFrame:
        """All columns of its rows."""
        return self.frame.iloc[self.places]

    def __len__(self) -> int:
        """Count the items, scored or not."""
        return int(self.places.size)

    def where(self, chosen: ArrayLike) -> Values:
        """Keep some of the items."""
        return Values(self.frame, self.columns, self.places[np.asarray(chosen, dtype=bool)])

    def of(self, label: str, *paths: str) -> Values:
        """Keep the items of a label and, if any are named, of these paths."""
        chosen = self["label"] == label
        return self.where(chosen & np.isin(self["path"], paths) if paths else chosen)

    @property
    def scored(self) -> Scored:
        """Items that have a score, as the statistics take them."""
        return Scored.of(self["score"], self["unit_code"])

    @property
    def known(self) -> Values:
        """The items that have a score."""
        return self.where(~np.isnan(self["score"]))

    @property
    def queries(self) -> int:
        """Queries that the scored items come from."""
        return int(np.unique(self.known["unit_code"]).size)

    @property
    def size(self) -> int:
        """Number of scored items."""
        return int((~np.isnan(self["score"])).sum())


@dataclass(frozen=True)
class ArgumentInputs:
    """The frames of one block of argument judging.

    Parameters
    ----------
    config, block
        The run, and the name of the block.
    judgments, references
        As `collect_judgments` and `collect_references` give them.
    root
        Folder of all runs; None if it is not known.
    """

    config: RunConfig
    block: str
    judgments: pd.DataFrame
    references: pd.DataFrame
    root: Path | None = None

    @classmethod
    def read(
        cls, config: RunConfig, block: str, judgments: Path, references: Path, root: Path | None = None
    ) -> ArgumentInputs:
        """Read the two Parquet files."""
        return cls(config, block, pd.read_parquet(judgments), pd.read_parquet(references), root)

    @property
    def arguments(self) -> Arguments:
        """The run's settings of argument judging."""
        assert self.config.arguments is not None
        return self.config.arguments

    @property
    def chosen(self) -> ArgumentBlock:
        """The block."""
        return self.arguments.blocks[self.block]

    @cached_property
    def judges(self) -> list[str]:
        """Judges of the block, in the order of the configuration."""
        return _named(self.chosen.judges, list(self.arguments.judges))

    @cached_property
    def panel(self) -> list[str]:
        """Judges that are models: a mean of judges leaves the free baseline out."""
        return [name for name in self.judges if self.arguments.judges[name].model is not None]

    def averaged(self, *names: str) -> list[str]:
        """Give the judges that a mean of judges is of, for an input or for inputs that are compared.

        Parameters
        ----------
        *names
            The inputs. Where several have judges of their own, those that all of these name.
        """
        of_inputs = self.chosen.averaged_by_input
        own = [set(of_inputs[name]) for name in names if name in of_inputs]
        chosen = set.intersection(*own) if own else set(_named(self.chosen.averaged, self.panel))
        return [name for name in self.panel if name in chosen]

    @cached_property
    def datasets(self) -> list[str]:
        """Data sets of the block, in the order of the configuration."""
        return _named(self.chosen.datasets, list(self.arguments.datasets))

    @cached_property
    def inputs(self) -> list[str]:
        """Inputs of the block that ask about values."""
        return [name for name in self.every_input if self.arguments.inputs[name].unit == "value"]

    @cached_property
    def call_inputs(self) -> list[str]:
        """Inputs of the block that ask about whole calls."""
        return [name for name in self.every_input if self.arguments.inputs[name].unit == "call"]

    @cached_property
    def every_input(self) -> list[str]:
        """Inputs of the block, each once."""
        return list(dict.fromkeys(self.chosen.inputs))

    def listed(self, names: Iterable[str]) -> Iterator[tuple[str, str, str]]:
        """Give judge, data set and input of the block's cells with one of these inputs, in that order."""
        cells = set(argument_cells(self.config, self.block))
        for judge, dataset, name in product(self.judges, self.datasets, list(names)):
            if ArgumentCell(judge, dataset, name) in cells:
                yield judge, dataset, name

    def has(self, judge: str, dataset: str, *names: str) -> bool:
        """Say whether the block has these cells."""
        cells = argument_cells(self.config, self.block)
        return all(ArgumentCell(judge, dataset, name) in cells for name in names)

    def compared(self) -> Iterator[tuple[str, str, str, str]]:
        """Give input, the one it is compared with, data set and judge, where the block has both cells."""
        cells = set(argument_cells(self.config, self.block))
        for (name, other), dataset, judge in product(self.pairs(), self.datasets, self.judges):
            if {ArgumentCell(judge, dataset, name), ArgumentCell(judge, dataset, other)} <= cells:
                yield name, other, dataset, judge

    def arm(self, name: str) -> str:
        """Give the name of an input in tables."""
        return self.arguments.inputs[name].arm or name

    def pairs(self) -> list[tuple[str, str]]:
        """Give each input on values with the one, or ones, it is compared with: the first of the block."""
        found = []
        for name in self.inputs:
            given = self.chosen.compare.get(name, self.inputs[:1])
            for other in [given] if isinstance(given, str) else given:
                if other != name and other in self.inputs:
                    found.append((name, other))
        return found

    @cached_property
    def rows(self) -> pd.DataFrame:
        """Rows of the block's cells; values that are too short to match are left out if the run says so."""
        table = self.judgments
        shown = table["judge"].isin(self.judges) & table["dataset"].isin(self.datasets)
        shown &= table["input"].isin(self.every_input)
        if self.arguments.paths.short_values == "exclude":
            shown &= ~table["short"].astype(bool)
        return table[shown]

    @cached_property
    def _cells(self) -> dict[tuple[str, str, str], pd.DataFrame]:
        return {
            (str(judge), str(dataset), str(name)): _one_each(rows)
            for (judge, dataset, name), rows in self.rows.groupby(
                ["judge", "dataset", "input"], sort=False, observed=True
            )
        }

    @cached_property
    def _values(self) -> dict[tuple[str, str, str], Values]:
        return {}

    def cell(self, judge: str, dataset: str, name: str) -> Values:
        """Give the items of a cell; none if the run has no such cell."""
        key = (judge, dataset, name)
        if key not in self._values:
            rows = self._cells.get(key)
            if rows is None:
                rows = self.judgments.iloc[:0]
            codes = self.clusters(dataset).get_indexer(pd.Index(rows[self.cluster]))
            self._values[key] = Values.of_rows(rows.assign(unit_code=codes))
        return self._values[key]

    @cached_property
    def sizes(self) -> dict[str, tuple[int, int]]:
        """Give how many right and wrong values each data set has, judged or not."""
        items = self.judgments[self.judgments["unit"] == "value"].drop_duplicates(["dataset", "item_id"])
        counts = items.groupby(["dataset", "label"]).size()
        return {
            str(name): (int(counts.get((name, "correct"), 0)), int(counts.get((name, "wrong"), 0)))
            for name in items["dataset"].unique()
        }

    @property
    def cluster(self) -> str:
        """Give the column of what is drawn as a whole: `query_id`, or `state_id` (`bootstrap.cluster`)."""
        return f"{self.arguments.bootstrap.cluster}_id"

    @cached_property
    def _clusters(self) -> dict[str, pd.Index]:
        by_dataset = self.judgments.groupby("dataset")[self.cluster].unique()
        return {str(name): pd.Index(sorted(map(str, ids))) for name, ids in by_dataset.items()}

    @cached_property
    def _draws(self) -> dict[tuple[str, Stream], QueryDraw]:
        return {}

    def clusters(self, dataset: str) -> pd.Index:
        """Give what is drawn of a data set, its queries, sorted; all that its items have, judged or not."""
        return self._clusters.get(dataset, pd.Index([], dtype=object))

    def draw(self, dataset: str, stream: Stream) -> QueryDraw:
        """Give the draw of queries that all statistics of a data set share (D20, C-D23)."""
        if (dataset, stream) not in self._draws:
            settings, count = self.arguments.bootstrap, len(self.clusters(dataset))
            self._draws[dataset, stream] = QueryDraw(
                count, resamples=settings.resamples, seed=settings.seed, stream=stream
            )
        return self._draws[dataset, stream]

    def resampled(
        self, dataset: str, statistic: Callable[[Floats], Floats], stream: Stream = "multinomial"
    ) -> Floats:
        """Compute a statistic for the data and for every resample of its queries, (..., 1 + resamples)."""
        return self.draw(dataset, stream).apply(statistic)


def paired(first: Values, second: Values) -> tuple[Values, Values]:
    """Keep the items that both cells have a score for, in one order."""
    a, b = first.known, second.known
    place = pd.Index(b["item_id"]).get_indexer(pd.Index(a["item_id"]))
    shared = place >= 0
    return a.where(shared), Values(b.frame, b.columns, b.places[place[shared]])


def _named(names: list[str] | str, known: list[str]) -> list[str]:
    return known if names == "all" else [name for name in known if name in names]


def _one_each(rows: pd.DataFrame) -> pd.DataFrame:
    """Put the replicates of an item together: the mean of their scores, the first one's words."""
    if not rows["item_id"].duplicated().any():
        return rows
    first = rows.sort_values("replicate", kind="stable").drop_duplicates("item_id").set_index("item_id")
    first["score"] = rows.groupby("item_id", sort=False)["score"].mean()
    return first.reset_index()
