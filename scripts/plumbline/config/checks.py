"""Checks across sections: every name that is used must be defined."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from plumbline.config.yaml_files import Key, dotted

if TYPE_CHECKING:
    from plumbline.config.settings import RunConfig

RESERVED_RUNS = ("journal", "sources")
"""Folders under results/ that all runs share."""

RESERVED_BLOCKS = (
    "plans",  # lanes of the generators and the rewriter stand beside the blocks of the judges
    "rewrites",
    "all",  # a block is a target of its own, so it cannot be called as a rule is
    "ask_plans",
    "ask_rewrites",
    "ask_verdicts",
    "collect_plans",
    "collect_records",
    "collect_verdicts",
    "fetch_weights",
    "fetch_wheel",
    "front_page",
    "manifest",
    "perturb_plans",
    "read_plans",
    "read_rewrites",
    "read_source",
    "read_verdicts",
    "score_plans",
)
"""Names that a block cannot have, nor can it have `table_NAME` or `figure_NAME` of a result."""


@dataclass(frozen=True)
class UnknownName:
    """A setting that holds a name which nothing defines, or one that is taken."""

    key: Key
    message: str
    nearest: str | None = None

    def __str__(self) -> str:
        return f"{dotted(self.key)}: {self.message}"


class UnknownNamesError(ValueError):
    """All wrong names of a configuration."""

    def __init__(self, problems: list[UnknownName]) -> None:
        self.problems = problems
        super().__init__("\n".join(map(str, problems)))


def unknown_names(config: RunConfig, results: Mapping[str, str] | None = None) -> list[UnknownName]:
    """List the names that are used but not defined, each with the nearest one or all known ones.

    Parameters
    ----------
    results
        Every table and figure by name, with its kind; their names are not checked if None.
    """
    taken = (*RESERVED_BLOCKS, *(f"{kind}_{name}" for name, kind in (results or {}).items()))
    return [
        *(
            UnknownName(("run",), f"results/{name} is shared by all runs. Choose another name.")
            for name in RESERVED_RUNS
            if name == config.run
        ),
        *(
            UnknownName(("blocks", slug), "this name is taken by a stage. Choose another.")
            for slug in taken
            if slug in config.blocks
        ),
        *(
            _unknown(key, name, list(known), what)
            for key, name, known, what in _uses(config, results)
            if name not in known
        ),
    ]


def _uses(
    config: RunConfig, results: Mapping[str, str] | None
) -> Iterator[tuple[Key, str, Iterable[str], str]]:
    """Give every name that refers to another section: its key, the name, the names defined there, a noun."""
    for slug, generator in config.generators.items():
        if generator.model is not None:
            yield ("generators", slug, "model"), generator.model, config.models, "model"
    for slug, judge in config.judges.items():
        yield ("judges", slug, "model"), judge.model, config.models, "model"
    if config.rewrites is not None:
        yield ("rewrites", "model"), config.rewrites.model, config.models, "model"
    for slug, block in config.blocks.items():
        for section, names, known, what in (
            ("judges", block.judges, config.judges, "judge"),
            ("generators", block.generators, config.generators, "generator"),
            ("tiers", block.tiers, config.tiers, "tier of this run"),
            ("conditions", block.conditions, config.conditions, "condition"),
            ("tables", block.tables, block.tables if results is None else results, "table or figure"),
        ):
            for position, name in enumerate([] if names == "all" else names):
                yield ("blocks", slug, section, position), name, known, what


def _unknown(key: Key, name: str, known: list[str], what: str) -> UnknownName:
    near = difflib.get_close_matches(name, known, n=1)
    hint = f"Did you mean `{near[0]}`?" if near else f"Known: {', '.join(known) or 'none'}."
    return UnknownName(key, f"`{name}` is not a {what}. {hint}", near[0] if near else None)
