"""Annotation sheets, good and bad, and the tables that rest on them."""

from pathlib import Path
from statistics import mean

import pytest
from scipy.stats import spearmanr

from plumbline.records import METRICS
from plumbline.statistics.human import human_corrected
from plumbline.study.files import COLUMNS
from plumbline.study.reading import SHOWN, read_annotations
from plumbline.tables.annotators import agreement_table, annotators_table, between_table, disagreements_table
from plumbline.tables.human import JURY, MEAN, alignment_table

ALL_RIGHT = "1,1,1,1"
HEADING = ",".join([*COLUMNS, "notes"])


def sheet(folder, *lines, heading=HEADING, name="sheet"):
    path = folder / f"{name}.csv"
    path.write_text("\n".join([heading, *lines]) + "\n", encoding="utf-8")
    return path


def annotated(experiment, path, **changes):
    files = str(path) if isinstance(path, Path) else [str(file) for file in path]
    human = {"annotations": files, "sheet": "own"} | changes.pop("human", {})
    settings = {"human": human} | changes.pop("settings", {})
    return experiment(settings=settings, **changes)


@pytest.mark.parametrize(
    ("score", "agrees", "flip", "expected"),
    [
        (0.67, True, "zero", 0.67),
        (0.67, False, "zero", 0),
        (0.33, False, "zero", 1),
        (0.5, False, "zero", 0),
        (0.5, False, "one", 1),
        (0.5, True, "one", 0.5),
        (1, False, "one", 0),
        (0, False, "one", 1),
    ],
)
def test_a_score_is_turned_over_where_people_disagree(score, agrees, flip, expected):
    assert human_corrected([score], [agrees], flip).tolist() == [expected]


def test_a_good_sheet_is_read_whole(tmp_path):
    path = sheet(
        tmp_path,
        f'a,linear,1,0.5,0.6667,0,{ALL_RIGHT},"a comma, and\na break"',
        "",
        "b , fan_in ,1,1,1,1,1,0,1,0,",
    )
    found = read_annotations(path, {"a", "b"})
    assert (found.problems, found.lines) == ((), 2)
    assert found.frame["record_id"].tolist() == ["a", "b"]
    assert found.frame["prog_sequence"].tolist() == [0.6667, 1]
    assert found.frame["agree_query_coverage"].tolist() == [True, False]


def test_a_sheet_with_a_byte_order_mark_and_other_column_order_is_read(tmp_path):
    order = ["notes", *reversed(COLUMNS)]
    path = tmp_path / "sheet.csv"
    path.write_bytes(f"{','.join(order)}\r\nfine,1,1,1,1,1,1,1,1,linear,a\r\n".encode("utf-8-sig"))
    assert read_annotations(path, {"a"}).frame["topology"].tolist() == ["linear"]


def test_every_problem_of_a_sheet_is_told_with_line_column_and_remedy(tmp_path):
    path = sheet(
        tmp_path,
        f"a,linear,1,1,1,1,{ALL_RIGHT},",
        f"zzz,linear,1,1,1,1,{ALL_RIGHT},",
        "b,spiral,1,1,1,1.5,yes,1,,1,",
        f"a,linear,1,1,1,1,{ALL_RIGHT},",
        f"c,linear,1,1,1,1,{ALL_RIGHT},one, two",
        f",linear,1,1,1,x,{ALL_RIGHT},",
    )
    found = read_annotations(path, {"a", "b", "c"})
    assert found.frame["record_id"].tolist() == ["a"]
    told = [problem.removeprefix(f"{path}, ") for problem in found.problems]
    starts = [
        "line 3, column `id`: `zzz` is no record of this run",
        "line 4, column `topology`: `spiral` is not right; it holds one of linear,",
        "line 4, column `prog_query_coverage`: `1.5` is not right; it holds the programmatic score",
        "line 4, column `agree_tool_selection`: `yes` is not right; it holds 1 (agree), 0 (disagree),",
        "line 5, column `id`: `a` stands on line 2 already; annotate it once",
        "line 6: has 12 fields, the heading 11",
        "line 7, column `id`: is blank",
        "line 7, column `prog_query_coverage`: `x` is not right",
    ]
    assert len(told) == len(starts)
    for problem, start in zip(told, starts, strict=True):
        assert problem.startswith(start)
    assert found.notes[0] == "sheet: 1 of 6 records annotated, 4 scores; 0 left blank."
    assert found.notes[1].startswith("8 problems")


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"", ["is empty", "id, topology, prog_tool_selection"]),
        (HEADING.encode(), ["has no annotated record"]),
        (
            b"id,topology,prog_sequence,prog_sequence\na,linear,1,1\n",
            ["column `agree_sequence` is missing; a sheet of", "`prog_sequence` occurs twice"],
        ),
        (HEADING.replace(",", ";").encode() + b"\na;b\n", ["not separated by commas"]),
        (HEADING.encode() + b"\n\xff\n", ["is not UTF-8"]),
        (HEADING.encode() + b'\n"a', ["is not CSV"]),
        (None, ["cannot be read (No such file or directory)"]),
    ],
)
def test_a_sheet_that_cannot_be_used_says_why_and_the_tables_stay(experiment, tmp_path, content, words):
    path = tmp_path / "sheet.csv"
    if content is not None:
        path.write_bytes(content)
    inputs = annotated(experiment, path).inputs()
    for build in (agreement_table, alignment_table):
        notes = " ".join(build(inputs).notes)
        assert all(word in notes for word in words)
        assert str(path) in notes
    assert agreement_table(inputs).frame["total"].sum() == 0
    assert alignment_table(inputs).frame["vs_human"].isna().all()
    assert alignment_table(inputs).frame["reason"].notna().all()


