"""Statistics on arrays: matches, intervals by resampling, agreement. Knows nothing of judges or files."""

from plumbline.statistics.agreement import cohen_kappa, confusion, discretise, exact_agreement, spearman
from plumbline.statistics.alignment import alignment, binary_collapse, jury, matches
from plumbline.statistics.resampling import Interval, Resampling, bootstrap_interval, interval_bounds
from plumbline.statistics.value import Value

__all__ = [
    "Interval",
    "Resampling",
    "Value",
    "alignment",
    "binary_collapse",
    "bootstrap_interval",
    "cohen_kappa",
    "confusion",
    "discretise",
    "exact_agreement",
    "interval_bounds",
    "jury",
    "matches",
    "spearman",
]
