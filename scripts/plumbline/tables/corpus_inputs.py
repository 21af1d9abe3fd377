"""What a table of the corpus is made of: records, rewrites, opinions, and what the gates found."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

import pandas as pd

from plumbline.config.resolved import Workspace
from plumbline.config.settings import RunConfig
from plumbline.corpora.gates import GateReport, put_through_gates
from plumbline.corpora.rewriting import load_rewrites
from plumbline.corpora.topology import CONVERTED_LOOP_REPEATS
from plumbline.records import Opinion, Record, Rewrite, Triplet, read_json_lines

CORPUS = "corpus"
"""Stands for the block in the file names of these tables."""

CONVERTED = ("bfcl", "complexfuncbench")
"""Kinds of sources whose records were converted, where two calls of one tool are no loop."""


@dataclass(frozen=True)
class CorpusInputs:
    """The records of a run and what is known of them.

    Parameters
    ----------
    config
        The run.
    records
        Its records.
    rewrites
        The rewriter's queries by record id.
    triplets, opinions
        What meta-judges were asked about, and what they said; empty if the run has none.
    root
        Folder of all runs, or None.
    """

    config: RunConfig
    records: Sequence[Record]
    rewrites: Mapping[str, Rewrite] = field(default_factory=dict)
    triplets: Sequence[Triplet] = ()
    opinions: Sequence[Opinion] = ()
    root: Path | None = None

    @classmethod
    def read(cls, workspace: Workspace) -> CorpusInputs:
        """Read the files of a run."""
        settings = workspace.settings
        models = settings.validation.models if settings.validation else []
        return cls(
            settings,
            read_json_lines(workspace.path("records"), Record),
            load_rewrites(workspace),
            read_json_lines(workspace.path("triplets"), Triplet) if models else [],
            [
                opinion
                for model in models
                for opinion in read_json_lines(workspace.path("opinions", model), Opinion)
            ],
            workspace.root,
        )

    @property
    def block(self) -> None:
        """Tables of the corpus are of no block."""

    @cached_property
    def plans(self) -> pd.DataFrame:
        """Give the sources of the records in the columns of a block's plans, of which there are none here."""
        rows = [(record.id, record.source, "none", "none", "easy", 0) for record in self.records]
        return pd.DataFrame(
            rows, columns=["record_id", "source", "plan_status", "generator", "tier", "calls"]
        )

    @cached_property
    def gates(self) -> dict[str, GateReport]:
        """What both gates find in the records of each source (A4, A5)."""
        reports = {}
        for name in dict.fromkeys(record.source for record in self.records):
            records = [record for record in self.records if record.source == name]
            repeats = CONVERTED_LOOP_REPEATS if name in CONVERTED else 2
            reports[name] = put_through_gates(records, self.config.corpus.gates, loop_repeats=repeats)
        return reports
