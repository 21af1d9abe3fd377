"""Cells, blocks and lanes: which plans a run judges, and which job asks for them."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal, TypeVar

from plumbline.config.models import Decoding
from plumbline.config.settings import Block, DerivedReference, Output, Pairing, Rewrites, RunConfig
from plumbline.records.errors import UserError
from plumbline.records.model import Tier

Name = TypeVar("Name", bound=str)


@dataclass(frozen=True)
class Cell:
    """One plan cell: all verdicts of a judge on a generator's plans of one tier under one condition."""

    judge: str
    generator: str
    tier: Tier
    condition: str


def cells_of(config: RunConfig, block: str) -> list[Cell]:
    """List the cells of a block, each once, in the order judge, condition, tier, generator.

    Notes
    -----
    Within a judge this is the order of asking: what recurs from one cell to the next is in the server's
    prefix cache. `all` and the order of its names are those of the run's own sections.
    """
    chosen = config.blocks[block]
    pairings = _pairings(config, chosen)
    judges = dict.fromkeys(judge for pairing in pairings for judge in pairing.judges)
    generators = dict.fromkeys(generator for pairing in pairings for generator in pairing.generators)
    return [
        Cell(judge, generator, tier, condition)
        for judge in judges
        for condition in dict.fromkeys(chosen.conditions)
        for tier in _named(chosen.tiers, config.tiers)
        for generator in generators
        if any(pairing.lists(judge, generator, condition) for pairing in pairings)
    ]


def plan_cells(config: RunConfig, block: str) -> list[tuple[str, Tier]]:
    """List the (generator, tier) pairs whose plans a block judges, each once."""
    return list(dict.fromkeys((cell.generator, cell.tier) for cell in cells_of(config, block)))


def owner_of(config: RunConfig, cell: Cell) -> str:
    """Name the block that asks for a cell: the first in file order that lists it.

    Raises
    ------
    UserError
        If no block lists the cell.
    """
    for name, block in config.blocks.items():
        if _lists(config, block, cell):
            return name
    raise UserError(
        f"no block of run {config.run} lists judge {cell.judge} on {cell.generator}, {cell.tier}, "
        f"{cell.condition}. Add it to one of: {', '.join(config.blocks)}."
    )


def lane_of(config: RunConfig, block: str, cell: Cell) -> str:
    """Name the lane of a block that asks for a cell, without its shards (see `sharded`).

    Raises
    ------
    UserError
        If another block asks for the cell, or none.
    """
    owner = owner_of(config, cell)
    if owner != block:
        raise UserError(
            f"block {block} does not ask for {cell.generator}, {cell.tier}, {cell.condition}: "
            f"block {owner} lists it first."
        )
    return _lane(config, cell)


def lanes_of(config: RunConfig, judge: str, block: str) -> list[str]:
    """List the ask jobs of a judge in a block, shards included; none if other blocks own all its cells."""
    lanes = dict.fromkeys(_lane(config, cell) for cell in _owned(config, judge, block))
    return [name for lane in lanes for name in sharded(config, lane)]


def lane_cells(config: RunConfig, judge: str, block: str, lane: str) -> list[Cell]:
    """List the cells that an ask job answers, in the order condition, tier, generator.

    Parameters
    ----------
    lane
        A name from `lanes_of`; all shards of a lane have the same cells and differ in their records.

    Raises
    ------
    UserError
        If the block has no such lane for this judge.
    """
    if lane not in lanes_of(config, judge, block):
        known = ", ".join(lanes_of(config, judge, block)) or "none"
        raise UserError(f"judge {judge} has no lane `{lane}` in block {block}. Its lanes: {known}.")
    base, _, _ = _split(lane)
    return [cell for cell in _owned(config, judge, block) if _lane(config, cell) == base]


def sharded(config: RunConfig, lane: str) -> list[str]:
    """Name each shard of a lane: `lane.1of4` to `lane.4of4`, or `lane` alone if there is one."""
    shards = config.jobs.shards
    return [f"{lane}.{k}of{shards}" for k in range(1, shards + 1)] if shards > 1 else [lane]


def shard_of(record_id: str, shards: int) -> int:
    """Give the shard (1 to `shards`) of a record: a hash of its id alone, so it never moves."""
    digest = hashlib.sha256(record_id.encode("utf-8", "surrogatepass")).digest()
    return int.from_bytes(digest[:8], "big") % shards + 1


def lane_holds(lane: str, record_id: str) -> bool:
    """Whether an ask job of this name (shard suffix included) asks about a record."""
    _, shard, shards = _split(lane)
    return shard_of(record_id, shards) == shard


