"""Checks across sections: every name that is used must be defined."""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from plumbline.config.argument_checks import Use, argument_uses, of_unit, taken_names, uses_of_list
from plumbline.config.yaml_files import Key, dotted

if TYPE_CHECKING:
    from plumbline.config.settings import Block, RunConfig

RESERVED_RUNS = ("journal", "sources")
"""Folders under results/ that all runs share."""

RESERVED_BLOCKS = (
    "plans",  # lanes of the generators and the rewriter stand beside the blocks of the judges
    "rewrites",
    "references",
    "arguments",  # all argument blocks are one target
    "all",  # a block is a target of its own, so it cannot be called as a rule is
    "argument_claims",
    "argument_page",
    "ask_judgments",
    "ask_relocations",
    "validation",
    "synthesis",
    "ask_opinions",
    "ask_plans",
    "ask_proposals",
    "ask_value_references",
    "build_calls",
    "build_items",
    "build_states",
    "fit_states",
    "ask_references",
    "ask_rewrites",
    "ask_synthesis",
    "ask_verdicts",
    "claims",
    "collect_judgments",
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
    "make_value_references",
    "match_judgments",
    "read_judgments",
    "read_opinions",
    "read_plans",
    "read_proposals",
    "read_relocations",
    "read_references",
    "read_released",
    "read_rewrites",
    "read_source",
    "read_value_references",
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


@dataclass(frozen=True)
class MissingSection(UnknownName):
    """A section that a run needs and that has no entry."""

    def __str__(self) -> str:
        return f"{dotted(self.key)} {self.message}"


class UnknownNamesError(ValueError):
    """All wrong names of a configuration."""

    def __init__(self, problems: list[UnknownName]) -> None:
        self.problems = problems
        super().__init__("\n".join(map(str, problems)))


PLAN_SECTIONS = ("corpus", "generators", "judges", "conditions", "blocks")
"""What judging plans needs; a run that only judges arguments has none of them."""


def missing_sections(config: RunConfig) -> list[UnknownName]:
    """List the sections that lack an entry, unless the run has none of them and judges arguments."""
    filled = {
        name: bool(config.corpus.sources if name == "corpus" else getattr(config, name))
        for name in PLAN_SECTIONS
    }
    if config.arguments is not None and not any(filled.values()):
        return []
    missing: list[UnknownName] = []
    for name in (name for name, is_filled in filled.items() if not is_filled):
        if name not in config.model_fields_set:
            meaning = type(config).model_fields[name].description or ""
            missing.append(MissingSection((name,), f"is missing: {meaning.partition('. This section')[0]}"))
            continue
        key = ("corpus", "sources") if name == "corpus" else (name,)
        missing.append(
            MissingSection(key, "is an empty section; it must be a section with at least one entry.")
        )
    return missing


def unknown_names(config: RunConfig, results: Mapping[str, str] | None = None) -> list[UnknownName]:
    """List the names that are used but not defined, each with the nearest one or all known ones.

    Parameters
    ----------
    results
        Every table and figure by name, with its kind, which starts with `argument` if it is of argument
        judging; their names are not checked if None.
    """
    taken = (*RESERVED_BLOCKS, *(f"{kind.split()[-1]}_{name}" for name, kind in (results or {}).items()))
    taken += tuple(of_unit(results or {}, "argument"))  # targets of their own
    arguments = config.arguments
    return [
        *(
            UnknownName(key, message)
            for key, message in ([] if arguments is None else taken_names(config, arguments, taken))
        ),
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
            UnknownName(key, "engine `decisions` answers typed questions; it judges and writes no plans.")
            for key, model in _plan_models(config)
            if model in config.models and config.models[model].engine == "decisions"
        ),
        *(
            _unknown(key, name, list(known), what)
            for key, name, known, what in _all_uses(config, results)
            if name not in known
        ),
    ]


def _plan_models(config: RunConfig) -> Iterator[tuple[Key, str]]:
    return ((key, name) for key, name, known, _ in _uses(config, None) if known is config.models)


def _all_uses(config: RunConfig, results: Mapping[str, str] | None) -> Iterator[Use]:
    yield from _uses(config, results)
    if config.arguments is not None:
        yield from argument_uses(config, config.arguments, results)


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
        yield from uses_of_list(("validation", "models"), config.validation.models, config.models, "model")
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
    yield from uses_of_list(("human", "generators"), config.human.generators, config.generators, "generator")
    references = [*GIVEN_REFERENCES, *config.references]
    for slug, condition in config.conditions.items():
        yield ("conditions", slug, "reference"), condition.reference, references, "reference"
    for slug, block in config.blocks.items():
        yield from _uses_of_block(("blocks", slug), block, config)
        known = block.tables if results is None else of_unit(results, "plan")
        yield from uses_of_list(("blocks", slug, "tables"), block.tables, known, "table or figure")


def _uses_of_block(key: Key, block: Block, config: RunConfig) -> Iterator[Use]:
    for section, names, known, what in (
        ("judges", block.judges, config.judges, "judge"),
        ("generators", block.generators, config.generators, "generator"),
        ("tiers", block.tiers, config.tiers, "tier of this run"),
        ("conditions", block.conditions, config.conditions, "condition"),
    ):
        yield from uses_of_list((*key, section), names, known, what)
    for number, pairing in enumerate(block.pairings):
        place = (*key, "pairings", number)
        yield from uses_of_list((*place, "judges"), pairing.judges, config.judges, "judge")
        yield from uses_of_list((*place, "generators"), pairing.generators, config.generators, "generator")
        conditions = pairing.conditions
        yield from uses_of_list(
            (*place, "conditions"), conditions, block.conditions, "condition of this block"
        )
    for condition, baselines in block.compare.items():
        place = (*key, "compare", condition)
        yield place, condition, block.conditions, "condition of this block"
        if isinstance(baselines, str):
            yield place, baselines, block.conditions, "condition of this block"
        else:
            yield from uses_of_list(place, baselines, block.conditions, "condition of this block")


def _unknown(key: Key, name: str, known: list[str], what: str) -> UnknownName:
    near = difflib.get_close_matches(name, known, n=1)
    article = "an" if what[0] in "aeiou" else "a"
    hint = f"Did you mean `{near[0]}`?" if near else f"Known: {', '.join(known) or 'none'}."
    return UnknownName(key, f"`{name}` is not {article} {what}. {hint}", near[0] if near else None)
