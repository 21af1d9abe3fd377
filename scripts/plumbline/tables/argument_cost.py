"""What judging costs: prompts, tokens and time of every input and of every reference."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pandas as pd

from plumbline.records.statuses import NO_ANSWER
from plumbline.tables.argument_estimates import table_of
from plumbline.tables.argument_gaps import CELL
from plumbline.tables.argument_inputs import ArgumentInputs
from plumbline.tables.argument_references import SLOT, reader_key, readers
from plumbline.tables.collect_arguments import TOKENS
from plumbline.tables.result import Column, TableResult

COPIES = ("value_only", "swap")
"""References that no model was asked for: they are made from another one."""

NOT_SENT = ("not_asked", "overflow")
"""Statuses of what no server saw."""

TOKENS_TOLD = (
    "Tokens as each server counted them. Equal prompts of a judge are sent once at temperature 0: cache,"
    " output and times are those of the prompts that were sent, each in the first row that asks it."
)
TIMES_TOLD = (
    "Times: while a job has n requests in flight each is given 1/n of every second, so the times of a model"
    " add up to what its jobs kept it busy. The start of a server and waits for a limit are no part of them;"
    " what other jobs asked of the same server is. They depend on the machine and on `concurrency`: compare"
    " them within one run."
)

NO_TOKENS = "the server did not say"
SHARED = "all of its answers stand in rows above"
NO_TIMES = "answers that were drawn, imported or written by an earlier version have no time"


def cost_table(inputs: ArgumentInputs) -> TableResult:
    """Show what inputs and references cost in prompts, tokens and time (Table 12, D48).

    Returns
    -------
    TableResult
        `judge` (or the model that wrote the reference), `dataset`, `input` or `reference`, `asked`, `prompts`
        (sent for them: equal ones once, in the first row), `candidates` (labelled values that share a
        reference, on average), `longest` and `mean` input in tokens as the server counted them; of the
        prompts sent: `cached` (percent of their tokens that came from its cache), `output` (mean tokens),
        `seconds` (mean that the server worked on one), `minutes` (on all). Times are missing unless every
        answer has one.
    """
    columns = {
        "judge": Column("Judge or author"),
        "dataset": CELL["dataset"],
        "input": CELL["input"],
        "reference": Column("Reference", help="A prompt of a model that writes references."),
        "asked": Column("Asked", help="Judgments that a model was asked for, or references."),
        "prompts": Column("Prompts", help="Sent for this row: equal ones once, in the first row."),
        "candidates": Column("Candidates", digits=2, help="Labelled values that share a prompt."),
        "longest": Column("Longest", "tokens", 0),
        "mean": Column("Mean", "tokens", 0),
        "cached": Column("From cache", "%", 1, "Share of the prompt tokens that the server had computed."),
        "output": Column("Output", "tokens", 1, "Mean tokens of an answer."),
        "seconds": Column("A prompt", "s", 3, "Mean time that the server worked on a prompt."),
        "minutes": Column("All", "min", 1, "Time that the server worked on all prompts of the row."),
    }
    rows = [*_of_inputs(inputs), *_of_references(inputs)]
    return table_of(rows, columns, (TOKENS_TOLD, TIMES_TOLD))


def _of_inputs(inputs: ArgumentInputs) -> Iterator[dict[str, Any]]:
    judged = inputs.rows[~inputs.rows["status"].isin(NOT_SENT)]
    # equal prompts at temperature 0 have one answer, which counts where it stands first
    first = judged["answer"].isna() | ~judged.duplicated(["judge", "answer"])
    for (judge, dataset, name), found in judged.groupby(["judge", "dataset", "input"], sort=False):
        if judge in inputs.panel:
            sent = found[first[found.index]]
            yield {
                "judge": judge,
                "dataset": dataset,
                "input": inputs.arm(str(name)),
                "reference": None,
                "reference_reason": "an input",
                "asked": len(found),
                "prompts": len(sent),
                "candidates": None,
                "candidates_reason": "an input shows one value",
                **_cost(found, sent),
            }


def _of_references(inputs: ArgumentInputs) -> Iterator[dict[str, Any]]:
    made = inputs.references
    made = made[made["model"].notna() & ~made["status"].isin(NOT_SENT) & ~made["kind"].isin(COPIES)]
    for (model, dataset, name), found in made.groupby(["model", "dataset", "reference"], sort=False):
        read = readers(inputs, str(dataset), found)
        prompts = _prompts(found, read)
        labelled = int((read["label"] != "unlabelled").sum())
        candidates = labelled / len(prompts) if labelled else None
        yield {
            "judge": model,
            "dataset": dataset,
            "input": None,
            "input_reason": "a reference",
            "reference": name,
            "asked": len(prompts),
            "prompts": len(prompts),
            "candidates": candidates,
            "candidates_reason": None if candidates else "no labelled value",
            **_cost(prompts, prompts),
        }


def _prompts(found: pd.DataFrame, read: pd.DataFrame) -> pd.DataFrame:
    """Keep one line of each prompt: the items of a slot that have one value share it."""
    if reader_key(found) != ["item_id"]:
        return found
    values = found.merge(read[["item_id", "value"]], on="item_id")
    return values.drop_duplicates([*SLOT, "value"])


def _cost(asked: pd.DataFrame, sent: pd.DataFrame) -> dict[str, Any]:
    """Give how long what was asked is, and what the prompts that were sent for it took."""
    tokens = sent[TOKENS].astype("Float64")
    said = tokens[tokens["prompt_tokens"].notna() & tokens["cached_tokens"].notna()]
    total = float(said["prompt_tokens"].sum())
    lengths = asked["prompt_tokens"].astype("Float64")
    counts: dict[str, Any] = {
        "longest": lengths.max(),
        "mean": lengths.mean(),
        "cached": 100 * float(said["cached_tokens"].sum()) / total if total else None,
        "output": tokens["completion_tokens"].mean(),
    }
    answered = sent.loc[~sent["status"].isin(NO_ANSWER), "seconds"]
    timed = len(answered) > 0 and bool(answered.notna().all())
    times: dict[str, Any] = {
        "seconds": answered.mean() if timed else None,
        "minutes": answered.sum() / 60 if timed else None,
    }
    numbers = {key: None if pd.isna(value) else float(value) for key, value in (counts | times).items()}
    reasons: dict[str, str | None] = {}
    for key, value in numbers.items():
        why = NO_TIMES if key in times else NO_TOKENS
        if not len(sent):
            why = SHARED
        reasons[f"{key}_reason"] = None if value is not None else why
    return {**numbers, **reasons}
