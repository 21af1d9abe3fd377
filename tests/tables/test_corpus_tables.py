"""Tables of the corpus and of the validation of its rewrites, against arithmetic and the paper's counts."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest

from plumbline.config.resolved import Workspace
from plumbline.config.settings import RunConfig
from plumbline.corpora.rewrite_losses import entities, losses
from plumbline.corpora.simulated import simulated_records
from plumbline.corpora.starter import read_starter
from plumbline.records import CRITERIA, TOPOLOGIES, Opinion, Record, Triplet, write_json_lines, write_text
from plumbline.tables.beside import with_published
from plumbline.tables.corpus import (
    corpus_domains,
    gate_findings,
    rewrite_status,
    structure_histograms,
    structure_stats,
    topology_counts,
    topology_shares,
)
from plumbline.tables.corpus_inputs import CorpusInputs
from plumbline.tables.drawing import svg_text
from plumbline.tables.rewrite_validation import program_losses, unanimity, without_one, yes_rates

JUDGES = ("claude_sonnet_4_5", "gpt_5_4", "gemini_2_5_pro")


def config(**changes) -> RunConfig:
    data = {
        "run": "t",
        "corpus": {"sources": {"own": {"kind": "starter"}}},
        "models": {name: {"engine": "simulated"} for name in (*JUDGES, "m")},
        "generators": {"perturb": {"faults": ["none"]}},
        "judges": {"m": {"model": "m"}},
        "conditions": {"with_gt": {"prompt": "judge_with_gt", "reference": "expected"}},
        "blocks": {"main": {"conditions": ["with_gt"]}},
    }
    return RunConfig.model_validate(data | changes)


@pytest.fixture(scope="module")
def starter():
    return CorpusInputs(config(), read_starter().records)


def test_topologies_are_counted_and_the_six_make_a_hundred_percent(starter):
    one = starter.records[0].model_copy(update={"topology": "single", "id": "lone"})
    table = topology_counts(CorpusInputs(config(), [*starter.records, one])).frame.set_index("topology")
    assert list(table.loc[list(TOPOLOGIES), "records"]) == [6] * 6
    assert table.loc[list(TOPOLOGIES), "share_pct"].sum() == pytest.approx(100)
    assert (table.loc["single", "records"], table.loc["all", "records"]) == (1, 36)
    assert np.isnan(table.loc["single", "share_pct"])


def test_the_papers_shares_follow_from_its_counts(project_root):
    """812 of 3,808 linear records are 21.3 %, as the paper prints it."""
    records = simulated_records(3808, project_root / "resources/published/topology_counts.csv")
    inputs = CorpusInputs(config(), records)
    table = with_published(topology_counts(inputs), "topology_counts", inputs).frame
    assert list(table["records"]) == [812, 399, 1049, 501, 823, 224, 3808]
    assert list(table["records.difference"]) == [0] * 7
    assert np.abs(table["share_pct.difference"]).max() < 0.051


def test_structure_is_that_of_a_loop_over_records(starter):
    table = structure_stats(starter).frame.set_index("quantity")
    tools = [len(record.tools) for record in starter.records]
    parameters = [len(t.parameters["properties"]) for record in starter.records for t in record.tools]
    for name, values in (("available_tools_per_record", tools), ("parameters_per_tool", parameters)):
        row = table.loc[name]
        assert (row["min"], row["max"], row["n"]) == (min(values), max(values), len(values))
        assert row["mean"] == pytest.approx(sum(values) / len(values))
        assert row["median"] == np.median(values)
    assert table.loc["available_tools_per_record", "min"] >= 8
    assert table.loc["available_tools_per_record", "max"] <= 19


def test_a_record_that_occurs_twice_counts_once_in_the_structure(starter):
    twice = CorpusInputs(config(), [*starter.records, *starter.records])
    assert structure_stats(twice).frame.equals(structure_stats(starter).frame)


def test_domains_tiers_and_gates_are_counted(starter):
    domains = corpus_domains(starter).frame
    assert (domains["records"].sum(), domains["inputs"].sum(), len(domains)) == (36, 108, 12)
    status = rewrite_status(starter).frame
    assert set(status["fallback_pct"]) == {0.0}
    bare = [
        Record.model_validate({**record.model_dump(), "queries": {"easy": record.queries.easy}})
        for record in starter.records
    ]
    found = rewrite_status(CorpusInputs(config(), bare)).frame.set_index(["topology", "tier"])
    assert found.loc[("all", "hard"), ["records", "not_asked", "fallback_pct"]].tolist() == [36, 36, 100.0]
    # as the release has them: a third kept the original query, the others have one of unknown status
    released = [
        Record.model_validate(
            {
                **record.model_dump(),
                "queries": {"easy": "e", "medium": "m", "hard": "h" if number % 3 else "e"},
                "rewrite": {"medium": "ok", "hard": "unknown" if number % 3 else "failed"},
            }
        )
        for number, record in enumerate(starter.records)
    ]
    found = rewrite_status(CorpusInputs(config(), released)).frame.set_index(["topology", "tier"])
    assert found.loc[("all", "hard"), ["failed", "unknown"]].tolist() == [12, 24]
    assert found["fallback_pct"][("all", "hard")] == pytest.approx(100 * 12 / 36)
    assert found["fallback_pct"][("all", "medium")] == 0
    assert gate_findings(starter).frame[["problems", "records", "total"]].to_numpy().tolist() == [[0, 0, 36]]


def test_figures_are_drawn_the_same_each_time_and_for_an_empty_corpus_too(starter):
    for draw in (topology_shares, structure_histograms):
        assert svg_text(draw(starter)) == svg_text(draw(starter))
        assert "No value to draw" in svg_text(draw(CorpusInputs(config(), [])))
    assert "fan_in" in svg_text(topology_shares(starter))
    mean = np.mean([len(record.tools) for record in starter.records])
    assert f"mean {mean:.1f}" in svg_text(structure_histograms(starter))


# 198 triplets; on preserved hard calls GPT-5.4 says no 44 times, Gemini 5 times, 3 of these together
NOES = {
    "medium_preserves_calls": {"gpt_5_4": range(10)},
    "hard_preserves_calls": {"gpt_5_4": range(44), "gemini_2_5_pro": range(41, 46)},
    "medium_strictly_harder": {
        "claude_sonnet_4_5": [0],
        "gpt_5_4": range(75),
        "gemini_2_5_pro": [0, *range(55, 84)],
    },
    "hard_strictly_harder": {"gpt_5_4": range(5), "gemini_2_5_pro": range(3, 12)},
}


@pytest.fixture(scope="module")
def papers_opinions():
    shapes = [TOPOLOGIES[number // 33] for number in range(198)]
    opinions = [
        Opinion(
            record_id=f"r{number}",
            topology=shapes[number],
            model=judge,
            status="ok",
            **{c: number not in NOES[c].get(judge, ()) for c in CRITERIA},
        )
        for judge in JUDGES
        for number in range(198)
    ]
    triplets = [
        Triplet(record_id=f"r{n}", topology=shapes[n], easy="e", medium="m", hard="h") for n in range(198)
    ]
    source = {"kind": "simulated", "records": 3808}
    settings = config(
        corpus={"sources": {"own": source}}, validation={"models": list(JUDGES), "per_topology": 33}
    )
    records = [record.model_copy(update={"source": "simulated"}) for record in read_starter().records]
    return CorpusInputs(settings, records, triplets=triplets, opinions=opinions)


@pytest.mark.parametrize(
    ("table", "build", "columns"),
    [
        ("rewrite_yes_rates", yes_rates, ["yes_pct"]),
        ("rewrite_unanimity", unanimity, ["all_yes", "all_no", "mixed", "unanimity_pct"]),
        ("rewrite_without_one", without_one, ["rest_unanimity_pct", "all_unanimity_pct", "delta_pp"]),
    ],
)
def test_the_papers_tables_follow_from_answers_with_its_counts(papers_opinions, table, build, columns):
    frame = with_published(build(papers_opinions), table, papers_opinions).frame
    for column in columns:
        difference = frame[f"{column}.difference"].dropna()
        assert len(difference) >= 4
        # half a unit of the last printed digit, twice where two printed numbers were subtracted
        assert difference.abs().max() < (0.11 if column == "delta_pp" else 0.051), column


def test_answers_that_cannot_be_read_are_counted_and_left_out(papers_opinions):
    bad = [
        opinion.model_copy(update={"status": "malformed", **dict.fromkeys(CRITERIA)})
        if opinion.model == "gpt_5_4" and opinion.record_id in ("r0", "r1")
        else opinion
        for opinion in papers_opinions.opinions
    ]
    inputs = CorpusInputs(
        papers_opinions.config, papers_opinions.records, triplets=papers_opinions.triplets, opinions=bad
    )
    rates = yes_rates(inputs).frame.set_index(["criterion", "model"])
    row = rates.loc[("hard_preserves_calls", "gpt_5_4")]
    assert (row["no"], row["n"], row["lost"]) == (42, 196, 2)
    assert set(unanimity(inputs).frame["n"]) == {196}


def test_a_run_without_meta_judges_gets_empty_tables_that_say_so(starter):
    for build in (yes_rates, unanimity, without_one, program_losses):
        result = build(starter)
        assert any("validation.models" in note for note in result.notes)


def test_a_program_tells_what_a_rewrite_lost():
    record = Record.model_validate(
        {
            "id": "r",
            "source": "t",
            "domain": "d",
            "topology": "independent",
            "queries": {
                "easy": "Refund 40 euros to Ada Lovelace for order SO-77, then schedule a courier for the "
                '"garden bench" parcel.'
            },
            "tools": [
                {
                    "name": "issue_refund",
                    "description": "Pays money back.",
                    "parameters": {
                        "type": "object",
                        "properties": {"amount": {"type": "number"}, "order_id": {"type": "string"}},
                        "required": ["amount"],
                    },
                },
                {"name": "schedule_courier", "description": "Books a pickup."},
            ],
            "expected_calls": [
                {"id": "s1", "name": "issue_refund", "arguments": {"amount": 40, "order_id": "SO-77"}},
                {"id": "s2", "name": "schedule_courier"},
            ],
        }
    )
    assert set(entities(record.queries.easy)) == {"Ada Lovelace", "SO-77", "garden bench"}
    kept = "give ada lovelace her forty back for SO-77 and get a courier for the garden bench"
    assert losses(record, "hard", kept) == {
        "values": [],
        "entities": [],
        "sub_goals": [],
        "parameter_names": [],
    }
    lost = losses(record, "hard", "give her the money for order_id SO-77")
    assert lost["values"] == ["40"]
    assert lost["entities"] == ["garden bench", "Ada Lovelace"]
    assert lost["sub_goals"] == ["s2"]
    assert len(lost["parameter_names"]) == 1


def test_flagged_rewrites_are_set_beside_what_meta_judges_say(starter):
    record = starter.records[0]
    triplets = [
        Triplet(record_id=record.id, topology=record.topology, easy="e", medium="nothing", hard="nothing")
    ]
    opinion = Opinion(
        record_id=record.id,
        topology=record.topology,
        model="m",
        status="ok",
        **dict.fromkeys(CRITERIA, False),
    )
    inputs = CorpusInputs(
        config(validation={"models": ["m"]}), starter.records, triplets=triplets, opinions=[opinion]
    )
    frame = program_losses(inputs).frame.set_index(["tier", "check"])
    assert frame.loc[("hard", "values"), ["flagged", "flagged_pct", "no_flagged_pct"]].tolist() == [
        1,
        100,
        100,
    ]
    assert np.isnan(frame.loc[("hard", "values"), "no_other_pct"])


def test_the_script_writes_a_table_its_page_and_a_figure(tmp_path, project_root):
    write_text(config().model_dump_json(), tmp_path / "results/t/config.json")
    workspace = Workspace(tmp_path / "results/t/config.json")
    write_json_lines(read_starter(project_root / "resources/starter").records, workspace.path("records"))
    for result, *outputs in (("gate_findings", "csv", "html"), ("topology_shares", "svg")):
        files = [word for ending in outputs for word in (f"--{ending}", str(tmp_path / f"made.{ending}"))]
        script = [sys.executable, str(project_root / "scripts/make_corpus_result.py")]
        command = [*script, "--config", str(tmp_path / "results/t/config.json"), "--result", result, *files]
        subprocess.run(command, check=True, cwd=project_root, capture_output=True)
    assert "starter,both,any,0,0,0.0,36" in (tmp_path / "made.csv").read_text()
    assert "What the quality gates find" in (tmp_path / "made.html").read_text()
    assert "loop_like" in (tmp_path / "made.svg").read_text()


@pytest.mark.parametrize(
    ("models", "alone", "without"),
    [
        (JUDGES, "no triplet that every meta-judge answered", "no triplet that every meta-judge answered"),
        (JUDGES[:2], "no triplet that every meta-judge answered", "needs three meta-judges"),
        (JUDGES[:1], "needs two meta-judges", "needs three meta-judges"),
    ],
)
def test_meta_judges_that_answer_in_prose_are_lost_and_the_tables_say_why(starter, models, alone, without):
    prose = [
        Opinion(record_id=record.id, topology=record.topology, model=model, status="malformed")
        for record in starter.records
        for model in models
    ]
    inputs = CorpusInputs(config(validation={"models": models}), starter.records, opinions=prose)
    rates = yes_rates(inputs).frame
    assert (set(rates["lost"]), set(rates["n"]), rates["yes_pct"].isna().all()) == ({36}, {0}, True)
    assert set(unanimity(inputs).frame["unanimity_pct_reason"]) == {alone}
    assert set(without_one(inputs).frame["reason"]) == {without}
