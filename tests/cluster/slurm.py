"""A real Slurm cluster on this machine: four pretend GPUs, accounting, two partitions.

`python tests/cluster/slurm.py` starts one and prints what a shell needs to use it; Ctrl-C ends it. It needs
root and the packages of `PACKAGES`.
"""

from __future__ import annotations

import os
import secrets
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

PACKAGES = "slurm-wlm slurmdbd munge mariadb-server"  # Debian's names
PROGRAMS = ("munged", "mariadbd", "slurmdbd", "slurmctld", "slurmd", "sbatch", "sacctmgr")
PATH = os.pathsep.join([os.environ["PATH"], "/usr/local/sbin", "/usr/sbin", "/sbin"])
ACCOUNT, PARTITION, GPU_PARTITION, GPU_TYPE = "lab", "short", "accelerated", "fake"
_READY_S = 30.0
# reads until the pipe closes, however the tests end, and then ends every daemon's process group
_GUARD = 'while read -r group; do groups="$groups -$group"; done; kill -s KILL -- $groups 2>/dev/null'

_SLURM_CONF = """
ClusterName=plumbline
SlurmctldHost={host}(127.0.0.1)
SlurmctldPort={ctld}
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
# a job that went back into the queue waits until its first credential has expired: 2 minutes by default
AuthInfo=socket={folder}/munge.socket,cred_expire=20
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd.pid
SlurmctldLogFile={folder}/slurmctld.log
SlurmdLogFile={folder}/slurmd.log
MailProg=/bin/true
MpiDefault=none
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SwitchType=switch/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU_Memory
# the machine has fewer cores than the node claims; nothing here binds jobs to cores
SlurmdParameters=config_overrides
SchedulerParameters=batch_sched_delay=0,sched_interval=1,sched_min_interval=0,bf_interval=1
AccountingStorageType=accounting_storage/slurmdbd
AccountingStorageHost=127.0.0.1
AccountingStoragePort={dbd}
AccountingStoragePass={folder}/munge.socket
AccountingStorageEnforce=associations
AccountingStoreFlags=job_comment
AccountingStorageTRES=gres/gpu,gres/gpu:{gpu}
JobAcctGatherType=jobacct_gather/none
GresTypes=gpu
JobRequeue=0
KillWait=5
ReturnToService=2
NodeName={host} NodeAddr=127.0.0.1 Port={slurmd} CPUs=64 RealMemory=1000000 Gres=gpu:{gpu}:4 State=UNKNOWN
PartitionName={partition} Nodes={host} Default=NO MaxTime=24:00:00 State=UP
PartitionName={gpu_partition} Nodes={host} Default=NO MaxTime=24:00:00 State=UP
"""
_CLIENTS = ("sacct", "sacctmgr", "sbatch", "scancel", "scontrol", "sinfo", "squeue", "srun", "sshare")
_CLIENT = """#!/bin/sh
SLURM_CONF={folder}/slurm.conf exec {program} "$@"
"""
_GRES_CONF = """
Name=gpu Type={gpu} File=/dev/null Count=1
Name=gpu Type={gpu} File=/dev/zero Count=1
Name=gpu Type={gpu} File=/dev/full Count=1
Name=gpu Type={gpu} File=/dev/random Count=1
"""
_SLURMDBD_CONF = """
AuthType=auth/munge
AuthInfo=socket={folder}/munge.socket
DbdHost={host}
DbdAddr=127.0.0.1
DbdPort={dbd}
SlurmUser=root
LogFile={folder}/slurmdbd.log
PidFile={folder}/slurmdbd.pid
CommitDelay=0
StorageType=accounting_storage/mysql
StorageHost=127.0.0.1
StoragePort={database}
StorageUser=slurm
StoragePass=slurm
StorageLoc=slurm_acct_db
"""
_DATABASE = (
    "--no-defaults",
    "--user=root",
    "--datadir={folder}/database",
    "--socket={folder}/database.socket",
    "--pid-file={folder}/database.pid",
    "--port={database}",
    "--bind-address=127.0.0.1",
    "--innodb-buffer-pool-size=64M",
    "--innodb-log-file-size=16M",
    "--innodb-flush-log-at-trx-commit=0",
    "--skip-name-resolve",
)


