"""Counting what is asked of each model, and what that takes."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from plumbline.config.cells import cells_of, lane_cells, lanes_of
from plumbline.config.models import Model
from plumbline.config.references import reference_files
from plumbline.config.settings import DerivedReference, RunConfig
from plumbline.corpora.rewrites import rewrite_requests
from plumbline.corpora.starter import read_starter
from plumbline.corpora.synthesis.conversations import Synthesis
from plumbline.corpora.synthesis.examples import answers_of
from plumbline.corpora.synthesis.stages import STAGES
from plumbline.corpora.synthesis.works import works_of
from plumbline.estimation.argument_stages import argument_stages
from plumbline.estimation.basis import Basis
from plumbline.estimation.measured import Measured, measured
from plumbline.estimation.stage import Role, Stage
from plumbline.judging.derivation import Derivation
from plumbline.judging.meta_judging import MetaJudging
from plumbline.judging.requests import questions
from plumbline.judging.triplets import draw_triplets
from plumbline.models.requests import Request, sent_messages
from plumbline.plans.lanes import plan_requests
from plumbline.records import METRICS, TOPOLOGIES


@dataclass
class Load:
    """What one model is asked in one role, over the whole run.

    Attributes
    ----------
    cells
        Cells, or files, that the answers go to.
    requests
        Requests that are sent; equal ones at temperature 0 count once.
    prompt, cached, output
        Tokens: of all prompts; of these, those that the prompt before begins with as well; of all answers.
    is_measured
        Whether answers were measured on this run, not assumed.
    comparison
        Estimate and measurement on the same answers, if the run has some.
    """

    model: str
    role: Role
    cells: int
    requests: float = 0.0
    prompt: float = 0.0
    cached: float = 0.0
    output: float = 0.0
    is_measured: bool = False
    comparison: Comparison | None = None


@dataclass
class Comparison:
    """Tokens of answers that the run has: as estimated without knowing them, and as the server counted."""

    answers: int = 0
    prompt_estimated: float = 0.0
    prompt_measured: int = 0
    output_estimated: float = 0.0
    output_measured: int = 0


def count(basis: Basis, root: Path, compare: bool = True) -> list[Load]:
    """Count what every model is asked, in the order of the run.

    Parameters
    ----------
    basis
        What there is to measure on.
    root
        Folder of all runs.
    compare
        Whether answers that the run has already are read, and compared with the estimate.

    Returns
    -------
    list of Load
        One for each model and role.
    """
    sample = {record.id for record in basis.material.records}
    answers = measured(basis.config, root, sample) if compare else {}
    loads: dict[tuple[str, Role], Load] = {}
    for stage in stages(basis):
        load = loads.setdefault((stage.model, stage.role), Load(stage.model, stage.role, 0))
        _add(load, stage, basis, answers)
    for load in loads.values():
        _settle_output(load)
    return list(loads.values())


def stages(basis: Basis) -> Iterator[Stage]:
    """Give all that the run asks of models, for the records of the sample."""
    if basis.config.released is None and basis.config.judges_plans:
        yield from _plan_side(basis)
    if basis.arguments is not None:
        yield from argument_stages(basis.config, basis.arguments)


def _plan_side(basis: Basis) -> Iterator[Stage]:
    config, material = basis.config, basis.material
    yield from _synthesis_stages(basis)
    if config.rewrites is not None:
        requests = rewrite_requests(material.records, config, material.prompts)
        yield Stage(config.rewrites.model, "rewrite", requests, 1)
    for generator, chosen in config.generators.items():
        if chosen.model is not None:
            planned = plan_requests(
                config, generator, config.tiers, material.records, material.rewrites, material.prompts
            )
            yield Stage(chosen.model, "plan", (request for _, _, request in planned), len(config.tiers))
    yield from _opinion_stages(basis)
    yield from _reference_stages(basis)
    unsharded = config.model_copy(update={"jobs": config.jobs.model_copy(update={"shards": 1})})
    for judge, settings in config.judges.items():
        times = len(METRICS) if judge in basis.by_metric else 1
        for block in config.blocks:
            for lane in lanes_of(unsharded, judge, block):
                cells = lane_cells(unsharded, judge, block, lane)
                asked = (request for question in questions(material, cells) for request in question.requests)
                yield Stage(settings.model, "verdict", asked, len(cells), times)


def hours(load: Load, config: RunConfig) -> float | None:
    """Hours of a job that asks all of a load; None if the model's speed is not known."""
    model = config.models[load.model]
    speed, factor = model.tokens_per_second, 1
    if speed is None and model.engine == "vllm":
        speed, factor = config.estimate.gpu_tokens_per_second, model.gpus
    if speed is None:
        return None
    seconds = (load.prompt - load.cached) / speed.prompt + load.output / speed.output
    return seconds / factor / 3600


