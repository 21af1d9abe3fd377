"""Single cells of the robustness tables, and what they say where there is little or nothing."""

import dataclasses
from pathlib import Path

import pandas as pd
import pytest
import yaml

from plumbline.config.loading import load_config
from plumbline.config.settings import RunConfig
from plumbline.records import Record, Verdict, read_json_lines, write_json_lines
from plumbline.report.page import table_page
from plumbline.tables.alignment import alignment_table, interval_table
from plumbline.tables.anchoring_cases import cases_table
from plumbline.tables.biases import mismatch_table, own_generators
from plumbline.tables.binary import binary_table
from plumbline.tables.breakdowns import metric_table, topology_table
from plumbline.tables.degradation import checks_table, slopes_table
from plumbline.tables.extra_keys import alignment_table as extra_alignment
from plumbline.tables.extra_keys import calls_table
from plumbline.tables.leaders import guide_table, winners_table
from plumbline.tables.lift import lift_table
from plumbline.tables.noise import noise_table
from plumbline.tables.over_anchoring import counts_table, list_table
from plumbline.tables.registry import TABLES
from plumbline.tables.weights import scheme_table

RIGHT = (1, 1, 1, 1)


def test_a_fall_that_every_record_shows_is_certain(experiment):
    made = experiment(
        verdict=lambda record, tier, *_: RIGHT if tier == "easy" else (0, 1, 1, 1), conditions={"c": "none"}
    )
    result = checks_table(made.inputs())
    assert result.frame["falls"].tolist() == [True, True]
    assert result.frame["least_fall"].tolist() == [25, 25]
    assert result.frame["share"].tolist() == [100, 100]
    assert result.notes[0] == "c: alignment falls strictly in 2 of 2 pairs."


def test_equal_tiers_do_not_fall_and_are_named(experiment):
    made = experiment(
        verdict=lambda record, tier, gen, judge, *_: (
            (0, 1, 1, 1) if (tier, judge) == ("hard", "ada") else RIGHT
        ),
        conditions={"c": "none"},
    )
    result = checks_table(made.inputs())
    assert result.frame.set_index("judge")["falls"].to_dict() == {"ada": True, "bob": False}
    assert result.notes[0].endswith("in 1 of 2 pairs; not for bob on gen.")


def test_with_one_tier_nothing_falls_and_there_is_no_slope(experiment):
    inputs = experiment(tiers=["hard"]).inputs()
    checked = checks_table(inputs).frame
    assert checked["falls"].isna().all()
    assert set(checked["reason"]) == {"the run has one tier"}
    sloped = slopes_table(inputs).frame
    assert sloped["slope"].isna().all()
    assert set(sloped["slope_reason"]) == {"the run has one tier"}
    assert set(sloped["hard"]) == {100}


def test_a_ratio_to_a_slope_of_nothing_has_no_value(experiment):
    flat_with = experiment(
        records=dict.fromkeys("abcd", "linear"),
        verdict=lambda r, tier, g, j, condition, _: (
            (0, 1, 1, 1) if (tier, condition) == ("hard", "without_gt") else RIGHT
        ),
    )
    frame = slopes_table(flat_with.inputs()).frame
    line = frame[(frame["condition"] == "without_gt") & (frame["view"] == "all")].iloc[0]
    assert line["slope"] == -25
    assert line[["ratio", "ratio_lo"]].isna().all()
    assert line["ratio_reason"] == "no slope to divide by"


def test_two_slopes_that_never_vary_have_an_exact_ratio(experiment):
    made = experiment(
        records=dict.fromkeys("abcd", "linear"),
        verdict=lambda r, tier, g, j, condition, _: (
            RIGHT if tier == "easy" else (0, 0, 0, 1) if condition == "without_gt" else (0, 0, 1, 1)
        ),
    )
    frame = slopes_table(made.inputs()).frame
    line = frame[(frame["condition"] == "without_gt") & (frame["view"] == "all")].iloc[0]
    # -75 against -50
    assert line[["ratio", "ratio_lo", "ratio_hi"]].tolist() == [1.5, 1.5, 1.5]


