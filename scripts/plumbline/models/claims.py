"""Names in a shared folder that one process at a time can own."""

from __future__ import annotations

import contextlib
import hashlib
import os
import socket
import time
from pathlib import Path


class Claims:
    """Claims by exclusive creation of files: no lock, and nothing is ever taken from a living process.

    Exclusive creation is decided by the file system's server, also on NFS; a listing of a folder may be
    old there, so it is only ever a hint of what is free.

    Parameters
    ----------
    folder
        Folder of all claims; made if it is not there.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.owner = f"{time.time_ns()}-{_machine()}-{os.getpid()}"
        folder.mkdir(parents=True, exist_ok=True)

    def take(self, name: str, passes_on: bool = False) -> Path | None:
        """Claim a name, for instance `p7/seat.3`.

        Parameters
        ----------
        name
            Path within the folder of claims.
        passes_on
            Whether the name of a process that died on this machine is free, for whoever first claims it
            after that process.

        Returns
        -------
        Path or None
            The file to unlink when the claim ends; None if another process holds the name.
        """
        while True:
            path = self.folder / name
            try:
                handle = os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o666)
            except FileExistsError:
                holder = self.holder(path) if passes_on else None
                if holder is None or not is_dead(holder):
                    return None
                # removing the dead one's file could remove a new claim, so the name after it is claimed
                name = f"{name}.{holder}"
            except FileNotFoundError:
                path.parent.mkdir(parents=True, exist_ok=True)
            else:
                with os.fdopen(handle, "w", encoding="ascii") as stream:
                    stream.write(self.owner)
                return path

    def holder(self, path: Path) -> str | None:
        """Give who made a claim; None if that does not stand there (yet, or any more)."""
        try:
            return path.read_text(encoding="ascii") or None
        except (OSError, ValueError):
            return None

    def clock_skew(self) -> float:
        """Seconds by which the file system's clock is ahead of this machine's.

        Jobs go by it where it stamps files itself (NFS). Below a tenth, which may be its grain, it is 0.
        """
        file = self.folder / f"clock.{self.owner}"
        before = time.time()
        file.touch()
        skew = file.stat().st_mtime - (before + time.time()) / 2
        file.unlink(missing_ok=True)
        return skew if abs(skew) > 0.1 else 0.0


def is_dead(owner: str) -> bool:
    """Whether a claim's owner was a process of this machine that has ended; False if that is not known."""
    _, machine, pid = owner.split("-") if owner.count("-") == 2 else ("", "", "")
    if machine != _machine() or not pid.isdecimal():
        return False
    try:
        os.kill(int(pid), 0)
    except ProcessLookupError:
        return True
    except OSError:
        return False
    return False


def _machine() -> str:
    """Name this boot of this machine, and the set of processes that can be seen from here."""
    parts = [socket.gethostname()]
    with contextlib.suppress(OSError):  # not Linux
        parts.append(Path("/proc/sys/kernel/random/boot_id").read_text(encoding="ascii"))
        parts.append(str(Path("/proc/self/ns/pid").readlink()))
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()[:12]
