"""Whether judges of near capability agree more than judges far apart (A31)."""

from __future__ import annotations

from dataclasses import dataclass

import matplotlib as mpl
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from numpy.typing import NDArray
from scipy.stats import spearmanr

from plumbline.statistics import Interval
from plumbline.statistics.pairwise import distance_correlation, distance_correlations
from plumbline.statistics.resampling import summarise
from plumbline.tables.alignment import NAMES
from plumbline.tables.drawing import nothing
from plumbline.tables.inputs import Inputs
from plumbline.tables.pairs import Pairs, pair_notes, pairs_of
from plumbline.tables.result import Column, TableResult
from plumbline.tables.style import INK, PALETTE, SOFT, STYLE

Floats = NDArray[np.float64]

COLUMNS = {
    "condition": NAMES["condition"],
    "judges": Column("Judges", digits=0, help="Judges inside the means that have a rank."),
    "pairs": Column("Pairs", digits=0, help="Pairs of them that have a kappa."),
    "rho": Column("Spearman's rho", digits=3, help="Distance of ranks with kappa; below 0: near ones agree."),
    "rho_lo": Column("From", digits=3, help="Lower bound of its interval, records resampled."),
    "rho_hi": Column("To", digits=3, help="Upper bound of its interval."),
    "p": Column("p", digits=4, help="Ranks exchanged between judges, two-sided."),
    "p_pairs": Column("p, pairs", digits=4, help="As if pairs were independent, which they are not."),
}


@dataclass(frozen=True)
class Separation:
    """Pairs of ranked judges that have a kappa: their names, their distance, their kappa."""

    judges: list[str]
    ranks: list[float]
    positions: NDArray[np.intp]
    distances: Floats
    kappas: Floats
    chosen: NDArray[np.intp]

    @classmethod
    def of(cls, pairs: Pairs) -> Separation:
        """Take the pairs of judges inside the means that both have a rank."""
        tiers = pairs.inputs.config.judge_tiers
        outside = pairs.inputs.config.agreement.outside
        judges = [judge for judge in pairs.judges if judge in tiers and judge not in outside]
        kappa = pairs.values("kappa")
        chosen = [
            place
            for place, pair in enumerate(pairs.names)
            if set(pair) <= set(judges) and not np.isnan(kappa[place])
        ]
        positions = [[judges.index(judge) for judge in pairs.names[place]] for place in chosen]
        ranks = [tiers[judge] for judge in judges]
        index = np.array(positions, dtype=np.intp).reshape(-1, 2)
        order = np.array(ranks)
        distances = np.abs(order[index[:, 0]] - order[index[:, 1]]) if len(index) else np.empty(0)
        return cls(judges, ranks, index, distances, kappa[chosen], np.array(chosen, dtype=np.intp))


def separation_table(inputs: Inputs) -> TableResult:
    """Rank correlation of the distance between two judges' tiers with their kappa (A31, C-A17).

    Returns
    -------
    TableResult
        One row per condition: `condition`, `judges`, `pairs`, `rho`, `rho_lo`, `rho_hi`, `p` (judges' ranks
        exchanged), `p_pairs` (pairs taken as independent), `reason`.
    """
    rows = [
        {"condition": condition, **_correlation(inputs, pairs)}
        for condition, pairs in pairs_of(inputs).items()
    ]
    frame = pd.DataFrame(rows, columns=[*COLUMNS, "reason"])
    numbers = ["rho", "rho_lo", "rho_hi", "p", "p_pairs"]
    frame[numbers] = frame[numbers].astype(float)
    return TableResult(frame, COLUMNS, (*_rank_notes(inputs), *pair_notes(inputs)))


