"""The three kinds of figure, in one style: lines over tiers, grouped bars, heat maps.

Figures are made without pyplot, so that nothing global changes, and `svg_text` gives the same bytes for the
same data.
"""

from __future__ import annotations

import io
from typing import Any

import matplotlib as mpl
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from plumbline.records.model import TIERS
from plumbline.tables.style import FAINT_EDGE, INK, MARKERS, PALETTE, SOFT, STYLE


def svg_text(figure: Figure) -> str:
    """Give a figure as SVG with its words as text; equal figures give equal bytes."""
    stream = io.BytesIO()
    with mpl.rc_context(STYLE):
        figure.savefig(stream, format="svg", metadata={"Date": None, "Creator": "plumbline"})
    return stream.getvalue().decode("utf-8")


def line_by_tier(
    frame: pd.DataFrame, *, ylabel: str = "alignment (%)", title: str = "", digits: int = 1
) -> Figure:
    """Draw one line per series over the difficulty tiers, with intervals.

    Parameters
    ----------
    frame
        Columns `series`, `tier`, `mean`, `lo`, `hi`; one row per series and tier. Nulls are allowed in the
        last three: a missing mean breaks the line and is named below the figure, a missing bound leaves out
        the interval. Series keep the order in which they come.
    ylabel, title
        Words of the axis and of the figure.
    digits
        Decimals of the number beside the end of each line.

    Returns
    -------
    matplotlib.figure.Figure
        The x axis holds only the tiers that occur.
    """
    series = list(dict.fromkeys(frame["series"]))
    tiers = [tier for tier in TIERS if tier in set(frame["tier"])]
    known = frame[frame["mean"].notna()]
    if known.empty:
        return nothing(title)
    with mpl.rc_context(STYLE):
        figure = Figure(figsize=(3.4 + 1.5 * len(tiers), 4.2), layout="constrained")
        axes = figure.subplots()
        ends = []
        for place, name in enumerate(series):
            values = frame[frame["series"] == name].set_index("tier").reindex(tiers)
            end = _line(axes, values, place, len(series))
            if end is not None:
                where = "" if end[0] > len(tiers) - 1.5 else f" ({tiers[round(end[0])]})"
                ends.append((*end, f"{name} {end[1]:.{digits}f}{where}", colour(place)))
        axes.set_xticks(range(len(tiers)), tiers)
        axes.set_xlim(-0.3, len(tiers) - 0.7)
        axes.set_ylabel(ylabel)
        axes.set_title(title)
        limit(axes, known[["mean", "lo", "hi"]].to_numpy(float))
        _label_ends(axes, ends)
        missing = frame[frame["mean"].isna()]
        say_missing(figure, [f"{row.series} ({row.tier})" for row in missing.itertuples()])
    return figure


def grouped_bars(
    frame: pd.DataFrame,
    *,
    ylabel: str = "alignment (%)",
    title: str = "",
    digits: int = 1,
    bounds: tuple[float, float] | None = None,
) -> Figure:
    """Draw bars side by side, one group after the other, with intervals and numbers.

    Parameters
    ----------
    frame
        Columns `group`, `series`, `value` and, where there are intervals, `lo` and `hi`; with a column
        `panel`, one panel per value, stacked, sharing both axes. Groups, series and panels keep the order in
        which they come. A missing value is a hatched bar with a dash.
    ylabel, title
        Words of the axis and of the figure.
    digits
        Decimals of the numbers on the bars.
    bounds
        Ends of the y axis; from the data and 0 if None.

    Returns
    -------
    matplotlib.figure.Figure
    """
    if frame["value"].notna().sum() == 0:
        return nothing(title)
    panels = list(dict.fromkeys(frame["panel"])) if "panel" in frame else [None]
    groups, series = list(dict.fromkeys(frame["group"])), list(dict.fromkeys(frame["series"]))
    bars = len(groups) * len(series)
    with mpl.rc_context(STYLE):
        size = (min(max(4.8, 1.6 + 0.34 * bars + 0.3 * len(groups)), 13), 0.9 + 3.1 * len(panels))
        figure = Figure(figsize=size, layout="constrained")
        grid = figure.subplots(len(panels), squeeze=False, sharex=True, sharey=True)[:, 0]
        low, high = bounds or _bar_bounds(frame)
        for axes, panel in zip(grid, panels, strict=True):
            rows = frame if panel is None else frame[frame["panel"] == panel]
            for place, name in enumerate(series):
                values = rows[rows["series"] == name].set_index("group").reindex(groups)
                _bars(axes, values, place, len(series), (low, high), digits if bars <= 60 else None)
            axes.set_ylim(low, high + 0.1 * (high - low))
            axes.axhline(0, color=SOFT, linewidth=0.8)
            axes.set_ylabel(ylabel)
            axes.set_title("" if panel is None else str(panel), fontsize=10.5)
        _name_columns(figure, grid[-1], list(range(len(groups))), groups)
        if len(series) > 1:
            _legend(figure, grid[0], series)
        figure.suptitle(title, x=0.01, ha="left", fontsize=12, fontweight="bold")
    return figure


