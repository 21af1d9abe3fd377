"""The shape of a record's dependency graph (A3, C-A40, C-A52)."""

from __future__ import annotations

from collections.abc import Sequence

from plumbline.records import ExpectedCall, Record
from plumbline.records.model import Topology

Graph = list[set[int]]
"""For each call, by position, the positions of the earlier calls that it needs."""

CONVERTED_LOOP_REPEATS = 3
"""Calls of one tool on one path that make a loop in a converted corpus, where two are common by chance."""


def topology_of(calls: Sequence[ExpectedCall], *, loop_repeats: int = 2) -> Topology:
    """Name the shape of the calls' dependencies.

    The graph has one node a call and an edge from each call in `needs` to the call that needs it; edges that
    a longer path implies are dropped first (transitive reduction). Of the following, the first that applies:

    * `single`: one call.
    * `independent`: two or more calls, no edge.
    * `loop_like`: one directed path holds `loop_repeats` calls of the same tool.
    * `linear`: one chain through all calls.
    * `optional_enrichment`: a chain of two or more calls beside one call without any edge; or an out-tree
      with one split, into two children, of which one is a leaf and the other starts a chain of two or more
      calls (a side call that nothing later needs).
    * `fan_out`: one source, no join (no call needs two others), at least one split.
    * `fan_in`: connected, two or more sources, at least one join, no split (no return is needed twice).
    * `diamond`: connected, and two different paths lead from one call to another (a split and its join).
    * `other`: everything else, also no call at all.

    Parameters
    ----------
    calls
        Expected calls in the order they run; `needs` names earlier ids only.
    loop_repeats
        2 for corpora written for this purpose, 3 for converted ones.

    Returns
    -------
    str
        A member of `TOPOLOGIES` or `EXTRA_TOPOLOGIES`.

    Notes
    -----
    Items A3, C-A40 and C-A52.
    """
    needs = reduced_needs(calls)
    edges = sum(len(sources) for sources in needs)
    if len(calls) <= 1:
        return "single" if calls else "other"
    if not edges:
        return "independent"
    if _longest_repeat(calls, needs) >= loop_repeats:
        return "loop_like"
    return _shape(needs)


def label_mismatch(record: Record, *, loop_repeats: int = 2) -> Topology | None:
    """Give the computed topology where it contradicts the record's label, else None."""
    computed = topology_of(record.expected_calls, loop_repeats=loop_repeats)
    return None if computed == record.topology else computed


def reduced_needs(calls: Sequence[ExpectedCall]) -> Graph:
    """Drop every edge that a longer path implies.

    Returns
    -------
    list of set of int
        For each call the positions of the calls it needs in the transitive reduction.
    """
    position = {call.id: index for index, call in enumerate(calls)}
    ancestors: Graph = []
    reduced: Graph = []
    for call in calls:
        direct = {position[identifier] for identifier in call.needs}
        implied: set[int] = set().union(*(ancestors[source] for source in direct))
        reduced.append(direct - implied)
        ancestors.append(direct | implied)
    return reduced


def _longest_repeat(calls: Sequence[ExpectedCall], needs: Graph) -> int:
    """Most calls of one tool on one directed path."""
    best: list[dict[str, int]] = []
    for call, sources in zip(calls, needs, strict=True):
        counts: dict[str, int] = {}
        for source in sources:
            for name, count in best[source].items():
                counts[name] = max(count, counts.get(name, 0))
        counts[call.name] = counts.get(call.name, 0) + 1
        best.append(counts)
    return max(max(counts.values()) for counts in best)


def _shape(needs: Graph) -> Topology:
    """Name the shape of a reduced graph with at least one edge, tools aside."""
    used_by = _children(needs)
    sources = [node for node, above in enumerate(needs) if not above]
    splits = [node for node, below in enumerate(used_by) if len(below) > 1]
    joins = [node for node, above in enumerate(needs) if len(above) > 1]
    parts = _parts(needs)
    if not splits and not joins:
        if parts == 1:
            return "linear"
        lone = [node for node in sources if not used_by[node]]
        return "optional_enrichment" if parts == 2 and len(lone) == 1 else "other"
    if parts > 1:
        return "other"
    if not joins:
        return "optional_enrichment" if _has_one_side_call(used_by, splits) else "fan_out"
    if not splits and len(sources) >= 2:
        return "fan_in"
    return "diamond" if _two_paths_meet(needs) else "other"


def _has_one_side_call(used_by: Graph, splits: list[int]) -> bool:
    """Whether the only split of an out-tree has one leaf and one longer branch."""
    if len(splits) != 1 or len(used_by[splits[0]]) != 2:
        return False
    leaves = [child for child in used_by[splits[0]] if not used_by[child]]
    return len(leaves) == 1


def _children(needs: Graph) -> Graph:
    used_by: Graph = [set() for _ in needs]
    for node, sources in enumerate(needs):
        for source in sources:
            used_by[source].add(node)
    return used_by


def _parts(needs: Graph) -> int:
    """Count the weakly connected parts."""
    group = list(range(len(needs)))
    for node, sources in enumerate(needs):
        merged = {group[source] for source in sources} | {group[node]}
        group = [min(merged) if member in merged else member for member in group]
    return len(set(group))


def _two_paths_meet(needs: Graph) -> bool:
    """Whether two different paths join some pair of calls.

    Between the call where such paths first part and the one where they first meet again they share no call.
    """
    for start in range(len(needs)):
        paths = [0] * len(needs)
        paths[start] = 1
        for node in range(start + 1, len(needs)):
            paths[node] = sum(paths[source] for source in needs[node])
            if paths[node] > 1:
                return True
    return False
