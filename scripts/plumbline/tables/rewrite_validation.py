"""What meta-judges say of the rewrites, how far they agree, and what a program finds lost (A49 to A51)."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd

from plumbline.corpora.rewrite_losses import CHECKS, losses
from plumbline.corpora.tier_queries import REWRITTEN
from plumbline.records import CRITERIA, Opinion
from plumbline.tables.corpus_inputs import CorpusInputs
from plumbline.tables.result import Column, TableResult

NONE = "This run has no meta-judges: name models under `validation.models`."
NOTHING = "no triplet that every meta-judge answered"


def yes_rates(inputs: CorpusInputs) -> TableResult:
    """Give the share of yes of each meta-judge on each criterion (A49).

    Returns
    -------
    TableResult
        `criterion`, `model`, `yes`, `no`, `yes_pct`, `n` (ok answers), `lost` (answers without a reading).
    """
    rows = []
    for criterion in CRITERIA:
        for model in _models(inputs):
            told = [opinion for opinion in inputs.opinions if opinion.model == model]
            answers = [getattr(opinion, criterion) for opinion in told if opinion.status == "ok"]
            yes, n = sum(answers), len(answers)
            share = 100 * yes / n if n else None
            reason = None if n else "no answer could be read"
            rows.append((criterion, model, yes, n - yes, share, reason, n, len(told) - n))
    names = ["criterion", "model", "yes", "no", "yes_pct", "yes_pct_reason", "n", "lost"]
    columns = {
        "criterion": Column("Criterion"),
        "model": Column("Meta-judge"),
        "yes": Column("Yes", digits=0),
        "no": Column("No", digits=0),
        "yes_pct": Column("Yes", "%", 1),
        "n": Column("N", digits=0, help="Triplets with a readable answer."),
        "lost": Column("Lost", digits=0, help="Triplets whose answer could not be read."),
    }
    return TableResult(_floats(pd.DataFrame(rows, columns=names)), columns, _notes(inputs))


def unanimity(inputs: CorpusInputs) -> TableResult:
    """Count where all meta-judges say yes, all say no, or differ (A50).

    Returns
    -------
    TableResult
        `criterion`, `all_yes`, `all_no`, `mixed`, `unanimity_pct`, `n`: triplets that all of them answered.
    """
    rows = [(criterion, *_counts(_answers(inputs, _models(inputs), criterion))) for criterion in CRITERIA]
    names = ["criterion", "all_yes", "all_no", "mixed", "unanimity_pct", "n"]
    frame = pd.DataFrame(rows, columns=names)
    why = NOTHING if len(_models(inputs)) > 1 else "needs two meta-judges"
    frame["unanimity_pct_reason"] = frame["unanimity_pct"].isna().map({True: why, False: None})
    columns = {
        "criterion": Column("Criterion"),
        "all_yes": Column("All yes", digits=0),
        "all_no": Column("All no", digits=0),
        "mixed": Column("Mixed", digits=0),
        "unanimity_pct": Column("Unanimous", "%", 1),
        "n": Column("N", digits=0, help="Triplets that every meta-judge answered."),
    }
    return TableResult(_floats(frame), columns, _notes(inputs))


def without_one(inputs: CorpusInputs) -> TableResult:
    """Give unanimity without each of the meta-judges in turn, on the same triplets (A51).

    Returns
    -------
    TableResult
        `criterion`, `without`, `rest_unanimity_pct`, `all_unanimity_pct`, `delta_pp`, `n`.
    """
    models = _models(inputs)
    rows = []
    for criterion in CRITERIA:
        table = _answers(inputs, models, criterion)
        *_, everyone, n = _counts(table)
        for model in models:
            *_, rest, _ = _counts(table.drop(columns=model)) if len(models) > 2 else (None, None)
            delta = None if rest is None or everyone is None else rest - everyone
            rows.append((criterion, model, rest, everyone, delta, n))
    names = ["criterion", "without", "rest_unanimity_pct", "all_unanimity_pct", "delta_pp", "n"]
    frame = pd.DataFrame(rows, columns=names)
    why = NOTHING if len(models) > 2 else "needs three meta-judges"
    frame["reason"] = frame["delta_pp"].isna().map({True: why, False: None})
    columns = {
        "criterion": Column("Criterion"),
        "without": Column("Without"),
        "rest_unanimity_pct": Column("The others unanimous", "%", 1),
        "all_unanimity_pct": Column("All unanimous", "%", 1),
        "delta_pp": Column("Difference", "pp", 1, "What leaving this meta-judge out adds."),
        "n": Column("N", digits=0, help="Triplets that every meta-judge answered."),
    }
    return TableResult(_floats(frame), columns, _notes(inputs))


def program_losses(inputs: CorpusInputs) -> TableResult:
    """Set what a program finds lost in rewrites beside what meta-judges say of them (A6, A49).

    Returns
    -------
    TableResult
        `tier`, `check`, `rewrites`, `flagged`, `flagged_pct`, and the share of answers that calls are not
        preserved among flagged (`no_flagged_pct`) and other (`no_other_pct`) triplets.
    """
    records = {record.id: record for record in inputs.records}
    rows = []
    for tier in REWRITTEN:
        found = [
            (triplet.record_id, losses(records[triplet.record_id], tier, getattr(triplet, tier)))
            for triplet in inputs.triplets
            if triplet.record_id in records
        ]
        answers = [
            (opinion.record_id, getattr(opinion, f"{tier}_preserves_calls"))
            for opinion in inputs.opinions
            if opinion.status == "ok"
        ]
        for check, words in CHECKS.items():
            flagged = {name for name, lost in found if lost[check]}
            sides = [
                [not kept for name, kept in answers if (name in flagged) is side] for side in (True, False)
            ]
            shares = [100 * sum(side) / len(side) if side else None for side in sides]
            share = 100 * len(flagged) / len(found) if found else None
            rows.append((tier, check, len(found), len(flagged), share, *shares, words))
    names = [
        "tier",
        "check",
        "rewrites",
        "flagged",
        "flagged_pct",
        "no_flagged_pct",
        "no_other_pct",
        "meaning",
    ]
    frame = pd.DataFrame(rows, columns=names)
    frame["reason"] = (
        frame[names[4:7]].isna().any(axis=1).map({True: "no such rewrite or answer", False: None})
    )
    columns = {
        "tier": Column("Tier"),
        "check": Column("Check"),
        "rewrites": Column("Rewrites", digits=0),
        "flagged": Column("Flagged", digits=0),
        "flagged_pct": Column("Flagged", "%", 1),
        "no_flagged_pct": Column("Not preserved, flagged", "%", 1, "Answers of all meta-judges."),
        "no_other_pct": Column("Not preserved, others", "%", 1, "Answers of all meta-judges."),
        "meaning": Column("Meaning"),
    }
    note = "The checks match texts and ask no model; a good paraphrase can be flagged."
    return TableResult(_floats(frame), columns, (note, *_notes(inputs)))


def _models(inputs: CorpusInputs) -> list[str]:
    return list(inputs.config.validation.models) if inputs.config.validation else []


def _answers(inputs: CorpusInputs, models: Sequence[str], criterion: str) -> pd.DataFrame:
    """Give the answers on one criterion: a row a triplet that all models answered, a column a model."""
    ok: list[Opinion] = [opinion for opinion in inputs.opinions if opinion.status == "ok"]
    frame = pd.DataFrame(
        [(opinion.record_id, opinion.model, getattr(opinion, criterion)) for opinion in ok],
        columns=["record_id", "model", "answer"],
    )
    table = frame.pivot_table(index="record_id", columns="model", values="answer", aggfunc="first")
    return table.reindex(columns=list(models)).dropna().astype(bool)


def _counts(table: pd.DataFrame) -> tuple[int, int, int, float | None, int]:
    """Count the triplets: all columns yes, all no, mixed; share of unanimity; all triplets."""
    n = len(table)
    yes, no = int(table.all(axis=1).sum()), int((~table).all(axis=1).sum())
    if table.shape[1] < 2 or not n:
        return 0, 0, 0, None, n
    return yes, no, n - yes - no, 100 * (yes + no) / n, n


def _floats(frame: pd.DataFrame) -> pd.DataFrame:
    for name in frame.columns:
        if name.endswith(("_pct", "_pp")):
            frame[name] = frame[name].astype(float)
    return frame


def _notes(inputs: CorpusInputs) -> tuple[str, ...]:
    settings = inputs.config.validation
    if settings is None:
        return (NONE,)
    counts = pd.Series([triplet.topology for triplet in inputs.triplets], dtype=str).value_counts()
    shapes = ", ".join(f"{name} {count}" for name, count in counts.items())
    drawn = [name for name in settings.models if inputs.config.models[name].engine == "simulated"]
    notes = [f"{len(inputs.triplets):,} triplets ({shapes or 'none'}); seed {settings.seed}."]
    if drawn:
        notes.append(f"Simulation: the answers of {', '.join(drawn)} are made up; no LLM was asked for them.")
    return tuple(notes)