def test_of_many_problems_the_rest_is_counted(tmp_path):
    lines = [f"x{number},linear,1,1,1,1,{ALL_RIGHT}," for number in range(SHOWN + 7)]
    assert read_annotations(sheet(tmp_path, *lines), set()).notes[-1] == "... and 7 more."


def test_without_a_sheet_the_tables_say_what_to_set(experiment):
    inputs = experiment().inputs()
    for build in (agreement_table, annotators_table, between_table, disagreements_table, alignment_table):
        result = build(inputs)
        assert result.frame.empty
        assert "set `human.annotations`" in result.notes[0]


def test_agreement_is_counted_by_metric_over_all_and_by_topology(experiment, tmp_path):
    path = sheet(tmp_path, "a,linear,1,1,1,1,1,0,1,1,", "b,fan_in,1,1,1,1,1,0,0,1,")
    frame = agreement_table(annotated(experiment, path).inputs()).frame.set_index("name")
    assert frame.loc[list(METRICS), "agree"].tolist() == [2, 0, 1, 2]
    assert frame.loc[list(METRICS), "agreement_pct"].tolist() == [100, 0, 50, 100]
    assert frame.loc["all", ["agree", "disagree", "total", "agreement_pct"]].tolist() == [5, 3, 8, 62.5]
    assert frame.loc[["linear", "fan_in"], "agreement_pct"].tolist() == [75, 50]
    assert frame.loc["diamond", "agreement_pct_reason"] == "none annotated"


def test_alignment_with_people_is_that_with_the_corrected_scores(experiment, tmp_path):
    """Plan a has scores 1, .5, 0, 1; people disagree with the second and third: 1, 0, 1, 1."""
    path = sheet(tmp_path, "a,linear,1,0.5,0,1,1,0,0,1,")
    verdicts = {"ada": (1, 0.5, 0, 1), "bob": (1, 0, 1, 1)}
    made = annotated(
        experiment,
        path,
        plan=lambda *_: (1, 0.5, 0, 1),
        verdict=lambda r, t, g, judge, *_: verdicts[judge],
        conditions={"with_gt": "expected"},
    )
    frame = alignment_table(made.inputs()).frame.set_index("judge")
    # ada is the program, bob is people: each is wrong by .5 and 1 of 4 with the other
    assert frame.loc["ada", ["vs_programmatic", "vs_human"]].tolist() == [100, 62.5]
    assert frame.loc["bob", ["vs_programmatic", "vs_human"]].tolist() == [62.5, 100]
    assert frame.loc["ada", "human_minus_programmatic"] == -37.5
    assert frame.loc[["ada", "bob"], "rank_programmatic"].tolist() == [1, 2]
    assert frame.loc[["ada", "bob"], "rank_human"].tolist() == [2, 1]
    assert frame.loc[MEAN, ["human_minus_programmatic", "spearman"]].tolist() == pytest.approx([0, -1])
    # the jury says 1, .25, .5, 1
    assert frame.loc[JURY, "vs_programmatic"] == 100 * (1 + 0.75 + 0.5 + 1) / 4
    assert frame.loc[JURY, "vs_human"] == 100 * (1 + 0.75 + 0.5 + 1) / 4
    assert frame["n"].tolist() == [1, 1, 1, 2]
    assert frame.loc["ada", "reason"] == "one record alone gives no interval"


