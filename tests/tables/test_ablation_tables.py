"""Ablation tables against loops over the experiment's own answers, and by hand."""

import xml.etree.ElementTree as ElementTree
from dataclasses import replace
from itertools import product
from math import sqrt
from statistics import mean, stdev

import numpy as np
import pytest

from plumbline.tables.ablation_pairs import default_table, format_figure, format_table, thinking_table
from plumbline.tables.ablations import effects_table
from plumbline.tables.drawing import svg_text
from plumbline.tables.effects import Effects, Line, noise_floor
from plumbline.tables.made_references import corrupted_table, derived_table
from plumbline.tables.temperatures import temperature_figure, temperature_table

SHOWN = {
    "with_gt": "expected",
    "with_other": "expected",
    "without_gt": "none",
    "without_other": "none",
    "shuffled": "shuffled",
    "derived": "derived",
}
REFERENCES = {"shuffled": {"kind": "shuffle"}, "derived": {"kind": "derive", "model": "m"}}


def asked(conditions=SHOWN, replicates=1, changes=None, **block):
    """Settings of a run with these conditions; `changes` are further settings of single conditions."""
    sections = {
        name: {"prompt": "judge", "reference": shown, "replicates": replicates}
        | (changes or {}).get(name, {})
        for name, shown in conditions.items()
    }
    used = {name: REFERENCES[name] for name in REFERENCES if name in conditions.values()}
    return {
        "conditions": sections,
        "references": used,
        "blocks": {"main": {"conditions": list(conditions), **block}},
    }


def constant(values):
    """Verdicts whose first metric is set by the condition, on plans that are all right."""
    return lambda record, tier, generator, judge, condition, _: (values[condition], 1, 1, 1)


@pytest.fixture
def repeated(random_experiment):
    random_experiment.conditions = SHOWN
    random_experiment.tiers = ["easy", "hard"]
    random_experiment.generators = ["gen"]
    random_experiment.replicates = 3
    random_experiment.settings = asked(replicates=3, compare={"shuffled": ["with_gt", "without_gt"]})
    return random_experiment


def match(made, record, tier, generator, judge, condition, replicate):
    plan = made.plan(record, tier, generator)
    verdict = made.verdict(record, tier, generator, judge, condition, replicate)
    if isinstance(plan, str) or isinstance(verdict, str):
        return None
    return 100 * mean(1 - abs(p - v) for p, v in zip(plan, verdict, strict=True))


def means_of_plans(made, generator, judge, tier, condition):
    """Mean over its ok replicates of each record that has any."""
    found = {}
    for record in made.records:
        several = [match(made, record, tier, generator, judge, condition, k) for k in range(3)]
        if known := [value for value in several if value is not None]:
            found[record] = mean(known)
    return found


def test_every_effect_agrees_with_a_loop(repeated):
    frame = effects_table(repeated.inputs()).frame.set_index(["generator", "judge", "tier"])
    pairs = [
        ("with_other", "with_gt"),
        ("without_other", "without_gt"),
        ("shuffled", "with_gt"),
        ("shuffled", "without_gt"),
        ("derived", "with_gt"),
    ]
    for cell in product(repeated.generators, repeated.judges, repeated.tiers):
        row = frame.loc[cell]
        plans = {name: means_of_plans(repeated, *cell, name) for name in SHOWN}
        for name in SHOWN:
            assert row[name] == pytest.approx(mean(plans[name].values()))
        for name, baseline in pairs:
            both = plans[name].keys() & plans[baseline].keys()
            difference = mean(plans[name][record] - plans[baseline][record] for record in both)
            assert row[f"{name}.minus_{baseline}"] == pytest.approx(difference)
            assert row[f"{name}.minus_{baseline}.n"] == len(both)
        levels = [row[name] for name in ("with_gt", "with_other", "shuffled", "derived")]
        assert row["spread_with_gt"] == pytest.approx(max(levels) - min(levels))
        assert row["spread_without_gt"] == pytest.approx(
            max(row["without_gt"], row["without_other"], row["shuffled"])
            - min(row["without_gt"], row["without_other"], row["shuffled"])
        )


