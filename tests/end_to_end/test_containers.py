"""Jobs in a container: what Snakemake and a job hand to Apptainer, of which there is none here."""

import json
import stat
import sys
from pathlib import Path

from project_copy import copy_project, run_snakemake

from plumbline.config.models import Model
from plumbline.models import serve

STANDIN_VLLM = Path(__file__).parents[1] / "standin_vllm.py"
# takes the words of `apptainer exec [options] image program ...`, notes them and runs the program
APPTAINER = f"""#!{sys.executable}
import json, os, pathlib, sys
words = sys.argv[1:]
if words == ["--version"]:
    print("apptainer version 1.3.4")
    sys.exit()
image = next(place for place, word in enumerate(words) if word.endswith(".sif"))
noted = pathlib.Path(__file__).with_name("noted.jsonl")
with noted.open("a") as notes:
    notes.write(json.dumps({{"options": words[:image], "image": words[image]}}) + "\\n")
os.execvp(words[image + 1], words[image + 1 :])
"""
CONFIG = """\
run: t
corpus: {sources: {mine: {kind: local, path: mine.jsonl}}}
models: {m: {engine: simulated}}
generators: {g: {faults: [none]}}
judges: {j: {model: m}}
conditions: {c: {prompt: judge_with_gt}}
blocks: {main: {conditions: [c]}}
"""
RECORD = {
    "id": "r1",
    "source": "mine",
    "domain": "d",
    "queries": {"easy": "Do it."},
    "tools": [{"name": "a"}],
    "expected_calls": [{"id": "s1", "name": "a"}],
}


def install(folder):
    """Put an `apptainer` into a folder; it runs the program that it is given on this machine."""
    program = folder / "apptainer"
    program.write_text(APPTAINER)
    program.chmod(program.stat().st_mode | stat.S_IXUSR)
    return program


def noted(program):
    return [json.loads(line) for line in program.with_name("noted.jsonl").read_text().splitlines()]


def test_every_job_runs_in_the_image_that_the_variable_names(tmp_path, monkeypatch):
    folder, programs = tmp_path / "project", tmp_path / "bin"
    folder.mkdir()
    programs.mkdir()
    copy_project(folder)
    program = install(programs)
    (folder / "plumbline.sif").touch()
    (folder / "mine.jsonl").write_text(json.dumps(RECORD))
    (folder / "run.yaml").write_text(CONFIG)
    monkeypatch.setenv("PATH", str(programs), prepend=":")
    variables = {"PLUMBLINE_CONTAINER": str(folder / "plumbline.sif")}
    target = "results/t/plans/g/easy.jsonl"
    options = ["--sdm", "apptainer", "--apptainer-args=--nv", "--configfile", "run.yaml"]
    run_snakemake(folder, target, *options, env=variables)
    assert (folder / target).exists()
    calls = noted(program)
    assert len(calls) == 3  # the source, the records, the plans
    for call in calls:
        assert call["image"] == variables["PLUMBLINE_CONTAINER"]
        assert "--nv" in call["options"]


def test_vllm_in_a_container_is_a_child_of_its_job(tmp_path):
    program = install(tmp_path)
    image = [str(tmp_path / "vllm.sif"), sys.executable, str(STANDIN_VLLM)]
    command = [str(program), "exec", "--nv", "--bind", "/scratch", *image]
    with serve("judge", Model(engine="vllm", vllm={"command": command})) as endpoint:
        assert endpoint.check() is None
    assert noted(program) == [{"options": command[1:5], "image": image[0]}]
