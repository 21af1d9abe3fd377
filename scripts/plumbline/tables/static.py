"""Tables that rest on no verdict: the paper's notation, models and neighbours (A56)."""

from __future__ import annotations

import pandas as pd

from plumbline.tables.inputs import Inputs
from plumbline.tables.published import published
from plumbline.tables.result import Column, TableResult

SOURCE = Column(
    "Source", help="paper: stated in its text. draft: a table of the authors' earlier public draft."
)

NOT_OURS = "As the paper has it; nothing in this table comes from the run."

NOTATION = (
    ("G = (g_1 .. g_n)", "plan: the calls that a generator proposes, in order", "A8"),
    ("E = (e_1 .. e_m)", "expected trace: the record's verified calls, in order", "A2"),
    ("set(G), set(E)", "sets of tool names in a plan and in the expected trace", "A9"),
    ("A_g, A*_g", "argument keys of a call, and of the expected call of the same tool", "A11"),
    ("p_tool", "tool selection: 1 - (missing + unexpected tools) / expected tools, at least 0", "A9"),
    ("p_seq", "sequence: share of expected positions that hold the expected tool", "A10"),
    ("p_param", "parameter structure: mean over calls of 1 (keys equal), 0.5 (only extra keys), 0", "A11"),
    ("p_cov", "query coverage: share of expected tools that the plan names", "A12"),
    ("p_r", "the four programmatic scores of a plan", "A13"),
    ("mean of p_r", "accuracy of a generator", "A13, A23"),
    ("j, g, d, c", "judge, generator, difficulty tier, condition; together a cell", "A18"),
    ("l_r", "the four scores that a judge gives to a plan, each 0, 0.5 or 1", "A16"),
    ("mu_r = 1 - |p_r - l_r|", "match of a record, mean over the four metrics", "A18"),
    ("N_{g,d}", "plans of a generator and tier that are judged", "A20"),
    ("align(j, g, d, c)", "100 times the mean match of a cell, in percent", "A18"),
    ("lift(j)", "mean alignment with the expected calls minus that without, in points", "A18, A24"),
    ("kappa", "agreement of two judges beyond chance, three marks", "A30"),
    ("rho", "Spearman's rank correlation, mid-ranks for ties", "A27, A31, A45, A52"),
)
"""Symbol, meaning, items."""


def notation_table(inputs: Inputs) -> TableResult:
    """Symbols of the paper (Table 16, A56): `symbol`, `meaning`, `items`."""
    frame = pd.DataFrame(NOTATION, columns=["symbol", "meaning", "items"])
    columns = {
        "symbol": Column("Symbol"),
        "meaning": Column("Meaning"),
        "items": Column("Items", help="Items that use it."),
    }
    return TableResult(frame, columns, (NOT_OURS,))


def systems_table(inputs: Inputs) -> TableResult:
    """Systems that judge tool calls, and what each of them has (Table 17, A56)."""
    columns = {
        "system": Column("System"),
        "judge_model": Column("Judge"),
        "per_metric": Column("Scores per metric"),
        "difficulty_tiers": Column("Difficulty tiers"),
        "gt_ablation": Column("With and without GT"),
        "programmatic_reference": Column("Programmatic reference"),
        "source": SOURCE,
    }
    return TableResult(_blank_as_null(published("system_comparison")), columns, (NOT_OURS,))


def models_table(inputs: Inputs) -> TableResult:
    """Models of the paper, with the decoding of its text and of its pipeline (Tables 18, 21, A56)."""
    frame = published("models")
    frame = frame[~frame["role"].isin(["argument_judge", "deriver"])].reset_index(drop=True)
    frame["role"] = frame["role"].str.replace("_", " ")
    columns = {
        "role": Column("Role"),
        "slug": Column("Slug", help="Name in configurations and tables here."),
        "name": Column("Model"),
        "identifier": Column("Identifier"),
        "size": Column("Size"),
        "decoding_stated_in_text": Column("Decoding in the text"),
        "decoding_in_released_pipeline": Column("Decoding in the pipeline"),
        "source": SOURCE,
    }
    notes = (NOT_OURS, "The models of this run, with their versions, are on the overview page.")
    return TableResult(_blank_as_null(frame), columns, notes)


def related_table(inputs: Inputs) -> TableResult:
    """Benchmarks of agents, LLM judges and judges of tool calls (Table 30, A56)."""
    frame = published("related_work").copy()
    frame["area"] = frame["area"].str.replace("_", " ").str.replace("llm as judge", "LLM as judge")
    frame["year"] = frame["year"].astype(int)
    columns = {
        "area": Column("Area"),
        "name": Column("Work"),
        "year": Column("Year"),
        "source": SOURCE,
    }
    return TableResult(frame, columns, (NOT_OURS,))


def _blank_as_null(table: pd.DataFrame) -> pd.DataFrame:
    """Mark what the paper does not say as missing, with the reason."""
    frame = table.replace("", None).reset_index(drop=True)
    for name in [str(name) for name in frame.columns if frame[name].isna().any()]:
        frame[f"{name}_reason"] = ["not stated" if missing else None for missing in frame[name].isna()]
    return frame
