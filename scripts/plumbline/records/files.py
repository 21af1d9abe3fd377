"""Reading and writing the files between the stages: a file appears whole or not at all."""

from __future__ import annotations

import hashlib
import json
import math
import os
import re
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn, TypeVar

from pydantic import BaseModel, ValidationError

from plumbline.records.errors import DataError

if TYPE_CHECKING:  # the Snakefile is parsed in every job; importing pandas would take most of that time
    import pandas as pd

T = TypeVar("T", bound=BaseModel)

_LONE_SURROGATE = re.compile("[\ud800-\udfff]")

# what a number may look like that JSON does not have, or that no float holds
_MAYBE_NO_NUMBER = re.compile(r"NaN|Infinity|[0-9.]{300}|[0-9][eE]\+?[0-9]{2}")


@contextmanager
def atomic_path(path: Path | str) -> Iterator[Path]:
    """Give a file beside `path` to write to; it takes the name `path` when the block ends well.

    Parameters
    ----------
    path
        The final name; missing folders are made.

    Yields
    ------
    Path
        A file in the same folder (so that the rename is atomic), removed if the block fails.
    """
    path = Path(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.", suffix=".part")
    os.close(handle)
    beside = Path(name)
    try:
        yield beside
        # mkstemp gives 0600; a result is as readable as the user's other files
        umask = os.umask(0)
        os.umask(umask)
        beside.chmod(0o666 & ~umask)
        beside.replace(path)
    finally:
        beside.unlink(missing_ok=True)


def write_text(text: str, path: Path | str) -> None:
    """Write a text file, UTF-8, whole or not at all."""
    with atomic_path(path) as beside:
        beside.write_text(text, encoding="utf-8")


def write_json_lines(items: Iterable[BaseModel | dict[str, Any]], path: Path | str) -> None:
    """Write one JSON object a line; keys keep the order of the data model, absent values are left out."""
    with atomic_path(path) as beside, beside.open("w", encoding="utf-8") as stream:
        for item in items:
            data = item.model_dump(exclude_none=True) if isinstance(item, BaseModel) else item
            line = json.dumps(data, ensure_ascii=False, allow_nan=False)
            # a lone surrogate in a model's answer, which UTF-8 cannot hold; the journal has it as it came
            stream.write(_LONE_SURROGATE.sub("\ufffd", line) + "\n")


def read_json_lines(path: Path | str, model: type[T]) -> list[T]:
    """Read a JSON Lines file into objects of the data model.

    Parameters
    ----------
    path
        UTF-8, one JSON object a line; blank lines are skipped.
    model
        The class of `records.model` that each line holds.

    Raises
    ------
    DataError
        Names the file, the line, the record and the key, and says what would be right.
    """
    items: list[T] = []
    for number, line in numbered_lines(path):
        try:
            items.append(model.model_validate_json(line))
            if _MAYBE_NO_NUMBER.search(line):
                strict_json(line)
        except ValidationError as error:
            raise DataError(explained(error), path, number, _identifier(line)) from None
        except ValueError as error:
            raise DataError(f"{error}.", path, number, _identifier(line)) from None
    return items


def strict_json(text: str) -> Any:
    """Decode JSON as the standard has it: without NaN, infinities and numbers too large to hold.

    Raises
    ------
    ValueError
        Says what is wrong; also for a value that is nested too deeply.
    """
    try:
        return json.loads(text, parse_constant=_refuse_number, parse_float=_finite)
    except RecursionError:
        raise ValueError("is nested too deeply") from None


def _finite(text: str) -> float:
    number = float(text)
    return number if math.isfinite(number) else _refuse_number(text)


def _refuse_number(text: str) -> NoReturn:
    raise ValueError(f"holds {text[:20]}, which is no JSON number; write a finite number, null or text")


def numbered_lines(path: Path | str) -> Iterator[tuple[int, str]]:
    """Give the lines of a UTF-8 text file that are not blank, each with its number from 1.

    Raises
    ------
    DataError
        If the file is missing or a line is not UTF-8.
    """
    try:
        stream = Path(path).open("rb")  # noqa: SIM115 -- the `with` below closes it
    except OSError as error:
        raise DataError(f"cannot be read ({error.strerror}).", path) from None
    with stream:
        for number, raw in enumerate(stream, start=1):
            try:
                line = raw.decode("utf-8-sig" if number == 1 else "utf-8").strip()
            except UnicodeDecodeError as error:
                raise DataError(
                    f"byte {error.start + 1} is not UTF-8; save the file as UTF-8.", path, number
                ) from None
            if line:
                yield number, line


def write_table(table: pd.DataFrame, path: Path | str) -> None:
    """Write a frame as Parquet or CSV, by the ending of `path`, whole or not at all."""
    with atomic_path(path) as beside:
        if Path(path).suffix == ".parquet":
            table.to_parquet(beside, index=False)
        else:
            table.to_csv(beside, index=False, lineterminator="\n")


def digest_of(value: Any) -> str:
    """SHA-256 of a JSON value in canonical form (sorted keys, no blanks), as hex."""
    text = json.dumps(value, sort_keys=True, ensure_ascii=False, separators=(",", ":"))
    # a lone surrogate in a model's answer must not stop the digest
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def _identifier(line: str) -> str | None:
    try:
        data = json.loads(line)
    except (ValueError, RecursionError):
        return None
    for key in ("id", "record_id", "item_id"):
        if isinstance(data, dict) and isinstance(data.get(key), str):
            return str(data[key])
    return None


def explained(error: ValidationError) -> str:
    """Say in a line what pydantic found, with the key as it is written in the file."""
    parts = []
    for entry in error.errors()[:5]:
        key = "".join(f"[{k}]" if isinstance(k, int) else f".{k}" for k in entry["loc"]).lstrip(".")
        message = entry["msg"].removeprefix("Value error, ")
        if entry["type"] == "extra_forbidden":
            message = "is not a key of this format; remove it or correct its spelling"
        elif entry["type"] == "missing":
            message = "is missing"
        elif entry["type"] == "json_invalid":
            return f"is not one JSON object ({message.removeprefix('Invalid JSON: ')})."
        parts.append(f"`{key}` {message}" if key else message)
    return "; ".join(parts) + "."
