"""Errors that a user can mend; everything else is a bug and may show its traceback."""

from __future__ import annotations

from pathlib import Path


class UserError(Exception):
    """Something a user must mend: the message says what is wrong and what would be right."""


class DataError(UserError):
    """A line of a file does not hold what it should.

    Parameters
    ----------
    message
        What is wrong and what would be right, one or two sentences.
    path, line
        Where; `line` counts from 1.
    record
        Identifier of the object on that line, if it is known.
    """

    def __init__(
        self,
        message: str,
        path: Path | str | None = None,
        line: int | None = None,
        record: str | None = None,
    ) -> None:
        where = str(path) if path is not None else ""
        if line is not None:
            where += f", line {line}" if where else f"line {line}"
        if record is not None:
            where += f" (record {record})" if where else f"record {record}"
        super().__init__(f"{where}: {message}" if where else message)
