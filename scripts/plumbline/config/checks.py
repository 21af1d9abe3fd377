"""Checks across sections: every name that is used must be defined."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from plumbline.config.yaml_files import Key, dotted

if TYPE_CHECKING:
    from plumbline.config.settings import Block, RunConfig

RESERVED_RUNS = ("journal", "sources")
"""Folders under results/ that all runs share."""

RESERVED_BLOCKS = (
    "plans",  # lanes of the generators and the rewriter stand beside the blocks of the judges
    "rewrites",
    "references",
    "validation",
    "synthesis",
    "all",  # a block is a target of its own, so it cannot be called as a rule is
    "ask_opinions",
    "ask_plans",
    "ask_references",
    "ask_rewrites",
    "ask_synthesis",
    "ask_verdicts",
    "claims",
    "corpus",
    "collect_plans",
    "collect_records",
    "collect_verdicts",
    "draw_study",
    "fetch_weights",
    "fetch_wheel",
    "front_page",
    "manifest",
    "perturb_plans",
    "read_opinions",
    "read_plans",
    "read_references",
    "read_released",
    "read_rewrites",
    "read_source",
    "read_synthesis",
    "read_verdicts",
    "sample_triplets",
    "score_plans",
    "shuffle_references",
    "study",
    "study_sheets",
    "synthesis_yield",
)
"""Names that a block cannot have, nor can it have `table_NAME` or `figure_NAME` of a result."""

WRITING_ENGINES = ("embedded", "vllm", "endpoint")
"""Engines that answer in chats; a simulated model cannot write records."""

GIVEN_REFERENCES = ("none", "expected")
"""What a condition can show without a reference being made."""


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
            UnknownName(("references", slug), "this name has a meaning of its own. Choose another.")
            for slug in GIVEN_REFERENCES
            if slug in config.references
        ),
        *(
            _unknown(key, name, list(known), what)
            for key, name, known, what in _uses(config, results)
            if name not in known
        ),
    ]


Use = tuple[Key, str, Iterable[str], str]


def _uses(config: RunConfig, results: Mapping[str, str] | None) -> Iterator[Use]:
    """Give every name that refers to another section: its key, the name, the names defined there, a noun."""
    for slug, generator in config.generators.items():
        if generator.model is not None:
            yield ("generators", slug, "model"), generator.model, config.models, "model"
    for slug, judge in config.judges.items():
        yield ("judges", slug, "model"), judge.model, config.models, "model"
    for slug, source in config.corpus.sources.items():
        if source.kind == "synthesised":
            writers = [name for name, model in config.models.items() if model.engine in WRITING_ENGINES]
            yield ("corpus", "sources", slug, "model"), source.model, writers, "model that can write records"
    if config.rewrites is not None:
        yield ("rewrites", "model"), config.rewrites.model, config.models, "model"
    if config.validation is not None:
        yield from _uses_of_list(("validation", "models"), config.validation.models, config.models, "model")
    for position, name in enumerate(config.open_weight):
        yield ("open_weight", position), name, config.generators, "generator"
    for position, name in enumerate([] if config.jury.members == "all" else config.jury.members):
        yield ("jury", "members", position), name, config.judges, "judge"
    for slug, reference in config.references.items():
        if reference.kind == "derive" and reference.model is not None:
            yield ("references", slug, "model"), reference.model, config.models, "model"
    if config.self_bias.condition != "all":
        yield ("self_bias", "condition"), config.self_bias.condition, config.conditions, "condition"
    if config.over_anchor.judge is not None:
        yield ("over_anchor", "judge"), config.over_anchor.judge, config.judges, "judge"
    yield from _uses_of_list(("human", "generators"), config.human.generators, config.generators, "generator")
    references = [*GIVEN_REFERENCES, *config.references]
    for slug, condition in config.conditions.items():
        yield ("conditions", slug, "reference"), condition.reference, references, "reference"
    for slug, block in config.blocks.items():
        yield from _uses_of_block(("blocks", slug), block, config)
        known = block.tables if results is None else results
        yield from _uses_of_list(("blocks", slug, "tables"), block.tables, known, "table or figure")


def _uses_of_block(key: Key, block: Block, config: RunConfig) -> Iterator[Use]:
    for section, names, known, what in (
        ("judges", block.judges, config.judges, "judge"),
        ("generators", block.generators, config.generators, "generator"),
        ("tiers", block.tiers, config.tiers, "tier of this run"),
        ("conditions", block.conditions, config.conditions, "condition"),
    ):
        yield from _uses_of_list((*key, section), names, known, what)
    for number, pairing in enumerate(block.pairings):
        place = (*key, "pairings", number)
        yield from _uses_of_list((*place, "judges"), pairing.judges, config.judges, "judge")
        yield from _uses_of_list((*place, "generators"), pairing.generators, config.generators, "generator")
        conditions = pairing.conditions
        yield from _uses_of_list(
            (*place, "conditions"), conditions, block.conditions, "condition of this block"
        )
    for condition, baselines in block.compare.items():
        place = (*key, "compare", condition)
        yield place, condition, block.conditions, "condition of this block"
        if isinstance(baselines, str):
            yield place, baselines, block.conditions, "condition of this block"
        else:
            yield from _uses_of_list(place, baselines, block.conditions, "condition of this block")


def _uses_of_list(
    key: Key, names: Sequence[str] | Literal["all"], known: Iterable[str], what: str
) -> Iterator[Use]:
    for position, name in enumerate([] if names == "all" else names):
        yield (*key, position), name, known, what


def _unknown(key: Key, name: str, known: list[str], what: str) -> UnknownName:
    near = difflib.get_close_matches(name, known, n=1)
    hint = f"Did you mean `{near[0]}`?" if near else f"Known: {', '.join(known) or 'none'}."
    return UnknownName(key, f"`{name}` is not a {what}. {hint}", near[0] if near else None)