def test_a_judge_outside_the_panel_neither_leads_nor_counts_in_means(experiment):
    made = experiment(
        judges=["ada", "bob", "prometheus_2"],
        verdict=lambda r, t, g, judge, *_: {"ada": (0, 0, 1, 1), "bob": (0, 1, 1, 1)}.get(judge, RIGHT),
    )
    inputs = made.inputs()
    assert set(guide_table(inputs).frame["best"]) == {"bob"}
    assert set(guide_table(inputs).frame["runner_up"]) == {"ada"}
    sloped = slopes_table(inputs).frame
    assert set(sloped[sloped["view"] == "all"]["hard"]) == {62.5}
    assert set(sloped[sloped["name"] == "prometheus_2"]["hard"]) == {100}
    weighed = scheme_table(inputs)
    assert set(weighed.frame["alignment.prometheus_2"]) == {100}
    assert all(name == "alignment.bob" for _, name in weighed.bold)


def test_judges_that_look_the_same_share_the_lead_and_the_next_is_the_runner_up(experiment):
    scores = {"ada": 1, "bob": 0.9996, "eve": 0.9}
    made = experiment(
        judges=list(scores),
        verdict=lambda r, t, g, judge, *_: (1, 1, scores[judge], 1),
        tiers=["hard"],
        conditions={"with_gt": "expected"},
    )
    result = winners_table(made.inputs())
    line = result.frame.iloc[0]
    assert (line["best"], line["tie"], line["runner_up"]) == ("ada, bob", True, "eve")
    assert line["margin"] == pytest.approx(2.5)
    assert "with_gt, cells led of 1: ada 0 (and 1 tied), bob 0 (and 1 tied)." in result.notes


def test_a_judge_that_lacks_a_cell_is_left_out_of_the_guide_and_named(experiment):
    def verdict(record, tier, generator, judge, condition, _):
        return (
            "empty" if (generator, judge) == ("other", "ada") else RIGHT if judge == "ada" else (0, 0, 0, 1)
        )

    result = guide_table(experiment(generators=["gen", "other"], verdict=verdict, tiers=["hard"]).inputs())
    assert set(result.frame["best"]) == {"bob"}
    assert set(result.frame["reason"]) == {"no other judge"}
    assert "ada (with_gt, hard)" in result.notes[0]


def test_weights_that_leave_no_metric_or_name_an_unknown_one_are_refused(experiment):
    data = experiment().config.model_dump()
    for scheme, message in (
        (
            dict.fromkeys(("tool_selection", "parameter_structure", "sequence", "query_coverage"), 0),
            "at least",
        ),
        ({"order": 2}, "Extra inputs"),
        ({"sequence": -1}, "greater than or equal to 0"),
    ):
        with pytest.raises(ValueError, match=message):
            RunConfig.model_validate(data | {"weights": {"schemes": {"mine": scheme}}})


def test_without_other_readings_the_tables_of_extra_keys_say_what_to_do(experiment):
    inputs = experiment().inputs()
    calls, judged = calls_table(inputs).frame, extra_alignment(inputs).frame
    assert calls[["extra_key_calls", "lenient", "schema_aware"]].isna().all(axis=None)
    assert (set(calls["strict"]), set(calls["calls"])) == ({100}, {4})
    assert judged["alignment"].tolist() == [100, 100, 100]
    assert judged[["lenient", "schema_aware"]].isna().all(axis=None)
    words = {"the score files hold no other reading; make them again"}
    assert set(calls["reason"]) == set(judged["reason"]) == words


def test_without_a_condition_that_shows_the_calls_there_is_no_other_alignment(experiment):
    result = extra_alignment(experiment(conditions={"without_gt": "none"}).inputs())
    assert result.frame.empty
    assert result.notes[0] == "The block has no condition that shows the expected calls."


def test_readings_are_replaced_also_where_records_are_paired(experiment):
    made = experiment(
        plan=lambda *_: (1, 0.5, 1, 1),
        readings=lambda *_: (1, 0.5, 1),
        settings={"alignment": {"pairing": "both"}},
    )
    frame = extra_alignment(made.inputs()).frame.set_index("judge")
    # the judge says 1 to a plan scored 0.5: 87.5, and 100 if the extra key is forgiven
    assert frame.loc["ada", ["alignment", "lenient", "schema_aware"]].tolist() == [87.5, 100, 87.5]


@pytest.fixture
def anchored(experiment):
    """ada gives full marks once it sees the calls; the plans' sequence or coverage is wrong."""

    def verdict(record, tier, generator, judge, condition, _):
        right = judge == "ada" and condition == "with_gt"
        return RIGHT if right else (1, 1, 0.5, 0.5)

    return experiment(
        records={"a": "linear", "b": "fan_in", "c": "diamond", "d": "linear"},
        plan=lambda record, *_: (1, 1, 0.5, 1) if record != "d" else (1, 1, 1, 0.5),
        verdict=verdict,
    )


