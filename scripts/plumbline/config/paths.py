"""Every path of a run, spelled once.

Each function gives a path as text. Its arguments are slugs, or Snakemake wildcards such as ``"{run}"``,
which then give the pattern of a rule. `root` is the folder that holds all runs.
"""

from __future__ import annotations

from pathlib import Path

ROOT = Path("results")


def config(run: str, root: Path = ROOT) -> str:
    """File of the resolved settings, JSON."""
    return str(root / run / "config.json")


def manifest(run: str, root: Path = ROOT) -> str:
    """Versions, model revisions, digests, seeds and the configuration as resolved, JSON."""
    return str(root / run / "manifest.json")


def records(run: str, root: Path = ROOT) -> str:
    """Record file of the run, JSON Lines."""
    return str(root / run / "records.jsonl")


def synthesis(run: str, source: str, domain: str, stage: str, root: Path = ROOT) -> str:
    """File of what one stage of a synthesis has of one domain, JSON Lines."""
    return str(root / run / "synthesis" / source / domain / f"{stage}.jsonl")


def synthesis_yield(run: str, source: str, ending: str, root: Path = ROOT) -> str:
    """Table of what came through each stage of a synthesis; `ending` is ``csv`` or ``html``."""
    return str(root / run / "tables" / f"corpus.synthesis_yield.{source}.{ending}")


def rewrites(run: str, model: str, root: Path = ROOT) -> str:
    """Medium and hard queries that `model` wrote, JSON Lines."""
    return str(root / run / "rewrites" / f"{model}.jsonl")


def triplets(run: str, root: Path = ROOT) -> str:
    """Triplets of queries that were drawn for the meta-judges, JSON Lines."""
    return str(root / run / "validation" / "triplets.jsonl")


def opinions(run: str, model: str, root: Path = ROOT) -> str:
    """Answers of one meta-judge on the triplets, JSON Lines."""
    return str(root / run / "validation" / f"{model}.jsonl")


def study_sample(run: str, root: Path = ROOT) -> str:
    """Plans that annotators see, JSON Lines."""
    return str(root / run / "study" / "sample.jsonl")


def study_sheet(run: str, ending: str, root: Path = ROOT) -> str:
    """Annotation sheet; `ending` is ``html`` or ``csv``. Annotators' own files are never below the run."""
    return str(root / run / "study" / f"sheet.{ending}")


def plans(run: str, generator: str, tier: str, root: Path = ROOT) -> str:
    """Plans of one generator and tier, JSON Lines."""
    return str(root / run / "plans" / generator / f"{tier}.jsonl")


def scores(run: str, generator: str, tier: str, root: Path = ROOT) -> str:
    """Programmatic scores of one generator and tier, Parquet."""
    return str(root / run / "scores" / generator / f"{tier}.parquet")


def asked(run: str, judge: str, block: str, lane: str, root: Path = ROOT) -> str:
    """Stamp of a finished ask job; for the block `rewrites` or `references/NAME`, `judge` is a model."""
    return str(root / run / "asked" / judge / block / f"{lane}.done")


def references(run: str, name: str, model: str, tier: str, root: Path = ROOT) -> str:
    """Made references of one tier, that a shuffle (`model` is ``none``) or a model made, JSON Lines."""
    return str(root / run / "references" / name / model / f"{tier}.jsonl")


def prometheus_template(root: Path = ROOT) -> str:
    """Package that holds Prometheus-2's own prompts; all runs share it."""
    return str(root / "sources" / "prometheus_eval.whl")


def verdicts(run: str, judge: str, generator: str, tier: str, condition: str, root: Path = ROOT) -> str:
    """Verdicts of one cell, JSON Lines."""
    return str(root / run / "verdicts" / judge / generator / tier / f"{condition}.jsonl")


