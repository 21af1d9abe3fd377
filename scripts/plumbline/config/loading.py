"""From YAML to a checked configuration: every problem at once, each with its file, line and remedy."""

from __future__ import annotations

import copy
import os
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from plumbline.config.argument_cells import all_models
from plumbline.config.argument_needs import (
    argument_data,
    named_tokenizer,
    required_prompt_files,
    unable_judges,
)
from plumbline.config.corpus import AgentJudgeBenchSource, LocalSource
from plumbline.config.models import Embedded
from plumbline.config.problems import ABSENT, Problem, problems_of, value_at
from plumbline.config.prompt_files import required_files
from plumbline.config.settings import RunConfig
from plumbline.config.thinking import unbounded_thinking
from plumbline.config.vllm_flags import options
from plumbline.config.yaml_files import Key, YamlFile, dotted, read_yaml
from plumbline.records.errors import UserError

NAMED = ("models", "generators", "judges", "conditions", "blocks")
"""Sections whose entries other settings refer to by name."""


def load_config(
    data: Mapping[str, Any], files: Sequence[Path | str] = (), results: Mapping[str, str] | None = None
) -> RunConfig:
    """Check a configuration and give it typed.

    Parameters
    ----------
    data
        The configuration as read, command line included; its `models_from` file is read here.
    files
        The files that `data` came from, in the order in which they override each other; only to say on
        which line a problem stands. They may hold no key twice.
    results
        Every table and figure that a block can ask for, with its kind (`tables.registry.KINDS`).

    Raises
    ------
    UserError
        All problems together, each with its file, line and key, and with what would be right.
    """
    sources = _read_files(files)
    if not data:
        where = f"{sources[-1].path}: " if sources else ""
        raise UserError(f"{where}the configuration is empty. config/reference.yaml shows every setting.")
    merged = copy.deepcopy(dict(data))
    models_file = _read_models(merged, sources)
    if models_file is not None:
        sources.insert(0, models_file)
        own = merged.get("models", {})
        if isinstance(own, Mapping):
            merged["models"] = {**models_file.data["models"], **own}
    try:
        return RunConfig.model_validate(merged, context={"results": results})
    except ValidationError as error:
        problems = problems_of(error, merged)
        known = {problem.key for problem in problems}
        problems += [found for found in _names_behind(error, merged, results) if found.key not in known]
    raise UserError("\n".join(problem.told(sources) for problem in problems))


def require_environment(config: RunConfig, files: Sequence[Path | str] = ()) -> None:
    """Check that everything outside the configuration is there: key variables, data, prompts, able servers.

    Parameters
    ----------
    files
        As for `load_config`: only to say on which line a problem stands.

    Raises
    ------
    UserError
        All problems together. A variable's value is never shown.
    """
    problems = [*_missing_keys(config), *_missing_data(config), *_missing_prompts(config)]
    problems += _missing_of_arguments(config)
    problems += [Problem(key, f"{dotted(key)}: {told}") for key, told in unbounded_thinking(config)]
    if problems:
        sources = _read_files(files)
        if config.models_from is not None and Path(config.models_from).exists():
            sources.insert(0, read_yaml(Path(config.models_from)))
        raise UserError("\n".join(problem.told(sources) for problem in problems))


def _read_files(files: Sequence[Path | str]) -> list[YamlFile]:
    """Read files; those below the working folder are called by the short name that a user knows."""
    here = Path.cwd()
    paths = [Path(file) for file in files]
    return [read_yaml(p.relative_to(here) if p.is_relative_to(here) else p) for p in paths]


def _read_models(data: Mapping[str, Any], sources: Sequence[YamlFile]) -> YamlFile | None:
    """Read the file of models that the configuration names, if it names one."""
    name = data.get("models_from", RunConfig.model_fields["models_from"].default)
    if not isinstance(name, str):
        return None
    if not Path(name).is_file():
        message = f"models_from: {name} does not exist (seen from {Path.cwd()}). Name a file, or write null."
        raise UserError(Problem(("models_from",), message, ("models_from",), None).told(sources))
    found = read_yaml(Path(name))
    if not isinstance(found.data, Mapping) or not isinstance(found.data.get("models"), Mapping):
        raise UserError(f"{name}: has no section `models` with at least one model.")
    others = [key for key in found.data if key != "models"]
    if others:
        raise UserError(f"{name}: holds {', '.join(map(str, others))}; only `models` may stand in this file.")
    return found