def heat_map(
    frame: pd.DataFrame,
    *,
    title: str = "",
    label: str = "",
    value_format: str = ".1f",
    vmin: float | None = None,
    vmax: float | None = None,
) -> Figure:
    """Draw a matrix with its numbers.

    Parameters
    ----------
    frame
        Numbers; the index names the rows, the columns the columns. A null is a hatched cell with a dash.
    title, label
        Words of the figure and of the colour bar.
    value_format
        Format of the numbers, as after the colon in an f-string.
    vmin, vmax
        Ends of the colours; from the data if None. If the two have different signs, the colours diverge
        from 0 (purple above, orange below).

    Returns
    -------
    matplotlib.figure.Figure
    """
    values = frame.to_numpy(dtype=float, na_value=np.nan)
    if not np.isfinite(values).any():
        return nothing(title)
    low = float(np.nanmin(values)) if vmin is None else vmin
    high = float(np.nanmax(values)) if vmax is None else vmax
    if low < 0 < high:
        high = max(-low, high)
        low = -high
    rows, columns = values.shape
    with mpl.rc_context({**STYLE, "axes.grid": False, "axes.spines.bottom": False}):
        size = (max(4.6, 2.6 + 0.95 * columns), max(2.4, 1.5 + 0.46 * rows))
        figure = Figure(figsize=size, layout="constrained")
        axes = figure.subplots()
        colours = mpl.colormaps["PuOr" if low < 0 < high else "YlGnBu"]
        span = mpl.colors.Normalize(low, high if high > low else low + 1)
        mesh = axes.pcolormesh(
            np.ma.masked_invalid(values), cmap=colours, norm=span, edgecolors="white", linewidth=2
        )
        _write_cells(axes, values, value_format, colours, span)
        axes.set_yticks(np.arange(rows) + 0.5, [str(name) for name in frame.index])
        axes.tick_params(axis="y", labelcolor=INK)
        axes.invert_yaxis()
        _name_columns(figure, axes, [place + 0.5 for place in range(columns)], list(frame.columns))
        bar = figure.colorbar(mesh, ax=axes, pad=0.02, aspect=24)
        bar.outline.set_visible(False)
        bar.set_label(label)
        figure.suptitle(title, x=0.01, ha="left", fontsize=12, fontweight="bold")
    return figure


def colour(place: int) -> str:
    """Give the colour of a series by its place."""
    return PALETTE[place % len(PALETTE)]


def nothing(title: str) -> Figure:
    """Say that there is nothing to draw, so that a figure with no values is not taken for a broken one."""
    with mpl.rc_context(STYLE):
        figure = Figure(figsize=(5.4, 2.2), layout="constrained")
        axes = figure.subplots()
        axes.set_axis_off()
        axes.set_title(title)
        axes.text(0.5, 0.5, "No value to draw: see the coverage table.", ha="center", va="center", color=SOFT)
    return figure


def _line(axes: Axes, values: pd.DataFrame, place: int, count: int) -> tuple[float, float] | None:
    """Draw one series; give the place of its last known point."""
    mean = values["mean"].to_numpy(float)
    at = np.arange(len(mean)) + 0.05 * (place - (count - 1) / 2)
    below, above = (np.abs(values[name].to_numpy(float) - mean) for name in ("lo", "hi"))
    dashes = "solid" if place < len(PALETTE) else "dashed"
    axes.errorbar(
        at,
        mean,
        yerr=np.vstack([below, above]),
        color=colour(place),
        marker=MARKERS[place % len(MARKERS)],
        linestyle=dashes,
        linewidth=2,
        markersize=6,
        markeredgecolor="white",
        elinewidth=1.2,
        capsize=3,
    )
    known = np.flatnonzero(np.isfinite(mean))
    return (float(at[known[-1]]), float(mean[known[-1]])) if len(known) else None


def _label_ends(axes: Axes, ends: list[tuple[float, float, str, str]]) -> None:
    """Write each series' name beside its end, moved apart where two would overlap."""
    low, high = axes.get_ylim()
    step = 0.062 * (high - low)
    height = [0.0] * len(ends)
    last = -np.inf
    order = sorted(range(len(ends)), key=lambda place: ends[place][1])
    for place in order:
        height[place] = last = max(ends[place][1], last + step)
    surplus = max(0.0, last - high)
    edge = axes.get_xlim()[1]
    for (x, y, text, colour), where in zip(ends, height, strict=True):
        axes.annotate(
            text,
            xy=(x, y),
            xytext=(edge, where - surplus),
            color=colour,
            va="center",
            fontsize=9.5,
            annotation_clip=False,
            arrowprops={"arrowstyle": "-", "color": colour, "linewidth": 0.6, "alpha": 0.6},
        )


