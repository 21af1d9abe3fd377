"""How all figures look: colours, marks, sizes."""

from __future__ import annotations

from typing import Any

PALETTE = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#5B5B5B", "#8C6D1F")
"""Okabe and Ito's colours, told apart with any colour vision; yellow is left out, white paper hides it."""

MARKERS = ("o", "s", "^", "D", "v", "P", "X", "*")
INK, SOFT, FAINT = "#1d2733", "#5b6672", "#dde2e8"
FAINT_EDGE = "#c3cad2"
"""Outline of a bar or a cell without a value."""

STYLE: Any = {
    "axes.axisbelow": True,
    "axes.edgecolor": SOFT,
    "axes.grid": True,
    "axes.grid.axis": "y",
    "axes.labelcolor": SOFT,
    "axes.labelsize": 10,
    "axes.spines.left": False,
    "axes.spines.right": False,
    "axes.spines.top": False,
    "axes.titlelocation": "left",
    "axes.titlepad": 12,
    "axes.titlesize": 12,
    "axes.titleweight": "bold",
    "figure.facecolor": "white",
    "font.family": ["DejaVu Sans"],
    "font.size": 10,
    "grid.color": FAINT,
    "grid.linewidth": 0.8,
    "hatch.color": "#b4bdc7",
    "hatch.linewidth": 0.8,
    "legend.frameon": False,
    "legend.fontsize": 9.5,
    "svg.fonttype": "none",
    "svg.hashsalt": "plumbline",
    "text.color": INK,
    # names come from configs: a dollar sign is a dollar sign
    "text.parse_math": False,
    "xtick.color": SOFT,
    "xtick.labelcolor": INK,
    "xtick.major.size": 0,
    "ytick.color": SOFT,
    "ytick.major.size": 0,
}
