"""Intervals of simulated cells hold their targets as often as their level says."""

import dataclasses

import pandas as pd
import pytest
from scipy.stats import binom

from plumbline.config.cells import cells_of
from plumbline.config.settings import RunConfig
from plumbline.corpora.simulated import simulated_records
from plumbline.judging.requests import Material
from plumbline.judging.verdicts import read_cell
from plumbline.models.prompts import PromptSet
from plumbline.plans.lanes import read_plans
from plumbline.plans.scoring import score_plans
from plumbline.records import write_json_lines, write_table
from plumbline.tables.collect import collect_plans, collect_verdicts
from plumbline.tables.inputs import Inputs
from plumbline.tables.origin import origin_notes, stamp_origin, with_origin
from plumbline.tables.rehearsal import rehearsal_table
from plumbline.tables.result import TableResult

JUDGES = ("gpt_5_4", "gemini_2_5_pro", "qwq_32b")


def config(project_root, **simulation):
    targets = {"file": str(project_root / "resources/published/alignment.csv")}
    return RunConfig.model_validate(
        {
            "run": "small",
            "corpus": {"sources": {"simulated": {"kind": "simulated", "records": 300}}},
            "tiers": ["easy", "hard"],
            "models": {
                "judge": {"engine": "simulated", "simulation": {"targets": targets, "seed": 11} | simulation},
                "writer": {
                    "engine": "simulated",
                    "simulation": {
                        "quality": {"easy": 0.95, "hard": 0.75},
                        "failures_by_tier": {"hard": 0.05},
                        "seed": 12,
                    },
                },
            },
            "generators": {name: {"model": "writer"} for name in ("llama_3_3_70b", "qwen3_32b")},
            "judges": {name: {"model": "judge"} for name in JUDGES},
            "conditions": {
                "with_gt": {"prompt": "p", "reference": "expected"},
                "without_gt": {"prompt": "p"},
            },
            "blocks": {"main": {"conditions": ["with_gt", "without_gt"]}},
            "bootstrap": {"resamples": 500},
        }
    )


@pytest.fixture(scope="module")
def rehearsed(tmp_path_factory, project_root):
    """300 records, 2 generators, 2 tiers, 3 judges, 2 conditions: 24 cells through the real stages."""
    settings = config(project_root)
    folder = tmp_path_factory.mktemp("rehearsal")
    records = simulated_records(300, project_root / "resources/published/topology_counts.csv")
    write_json_lines(records, folder / "records.jsonl")
    prompts = PromptSet(project_root / "prompts")
    plans, files, scores = {}, [], []
    for generator in settings.generators:
        for tier in settings.tiers:
            made = list(read_plans(settings, generator, tier, records, {}, prompts, journal=folder / "none"))
            plans[generator, tier] = {plan.record_id: plan for plan in made}
            files.append(folder / f"{generator}.{tier}.jsonl")
            scores.append(files[-1].with_suffix(".parquet"))
            write_json_lines(made, files[-1])
            write_table(score_plans(made, records, settings.scoring), scores[-1])
    material = Material(config=settings, records=records, rewrites={}, plans=plans, prompts=prompts)
    verdicts = []
    for number, cell in enumerate(cells_of(settings, "main")):
        verdicts.append(folder / f"verdicts{number}.jsonl")
        write_json_lines(read_cell(material, cell, journal=folder / "none"), verdicts[-1])
    frame = collect_plans(folder / "records.jsonl", files, scores)
    return Inputs(settings, "main", collect_verdicts(frame, verdicts), frame)


def test_targets_lie_in_their_intervals_about_as_often_as_the_level_says(rehearsed):
    frame = rehearsal_table(rehearsed).frame
    assert len(frame) == 24
    inside = int(frame["inside"].sum())
    # seeds 11, 12 and 42: fewer would happen once in a thousand times if the intervals were right
    assert inside >= binom.ppf(0.001, 24, 0.95)
    # means spread around their targets: the mean error of 24 independent cells is within 4 standard errors
    half_widths = (frame["hi"] - frame["lo"]) / 2
    errors = (frame["mean"] - frame["target"]) / (half_widths / 1.96)
    assert abs(errors.mean()) < 4 / 24**0.5
    assert 0.5 < errors.std() < 1.6


def test_the_first_note_counts_the_cells_inside(rehearsed):
    result = rehearsal_table(rehearsed)
    inside = int(result.frame["inside"].sum())
    assert result.notes[0].startswith(f"{inside} of 24 targets lie in their interval")
    assert "About 23 are to be expected" in result.notes[0]


def test_targets_are_the_published_ones(rehearsed):
    frame = rehearsal_table(rehearsed).frame.set_index(["generator", "judge", "tier", "condition"])
    assert frame.loc[("llama_3_3_70b", "qwq_32b", "easy", "with_gt"), "target"] == 96.6
    assert frame.loc[("qwen3_32b", "gpt_5_4", "hard", "without_gt"), "target"] > 50


def test_without_a_simulated_judge_the_table_says_so(experiment):
    result = rehearsal_table(experiment().inputs())
    assert result.frame.empty
    assert result.notes[0].startswith("No judge of this block is simulated after targets")


def test_every_table_and_figure_of_a_simulation_says_that_it_is_one(rehearsed):
    from matplotlib.figure import Figure

    (note,) = origin_notes(rehearsed)
    assert note.startswith("Simulation: verdicts of (all) and plans of (all)")
    table = TableResult(pd.DataFrame({"a": [1]}), {}, ("Rests on all.",))
    assert with_origin(table, rehearsed).notes == (note, "Rests on all.")
    figure = Figure()
    figure.supxlabel("No value: x.")
    stamp_origin(figure, rehearsed)
    assert figure.get_supxlabel() == f"No value: x.\n{note}"


def test_a_run_of_released_files_names_the_rules_that_hold(rehearsed):
    changed = rehearsed.config.model_dump() | {
        "released": {"folder": "data"},
        "scoring": {"rounding": "released"},
        "alignment": {"pairing": "both"},
    }
    inputs = dataclasses.replace(rehearsed, config=RunConfig.model_validate(changed))
    first, rules = origin_notes(inputs)
    assert "no model was asked" in first
    assert "scoring.rounding: released" in rules and "alignment.pairing: both" in rules
    assert "missing_metric" not in rules


def test_released_rounding_keeps_two_decimals_of_a_percentage(experiment):
    thirds = experiment(
        plan=lambda *_: (2 / 3, 1, 2 / 3, 1 / 3), settings={"scoring": {"rounding": "released"}}
    )
    matched = thirds.inputs().matched
    # 1 - |2/3 - 1| = 66.67, and (66.67 + 100 + 66.67 + 33.33) / 4 = 66.6675, rounded to even
    assert set(matched["match_tool_selection"]) == {66.67}
    assert set(matched["match"]) <= {66.67, 66.66}
