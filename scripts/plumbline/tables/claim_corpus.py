"""How a run gets its own number for a claim about the corpus or its rewrites (A1, A49)."""

from __future__ import annotations

from plumbline.records import TOPOLOGIES
from plumbline.tables.claims import Found, NotRunError, Results, one, several


def tools_per_record(results: Results) -> Found:
    """Give the fewest and the most tools of a record."""
    row = {"quantity": "available_tools_per_record"}
    return several(results.value("structure_stats", column, **row) for column in ("min", "max"))


def triplets(results: Results) -> Found:
    """Count the triplets that meta-judges were asked about, answered or not."""
    table = results.first("rewrite_yes_rates")
    asked = table["n"] + table["lost"]
    if not asked.max() > 0:
        raise NotRunError("no meta-judge was asked")
    return one(asked.max())


def triplets_per_topology(results: Results) -> Found:
    """Give the triplets of each topology, where all six have as many as the settings say."""
    if results.config.validation is None:
        raise NotRunError("the rewrites are not validated in the run")
    wanted = results.config.validation.per_topology
    if triplets(results).least != len(TOPOLOGIES) * wanted:
        raise NotRunError(f"not every topology has {wanted} triplets")
    return one(wanted)
