"""What a change in a setting, a prompt or the library makes again: dry runs after a finished run."""

from __future__ import annotations

import copy
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from project_copy import copy_project, planned_jobs, run_snakemake
from standin import StandIn

CONFIG = """
run: finished
corpus:
  sources:
    starter: {kind: starter, count: 2}
tiers: [hard]
models:
  served: {engine: endpoint, base_url: "http://127.0.0.1:9/v1", model: judge}
  drawn: {engine: simulated}
rewrites: {model: drawn}
generators:
  perturb: {faults: [none, empty_plan]}
  written: {model: served}
judges:
  served: {model: served}
  drawn: {model: drawn}
conditions:
  with_gt: {prompt: judge_with_gt, reference: expected}
  without_gt: {prompt: judge_without_gt}
  warm: {prompt: judge_without_gt, decoding: {temperature: 0.7}}
blocks:
  main:
    judges: [served, drawn]
    generators: [perturb, written]
    conditions: [with_gt, without_gt]
    tables: [alignment, coverage]
  ablation:
    judges: [served]
    generators: [perturb]
    conditions: [warm]
    tables: [alignment]
"""
Config = dict[str, Any]
LAST = {"manifest": 1, "front_page": 1, "all": 1}
MAIN_TABLES = {"table_alignment": 1, "table_coverage": 1}
ALL_TABLES = {"table_alignment": 2, "table_coverage": 1}
# A lane has one stamp: when a cell of it is asked anew, all its cells are read again.
ABLATION = {"ask_verdicts": 1, "read_verdicts": 1, "collect_verdicts": 1, "table_alignment": 1}


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Path, Config]]:
    folder = copy_project(tmp_path_factory.mktemp("finished"))
    with StandIn() as server:
        config = yaml.safe_load(CONFIG)
        config["models"]["served"]["base_url"] = server.url
        (folder / "run.yaml").write_text(yaml.safe_dump(config, sort_keys=False))
        run_snakemake(folder, "--configfile", "run.yaml")
        yield folder, config


def planned(folder: Path, config: Config) -> dict[str, int]:
    (folder / "changed.yaml").write_text(yaml.safe_dump(config, sort_keys=False))
    output = run_snakemake(folder, "--configfile", "changed.yaml", "-n").stdout
    jobs = {} if "Nothing to be done" in output else planned_jobs(output)
    jobs.pop("claims", None)  # the page of claims is made again with any table that it reads
    return jobs


def put(*path: Any) -> Callable[[Config], None]:
    """A change that sets the value at the end of a path."""

    def change(config: Config) -> None:
        *above, key, value = path
        for name in above:
            config = config.setdefault(name, {})
        config[key] = value

    return change


def change_the_server(config: Config) -> None:
    config["models"]["served"] |= {
        "base_url": "http://127.0.0.1:8/v1",
        "concurrency": 3,
        "max_attempts": 9,
        "read_timeout_s": 5.0,
        "requests_per_minute": 600,
        "context_length": 4096,  # the server is not ours: it alone says what is too long
        "prices": {"input": 3.0},
    }


def rename_judge(config: Config) -> None:
    config["judges"] = {"other": config["judges"]["served"], "drawn": config["judges"]["drawn"]}
    config["blocks"]["main"]["judges"] = ["other", "drawn"]
    config["blocks"]["ablation"]["judges"] = ["other"]


def add_judge_to_the_ablation(config: Config) -> None:
    config["judges"]["second"] = {"model": "served", "decoding": {"max_tokens": 99}}
    config["blocks"]["ablation"]["judges"] = ["served", "second"]


def add_generator_to_the_ablation(config: Config) -> None:
    config["generators"]["perturb_drop"] = {"faults": ["drop_call"]}
    config["blocks"]["ablation"]["generators"] = ["perturb", "perturb_drop"]


