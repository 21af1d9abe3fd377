"""`snakemake --profile slurm` in a copy of the project, and what its servers were asked."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from slurm import GPU_TYPE, Cluster

SERVER = Path(__file__).parent / "counting_vllm.py"
# the profile looks at its jobs every 40 s or more and waits a minute for files; here both come at once
QUICK = ("--slurm-init-seconds-before-status-checks", "1", "--latency-wait", "5")


@dataclass(frozen=True)
class ProfileRun:
    """A project folder that runs on a cluster.

    Attributes
    ----------
    cluster
        The cluster.
    folder
        A copy of the project with a `run.yaml`.
    """

    cluster: Cluster
    folder: Path

    @contextmanager
    def started(self, *arguments: str, **variables: str) -> Iterator[subprocess.Popen[bytes]]:
        """Start Snakemake; it is killed if the block ends before it does."""
        with (self.folder / "snakemake.txt").open("ab") as output:
            process = subprocess.Popen(
                [sys.executable, "-m", "snakemake", "--profile", "slurm", "--configfile", "run.yaml", *QUICK]
                + list(arguments),
                cwd=self.folder,
                env={**self.cluster.environment, **variables},
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
        try:
            yield process
        finally:
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGKILL)
                process.wait()

    def finish(self, *arguments: str, **variables: str) -> None:
        """Run Snakemake to its end."""
        with self.started(*arguments, **variables) as process:
            assert process.wait(600) == 0, self.said[-6000:]

    @property
    def said(self) -> str:
        """What Snakemake printed, of all starts."""
        return (self.folder / "snakemake.txt").read_text()

    @property
    def start_names(self) -> list[str]:
        """The names that the jobs of each start have."""
        lines = self.said.splitlines()
        return [line.split()[-1] for line in lines if line.startswith("SLURM run ID:")]

    def jobs(self) -> list[dict[str, str]]:
        """Every try of every job, oldest first, as the accounting has it."""
        fields = ("JobIDRaw", "Comment", "Partition", "Account", "ReqTRES", "State", "TimelimitRaw")
        fields += ("ReqMem", "Start", "End")
        asked = [
            "--allocations",
            "--parsable2",
            "--noheader",
            "--starttime=now-1days",
            f"--name={','.join(self.start_names)}",
        ]
        rows = self.cluster.run("sacct", *asked, f"--format={','.join(fields)}").splitlines()
        return [dict(zip(fields, row.split("|"), strict=True)) for row in rows]

    def tries(self, what: str) -> list[dict[str, str]]:
        """The tries of one job, by its rule and wildcards."""
        return [job for job in self.jobs() if job["Comment"] == f"rule_{what}"]

    # servers

    @property
    def notes(self) -> Path:
        return self.folder / "notes"

    def servers(self, model: str) -> list[list[dict[str, Any]]]:
        """What each server of a model noted, oldest first."""
        files = sorted(self.notes.glob(f"{model}.*.jsonl"))
        texts = [file.read_text() for file in files]
        return [
            [json.loads(line) for line in text.splitlines() if line.endswith("}")] for text in texts if text
        ]

    def prompts(self, model: str, event: str) -> Counter[str]:
        """How often each prompt was `asked` or `answered`."""
        notes = [note for server in self.servers(model) for note in server]
        return Counter(note["prompt"] for note in notes if note["event"] == event)

    def kept(self, model: str) -> int:
        """How many answers of a model are in the journal."""
        files = (self.folder / "results/journal" / model).glob("*.jsonl")
        return sum(file.read_text().count("\n") for file in files)

    def hold(self, model: str, answers: int) -> None:
        """Let servers of a model answer no more than so many requests each, until `release`."""
        self.notes.mkdir(exist_ok=True)
        (self.notes / f"{model}.hold").write_text(str(answers))

    def release(self, model: str) -> None:
        (self.notes / f"{model}.hold").unlink()

    def held_server(self, model: str, number: int, answers: int) -> dict[str, Any]:
        """Wait until a model's server of that number has given all that it may; its first note."""

        def reached() -> bool:
            servers = self.servers(model)
            if len(servers) < number:
                return False
            given = [sum(note["event"] == "answered" for note in server) for server in servers]
            # an answer that is on its way to a job which ends now is lost with it
            return given[number - 1] >= answers and self.kept(model) >= sum(given)

        wait(reached, f"server {number} of {model} to give {answers} answers")
        return self.servers(model)[number - 1][0]

    def outlived(self) -> list[int]:
        """Servers and their workers that still run."""
        notes = [note for model in ("alpha", "beta") for server in self.servers(model) for note in server]
        pids = [pid for note in notes if note["event"] == "started" for pid in note["pids"]]
        return [pid for pid in pids if runs(pid)]


def model_settings(notes: Path) -> dict[str, Any]:
    """A model of the vLLM engine behind a server that counts."""
    command = [sys.executable, str(SERVER), "--notes", str(notes)]
    return {
        "engine": "vllm",
        "concurrency": 2,
        "vllm": {"command": command, "gpu_type": GPU_TYPE},
        "job": {"memory_gb": 1, "cpus": 1, "minutes": 5},
    }


def wait(ready: Callable[[], bool], what: str, limit_s: float = 240) -> None:
    """Wait until something is so; fails after the limit."""
    deadline = time.monotonic() + limit_s
    while not ready():
        assert time.monotonic() < deadline, f"waited {limit_s:g} s for {what}"
        time.sleep(0.1)


def runs(pid: int) -> bool:
    """Whether a process is there and no zombie."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
    except OSError:
        return False