def dollars(load: Load, model: Model) -> float | None:
    """Price of a load in US dollars; None if the model has no price."""
    prices = model.prices
    if not (prices.input or prices.output):
        return None
    cached = prices.input if prices.cached_input is None else prices.cached_input
    fresh = load.prompt - load.cached
    return (fresh * prices.input + load.cached * cached + load.output * prices.output) / 1e6


def shared_prefix(first: str, second: str) -> int:
    """Count the characters with which two texts begin alike."""
    low, high = 0, min(len(first), len(second))
    while low < high:
        middle = (low + high + 1) // 2
        if first[low:middle] == second[low:middle]:
            low = middle
        else:
            high = middle - 1
    return low


def _synthesis_stages(basis: Basis) -> Iterator[Stage]:
    """Give the first questions of every stage; what they show of earlier stages is that of known records."""
    config = basis.config
    shown = {record.topology: answers_of(record) for record in read_starter().records}
    for name, source in config.corpus.sources.items():
        if source.kind != "synthesised":
            continue
        works = works_of(name, source, source.domains[0])
        earlier = {work.work_id: shown[work.topology] for work in works}
        for stage in STAGES:
            first = Synthesis(config, basis.material.prompts, name, stage, works, earlier)
            cells = len(source.domains)
            yield Stage(source.model, "stage", first.requests(), cells, times=cells, is_scaled=False)


def _opinion_stages(basis: Basis) -> Iterator[Stage]:
    """Give the questions on the sample's triplets; each stands for its share of those that will be drawn."""
    config, material = basis.config, basis.material
    if config.validation is None:
        return
    records = {record.id: record for record in material.records}
    triplets = draw_triplets(records.values(), material.rewrites, config.validation).triplets
    if not triplets:  # nothing is rewritten yet: the shipped corpus stands in
        records = {record.id: record for record in read_starter().records}
        triplets = draw_triplets(records.values(), {}, config.validation).triplets
    wanted = min(config.validation.per_topology * len(TOPOLOGIES), basis.records)
    for model in config.validation.models:
        asked = MetaJudging(config, material.prompts, model, records, triplets).requests()
        yield Stage(model, "opinion", asked, 1, times=wanted / max(len(triplets), 1), is_scaled=False)


def _reference_stages(basis: Basis) -> Iterator[Stage]:
    config, material = basis.config, basis.material
    cells = [cell for block in config.blocks for cell in cells_of(config, block)]
    tiers: dict[tuple[str, str], list[str]] = {}
    for file in reference_files(config, cells):
        if isinstance(config.references[file.name], DerivedReference):
            tiers.setdefault((file.name, file.model), []).append(file.tier)
    for (name, model), of_file in tiers.items():
        derivation = Derivation(material, name, model)
        asked = (
            derivation.request(record, tier)
            for record in material.records
            for tier in config.tiers
            if tier in of_file
        )
        yield Stage(model, "reference", asked, len(of_file))


def _add(load: Load, stage: Stage, basis: Basis, answers: Measured) -> None:
    model = basis.config.models[stage.model]
    per_token = basis.config.estimate.characters_per_token
    weight = stage.times * (basis.scale if stage.is_scaled else 1)
    each = stage.answer or _assumed(stage.role, basis.config, stage.model)
    load.cells += stage.cells
    seen: set[str] = set()
    before = ""
    for request in stage.requests:
        text = _text(request, model)
        if text and not request.is_sampled:
            if text in seen:
                continue
            seen.add(text)
        load.requests += weight
        load.output += weight * each if model.engine != "simulated" else 0
        load.prompt += weight * len(text) / per_token
        load.cached += weight * shared_prefix(before, text) / per_token
        before = text
        usage = answers.get((stage.model, stage.role, request.item))
        if usage is not None and text:
            load.comparison = load.comparison or Comparison()
            load.comparison.answers += 1
            load.comparison.prompt_estimated += len(text) / per_token
            load.comparison.prompt_measured += usage.prompt_tokens
            load.comparison.output_estimated += each
            load.comparison.output_measured += usage.completion_tokens


def _text(request: Request, model: Model) -> str:
    """Give all that a model reads; nothing for a simulated one."""
    if request.typed is not None:
        return "\n".join(str(part) for part in request.typed.values())
    return "\n".join(message["content"] for message in sent_messages(request.messages, model.system_role))


def _assumed(role: Role, config: RunConfig, model: str) -> int:
    """Give the tokens of an answer: as the model states, else as assumed."""
    assumed: int = config.models[model].answer_tokens or getattr(config.estimate.answer_tokens, role)
    return assumed


def _settle_output(load: Load) -> None:
    """Give answers the length that was measured on this run, if some were."""
    if load.comparison is not None and load.output:
        load.output = load.requests * load.comparison.output_measured / load.comparison.answers
        load.is_measured = True
