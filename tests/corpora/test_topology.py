"""Topologies of known graphs, and the transitive reduction against a brute-force oracle."""

from __future__ import annotations

import itertools
import random

import pytest

from plumbline.corpora.topology import label_mismatch, reduced_needs, topology_of
from plumbline.records import ExpectedCall


@pytest.mark.parametrize(
    ("edges", "names", "shape"),
    [
        ("", "", "other"),
        ("a", "", "single"),
        ("a b", "", "independent"),
        ("a b c", "a=x b=x c=x", "independent"),
        ("a b>a", "", "linear"),
        ("a b>a c>b d>c", "", "linear"),
        ("a b>a c>a,b", "", "linear"),  # the edge a-c is implied by a-b-c
        ("a b>a c", "", "optional_enrichment"),
        ("a b c>a", "", "optional_enrichment"),  # the lone call may stand anywhere
        ("a b>a c>b d", "", "optional_enrichment"),
        ("a b>a c>a d>c", "", "optional_enrichment"),  # b is a leaf beside the chain c-d
        ("a b>a c>b d>b e>d", "", "optional_enrichment"),  # a chain before the split changes nothing
        ("a b>a c d", "", "other"),  # two lone calls
        ("a b>a c d>c", "", "other"),  # two chains
        ("a b>a c>a", "", "fan_out"),  # both branches are leaves
        ("a b>a c>a d>a", "", "fan_out"),
        ("a b>a c>a d>b e>c", "", "fan_out"),  # both branches go on
        ("a b>a c>a d>c e>c", "", "fan_out"),  # two splits
        ("a b>a c>a d>a e>d", "", "fan_out"),  # a split into three
        ("a b c>a,b", "", "fan_in"),
        ("a b c>a d>b,c", "", "fan_in"),
        ("a b c>a,b d>c", "", "fan_in"),
        ("a b c d>a,b e>c,d", "", "fan_in"),  # two joins of an in-tree
        ("a b c>a,b d>c e>c", "", "other"),  # joined, then split: no tree, no two paths
        ("a b c>a,b d", "", "other"),  # a lone call beside a fan-in
        ("a b>a c>a d>b,c", "", "diamond"),
        ("a b>a c>a d>b e>c,d", "", "diamond"),
        ("a b>a c>b d>b e>c,d f>e", "", "diamond"),  # with a chain before and behind
        ("z a b>a c>a d>b,c,z", "", "diamond"),  # one more source
        ("a b c>a,b d>a,b", "", "other"),  # split and join without two paths between two calls
        ("a b>a", "a=x b=x", "loop_like"),
        ("a b>a c>b", "a=x c=x", "loop_like"),  # another tool between
        ("a b c>a,b", "a=x b=x", "fan_in"),  # the same tool twice, but on no path
        ("a b>a c>a d>b,c", "a=x d=x", "loop_like"),  # before diamond
    ],
)
def test_each_known_graph_has_its_topology(calls, edges, names, shape):
    assert topology_of(calls(edges, names)) == shape


@pytest.mark.parametrize(
    ("names", "shape"), [("a=x b=x", "linear"), ("a=x c=x", "linear"), ("a=x b=x c=x", "loop_like")]
)
def test_a_converted_loop_needs_three_calls_of_a_tool(calls, names, shape):
    assert topology_of(calls("a b>a c>b d>c", names), loop_repeats=3) == shape


def test_the_order_of_independent_calls_does_not_change_the_topology(calls):
    assert topology_of(calls("d a>d b>d c>a,b")) == topology_of(calls("d b>d a>d c>b,a")) == "diamond"


def _random_calls(rng: random.Random, count: int) -> list[ExpectedCall]:
    return [
        ExpectedCall(
            id=f"s{node}", name="t", needs=tuple(f"s{other}" for other in range(node) if rng.random() < 0.4)
        )
        for node in range(count)
    ]


def _reachable(edges: set[tuple[int, int]], count: int) -> set[tuple[int, int]]:
    """Every pair with a path, by Warshall's algorithm."""
    pairs = set(edges)
    for middle, start, end in itertools.product(range(count), repeat=3):
        if (start, middle) in pairs and (middle, end) in pairs:
            pairs.add((start, end))
    return pairs


def test_the_reduction_is_the_smallest_set_of_edges_with_the_same_paths():
    rng = random.Random(4)
    for count in [*range(1, 6)] * 30:
        found = _random_calls(rng, count)
        edges = {(int(other[1:]), node) for node, call in enumerate(found) for other in call.needs}
        wanted = _reachable(edges, count)
        smallest = next(
            set(subset)
            for size in range(len(edges) + 1)
            for subset in itertools.combinations(sorted(edges), size)
            if _reachable(set(subset), count) == wanted
        )
        reduced = {(other, node) for node, others in enumerate(reduced_needs(found)) for other in others}
        assert reduced == smallest


def _paths(needs: list[set[int]], start: int, end: int) -> list[set[int]]:
    """All paths from start to end as sets of the calls between them."""
    if start == end:
        return [set()]
    return [path | ({end} - {start}) for other in needs[end] for path in _paths(needs, start, other)]


def test_two_internally_disjoint_paths_make_a_diamond_and_nothing_else_does():
    rng = random.Random(5)
    diamonds = 0
    for _ in range(400):
        found = [
            call.model_copy(update={"name": f"t{node}"})
            for node, call in enumerate(_random_calls(rng, rng.randint(4, 6)))
        ]
        needs = reduced_needs(found)
        group = {0}
        for _ in found:  # grow the part that is connected to the first call
            group |= {n for n, above in enumerate(needs) if above & group}
            group |= {other for n in group for other in needs[n]}
        disjoint = any(
            (first - {end}).isdisjoint(second - {end}) and first != second
            for start in range(len(found))
            for end in range(start + 1, len(found))
            for first, second in itertools.combinations(_paths(needs, start, end), 2)
        )
        is_diamond = topology_of(found) == "diamond"
        assert is_diamond == (disjoint and len(group) == len(found))
        diamonds += is_diamond
    assert diamonds > 20


def test_a_label_that_contradicts_the_edges_is_told(order):
    assert label_mismatch(order()) is None
    assert label_mismatch(order(topology="diamond")) == "linear"
