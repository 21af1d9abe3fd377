"""What each grain of asking jobs saves: server starts, prompt tokens computed, time.

A small real model judges plans of records of the starter corpus by two generators, under two conditions:
once with a job for all of a judge's cells, once with a job for each generator, once with a job for each cell.
Every job starts a server of its own, as on a cluster. A prompt token counts as computed unless the server
took it from its prefix cache. The least possible is counted with the model's own tokenizer: each prefix that
prompts of one server share once.

    python benchmarks/job_grain.py --records 2
    python benchmarks/job_grain.py --records 36 --tiers easy,medium,hard --count-only
"""

from __future__ import annotations

import json
import os
import sys
import tempfile
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.request import ProxyHandler, Request, build_opener

import click

from plumbline.config.cells import Cell, lane_cells, lanes_of
from plumbline.config.loading import load_config
from plumbline.config.settings import RunConfig
from plumbline.corpora.sources import read_source
from plumbline.judging.requests import Material, questions
from plumbline.judging.verdicts import ask_verdicts
from plumbline.models import Reply, find_outcomes, serve
from plumbline.models.engines import Endpoint
from plumbline.models.prompts import PromptSet
from plumbline.plans.perturb import perturb

ROOT = Path(__file__).parents[1]
LANES = ("judge", "generator", "cell")
JUDGE, BLOCK = "small", "main"
EMBEDDED = {"engine": "embedded", "embedded": {"backend": "llamacpp", "threads": 1}, "context_length": 8192}
FAULTS = {
    "first": ["none", "drop_call", "extra_call", "swap_calls", "replace_tool"],
    "second": ["drop_argument", "add_argument", "rename_argument", "empty_plan"],
}
CONDITIONS = {
    "with_gt": {"prompt": "judge_with_gt", "reference": "expected"},
    "without_gt": {"prompt": "judge_without_gt", "reference": "none"},
}
WANTED = 2.5
"""How many times fewer prompt tokens a job for all cells is to compute than jobs of one cell."""


@dataclass
class Grain:
    """What one grain took; `least` is the least possible for servers that end with their job."""

    lane: str
    starts: int = 0
    prompts: int = 0
    prompt_tokens: int = 0
    computed: int = 0
    least: int = 0
    seconds: float = 0.0


def config_of(lane: str, tiers: Sequence[str], conditions: Sequence[str], model: dict[str, Any]) -> RunConfig:
    """Give the run's configuration with one grain."""
    return load_config(
        {
            "run": "grain",
            "corpus": {"sources": {"starter": {"kind": "starter"}}},
            "tiers": list(tiers),
            "models": {JUDGE: model},
            "generators": {name: {"faults": faults} for name, faults in FAULTS.items()},
            "judges": {JUDGE: {"model": JUDGE}},
            "conditions": {name: CONDITIONS[name] for name in conditions},
            "blocks": {BLOCK: {"conditions": list(conditions), "tables": ["coverage"]}},
            "jobs": {"lane": lane},
        }
    )


def material_of(config: RunConfig, count: int) -> Material:
    """Make what the questions are made of: records with short prompts first, and plans with known faults."""
    records, _ = read_source(config, "starter")
    records = sorted(records, key=lambda record: len(record.model_dump_json()))[:count]
    plans = {
        (generator, tier): {
            plan.record_id: plan
            for plan in perturb(records, tier, faults, config.seed, generator, config.tiers)
        }
        for generator, faults in FAULTS.items()
        for tier in config.tiers
    }
    return Material(config, records, {}, plans, PromptSet(ROOT / "prompts"))


def tokens_of(endpoint: Endpoint, engine: str, messages: Sequence[Any]) -> tuple[int, ...]:
    """Give a prompt's tokens as the server sees them, its chat template applied."""
    if engine == "vllm":
        return tuple(_post(endpoint, "/tokenize", model=endpoint.model_name, messages=messages)["tokens"])
    text = _post(endpoint, "/apply-template", messages=messages)["prompt"]
    return tuple(_post(endpoint, "/tokenize", content=text, parse_special=True)["tokens"])


def _post(endpoint: Endpoint, path: str, **body: Any) -> Any:
    address = endpoint.base_url.removesuffix("/v1") + path
    headers = {"Authorization": f"Bearer {endpoint.api_key}", "Content-Type": "application/json"}
    request = Request(address, json.dumps(body).encode(), headers)
    with build_opener(ProxyHandler({})).open(request, timeout=60) as response:
        return json.load(response)


def least_tokens(prompts: Iterable[tuple[int, ...]]) -> int:
    """Count the tokens that are computed if every prefix shared by two prompts is computed once.

    Parameters
    ----------
    prompts
        Token by token. Of a prompt that is there twice the last token is computed again: a server needs it
        for the first token of its answer. This is left out, as every prompt ends in tokens of its own.
    """
    total, previous = 0, ()
    for prompt in sorted(set(prompts)):
        shared = next((n for n, (a, b) in enumerate(zip(prompt, previous, strict=False)) if a != b), None)
        total += len(prompt) - (min(len(prompt), len(previous)) if shared is None else shared)
        previous = prompt
    return total


