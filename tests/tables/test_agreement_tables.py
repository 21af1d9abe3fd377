"""Tables of pairs of judges against scikit-learn, scipy and loops over the experiment's own answers."""

import dataclasses
import xml.etree.ElementTree as ElementTree
from itertools import combinations, permutations, product

import numpy as np
import pytest
from scipy import stats
from sklearn import metrics

from plumbline.tables.agreement import (
    agreement_figure,
    agreement_table,
    confusion_table,
    outside_table,
    pair_table,
    summary_table,
)
from plumbline.tables.drawing import svg_text
from plumbline.tables.tiers import separation_figure, separation_table

JUDGES = ["ada", "prometheus_2", "bob", "cy"]
WORDS = {0: "low", 0.5: "mid", 1: "top"}


@pytest.fixture
def made(random_experiment):
    random_experiment.judges = JUDGES
    return random_experiment


def marks(made, a, b, condition, generators=None, both=False):
    """Pairs of marks that two judges gave to the same score."""
    found = []
    for record, generator, tier in product(made.records, generators or made.generators, made.tiers):
        if isinstance(made.plan(record, tier, generator), str):
            continue
        cell = (record, tier, generator)
        answers = [made.verdict(*cell, judge, condition, 0) for judge in (a, b)]
        others = [made.verdict(*cell, judge, c, 0) for judge in (a, b) for c in made.conditions]
        if not any(isinstance(answer, str) for answer in (others if both else answers)):
            found += [(record, WORDS[x], WORDS[y]) for x, y in zip(*answers, strict=True)]
    return found


def kappa(pairs):
    return metrics.cohen_kappa_score([x for _, x, _ in pairs], [y for _, _, y in pairs])


def agreement(pairs):
    return 100 * sum(x == y for _, x, y in pairs) / len(pairs)


def rows(result):
    keys = ["condition", "judge_a", "judge_b"]
    return {tuple(row[key] for key in keys): row for row in result.frame.to_dict("records")}


def test_every_pair_agrees_with_scikit_learn_and_outside_judges_come_last(made):
    found = rows(pair_table(made.inputs()))
    judges = ["ada", "bob", "cy", "prometheus_2"]
    assert list(found) == [(c, a, b) for c in made.conditions for a, b in combinations(judges, 2)]
    for (condition, a, b), row in found.items():
        pairs = marks(made, a, b, condition)
        assert row["n"] == len(pairs)
        assert row["agreement"] == pytest.approx(agreement(pairs))
        assert row["kappa"] == pytest.approx(kappa(pairs))
        apart = [(x, y) for _, x, y in pairs if x != y]
        assert row["half_share"] == pytest.approx(100 * sum("mid" in pair for pair in apart) / len(apart))
        assert row["kappa_lo"] < row["kappa"] < row["kappa_hi"]


def test_intervals_agree_with_kappas_of_the_resampled_records_one_by_one(made):
    made.settings = {"bootstrap": {"resamples": 100}}
    inputs = made.inputs()
    pairs = marks(made, "ada", "bob", "with_gt")
    times = inputs.resampling.sums(np.eye(len(inputs.records))).astype(int)
    drawn = []
    for resample in times:
        often = dict(zip(inputs.records["record_id"], resample, strict=True))
        drawn.append([pair for pair in pairs for _ in range(often[pair[0]])])
    row = rows(pair_table(inputs))["with_gt", "ada", "bob"]
    for name, measure in (("kappa", kappa), ("agreement", agreement)):
        low, high = np.quantile([measure(each) for each in drawn], [0.025, 0.975])
        assert (row[f"{name}_lo"], row[f"{name}_hi"]) == pytest.approx((low, high))


def test_the_matrix_holds_agreement_above_and_kappa_below_its_diagonal(made):
    result = agreement_table(made.inputs())
    frame = result.frame.set_index(["condition", "judge"])
    for condition in made.conditions:
        best = max(
            combinations(["ada", "bob", "cy"], 2), key=lambda pair: kappa(marks(made, *pair, condition))
        )
        for a, b in combinations(["ada", "bob", "cy", "prometheus_2"], 2):
            pairs = marks(made, a, b, condition)
            assert frame.loc[(condition, a), f"against.{b}"] == pytest.approx(agreement(pairs))
            assert frame.loc[(condition, b), f"against.{a}"] == pytest.approx(kappa(pairs))
            for judge, other in ((a, b), (b, a)):
                cell = (frame.index.get_loc((condition, judge)), f"against.{other}")
                assert (cell in result.bold) == ((a, b) == best)
        assert np.isnan(frame.loc[(condition, "cy"), "against.cy"])
        assert frame.loc[(condition, "cy"), "against.cy_reason"] == "a judge and itself"


