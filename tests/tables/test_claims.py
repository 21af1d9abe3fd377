"""The paper's claims against a run: every number is looked for; what follows from the cells is reproduced."""

import dataclasses
import re
from collections import Counter

import pandas as pd
import pytest
from paper_run import configured, judged, lines, planned

from plumbline.tables.beside import with_published
from plumbline.tables.claim_list import all_claims
from plumbline.tables.claims import (
    Claim,
    Figure,
    Found,
    NotRunError,
    Results,
    answer,
    answers,
    one,
    several,
    tolerated,
)
from plumbline.tables.experiment import Experiment, chosen_pool
from plumbline.tables.inputs import Inputs
from plumbline.tables.published import SIX_JUDGES
from plumbline.tables.published_map import CLAIM_TABLES
from plumbline.tables.registry import CORPUS_TABLES, TABLES

FROM_CELLS = (
    "alignment_beside_paper",
    "alignment_intervals",
    "coverage",
    "decision_guide",
    "degradation_checks",
    "gt_lift",
    "plan_status",
    "slopes",
    "winners",
)
"""Tables that follow from the published alignment of each cell."""


def figure(value=None, low=None, high=None, unit="pp", digits=1):
    return Figure(value, low, high, unit, digits, "paper")


def claimed(wanted, found, **about):
    def number(results):
        if isinstance(found, str):
            raise NotRunError(found)
        return found

    return Claim("A1", "words", wanted, number, **about)


@pytest.fixture(scope="module")
def plans():
    return planned()


@pytest.fixture(scope="module")
def results(plans):
    """The paper's whole grid, every cell with its published alignment."""
    config = configured(
        plans={"zero_calls": "exclude"}, degradation={"generators": "all"}, bootstrap={"resamples": 100}
    )
    inputs = Inputs(config, "main", judged(plans), plans)
    frames = {name: [with_published(TABLES[name].build(inputs), name, inputs).frame] for name in FROM_CELLS}
    return Results(config, plans, frames, Experiment.of(config, plans))


@pytest.fixture(scope="module")
def answered(results):
    return {(each.claim.item, each.claim.words): each for each in answers(all_claims(), results)}


@pytest.mark.parametrize(
    ("wanted", "found", "outcome"),
    [
        # the interval holds the value: 1.5 in [1, 2]
        (figure(1.5), Found(1.7, 1.7, 1.0, 2.0), "reproduced"),
        # rounding: 1.5 may be 1.45, which is the interval's end
        (figure(1.5), Found(1.2, 1.2, 0.9, 1.45), "reproduced"),
        (figure(1.5), Found(0.9, 0.9, 0.8, 1.44), "differs"),
        # no interval: 1.5 tolerates 0.3 and its rounding of 0.05
        (figure(1.5), Found(1.85, 1.85), "reproduced"),
        (figure(1.5), Found(1.86, 1.86), "differs"),
        # a wide difference that a wide interval holds
        (figure(90.0, unit="pct"), Found(80.0, 80.0, 70.0, 91.0), "reproduced"),
        # bounds: all of ours must be within them
        (figure(low=5, high=7, digits=0), Found(5.0, 7.0), "reproduced"),
        (figure(low=5, high=7, digits=0), Found(4.1, 6.0), "differs"),
        (figure(high=1.0), Found(-3.0, 0.9), "reproduced"),
        (figure(high=1.0), Found(0.0, 1.3), "differs"),
        # a bound tolerates the rounding of its print alone
        (figure(low=0.83, high=1.0, unit="rho", digits=2), Found(0.729, 0.729), "differs"),
        (figure(low=0.0, high=0.2), Found(0.34, 0.34), "differs"),
        (figure(low=0.0, high=0.2), Found(0.24, 0.24), "reproduced"),
        # an interval that reaches into the bounds
        (figure(high=0.4), Found(0.9, 0.9, 0.3, 1.5), "reproduced"),
        # counts must be equal
        (figure(30.0, unit="count", digits=0), Found(30.0, 30.0), "reproduced"),
        (figure(30.0, unit="count", digits=0), Found(29.0, 30.0), "differs"),
    ],
)
def test_the_outcome_follows_from_interval_tolerance_and_rounding(results, wanted, found, outcome):
    assert answer(claimed(wanted, found), results).outcome == outcome


