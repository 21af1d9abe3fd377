from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from plumbline.config.settings import RunConfig
from plumbline.records import METRICS, READINGS, Plan, Record, Score, Verdict, write_json_lines, write_table
from plumbline.tables.collect import collect_plans, collect_verdicts
from plumbline.tables.inputs import Inputs

Scores = tuple[float, float, float, float]
Answer = Scores | str


def a_record(name: str, topology: str) -> Record:
    return Record(
        id=name,
        source="tests",
        domain="storage",
        topology=topology,
        queries={"easy": "a", "medium": "b", "hard": "c"},
        tools=(),
        expected_calls=(),
    )


@dataclass
class Experiment:
    """A small experiment as files: each plan and each verdict is four scores, or the status of a failure."""

    folder: Path
    records: dict[str, str]
    plan: Callable[..., Answer]
    verdict: Callable[..., Answer]
    judges: list[str] = field(default_factory=lambda: ["ada", "bob"])
    generators: list[str] = field(default_factory=lambda: ["gen"])
    tiers: list[str] = field(default_factory=lambda: ["easy", "hard"])
    conditions: dict[str, str] = field(default_factory=lambda: {"with_gt": "expected", "without_gt": "none"})
    fault: Callable[..., str | None] = lambda record, tier, generator: None
    calls: int = 1
    replicates: int = 1
    settings: dict[str, Any] = field(default_factory=dict)
    readings: Callable[..., Scores] | None = None
    about: Callable[..., dict[str, Any]] = lambda *cell: {}
    """Further fields of a verdict."""

    @property
    def config(self) -> RunConfig:
        data = {
            "run": "small",
            "corpus": {"sources": {"starter": {"kind": "starter"}}},
            "tiers": self.tiers,
            "models": {"m": {"engine": "simulated"}},
            "generators": {name: {"model": "m"} for name in self.generators},
            "judges": {name: {"model": "m"} for name in self.judges},
            "conditions": {
                name: {"prompt": "judge", "reference": shown, "replicates": self.replicates}
                for name, shown in self.conditions.items()
            },
            "blocks": {"main": {"conditions": list(self.conditions)}},
            "bootstrap": {"resamples": 200},
        }
        return RunConfig.model_validate(data | self.settings)

    def write(self) -> None:
        """Write every file of the run where the scripts look for it."""
        run = self.folder / "results" / "small"
        run.mkdir(parents=True, exist_ok=True)
        (run / "config.json").write_text(self.config.model_dump_json())
        write_json_lines([a_record(*item) for item in self.records.items()], run / "records.jsonl")
        for generator in self.generators:
            for tier in self.tiers:
                self._write_plans(run, generator, tier)
                for judge in self.judges:
                    for condition in self.conditions:
                        self._write_verdicts(run, judge, generator, tier, condition)

    def _write_plans(self, run: Path, generator: str, tier: str) -> None:
        plans, scores = [], []
        for record in self.records:
            answer = self.plan(record, tier, generator)
            key = {"record_id": record, "tier": tier, "generator": generator}
            status = answer if isinstance(answer, str) else "ok"
            calls = None if isinstance(answer, str) else [{"name": "f", "arguments": {"x": 1}}] * self.calls
            fault = self.fault(record, tier, generator)
            plans.append(Plan(**key, status=status, calls=calls, fault=fault, text="words"))
            if not isinstance(answer, str):
                beside = self.readings(record, tier, generator) if self.readings else [None] * len(READINGS)
                numbers = dict(zip([*METRICS, *READINGS], [*answer, *beside], strict=True))
                scores.append(Score(**key, **numbers).model_dump())
        write_json_lines(plans, run / "plans" / generator / f"{tier}.jsonl")
        write_table(
            pd.DataFrame(scores, columns=list(Score.model_fields)),
            run / "scores" / generator / f"{tier}.parquet",
        )

    def _write_verdicts(self, run: Path, judge: str, generator: str, tier: str, condition: str) -> None:
        verdicts = []
        for record in self.records:
            lost = isinstance(self.plan(record, tier, generator), str)
            for replicate in range(self.replicates):
                answer = (
                    "not_asked"
                    if lost
                    else self.verdict(record, tier, generator, judge, condition, replicate)
                )
                status = answer if isinstance(answer, str) else "ok"
                values: dict[str, Any] = {}
                values |= {} if isinstance(answer, str) else dict(zip(METRICS, answer, strict=True))
                key = {"record_id": record, "tier": tier, "generator": generator, "judge": judge}
                values |= self.about(record, tier, generator, judge, condition, replicate)
                verdicts.append(
                    Verdict(
                        **key, condition=condition, replicate=replicate, status=status, text="{", **values
                    )
                )
        write_json_lines(verdicts, run / "verdicts" / judge / generator / tier / f"{condition}.jsonl")

    def inputs(self, condition: str | None = None) -> Inputs:
        self.write()
        run = self.folder / "results" / "small"
        plans = collect_plans(
            run / "records.jsonl", sorted(run.glob("plans/*/*.jsonl")), sorted(run.glob("scores/*/*.parquet"))
        )
        verdicts = collect_verdicts(plans, sorted(run.glob("verdicts/*/*/*/*.jsonl")))
        return Inputs(self.config, "main", verdicts, plans, condition, self.folder / "results")


@pytest.fixture
def experiment(tmp_path: Path) -> Callable[..., Experiment]:
    def make(**changes: Any) -> Experiment:
        changes.setdefault("records", {"a": "linear", "b": "fan_in"})
        changes.setdefault("plan", lambda *cell: (1, 1, 1, 1))
        changes.setdefault("verdict", lambda *cell: (1, 1, 1, 1))
        return Experiment(tmp_path, **changes)

    return make


@pytest.fixture
def random_experiment(tmp_path: Path) -> Experiment:
    """18 records; a fifth of the plans, and of the verdicts, is lost."""

    def draw(*cell: object, lost: list[str], values: list[float]) -> Answer:
        random = np.random.default_rng(list(json.dumps(cell).encode()))
        if random.random() < 0.2:
            return str(random.choice(lost))
        return tuple(float(value) for value in random.choice(values, 4))

    topologies = ["linear", "fan_in", "loop_like", "single"]
    return Experiment(
        tmp_path,
        records={f"r{number:02}": topologies[number % 4] for number in range(18)},
        plan=lambda *cell: draw(
            "plan", *cell, lost=["malformed", "truncated"], values=[0, 0.25, 0.5, 0.75, 1]
        ),
        verdict=lambda *cell: draw("verdict", *cell, lost=["off_scale", "empty"], values=[0, 0.5, 1]),
        generators=["gen", "other"],
        tiers=["easy", "medium", "hard"],
    )