def resolved_decoding(config: RunConfig, judge: str, condition: str) -> Decoding:
    """Give a judge's decoding under a condition: the model's own, changed by judge, then by condition."""
    chosen = config.judges[judge]
    decoding = chosen.decoding.applied_to(config.models[chosen.model].decoding)
    return config.conditions[condition].decoding.applied_to(decoding)


@dataclass(frozen=True)
class Asking:
    """The prompt that a judge gets under a condition, and the form in which it answers."""

    prompt: str
    output: Output


def asking(config: RunConfig, judge: str, condition: str) -> Asking:
    """Give how a judge is asked: the condition's way, unless the judge has one of its own."""
    chosen, own = config.conditions[condition], config.judges[judge]
    return Asking(own.prompt or chosen.prompt, own.output or chosen.output)


def generator_decoding(config: RunConfig, generator: str) -> Decoding:
    """Give the decoding of a generator that is a model: the model's own, changed by the generator.

    Raises
    ------
    UserError
        If the generator applies faults and asks no model.
    """
    chosen = config.generators[generator]
    if chosen.model is None:
        raise UserError(f"generator {generator} applies faults; it has no model and no decoding.")
    return chosen.decoding.applied_to(config.models[chosen.model].decoding)


def rewriter_of(config: RunConfig) -> Rewrites:
    """Give the rewriter's settings.

    Raises
    ------
    UserError
        If the run has none.
    """
    if config.rewrites is None:
        raise UserError("the configuration names no rewriter; add `rewrites: {model: NAME}`.")
    return config.rewrites


def rewriter_decoding(config: RunConfig) -> Decoding:
    """Give the decoding of the rewriter: its model's own, changed by the section `rewrites`."""
    rewriter = rewriter_of(config)
    return rewriter.decoding.applied_to(config.models[rewriter.model].decoding)


def used_models(config: RunConfig) -> list[str]:
    """List the models that a run asks: judges, generators, who writes or checks its texts."""
    cells = [cell for block in config.blocks for cell in cells_of(config, block)]
    asked = [config.generators[cell.generator].model for cell in cells]
    asked += [config.judges[cell.judge].model for cell in cells]
    for cell in cells:
        reference = config.references.get(config.conditions[cell.condition].reference)
        if isinstance(reference, DerivedReference):
            asked.append(reference.model)
    if config.rewrites is not None:
        asked.append(config.rewrites.model)
    asked += config.validation.models if config.validation else []
    asked += [source.model for source in config.corpus.sources.values() if source.kind == "synthesised"]
    return list(dict.fromkeys(slug for slug in asked if slug is not None))


def _named(names: Sequence[Name] | Literal["all"], every: Iterable[Name]) -> list[Name]:
    return list(every) if names == "all" else list(dict.fromkeys(names))


@dataclass(frozen=True)
class _Pairing:
    """A pairing with all its names spelled out."""

    judges: list[str]
    generators: list[str]
    conditions: list[str]

    def lists(self, judge: str, generator: str, condition: str) -> bool:
        return judge in self.judges and generator in self.generators and condition in self.conditions


def _pairings(config: RunConfig, block: Block) -> list[_Pairing]:
    pairings = block.pairings or [Pairing(judges=block.judges, generators=block.generators)]
    return [
        _Pairing(
            _named(pairing.judges, config.judges),
            _named(pairing.generators, config.generators),
            _named(pairing.conditions, block.conditions),
        )
        for pairing in pairings
    ]


def _lists(config: RunConfig, block: Block, cell: Cell) -> bool:
    return (
        cell.condition in block.conditions
        and cell.tier in _named(block.tiers, config.tiers)
        and any(
            pairing.lists(cell.judge, cell.generator, cell.condition) for pairing in _pairings(config, block)
        )
    )


def _owned(config: RunConfig, judge: str, block: str) -> list[Cell]:
    return [
        cell for cell in cells_of(config, block) if cell.judge == judge and owner_of(config, cell) == block
    ]


def _lane(config: RunConfig, cell: Cell) -> str:
    if config.jobs.lane == "judge":
        return "all"
    if config.jobs.lane == "generator":
        return cell.generator
    return f"{cell.generator}.{cell.tier}.{cell.condition}"


def _split(lane: str) -> tuple[str, int, int]:
    """Split a lane's name into its base, its shard and the number of shards."""
    base, dot, suffix = lane.rpartition(".")
    shard, of, shards = suffix.partition("of")
    # a condition may be called `1of2`, but then three parts come before the suffix, or no suffix at all
    if dot and of and shard.isdecimal() and shards.isdecimal() and base.count(".") in (0, 2):
        return base, int(shard), int(shards)
    return lane, 1, 1