@pytest.mark.parametrize(
    ("wanted", "tolerance"),
    [
        (figure(94.0, unit="pct"), 0.5),
        (figure(6.5), 0.3),
        (figure(-0.6), 0.12),
        (figure(0.11), 0.1),
        (figure(low=0, high=0.09), 0.1),
        (figure(0.419, unit="kappa"), 0.03),
    ],
)
def test_a_small_difference_is_tolerated_by_a_fifth_of_it(wanted, tolerance):
    assert tolerated(wanted) == pytest.approx(tolerance)


def test_a_number_that_the_run_lacks_is_not_run_and_says_why(results):
    missing = answer(claimed(figure(1.0), "the table x is not in the run"), results)
    assert (missing.outcome, missing.why, missing.difference) == (
        "not run",
        "the table x is not in the run",
        None,
    )
    assert (
        answer(dataclasses.replace(missing.claim, number=lambda _: several([])), results).outcome == "not run"
    )


def test_another_corpus_tests_no_claim_but_tells_its_number(results):
    elsewhere = dataclasses.replace(
        results, experiment=dataclasses.replace(results.experiment, sources={"x": 9})
    )
    found = answer(claimed(figure(1.0), Found(1.0, 1.0)), elsewhere)
    assert (found.outcome, found.why, found.found.least) == ("not run", "other corpus", 1.0)
    assert {each.outcome for each in answers(all_claims(), elsewhere)} == {"not run"}


def test_a_number_of_records_is_no_claim_about_a_sample(results):
    sample = dataclasses.replace(
        results, experiment=dataclasses.replace(results.experiment, sources={"agentjudgebench": 100})
    )
    found = answer(claimed(figure(3808.0, unit="count"), Found(100, 100), counts="records"), sample)
    assert (found.outcome, found.why) == ("not run", "other count")


def test_every_row_of_the_text_makes_one_claim():
    texts = Counter(claim.item for claim in all_claims())
    rows = Counter(line["claim_id"] for line in lines("agentjudgebench_claims"))
    assert all(texts[item] >= count for item, count in rows.items())
    words = [(claim.item, claim.words) for claim in all_claims()]
    assert [pair for pair, count in Counter(words).items() if count > 1] == []
    assert len(words) > 200


def test_every_claim_comes_from_a_table_that_exists_and_that_the_page_is_made_of():
    named = {claim.table for claim in all_claims()} - {""}
    assert named <= {*TABLES, *CORPUS_TABLES}
    assert named == set(CLAIM_TABLES)


def test_claims_that_follow_from_the_published_cells_are_reproduced(answered):
    expected = [
        ("A1", "records"),
        ("A1", "records times tiers"),
        ("A19", "cells of generator, judge and tier"),
        ("A20", "plans times judges"),
        ("A20", "plans times judges and conditions"),
        ("A20", "plans that could be read: generator smollm3_3b, tier all"),
        ("A22", "pairs of generator and judge whose alignment falls strictly, each condition"),
        ("A22", "slope without the expected calls over slope with them"),
        ("A22", "alignment on hard queries without the expected calls, every judge"),
        ("A22", "mean alignment over judges and generators, without_gt, hard"),
        ("A24", "lift of gpt_5_4"),
        ("A24", "lift of gemini_2_5_pro"),
        ("A24", "lift of qwq_32b"),
        ("A26", "cells with the expected calls that QwQ-32B leads alone"),
        ("A26", "cells without the expected calls that QwQ-32B leads alone"),
        ("A26", "best judge is gemini_2_5_pro, without_gt, easy"),
        ("A26", "runner-up judge is gpt_oss_120b, with_gt, hard"),
        ("A42", "records of topology fan_in"),
    ]
    found = {key: (answered[key].outcome, answered[key].why, answered[key].found) for key in expected}
    assert {key: told for key, told in found.items() if told[0] != "reproduced"} == {}
    assert answered["A20", "plans times judges and conditions"].found.least == 643_296


def test_a_claim_that_the_papers_own_cells_contradict_differs(answered):
    # by judge the falls are 3.5 to 6.1, not 5 to 7
    fall = answered["A22", "fall from medium to hard with the expected calls, every judge"]
    assert fall.outcome == "differs"
    assert (round(fall.found.least, 1), round(fall.found.most, 1)) == (3.5, 6.1)


def test_a_claim_over_other_generators_than_the_papers_is_not_run(results):
    pooled = claimed(figure(1.0), Found(1.0, 1.0), pooled="open_weight", pools="tables.agreement.generators")
    assert answer(pooled, results).outcome == "reproduced"
    config = configured(tables={"agreement": {"generators": "all"}})
    found = answer(pooled, dataclasses.replace(results, config=config))
    assert (found.outcome, found.why) == ("not run", "other model")
    for claim in all_claims():
        assert claim.pools == "" or chosen_pool(config, claim.pools) in ("open_weight", "all")


