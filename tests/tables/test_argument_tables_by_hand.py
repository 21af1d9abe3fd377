"""Numbers of argument tables against loops over the items and against scikit-learn."""

from __future__ import annotations

import json
from dataclasses import replace
from itertools import product
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from argument_run import REFERENCES, ArgumentRun, by_formula
from sklearn.metrics import roc_auc_score

from plumbline.arguments.datasets import hc, relocate
from plumbline.records import DataError, write_json_lines
from plumbline.records.arguments import ArgumentItem, Judgment, Shortened, ValueReference
from plumbline.tables.argument_inputs import ArgumentInputs
from plumbline.tables.argument_tests import RULES, stated_items
from plumbline.tables.collect_arguments import JudgedFile, collect_judgments, collect_references
from plumbline.tables.registry import TABLES


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> ArgumentInputs:
    inputs = ("plain", "deref", "swapped", "whole")
    return ArgumentRun(tmp_path_factory.mktemp("run"), datasets=("cfb", "near"), inputs=inputs).made()


def table(made: ArgumentInputs, name: str, **values: str) -> pd.DataFrame:
    frame = TABLES[name].build(made).frame
    for column, value in values.items():
        frame = frame[frame[column] == value]
    assert len(frame)
    return frame


def items(made: ArgumentInputs, judge: str, dataset: str, name: str) -> pd.DataFrame:
    rows = made.judgments
    chosen = (rows["judge"] == judge) & (rows["dataset"] == dataset) & (rows["input"] == name)
    return rows[chosen & (rows["status"] == "ok")].set_index("item_id")


def labelled(rows: pd.DataFrame) -> pd.DataFrame:
    return rows[rows["label"] != "unlabelled"]


def auroc(rows: pd.DataFrame) -> float:
    return 100 * roc_auc_score(rows["label"] == "correct", rows["score"])


def test_auroc_is_that_of_scikit_learn(made):
    for row in table(made, "argument_auroc").to_dict("records"):
        if row["judge"] != "mean of judges":
            rows = labelled(items(made, row["judge"], row["dataset"], row["input"]))
            assert row["auroc"] == pytest.approx(auroc(rows))
            assert row["n_wrong"] == (rows["label"] == "wrong").sum()


def test_the_mean_of_judges_leaves_the_free_baseline_out(made):
    for name in ("plain", "deref"):
        rows = table(made, "argument_auroc", dataset="cfb", input=name).set_index("judge")["auroc"]
        assert rows["mean of judges"] == pytest.approx((rows["ada"] + rows["bob"]) / 2)


def test_a_gain_rests_on_the_values_scored_under_both(made):
    for row in table(made, "argument_effects", input="deref", dataset="cfb").to_dict("records"):
        if row["judge"] == "mean of judges":
            continue
        first, second = (labelled(items(made, row["judge"], "cfb", name)) for name in ("deref", "plain"))
        shared = first.index.intersection(second.index)
        assert len(shared) < max(len(first), len(second))  # some answers fail
        assert row["gain"] == pytest.approx(auroc(first.loc[shared]) - auroc(second.loc[shared]))


@pytest.mark.parametrize("cluster", ["query", "state"])
def test_the_gain_s_interval_is_that_of_drawing_queries_one_resample_at_a_time(made, cluster: str):
    # three states make up a query
    of_three = {f"q{state}": f"query {state // 3}" for state in range(12)}
    judgments = made.judgments.assign(query_id=made.judgments["state_id"].map(of_three))
    settings = made.config.arguments.model_copy(
        update={"bootstrap": made.arguments.bootstrap.model_copy(update={"cluster": cluster})}
    )
    config = made.config.model_copy(update={"arguments": settings})
    made = replace(made, config=config, judgments=judgments)
    drawn_as = f"{cluster}_id"
    row = table(made, "argument_effects", input="deref", dataset="cfb", judge="ada").iloc[0]
    first, second = (labelled(items(made, "ada", "cfb", name)) for name in ("deref", "plain"))
    shared = first.index.intersection(second.index)
    first, second = first.loc[shared], second.loc[shared]
    queries = sorted(made.judgments.loc[made.judgments["dataset"] == "cfb", drawn_as].unique())
    assert len(queries) == {"query": 4, "state": 12}[cluster]
    picks = np.random.default_rng(20260930).integers(0, len(queries), size=(200, len(queries)))
    gains = []
    for drawn in picks:
        count = pd.Series(queries).take(drawn).value_counts()
        weight = first[drawn_as].map(count).fillna(0)
        truth = first["label"] == "correct"
        areas = [roc_auc_score(truth, side["score"], sample_weight=weight) for side in (first, second)]
        gains.append(100 * (areas[0] - areas[1]))
    assert [row["gain_lo"], row["gain_hi"]] == pytest.approx(np.quantile(gains, [0.025, 0.975]))


