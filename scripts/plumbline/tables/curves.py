"""A figure of curves over a number, for instance over the temperature of a judge."""

from __future__ import annotations

import matplotlib as mpl
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from plumbline.tables.drawing import colour, limit, nothing, say_missing
from plumbline.tables.style import MARKERS, STYLE


def curves(frame: pd.DataFrame, *, xlabel: str, ylabel: str = "alignment (%)", title: str = "") -> Figure:
    """Draw one curve per series over a number, one panel beside the other.

    Parameters
    ----------
    frame
        Columns `panel`, `series`, `x`, `mean`, `lo`, `hi`; the last three may be null: a missing mean breaks
        the curve and is named below the figure, a missing bound leaves out the interval. Panels and series
        keep the order in which they come.
    xlabel, ylabel, title
        Words of the axes and of the figure.

    Returns
    -------
    matplotlib.figure.Figure
        All panels share both axes; the x axis has a mark at every number that occurs.
    """
    known = frame[frame["mean"].notna()]
    if known.empty:
        return nothing(title)
    panels, series = list(dict.fromkeys(frame["panel"])), list(dict.fromkeys(frame["series"]))
    across = min(len(panels), 2)
    down = -(-len(panels) // across)
    with mpl.rc_context(STYLE):
        figure = Figure(figsize=(1.6 + 3.4 * across, 1.1 + 3.1 * down), layout="constrained")
        grid = figure.subplots(down, across, squeeze=False, sharex=True, sharey=True)
        for axes, panel in zip(grid.flat, panels, strict=False):
            _panel(axes, frame[frame["panel"] == panel], series)
            axes.set_title(str(panel), fontsize=10.5)
        for axes in list(grid.flat)[len(panels) :]:
            axes.set_axis_off()
        for axes in list(grid.flat)[max(len(panels) - across, 0) : len(panels)]:
            axes.tick_params(axis="x", labelbottom=True)
            axes.set_xlabel(xlabel)
        marks = sorted(set(frame["x"]))
        grid[0, 0].set_xticks(marks, [f"{mark:g}" for mark in marks])
        limit(grid[0, 0], known[["mean", "lo", "hi"]].to_numpy(float))
        for axes in grid[:, 0]:
            axes.set_ylabel(ylabel)
        figure.suptitle(title, x=0.01, ha="left", fontsize=12, fontweight="bold")
        handles, labels = grid[0, 0].get_legend_handles_labels()
        figure.legend(handles, labels, loc="outside upper right", ncols=min(len(series), 4))
        missing = frame[frame["mean"].isna()]
        names = [f"{row.series} at {row.x:g} ({row.panel})" for row in missing.itertuples()]
        say_missing(figure, names)
    return figure


def _panel(axes: Axes, rows: pd.DataFrame, series: list[str]) -> None:
    """Draw the curves of one panel."""
    # side by side, so that equal points and their intervals can both be seen
    step = 0.015 * (np.ptp(rows["x"]) or 1.0)
    for place, name in enumerate(series):
        values = rows[rows["series"] == name].sort_values("x")
        mean = values["mean"].to_numpy(float)
        below, above = (np.abs(values[bound].to_numpy(float) - mean) for bound in ("lo", "hi"))
        axes.errorbar(
            values["x"].to_numpy(float) + step * (place - (len(series) - 1) / 2),
            mean,
            yerr=np.vstack([below, above]),
            label=str(name),
            color=colour(place),
            marker=MARKERS[place % len(MARKERS)],
            linewidth=2,
            markersize=6,
            markeredgecolor="white",
            elinewidth=1.2,
            capsize=3,
        )