def log(run: str, rule: str, *wildcards: str, root: Path = ROOT) -> str:
    """Log of a job, by its rule and the wildcards that its log is named by."""
    return str(root / run / "logs" / rule / f"{'.'.join(wildcards) or rule}.txt")


def states(run: str, dataset: str, root: Path = ROOT) -> str:
    """States of one data set of argument judging, JSON Lines."""
    return str(root / run / "arguments" / dataset / "states.jsonl")


def proposals(run: str, dataset: str, proposer: str, root: Path = ROOT) -> str:
    """Plans for the next call that one proposer wrote at the gold states of a data set, JSON Lines."""
    return str(root / run / "arguments" / dataset / "proposals" / f"{proposer}.jsonl")


def relocated_requests(run: str, dataset: str, root: Path = ROOT) -> str:
    """File of the requests that a rewriter wrote for a relocated data set, JSON Lines."""
    return str(root / run / "arguments" / dataset / "rewritten.jsonl")


def proposed_calls(run: str, dataset: str, root: Path = ROOT) -> str:
    """Correct and wrong calls of one data set, JSON Lines."""
    return str(root / run / "arguments" / dataset / "calls.jsonl")


def state_contexts(run: str, dataset: str, root: Path = ROOT) -> str:
    """File with the rung of the ladder of each state of a data set, JSON Lines."""
    return str(root / run / "arguments" / dataset / "contexts.jsonl")


def argument_items(run: str, dataset: str, root: Path = ROOT) -> str:
    """Argument items of one data set with their label and path, JSON Lines."""
    return str(root / run / "arguments" / dataset / "items.jsonl")


def dataset_page(run: str, dataset: str, root: Path = ROOT) -> str:
    """Page with the matched source of any item of a data set, HTML."""
    return str(root / run / "arguments" / dataset / "items.html")


def value_references(run: str, dataset: str, name: str, model: str, root: Path = ROOT) -> str:
    """File of one reference for a data set; `model` is ``none`` if no model made it."""
    return str(root / run / "arguments" / dataset / "references" / name / f"{model}.jsonl")


def judgments(run: str, judge: str, dataset: str, name: str, root: Path = ROOT) -> str:
    """Judgments of one argument cell: judge, data set, input; JSON Lines."""
    return str(root / run / "judgments" / judge / dataset / f"{name}.jsonl")


def judged_items(run: str, block: str, root: Path = ROOT) -> str:
    """All judgments of a block of argument judging beside their items, Parquet."""
    return str(root / run / "tables" / f"{block}.judgments.parquet")


def judged_references(run: str, block: str, root: Path = ROOT) -> str:
    """All references that the inputs of a block show, Parquet."""
    return str(root / run / "tables" / f"{block}.references.parquet")


def released_report(run: str, root: Path = ROOT) -> str:
    """Report on the authors' released files and on how their numbers compare with ours, JSON."""
    return str(root / run / "released.json")


def scored_plans(run: str, block: str, root: Path = ROOT) -> str:
    """All plans of a block with their programmatic scores, Parquet."""
    return str(root / run / "tables" / f"{block}.plans.parquet")


def scored_verdicts(run: str, block: str, root: Path = ROOT) -> str:
    """All verdicts of a block beside the programmatic scores, Parquet."""
    return str(root / run / "tables" / f"{block}.verdicts.parquet")


def table(
    run: str, block: str, name: str, ending: str, condition: str | None = None, root: Path = ROOT
) -> str:
    """One table; `ending` is ``csv`` or ``html``; tables by condition carry its slug."""
    return str(root / run / "tables" / f"{_stem(block, name, condition)}.{ending}")


def figure(run: str, block: str, name: str, condition: str | None = None, root: Path = ROOT) -> str:
    """One figure, SVG; figures by condition carry its slug."""
    return str(root / run / "figures" / f"{_stem(block, name, condition)}.svg")


def _stem(block: str, name: str, condition: str | None) -> str:
    return ".".join(part for part in (block, name, condition) if part is not None)