def test_the_noise_floor_agrees_with_a_loop(repeated):
    frame = effects_table(repeated.inputs()).frame.set_index(["generator", "judge", "tier"])
    for generator, judge, tier in product(repeated.generators, repeated.judges, repeated.tiers):
        squares, ranges = [], []
        for condition in SHOWN:
            runs = [
                [match(repeated, record, tier, generator, judge, condition, k) for k in range(3)]
                for record in repeated.records
            ]
            whole = [values for values in runs if None not in values]
            if whole:
                by_replicate = [mean(values) for values in zip(*whole, strict=True)]
                squares.append(stdev(by_replicate) ** 2)
                ranges.append(max(by_replicate) - min(by_replicate))
        row = frame.loc[generator, judge, tier]
        assert row["noise_sd"] == pytest.approx(sqrt(mean(squares)))
        assert row["noise_range"] == pytest.approx(max(ranges))


def test_the_interval_of_a_difference_is_that_of_paired_plans_in_each_resample(repeated):
    inputs = repeated.inputs()
    row = effects_table(inputs).frame.iloc[0]
    cell = row["generator"], row["judge"], row["tier"]
    with_gt, other = (means_of_plans(repeated, *cell, name) for name in ("with_gt", "with_other"))
    records = list(inputs.records["record_id"])
    found = []
    # the sums over an identity matrix are how often each record was drawn
    for counts in inputs.resampling.sums(np.eye(len(records))):
        drawn = [
            (count, other[record] - with_gt[record])
            for count, record in zip(counts, records, strict=True)
            if record in with_gt and record in other
        ]
        total = sum(count for count, _ in drawn)
        found.append(sum(count * value for count, value in drawn) / total)
    expected = np.quantile(found, [0.025, 0.975])
    assert [row["with_other.minus_with_gt.lo"], row["with_other.minus_with_gt.hi"]] == pytest.approx(expected)


def test_an_equal_shift_of_every_plan_has_an_interval_without_width(experiment):
    """Levels vary from record to record, but the difference never does."""

    def verdict(record, tier, generator, judge, condition, _):
        shown = (0, 1, 1, 1) if record in "abc" else (0, 0, 0, 1)
        return (1, *shown[1:]) if condition == "with_other" else shown

    made = experiment(
        records=dict.fromkeys("abcdef", "linear"),
        verdict=verdict,
        conditions={"with_gt": "expected", "with_other": "expected"},
        settings=asked({"with_gt": "expected", "with_other": "expected"}),
    )
    row = effects_table(made.inputs()).frame.iloc[0]
    name = "with_other.minus_with_gt"
    assert [row[name], row[f"{name}.lo"], row[f"{name}.hi"]] == pytest.approx([25, 25, 25])


def test_without_replicates_the_noise_is_missing_with_a_reason(experiment):
    result = effects_table(experiment().inputs())
    assert result.frame[["noise_sd", "noise_range"]].isna().all(axis=None)
    assert set(result.frame["noise_sd_reason"]) == {"one replicate"}
    assert any("asked once" in note for note in result.notes)


def test_the_noise_floor_pools_arms_and_leaves_out_those_with_one_replicate():
    nan = np.nan
    means = [[[1, 3, nan], [5, 5, 8]], [[4, nan, nan], [1, 2, 3]], [[4, nan, nan], [nan, nan, nan]]]
    deviations, ranges = noise_floor(means)
    # variances 2 and 3; then 1 alone; then none
    assert deviations == pytest.approx([sqrt(2.5), 1, nan], nan_ok=True)
    assert ranges == pytest.approx([3, 2, nan], nan_ok=True)