def test_means_and_extremes_leave_the_outside_judge_out(made):
    frame = summary_table(made.inputs()).frame.set_index("condition")
    for condition in made.conditions:
        found = {pair: marks(made, *pair, condition) for pair in combinations(["ada", "bob", "cy"], 2)}
        row = frame.loc[condition]
        assert row["pairs"] == 3
        assert row["agreement"] == pytest.approx(np.mean([agreement(pairs) for pairs in found.values()]))
        assert row["kappa"] == pytest.approx(np.mean([kappa(pairs) for pairs in found.values()]))
        assert row["kappa_lo"] < row["kappa"] < row["kappa_hi"]
        order = sorted(found, key=lambda pair: kappa(found[pair]))
        assert (row["lowest"], row["highest"]) == (" and ".join(order[0]), " and ".join(order[-1]))
        assert row["highest_kappa"] == pytest.approx(kappa(found[order[-1]]))
        assert row["lowest_agreement"] == pytest.approx(agreement(found[order[0]]))


def test_the_outside_judge_is_compared_with_every_other(made):
    inputs = made.inputs()
    found = rows(outside_table(inputs))
    assert list(found) == [
        (c, "prometheus_2", judge) for c in made.conditions for judge in ("ada", "bob", "cy")
    ]
    for (condition, a, b), row in found.items():
        assert row["kappa"] == pytest.approx(kappa(marks(made, a, b, condition)))


def test_without_an_outside_judge_the_table_says_so(made):
    made.settings = {"agreement": {"outside": []}}
    result = outside_table(made.inputs())
    assert result.frame.empty
    assert result.notes[0] == "No judge of this block stands outside (`agreement.outside`: none)."


def test_confusion_of_the_extreme_pairs_agrees_with_scikit_learn(made):
    inputs = made.inputs()
    frame = confusion_table(inputs).frame
    summary = summary_table(inputs).frame.set_index("condition")
    assert len(frame) == 2 * 2 * 3
    for (condition, pair, a, b), rows in frame.groupby(["condition", "pair", "judge_a", "judge_b"]):
        assert summary.loc[condition, pair] == f"{a} and {b}"
        given = marks(made, a, b, condition)
        counts = metrics.confusion_matrix(
            [x for _, x, _ in given], [y for _, _, y in given], labels=["low", "mid", "top"]
        )
        assert rows[["b_0", "b_half", "b_1"]].to_numpy() == pytest.approx(100 * counts / counts.sum())
        assert rows["verdict_a"].tolist() == [0, 0.5, 1]


def test_only_open_weight_generators_are_pooled_unless_all_are_asked_for(made):
    made.settings = {"open_weight": ["other"]}
    inputs = made.inputs()
    result = pair_table(inputs)
    expected = marks(made, "ada", "bob", "with_gt", generators=["other"])
    row = rows(result)["with_gt", "ada", "bob"]
    assert (row["n"], row["kappa"]) == (len(expected), pytest.approx(kappa(expected)))
    assert "Plans of other pooled; left out: gen." in result.notes
    made.settings |= {"tables": {"agreement": {"generators": "all"}}}
    everything = rows(pair_table(made.inputs()))["with_gt", "ada", "bob"]
    assert everything["n"] == len(marks(made, "ada", "bob", "with_gt"))


def test_pairing_keeps_only_plans_with_a_verdict_under_every_condition(made):
    made.settings = {"alignment": {"pairing": "both"}}
    expected = marks(made, "ada", "bob", "with_gt", both=True)
    assert len(expected) < len(marks(made, "ada", "bob", "with_gt"))
    inputs = made.inputs()
    row = rows(pair_table(inputs))["with_gt", "ada", "bob"]
    assert (row["n"], row["kappa"]) == (len(expected), pytest.approx(kappa(expected)))
    one = rows(pair_table(dataclasses.replace(inputs, condition="with_gt")))
    assert one["with_gt", "ada", "bob"]["n"] == len(expected)


def test_thresholds_decide_which_scores_are_the_same_mark(experiment):
    def verdict(record, tier, generator, judge, condition, _):
        return (0.2, 0, 0.85, 1) if judge == "ada" else (0, 0, 1, 1)

    by_default = pair_table(experiment(verdict=verdict).inputs()).frame
    # 0.2 and 0.85 are both 0.5: two of four scores agree
    assert set(by_default["agreement"]) == {50}
    wide = experiment(verdict=verdict, settings={"agreement": {"thresholds": [0.2, 0.85]}})
    assert set(pair_table(wide.inputs()).frame["agreement"]) == {100}


