"""The CSV files of a run's tables, as the pages that are made of them read them."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import pandas as pd

from plumbline.records import UserError

NAMES = (
    *("judge", "judge_a", "judge_b", "generator", "tier", "condition", "name", "scheme", "weight"),
    *("dataset", "input", "against", "path", "reference", "thinking_judge", "model", "without"),
)
"""Columns that hold names: a judge may be called `4` or `nan`."""


def named_tables(options: Iterable[str]) -> dict[str, list[pd.DataFrame]]:
    """Read tables given as ``NAME=CSV``; a name may come several times, once for each block.

    Parameters
    ----------
    options
        Values of an option `--table`.

    Returns
    -------
    dict of str to list of pandas.DataFrame
        By name, in the order given.

    Raises
    ------
    UserError
        If an option is not of this form, or its file is missing.
    """
    found: dict[str, list[pd.DataFrame]] = {}
    for text in options:
        name, sign, file = text.partition("=")
        if not sign or not Path(file).is_file():
            raise UserError(f"--table {text}: write NAME=FILE with a CSV file that exists.")
        found.setdefault(name, []).append(_read(file))
    return found


def _read(file: str) -> pd.DataFrame:
    # only an empty field is missing
    return pd.read_csv(file, dtype=dict.fromkeys(NAMES, str), keep_default_na=False, na_values=[""])
