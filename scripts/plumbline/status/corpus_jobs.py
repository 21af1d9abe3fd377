"""The jobs that ask models for records, rewrites, and opinions of rewrites."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from plumbline.config.corpus import SynthesisedSource
from plumbline.config.settings import RunConfig
from plumbline.corpora.synthesis.stages import STAGES
from plumbline.status.job import AskJob, ask_job


def corpus_jobs(config: RunConfig, root: Path) -> Iterator[AskJob]:
    """List the jobs that ask for a corpus, in the order of the run."""
    yield from _stage_jobs(config, root)
    if config.rewrites is not None:
        model = config.rewrites.model
        lane, asked = (model, "rewrites"), (model, "rewrites", "all")
        yield ask_job(config, root, "rewrites", model, wildcards=(model,), lane=lane, asked=asked)
    for model in config.validation.models if config.validation is not None else ():
        lane, asked = (model, "validation"), (model, "validation", "all")
        yield ask_job(config, root, "opinions", model, wildcards=(model,), lane=lane, asked=asked)


def _stage_jobs(config: RunConfig, root: Path) -> Iterator[AskJob]:
    for name, source in config.corpus.sources.items():
        if not isinstance(source, SynthesisedSource):
            continue
        for domain in source.domains:
            for stage in STAGES:
                wildcards = (name, domain, stage.name)
                yield ask_job(
                    config,
                    root,
                    "stages",
                    source.model,
                    wildcards=wildcards,
                    lane=(source.model, *wildcards),
                    asked=(name, "synthesis", f"{domain}.{stage.name}"),
                    rule="ask_synthesis",
                )
