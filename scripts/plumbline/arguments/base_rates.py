"""How many values of each path are right (D8)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

import pandas as pd

from plumbline.records.arguments import PATHS, ArgumentItem

LABELS = ("correct", "wrong", "unlabelled")


def base_rates(items: Iterable[ArgumentItem]) -> pd.DataFrame:
    """Count the items of each path by label.

    Parameters
    ----------
    items
        Of one data set or of several.

    Returns
    -------
    DataFrame
        A row for each data set, in the order of the items, and path, in the order of `PATHS`: `dataset`,
        `path`, `correct`, `wrong`, `unlabelled`, `share_correct` (percent of the labelled ones, missing if
        there is none), `short` (at most three characters) and `cut`: right values that stand in a return
        which is shown, but cut before them; only those of the path `history_only` can be.

    Notes
    -----
    Item D8.
    """
    items = list(items)
    labels: Counter[tuple[str, str, str]] = Counter((i.dataset, i.path, i.label) for i in items)
    short: Counter[tuple[str, str]] = Counter((item.dataset, item.path) for item in items if item.short)
    held = (item for item in items if item.cut and item.label == "correct")
    cut: Counter[tuple[str, str]] = Counter((item.dataset, item.path) for item in held)
    rows = []
    for dataset in dict.fromkeys(item.dataset for item in items):
        for path in PATHS:
            counts = {label: labels[dataset, path, label] for label in LABELS}
            labelled = counts["correct"] + counts["wrong"]
            rows.append(
                {
                    "dataset": dataset,
                    "path": path,
                    **counts,
                    "share_correct": 100 * counts["correct"] / labelled if labelled else float("nan"),
                    "short": short[dataset, path],
                    "cut": cut[dataset, path],
                }
            )
    columns = ["dataset", "path", *LABELS, "share_correct", "short", "cut"]
    return pd.DataFrame(rows, columns=columns)