def test_a_gap_is_that_of_a_loop_over_items(made):
    for judge, path in product(("ada", "bob"), ("history_only", "out_of_view")):
        row = table(made, "derivation_gaps", judge=judge, dataset="cfb", input="plain", path=path).iloc[0]
        rows = items(made, judge, "cfb", "plain")
        rows = rows[rows["label"] == "correct"]
        scores, wanted = rows["score"].to_numpy(), 0.8 * len(rows)
        tau = max(score for score in scores if (scores >= score).sum() >= wanted - 1e-9)
        q = (wanted - (scores > tau).sum()) / (scores == tau).sum()
        accepted = (scores > tau) + q * (scores == tau)
        seen = (rows["path"] == "visible").to_numpy()
        hidden = ~seen if path == "out_of_view" else (rows["path"] == path).to_numpy()
        assert (row["tau"], row["q"]) == (tau, pytest.approx(q))
        assert row["gap"] == pytest.approx(100 * (accepted[seen].mean() - accepted[hidden].mean()))


def test_a_judge_with_two_scores_has_a_gap_of_exactly_zero(tmp_path: Path):
    run = ArgumentRun(
        tmp_path, datasets=("cfb",), inputs=("deref",), judges={"ada": {"model": "m"}}, queries=30,
        score=lambda judge, name, item: float(item.label == "correct"),
    ).made()  # fmt: skip
    rows = table(run, "derivation_gaps")
    assert set(rows[["gap", "gap_lo", "gap_hi"]].to_numpy(float).ravel()) == {0.0}
    assert not np.signbit(rows["gap_lo"].astype(float)).any()


def _score_of(item, score: pd.Series) -> float:
    """An unlabelled value with a twin has the twin's score; one that is spelt otherwise its own (D44)."""
    query = int(item.query_id.removeprefix("q"))
    if item.label == "unlabelled" and query % 2 == 0:
        return score[f"{item.query_id}|gold|0|{item.parameter}"]
    return score[item.item_id]


def test_a_call_scores_as_its_least_argument_and_unlabelled_ones_as_their_twin(made):
    row = table(made, "call_auroc", judge="ada", dataset="cfb", input="deref").iloc[0]
    whole = items(made, "ada", "cfb", "whole")
    scores: dict[str, dict[str, float]] = {}
    for name in ("plain", "deref"):
        values = made.judgments
        values = values[(values["judge"] == "ada") & (values["dataset"] == "cfb") & (values["input"] == name)]
        score = values.set_index("item_id")["score"]
        scores[name] = {}
        for call, rows in values.groupby("call_id"):
            parts = [_score_of(item, score) for item in rows.itertuples()]
            if call in whole.index and not np.isnan(parts).any():
                scores[name][call] = min([whole.loc[call, "score"], *parts])
    shared = sorted(set(scores["plain"]) & set(scores["deref"]))
    truth = [whole.loc[call, "label"] == "correct" for call in shared]
    areas = [
        100 * roc_auc_score(truth, [scores[name][call] for call in shared]) for name in ("deref", "plain")
    ]
    assert [row["auroc"], row["auroc_other"]] == pytest.approx(areas)
    assert row["gain"] == pytest.approx(areas[0] - areas[1])


def test_values_that_are_scored_alone_are_counted(made):
    # unlabelled: (query + place) % 3 == 0; without a twin: odd queries
    alone = [(query, place) for query in range(1, 12, 2) for place in range(5) if (query + place) % 3 == 0]
    rows = table(made, "path_rates", dataset="cfb").set_index("path")["alone"]
    assert rows["all"] == len(alone) == 10
    assert rows["visible"] == sum(place == 0 for _, place in alone) == 2
    notes = TABLES["call_auroc"].build(made).notes
    assert any("no twin, and are scored themselves: 10 of cfb" in note for note in notes)


