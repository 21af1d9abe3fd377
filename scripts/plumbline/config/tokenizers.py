"""Which tokenizer counts the tokens of the inputs of argument judging (C-D18)."""

from __future__ import annotations

from collections.abc import Mapping

from plumbline.config.arguments import Arguments
from plumbline.config.models import Model

ENCODER = "Qwen/Qwen3-8B"
"""The encoder of the paper's smallest judge, whose limit the ladder keeps."""


def tokenizer_source(arguments: Arguments, models: Mapping[str, Model]) -> str:
    """Name the tokenizer of a run.

    Parameters
    ----------
    arguments
        The setting `ladder.tokenizer` goes first.
    models
        The models that its judges name.

    Returns
    -------
    str
        Path of a `tokenizer.json` or GGUF file, a model's name on Hugging Face, or ``characters`` (a quarter
        of the characters) if no judge reads anything, as simulated ones.
    """
    if arguments.ladder.tokenizer is not None:
        return arguments.ladder.tokenizer
    named = [judge.model for judge in arguments.judges.values() if judge.model is not None]
    judges = [models[name] for name in named if name in models]
    for model in judges:
        if model.engine == "embedded":
            return model.embedded.file
    return "characters" if all(model.engine == "simulated" for model in judges) else ENCODER


def tokenizer_file(arguments: Arguments, models: Mapping[str, Model]) -> str | None:
    """Path of the run's tokenizer, if it is a file: an input of the rules that count tokens."""
    source = tokenizer_source(arguments, models)
    return source if source.endswith((".json", ".gguf")) else None