@pytest.mark.parametrize(("pairing", "plans"), [("per_condition", 2), ("both", 1)])
def test_the_jury_leaves_out_what_pairing_leaves_out(experiment, tmp_path, pairing, plans):
    """Of record b bob has no verdict without the expected calls."""
    path = sheet(tmp_path, "a,linear,1,1,1,1,1,1,1,1,", "b,linear,1,1,1,1,1,1,1,1,")

    def verdict(record, tier, generator, judge, condition, _):
        return "malformed" if (record, judge, condition) == ("b", "bob", "without_gt") else (1, 1, 1, 1)

    made = annotated(experiment, path, records={"a": "linear", "b": "linear"}, verdict=verdict)
    made.settings |= {"alignment": {"pairing": pairing}}
    frame = alignment_table(made.inputs()).frame.set_index(["condition", "judge"])
    assert frame.loc[("with_gt", JURY), "n"] == plans
    assert frame.loc[("with_gt", "ada"), "n"] == 2


def test_alignment_with_people_agrees_with_a_loop(random_experiment, tmp_path):
    made = random_experiment
    made.judges = ["ada", "bob", "cyd"]
    lines, people = [], {}
    for place, record in enumerate(made.records):
        plan = made.plan(record, "hard", "gen")
        if isinstance(plan, str):
            continue
        agrees = [(place + metric) % 3 > 0 for metric in range(4)]
        people[record] = [p if same else float(p < 0.5) for p, same in zip(plan, agrees, strict=True)]
        marks = ",".join(str(int(same)) for same in agrees)
        lines.append(f"{record},linear,{','.join(map(str, plan))},{marks},")
    path = sheet(tmp_path, *lines)
    made.settings = {"human": {"annotations": str(path), "sheet": "own", "generators": ["gen"]}}
    frame = alignment_table(made.inputs()).frame.set_index(["condition", "judge"])

    def points(truth, verdict):
        return 100 * mean(1 - abs(p - v) for p, v in zip(truth, verdict, strict=True))

    for condition in made.conditions:
        levels = []
        for judge in made.judges:
            answers = {r: made.verdict(r, "hard", "gen", judge, condition, 0) for r in people}
            ok = {r: answer for r, answer in answers.items() if not isinstance(answer, str)}
            program = mean(points(made.plan(r, "hard", "gen"), answer) for r, answer in ok.items())
            human = mean(points(people[r], answer) for r, answer in ok.items())
            row = frame.loc[condition, judge]
            assert row[["vs_programmatic", "vs_human", "n"]].tolist() == pytest.approx(
                [program, human, len(ok)]
            )
            assert row["lo"] < row["human_minus_programmatic"] < row["hi"]
            levels.append((program, human))
        program, human = zip(*levels, strict=True)
        expected = [mean(human) - mean(program), spearmanr(program, human).statistic]
        assert frame.loc[
            (condition, MEAN), ["human_minus_programmatic", "spearman"]
        ].tolist() == pytest.approx(expected)


def test_plans_come_from_the_first_generator_whose_scores_are_the_sheets(experiment, tmp_path):
    scores = {("a", "one"): (1, 1, 1, 1), ("a", "two"): (1, 1, 1, 1), ("b", "two"): (1, 0.6667, 1, 1)}
    path = sheet(
        tmp_path,
        f"a,linear,1,1,1,1,{ALL_RIGHT},",
        f"b,fan_in,1,0.67,1,1,{ALL_RIGHT},",
        f"c,fan_in,0,0,0,0,{ALL_RIGHT},",
    )
    made = annotated(
        experiment,
        path,
        records={"a": "linear", "b": "fan_in", "c": "fan_in"},
        generators=["two", "one"],
        plan=lambda record, tier, generator: scores.get((record, generator), (1, 1, 0, 1)),
        human={"generators": ["one", "two"]},
    )
    result = alignment_table(made.inputs())
    notes = " ".join(result.notes)
    assert "Annotated plans, tier hard: one 1, two 1." in notes
    assert "no plan of one, two on tier hard has the sheet's scores: 1 records (c)" in notes
    assert result.frame["n"].tolist()[:2] == [2, 2]


def test_ties_share_a_rank_and_equal_judges_have_no_rank_correlation(experiment, tmp_path):
    path = sheet(tmp_path, f"a,linear,1,1,1,1,{ALL_RIGHT},", f"b,fan_in,1,1,1,1,{ALL_RIGHT},")
    frame = alignment_table(annotated(experiment, path, conditions={"with_gt": "expected"}).inputs()).frame
    assert frame["rank_human"].tolist()[:2] == [1.5, 1.5]
    assert frame["spearman"].isna().all()
    assert frame["spearman_reason"].tolist()[-1] == "all judges come out the same"