def test_a_claim_is_answered_by_the_block_that_is_the_papers(plans):
    def kappa(results):
        return one(results.first("agreement_summary")["kappa"].iloc[0])

    small = {"judges": ["qwq_32b", "gpt_oss_120b"], "tables": ["agreement_summary"]}
    sides = {"conditions": ["with_gt", "without_gt"]}
    config = configured(blocks={"two": sides | small, "six": sides | {"tables": ["agreement_summary"]}})
    frames = {"agreement_summary": [pd.DataFrame({"kappa": [value]}) for value in (0.606, 0.419)]}
    mean = claimed(figure(0.419, unit="kappa", digits=3), None, table="agreement_summary", panel=SIX_JUDGES)
    mean = dataclasses.replace(mean, number=kappa)
    both = answer(mean, Results.of(config, plans, frames))
    assert (both.outcome, both.found.least) == ("reproduced", 0.419)
    config = configured(blocks={"two": sides | small})
    alone = answer(mean, Results.of(config, plans, {"agreement_summary": frames["agreement_summary"][:1]}))
    assert (alone.outcome, alone.why, alone.found.least) == ("not run", "other model", 0.606)


def test_numbers_of_annotators_are_the_papers_only_with_its_two_generators(results):
    (claim,) = (claim for claim in all_claims() if claim.words == "annotated scores")
    frames = {"human_agreement": [pd.DataFrame({"scope": ["overall"], "total": [480]})]}
    told = answer(claim, dataclasses.replace(results, frames=frames))
    assert (told.outcome, told.why) == ("not run", "other reading")
    config = configured(human={"generators": ["llama_3_3_70b", "llama_3_1_8b"]})
    told = answer(claim, dataclasses.replace(results, frames=frames, config=config))
    assert (told.outcome, told.same) == ("reproduced", "yes")


META_JUDGES = ("claude_sonnet_4_5", "gpt_5_4", "gemini_2_5_pro")


@pytest.fixture(scope="module")
def validated(plans):
    """The tables of the corpus and of its validation, with the paper's own numbers in them."""
    model = {"engine": "endpoint", "base_url": "http://localhost/v1"}
    models = {"models": {"m": model, **dict.fromkeys(META_JUDGES, model)}}
    config = configured(**models, validation={"models": META_JUDGES, "per_topology": 33})
    rates = pd.DataFrame(lines("rewrite_validation_yes_rates")).rename(columns={"meta_judge": "model"})
    rates["yes_pct"] = rates["yes_pct"].astype(float)
    unanimous = pd.DataFrame(lines("rewrite_validation_unanimity"))
    for name in ("all_yes", "all_no", "mixed", "unanimity_pct"):
        unanimous[name] = unanimous[name].astype(float)
    structure = {"quantity": "available_tools_per_record", "min": 8, "max": 19, "mean": 12.94, "median": 13}
    frames = {
        "rewrite_yes_rates": [rates.assign(n=190, lost=8)],
        "rewrite_unanimity": [unanimous],
        "structure_stats": [pd.DataFrame([structure])],
    }
    return Results(config, plans, frames, Experiment.of(config, plans))


def told(results, item, words):
    """Give the outcome of one claim."""
    (claim,) = (claim for claim in all_claims() if (claim.item, claim.words) == (item, words))
    return answer(claim, results)


@pytest.mark.parametrize(
    ("item", "words"),
    [
        ("A1", "tools of a record"),
        ("A43", "available_tools_per_record, mean"),
        ("A49", "validated rewrites"),
        ("A49", "yes of gpt_5_4: hard_preserves_calls"),
        ("A50", "triplets that all meta-judges accept: medium_strictly_harder"),
        ("A50", "unanimity of the meta-judges: hard_strictly_harder"),
    ],
)
def test_claims_about_the_corpus_take_their_numbers_from_its_tables(validated, item, words):
    assert told(validated, item, words).outcome == "reproduced"


def test_a_setting_is_told_from_a_result(validated, results):
    assert told(validated, "A49", "validated rewrites of each topology").outcome == "same setting"
    # the fixture draws 100 times, the paper 2,000; two more attempts are the default
    assert told(results, "A21", "resamples of an interval").outcome == "other setting"
    assert told(results, "A16", "further attempts after an unreadable verdict").outcome == "same setting"