def said(made, judge, condition, words):
    file = made.folder / f"results/small/verdicts/{judge}/gen/hard/{condition}.jsonl"
    lines = [
        item.model_copy(update={"justifications": {"sequence": f"{words} of {item.record_id}"}})
        for item in read_json_lines(file, Verdict)
    ]
    write_json_lines(lines, file)


def test_instances_are_listed_with_what_the_judge_said(anchored):
    inputs = anchored.inputs()
    said(anchored, "ada", "with_gt", "<b>fine</b>")
    said(anchored, "ada", "without_gt", "wrong order")
    counts = counts_table(inputs).frame.set_index("judge")
    assert counts.loc["ada", ["sequence", "query_coverage", "instances", "records"]].tolist() == [3, 1, 4, 4]
    assert counts.loc["bob", "instances"] == 0
    result = list_table(inputs)
    first = result.frame.iloc[0]
    assert (first["record_id"], first["metric"], first["programmatic"]) == ("a", "sequence", 0.5)
    assert (first["said_with"], first["said_without"]) == ("<b>fine</b> of a", "wrong order of a")
    cover = result.frame[result.frame["metric"] == "query_coverage"].iloc[0]
    assert pd.isna(cover["said_with"])
    assert cover["said_with_reason"] == "the judge gave none"
    page = table_page(result, TABLES["over_anchoring_list"], "small", "main")
    assert "&lt;b&gt;fine&lt;/b&gt; of a" in page
    assert "<b>fine" not in page


def test_three_cases_are_told_in_full_from_three_records(anchored):
    inputs = anchored.inputs()
    said(anchored, "ada", "with_gt", "fine")
    frame = cases_table(inputs).frame
    assert frame.groupby("case")["metric"].first().tolist() == ["sequence", "sequence", "query_coverage"]
    parts = frame.set_index(["case", "part"])["text"]
    assert parts[1, "record"] == "a (linear), plan of gen"
    assert parts[2, "record"].startswith("b (fan_in)")
    assert parts[3, "record"].startswith("d (linear)")
    # every record of the tests asks "c" on the hard tier and calls f once
    assert parts[1, "query"] == "c"
    assert parts[1, "generated calls"] == 'f("x": 1)'
    assert parts[1, "expected calls"] == "none"
    assert parts[1, "score of the program"] == "0.50"
    assert (parts[1, "score, with_gt"], parts[1, "score, without_gt"]) == ("1.00", "0.50")
    assert parts[2, "justification, with_gt"] == "fine of b"


def test_texts_whose_files_are_gone_are_missing_with_a_reason(anchored):
    inputs = anchored.inputs()
    (anchored.folder / "results/small/records.jsonl").unlink()
    (anchored.folder / "results/small/verdicts/ada/gen/hard/with_gt.jsonl").unlink()
    listed = list_table(inputs).frame
    assert set(listed["said_with_reason"]) == {"the run's file of it is not at hand"}
    frame = cases_table(inputs).frame.set_index(["case", "part"])
    assert pd.isna(frame.loc[(1, "query"), "text"])
    assert frame.loc[(1, "query"), "reason"] == "the run's file of it is not at hand"
    assert frame.loc[(1, "generated calls"), "text"] == 'f("x": 1)'


def test_without_an_instance_the_tables_say_so(experiment):
    inputs = experiment().inputs()
    assert counts_table(inputs).frame["instances"].tolist() == [0, 0]
    assert list_table(inputs).frame.empty
    assert cases_table(inputs).notes[0] == "No instance of over-anchoring on sequence or coverage."


def test_a_rewritten_query_is_the_one_that_is_shown(anchored):
    inputs = anchored.inputs()
    file = anchored.folder / "results/small/records.jsonl"
    records = [
        record.model_copy(update={"queries": record.queries.model_copy(update={"hard": "the hard one"})})
        for record in read_json_lines(file, Record)
    ]
    write_json_lines(records, file)
    frame = cases_table(inputs).frame.set_index(["case", "part"])
    assert frame.loc[(1, "query"), "text"] == "the hard one"


def decoded(**conditions):
    """Give settings with conditions that show nothing."""
    return {
        "conditions": {name: {"reference": "none", "prompt": "judge"} | c for name, c in conditions.items()}
    }