def test_judges_outside_the_panel_are_shown_and_not_ranked(experiment, tmp_path):
    path = sheet(tmp_path, f"a,linear,1,1,1,1,{ALL_RIGHT},", f"b,fan_in,1,1,1,1,{ALL_RIGHT},")
    made = annotated(
        experiment,
        path,
        judges=["ada", "bob", "eve"],
        conditions={"with_gt": "expected"},
        settings={"agreement": {"outside": ["eve"]}},
        verdict=lambda r, t, g, judge, *_: (0, 0, 0, 0) if judge == "eve" else (1, 1, 1, 1),
    )
    frame = alignment_table(made.inputs()).frame.set_index("judge")
    assert frame.loc["eve", "vs_programmatic"] == 0
    assert frame.loc["eve", "rank_human_reason"] == "not among the ranked judges"
    assert frame.loc[[JURY, MEAN], "vs_programmatic"].tolist() == [100, 100]


def two_annotators(folder):
    """Ana marks records a, b; Bob marks a alike but for one score, and leaves one of b blank."""
    heading = ",".join([*COLUMNS, "notes", "reason_sequence"])
    ana = ["a,linear,1,1,1,1,1,0,1,1,,", "b,fan_in,1,1,1,1,1,1,0,1,,too strict"]
    bob = ["a,linear,1,1,1,1,1,1,1,1,,", "b,fan_in,1,1,1,1,1,1,0,,,"]
    return [sheet(folder, *lines, heading=heading, name=name) for name, lines in (("ana", ana), ("bob", bob))]


def test_each_annotator_and_their_majority_is_counted(experiment, tmp_path):
    inputs = annotated(experiment, two_annotators(tmp_path)).inputs()
    frame = annotators_table(inputs).frame.set_index(["annotator", "name"])
    counted = ["agree", "disagree", "total", "blank"]
    assert frame.loc[("ana", "all"), counted].tolist() == [6, 2, 8, 0]
    assert frame.loc[("bob", "all"), counted].tolist() == [6, 1, 7, 1]
    # the tie on the second score of a counts as agreement, Ana alone decides the last score of b
    assert frame.loc[("majority", "all"), counted].tolist() == [7, 1, 8, 0]
    assert agreement_table(inputs).frame.set_index("name").loc["all", "agreement_pct"] == 87.5
    assert any("1 scores are ties and become agreement" in note for note in agreement_table(inputs).notes)


def test_annotators_are_compared_with_each_other(experiment, tmp_path):
    inputs = annotated(experiment, two_annotators(tmp_path)).inputs()
    frame = between_table(inputs).frame.set_index("name")
    # seven scores, six equal; Ana says 1 of five, Bob of six: chance is (5 * 6 + 2 * 1) / 49
    chance = 32 / 49
    assert frame.loc["all", ["scores", "agreement_pct"]].tolist() == pytest.approx([7, 600 / 7])
    assert frame.loc["all", "kappa"] == pytest.approx((6 / 7 - chance) / (1 - chance))
    # 14 marks, 11 agree and 3 do not; one pair differs, which is two coincidences
    assert frame.loc["all", "alpha"] == pytest.approx(1 - 13 * 2 / (14**2 - 11**2 - 3**2))
    assert frame.loc["tool_selection", "kappa_reason"] == "all marks are the same, so chance agreement is 1"
    assert frame.loc["diamond", "alpha_reason"] == "no score was annotated by two"


def test_of_one_annotator_there_is_no_agreement_and_of_three_no_kappa(experiment, tmp_path):
    made = two_annotators(tmp_path)
    alone = between_table(annotated(experiment, made[0]).inputs()).frame
    assert set(alone["alpha_reason"]) == {"there is one annotator"}
    third = sheet(tmp_path, "a,linear,1,1,1,1,0,0,0,0,", name="cyd")
    frame = between_table(annotated(experiment, [*made, third]).inputs()).frame.set_index("name")
    assert frame.loc["all", "kappa_reason"] == "there are more than two annotators"
    assert frame["alpha"].notna().any()


def test_disagreements_are_listed_with_their_reason(experiment, tmp_path):
    frame = disagreements_table(annotated(experiment, two_annotators(tmp_path)).inputs()).frame
    assert frame[["record_id", "metric", "annotator", "others"]].to_numpy().tolist() == [
        ["a", "parameter_structure", "ana", 1],
        ["b", "sequence", "ana", 0],
        ["b", "sequence", "bob", 0],
    ]
    assert frame["reason_given"].tolist()[1] == "too strict"
    assert frame["reason_given_reason"].tolist()[0] == "none was given"


@pytest.mark.parametrize(("ties", "left"), [("agree", 2), ("left_out", 1)])
def test_records_without_a_consensus_are_not_in_the_alignment(experiment, tmp_path, ties, left):
    made = annotated(experiment, two_annotators(tmp_path), human={"ties": ties})
    result = alignment_table(made.inputs())
    assert result.frame["n"].tolist()[0] == left
    assert any("is a tie that is left out: 1 records (a)" in note for note in result.notes) == (left == 1)