def test_cells_outside_the_pairings_are_not_shown_and_half_asked_ones_say_so(experiment):
    shown = {"with_gt": "expected", "with_other": "expected"}
    pairings = [
        {"judges": ["ada"], "generators": ["gen"]},
        {"judges": ["bob"], "generators": ["other"], "conditions": ["with_gt"]},
    ]
    made = experiment(
        generators=["gen", "other"],
        conditions=shown,
        settings=asked(shown, pairings=pairings),
        tiers=["easy"],
    )
    inputs = made.inputs()
    rows = inputs.verdicts
    lost = (rows["judge"] == "bob") & (rows["condition"] == "with_other")
    frame = effects_table(replace(inputs, verdicts=rows[~lost])).frame
    assert frame[["generator", "judge"]].to_numpy().tolist() == [["gen", "ada"], ["other", "bob"]]
    assert frame["with_gt"].tolist() == [100, 100]
    assert frame["with_other_reason"].fillna("-").tolist() == ["-", "not asked in this block"]
    told = frame["with_other.minus_with_gt_reason"].fillna("-").tolist()
    assert told == ["-", "not asked in this block"]


def test_pairing_over_all_conditions_asks_only_for_those_of_the_cell(experiment):
    shown = {"with_gt": "expected", "with_other": "expected"}
    pairings = [{"judges": ["ada"]}, {"judges": ["bob"], "conditions": ["with_gt"]}]
    settings = asked(shown, pairings=pairings) | {"alignment": {"pairing": "both"}}
    inputs = experiment(conditions=shown, settings=settings, tiers=["easy"]).inputs()
    rows = inputs.verdicts
    lost = (rows["judge"] == "bob") & (rows["condition"] == "with_other")
    lost |= (rows["judge"] == "ada") & (rows["condition"] == "with_other") & (rows["record_id"] == "a")
    counts = replace(inputs, verdicts=rows[~lost]).matched.groupby(["judge", "condition"]).size()
    assert counts.to_dict() == {("ada", "with_gt"): 1, ("ada", "with_other"): 1, ("bob", "with_gt"): 2}


HOT = {"cold_with": "expected", "hot_with": "expected", "cold_without": "none", "hot_without": "none"}
WARM = {
    name: {"decoding": {"temperature": temperature}}
    for name, temperature in zip(HOT, (0.3, 1.0, 0.3, 1.0), strict=True)
}


def test_temperatures_stand_in_rows_with_their_spread_below(experiment):
    values = {"cold_with": 1, "hot_with": 0.5, "cold_without": 0, "hot_without": 0.5}
    made = experiment(
        verdict=constant(values), conditions=HOT, settings=asked(HOT, changes=WARM), judges=["ada"]
    )
    frame = temperature_table(made.inputs()).frame
    key = ["condition", "tier", "temperature", "alignment", "difference"]
    assert frame[key].head(6).astype(object).fillna("-").to_numpy().tolist() == [
        ["with_gt", "easy", "0.3", 100, "-"],
        ["with_gt", "easy", "1.0", 87.5, -12.5],
        ["with_gt", "easy", "max - min", 12.5, "-"],
        ["with_gt", "hard", "0.3", 100, "-"],
        ["with_gt", "hard", "1.0", 87.5, -12.5],
        ["with_gt", "hard", "max - min", 12.5, "-"],
    ]
    assert frame.query("condition == 'without_gt'")["difference"].dropna().tolist() == [12.5, 12.5]
    assert frame["difference_reason"].isna().tolist() == frame["difference"].notna().tolist()


def test_a_temperature_counts_only_plans_that_every_temperature_has(experiment):
    def verdict(record, tier, generator, judge, condition, _):
        if record == "a":
            return "malformed" if condition == "hot_with" else (0, 0, 0, 0)
        return (1, 1, 1, 1)

    made = experiment(
        verdict=verdict, conditions=HOT, settings=asked(HOT, changes=WARM), judges=["ada"], tiers=["easy"]
    )
    rows = temperature_table(made.inputs()).frame.query("condition == 'with_gt'")
    # record a has no verdict at 1.0, so its 0 at 0.3 does not count either
    assert rows["alignment"].tolist() == [100, 100, 0]
    assert rows["n"].tolist() == [1, 1, 1]