SERVED = ("models", "served")
CHANGES: dict[str, tuple[Callable[[Config], None], dict[str, int]]] = {
    "address, speed, limits and prices of a server": (change_the_server, LAST),
    "one more table": (
        put("blocks", "main", "tables", ["alignment", "coverage", "gt_lift"]),
        {"table_gt_lift": 1, **LAST},
    ),
    "the seed of the intervals": (put("bootstrap", "seed", 7), ALL_TABLES | LAST),
    "a model's decoding": (
        put(*SERVED, "decoding", {"max_tokens": 77}),
        {"ask_plans": 1, "read_plans": 1, "score_plans": 1, "collect_plans": 1}
        | {"ask_verdicts": 3, "read_verdicts": 9, "collect_verdicts": 2}
        | ALL_TABLES
        | LAST,
    ),
    "a condition's decoding": (put("conditions", "warm", "decoding", {"temperature": 0.8}), ABLATION | LAST),
    "a judge's name": (
        rename_judge,
        {"ask_verdicts": 2, "read_verdicts": 5, "collect_verdicts": 2} | ALL_TABLES | LAST,
    ),
    "whether plans without calls are judged": (
        put("plans", "zero_calls", "exclude"),
        {"ask_verdicts": 3, "read_verdicts": 9, "collect_verdicts": 2} | ALL_TABLES | LAST,
    ),
    # the simulated judge's requests carry the scores; those of the other do not
    "how plans are scored": (
        put("scoring", "repeated_expected", "first"),
        {"score_plans": 2, "collect_plans": 2, "collect_verdicts": 2}
        | {"ask_verdicts": 1, "read_verdicts": 4}
        | ALL_TABLES
        | LAST,
    ),
    # a greedy judge is asked once, however its answer is read
    "how verdicts are read": (
        put("verdicts", "off_scale", "keep"),
        {"ask_verdicts": 1, "read_verdicts": 9, "collect_verdicts": 2} | ALL_TABLES | LAST,
    ),
    "the order of a prompt's blocks": (
        put("prompts", "block_order", ["query", "tools", "plan", "expected"]),
        {"ask_verdicts": 2, "read_verdicts": 5, "collect_verdicts": 2} | ALL_TABLES | LAST,
    ),
    "a judge of the ablation": (
        add_judge_to_the_ablation,
        {"ask_verdicts": 1, "read_verdicts": 1, "collect_verdicts": 1, "table_alignment": 1} | LAST,
    ),
    "a generator of the ablation": (
        add_generator_to_the_ablation,
        {"perturb_plans": 1, "score_plans": 1, "collect_plans": 1} | ABLATION | {"read_verdicts": 2} | LAST,
    ),
}


def test_nothing_is_left_to_do(finished: tuple[Path, Config]) -> None:
    folder, config = finished
    assert planned(folder, config) == {}


@pytest.mark.parametrize(("change", "expected"), CHANGES.values(), ids=CHANGES.keys())
def test_a_setting_makes_again_what_it_can_change(
    finished: tuple[Path, Config], change: Callable[[Config], None], expected: dict[str, int]
) -> None:
    folder, config = finished
    config = copy.deepcopy(config)
    change(config)
    assert planned(folder, config) == expected


FILES = {
    "prompts/judge_with_gt.user.md": {"ask_verdicts": 1, "read_verdicts": 4, "collect_verdicts": 1}
    | MAIN_TABLES
    | LAST,
    "prompts/generator.system.md": {"ask_plans": 1, "read_plans": 1, "score_plans": 1, "collect_plans": 1}
    | {"ask_verdicts": 2, "read_verdicts": 8, "collect_verdicts": 1}
    | MAIN_TABLES
    | LAST,
    "scripts/plumbline/judging/reading.py": {"read_verdicts": 9, "collect_verdicts": 2} | ALL_TABLES | LAST,
}
SOURCES = {
    "scripts/plumbline/plans/faults.py": "perturb_plans",
    "resources/starter/logistics.yaml": "read_source",
}


def planned_after_a_change(finished: tuple[Path, Config], name: str) -> dict[str, int]:
    folder, config = finished
    file = folder / name
    kept, before = file.read_bytes(), file.stat()
    file.write_bytes(kept + b"\n# a change\n")
    try:
        return planned(folder, config)
    finally:
        file.write_bytes(kept)
        os.utime(file, ns=(before.st_atime_ns, before.st_mtime_ns))


@pytest.mark.parametrize("name", FILES)
def test_a_file_makes_again_what_it_can_change(finished: tuple[Path, Config], name: str) -> None:
    assert planned_after_a_change(finished, name) == FILES[name]


@pytest.mark.parametrize(("name", "job"), SOURCES.items())
def test_the_corpus_and_its_faults_are_noticed(finished: tuple[Path, Config], name: str, job: str) -> None:
    assert planned_after_a_change(finished, name)[job] >= 1
