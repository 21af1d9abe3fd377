"""A run whose cells have the published alignments gives the published slopes, leaders and lift."""

import csv
from collections import defaultdict

import pytest

from plumbline.tables.degradation import checks_table, slopes_table
from plumbline.tables.leaders import guide_table, winners_table
from plumbline.tables.lift import lift_table


def rows_of(project_root, name):
    with (project_root / "resources" / "published" / f"{name}.csv").open(encoding="utf-8") as stream:
        return list(csv.DictReader(stream))


@pytest.fixture
def cells(project_root):
    return {
        (row["generator"], row["judge"], row["tier"], row["condition"]): float(row["alignment_pct"])
        for row in rows_of(project_root, "alignment")
    }


@pytest.fixture
def published(experiment, cells):
    """Every plan is perfect and every score a judge gives is its published alignment."""
    generators = list(dict.fromkeys(key[0] for key in cells))
    return experiment(
        judges=list(dict.fromkeys(key[1] for key in cells)),
        generators=generators,
        tiers=["easy", "medium", "hard"],
        verdict=lambda record, tier, gen, judge, cond, _: (cells[gen, judge, tier, cond] / 100,) * 4,
        settings={"open_weight": [name for name in generators if name != "gpt_5_4"]},
    ).inputs()


def test_the_decision_guide_is_the_published_one_for_four_generators(published, project_root):
    frame = guide_table(published).frame
    assert list(dict.fromkeys(frame["generators"])) == ["open_weight", "all"]
    four = frame[frame["generators"] == "open_weight"].set_index(["condition", "tier"])
    for row in rows_of(project_root, "decision_guide"):
        found = four.loc[row["condition"], row["tier"]]
        name, value = {
            "1": ("best", "best_alignment"),
            "2": ("runner_up", "runner_up_alignment"),
        }[row["rank"]]
        assert found[name] == row["judge"]
        assert found[value] == pytest.approx(float(row["alignment_pct"]), abs=0.06)


def test_with_five_generators_the_leader_without_expected_calls_changes(published):
    frame = guide_table(published).frame
    five = frame[frame["generators"] == "all"].set_index(["condition", "tier"])["best"]
    assert five["without_gt", "easy"] == "gpt_5_4"


def test_qwq_leads_ten_cells_strictly_and_one_tied_and_none_without_the_expected_calls(published):
    result = winners_table(published)
    led = result.frame.groupby("condition")["best"].value_counts()
    assert led["with_gt", "qwq_32b"] == 10
    tied = result.frame[result.frame["tie"].eq(True) & result.frame["best"].str.contains("qwq_32b")]
    assert tied[["condition", "generator", "tier"]].to_numpy().tolist() == [
        ["with_gt", "smollm3_3b", "medium"]
    ]
    assert "qwq_32b" not in led["without_gt"].index
    assert any("qwq_32b 10 (and 1 tied)" in note for note in result.notes)


def test_every_published_pair_falls_strictly_under_both_conditions(published):
    frame = checks_table(published).frame
    assert len(frame) == 60
    assert frame["falls"].eq(True).all()


def test_published_slopes_are_half_as_steep_again_without_the_expected_calls(published):
    frame = slopes_table(published).frame.set_index(["condition", "view", "name"])
    assert frame.loc[("without_gt", "all", "all"), "ratio"] == pytest.approx(1.5, abs=0.15)
    judges = frame.loc["without_gt"].loc["judge"]
    assert judges["hard"].min() == pytest.approx(77.9, abs=0.06)
    assert judges["hard"].max() == pytest.approx(79.7, abs=0.06)
    generators = sorted(frame.loc["without_gt"].loc["generator"]["hard"], reverse=True)
    assert generators == pytest.approx([84.2, 81.4, 79.5, 77.2, 70.6], abs=0.06)
    drops = -frame.loc["with_gt"].loc["judge"]["drop"]
    assert (drops.min(), drops.max()) == pytest.approx((3.5, 6.1), abs=0.06)


def test_lift_is_the_derived_one_for_twelve_and_for_fifteen_cells(published, project_root):
    frame = lift_table(published).frame
    assert list(dict.fromkeys(frame["generators"])) == ["open_weight", "all"]
    ours = frame.set_index(["judge", "possible"])["lift"]
    derived = [
        row
        for row in rows_of(project_root, "gt_lift")
        if row["quantity"] == "lift" and row["source"] == "derived"
    ]
    assert len(derived) == 12
    for row in derived:
        assert ours[row["judge"], int(row["cells"])] == pytest.approx(float(row["value"]), abs=0.0051)


def test_lift_of_all_generators_comes_first_where_the_run_says_so(experiment):
    settings = {"open_weight": ["gen"], "lift": {"generators": "all"}}
    made = experiment(generators=["gen", "other"], settings=settings)
    frame = lift_table(made.inputs()).frame
    assert frame["generators"].tolist() == ["all", "all", "open_weight", "open_weight"]
    assert frame["possible"].tolist() == [4, 4, 2, 2]


def test_slopes_of_the_open_weight_generators_where_the_run_says_so(experiment, cells):
    by_generator = defaultdict(lambda: (1, 1, 1, 1), {"other": (0, 0, 0, 0)})
    settings = {"open_weight": ["gen"], "degradation": {"generators": "open_weight"}}
    made = experiment(
        generators=["gen", "other"],
        verdict=lambda r, t, generator, *_: by_generator[generator],
        settings=settings,
    )
    frame = slopes_table(made.inputs()).frame
    assert set(frame["hard"]) == {100}
    assert set(frame[frame["view"] == "generator"]["name"]) == {"gen"}