def test_temperature_curves_name_pairing_sides_and_tiers(experiment):
    made = experiment(conditions=HOT, settings=asked(HOT, changes=WARM), judges=["ada"])
    text = " ".join(ElementTree.fromstring(svg_text(temperature_figure(made.inputs()))).itertext())
    for word in ("ada on gen, with_gt", "ada on gen, without_gt", "easy", "hard", "0.3", "temperature"):
        assert word in text


def test_one_temperature_gives_no_rows_and_says_so(experiment):
    result = temperature_table(experiment().inputs())
    assert result.frame.empty
    assert result.notes[0] == "The block asks no judge at more than one temperature."


def test_thinking_is_on_minus_off_with_the_mean_over_cells_below(experiment):
    shown = {"with_gt": "expected", "off": "expected"}

    def verdict(record, tier, generator, judge, condition, _):
        if condition == "off":
            return (0.5, 1, 1, 1) if tier == "hard" else (0, 1, 1, 1)
        return (1, 1, 1, 1)

    made = experiment(
        verdict=verdict,
        conditions=shown,
        judges=["ada"],
        settings=asked(shown, changes={"off": {"decoding": {"thinking": False}, "arm": "thinking off"}}),
    )
    result = thinking_table(made.inputs())
    key = ["tier", "condition", "arm", "thinking_on", "thinking_off", "on_minus_off"]
    assert result.frame[key].to_numpy().tolist() == [
        ["easy", "with_gt", "thinking off", 100, 75, 25],
        ["hard", "with_gt", "thinking off", 100, 87.5, 12.5],
        ["mean", "with_gt", "thinking off", 100, 81.25, 18.75],
    ]
    assert result.notes[0] == (
        "Largest difference (On − off), thinking off: +25.00 pp, ada on gen, easy, with_gt, over 2 pairs."
    )


def test_each_arm_without_thinking_has_its_own_largest_difference(experiment):
    shown = {"with_gt": "expected", "off": "expected", "equal": "expected"}
    changes = {
        "off": {"decoding": {"thinking": False}, "arm": "thinking off"},
        "equal": {"decoding": {"thinking": False}, "arm": "same sampling"},
    }
    made = experiment(
        verdict=constant({"with_gt": 1, "off": 0.5, "equal": 0}),
        conditions=shown,
        judges=["ada"],
        settings=asked(shown, changes=changes),
    )
    # a quarter of the first metric's distance: 0.5 and 1 of one metric in four
    assert thinking_table(made.inputs()).notes[:2] == (
        "Largest difference (On − off), thinking off: +12.50 pp, ada on gen, easy, with_gt, over 2 pairs.",
        "Largest difference (On − off), same sampling: +25.00 pp, ada on gen, easy, with_gt, over 2 pairs.",
    )


def test_replies_that_hold_reasoning_though_thinking_is_off_are_counted_below_the_table(experiment):
    shown = {"with_gt": "expected", "off": "expected"}
    made = experiment(
        conditions=shown,
        judges=["ada"],
        # of the four replies without thinking, those about record a hold reasoning; with thinking on all do
        about=lambda record, tier, gen, judge, condition, _: {
            "reasoned": condition != "off" or record == "a"
        },
        settings=asked(shown, changes={"off": {"decoding": {"thinking": False}, "arm": "thinking off"}}),
    )
    told = [note for note in thinking_table(made.inputs()).notes if "hold reasoning" in note]
    assert told == [
        "Thinking is off in condition off, yet 2 of 4 (50.0 %) replies of ada hold reasoning: "
        "they are no measure of a judge that does not think."
    ]
    made.about = lambda *cell: {"reasoned": cell[4] != "off"}
    assert not any("hold reasoning" in note for note in thinking_table(made.inputs()).notes)


