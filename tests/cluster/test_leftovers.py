"""Jobs that a killed Snakemake left in the queue: cancelled at the next start, if nobody owns them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from slurm import ACCOUNT, PARTITION, Cluster

from plumbline.leftovers import cancel_leftovers
from plumbline.records import UserError


@pytest.fixture
def leave(cluster: Cluster, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], str]:
    """Send a job of a given name that would run for ten minutes, and give its number."""
    for name in ("PATH", "SLURM_CONF"):
        monkeypatch.setenv(name, cluster.environment[name])
    (tmp_path / "locks").mkdir()

    def sent(name: str) -> str:
        options = (f"--account={ACCOUNT}", f"--partition={PARTITION}", "--mem=10", f"--chdir={tmp_path}")
        return cluster.run("sbatch", "--parsable", f"--job-name={name}", *options, "--wrap=sleep 600").strip()

    return sent


def is_queued(cluster: Cluster, job: str) -> bool:
    return job in cluster.run("squeue", "--noheader", "--format=%i").split()


def test_jobs_of_earlier_starts_are_cancelled_and_others_stay(
    cluster: Cluster, tmp_path: Path, leave: Callable[[str], str]
) -> None:
    (tmp_path / "starts.txt").write_text("first\nsecond\n")
    left, foreign = [leave("first"), leave("second")], leave("someone_else")
    (tmp_path / "locks/0.output.lock").touch()
    assert sorted(cancel_leftovers(tmp_path / "starts.txt", "third", tmp_path / "locks")) == sorted(left)
    assert [is_queued(cluster, job) for job in (*left, foreign)] == [False, False, True]
    assert (tmp_path / "starts.txt").read_text() == "third\n"
    cluster.run("scancel", foreign)


def test_jobs_of_another_snakemake_that_may_be_alive_stay(
    cluster: Cluster, tmp_path: Path, leave: Callable[[str], str]
) -> None:
    (tmp_path / "starts.txt").write_text("first\n")
    job = leave("first")
    for number in range(2):
        (tmp_path / f"locks/{number}.output.lock").touch()
    assert cancel_leftovers(tmp_path / "starts.txt", "second", tmp_path / "locks") == []
    assert is_queued(cluster, job)
    # remembered until they can be told from those of a live one
    assert (tmp_path / "starts.txt").read_text() == "first\nsecond\n"
    cluster.run("scancel", job)


def test_without_an_answer_of_slurm_nothing_starts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    (tmp_path / "starts.txt").write_text("first\n")
    with pytest.raises(UserError, match="`squeue` failed.*Start again when Slurm answers"):
        cancel_leftovers(tmp_path / "starts.txt", "second", tmp_path)


def test_a_first_start_asks_slurm_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    assert cancel_leftovers(tmp_path / "starts.txt", "first", tmp_path) == []
    assert (tmp_path / "starts.txt").read_text() == "first\n"
