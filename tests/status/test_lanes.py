"""Each script that asks names its job as the status looks it up, run first."""

from __future__ import annotations

import re
from pathlib import Path
from types import SimpleNamespace

import pytest
from project_copy import ROOT
from test_ask_jobs import ASK_RULES, CONFIG, SYNTHESISED

from plumbline.config.loading import load_config
from plumbline.config.yaml_files import read_yaml
from plumbline.status.ask_jobs import AskJob, ask_jobs


def jobs_of(folder: Path, text: str) -> list[AskJob]:
    file = folder / "told.yaml"
    file.write_text(text)
    return ask_jobs(load_config(read_yaml(file).data, [file]), folder)


def names_of(job: AskJob) -> dict[str, object]:
    """The variables of the job's script: the wildcards of its rule, in the order of its log's name."""
    text = next(
        file for file in ROOT.glob("rules/*.smk") if f"rule {job.rule}:" in file.read_text()
    ).read_text()
    words = re.search(rf'run\.log\("{job.rule}"((?:, "{{\w+}}")*)', text)
    assert words, job.rule
    names = re.findall(r"{(\w+)}", words[1])
    known = dict(zip(names, job.wildcards, strict=True))
    held = SimpleNamespace(model=job.model)
    return {
        "workspace": SimpleNamespace(run="told"),
        "model": job.model,
        "relocating": held,
        "proposing": held,
        **known,
    }


@pytest.mark.parametrize("rule", sorted(ASK_RULES))
def test_a_script_names_its_job_as_the_status_does(tmp_path: Path, rule: str) -> None:
    jobs = [
        job
        for job in jobs_of(tmp_path, SYNTHESISED if rule == "ask_synthesis" else CONFIG)
        if job.rule == rule
    ]
    lane = re.search(r'lane=f"([^"]+)"', (ROOT / "scripts" / f"{rule}.py").read_text())
    assert lane and jobs
    for job in jobs:
        # `{workspace.run}.{judge}…` with what the script's options hold
        named = lane[1].format(**names_of(job))
        assert named == job.lane
        assert named.startswith("told.")


def test_jobs_of_a_run_have_different_lanes(tmp_path: Path) -> None:
    lanes = [job.lane for job in jobs_of(tmp_path, CONFIG)]
    assert len(set(lanes)) == len(lanes)