def test_a_swap_changes_acceptance_among_the_values_that_plain_gets_right(made):
    rows = table(made, "argument_swap", judge="bob", dataset="cfb").set_index("quantity")
    plain, before, after = (items(made, "bob", "cfb", name) for name in ("plain", "deref", "swapped"))
    shared = before.index.intersection(after.index)
    for quantity, label, right in (
        ("correct_accepted", "correct", None),
        ("correct_kept", "correct", plain.index[plain["score"] >= 0.5]),
        ("wrong_kept", "wrong", plain.index[plain["score"] < 0.5]),
    ):
        chosen = shared[before.loc[shared, "label"] == label]
        chosen = chosen if right is None else chosen.intersection(right)
        change = (after.loc[chosen, "score"] >= 0.5).mean() - (before.loc[chosen, "score"] >= 0.5).mean()
        assert rows.loc[quantity, "change"] == pytest.approx(100 * change)
        assert rows.loc[quantity, "n"] == len(chosen)


def test_a_swap_is_compared_with_plain_as_well(made):
    rows = table(made, "argument_swap", judge="bob", dataset="cfb").set_index("quantity")
    plain, before, after = (items(made, "bob", "cfb", name) for name in ("plain", "deref", "swapped"))
    shared = plain.index.intersection(before.index).intersection(after.index)
    for label in ("correct", "wrong"):
        chosen = shared[plain.loc[shared, "label"] == label]
        accepted = [100 * (side.loc[chosen, "score"] >= 0.5).mean() for side in (plain, after)]
        row = rows.loc[f"{label}_plain"]
        assert [row["before"], row["after"]] == pytest.approx(accepted)
        assert row["change"] == pytest.approx(accepted[1] - accepted[0])
        assert row["n"] == len(chosen)


def test_the_gain_on_a_controlled_set_is_told_for_h_and_c_apart(made):
    both = [labelled(items(made, "ada", "near", name)) for name in ("deref", "plain")]
    shared = both[0].index.intersection(both[1].index)
    for wrong, rules in RULES.items():
        row = table(made, "relocation", judge="ada", dataset="near", input="deref", wrong=wrong).iloc[0]
        areas = []
        for side in both:
            rows = side.loc[shared]
            areas.append(
                auroc(
                    rows[
                        (rows["label"] == "correct") | rows["made_by"].isin(rules or RULES["H"] + RULES["C"])
                    ]
                )
            )
        assert row["against"] == "plain"
        assert row["gain"] == pytest.approx(areas[0] - areas[1])
        assert row["gain_lo"] < row["gain"] < row["gain_hi"]
        assert row["gain_significant"] == (row["gain_lo"] > 0 or row["gain_hi"] < 0)
    first = table(made, "relocation", judge="ada", dataset="near", input="plain", wrong="H").iloc[0]
    assert np.isnan(first["gain"])
    assert first["gain_reason"] == "what the others are compared with"


def test_every_judge_has_a_call_auroc_under_every_input(made):
    rows = table(made, "call_levels", dataset="cfb")
    single = rows[rows["judge"] != "mean of judges"]
    assert set(zip(single["judge"], single["input"], strict=True)) == set(
        product(("ada", "bob"), ("plain", "deref", "swapped"))
    )
    whole = items(made, "bob", "cfb", "whole")
    values = made.judgments.query("judge == 'bob' and dataset == 'cfb' and input == 'swapped'")
    score = values.set_index("item_id")["score"]
    calls = {
        call: min(whole.loc[call, "score"], *(_score_of(item, score) for item in rows.itertuples()))
        for call, rows in values.groupby("call_id")
        if call in whole.index and not np.isnan([_score_of(item, score) for item in rows.itertuples()]).any()
    }
    row = rows[(rows["judge"] == "bob") & (rows["input"] == "swapped")].iloc[0]
    truth = [whole.loc[call, "label"] == "correct" for call in calls]
    assert row["auroc"] == pytest.approx(100 * roc_auc_score(truth, list(calls.values())))
    assert row["auroc_lo"] < row["auroc"] < row["auroc_hi"]
    assert (row["n_correct"], row["n_wrong"]) == (sum(truth), len(truth) - sum(truth))


