"""Folders and files may be called as people call them."""

import json

from project_copy import copy_project, run_snakemake

CONFIG = """\
run: t
corpus: {sources: {mine: {kind: local, path: my records.jsonl}}}
prompts: {folder: my prompts}
models: {m: {engine: simulated}}
generators: {g: {faults: [none]}}
judges: {j: {model: m}}
conditions: {c: {prompt: judge_with_gt}}
blocks: {main: {conditions: [c]}}
"""


def test_blanks_and_umlauts_in_names_of_folders_and_files(tmp_path):
    folder = tmp_path / "mein Ordner für Läufe"
    folder.mkdir()
    copy_project(folder)
    (folder / "prompts").rename(folder / "my prompts")
    record = {
        "id": "r1",
        "source": "mine",
        "domain": "d",
        "queries": {"easy": "Do it."},
        "tools": [{"name": "a"}],
        "expected_calls": [{"id": "s1", "name": "a"}],
    }
    (folder / "my records.jsonl").write_text(json.dumps(record))
    (folder / "run.yaml").write_text(CONFIG)
    run_snakemake(folder, "results/t/records.jsonl", "--configfile", "run.yaml")
    assert json.loads((folder / "results/t/records.jsonl").read_text())["id"] == "r1"
