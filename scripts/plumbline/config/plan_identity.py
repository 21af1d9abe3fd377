"""What must change for a job of plan judging or of the corpus to run again, beside its files and code."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

from plumbline.config import cells
from plumbline.config.corpus import SynthesisedSource
from plumbline.config.models import Decoding
from plumbline.config.references import derivation_decoding
from plumbline.config.settings import RunConfig
from plumbline.config.vllm_flags import answer_flags


class PlanIdentity:
    """Gives the identities of the jobs, as values that are written as JSON.

    Parameters
    ----------
    config
        The run.
    scoring
        Digest of the code that scores plans: a simulated judge answers by the scores.
    """

    def __init__(self, config: RunConfig, scoring: str) -> None:
        self._config = config
        self._scoring = scoring

    def answerer(self, slug: str) -> dict[str, Any]:
        """Of a model: all that can change an answer; its host, its speed and its prices can not."""
        model = self._config.models[slug]
        seen: dict[str, Any] = {"slug": slug}
        seen |= model.model_dump(mode="json", include={"engine", "model", "revision", "system_role"})
        if model.engine == "embedded":
            seen |= {"backend": model.embedded.backend, "file": model.embedded.file}
        if model.engine in ("embedded", "vllm"):  # our own servers turn down what is longer
            seen["context_length"] = model.context_length
        if model.engine == "vllm":
            seen["flags"] = answer_flags(model.vllm.flags)
        if model.thinking_field is not None:
            seen["thinking_field"] = model.thinking_field
        if model.engine == "simulated":
            seen["simulation"] = model.simulation
            targets = model.simulation.targets
            seen["targets"] = _file_digest(targets.file) if targets else None
        return seen

    def generator(self, name: str) -> Any:
        """Of a generator's plans."""
        generator = self._config.generators[name]
        assert generator.model is not None
        decoding = cells.generator_decoding(self._config, name)
        return [generator, decoding, self.answerer(generator.model), self._attempts(decoding)]

    def rewriter(self, model: str) -> Any:
        """Of the rewrites."""
        decoding = cells.rewriter_decoding(self._config)
        tiers = self._config.tiers
        return [self._config.rewrites, decoding, tiers, self.answerer(model), self._attempts(decoding)]

    def meta_judge(self, model: str) -> Any:
        """Of the opinions of a meta-judge."""
        validation = self._config.validation
        assert validation is not None
        decoding = validation.decoding.applied_to(self._config.models[model].decoding)
        asked = validation.model_dump(mode="json", include={"prompt", "output"})
        return [asked, decoding, self.answerer(model), self._repeats([decoding])]

    def synthesis(self, name: str) -> Any:
        """Of the stages of a synthesised source."""
        source = self._config.corpus.sources[name]
        assert isinstance(source, SynthesisedSource)
        decoding = source.decoding.applied_to(self._config.models[source.model].decoding)
        # other domains, and how many of the records are sampled later, change nothing of one domain
        left_out = {"domains", "count", "per_topology", "exclude", "gated"}
        asked = source.model_dump(mode="json", exclude=left_out)
        return [asked, decoding, self.answerer(source.model), self._config.corpus.gates]

    def reference(self, name: str, model: str) -> Any:
        """Of the references that a model derives."""
        decoding = derivation_decoding(self._config, name, model)
        return [self._config.references[name], decoding, self.answerer(model)]

    def lane(self, judge: str, chosen: Sequence[cells.Cell]) -> Any:
        """Of a lane of a judge's verdicts."""
        conditions = dict.fromkeys(cell.condition for cell in chosen)
        asked = {name: self._condition(judge, name) for name in conditions}
        names = [f"{cell.generator} {cell.tier} {cell.condition}" for cell in chosen]
        decodings = [cells.resolved_decoding(self._config, judge, name) for name in conditions]
        return [asked, names, self._questions(judge), self._repeats(decodings)]

    def cell(self, judge: str, condition: str) -> Any:
        """Of one cell's verdicts, as they are read."""
        return [self._condition(judge, condition), self._questions(judge), self._config.verdicts]

    def table(self, block: str) -> Any:
        """Of the tables of a block: all that they depend on besides its frames."""
        config = self._config
        chosen = config.blocks[block]
        conditions = {name: config.conditions[name] for name in chosen.conditions}
        order = [str(cell) for cell in cells.cells_of(config, block)]
        targets = [model.simulation.targets for model in config.models.values()]
        readings = [
            *(config.alignment, config.bootstrap, config.plans, config.verdicts),
            *(config.scoring, config.released, targets),
            *(config.open_weight, config.tables, config.agreement, config.judge_tiers, config.jury),
            *(config.lift, config.degradation, config.decision_guide, config.weights, config.binary),
            *(config.self_bias, config.mismatch, config.over_anchor, config.human),
        ]
        return [chosen.model_dump(exclude={"tables"}), conditions, order, readings]

    def claims(self) -> Any:
        """Of the page of claims: all that it depends on besides the tables."""
        config = self._config
        pools = [config.open_weight, config.tables, config.degradation]
        blocks = {name: self._names(name) for name in config.blocks}
        readings = [
            *(config.alignment, config.scoring, config.agreement, config.jury, config.binary),
            *(config.mismatch, config.over_anchor, config.human, config.weights, config.verdicts.attempts),
        ]
        return [
            *(pools, self._meta_judges(), config.plans, config.bootstrap),
            *(config.released, config.validation, blocks, readings),
        ]

    def _names(self, block: str) -> list[list[str]]:
        """Judges, generators and tiers of a block."""
        listed = [(cell.judge, cell.generator, cell.tier) for cell in cells.cells_of(self._config, block)]
        return [list(dict.fromkeys(names)) for names in zip(*listed, strict=True)]

    def corpus(self) -> Any:
        """Of the tables of the corpus: all that they depend on besides its files."""
        config = self._config
        return [config.tiers, config.corpus.gates, config.validation, self._meta_judges()]

    def study(self) -> Any:
        """Of the sample that annotators see."""
        human = self._config.human
        generators = human.generators or list(self._config.generators)
        return [human.sample, generators, human.tier, self._config.plans.zero_calls]

    def _condition(self, judge: str, condition: str) -> Any:
        chosen = self._config.conditions[condition]
        decoding = cells.resolved_decoding(self._config, judge, condition)
        asking = cells.asking(self._config, judge, condition)
        # how tables call a condition changes no answer
        seen = chosen.model_dump(mode="json", exclude={"arm", "prompt", "output"})
        seen |= {"prompt": asking.prompt, "output": asking.output}
        if asking.output == "prometheus":
            seen["prometheus"] = self._config.prometheus.model_dump(mode="json")
        return [seen, decoding, self.answerer(self._config.judges[judge].model)]

    def _questions(self, judge: str) -> Any:
        """Give what decides, beside its condition, which plans a judge is asked about and what it reads."""
        config = self._config
        if config.models[config.judges[judge].model].engine == "simulated":
            # its requests carry the programmatic scores and no prompt
            return [config.plans, config.scoring, self._scoring]
        return [config.plans, config.prompts.model_dump(exclude={"folder"})]

    def _repeats(self, decodings: Sequence[Decoding]) -> Any:
        """Give what decides whether an answer is asked for again: a greedy one is not, unless it says so."""
        reading = self._config.verdicts
        return reading if reading.ask_again or any(d.is_sampled for d in decodings) else None

    def _attempts(self, decoding: Decoding) -> int:
        return self._config.verdicts.attempts if decoding.is_sampled else 0

    def _meta_judges(self) -> dict[str, str]:
        validation = self._config.validation
        return {slug: self._config.models[slug].engine for slug in validation.models} if validation else {}


@cache
def _file_digest(file: str) -> str | None:
    """Give the digest of a small file that a setting names; none if a dry run names one that is not there."""
    if not Path(file).is_file():
        return None
    return hashlib.sha256(Path(file).read_bytes()).hexdigest()[:16]