def limit(axes: Axes, numbers: np.ndarray) -> None:
    """Leave air above and below the data, but do not blow up a difference of less than 5."""
    low, high = float(np.nanmin(numbers)), float(np.nanmax(numbers))
    spare = max(0.08 * (high - low), (5 - (high - low)) / 2, 0.5)
    axes.set_ylim(low - spare, high + spare)


def _bar_bounds(frame: pd.DataFrame) -> tuple[float, float]:
    columns = [name for name in ("value", "lo", "hi") if name in frame]
    numbers = frame[columns].to_numpy(float)
    return min(0.0, float(np.nanmin(numbers))), max(0.0, float(np.nanmax(numbers))) or 1.0


def _bars(
    axes: Axes,
    values: pd.DataFrame,
    place: int,
    count: int,
    bounds: tuple[float, float],
    digits: int | None,
) -> None:
    """Draw one series' bars, its intervals and its numbers."""
    width = 0.84 / count
    at = np.arange(len(values)) + width * (place - (count - 1) / 2)
    value = values["value"].to_numpy(float)
    known = np.isfinite(value)
    axes.bar(at[known], value[known], 0.92 * width, color=colour(place))
    floor = max(0.0, bounds[0])
    blank = 0.5 * (bounds[1] - floor)
    axes.bar(at[~known], blank, 0.92 * width, bottom=floor, color="none", edgecolor=FAINT_EDGE, hatch="////")
    top = value.copy()
    if {"lo", "hi"} <= set(values.columns):
        lo, hi = values["lo"].to_numpy(float), values["hi"].to_numpy(float)
        sides = np.abs(np.vstack([value - lo, hi - value]))[:, known]
        axes.errorbar(
            at[known], value[known], yerr=sides, fmt="none", ecolor=INK, elinewidth=1, capsize=2, alpha=0.8
        )
        top = np.where(np.isfinite(hi), hi, value)
    size = 8.0 if count * len(values) <= 24 else 6.5
    for x, number, height in zip(at, value, top, strict=True):
        if not np.isfinite(number):
            axes.text(x, floor + blank, "–", ha="center", va="bottom", fontsize=size, color=SOFT)
        elif digits is not None:
            axes.annotate(
                f"{number:.{digits}f}",
                (x, max(height, 0.0)),
                xytext=(0, 2),
                textcoords="offset points",
                ha="center",
                va="bottom",
                fontsize=size,
                color=SOFT,
            )


def _legend(figure: Figure, axes: Axes, series: list[Any]) -> None:
    handles = [mpl.patches.Patch(color=colour(place)) for place in range(len(series))]
    figure.legend(handles, list(map(str, series)), loc="outside lower left", ncols=min(len(series), 4))


def _write_cells(axes: Axes, values: np.ndarray, value_format: str, colours: Any, span: Any) -> None:
    """Write each number in the ink that its cell's colour lets one read; hatch what is missing."""
    for (row, column), value in np.ndenumerate(values):
        if np.isfinite(value):
            red, green, blue, _ = colours(span(value))
            ink = "white" if 0.299 * red + 0.587 * green + 0.114 * blue < 0.55 else INK
            text = format(value, value_format)
        else:
            ink, text = SOFT, "–"
            axes.add_patch(
                mpl.patches.Rectangle(
                    (column, row), 1, 1, facecolor="#f4f6f8", edgecolor=FAINT_EDGE, hatch="////", linewidth=0
                )
            )
        axes.text(column + 0.5, row + 0.5, text, ha="center", va="center", color=ink, fontsize=9)


def _name_columns(figure: Figure, axes: Axes, places: list[float], names: list[Any]) -> None:
    """Write the x labels, broken between words or slanted if side by side they would touch."""
    room = 0.72 * figure.get_size_inches()[0] * 72 / max(len(names), 1)
    words = [str(name) for name in names]
    if max((len(word) for word in words), default=0) * 6.2 > room:
        words = [word.replace("_", "_\n").replace(" ", "\n") for word in words]
    axes.set_xticks(places, words)
    if max((len(line) for word in words for line in word.split("\n")), default=0) * 6.2 > room:
        for text in axes.get_xticklabels():
            text.set(rotation=25, ha="right", rotation_mode="anchor")


def say_missing(figure: Figure, names: list[str]) -> None:
    """Name below a figure what has no value."""
    if names:
        shown = ", ".join(names[:6]) + (f" and {len(names) - 6} more" if len(names) > 6 else "")
        figure.supxlabel(f"No value: {shown}.", fontsize=8.5, color=SOFT, x=0.01, ha="left")
