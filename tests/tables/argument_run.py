"""A small run of argument judging as files: items with known labels and paths, scores by a formula."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from plumbline.config.argument_cells import argument_cells, needed_references
from plumbline.config.settings import RunConfig
from plumbline.records import Usage, write_json_lines
from plumbline.records.arguments import (
    PATHS,
    ArgumentItem,
    Judgment,
    ProposedCall,
    Shortened,
    ValueReference,
)
from plumbline.tables.argument_inputs import ArgumentInputs
from plumbline.tables.collect_arguments import JudgedFile, collect_judgments, collect_references

INPUTS: dict[str, dict[str, Any]] = {
    "plain": {},
    "full": {"context": "full"},
    "deref": {"reference": "deref"},
    "deref_full": {"context": "full", "reference": "deref"},
    "value_only": {"reference": "value_only"},
    "swapped": {"reference": "swap"},
    "facts": {"add": "schema_facts"},
    "snippets": {"add": "snippets"},
    "thinking": {"decoding": {"thinking": True}},
    "whole": {"unit": "call"},
}
REFERENCES: dict[str, dict[str, Any]] = {
    "deref": {"kind": "derive_value", "model": "m"},
    "value_only": {"kind": "value_only", "of": "deref"},
    "swap": {"kind": "swap", "of": "deref"},
}
DATASETS: dict[str, dict[str, Any]] = {
    "cfb": {"kind": "local", "states": "s.jsonl", "calls": "c.jsonl"},
    "buried": {"kind": "relocate", "of": "cfb", "placement": "buried"},
    "near": {"kind": "hc", "of": "cfb"},
    "shown": {"kind": "reveal", "of": "cfb"},
    "like": {"kind": "placebo", "of": "cfb"},
}
MADE_BY = {
    "buried": ("rule:relocated_distractor", "rule:relocated_control"),
    "near": ("rule:earlier_value", "rule:control"),
}

SHARED = ("state_id", "query_id", "dataset", "function", "call_id")

Score = Callable[[str, str, ArgumentItem], float | str]


def by_formula(judge: str, name: str, item: ArgumentItem) -> float | str:
    """A score with two decimals, higher for right values and for values in view; a few answers fail."""
    rng = np.random.default_rng([*map(ord, judge + name), *map(ord, item.item_id)])
    if rng.random() < 0.03:
        return "token_missing"
    base = 0.35 + 0.25 * (item.label == "correct") + 0.2 * (item.path == "visible")
    if name.startswith("deref"):
        base += 0.15 * (item.label == "correct")
    return float(np.clip(rng.normal(base, 0.2), 0, 1).round(2))


@dataclass
class ArgumentRun:
    """The run; every part can be changed before `inputs` is called."""

    folder: Path
    queries: int = 12
    labels: tuple[str, ...] = ("correct", "wrong")
    paths: tuple[str, ...] = PATHS
    judges: dict[str, dict[str, Any]] = field(
        default_factory=lambda: {"ada": {"model": "m"}, "bob": {"model": "m"}, "match": {"match": "deref"}}
    )
    inputs: tuple[str, ...] = tuple(INPUTS)
    datasets: tuple[str, ...] = tuple(DATASETS)
    score: Score = by_formula
    replicates: int = 1
    settings: dict[str, Any] = field(default_factory=dict)
    block: dict[str, Any] = field(default_factory=dict)
    engine: str = "endpoint"
    shortened: Callable[[str, str, str], Shortened | None] = lambda judge, name, item_id: None
    path_in: Callable[[str, str], str | None] = lambda name, item_id: None
    seconds: dict[str, float] = field(default_factory=lambda: {"ada": 0.5, "bob": 0.25})

    @property
    def config(self) -> RunConfig:
        at = {"base_url": "http://localhost/v1", "model": "m"}
        model = {"engine": self.engine, **(at if self.engine == "endpoint" else {})}
        chosen = {name: dict(INPUTS[name]) for name in self.inputs}
        if "plain" in chosen:
            chosen["plain"]["replicates"] = self.replicates
        section = {
            "datasets": {name: dict(DATASETS[name]) for name in self.datasets},
            "judges": self.judges,
            "references": REFERENCES,
            "inputs": chosen,
            "blocks": {"main": {"inputs": list(self.inputs), **self.block}},
            "bootstrap": {"resamples": 200},
            "deletion_shares": {"cfb": 0.1},
            **self.settings,
        }
        return RunConfig.model_validate({"run": "small", "models": {"m": model}, "arguments": section})

    def calls(self, dataset: str) -> list[ProposedCall]:
        """A right and a wrong call for each query; a wrong one for each rule in the controlled sets."""
        made = []
        for query in range(self.queries):
            state = f"q{query}"
            gold = f"{state}|gold|0"
            arguments = {path: f"{path}{query}" for path in self.paths}
            common = {"state_id": state, "query_id": state, "dataset": dataset, "function": "find"}
            if "correct" in self.labels:
                made.append(
                    ProposedCall(
                        **common, call_id=gold, arguments=arguments, label="correct", made_by="gold",
                        labels=dict.fromkeys(arguments, "correct"),
                    )
                )  # fmt: skip
            for rule in MADE_BY.get(dataset, ("bot",)) if "wrong" in self.labels else ():
                labels = {
                    path: "unlabelled" if (query + place) % 3 == 0 else "wrong"
                    for place, path in enumerate(self.paths)
                }
                made.append(
                    ProposedCall(
                        **common, call_id=f"{state}|{rule}|0", arguments=arguments, label="wrong",
                        made_by=rule, labels=labels, twin=gold,
                    )
                )  # fmt: skip
        return made

    def items(self, dataset: str) -> list[ArgumentItem]:
        """One for each argument; wrong values differ from right ones, and so do some unlabelled ones.

        An unlabelled value of an even query is the right one, and has it as its twin; that of an odd query
        is spelt in another way, and has none.
        """
        return [
            ArgumentItem(
                item_id=f"{call.call_id}|{name}",
                **{key: getattr(call, key) for key in SHARED},
                parameter=name,
                value=_proposed(value, label, call),
                label=label,
                path=name,
                made_by=call.made_by,
                twin_item=(
                    f"{call.twin}|{name}"
                    if call.twin and (label != "unlabelled" or _is_even(call))
                    else None
                ),
            )
            for call in self.calls(dataset)
            for (name, value), label in zip(call.arguments.items(), call.labels.values(), strict=True)
        ]  # fmt: skip

    def references(self, dataset: str, name: str, model: str) -> list[ValueReference]:
        """The right value of each slot; every fourth states none, every seventh could not be made."""
        made = []
        for query in range(self.queries):
            for place, path in enumerate(self.paths):
                ok = (query + place) % 7 != 0
                stated = ok and (query + place) % 4 != 0
                value = f"{path}{query}"
                made.append(
                    ValueReference(
                        state_id=f"q{query}", function="find", parameter=path, dataset=dataset,
                        reference=name, kind=REFERENCES[name]["kind"], model=model,
                        status="ok" if ok else "empty", text=f"The value is {value}." if ok else None,
                        parsed=stated, parsed_value=value if stated else None,
                        usage=Usage(prompt_tokens=100, completion_tokens=9), seconds=3.0,
                    )
                )  # fmt: skip
        return made

    def judgments(self, judge: str, dataset: str, name: str) -> list[Judgment]:
        """Judge every item, or every call."""
        items = self.items(dataset)
        if INPUTS[name].get("unit") == "call":
            items = [_as_item(call) for call in self.calls(dataset)]
        found = []
        for item in items:
            for replicate in range(self.replicates if name == "plain" else 1):
                answer = self.score(judge, name if replicate == 0 else f"{name}{replicate}", item)
                common = {"item_id": item.item_id, "dataset": dataset, "judge": judge, "input": name}
                common |= {"replicate": replicate, "usage": Usage(prompt_tokens=50, cached_tokens=20)}
                common["seconds"] = self.seconds.get(judge)
                common["path"] = self.path_in(name, item.item_id)
                common["shortened"] = self.shortened(judge, name, item.item_id)
                if isinstance(answer, str):
                    found.append(Judgment(**common, status=answer, lower=0.0, upper=0.4))
                else:
                    found.append(Judgment(**common, status="ok", score=answer))
        return found

    def made(self) -> ArgumentInputs:
        """Write all files and collect them."""
        config, cells = self.config, argument_cells(self.config, "main")
        names = list(dict.fromkeys(cell.dataset for cell in cells))
        files: dict[str, dict[str, Path]] = {"items": {}, "calls": {}}
        for dataset in names:
            for kind, make in (("items", self.items), ("calls", self.calls)):
                files[kind][dataset] = self._write(make(dataset), dataset, kind)
        judged = [
            JudgedFile(*key, self._write(self.judgments(*key), *key))
            for key in ((cell.judge, cell.dataset, cell.input) for cell in cells)
        ]
        references = [
            self._write(self.references(file.dataset, file.name, file.model), "r", file.dataset, file.name)
            for file in needed_references(config, cells)
        ]
        frame = collect_judgments(config, files["items"], files["calls"], judged)
        return ArgumentInputs(config, "main", frame, collect_references(references))

    def _write(self, rows: list[Any], *parts: str) -> Path:
        path = self.folder / ("_".join(parts) + ".jsonl")
        write_json_lines(rows, path)
        return path


def _is_even(call: ProposedCall) -> bool:
    return int(call.query_id.removeprefix("q")) % 2 == 0


def _proposed(value: str, label: str, call: ProposedCall) -> str:
    if label == "unlabelled":
        return value if _is_even(call) else value.upper()
    return value if label == "correct" else f"not {value}"


def _as_item(call: ProposedCall) -> ArgumentItem:
    return ArgumentItem(
        item_id=call.call_id, state_id=call.state_id, query_id=call.query_id, dataset=call.dataset,
        function=call.function, parameter="", label=call.label, path="visible", call_id=call.call_id,
    )  # fmt: skip