def test_conditions_that_differ_in_decoding_alone_are_a_spread(experiment):
    settings = decoded(
        cold={},
        warm={"decoding": {"temperature": 0.7}},
        free={"prompt": "other"},
    )
    right = {"cold": RIGHT, "warm": (0, 1, 1, 1), "free": (0, 0, 1, 1)}
    made = experiment(
        conditions=dict.fromkeys(settings["conditions"], "none"),
        settings=settings,
        verdict=lambda r, t, g, j, condition, _: right[condition],
        tiers=["hard"],
    )
    result = noise_table(made.inputs())
    kinds = result.frame.set_index(["kind", "judge"])
    assert kinds.loc[("decoding", "ada"), ["conditions", "lowest", "highest"]].tolist() == [
        "cold, warm",
        75,
        100,
    ]
    assert kinds.loc[("prompt", "ada"), ["conditions", "spread"]].tolist() == ["cold, free", 50]
    assert result.notes[0].startswith("decoding (other decoding, the same prompt): at most 25.00 pp")


def test_a_block_that_repeats_nothing_has_no_spread_and_says_so(experiment):
    result = noise_table(experiment().inputs())
    assert result.frame.empty
    assert result.notes[0].startswith("The block asks no cell twice")


def test_a_cell_with_one_readable_replicate_has_no_spread(experiment):
    made = experiment(
        verdict=lambda r, t, g, judge, c, replicate: "empty" if replicate or judge == "bob" else RIGHT,
        replicates=2,
        tiers=["hard"],
    )
    frame = noise_table(made.inputs()).frame.set_index(["conditions", "judge"])
    one, none = frame.loc[("with_gt", "ada")], frame.loc[("with_gt", "bob")]
    assert (one["values"], one["lowest"], one["reason"]) == (1, 100, "one value does not vary")
    assert (none["values"], none["reason"]) == (0, "no ok verdict")


@pytest.fixture
def uneven(experiment):
    return experiment(
        records={"a": "linear", "b": "linear", "c": "linear", "d": "loop_like", "e": "single"},
        verdict=lambda record, t, g, j, condition, _: (
            (0, 0, 0, 0) if record == "d" or (record == "a" and condition == "with_gt") else RIGHT
        ),
        settings={"alignment": {"weighting": "topologies"}},
    )


def test_topologies_weigh_the_same_where_the_run_says_so(uneven):
    inputs = uneven.inputs()
    cells = interval_table(inputs).frame.set_index(["judge", "tier", "condition"])
    # linear 2 of 3 right with, 3 of 3 without; loop_like none; single left out
    assert cells.loc[("ada", "easy", "with_gt"), "mean"] == pytest.approx(100 / 3)
    assert cells.loc[("ada", "easy", "without_gt"), "mean"] == pytest.approx(50)
    assert cells["mean"].tolist() == pytest.approx(cells["balanced"].tolist())
    assert set(cells["n"]) == {4}
    lift = lift_table(inputs).frame.set_index("judge")
    assert lift.loc["ada", "lift"] == pytest.approx(100 / 3 - 50)
    assert any(
        "every topology of the paper weighs the same" in note for note in alignment_table(inputs).notes
    )


def test_robustness_studies_weigh_topologies_as_the_other_tables_do(uneven):
    # linear 2 of 3 right, loop_like 0 of 1, single left out: 33.3 and not the 60 of five records
    inputs = uneven.inputs()
    schemes = scheme_table(inputs).frame.set_index(["condition", "scheme"])
    assert schemes.loc[("with_gt", "sequence_x2"), "alignment.ada"] == pytest.approx(100 / 3)
    binary = binary_table(inputs).frame.set_index(["condition", "judge"])
    assert binary.loc[("with_gt", "ada"), "standard"] == pytest.approx(100 / 3)
    assert binary.loc[("with_gt", "ada"), "n"] == 8
    extra = extra_alignment(uneven.inputs()).frame.set_index("judge")
    assert extra.loc["ada", "alignment"] == pytest.approx(100 / 3)
    assert any("every topology weighs the same" in note for note in scheme_table(inputs).notes)
    by_record = uneven.inputs()
    uneven.settings = {}
    plain = scheme_table(uneven.inputs()).frame.set_index(["condition", "scheme"])
    assert plain.loc[("with_gt", "equal"), "alignment.ada"] == pytest.approx(60)
    # what is shared out is counted, and no average
    for built in (mismatch_table, counts_table):
        assert not any("every topology" in note for note in built(by_record).notes)


def test_replicates_are_weighted_by_topology_too(uneven):
    uneven.replicates = 2
    frame = noise_table(uneven.inputs()).frame.set_index(["conditions", "judge", "tier"])
    assert frame.loc[("with_gt", "ada", "easy"), ["lowest", "highest"]].tolist() == pytest.approx(
        [100 / 3] * 2
    )