THREE = {name: {"model": "m"} for name in ("ada", "bob", "cyd")}


def means(made: ArgumentInputs, name: str) -> dict[str, tuple[float, float, object]]:
    rows = table(made, name, dataset="cfb", judge="mean of judges").set_index("input")
    column = "auroc" if "auroc" in rows and "gain" not in rows else "gain"
    return {key: (row[column], row["judges"], row[f"{column}_reason"]) for key, row in rows.iterrows()}


def test_a_mean_is_of_the_judges_that_the_block_names(tmp_path: Path):
    block = {"averaged": ["ada", "cyd"], "leave_out": {"cyd": ["deref"]}}
    run = ArgumentRun(
        tmp_path, datasets=("cfb",), inputs=("plain", "full", "deref"), judges=THREE, block=block
    ).made()
    single = table(run, "argument_auroc", dataset="cfb", input="plain").set_index("judge")["auroc"]
    found = means(run, "argument_auroc")
    assert found["plain"][:2] == (pytest.approx((single["ada"] + single["cyd"]) / 2), 2)
    # a judge that is named and not there leaves no mean of the others
    for name in ("argument_auroc", "argument_effects"):
        value, count, reason = means(run, name)["deref"]
        assert np.isnan(value) and np.isnan(count)
        assert reason == "a mean of 2 judges, without a number of cyd"
    by_input = {**block, "averaged_by_input": {"deref": ["ada", "bob"]}}
    other = ArgumentRun(
        tmp_path, datasets=("cfb",), inputs=("plain", "full", "deref"), judges=THREE, block=by_input
    ).made()
    gains = table(other, "argument_effects", dataset="cfb", input="deref").set_index("judge")["gain"]
    assert means(other, "argument_effects")["deref"][:2] == (
        pytest.approx((gains["ada"] + gains["bob"]) / 2),
        2,
    )


def test_a_lost_number_leaves_no_mean_of_the_others(tmp_path: Path):
    def score(judge, name, item):
        return "no_logprobs" if judge == "bob" and name == "deref" else by_formula(judge, name, item)

    run = ArgumentRun(
        tmp_path, datasets=("cfb",), inputs=("plain", "deref", "whole"), judges=THREE, score=score
    ).made()
    for name in ("argument_auroc", "argument_effects", "call_auroc", "call_levels"):
        value, _, reason = means(run, name)["deref"]
        assert np.isnan(value)
        assert reason == "a mean of 3 judges, without a number of bob"


@pytest.mark.parametrize(
    ("settings", "path"),
    [
        ({"kind": "fcrb", "path": "x"}, "default"),
        ({"kind": "cfb"}, "history_only"),
        ({"kind": "fintrace", "path": "x", "functions": "x"}, "no_source"),
        ({"kind": "local", "states": "s", "calls": "c"}, "format"),
    ],
)
def test_the_main_path_is_the_paper_s_of_its_data_sets_and_else_the_largest(
    tmp_path: Path, settings: dict, path: str
):
    run = ArgumentRun(
        tmp_path, datasets=("cfb",), inputs=("plain",), settings={"datasets": {"cfb": settings}}
    ).made()
    # the path format has most right values out of view
    more = run.judgments["path"].where(run.judgments["query_id"] > "q3", "format")
    made = replace(run, judgments=run.judgments.assign(path=more, plain_path=more))
    gaps = table(made, "derivation_gaps", judge="ada")
    assert list(gaps[gaps["main"]]["path"]) == [path]
    assert set(table(made, "gap_rates")["path"]) == {"out_of_view", path}


def test_h_minus_c_is_a_mean_over_states(made):
    row = table(made, "near_candidates", judge="ada", dataset="near", input="plain").iloc[0]
    rows = items(made, "ada", "near", "plain")
    rows = rows[rows["label"] == "wrong"]
    by_rule = {rule: part.groupby("state_id")["score"].mean() for rule, part in rows.groupby("made_by")}
    apart = (by_rule["rule:earlier_value"] - by_rule["rule:control"]).dropna()
    assert row["difference"] == pytest.approx(100 * apart.mean())
    assert row["pairs"] == len(apart)