def requests_of(material: Material, cells: Sequence[Cell]) -> list[Any]:
    """List the requests of some cells."""
    return [request for question in questions(material, cells) for request in question.requests]


def lanes(config: RunConfig) -> list[tuple[str, list[Cell]]]:
    """List the jobs of a grain with their cells."""
    return [(name, lane_cells(config, JUDGE, BLOCK, name)) for name in lanes_of(config, JUDGE, BLOCK)]


def count(config: RunConfig, material: Material, tokens: dict[Any, tuple[int, ...]]) -> Grain:
    """Count what a grain needs at least; an answer that an earlier job has is not asked for again."""
    grain, asked = Grain(config.jobs.lane), set()
    for _, cells in lanes(config):
        new = {request.messages[-1]["content"] for request in requests_of(material, cells)} - asked
        asked |= new
        grain.starts += bool(new)
        grain.prompts += len(new)
        grain.prompt_tokens += sum(len(tokens[text]) for text in new)
        grain.least += least_tokens(tokens[text] for text in new)
    return grain


def measure(grain: Grain, config: RunConfig, material: Material, folder: Path) -> None:
    """Run the jobs of a grain; note what their servers computed."""
    model, counted = config.models[JUDGE], set()
    for name, cells in lanes(config):
        start = time.perf_counter()
        ask_verdicts(material, JUDGE, cells, journal=folder, lane=f"grain.{name}")
        grain.seconds += time.perf_counter() - start
        for request, reply in find_outcomes(requests_of(material, cells), JUDGE, model, journal=folder):
            key = request.key(JUDGE, model)
            if key not in counted:
                assert isinstance(reply, Reply) and reply.usage is not None, f"{request.item}: {reply}"
                assert reply.usage.cached_tokens is not None, "the server reports no cached tokens"
                grain.computed += reply.usage.prompt_tokens - reply.usage.cached_tokens
            counted.add(key)


def table(grains: Sequence[Grain], is_measured: bool) -> str:
    """Lay the numbers out, each grain beside the jobs of one cell."""
    cell = grains[-1]
    least = min(grain.least for grain in grains)
    rows = ["lane       starts  prompts   prompt tok.  least possible"]
    rows[0] += "    computed  fewer  of least  time" * is_measured
    for grain in grains:
        row = f"{grain.lane:10}{grain.starts:7}{grain.prompts:9}{grain.prompt_tokens:14,}{grain.least:16,}"
        if is_measured:
            fewer, over = cell.computed / grain.computed, grain.computed / least
            row += f"{grain.computed:12,}{fewer:7.2f}{over:10.2f}{grain.seconds / cell.seconds:6.2f}"
        rows.append(row)
    return "\n".join(rows)


@click.command()
@click.option(
    "--model", "section", default=json.dumps(EMBEDDED), show_default=True, help="Its settings, JSON."
)
@click.option("--records", default=2, show_default=True, help="Records, those with short prompts first.")
@click.option("--tiers", default="easy,hard", show_default=True, help="Tiers, with commas.")
@click.option("--conditions", default=",".join(CONDITIONS), show_default=True, help="With commas.")
@click.option("--lanes", "names", default=",".join(LANES), show_default=True, help="Grains, with commas.")
@click.option("--answer-tokens", default=1, show_default=True, help="Longest answer.")
@click.option("--concurrency", default=2, show_default=True, help="Requests in flight.")
@click.option("--count-only", is_flag=True, help="Count the least possible, ask nothing.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def main(
    section: str,
    records: int,
    tiers: str,
    conditions: str,
    names: str,
    answer_tokens: int,
    concurrency: int,
    count_only: bool,
    as_json: bool,
) -> None:
    """Compare the grains; exits with 1 if the coarsest does not compute 2.5 times fewer prompt tokens."""
    model = json.loads(section)
    model |= {"concurrency": concurrency, "decoding": {"max_tokens": answer_tokens}}
    os.chdir(ROOT)
    tiers_, conditions_ = tiers.split(","), conditions.split(",")
    configs = [config_of(lane, tiers_, conditions_, model) for lane in names.split(",")]
    material = material_of(configs[0], records)
    everything = [cell for _, cells in lanes(configs[0]) for cell in cells]
    asked = requests_of(material, everything)
    texts = {request.messages[-1]["content"]: request.messages for request in asked}
    with serve(JUDGE, configs[0].models[JUDGE]) as endpoint:
        tokens = {text: tokens_of(endpoint, model["engine"], said) for text, said in texts.items()}
    grains = [count(config, material, tokens) for config in configs]
    if not count_only:
        for config, grain in zip(configs, grains, strict=True):
            with tempfile.TemporaryDirectory() as folder:
                measure(grain, config, material, Path(folder))
    print(json.dumps([vars(grain) for grain in grains]) if as_json else table(grains, not count_only))
    wanted = "least" if count_only else "computed"
    took = {grain.lane: getattr(grain, wanted) for grain in grains}
    sys.exit("judge" in took and "cell" in took and took["cell"] < WANTED * took["judge"])


if __name__ == "__main__":
    main()
