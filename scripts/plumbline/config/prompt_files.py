"""Which prompt files a run reads, by the setting that names them."""

from __future__ import annotations

from collections.abc import Sequence

from plumbline.config.cells import Asking, Cell, asking, cells_of
from plumbline.config.corpus import SynthesisedSource
from plumbline.config.references import reference_files
from plumbline.config.settings import DerivedReference, RunConfig
from plumbline.config.yaml_files import Key
from plumbline.records.model import METRICS

SYNTHESIS_PARTS = ("scenario", "tools", "pseudocode", "utterance", "schemas", "trace", "again")
"""What the prompts of a synthesis are named after: its stages, and what was wrong with an answer."""


def asking_files(asked: Asking) -> list[str]:
    """Name the files of a judge's prompt in the prompts' folder; those that a prompt may lack included.

    With the output `prometheus` these are the instruction and a rubric for each metric (A17).
    """
    if asked.output == "prometheus":
        return [f"{asked.prompt}/instruction.md", *(f"{asked.prompt}/{metric}.yaml" for metric in METRICS)]
    return prompt_roles(asked.prompt)


def prompt_roles(prompt: str) -> list[str]:
    """Name both files of a prompt; the system message is optional in most."""
    return [f"{prompt}.system.md", f"{prompt}.user.md"]


def required_files(config: RunConfig) -> dict[Key, Sequence[str]]:
    """Give the prompt files that models will be asked with and that must be there, by the setting."""
    used: dict[Key, Sequence[str]] = {}
    for block in config.blocks:
        cells = cells_of(config, block)
        for cell in cells:
            generator = config.generators[cell.generator]
            if generator.model is not None and _reads_prompts(config, generator.model):
                used["generators", cell.generator, "prompt"] = prompt_roles(generator.prompt)
            if _reads_prompts(config, config.judges[cell.judge].model):
                used[_prompt_key(config, cell)] = _needed(
                    asking_files(asking(config, cell.judge, cell.condition))
                )
        for file in reference_files(config, cells):
            chosen = config.references[file.name]
            if isinstance(chosen, DerivedReference) and _reads_prompts(config, file.model):
                used["references", file.name, "prompt"] = _needed(prompt_roles(chosen.prompt))
    if config.rewrites is not None and _reads_prompts(config, config.rewrites.model):
        used["rewrites", "prompt"] = prompt_roles(config.rewrites.prompt)
    return used | _of_corpus(config)


def _of_corpus(config: RunConfig) -> dict[Key, Sequence[str]]:
    """Give the prompt files that records are written with, and that their rewrites are validated with."""
    used: dict[Key, Sequence[str]] = {}
    for name, source in config.corpus.sources.items():
        if isinstance(source, SynthesisedSource) and _reads_prompts(config, source.model):
            files = [f"{source.prompt}_{part}.user.md" for part in SYNTHESIS_PARTS]
            used["corpus", "sources", name, "prompt"] = files
    validation = config.validation
    if validation is not None and any(_reads_prompts(config, model) for model in validation.models):
        used["validation", "prompt"] = _needed(prompt_roles(validation.prompt))
    return used


def _prompt_key(config: RunConfig, cell: Cell) -> Key:
    own = config.judges[cell.judge].prompt is not None
    return ("judges", cell.judge, "prompt") if own else ("conditions", cell.condition, "prompt")


def _needed(files: Sequence[str]) -> list[str]:
    return [file for file in files if not file.endswith(".system.md")]


def _reads_prompts(config: RunConfig, model: str) -> bool:
    return config.models[model].engine != "simulated"