def separation_figure(inputs: Inputs) -> Figure:
    """Draw kappa against the distance of tiers, a panel for each condition, extremes by name (A31)."""
    found = {condition: (pairs, Separation.of(pairs)) for condition, pairs in pairs_of(inputs).items()}
    title = "Kappa by distance of the judges' tiers"
    if not any(len(each.chosen) for _, each in found.values()):
        return nothing(title)
    with mpl.rc_context(STYLE):
        figure = Figure(figsize=(1.6 + 4.0 * len(found), 4.2), layout="constrained")
        panels = figure.subplots(1, len(found), squeeze=False, sharey=True)[0]
        for place, (axes, (condition, (pairs, each))) in enumerate(zip(panels, found.items(), strict=True)):
            _points(axes, pairs, each, PALETTE[place % len(PALETTE)])
            axes.set_title(condition, fontsize=10.5)
            axes.set_xlabel("distance of tiers")
        panels[0].set_ylabel("kappa")
        figure.suptitle(title, x=0.01, ha="left", fontsize=12, fontweight="bold")
    return figure


def _correlation(inputs: Inputs, pairs: Pairs) -> dict[str, object]:
    each = Separation.of(pairs)
    counts: dict[str, object] = {"judges": len(each.judges), "pairs": len(each.chosen)}
    if len(each.chosen) < 3:
        return counts | {"reason": "fewer than three pairs of ranked judges with a kappa"}
    seed = inputs.config.bootstrap.seed
    rho, p = distance_correlation(each.ranks, each.positions, each.kappas, seed)
    if rho.value is None:
        return counts | {"reason": "all distances, or all kappas, are equal"}
    drawn = distance_correlations(each.distances, pairs.drawn("kappa")[:, each.chosen])
    interval = _interval(inputs, rho.value, drawn, pairs)
    return counts | {
        "rho": rho.value,
        "rho_lo": interval.low,
        "rho_hi": interval.high,
        "p": p,
        "p_pairs": float(spearmanr(each.distances, each.kappas).pvalue),
        "reason": None if interval.low is not None else "one record alone gives no interval",
    }


def _interval(inputs: Inputs, rho: float, drawn: Floats, pairs: Pairs) -> Interval:
    settings = inputs.config.bootstrap
    units = int((pairs.counts.sum(axis=(1, 2, 3)) > 0).sum())
    if np.isnan(drawn).all():
        units = min(units, 1)
    return summarise(rho, drawn, units, settings.level, settings.percentile)


def _rank_notes(inputs: Inputs) -> list[str]:
    tiers = inputs.config.judge_tiers
    ranked = [judge for judge in inputs.panel if judge in tiers]
    notes = []
    if ranked:
        told = ", ".join(f"{judge} {tiers[judge]:g}" for judge in sorted(ranked, key=tiers.__getitem__))
        notes.append(f"Ranks (`judge_tiers`): {told}.")
    missing = [judge for judge in inputs.panel if judge not in tiers]
    if missing:
        notes.append(f"Without a rank in `judge_tiers` and left out: {', '.join(missing)}.")
    return notes


def _points(axes: Axes, pairs: Pairs, each: Separation, colour: str) -> None:
    """Draw all pairs and their means by distance; name the highest and the lowest."""
    axes.scatter(each.distances, each.kappas, s=34, color=colour, edgecolor="white", zorder=3)
    steps = np.unique(each.distances)
    means = [each.kappas[each.distances == step].mean() for step in steps]
    axes.plot(steps, means, color=colour, linewidth=1.4, alpha=0.5)
    axes.set_xticks(steps)
    axes.margins(x=0.18, y=0.2)
    if not len(each.chosen):
        return
    for place, side in {int(each.kappas.argmax()): 9, int(each.kappas.argmin()): -9}.items():
        a, b = pairs.names[each.chosen[place]]
        middle = (each.distances.min() + each.distances.max()) / 2
        axes.annotate(
            f"{a}\n{b}",
            (each.distances[place], each.kappas[place]),
            xytext=(0, side),
            textcoords="offset points",
            ha="left" if each.distances[place] <= middle else "right",
            va="bottom" if side > 0 else "top",
            fontsize=8,
            color=INK if len(each.chosen) > 1 else SOFT,
        )
