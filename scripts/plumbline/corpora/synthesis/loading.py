"""Loading one stage of a synthesis from the files of a run."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from plumbline.config.resolved import Workspace
from plumbline.corpora.synthesis.conversations import Synthesis
from plumbline.corpora.synthesis.reading import load_stages, values_of
from plumbline.corpora.synthesis.stages import NAMES, stage_named
from plumbline.corpora.synthesis.works import works_of
from plumbline.models.prompts import PromptSet
from plumbline.records import UserError


def load_synthesis(
    workspace: Workspace, source: str, domain: str, stage: str, earlier: Sequence[Path]
) -> Synthesis:
    """Load what one stage of one domain is asked with.

    Raises
    ------
    UserError
        If there is no such source, domain or stage.
    """
    settings = workspace.settings
    if source not in settings.corpus.sources:
        raise UserError(f"corpus.sources has no `{source}`; it has {', '.join(settings.corpus.sources)}.")
    if stage not in NAMES:
        raise UserError(f"there is no stage `{stage}`; stages: {', '.join(NAMES)}.")
    values = {name: values_of(results) for name, results in load_stages(earlier).items()}
    prompts = PromptSet(Path(settings.prompts.folder))
    synthesis = Synthesis(settings, prompts, source, stage_named(stage), (), values)
    if domain not in synthesis.source.domains:
        raise UserError(f"`{domain}` is no domain of {source}: {', '.join(synthesis.source.domains)}.")
    works = works_of(source, synthesis.source, domain)
    return Synthesis(settings, prompts, source, stage_named(stage), works, values)
