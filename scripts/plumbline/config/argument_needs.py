"""What judging arguments needs from outside the configuration: data, prompts, servers that can answer."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from plumbline.config.argument_cells import (
    arguments_of,
    every_argument_cell,
    input_of,
    judge_of,
    needed_references,
    proposers_of,
    rewriter_model,
    used_datasets,
)
from plumbline.config.argument_references import ArgumentInput
from plumbline.config.settings import RunConfig
from plumbline.config.yaml_files import Key

VALUE_PROMPT = "judge_value"
CALL_PROMPT = "judge_call"
REWRITE_PROMPT = "relocate"
_PARTS = ("system", "user", "state", "question")


def judge_prompt(chosen: ArgumentInput) -> str:
    """Name the prompt that judges read an input with."""
    return chosen.prompt or (VALUE_PROMPT if chosen.unit == "value" else CALL_PROMPT)


def judge_prompt_files(chosen: ArgumentInput) -> dict[str, bool]:
    """Name the files that an input may be written with, and whether each must be there.

    The text of state and question is that of the standard prompt where the input's own has none.
    """
    standard = VALUE_PROMPT if chosen.unit == "value" else CALL_PROMPT
    files = {f"{judge_prompt(chosen)}.{part}.md": part == "user" for part in _PARTS}
    return {**files, f"{standard}.state.md": True, f"{standard}.question.md": True}


def argument_prompts(config: RunConfig) -> dict[Key, str]:
    """Give the prompts that models are asked with, by the setting that names each.

    Those of judges are listed by `judge_prompt_files`.
    """
    cells = every_argument_cell(config)
    used: dict[Key, str] = {}
    for dataset in used_datasets(config):
        for name in proposers_of(config, dataset):
            proposer = arguments_of(config).proposers[name]
            if _reads_prompts(config, proposer.model):
                used["arguments", "proposers", name, "prompt"] = proposer.prompt
        rewriter = rewriter_model(config, dataset)
        if rewriter is not None and _reads_prompts(config, rewriter):
            used["arguments", "datasets", dataset, "rewriter"] = REWRITE_PROMPT
    for file in needed_references(config, cells):
        prompt = getattr(arguments_of(config).references[file.name], "prompt", None)
        if prompt is not None and _reads_prompts(config, file.model):
            used["arguments", "references", file.name, "prompt"] = prompt
    return used


def required_prompt_files(config: RunConfig) -> dict[Key, list[str]]:
    """Give the prompt files that must be there, by the setting that names them."""
    needed = {key: [f"{prompt}.user.md"] for key, prompt in argument_prompts(config).items()}
    for cell in every_argument_cell(config):
        model = judge_of(config, cell).model
        if model is not None and _reads_prompts(config, model):
            files = judge_prompt_files(input_of(config, cell))
            needed["arguments", "inputs", cell.input, "prompt"] = [file for file in files if files[file]]
    return needed


def argument_data(config: RunConfig) -> Iterator[tuple[Key, str]]:
    """Give the files and folders that data sets are read from, by the setting that names each."""
    for name in used_datasets(config):
        chosen = arguments_of(config).datasets[name]
        for setting in ("path", "functions", "trajectories", "states", "calls"):
            place = getattr(chosen, setting, None)
            if place is not None:
                yield ("arguments", "datasets", name, setting), place


def named_tokenizer(config: RunConfig) -> tuple[Key, str] | None:
    """Give the file that counts tokens, if the configuration names one by its path."""
    if config.arguments is None or not every_argument_cell(config):
        return None
    name = config.arguments.ladder.tokenizer
    if name is None or Path(name).suffix not in (".json", ".gguf"):
        return None
    return ("arguments", "ladder", "tokenizer"), name


def unable_judges(config: RunConfig) -> Iterator[tuple[Key, str]]:
    """Give the judges whose server cannot tell the probability of an answer, with a remedy."""
    models: dict[str, Sequence[str]] = {}
    for cell in every_argument_cell(config):
        model = judge_of(config, cell).model
        if model is not None:
            models.setdefault(model, ("arguments", "judges", cell.judge, "model"))
    for model, key in models.items():
        settings = config.models[model]
        if settings.engine == "embedded" and settings.embedded.backend == "openvino":
            yield (
                tuple(key),
                f"the openvino backend of `{model}` tells no probability of an answer. Choose a model with "
                "`embedded: {backend: llamacpp}`, for instance smollm2_llamacpp of config/models.yaml.",
            )
        if settings.engine == "released":
            yield tuple(key), f"`{model}` answers from released files, which hold no judgments of values."


def _reads_prompts(config: RunConfig, model: str) -> bool:
    return config.models[model].engine != "simulated"
