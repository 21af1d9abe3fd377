"""Reading the JSON and JSON Lines files of data sets as they were released."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from plumbline.records.errors import DataError
from plumbline.records.files import numbered_lines, strict_json

_LONE_SURROGATE = re.compile("[\ud800-\udfff]")


def read_json(path: Path) -> Any:
    """Read a JSON file.

    Returns
    -------
    any JSON value
        Half of a character that was cut in two (a lone surrogate) is replaced by U+FFFD.

    Raises
    ------
    DataError
        If the file cannot be read, is not UTF-8 or no JSON.
    """
    try:
        text = path.read_text(encoding="utf-8-sig")
    except OSError as error:
        raise DataError(f"cannot be read ({error.strerror}).", path) from None
    except UnicodeDecodeError as error:
        raise DataError(f"byte {error.start + 1} is not UTF-8; save the file as UTF-8.", path) from None
    try:
        return whole_characters(strict_json(text))
    except ValueError as error:
        raise DataError(f"is no JSON: {error}.", path) from None


def read_objects(path: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    """Give the objects of a file, each with its place for messages (``line 3`` or ``entry 3``, from 1).

    Parameters
    ----------
    path
        A JSON file that holds a list of objects, or JSON Lines.

    Raises
    ------
    DataError
        If the file is neither, or an entry is no object; names the line or entry.
    """
    for place, value in _entries(path):
        if not isinstance(value, dict):
            raise DataError(f"{place} is no JSON object; each entry must be one.", path)
        yield place, value


def _entries(path: Path) -> Iterator[tuple[str, Any]]:
    lines = numbered_lines(path)
    first = next(lines, None)
    if first is None:
        raise DataError("is empty; it must hold JSON objects.", path)
    if first[1].startswith("["):
        data = read_json(path)
        for number, value in enumerate(data if isinstance(data, list) else [data], start=1):
            yield f"entry {number}", value
        return
    for number, line in [first, *lines]:
        try:
            yield f"line {number}", whole_characters(strict_json(line))
        except ValueError as error:
            raise DataError(f"is no JSON object: {error}. Write one a line.", path, number) from None


def whole_characters(value: Any) -> Any:
    """Replace lone surrogates in the strings and keys of a JSON value; no UTF-8 file can hold them."""
    if isinstance(value, str):
        return _LONE_SURROGATE.sub("\ufffd", value)
    if isinstance(value, list):
        return [whole_characters(member) for member in value]
    if isinstance(value, dict):
        return {whole_characters(key): whole_characters(member) for key, member in value.items()}
    return value
