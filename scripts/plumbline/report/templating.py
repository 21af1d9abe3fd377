"""How pages are put together: templates with escaping always on, numbers written one way."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import ROUND_HALF_UP, Decimal
from typing import Any

import numpy as np
import pandas as pd
from jinja2 import Environment, PackageLoader, StrictUndefined

MINUS = "\u2212"

# everything is escaped, also what a model wrote: nothing in a page is marked safe
_TEMPLATES = Environment(
    loader=PackageLoader("plumbline.report"),
    autoescape=True,
    undefined=StrictUndefined,
    trim_blocks=True,
    lstrip_blocks=True,
)


def render(template: str, **words: Any) -> str:
    """Fill a template of this room; every value is escaped."""
    return _TEMPLATES.get_template(template).render(**words)


def is_missing(value: Any) -> bool:
    """Whether a cell holds no value: None, NaN or NA."""
    return bool(pd.api.types.is_scalar(value) and pd.isna(value))


def is_number(value: Any) -> bool:
    """Whether a cell holds a number; a Boolean is a word."""
    return isinstance(value, (int, float, np.integer, np.floating)) and not isinstance(value, bool)


def number(value: float, digits: int | None = None, signed: bool = False) -> str:
    """Write a number with fixed decimals, halves rounded up (away from 0), and a true minus sign.

    Parameters
    ----------
    value
        Finite.
    digits
        Decimals; None writes the number as it is.
    signed
        Whether a number above 0 gets a plus.

    Notes
    -----
    Items C-A9 and C-A31: rounding only in print, half up.
    """
    exact = Decimal(str(value))
    if digits is not None:
        exact = exact.quantize(Decimal(1).scaleb(-digits), rounding=ROUND_HALF_UP)
    text = f"{exact:f}" if exact else f"{abs(exact):f}"
    if digits is None and text.endswith(".0"):
        text = text.removesuffix(".0")
    return ("+" if signed and exact > 0 else "") + text.replace("-", MINUS)


def counted(count: int, noun: str) -> str:
    """Write a count with its noun: 1 judge, 2 judges."""
    return f"{count:,} {noun}" if count == 1 else f"{count:,} {noun}s"


def joined(names: Sequence[str]) -> str:
    """Write names as in a sentence: a, b and c."""
    return " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)