def test_two_conditions_that_both_think_are_no_thinking_ablation(experiment):
    shown = {"with_gt": "expected", "off": "expected"}
    result = thinking_table(experiment(conditions=shown, settings=asked(shown)).inputs())
    assert result.frame.empty
    assert result.notes[0].startswith("Nothing to compare")


FREE = {"with_gt": "expected", "free_with": "expected", "without_gt": "none", "free_without": "none"}
PROMPTS = {"free_with": {"prompt": "free"}, "free_without": {"prompt": "free"}}


def test_the_bars_of_the_format_figure_are_the_numbers_of_its_table(experiment):
    values = {"with_gt": 1, "free_with": 0.5, "without_gt": 0, "free_without": 1}
    made = experiment(
        verdict=constant(values),
        conditions=FREE,
        judges=["ada"],
        settings=asked(FREE, changes={name: {**PROMPTS[name], "arm": "free form"} for name in PROMPTS}),
    )
    figure = format_figure(made.inputs())
    words = ("structured", "free form", "ada on gen, with_gt", "ada on gen, without_gt", "easy", "hard")
    text = " ".join(ElementTree.fromstring(svg_text(figure)).itertext())
    assert [word for word in words if word not in text] == []
    # one metric of four is set by the condition: 100 or 87.5 with the expected calls, 75 or 100 without
    heights = [[patch.get_height() for patch in axes.patches] for axes in figure.axes]
    assert heights == [[100, 100, 87.5, 87.5], [75, 75, 100, 100]]


def test_a_block_with_one_prompt_gives_an_empty_format_figure(experiment):
    assert "No value to draw" in svg_text(format_figure(experiment().inputs()))


def test_format_is_structured_minus_free_on_each_side(experiment):
    values = {"with_gt": 1, "free_with": 0.5, "without_gt": 0, "free_without": 1}
    made = experiment(
        verdict=constant(values),
        conditions=FREE,
        judges=["ada"],
        tiers=["hard"],
        settings=asked(FREE, changes=PROMPTS),
    )
    frame = format_table(made.inputs()).frame
    key = ["generator", "condition", "structured", "free_form", "structured_minus_free"]
    assert frame[key].to_numpy().tolist() == [
        ["gen", "with_gt", 100, 87.5, 12.5],
        ["gen", "without_gt", 75, 100, -25],
        ["mean", "with_gt", 100, 87.5, 12.5],
        ["mean", "without_gt", 75, 100, -25],
    ]


def test_the_default_table_weighs_judges_the_same_on_the_hardest_tier(experiment):
    shown = {"without_gt": "none", "half": "none"}

    def verdict(record, tier, generator, judge, condition, _):
        if judge == "bob":
            if record == "b":
                return "refused"
            return (0, 0, 0, 1) if condition == "without_gt" else (0, 1, 1, 1)
        return (1, 1, 1, 1) if condition == "without_gt" else (0.5, 1, 1, 1)

    made = experiment(
        verdict=verdict, conditions=shown, settings=asked(shown, changes={"half": {"prompt": "half"}})
    )
    (row,) = default_table(made.inputs()).frame.to_dict("records")
    # ada 100 and 87.5 on two records, bob 25 and 75 on one
    assert (row["default_one"], row["default_half"]) == ((100 + 25) / 2, (87.5 + 75) / 2)
    assert row["half_minus_one"] == (-12.5 + 50) / 2
    assert (row["tier"], row["judges"], row["n"]) == ("hard", 2, 3)


