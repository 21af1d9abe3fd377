"""Dependencies are recomputed from where values come from."""

from __future__ import annotations

import pytest

from plumbline.corpora.provenance import TracedCall, needs_of


def _call(name, arguments, returns=None, **more):
    return TracedCall(name, arguments, returns, **more)


def test_a_value_of_an_earlier_return_makes_an_edge():
    calls = [_call("s1", {"q": "Rome"}, {"hotels": [{"id": "HTL-1"}]}), _call("s2", {"hotel": "HTL-1"})]
    assert needs_of("A hotel in Rome", calls) == [(), ("s1",)]


@pytest.mark.parametrize(
    ("value", "edge"),
    [
        ("abcd", True),
        ("abc", False),
        ("a1b", True),
        (1234, True),
        (123, False),
        (51.5072178, True),
        ("51.5072178", True),
        ("-77", False),
        (True, False),
        (["x", {"deep": "abcd"}], True),
        ("77,class::4", True),
    ],
)
def test_only_values_that_cannot_be_chance_make_an_edge(value, edge):
    returned = ["abcd", "abc", "a1b", 1234, 123, "51.5072178", -77, True, "class::4"]
    calls = [_call("s1", {}, returned), _call("s2", {"v": value})]
    assert needs_of("", calls)[1] == (("s1",) if edge else ())


def test_a_value_of_the_query_makes_no_edge_unless_a_reference_says_so():
    first = _call("s1", {}, {"city": "Paris"})
    assert needs_of("Fly to Paris", [first, _call("s2", {"to": "Paris"})])[1] == ()
    marked = _call("s2", {"to": "Paris"}, marked={"to": "s1"})
    assert needs_of("Fly to Paris", [first, marked])[1] == ("s1",)


def test_the_most_recent_return_that_holds_a_value_counts():
    calls = [_call("s1", {}, "tok-1"), _call("s2", {}, "tok-1"), _call("s3", {"t": "tok-1"})]
    assert needs_of("", calls)[2] == ("s2",)


def test_a_return_that_repeats_its_own_arguments_supplies_nothing():
    calls = [
        _call("s1", {}, {"id": "HTL-1"}),
        _call("s2", {"id": "HTL-1"}, {"id": "HTL-1", "stars": 4}),
        _call("s3", {"id": "HTL-1"}),
        _call("s4", {"id": "HTL-1"}, marked={"id": "s2"}),
    ]
    assert needs_of("", calls) == [(), ("s1",), ("s1",), ("s1",)]


def test_a_value_that_the_first_call_was_given_without_a_source_never_gets_one():
    calls = [
        _call("s1", {"day": "2026-11-16"}),
        _call("s2", {}, "2026-11-16"),
        _call("s3", {"day": "2026-11-16"}),
    ]
    assert needs_of("tomorrow", calls)[2] == ()


def test_a_value_that_a_needed_call_returns_too_adds_no_edge():
    calls = [
        _call("s1", {}, {"id": "dest-aaaa", "kind": "city"}),
        _call("s2", {"id": "dest-aaaa", "kind": "city"}),
        _call("s3", {}, {"id": "dest-bbbb", "kind": "city"}),
        _call("s4", {"id": "dest-bbbb", "kind": "city"}),
    ]
    assert needs_of("", calls)[3] == ("s3",)


def test_a_choice_from_a_list_makes_no_edge():
    calls = [_call("s1", {}, ["popularity"]), _call("s2", {"sort": "popularity"}, chosen=frozenset({"sort"}))]
    assert needs_of("", calls)[1] == ()


def test_edges_point_backwards_only():
    calls = [_call("s1", {"id": "late-id"}), _call("s2", {}, "late-id")]
    assert needs_of("", calls) == [(), ()]
