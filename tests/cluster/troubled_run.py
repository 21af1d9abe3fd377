"""One run on a real Slurm, and all that may go wrong: cancelled, too little time, servers killed.

The first judge's job is cancelled. The second one's goes back into the queue, as a preempted one does, and
then its server is killed. The third one's runs out of time. slurmctld is ended and started again while they
run. Nothing of it may show in the results.
"""

from __future__ import annotations

import os
import signal
import threading
from collections import Counter
from dataclasses import dataclass
from typing import Any

from fixed_answers import completion, number_of, verdict
from profile_run import ProfileRun, wait
from small_experiment import KEY, KEY_VARIABLE, TARGET, write_config
from standin import StandIn

ANSWERED = 5  # of each judge before its trouble begins


@dataclass(frozen=True)
class Troubles:
    """A run that came to its end through all troubles, and what was seen on the way."""

    run: ProfileRun
    gamma: StandIn
    devices: dict[str, str]
    shown: str

    def tries(self, judge: str) -> list[dict[str, str]]:
        return self.run.tries(f"ask_verdicts_wildcards_{judge}_{TARGET}_all")


class SlowServer:
    """Answers a first few requests, and the others when it is told to."""

    def __init__(self) -> None:
        self.goes_on = threading.Event()
        self.answered: Counter[str] = Counter()
        self._lock = threading.Lock()

    def __call__(self, body: dict[str, Any]) -> dict[str, Any]:
        with self._lock:
            is_held = self.answered.total() >= ANSWERED
            if not is_held:
                self.answered[number_of(body)] += 1
        if is_held:
            self.goes_on.wait()
            with self._lock:
                self.answered[number_of(body)] += 1
        return {"choice": completion(verdict(body))["choices"][0]}


def suffer(run: ProfileRun) -> Troubles:
    """Take a run through all troubles to its end; takes some minutes, most of them waiting."""
    slow = SlowServer()
    with StandIn(replies=[slow]) as gamma:
        write_config(run.folder, gamma.url)
        for model in ("alpha", "beta"):
            run.hold(model, ANSWERED)
        with run.started(TARGET, **{KEY_VARIABLE: KEY}) as snakemake:
            alpha = run.held_server("alpha", 1, ANSWERED)
            beta = run.held_server("beta", 1, ANSWERED)
            shown = run.cluster.run("scontrol", "--details", "show", "job")
            run.cluster.restart_controller()
            run.cluster.run("scancel", alpha["job"])
            run.release("alpha")
            run.cluster.run("scontrol", "requeue", beta["job"])
            os.kill(run.held_server("beta", 2, ANSWERED)["pids"][0], signal.SIGKILL)
            run.release("beta")
            wait(lambda: _is_out_of_time(run), "the job to run out of time")
            slow.goes_on.set()
            assert snakemake.wait(240) == 0, run.said[-6000:]
        devices = {"alpha": alpha["device"], "beta": beta["device"]}
        return Troubles(run, gamma, devices, shown)


def _is_out_of_time(run: ProfileRun) -> bool:
    tries = run.tries(f"ask_verdicts_wildcards_gamma_{TARGET}_all")
    return "TIMEOUT" in [job["State"] for job in tries]