def test_a_rise_is_told_apart_by_what_holds_the_value(tmp_path: Path):
    run = ArgumentRun(tmp_path, datasets=("cfb", "shown", "like"), inputs=("plain",)).made()
    sources = {f"q{query}": "return" if query % 3 else "call" for query in range(12)}
    states = [f"{state}.{sources[state]}2.abcdef" for state in run.judgments["state_id"]]
    made = replace(run, judgments=run.judgments.assign(state_id=states))
    shown, like = (items(made, "ada", name, "plain") for name in ("shown", "like"))
    both = shown.join(like["score"].rename("score_like"), how="inner")
    right = both[both["label"] == "correct"]
    rows = table(made, "reveal_placebo", judge="ada", label="correct").set_index("held_by")
    assert list(rows.index) == ["all", "return", "call"]
    for held_by, row in rows.iterrows():
        part = right if held_by == "all" else right[right["query_id"].map(sources) == held_by]
        assert row["n"] == len(part)
        assert row["rise"] == pytest.approx(100 * (part["score"] - part["score_like"]).mean())


def test_references_that_state_the_right_value_are_counted(made):
    row = table(made, "named_values", dataset="cfb", reference="deref").iloc[0]
    slots = [(query, place) for query in range(12) for place in range(5)]
    ok = [(query, place) for query, place in slots if (query + place) % 7]
    stated = [(query, place) for query, place in ok if (query + place) % 4]
    assert (row["asked"], row["made"]) == (len(slots), len(ok))
    assert row["names_correct"] == pytest.approx(100 * len(stated) / len(ok))
    assert row["names_wrong"] == 0
    # the text has the right value even where the parser found none
    assert row["holds_correct"] == 100


def with_references(made: ArgumentInputs, folder: Path, *lines: ValueReference) -> ArgumentInputs:
    write_json_lines(lines, folder / "lines.jsonl")
    return replace(made, references=collect_references([folder / "lines.jsonl"]))


def cfb_values(made: ArgumentInputs) -> pd.DataFrame:
    rows = made.judgments.query("dataset == 'cfb' and unit == 'value'").drop_duplicates("item_id")
    return rows[rows["label"] != "unlabelled"].assign(value=rows["value"].map(json.loads))


def test_a_revised_call_keeps_a_wrong_value_where_its_argument_has_it(made, tmp_path: Path):
    """The reviser keeps wrong calls of every third query, and leaves the argument `format` out of all."""
    lines, kept, right = [], [], []
    rows = cfb_values(made)
    for call, values in rows.groupby("call_id"):
        query = int(values["query_id"].iloc[0].removeprefix("q"))
        mended = not call.endswith("|gold|0") and query % 3
        stated = {
            row.parameter: f"{row.parameter}{query}" if mended else row.value
            for row in values.itertuples()
            if row.parameter != "format"
        }
        for row in values.itertuples():
            flags = right if row.label == "correct" else kept
            flags.append(stated.get(row.parameter) == row.value)
        lines.append(
            ValueReference(
                state_id=f"q{query}", function="find", call_id=call, dataset="cfb", reference="revised",
                kind="revise_call", model="m", status="ok", text="a call", parsed=True, parsed_value=stated,
            )
        )  # fmt: skip
    row = table(with_references(made, tmp_path, *lines), "named_values").iloc[0]
    assert 0 < sum(kept) < len(kept) and sum(right) == len(right) * 4 / 5
    assert row["names_wrong"] == pytest.approx(100 * np.mean(kept))
    assert row["names_correct"] == pytest.approx(80)


def slot_line(query: int, stated: str | None, text: str, **kept: str) -> ValueReference:
    about = {"reference": "deref", "kind": "derive_value", "model": "m", **kept}
    return ValueReference(
        state_id=f"q{query}", function="find", parameter="visible", dataset="cfb", status="ok", text=text,
        parsed=stated is not None, parsed_value=stated, **about,
    )  # fmt: skip


def test_what_references_state_is_told_of_each_author(made, tmp_path: Path):
    lines = [slot_line(query, f"visible{query}", "", reference="own", model="ada") for query in range(4)]
    lines += [slot_line(query, "other", "", reference="own", model="bob") for query in range(4)]
    rows = table(with_references(made, tmp_path, *lines), "named_values").set_index("model")
    assert dict(rows["names_correct"]) == {"ada": 100, "bob": 0}
    assert dict(rows["asked"]) == {"ada": 4, "bob": 4}


