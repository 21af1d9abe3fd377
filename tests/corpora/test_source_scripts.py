"""The scripts of the corpus: from sources to the records of a run, the same bytes every time."""

from __future__ import annotations

import subprocess
import sys

import pytest

from plumbline.config.settings import RunConfig
from plumbline.corpora.sources import collect_records, read_source
from plumbline.records import Record, UserError, read_json_lines, write_json_lines


def _config(sources, **corpus):
    return RunConfig.model_validate(
        {
            "run": "t",
            "corpus": {"sources": sources, **corpus},
            "models": {"m": {"engine": "simulated"}},
            "generators": {"g": {"faults": ["none"]}},
            "judges": {"j": {"model": "m"}},
            "conditions": {"c": {"prompt": "x"}},
            "blocks": {"b": {"conditions": ["c"]}},
        }
    )


@pytest.fixture
def run(project_root):
    def run_script(name, *arguments):
        return subprocess.run(
            [sys.executable, f"scripts/{name}", *map(str, arguments)],
            cwd=project_root,
            capture_output=True,
            text=True,
        )

    return run_script


def test_the_same_configuration_gives_the_same_bytes(run, tmp_path):
    folder = tmp_path / "results" / "t"
    folder.mkdir(parents=True)
    config = _config({"own": {"kind": "starter", "per_topology": 2}})
    (folder / "config.json").write_text(config.model_dump_json(), encoding="utf-8")
    outputs = []
    for name in ("a", "b"):
        source, records = tmp_path / f"{name}.source.jsonl", tmp_path / f"{name}.jsonl"
        done = run(
            "read_source.py", "--config", folder / "config.json", "--source", "own", "--output", source
        )
        assert done.returncode == 0, done.stderr
        assert "own: 12 records drawn" in done.stderr
        done = run(
            "collect_records.py", source, "--system-prompt", "prompts/record_system.md", "--output", records
        )
        assert done.returncode == 0, done.stderr
        outputs.append(records.read_bytes())
    assert outputs[0] == outputs[1]
    assert all("JSON array" in (r.system_prompt or "") for r in read_json_lines(records, Record))


def test_an_error_is_one_message_without_a_traceback(run, tmp_path, order):
    write_json_lines([order()], tmp_path / "a.jsonl")
    done = run("collect_records.py", tmp_path / "a.jsonl", tmp_path / "a.jsonl",
               "--system-prompt", "prompts/record_system.md", "--output", tmp_path / "out.jsonl")  # fmt: skip
    assert done.returncode == 1
    assert done.stderr.startswith("error: 1 ids occur more than once")
    assert "r1 (test, test)" in done.stderr
    assert not (tmp_path / "out.jsonl").exists()


def test_only_records_without_a_system_prompt_get_ours(order):
    own, bare, blank = order(id="a", system_prompt="mine"), order(id="b"), order(id="c", system_prompt=" ")
    collected = collect_records([[own, bare], [blank]], "ours\n")
    assert [record.system_prompt for record in collected] == ["mine", "ours", "ours"]


def test_a_run_without_records_is_an_error():
    with pytest.raises(UserError, match="the run has no records"):
        collect_records([[], []], "ours")


def test_an_unknown_source_and_a_missing_wheel_are_errors():
    config = _config({"b": {"kind": "bfcl"}})
    with pytest.raises(UserError, match="corpus.sources has no `c`; it has b"):
        read_source(config, "c")
    with pytest.raises(UserError, match="--wheel"):
        read_source(config, "b")


def test_labels_give_way_to_the_edges_where_the_configuration_says_so(tmp_path, order):
    write_json_lines([order(topology="diamond")], tmp_path / "mine.jsonl")
    source = {"mine": {"kind": "local", "path": str(tmp_path / "mine.jsonl")}}
    kept, report = read_source(_config(source), "mine")
    assert kept[0].topology == "diamond"
    assert "mine: 1 topology labels contradict the edges" in report
    computed, _ = read_source(_config(source, topology={"source": "computed"}), "mine")
    assert computed[0].topology == "linear"


def test_what_cannot_be_drawn_as_asked_is_said_with_its_key(tmp_path, order):
    write_json_lines([order()], tmp_path / "mine.jsonl")
    source = {"mine": {"kind": "local", "path": str(tmp_path / "mine.jsonl"), "count": 5}}
    records, report = read_source(_config(source), "mine")
    assert len(records) == 1
    assert any(line.startswith("corpus.sources.mine.count: 5 records were asked for") for line in report)


def test_a_configured_wheel_is_read_and_sampled(real_wheel):
    config = _config({"b": {"kind": "bfcl", "categories": ["multiple"], "count": 3}})
    records, report = read_source(config, "b", wheel=real_wheel("bfcl"))
    assert len(records) == 3
    assert all(record.id.startswith("multiple_") for record in records)
    assert report[-1] == "b: 3 records drawn"
