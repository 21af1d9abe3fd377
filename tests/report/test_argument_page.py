"""The front page of argument judging says what the tables say, and nothing that they do not."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

sys.path.insert(0, str(Path(__file__).parents[1] / "tables"))
from argument_run import ArgumentRun

from plumbline.report.argument_page import argument_claims_page, argument_page
from plumbline.tables.argument_beside import with_deref
from plumbline.tables.argument_claims import argument_answers
from plumbline.tables.argument_published import FILE
from plumbline.tables.published import published_rows
from plumbline.tables.registry import TABLES


def gap(judge: str, path: str, low: float, high: float) -> dict[str, Any]:
    middle = (low + high) / 2
    return {"judge": judge, "dataset": "cfb", "input": "plain", "path": path, "gap": middle, "gap_lo": low,
            "gap_hi": high, "n": 50}  # fmt: skip


def change(judge: str, quantity: str, low: float, high: float, n: int = 20) -> dict[str, Any]:
    return {"judge": judge, "dataset": "cfb", "quantity": quantity, "change": (low + high) / 2,
            "change_lo": low, "change_hi": high, "n": n}  # fmt: skip


def gain(judge: str, low: float, high: float) -> dict[str, Any]:
    return {"judge": judge, "dataset": "cfb", "input": "deref", "against": "plain", "gain": (low + high) / 2,
            "gain_lo": low, "gain_hi": high}  # fmt: skip


def page(tmp_path: Path, **tables: list[dict[str, Any]]) -> str:
    config = ArgumentRun(tmp_path).config
    text = argument_page(config, {name: [pd.DataFrame(rows)] for name, rows in tables.items()})
    return re.sub(r"\s+", " ", text)


def test_only_paths_whose_gap_excludes_zero_are_named_largest_first(tmp_path):
    rows = [
        gap("ada", "out_of_view", 5, 15),
        gap("ada", "default", 2, 10),
        gap("ada", "history_only", 20, 40),
        gap("ada", "format", -4, 10),
        gap("bob", "default", -4, 10),
    ]
    text = page(tmp_path, derivation_gaps=rows)
    assert (
        "ada, reading plain, accepts right values less often: history_only of cfb by 30.0 (20.0 to 40.0) "
        "points (n = 50) and default of cfb by 6.0 (2.0 to 10.0) points (n = 50)." in text
    )
    assert "bob, reading plain: no path&#39;s gap has an interval above 0 (1 looked at)." in text


def test_a_gain_is_called_one_only_if_its_interval_excludes_zero(tmp_path):
    rows = [gain("ada", 2, 6), gain("bob", -3, 5), gain("cyd", -6, -2)]
    text = page(tmp_path, argument_effects=rows)
    assert "ada: cfb with deref +4.0 (+2.0 to +6.0) (a gain)." in text
    assert "bob: cfb with deref +1.0 (−3.0 to +5.0) (its sign cannot be told)." in text
    assert "cyd: cfb with deref −4.0 (−6.0 to −2.0) (a loss)." in text


def test_a_cell_of_several_blocks_is_told_once(tmp_path):
    rows = [gain("ada", 2, 6), gain("ada", 2, 6)]
    assert "ada: cfb with deref +4.0 (+2.0 to +6.0) (a gain)." in page(tmp_path, argument_effects=rows)


def test_a_setting_is_told_from_a_result(run, frames):
    found = {a.claim.words: a for a in argument_answers(run.config, frames)}
    assert found["clm token limit: plain"].outcome == "same setting"
    assert found["clm token limit: plain"].why == "a setting of the run, no result"
    assert found["resamples"].outcome == "other setting"  # 200 here
    frame, text = argument_claims_page(run.config, list(found.values()))
    assert not set(frame.loc[frame["why"] == "a setting of the run, no result", "result"]) & {"reproduced"}
    assert "same setting" in text


@pytest.mark.parametrize(
    ("right", "wrong", "verdict"),
    [
        ((-30, -10), (10, 30), "follows it:"),
        ((-30, -10), (-5, 5), "follows it in part:"),
        ((-5, 5), (-5, 5), "is not shown to follow it:"),
    ],
)
def test_a_judge_follows_a_wrong_reference_if_both_acceptances_move(tmp_path, right, wrong, verdict):
    rows = [change("ada", "correct_accepted", *right), change("ada", "wrong_accepted", *wrong)]
    assert f"ada on cfb {verdict}" in page(tmp_path, argument_swap=rows)


def test_a_few_swapped_values_tell_nothing(tmp_path):
    rows = [change("ada", "correct_accepted", -30, -10), change("ada", "wrong_accepted", 10, 30, n=4)]
    text = page(tmp_path, argument_swap=rows)
    assert "ada on cfb: 20 right and 4 wrong values could be swapped, too few to tell." in text
    assert "follows it:" not in text


def test_a_question_without_its_table_says_so(tmp_path):
    text = page(tmp_path)
    for name in ("derivation_gaps", "argument_effects", "argument_swap"):
        assert f"Not answered: no block of this run asks for the table {name}." in text


def test_names_are_escaped(tmp_path):
    rows = [gap("<script>alert(1)</script>", "default", 2, 10)]
    text = page(tmp_path, derivation_gaps=rows)
    assert "<script>alert" not in text
    assert "&lt;script&gt;alert(1)" in text


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    chosen = ArgumentRun(
        tmp_path_factory.mktemp("claims"),
        judges={"clm_8b": {"model": "m"}, "qwen3_8b": {"model": "m"}},
        datasets=("cfb",),
        inputs=("plain", "deref"),
        settings={"datasets": {"cfb": {"kind": "cfb"}}},
    )
    return chosen.made()


@pytest.fixture(scope="module")
def frames(run):
    found = {}
    for name in ("derivation_gaps", "argument_effects", "path_rates"):
        found[name] = [with_deref(TABLES[name].build(run), name, run).frame]
    return found


def test_every_number_of_the_paper_has_a_line(run, frames):
    frame, text = argument_claims_page(run.config, argument_answers(run.config, frames))
    assert len(frame) == len(published_rows(FILE))
    assert set(frame["result"]) <= {"reproduced", "differs", "not run", "same setting", "other setting"}
    assert frame.loc[frame["ours"].isna(), "why"].notna().all()
    derived = (frame["source"] == "derived").sum()
    assert f"Of {289 - derived} numbers that the paper states" in text


def test_a_number_on_other_items_is_told_but_not_tested(run, frames):
    answers = {(a.claim.item, a.claim.words): a for a in argument_answers(run.config, frames)}
    found = answers["D17", "tau 80: qwen3_8b; cfb; plain"]
    gaps = frames["derivation_gaps"][0]
    row = gaps[(gaps["judge"] == "qwen3_8b") & (gaps["input"] == "plain")].iloc[0]
    assert found.found.least == row["tau"]
    assert (found.outcome, found.why) == ("not run", "other items")


def test_the_same_number_on_the_paper_s_items_is_reproduced(run, frames):
    gaps = frames["derivation_gaps"][0].copy()
    gaps.loc[gaps["same_experiment"] == "other items", "same_experiment"] = "yes"
    gaps.loc[gaps["judge"] == "qwen3_8b", "tau"] = 0.002
    gaps.loc[gaps["judge"] == "clm_8b", "tau"] = 0.7
    answers = {a.claim.words: a for a in argument_answers(run.config, {"derivation_gaps": [gaps]})}
    assert answers["tau 80: qwen3_8b; cfb; plain"].outcome == "reproduced"
    assert answers["tau 80: clm_8b; cfb; plain"].outcome == "differs"


def test_the_paper_s_figure_stands_beside_the_row_of_its_judge(run, frames):
    gaps = frames["derivation_gaps"][0]
    shown = gaps[gaps["tau.paper"].notna()]
    by_judge = {row["judge"]: row["tau.paper"] for row in shown.to_dict("records")}
    assert by_judge == {"qwen3_8b": "0.002", "clm_8b": "0.631"}
    assert set(shown["input"]) == {"plain"}