def test_a_reference_holds_a_value_that_stands_in_it_as_a_whole(made, tmp_path: Path):
    # 'visible1' is no part of what 'visible10' says
    lines = [slot_line(1, None, "It is visible10."), slot_line(2, None, "It is Visible2.")]
    row = table(with_references(made, tmp_path, *lines), "named_values").iloc[0]
    assert row["holds_correct"] == 50


def test_a_default_is_stated_if_deref_states_it_whatever_other_references_say(tmp_path: Path):
    more = {**REFERENCES, "cut": {"kind": "derive_value", "model": "m", "context": "plain"}}
    run = ArgumentRun(tmp_path, datasets=("cfb",), inputs=("plain",), settings={"references": more}).made()
    lines = [
        slot_line(0, "visible0", ""),
        slot_line(1, "other", ""),
        slot_line(1, "visible1", "", reference="cut"),
    ]
    found = stated_items(with_references(run, tmp_path, *lines), "cfb")
    assert {item for item in found if "|gold|" in item} == {"q0|gold|0|visible"}


def test_a_judgment_of_no_item_and_one_that_occurs_twice_are_errors(tmp_path: Path):
    run = ArgumentRun(tmp_path, datasets=("cfb",), inputs=("plain",), queries=2)
    files = {"items": tmp_path / "items.jsonl", "calls": tmp_path / "calls.jsonl"}
    write_json_lines(run.items("cfb"), files["items"])
    write_json_lines(run.calls("cfb"), files["calls"])
    good = run.judgments("ada", "cfb", "plain")
    stranger = Judgment(item_id="nowhere", dataset="cfb", judge="ada", input="plain", status="ok", score=1.0)
    for rows, words in (
        ([*good, stranger], "no value of the data set cfb"),
        ([*good, good[0]], "occur twice"),
    ):
        path = tmp_path / "judged.jsonl"
        write_json_lines(rows, path)
        cell = JudgedFile("ada", "cfb", "plain", path)
        with pytest.raises(DataError, match=words):
            collect_judgments(run.config, {"cfb": files["items"]}, {"cfb": files["calls"]}, [cell])


def test_an_item_without_a_judgment_is_a_row_that_was_not_asked(tmp_path: Path):
    run = ArgumentRun(
        tmp_path, datasets=("cfb",), inputs=("plain",), queries=2, judges={"ada": {"model": "m"}}
    )
    files = {
        "items": tmp_path / "items.jsonl",
        "calls": tmp_path / "calls.jsonl",
        "judged": tmp_path / "j.jsonl",
    }
    write_json_lines(run.items("cfb"), files["items"])
    write_json_lines(run.calls("cfb"), files["calls"])
    write_json_lines(run.judgments("ada", "cfb", "plain")[1:], files["judged"])
    cell = JudgedFile("ada", "cfb", "plain", files["judged"])
    frame = collect_judgments(run.config, {"cfb": files["items"]}, {"cfb": files["calls"]}, [cell])
    assert len(frame) == len(run.items("cfb"))
    assert frame["status"].value_counts()["not_asked"] == 1


def test_the_rules_of_the_controlled_sets_are_those_that_make_them():
    assert RULES["H"] == (hc.H_RULE, relocate.H_RULE)
    assert RULES["C"] == (hc.C_RULE, relocate.C_RULE)


def test_the_time_of_a_cell_is_that_of_its_prompts(made):
    rows = table(made, "argument_cost", judge="ada", dataset="cfb", input="plain")
    asked = made.judgments.query("judge == 'ada' and dataset == 'cfb' and input == 'plain'")
    assert rows[["prompts", "seconds"]].to_numpy().tolist() == [[len(asked), 0.5]]
    assert rows["minutes"].iloc[0] == pytest.approx(len(asked) * 0.5 / 60)
    made_by = table(made, "argument_cost", judge="m", dataset="cfb", reference="deref").iloc[0]
    assert made_by["seconds"] == 3.0
    assert made_by["minutes"] == pytest.approx(made_by["prompts"] * 3.0 / 60)