def test_sizes_of_the_experiment_are_counted_from_its_verdicts(results):
    cells = results.frames["alignment_intervals"][0]
    # nothing readable under one condition of one cell: 3,764 plans were asked about in it
    lost = (cells["judge"] == "qwq_32b") & (cells["generator"] == "llama_3_3_70b") & (cells["tier"] == "hard")
    broken = cells.assign(n=cells["n"].where(~lost, 0))

    def counted(frame):
        scope = dataclasses.replace(results, frames={**results.frames, "alignment_intervals": [frame]})
        words = (
            "cells of generator, judge and tier",
            "plans times judges",
            "plans times judges and conditions",
        )
        items = ("A19", "A20", "A20")
        return [told(scope, *pair).found for pair in zip(items, words, strict=True)]

    assert [found.least for found in counted(cells)] == [90, 321_648, 643_296]
    assert [found.least for found in counted(broken)] == [89, 321_648 - 3764, 643_296 - 2 * 3764]
    assert counted(cells.assign(n=0)) == [None] * 3


def test_plans_that_are_no_list_of_calls_are_told_from_all_that_are_lost(results):
    plans = results.plans.copy()
    ok = plans["plan_status"] == "ok"
    # 57,120 plans, 53,608 ok; of the others 3,255 have no readable text (5.7 %), the rest no answer
    words = pd.Series("gave_up", index=plans.index[~ok])
    words.iloc[:2000], words.iloc[2000:3255] = "malformed", "empty"
    plans.loc[~ok, "plan_status"] = words
    found = told(
        dataclasses.replace(results, plans=plans), "A20", "plans that are malformed, cut off or empty"
    )
    assert found.found.least == pytest.approx(100 * 3255 / 57120)
    assert found.outcome == "reproduced"
    assert told(results, "A20", "plans lost: smollm3_3b").found.least == pytest.approx(
        100 * 9641 / 11424 - 100
    )


@pytest.mark.parametrize(
    ("scheme", "weights", "outcome"),
    [
        ("sequence_x2", {"sequence": 2}, "reproduced"),
        ("sequence_x2", {"sequence": 3}, "not run"),
        ("ours", {"sequence": 3}, "reproduced"),
    ],
)
def test_a_scheme_of_weights_is_the_papers_if_its_weights_are(results, scheme, weights, outcome):
    frame = pd.DataFrame({"condition": ["with_gt"], "scheme": "sequence_x2", "spearman": 0.9})
    config = configured(weights={"schemes": {scheme: weights}})
    scope = dataclasses.replace(results, config=config, frames={"weight_schemes": [frame]})
    words = "rank correlation of the judges with that of equal weights, sequence_x2"
    assert told(scope, "A27", words).outcome == outcome


def test_a_size_is_compared_as_a_size(results):
    frame = pd.DataFrame(
        {"generator": ["llama_3_3_70b", "qwen3_32b", "gpt_5_4"], "half_minus_one": [-3, 0.4, 1]}
    )
    scope = dataclasses.replace(results, frames={"c2": [frame]})
    words = "size of what a default of 0.5 changes, the three strongest generators"
    assert told(scope, "A36", words).outcome == "differs"


def test_the_band_of_hard_queries_is_read_by_judge_and_by_generator(answered):
    # 77 to 82: all judges (77.9 to 79.7), but 81.4, 79.5 and 77.2 of the five generators
    assert (
        answered["A22", "alignment on hard queries without the expected calls, every judge"].outcome
        == "reproduced"
    )
    words = "generators of the five whose mean is 77 to 82 %, hard, without_gt"
    assert (answered["A22", words].outcome, answered["A22", words].found.least) == ("differs", 3)


def test_the_easiest_and_the_hardest_topology_of_the_papers_judges(results):
    printed = pd.DataFrame(lines("per_topology")).assign(
        value=lambda table: table["alignment_pct"].astype(float)
    )
    wide = printed.pivot(index="judge", columns="topology", values="value")
    frame = pd.DataFrame({"judge": wide.index, "condition": "with_gt"})
    frame["easiest"], frame["hardest"] = wide.idxmax(axis=1).to_numpy(), wide.idxmin(axis=1).to_numpy()
    for changed, outcome in ((frame, "reproduced"), (frame.assign(easiest="fan_out, linear"), "differs")):
        scope = dataclasses.replace(results, frames={"per_topology": [changed]})
        assert (
            told(scope, "A29", "judges for whom fan_out is the easiest topology, with_gt").outcome == outcome
        )
        hardest = "judges for whom fan_in or loop_like is the hardest topology, with_gt"
        assert told(scope, "A29", hardest).outcome == "reproduced"