@pytest.mark.parametrize(
    ("build", "name", "word"),
    [(corrupted_table, "shuffled", "corrupted"), (derived_table, "derived", "derived")],
)
def test_a_made_reference_stands_beside_the_true_one_and_none(experiment, build, name, word):
    shown = {"with_gt": "expected", "without_gt": "none", "made": name}

    def verdict(record, tier, generator, judge, condition, _):
        if (condition, record) == ("made", "c"):
            return "not_asked"
        return ({"with_gt": 1, "without_gt": 0, "made": 0.5}[condition], 1, 1, 1)

    made = experiment(
        records=dict.fromkeys("abc", "linear"),
        verdict=verdict,
        conditions=shown,
        judges=["ada"],
        tiers=["hard"],
        settings=asked(shown),
    )
    result = build(made.inputs())
    (row,) = result.frame.to_dict("records")
    assert [row["with_gt"], row["without_gt"], row[f"{word}_gt"]] == [100, 75, 87.5]
    assert [row[f"{word}_minus_with"], row[f"{word}_minus_without"], row["n"]] == [-12.5, 12.5, 2]
    assert "Not asked, because the reference could not be made: 1." in result.notes
    other = derived_table if build is corrupted_table else corrupted_table
    assert other(made.inputs()).frame.empty


def test_topologies_weigh_the_same_if_the_run_says_so(experiment):
    """Three linear records gain 25, one of fan_in loses 25: 12.5 by record, 0 by topology."""
    shown = {"with_gt": "expected", "other": "expected"}

    def verdict(record, tier, generator, judge, condition, _):
        return (1, 1, 1, 1) if (condition == "other") == (record != "d") else (0, 1, 1, 1)

    records = dict.fromkeys("abc", "linear") | {"d": "fan_in"}
    for weighting, expected in (("records", 12.5), ("topologies", 0)):
        settings = asked(shown) | {"alignment": {"weighting": weighting}}
        made = experiment(records=records, verdict=verdict, conditions=shown, settings=settings)
        found = effects_table(made.inputs()).frame["other.minus_with_gt"]
        assert found.tolist() == pytest.approx([expected] * 4)


THIN = {
    "one_record": {"records": {"a": "linear"}},
    "no_ok_verdict": {"verdict": lambda *_: "malformed"},
    "no_ok_plan": {"plan": lambda *_: "truncated"},
    "one_arm_lost": {"verdict": lambda r, t, g, j, c, _: "empty" if "other" in c else (1, 0, 1, 0.5)},
    "one_tier_lost": {"verdict": lambda r, tier, *_: "refused" if tier == "hard" else (1, 1, 0, 1)},
}
CHANGES = {
    "with_other": {"prompt": "free", "decoding": {"temperature": 1.0, "thinking": False}},
    "without_other": {"prompt": "free", "decoding": {"temperature": 1.0, "thinking": False}},
}


@pytest.mark.parametrize("changes", THIN.values(), ids=THIN.keys())
@pytest.mark.parametrize("replicates", [1, 2])
def test_thin_ablations_give_every_table_and_a_reason_for_each_missing_number(
    experiment, changes, replicates
):
    settings = asked(replicates=replicates, changes=CHANGES)
    inputs = experiment(conditions=SHOWN, replicates=replicates, settings=settings, **changes).inputs()
    for build in (
        effects_table,
        temperature_table,
        thinking_table,
        format_table,
        default_table,
        corrupted_table,
        derived_table,
    ):
        result = build(inputs)
        frame = result.frame
        assert set(result.columns) <= set(frame.columns)
        assert len(frame)
        for name in result.columns:
            missing = frame[name].isna()
            reasons = frame[[column for column in ("reason", f"{name}_reason") if column in frame]]
            assert (reasons.notna().any(axis=1) | ~missing).all(), (build.__name__, name)
        assert not np.isinf(frame.select_dtypes(float)).any(axis=None)
    assert svg_text(temperature_figure(inputs))


def test_arms_are_compared_in_any_number_of_lines(experiment):
    effects = Effects(experiment(verdict=constant({"with_gt": 1, "without_gt": 0})).inputs())
    lines = [Line("gen", "ada", tier, ("with_gt", "without_gt")) for tier in ("easy", "hard")]
    paired = effects.pair(lines)
    assert paired.levels.tolist() == [[100, 75], [100, 75]]
    assert paired.contrast((1, -1)).means.tolist() == [25, 25]
