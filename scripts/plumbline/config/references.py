"""Which made references a run needs: a stage of its own, shared by all cells that show them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from plumbline.config.cells import Cell, sharded
from plumbline.config.models import Decoding
from plumbline.config.settings import DerivedReference, RunConfig, ShuffledReference
from plumbline.records.errors import UserError
from plumbline.records.model import Tier

NO_MODEL = "none"
"""Stands for the model in the path of a reference that no model makes."""


@dataclass(frozen=True, order=True)
class ReferenceFile:
    """One file of made references: the name in `references`, who made them, and the tier."""

    name: str
    model: str
    tier: Tier


def reference_file(config: RunConfig, cell: Cell) -> ReferenceFile | None:
    """Name the made references that a cell shows; None if it shows none, or the record's expected calls."""
    name = config.conditions[cell.condition].reference
    if name not in config.references:
        return None
    chosen = config.references[name]
    model = NO_MODEL
    if isinstance(chosen, DerivedReference):
        model = chosen.model or config.judges[cell.judge].model
    return ReferenceFile(name, model, cell.tier)


def reference_files(config: RunConfig, cells: Iterable[Cell]) -> list[ReferenceFile]:
    """List the made references that cells show, each once, in their order."""
    found = (reference_file(config, cell) for cell in cells)
    return list(dict.fromkeys(file for file in found if file is not None))


def reference_lane(config: RunConfig, tier: Tier) -> list[str]:
    """Name the jobs that derive the references of a tier: all tiers in one lane, or one lane a tier."""
    return sharded(config, tier if config.jobs.lane == "cell" else "all")


def tiers_derived(config: RunConfig, lane: str) -> list[Tier]:
    """Give the tiers that a lane of references covers."""
    base = lane.split(".")[0]
    return [tier for tier in config.tiers if base in ("all", tier)]


def derived(config: RunConfig, name: str) -> DerivedReference:
    """Give the settings of a reference that a model derives.

    Raises
    ------
    UserError
        If the run has no such reference.
    """
    chosen = config.references.get(name)
    if not isinstance(chosen, DerivedReference):
        raise UserError(_unknown(config, name, "derive"))
    return chosen


def shuffled(config: RunConfig, name: str) -> ShuffledReference:
    """Give the settings of a reference that a shuffle makes.

    Raises
    ------
    UserError
        If the run has no such reference.
    """
    chosen = config.references.get(name)
    if not isinstance(chosen, ShuffledReference):
        raise UserError(_unknown(config, name, "shuffle"))
    return chosen


def derivation_decoding(config: RunConfig, name: str, model: str) -> Decoding:
    """Give the decoding of a derivation: the model's own, changed by the reference."""
    return derived(config, name).decoding.applied_to(config.models[model].decoding)


def _unknown(config: RunConfig, name: str, kind: str) -> str:
    known = ", ".join(_of_kind(config, kind)) or "none"
    return f"`{name}` is not a reference of kind `{kind}`. This run has: {known}."


def _of_kind(config: RunConfig, kind: str) -> Iterator[str]:
    return (name for name, chosen in config.references.items() if chosen.kind == kind)