def test_the_number_of_another_best_judge_is_not_the_papers(results):
    row = {"condition": "without_gt", "tier": "hard", "jury": 79.5, "best": 79.8, "best_judge": "qwq_32b"}
    row |= {
        "difference": -0.3,
        "difference_lo": -0.5,
        "difference_hi": -0.1,
        "jury_lo": 79.0,
        "jury_hi": 80.0,
    }
    scope = dataclasses.replace(results, frames={"soft_jury": [pd.DataFrame([row])]})
    words = "alignment of the best single judge, without_gt, hard"
    best = told(scope, TABLES["soft_jury"].item, words)
    assert (best.outcome, best.why) == ("differs", "the best judge is qwq_32b, not gpt_5_4")
    assert best.difference is None
    own = dataclasses.replace(
        results, frames={"soft_jury": [pd.DataFrame([row | {"best_judge": "gpt_5_4"}])]}
    )
    assert told(own, TABLES["soft_jury"].item, words).outcome == "reproduced"
    # 77.6 in the earlier draft
    draft = told(
        own, "A35", "alignment of the jury of six as the draft has it, hard without the expected calls"
    )
    assert (draft.outcome, "C-A18" in draft.claim.conflict) == ("differs", True)


def test_claims_that_the_paper_contradicts_itself_about_say_so():
    found = {claim.words: claim.conflict for claim in all_claims() if claim.conflict}
    assert "C-A4" in found["gain of qwq_32b on a scale of two marks"]
    assert "gain of gpt_5_4 on a scale of two marks" not in found
    assert "C-A41" in found["tools of a record"]
    assert "C-A30" in found["plans, as the study of extra keys has it"]
    choices = {choice for text in found.values() for choice in re.findall(r"C-A\d+", text)}
    assert {"C-A4", "C-A26", "C-A30", "C-A32", "C-A33", "C-A37", "C-A41", "C-A47"} <= choices


def test_lost_plans_times_judges_lie_between_one_condition_and_both(results):
    rows = [
        ("qwq_32b", "smollm3_3b", "hard", side, 100, ok) for side, ok in (("with_gt", 97), ("without_gt", 95))
    ]
    frame = pd.DataFrame(rows, columns=["judge", "generator", "tier", "condition", "asked", "ok"])
    found = told(
        dataclasses.replace(results, frames={"coverage": [frame]}),
        "A16",
        "plans times judges without a readable verdict",
    ).found
    assert (found.least, found.most) == (5, 8)


def test_rewrites_that_other_meta_judges_validated_test_no_claim(validated):
    def of(**engines):
        return dataclasses.replace(
            validated, experiment=dataclasses.replace(validated.experiment, meta_judges=engines)
        )

    yes, unanimous = (
        "yes of gpt_5_4: hard_preserves_calls",
        "unanimity of the meta-judges: hard_strictly_harder",
    )
    simulated = of(**dict.fromkeys(META_JUDGES, "simulated"))
    assert {told(simulated, "A49", yes).same, told(simulated, "A50", unanimous).same} == {"simulation"}
    small = of(**dict.fromkeys(META_JUDGES, "embedded"))
    assert told(small, "A49", yes).why == "other model"
    four = of(**dict.fromkeys((*META_JUDGES, "m"), "endpoint"))
    assert (told(four, "A49", yes).outcome, told(four, "A50", unanimous).why) == ("reproduced", "other model")


def test_a_claim_without_its_table_is_not_run(answered):
    lost = answered["A39", "thinking on minus off with the expected calls, mean"]
    assert (lost.outcome, lost.why) == ("not run", "the table thinking is not in the run")
    people = [each for (item, _), each in answered.items() if item in ("A44", "A45", "A49")]
    assert {each.outcome for each in people} == {"not run"}
    assert all(each.why for each in people)


@pytest.mark.parametrize(("recovery", "outcome"), [(4.2, "reproduced"), (7.5, "differs")])
def test_what_a_repeat_recovers_is_that_of_all_judges_together(results, recovery, outcome):
    rows = [
        {"judge": "qwq_32b", "condition": "total", "recovery": 50.0},
        {"judge": "total", "condition": "total", "recovery": recovery},
    ]
    frames = {**results.frames, "verdict_status": [pd.DataFrame(rows)]}
    found = told(dataclasses.replace(results, frames=frames), "A16", RECOVERED)
    assert (found.found.least, found.outcome) == (recovery, outcome)
    assert told(results, "A16", RECOVERED).outcome == "not run"


RECOVERED = "unreadable verdicts that a further attempt made readable"