def test_an_answer_that_several_values_share_counts_where_it_stands_first(tmp_path: Path):
    run = ArgumentRun(tmp_path, datasets=("cfb",), inputs=("plain", "facts"), seconds={"ada": 0.5}).made()
    rows = run.judgments
    ada = (rows["judge"] == "ada") & (rows["status"] != "not_asked")
    values = rows.loc[ada & (rows["input"] == "plain"), "value"].drop_duplicates()
    # one answer for each value under plain; under facts the first ten values have plain's text
    same = rows["value"].isin(values.iloc[:10])
    texts = rows["value"].where((rows["input"] == "plain") | same, rows["value"] + " with facts")
    answers = run.judgments.assign(answer=texts.where(ada))
    table_ = TABLES["argument_cost"].build(replace(run, judgments=answers)).frame
    found = table_[table_["judge"] == "ada"].set_index("input")
    asked = int((ada & (rows["input"] == "plain")).sum())
    assert found["asked"].tolist() == [asked, asked]
    assert found["prompts"].tolist() == [len(values), len(values) - 10]
    assert found["minutes"].sum() == pytest.approx((2 * len(values) - 10) * 0.5 / 60)
    assert found["mean"].tolist() == [50, 50]


def test_a_cell_with_an_answer_without_a_time_has_no_time(tmp_path: Path):
    run = ArgumentRun(tmp_path, datasets=("cfb",), inputs=("plain",), seconds={"ada": 0.5}).made()
    rows = table(run, "argument_cost").set_index("judge")
    assert rows.loc["ada", "seconds"] == 0.5
    assert np.isnan(rows.loc["bob", "seconds"])
    assert np.isnan(rows.loc["bob", "minutes"])
    assert "no time" in rows.loc["bob", "seconds_reason"]


def lost(judge: str, name: str, item_id: str) -> Shortened | None:
    """What inputs of the queries 1, 2 and 3 lost: with a reference, with the full history, at bob."""
    query = item_id.partition("|")[0]
    if name == "plain":
        return Shortened(rung=2, returns=2) if query == "q1" else None
    if name == "deref":
        found = {"q1": Shortened(rung=2, returns=2), "q2": Shortened(rung=3, returns=2, steps=1, further=1)}
        return found.get(query)
    if query == "q1":
        return Shortened(rung=4, returns=4, further=3 if judge == "bob" else 0)
    return Shortened(rung=2, returns=2, further=2) if (judge, query) == ("bob", "q3") else None


def test_shortened_values_are_counted_and_left_out(tmp_path: Path):
    block = {"compare": {"deref": "plain", "full": ["plain"]}, "leave_out": {"match": ["plain", "full"]}}
    run = ArgumentRun(
        tmp_path, inputs=("plain", "deref", "full"), datasets=("cfb",), shortened=lost, block=block
    )
    made = run.made()
    rows = {(row["judge"], row["input"]): row for row in table(made, "argument_shortened").to_dict("records")}
    assert set(rows) == {(judge, name) for judge in ("ada", "bob") for name in ("plain", "deref", "full")}

    def held(*queries: str) -> int:
        """Right and wrong values at some states, or at all."""
        known = [item for item in run.items("cfb") if item.label != "unlabelled"]
        return sum(not queries or item.state_id in queries for item in known)

    assert held() < len(run.items("cfb"))
    counts = {key: (row["items"], row["shortened"], row["states"]) for key, row in rows.items()}
    for judge in ("ada", "bob"):
        assert counts[judge, "plain"] == (held(), 0, 0)  # Plain stands for itself, whatever its rung
        assert counts[judge, "deref"] == (held(), held("q2"), 1)
    assert counts["ada", "full"] == (held(), held("q1"), 1)
    assert counts["bob", "full"] == (held(), held("q1", "q3"), 2)
    limits = {
        judge: tuple(rows[judge, "full"][name] for name in ("over_limit", "own_limit", "own_limit_most"))
        for judge in ("ada", "bob")
    }
    assert limits == {"ada": (held("q1"), 0, 0), "bob": (held("q1"), held("q1", "q3"), 3)}
    assert pd.isna(rows["ada", "deref"]["over_limit"]) and pd.isna(rows["ada", "plain"]["gain"])

    for (judge, name), row in rows.items():
        if name == "plain":
            continue
        first, second = (labelled(items(made, judge, "cfb", each)) for each in (name, "plain"))
        gone = {"deref": ("q2|",), "full": ("q1|", "q3|") if judge == "bob" else ("q1|",)}[name]
        kept = first[[not item.startswith(gone) for item in first.index]]
        assert row["auroc"] == pytest.approx(auroc(first))
        assert row["auroc_without"] == pytest.approx(auroc(kept))
        shared = first.index.intersection(second.index)
        left = kept.index.intersection(second.index)
        gain = auroc(first.loc[shared]) - auroc(second.loc[shared])
        without = auroc(first.loc[left]) - auroc(second.loc[left])
        assert len(left) < len(shared)
        assert row["gain_shift"] == pytest.approx(without - gain)
        assert row["sign_changes"] == (gain * without < 0)


