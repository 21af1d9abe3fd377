"""From `domains: [...]` to gated records, three tiers, validated rewrites and plans, through the workflow."""

from __future__ import annotations

import csv
import json
import sys
from pathlib import Path

import pytest
from project_copy import copy_project, run_snakemake
from standin import StandIn

sys.path.insert(0, str(Path(__file__).parents[1] / "corpora"))

from recorded_synthesis import CODES, PHRASES, UTTERANCES, good, is_again, stage_of, topology_of_request

from plumbline.config.gates import Gates
from plumbline.corpora.gates import put_through_gates
from plumbline.records import CRITERIA, Opinion, Plan, Record, Rewrite, read_json_lines

CONFIG = """
run: own_corpus
corpus:
  sources:
    ours:
      kind: synthesised
      model: writer
      domains: [equipment_rental, tool_library]
      topologies: [linear, diamond, loop_like]
      attempts: 2
tiers: [easy, medium, hard]
models:
  writer: {{engine: endpoint, base_url: "{url}", model: judge, concurrency: 4}}
rewrites: {{model: writer}}
validation: {{models: [writer], per_topology: 2}}
generators: {{perturb: {{faults: [none, drop_call]}}}}
judges: {{writer: {{model: writer}}}}
conditions: {{with_gt: {{prompt: judge_with_gt, reference: expected}}}}
blocks: {{main: {{conditions: [with_gt], tables: [alignment]}}}}
"""


def reply(body):
    """Answer as the writer, the rewriter, the meta-judge and the judge of the run."""
    prompt = "\n".join(message["content"] for message in body["messages"])
    if any(phrase in prompt for phrase in PHRASES.values()):
        stage, topology = stage_of(body), topology_of_request(body)
        answer = good(stage, topology, "tool_library" if "tool library" in prompt else "equipment_rental")
        stubborn = stage == "schemas" and "loop_like in tool_library" in prompt
        if stubborn or (stage == "pseudocode" and topology == "diamond" and not is_again(body)):
            answer = {"code": CODES["linear"]} if stage == "pseudocode" else {"tools": []}
    elif "Original request" in prompt:
        easy = next(text for text in UTTERANCES.values() if text in prompt)
        answer = {"query_medium": f"hi, {easy.lower()}", "query_hard": f"um, {easy.lower()} thanks"}
    else:
        assert "medium_preserves_calls" in prompt
        answer = dict.fromkeys(CRITERIA, True)
    return {"choice": {"message": {"content": json.dumps(answer)}}}


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    project = copy_project(tmp_path_factory.mktemp("synthesis"))
    with StandIn([reply], listed=("judge",)) as server:
        (project / "own.yaml").write_text(CONFIG.format(url=server.url))
        targets = ("corpus", "results/own_corpus/plans/perturb/hard.jsonl", "--configfile", "own.yaml")
        first = run_snakemake(project, *targets)
        asked = len(server.bodies)
        assert "Nothing to be done" in run_snakemake(project, *targets).stdout
        assert len(server.bodies) == asked
    return project / "results/own_corpus", first.stdout


def test_domains_become_gated_records_of_the_topologies_that_were_asked_for(made):
    folder, _ = made
    records = read_json_lines(folder / "records.jsonl", Record)
    found = sorted((record.domain, record.topology) for record in records)
    shapes = {"equipment_rental": ["diamond", "linear", "loop_like"], "tool_library": ["diamond", "linear"]}
    assert found == [(domain, shape) for domain, names in shapes.items() for shape in names]
    assert put_through_gates(records, Gates()).every_problem() == []


def test_what_was_given_up_is_in_the_log_and_in_the_table(made):
    folder, _ = made
    log = (folder / "logs/read_source/ours.txt").read_text()
    assert "1 entries left out" in log
    assert "ours_tool_library_loop_like_1: schemas: no answer of 2 passed" in log
    with (folder / "tables/corpus.synthesis_yield.ours.csv").open() as stream:
        rows = list(csv.DictReader(stream))
    totals = {row["stage"]: row for row in rows if row["cause"] == "all"}
    assert (totals["pseudocode"]["begun"], totals["pseudocode"]["first"]) == ("6.0", "4.0")
    assert (totals["schemas"]["begun"], totals["schemas"]["ok"]) == ("6.0", "5.0")
    assert [(r["cause"], r["records"]) for r in rows if r["stage"] == "schemas"][1] == ("unknown_tool", "1")


def test_every_stage_of_every_domain_is_a_file(made):
    folder, _ = made
    for domain in ("equipment_rental", "tool_library"):
        names = {path.stem for path in (folder / "synthesis/ours" / domain).glob("*.jsonl")}
        assert names == set(PHRASES)


def test_three_tiers_validated_rewrites_and_plans_follow(made):
    folder, _ = made
    rewrites = read_json_lines(folder / "rewrites/writer.jsonl", Rewrite)
    assert [set(rewrite.status.values()) for rewrite in rewrites] == [{"ok"}] * 5
    opinions = read_json_lines(folder / "validation/writer.jsonl", Opinion)
    assert [opinion.status for opinion in opinions] == ["ok"] * 5
    assert len(read_json_lines(folder / "plans/perturb/hard.jsonl", Plan)) == 5
    assert (folder / "tables/corpus.rewrite_yes_rates.html").exists()