def test_kappa_of_judges_that_never_vary_is_missing_with_a_reason_or_zero_if_asked_for(experiment):
    inputs = experiment().inputs()
    row = pair_table(inputs).frame.iloc[0]
    assert (row["agreement"], row["agreement_lo"], row["reason"]) == (
        100,
        100,
        "both gave one and the same mark throughout",
    )
    assert np.isnan(row["kappa"])
    assert row["half_share_reason"] == "both agree throughout"
    summary = summary_table(inputs)
    assert summary.frame["kappa"].isna().all()
    assert summary.frame["agreement"].eq(100).all()
    assert "with_gt: 1 pairs have no kappa and are left out." in summary.notes
    zero = experiment(settings={"agreement": {"undefined": "zero"}}).inputs()
    assert pair_table(zero).frame["kappa"].eq(0).all()


def test_judges_without_a_common_plan_have_neither_agreement_nor_kappa(experiment):
    def verdict(record, tier, generator, judge, condition, _):
        return (1, 0, 1, 1) if (record == "a") == (judge == "ada") else "empty"

    inputs = experiment(verdict=verdict).inputs()
    row = pair_table(inputs).frame.iloc[0]
    assert np.isnan([row["agreement"], row["kappa"], row["half_share"]]).all()
    assert (row["n"], row["reason"]) == (0, "no plan has an ok verdict of both")
    assert agreement_table(inputs).frame["against.bob_reason"][0] == "no plan has an ok verdict of both"
    assert confusion_table(inputs).frame.empty


def test_replicates_are_compared_with_the_same_replicate(experiment):
    def verdict(record, tier, generator, judge, condition, replicate):
        return (replicate, 0, 1, 1)

    row = pair_table(experiment(verdict=verdict, replicates=2).inputs()).frame.iloc[0]
    # 2 records, 2 tiers, 2 replicates, 4 scores
    assert (row["agreement"], row["n"]) == (100, 32)


def test_tier_separation_agrees_with_scipy_and_with_all_exchanges_of_ranks(made):
    ranks = {"ada": 1, "bob": 3, "cy": 4, "dan": 6}
    made.judges = [*ranks, "prometheus_2"]
    made.settings = {"judge_tiers": ranks | {"prometheus_2": 9}}
    result = separation_table(made.inputs())
    pairs = list(combinations(ranks, 2))
    for row in result.frame.to_dict("records"):
        kappas = [kappa(marks(made, *pair, row["condition"])) for pair in pairs]
        found = stats.spearmanr([abs(ranks[a] - ranks[b]) for a, b in pairs], kappas)
        assert (row["judges"], row["pairs"]) == (4, 6)
        assert row["rho"] == pytest.approx(found.statistic)
        assert row["p_pairs"] == pytest.approx(found.pvalue)
        exchanged = [
            stats.spearmanr([abs(order[a] - order[b]) for a, b in pairs], kappas).statistic
            for order in (dict(zip(ranks, each, strict=True)) for each in permutations(ranks.values()))
        ]
        assert row["p"] == pytest.approx(np.mean(np.abs(exchanged) >= abs(found.statistic) - 1e-12))
        assert row["rho_lo"] <= row["rho"] <= row["rho_hi"]
    assert "Ranks (`judge_tiers`): ada 1, bob 3, cy 4, dan 6." in result.notes


def test_judges_without_a_rank_are_named_and_too_few_pairs_give_a_reason(made):
    made.settings = {"judge_tiers": {"ada": 1, "bob": 2}}
    result = separation_table(made.inputs())
    assert result.frame["rho"].isna().all()
    assert set(result.frame["reason"]) == {"fewer than three pairs of ranked judges with a kappa"}
    assert "Without a rank in `judge_tiers` and left out: cy." in result.notes


def test_figures_name_the_judges_and_are_equal_byte_for_byte(made):
    made.settings = {"judge_tiers": {"ada": 1, "bob": 2, "cy": 4}}
    inputs = made.inputs()
    for draw, words in (
        (
            lambda: agreement_figure(dataclasses.replace(inputs, condition="without_gt")),
            ["without_gt", *JUDGES],
        ),
        (lambda: separation_figure(inputs), ["with_gt", "without_gt", "ada", "kappa"]),
    ):
        first = svg_text(draw())
        assert first == svg_text(draw())
        text = " ".join(ElementTree.fromstring(first).itertext())
        assert all(word in text for word in words)
    row = rows(pair_table(inputs))["without_gt", "ada", "bob"]
    text = svg_text(agreement_figure(dataclasses.replace(inputs, condition="without_gt")))
    shown = " ".join(ElementTree.fromstring(text).itertext())
    assert f"{row['agreement']:.1f}" in shown
    assert f"{100 * row['kappa']:.1f}" in shown
