"""The journal: every complete reply of a model, kept in append-only files that no rule deletes."""

from __future__ import annotations

import json
import os
import re
import time
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from dataclasses import fields
from pathlib import Path
from typing import Any, BinaryIO, Literal

from plumbline.models.requests import Failure, Reply
from plumbline.records import Usage, UserError

_PREFIX = b'{"key":"'
_KEY = slice(len(_PREFIX), len(_PREFIX) + 64)
_KIND = slice(_KEY.stop + 3, _KEY.stop + 8)
_WEIGHT = {b"failu": 0, b"reply": 1, b"again": 2}
"""What wins if a key has several lines: an answer asked for again, a reply, a failure."""

_Place = tuple[int, int, int]
"""Weight, number of the file, offset in it."""


class Journal:
    """The answers of one model.

    Each job that asks writes a file of its own, so that no lock is needed on a shared file system and a
    line torn by a killed job is the last of its file; such a line is ignored.

    Parameters
    ----------
    folder
        `results/journal/{model}`; it need not exist yet.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = Path(folder)
        self._files: list[Path] = []
        self._places: dict[bytes, _Place] | None = None

    def answered(self) -> set[str]:
        """Keys of all requests that have a reply; where they stand is kept for `find`."""
        if self._places is None:
            self._places = self._scan(None)
        return {key.decode("ascii") for key, place in self._places.items() if place[0] > 0}

    def find(self, keys: Collection[str]) -> dict[str, Reply | Failure]:
        """Give the outcomes of the keys that the journal knows.

        Parameters
        ----------
        keys
            As `Request.key` makes them.

        Returns
        -------
        dict
            A reply wins over a failure; of several replies the first one counts, unless it was asked for
            again; of several failures the last one.

        Raises
        ------
        UserError
            If a line that looks whole is not; names the file and the place.
        """
        wanted = {key.encode("ascii") for key in keys}
        places = self._scan(wanted) if self._places is None else self._places
        by_file: dict[int, list[tuple[int, str]]] = {}
        for key in wanted & places.keys():
            _, file, offset = places[key]
            by_file.setdefault(file, []).append((offset, key.decode("ascii")))
        found: dict[str, Reply | Failure] = {}
        for file, entries in by_file.items():
            with self._files[file].open("rb") as stream:
                for offset, name in sorted(entries):
                    stream.seek(offset)
                    try:
                        found[name] = _outcome(stream.readline())
                    except (ValueError, TypeError, KeyError, AttributeError):
                        raise UserError(
                            f"{self._files[file]}: the line at byte {offset} is damaged. Remove it and run "
                            "again; only its request is asked again."
                        ) from None
        return found

    @contextmanager
    def writer(self, lane: str) -> Iterator[JournalWriter]:
        """Give a writer whose file is made at the first append and closed when the block ends.

        Parameters
        ----------
        lane
            Name of the job, first part of the file's name.
        """
        writer = JournalWriter(self.folder, lane)
        try:
            yield writer
        finally:
            writer.close()

    def _scan(self, wanted: set[bytes] | None) -> dict[bytes, _Place]:
        """Note where the outcome of each wanted key stands; only the head of a line is looked at."""
        self._files = sorted(self.folder.glob("*.jsonl"), key=_age)
        places: dict[bytes, _Place] = {}
        for number, path in enumerate(self._files):
            offset = 0
            with path.open("rb") as stream:
                for line in stream:
                    key = line[_KEY]
                    if (wanted is None or key in wanted) and _is_whole(line):
                        place = (_WEIGHT[line[_KIND]], number, offset)
                        if _wins(place, places.get(key)):
                            places[key] = place
                    offset += len(line)
        return places


def _is_whole(line: bytes) -> bool:
    return line.startswith(_PREFIX) and line.endswith(b"}\n") and line[_KIND] in _WEIGHT


def _wins(place: _Place, held: _Place | None) -> bool:
    """Of lines of one weight the later counts, except that the first reply stays."""
    return held is None or place[0] > held[0] or (place[0] == held[0] and place[0] != _WEIGHT[b"reply"])


class JournalWriter:
    """Appends outcomes, each as one line that is on its way to the disk before the next request is sent."""

    def __init__(self, folder: Path, lane: str) -> None:
        self._folder = folder
        self._lane = re.sub(r"[^A-Za-z0-9_.-]+", "-", lane)[:150] or "lane"  # a file's name has 255 at most
        self._stream: BinaryIO | None = None

    def append(self, key: str, item: str, outcome: Reply | Failure, again: bool = False) -> None:
        """Write one outcome.

        Parameters
        ----------
        key, item
            The request's key, and who asked (for people; nothing reads it).
        outcome
            A reply or the reason why there is none.
        again
            Whether a reply takes the place of an earlier one with the same key.
        """
        kind: Literal["reply", "again", "failure"] = "failure" if isinstance(outcome, Failure) else "reply"
        if again and kind == "reply":
            kind = "again"
        line = json.dumps(
            {"key": key, kind: _plain(outcome), "item": item}, ensure_ascii=False, separators=(",", ":")
        )
        if self._stream is None:
            self._stream = self._open()
        self._stream.write(line.encode("utf-8", "surrogatepass") + b"\n")
        # handed to the system at once, so that it survives the death of this process
        self._stream.flush()

    def close(self) -> None:
        """Close the file, if there is one."""
        if self._stream is not None:
            self._stream.close()

    def _open(self) -> BinaryIO:
        self._folder.mkdir(parents=True, exist_ok=True)
        name = f"{self._lane}.{time.time_ns()}.{os.getpid()}.jsonl"
        return open(self._folder / name, "xb")


def _age(path: Path) -> tuple[int, str]:
    """Sort files by the time in their names, so that the first reply is the oldest."""
    parts = path.name.split(".")
    stamp = parts[-3] if len(parts) >= 4 and parts[-3].isdigit() else "0"
    return int(stamp), path.name


def _plain(outcome: Reply | Failure) -> dict[str, Any]:
    data = {field.name: getattr(outcome, field.name) for field in fields(outcome)}
    if data.get("usage") is not None:
        data["usage"] = data["usage"].model_dump(exclude_none=True)
    return {name: value for name, value in data.items() if value is not None}


def _outcome(line: bytes) -> Reply | Failure:
    # json reads the bare NaN that a server's log-probability may be
    data = json.loads(line)
    if "failure" in data:
        return Failure(**data["failure"])
    reply = data.get("again") or data["reply"]
    usage = Usage(**reply["usage"]) if "usage" in reply else None
    return Reply(**{"text": None, **reply, "usage": usage})