def test_the_table_of_shortened_values_says_how_far_gains_shift(tmp_path: Path):
    inputs = ("plain", "deref")
    run = ArgumentRun(
        tmp_path, inputs=inputs, datasets=("cfb",), shortened=lost, judges={"ada": {"model": "m"}}
    )
    made = TABLES["argument_shortened"].build(run.made())
    (row,) = made.frame[made.frame["input"] == "deref"].to_dict("records")
    assert f"Largest shift of a gain: {abs(row['gain_shift']):.2f} pp" in made.notes[0]


def test_items_that_a_sample_leaves_out_are_not_asked_rather_than_lost(tmp_path: Path):
    def score(judge: str, name: str, item: ArgumentItem) -> float | str:
        return 0.25 if item.state_id in ("q1", "q4") else "not_asked"

    run = ArgumentRun(
        tmp_path,
        inputs=("plain",),
        datasets=("cfb",),
        judges={"ada": {"model": "m"}},
        score=score,
        replicates=2,
        settings={"inputs": {"plain": {"replicates": 2, "sample": 20}}},
    )
    made = run.made()
    (noise,) = table(made, "argument_noise").to_dict("records")
    assert (noise["items"], noise["same_side"], noise["largest"]) == (20, 100, 0)
    (asked,) = table(made, "argument_coverage").to_dict("records")
    assert (asked["asked"], asked["ok"], asked["share"], asked["lost"]) == (40, 40, 100, "none")
    assert asked["not_asked"] == 2 * 100
    told = " ".join(TABLES["argument_noise"].build(made).notes)
    assert "Rests on 40 of 40" in told and "it was not drawn (sample)" in told


def test_a_table_by_path_takes_the_path_that_a_value_has_in_the_input(tmp_path: Path):
    def seen(name: str, item_id: str) -> str | None:
        """With the full history every value that was out of view for want of it is in view."""
        path = item_id.rpartition("|")[2]
        return ("visible" if path == "history_only" else path) if name == "full" else None

    run = ArgumentRun(
        tmp_path,
        inputs=("plain", "full"),
        datasets=("cfb",),
        judges={"ada": {"model": "m"}},
        path_in=seen,
        settings={"paths": {"context": "input"}},
    )
    made = run.made()
    known = [item for item in run.items("cfb") if item.label == "correct"]
    counts = {name: sum(item.path == name for item in known) for name in ("visible", "history_only")}
    rates = table(made, "path_rates").set_index("path")["correct"]
    assert rates[["visible", "history_only"]].to_dict() == counts
    full = made.cell("ada", "cfb", "full")
    assert len(full.of("correct", "visible")) == counts["visible"] + counts["history_only"]
    assert len(full.of("correct", "history_only")) == 0
    assert len(made.cell("ada", "cfb", "plain").of("correct", "history_only")) == counts["history_only"]
    assert "here alone" in TABLES["path_rates"].build(made).notes[0]


def test_two_inputs_with_paths_of_their_own_are_compared_by_those_of_plain(made):
    rows = made.judgments
    moved = rows.assign(path=rows["path"].where(rows["input"] != "deref", "visible"))
    own = replace(made, judgments=moved)
    assert set(items(own, "ada", "cfb", "deref")["path"]) == {"visible"}
    wanted = table(made, "path_changes", judge="ada", dataset="cfb", input="deref", against="plain")
    found = table(own, "path_changes", judge="ada", dataset="cfb", input="deref", against="plain")
    pd.testing.assert_frame_equal(found, wanted)
