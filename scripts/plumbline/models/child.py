"""A server that runs as a child of the job and never outlives it."""

from __future__ import annotations

import os
import re
import secrets
import signal
import socket
import subprocess
import sys
from collections import deque
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from urllib.error import URLError
from urllib.request import ProxyHandler, build_opener

from plumbline.models.clock import Clock
from plumbline.models.scrubbing import scrub
from plumbline.records import UserError

LAST_LINES = 15
_ERROR = re.compile(r"\b[A-Z]\w*(?:Error|Exception): ")
"""An exception as a traceback names it. Where a server has several processes, much comes after the cause."""
_GRACE_S = 10.0
_POLL_S = 0.25
# reads until the job's end of the pipe closes, however the job ends, and then ends the server's group
_GUARD = "while read -r line; do :; done; kill -s KILL -- -$1 2>/dev/null"


class Child:
    """A server process in a process group of its own; use it with `with`.

    Parameters
    ----------
    name
        What it serves, for messages.
    command
        Program and arguments.
    variables
        Environment variables beside the job's own.
    log
        Its output goes here.
    is_kept
        Whether the log outlives the server, so that messages may point to it.
    """

    def __init__(
        self, name: str, command: Sequence[str], variables: Mapping[str, str], log: Path, is_kept: bool
    ) -> None:
        self._name = name
        self._command = list(command)
        self._variables = dict(variables)
        self._log = log
        self._is_kept = is_kept

    def __enter__(self) -> Child:
        self._log.parent.mkdir(parents=True, exist_ok=True)
        with self._log.open("wb") as output:
            try:
                self._process = subprocess.Popen(
                    self._command,
                    stdin=subprocess.DEVNULL,
                    stdout=output,
                    stderr=subprocess.STDOUT,
                    env=os.environ | self._variables,
                    start_new_session=True,
                )
            except OSError as error:
                raise UserError(
                    f"{self._name}: the server cannot be started: {self._command[0]}: {error.strerror}."
                ) from None
        self._guard = subprocess.Popen(
            ["/bin/sh", "-c", _GUARD, "guard", str(self._process.pid)],
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._signal(signal.SIGTERM)
        try:
            self._process.wait(_GRACE_S)
        except subprocess.TimeoutExpired:
            pass
        finally:
            # the group may hold workers that outlived the server itself
            self._signal(signal.SIGKILL)
            self._process.wait()
            self._guard.kill()
            self._guard.communicate()

    def wait_until_ready(self, url: str, limit_s: float, clock: Clock) -> None:
        """Wait until `url` answers.

        Raises
        ------
        UserError
            If the process ends first (at once, with its last log lines), or the limit has passed.
        """
        opener = build_opener(ProxyHandler({}))
        deadline = clock.now() + limit_s
        while True:
            dead = self.check()
            if dead:
                raise UserError(dead)
            try:
                with opener.open(url, timeout=5) as response:
                    if response.status == 200:
                        return
            except (URLError, OSError):
                pass
            if clock.now() > deadline:
                raise UserError(
                    f"{self._name}: the server was not ready after {limit_s:g} s (start_limit_s)."
                    f" Its last lines:\n{self._last_lines()}"
                )
            clock.pause(_POLL_S)

    def check(self) -> str | None:
        """Say how the process ended, with its last log lines; None while it runs."""
        code = self._process.poll()
        if code is None:
            return None
        how = f"exit code {code}" if code >= 0 else f"signal {signal.Signals(-code).name}"
        return f"{self._name}: the server ended ({how}). Its last lines:\n{self._last_lines()}"

    def _last_lines(self) -> str:
        """Give the end of the log, and the first error in it if that came before."""
        with self._log.open("rb") as stream:
            lines = deque((line.decode("utf-8", "replace").rstrip() for line in stream), LAST_LINES)
        shown = [line[:300] for line in lines]
        cause = self._first_error()
        if cause and cause[:300] not in shown:
            shown += ["The first error in its log:", cause[:600]]
        if self._is_kept:
            shown.append(f"(all of it: {self._log})")
        return scrub("\n".join(f"    {line}" for line in shown))

    def _first_error(self) -> str | None:
        with self._log.open("rb") as stream:
            for line in stream:
                text = line.decode("utf-8", "replace").rstrip()
                if _ERROR.search(text) and "WARNING" not in text:
                    return text
        return None

    def _signal(self, number: signal.Signals) -> None:
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(self._process.pid, number)


PORTS = range(20_000, 32_768)
"""Where our servers listen: below the ports that systems give to outgoing connections, which could take one
between the look at it and the server's start."""


def free_port() -> int:
    """Find a port that nothing listens on, drawn anew each time, so that jobs of one machine rarely meet."""
    for port in [*secrets.SystemRandom().sample(PORTS, min(50, len(PORTS))), 0]:
        with socket.socket() as probe, suppress(OSError):
            probe.bind(("127.0.0.1", port))
            return int(probe.getsockname()[1])
    raise UserError("no port of 127.0.0.1 is free for a server.")


def module_command(module: str, *arguments: str) -> list[str]:
    """Give the command that runs a module of this package in this Python."""
    return [sys.executable, "-m", module, *arguments]