def test_a_plan_without_its_partner_counts_in_no_study(experiment):
    """With `pairing: both` record b, which has no verdict without the expected calls, is as if not there."""

    def verdict(record, tier, generator, judge, condition, replicate):
        if record == "a":
            return RIGHT
        return (0.5, 0.5, 0.5, 0.5) if condition == "with_gt" else "malformed"

    made = experiment(records={"a": "linear", "b": "linear"}, verdict=verdict, replicates=2)
    for pairing, half, scores, lowest in (("per_condition", 50, 16, 75), ("both", 0, 8, 100)):
        made.settings = {"alignment": {"pairing": pairing}}
        inputs = made.inputs()
        binary = binary_table(inputs).frame.set_index(["condition", "judge"])
        assert binary.loc[("with_gt", "ada"), "half_rate"] == half
        mismatch = mismatch_table(inputs).frame.set_index(["condition", "judge"])
        # records times two tiers, two replicates and four metrics
        assert mismatch.loc[("with_gt", "ada"), "scores"] == 2 * scores
        noise = noise_table(inputs).frame.set_index(["conditions", "judge", "tier"])
        assert noise.loc[("with_gt", "ada", "hard"), "lowest"] == lowest
        # a table by condition still looks at the other one
        shown = dataclasses.replace(inputs, condition="with_gt").ok_verdicts
        assert set(shown["record_id"]) == ({"a", "b"} if pairing == "per_condition" else {"a"})


def test_judges_that_are_next_together_are_all_named(experiment):
    made = experiment(
        judges=["ada", "bob", "cy", "dan"],
        verdict=lambda record, tier, generator, judge, *_: {"ada": RIGHT, "dan": (0, 0, 0, 0)}.get(
            judge, (1, 1, 1, 0)
        ),
    )
    frame = guide_table(made.inputs()).frame
    assert set(frame["best"]) == {"ada"}
    assert set(frame["runner_up"]) == {"bob, cy"}
    assert set(frame["margin"]) == {25}


def test_a_judge_outside_the_means_is_never_bold(experiment):
    made = experiment(
        verdict=lambda record, tier, generator, judge, condition, _: (
            RIGHT if judge == "bob" else (1, 1, 1, 0)
        ),
        settings={"agreement": {"outside": ["bob"]}},
    )
    inputs = made.inputs()
    for built in (alignment_table(inputs), metric_table(inputs)):
        judges = built.frame["judge"]
        assert {judges[row] for row, _ in built.bold} == {"ada"}
    assert not any("from the lowest judge" in note for note in metric_table(inputs).notes)


def test_topologies_are_ranked_from_the_easiest_to_the_hardest(experiment):
    # fan_out and diamond are equal
    share = {"linear": 1, "fan_out": 0.5, "fan_in": 0, "diamond": 0.5}
    made = experiment(
        records={name: name for name in share},
        verdict=lambda record, t, g, j, c, _: (share[record],) * 4,
    )
    frame = topology_table(made.inputs()).frame.set_index(["condition", "judge"])
    row = frame.loc[("with_gt", "ada")]
    assert (row["easiest"], row["hardest"]) == ("linear", "fan_in")
    assert row["ranking"] == "linear > fan_out, diamond > fan_in"


def test_weighting_topologies_changes_nothing_within_a_topology(uneven):
    frame = topology_table(uneven.inputs()).frame.set_index(["condition", "judge"])
    assert frame.loc[("with_gt", "ada"), "linear"] == pytest.approx(200 / 3)
    assert frame.loc[("with_gt", "ada"), "linear.n"] == 6


def test_random_cells_weighted_by_topology_are_the_balanced_means(random_experiment):
    random_experiment.settings = {"alignment": {"weighting": "topologies"}}
    cells = interval_table(random_experiment.inputs()).frame
    assert cells["mean"].tolist() == pytest.approx(cells["balanced"].tolist())
    assert (cells["lo"] < cells["mean"]).all()


@pytest.mark.parametrize("name", ["released", "rehearsal"])
def test_a_judge_s_own_generator_is_known_where_one_model_stands_for_many(name):
    files = [Path("config") / f"{name}.yaml"]
    config = load_config(yaml.safe_load(files[0].read_text(encoding="utf-8")), files)
    own = {judge: own_generators(config, list(config.generators), judge) for judge in config.judges}
    assert {judge: writers for judge, writers in own.items() if writers} == {"gpt_5_4": ["gpt_5_4"]}
