import xml.etree.ElementTree as ET

import numpy as np
import pandas as pd
import pytest

from plumbline.tables.drawing import grouped_bars, heat_map, line_by_tier, svg_text

CURVES = pd.DataFrame(
    [
        ("with_gt", "easy", 91.0, 89.5, 92.5),
        ("with_gt", "hard", 84.0, 82.0, 86.5),
        ("without_gt", "easy", 88.0, None, None),
        ("without_gt", "hard", None, None, None),
    ],
    columns=["series", "tier", "mean", "lo", "hi"],
)
BARS = pd.DataFrame(
    [
        ("sequence", "one", 70.0, 65.0, 75.0),
        ("sequence", "two", None, None, None),
        ("query_coverage", "one", 81.2, 80.0, 83.0),
        ("query_coverage", "two", 66.6, 60.0, 70.0),
    ],
    columns=["group", "series", "value", "lo", "hi"],
)
MATRIX = pd.DataFrame([[61.0, np.nan], [93.0, 77.5]], index=["a", "b"], columns=["fan_in", "fan_out"])


def words(figure):
    svg = ET.fromstring(svg_text(figure))
    return ["".join(node.itertext()) for node in svg.iter("{http://www.w3.org/2000/svg}text")]


def test_a_line_runs_over_the_tiers_of_the_run_alone_with_its_intervals():
    figure = line_by_tier(CURVES, title="Falls")
    axes = figure.axes[0]
    assert [label.get_text() for label in axes.get_xticklabels()] == ["easy", "hard"]
    line = axes.containers[0]
    assert list(line.lines[0].get_ydata()) == [91.0, 84.0]
    reach = [sorted(segment[:, 1]) for segment in line.lines[2][0].get_segments()]
    assert reach == [[89.5, 92.5], [82.0, 86.5]]


def test_a_missing_point_is_named_below_the_lines():
    shown = words(line_by_tier(CURVES))
    assert "No value: without_gt (hard)." in shown
    assert "without_gt 88.0 (easy)" in shown


def test_bars_carry_their_numbers_and_a_missing_one_is_hatched():
    figure = grouped_bars(BARS)
    heights = sorted(bar.get_height() for bar in figure.axes[0].patches if not bar.get_hatch())
    assert heights == [66.6, 70.0, 81.2]
    assert sum(bool(bar.get_hatch()) for bar in figure.axes[0].patches) == 1
    assert {"70.0", "81.2", "66.6", "–", "one", "two"} <= set(words(figure))


def test_panels_of_bars_share_their_axis():
    frame = pd.concat([BARS.assign(panel="with_gt"), BARS.assign(panel="without_gt")])
    figure = grouped_bars(frame)
    assert [axes.get_title(loc="left") for axes in figure.axes] == ["with_gt", "without_gt"]
    assert figure.axes[0].get_ylim() == figure.axes[1].get_ylim()


def test_a_heat_map_writes_every_number_and_hatches_the_missing_one():
    figure = heat_map(MATRIX, title="Heat", label="alignment (%)")
    assert {"61.0", "93.0", "77.5", "–", "a", "b", "Heat", "alignment (%)"} <= set(words(figure))
    assert [patch.get_xy() for patch in figure.axes[0].patches if patch.get_hatch()] == [(1, 0)]


def test_colours_of_differences_have_their_middle_at_zero():
    figure = heat_map(MATRIX - 70, value_format="+.1f")
    mesh = figure.axes[0].collections[0]
    assert mesh.norm.vmin == -mesh.norm.vmax == -23.0


@pytest.mark.parametrize(
    "figure",
    [
        line_by_tier(CURVES.assign(mean=np.nan), title="T"),
        grouped_bars(BARS.assign(value=np.nan), title="T"),
        heat_map(MATRIX * np.nan, title="T"),
        heat_map(pd.DataFrame(), title="T"),
        line_by_tier(CURVES[:0], title="T"),
        grouped_bars(BARS[:0], title="T"),
    ],
)
def test_a_figure_without_values_says_so(figure):
    assert words(figure) == ["No value to draw: see the coverage table.", "T"]


def test_equal_figures_are_equal_bytes_and_their_words_are_text():
    one, two = (svg_text(heat_map(MATRIX, title="Cost $x$ <b>")) for _ in range(2))
    assert one == two
    assert "<dc:date>" not in one
    assert "Cost $x$ <b>" in words(heat_map(MATRIX, title="Cost $x$ <b>"))