def _names_behind(
    error: ValidationError, data: dict[str, Any], results: Mapping[str, str] | None
) -> list[Problem]:
    """Find the wrong names that pydantic has not come to: check once more without the settings at fault."""
    rest = copy.deepcopy(data)
    for problem in problems_of(error, data):
        key = problem.key
        while key and isinstance(key[-1], int):
            key = key[:-1]
        if not key or (len(key) == 2 and key[0] in NAMED):
            return []
        section = value_at(rest, key[:-1])
        if section is not ABSENT and isinstance(section, dict):
            section.pop(key[-1], None)
    try:
        RunConfig.model_validate(rest, context={"results": results})
    except ValidationError as second:
        # names are checked when all else is right; anything else follows from what was taken out
        return problems_of(second, rest) if second.errors()[0]["loc"] == () else []
    return []


def _missing_keys(config: RunConfig) -> Iterator[Problem]:
    if config.released is not None:
        return  # no model is asked
    for slug in all_models(config):
        variable = config.models[slug].api_key_env
        if variable and not os.environ.get(variable):
            key = ("models", slug, "api_key_env")
            yield Problem(
                key,
                f"{dotted(key)}: the environment variable {variable} is not set. Set it before the run "
                f"(`export {variable}=...`); the key itself belongs in no file.",
            )


def _missing_data(config: RunConfig) -> Iterator[Problem]:
    for slug, source in config.corpus.sources.items():
        key: Key = ("corpus", "sources", slug, "path")
        if isinstance(source, LocalSource) and not Path(source.path).is_file():
            yield Problem(key, f"{dotted(key)}: the file {source.path} does not exist.")
        if isinstance(source, AgentJudgeBenchSource) and not Path(source.path).is_dir():
            yield Problem(key, f"{dotted(key)}: the folder {source.path} does not exist.")
    if config.released is not None and not Path(config.released.folder).is_dir():
        folder = config.released.folder
        yield Problem(("released", "folder"), f"released.folder: the folder {folder} does not exist.")
    template = config.prometheus.template
    if template is not None and not Path(template).is_file():
        key = ("prometheus", "template")
        yield Problem(key, f"{dotted(key)}: the file {template} does not exist.")
    for file in config.human.files:
        if not Path(file).is_file():
            yield Problem(("human", "annotations"), f"human.annotations: the file {file} does not exist.")
    for slug in all_models(config):
        model = config.models[slug]
        if model.engine == "released" and config.released is None:
            key = ("models", slug, "engine")
            message = f"{dotted(key)}: `released` needs a section `released` with the folder of the files."
            yield Problem(key, message)
        targets = model.simulation.targets if model.engine == "simulated" else None
        if targets is not None and not Path(targets.file).is_file():
            key = ("models", slug, "simulation", "targets", "file")
            yield Problem(key, f"{dotted(key)}: the file {targets.file} does not exist.")
        for name, *values in options(model.vllm.flags) if model.engine == "vllm" else ():
            # a template may also be written out in the flag itself
            if (
                name == "--chat-template"
                and values
                and "{" not in values[0]
                and not Path(values[0]).is_file()
            ):
                key = ("models", slug, "vllm", "flags")
                yield Problem(key, f"{dotted(key)}: the file {values[0]} does not exist.")
        file = model.embedded.file
        if model.engine == "embedded" and file != Embedded().file and not Path(file).is_file():
            key = ("models", slug, "embedded", "file")
            yield Problem(key, f"{dotted(key)}: the file {file} does not exist.")


def _missing_of_arguments(config: RunConfig) -> Iterator[Problem]:
    counts_tokens = named_tokenizer(config)
    for key, place in [*argument_data(config), *([counts_tokens] if counts_tokens else [])]:
        if not Path(place).exists() and place != Embedded().file:
            yield Problem(key, f"{dotted(key)}: {place} does not exist.")
    for key, told in unable_judges(config):
        yield Problem(key, f"{dotted(key)}: {told}")
    folder = Path(config.prompts.folder)
    for key, names in required_prompt_files(config).items() if folder.is_dir() else ():
        missing = [str(folder / name) for name in names if not (folder / name).is_file()]
        if missing:
            yield Problem(key, f"{dotted(key)}: missing {' and '.join(missing)}.")


def _missing_prompts(config: RunConfig) -> Iterator[Problem]:
    folder = Path(config.prompts.folder)
    if not folder.is_dir():
        yield Problem(("prompts", "folder"), f"prompts.folder: the folder {folder} does not exist.")
        return
    required = {} if config.released is not None else required_files(config)
    for key, names in required.items():
        missing = [str(folder / name) for name in names if not (folder / name).is_file()]
        if missing:
            yield Problem(key, f"{dotted(key)}: missing {' and '.join(missing)}.")