def missing() -> str | None:
    """Say why no cluster can be started here; None if one can."""
    absent = [program for program in PROGRAMS if shutil.which(program, path=PATH) is None]
    if absent:
        return f"{', '.join(absent)} not found: apt-get install {PACKAGES}"
    return None if os.geteuid() == 0 else "only root can start Slurm's daemons"


class Cluster:
    """Slurm's daemons in a folder of their own; use it with `with`.

    Parameters
    ----------
    folder
        An empty folder with a short path; keys, state and logs go there.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._processes: dict[str, subprocess.Popen[bytes]] = {}
        self._names = {
            "folder": str(folder),
            "host": socket.gethostname().split(".")[0],
            **dict(zip(("ctld", "slurmd", "dbd", "database"), map(str, _free_ports(4)), strict=True)),
            "gpu": GPU_TYPE,
            "partition": PARTITION,
            "gpu_partition": GPU_PARTITION,
        }
        self.exports = {
            "SLURM_CONF": str(folder / "slurm.conf"),
            "PLUMBLINE_SLURM_ACCOUNT": ACCOUNT,
            "PLUMBLINE_SLURM_PARTITION": PARTITION,
            "PLUMBLINE_SLURM_GPU_PARTITION": GPU_PARTITION,
        }
        inherited = {name: value for name, value in os.environ.items() if not name.startswith("SLURM_")}
        self.path = os.pathsep.join([str(folder / "bin"), PATH])
        self.environment = {**inherited, "PATH": self.path, **self.exports}

    def __enter__(self) -> Cluster:
        try:
            self._start()
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *error: object) -> None:
        if "slurmctld" in self._processes:
            with suppress(subprocess.SubprocessError):
                self.run("scancel", "--user=root", timeout=10)
                _wait(lambda: not self.run("squeue", "--noheader", timeout=10), "the end of all jobs", 15)
        for name in reversed(self._processes):
            self._stop(name)
        for process in self.job_processes():
            with suppress(ProcessLookupError):
                os.kill(process, signal.SIGKILL)
        if hasattr(self, "_guard"):
            self._guard.kill()
            self._guard.communicate()

    def run(self, *command: str, timeout: float = 60) -> str:
        """Run one of Slurm's commands and give its output."""
        done = subprocess.run(
            command, env=self.environment, text=True, capture_output=True, timeout=timeout, check=False
        )
        if done.returncode:
            raise subprocess.SubprocessError(f"{' '.join(command)}: {done.stderr.strip()}")
        return done.stdout

    def restart_controller(self) -> None:
        """End slurmctld and start it again."""
        self._stop("slurmctld")
        self._controller()

    def job_processes(self) -> Iterator[int]:
        """Processes of the cluster's jobs, by the cluster and the job's number in their environment."""
        mark = f"SLURM_CONF={self.exports['SLURM_CONF']}".encode()
        for folder in Path("/proc").glob("[0-9]*"):
            with suppress(OSError):
                variables = (folder / "environ").read_bytes().split(b"\0")
                if mark in variables and any(v.startswith(b"SLURM_JOB_ID=") for v in variables):
                    yield int(folder.name)

    def _start(self) -> None:
        for name in ("state", "spool", "database", "bin"):
            (self.folder / name).mkdir()
        # Snakemake's executor takes SLURM_CONF out of the environment, as a site has its file in /etc
        for client in _CLIENTS:
            self._write(f"bin/{client}", _CLIENT, mode=0o755, program=shutil.which(client, path=PATH))
        self._write("slurm.conf", _SLURM_CONF)
        self._write("gres.conf", _GRES_CONF)
        self._write("slurmdbd.conf", _SLURMDBD_CONF, mode=0o600)
        key = self.folder / "munge.key"
        key.write_bytes(secrets.token_bytes(128))
        key.chmod(0o400)
        self._guard = subprocess.Popen(
            ["/bin/sh", "-c", _GUARD],
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
        parts = ("socket", "key", "pid", "log", "seed")
        files = [
            f"--{part}{'' if part == 'socket' else '-file'}={self.folder}/munge.{part}" for part in parts
        ]
        self._daemon("munged", "--foreground", "--force", *files)
        self._database()
        self._daemon("slurmdbd", "-D")
        _wait(lambda: _listens(self._names["dbd"]), "slurmdbd")
        for entity in (
            ("cluster", "plumbline"),
            ("account", ACCOUNT, "Cluster=plumbline", "Description=tests", "Organization=tests"),
            ("user", "root", f"Account={ACCOUNT}"),
        ):
            self.run("sacctmgr", "--immediate", "add", *entity)
        self._controller()
        self._daemon("slurmd", "-D", "-N", self._names["host"])
        _wait(lambda: "idle" in self.run("sinfo", "--noheader", "--format=%T"), "the node")

    def _database(self) -> None:
        options = [option.format(**self._names) for option in _DATABASE]
        subprocess.run(
            ["mariadb-install-db", *options, "--skip-test-db", "--auth-root-authentication-method=normal"],
            env=self.environment,
            stdout=(self.folder / "database_install.log").open("wb"),
            stderr=subprocess.STDOUT,
            check=True,
        )
        self._daemon("mariadbd", *options)
        _wait(lambda: _listens(self._names["database"]), "mariadbd")
        statement = (
            "create database slurm_acct_db; create user slurm identified by 'slurm';"
            " grant all on slurm_acct_db.* to slurm"
        )
        socket_option = f"--socket={self.folder}/database.socket"
        self.run("mariadb", "--no-defaults", "--user=root", socket_option, f"--execute={statement}")

    def _controller(self) -> None:
        self._daemon("slurmctld", "-D")
        # the controller answers a ping only after it has read its state
        _wait(lambda: "is UP" in self.run("scontrol", "ping"), "slurmctld")

    def _daemon(self, name: str, *arguments: str) -> None:
        with (self.folder / f"{name}.out").open("ab") as output:
            process = subprocess.Popen(
                [name, *arguments],
                env=self.environment,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
        self._processes[name] = process
        assert self._guard.stdin is not None
        self._guard.stdin.write(f"{process.pid}\n".encode())
        self._guard.stdin.flush()

    def _stop(self, name: str) -> None:
        process = self._processes[name]
        process.terminate()
        with suppress(subprocess.TimeoutExpired):
            process.wait(5)
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()

    def _write(self, name: str, text: str, mode: int = 0o644, **more: str | None) -> None:
        file = self.folder / name
        file.write_text(text.format(**self._names, **more))
        file.chmod(mode)


def _free_ports(count: int) -> list[int]:
    probes = [socket.socket() for _ in range(count)]
    for probe in probes:
        probe.bind(("127.0.0.1", 0))
    ports = [probe.getsockname()[1] for probe in probes]
    for probe in probes:
        probe.close()
    return ports


def _listens(port: str) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", int(port))) == 0


def _wait(ready: Callable[[], bool], what: str, limit_s: float = _READY_S) -> None:
    deadline = time.monotonic() + limit_s
    while time.monotonic() < deadline:
        with suppress(subprocess.SubprocessError):
            if ready():
                return
        time.sleep(0.1)
    raise TimeoutError(f"waited {limit_s:g} s for {what}")


def main() -> None:
    """Start a cluster, print what a shell needs to use it, and end it at Ctrl-C."""
    reason = missing()
    if reason:
        sys.exit(reason)
    signal.signal(signal.SIGTERM, lambda number, frame: sys.exit(128 + number))
    with tempfile.TemporaryDirectory(prefix="slurm-") as folder, Cluster(Path(folder)) as cluster:
        for name, value in cluster.exports.items():
            print(f"export {name}={value}")
        print(f"export PATH={cluster.path}")
        print("# The cluster runs until Ctrl-C.", flush=True)
        with suppress(KeyboardInterrupt):
            signal.pause()


if __name__ == "__main__":
    main()
